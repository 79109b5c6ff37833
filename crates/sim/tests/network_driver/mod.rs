//! A network of one or several paths between two ends, which does whatever a string of bytes says: deliver, drop, delay,
//! reorder, duplicate, fail for good, and forge. Shared by the drivers of SCTP and QUIC.

use super::script::Script;
use ackclock_base::{Span, Time};
use std::collections::VecDeque;

/// Messages, each with its path.
pub type Messages<M> = Vec<(usize, M)>;

/// The two ends, with a model of what must hold.
pub trait Ends {
    /// What they tell each other.
    type Message: Clone;

    /// Whether they come to an end when no path is left that works.
    const OUTLIVE_PATHS: bool;

    fn paths(&self) -> usize {
        1
    }

    fn start(&mut self, now: Time) -> Messages<Self::Message>;

    fn timer(&self) -> Time;

    /// What the sender sends, and what the receiver answers.
    fn on_timer(&mut self, now: Time) -> (Messages<Self::Message>, Messages<Self::Message>);

    /// The receiver takes in a message; returns what it answers.
    fn receive(&mut self, now: Time, path: usize, message: &Self::Message) -> Messages<Self::Message>;

    /// The sender hears a message; returns what it sends.
    fn hear(&mut self, now: Time, path: usize, message: &Self::Message) -> Messages<Self::Message>;

    /// Messages that no real network would bring to the sender, of one of two kinds.
    fn forge(&mut self, now: Time, other: bool, script: &mut Script<'_>) -> Messages<Self::Message>;

    /// The application wants something else.
    fn change(&mut self, byte: u8);

    fn stop(&mut self);

    /// Packets sent so far, for how long the end may take.
    fn sent(&self) -> u64;

    fn is_over(&self) -> bool;

    /// What holds at any time.
    fn check(&mut self, honest: bool);

    /// What holds at the end, with no path left that works or not.
    fn check_end(&self, all_dead: bool);
}

/// Reads a script and plays it with these ends.
///
/// # Panics
/// When something that must hold does not.
pub fn drive<E: Ends>(script: &mut Script<'_>, ends: impl FnOnce(&mut Script<'_>) -> E) {
    let mut world = World::new(script, ends);
    while !script.is_over() {
        world.step(script);
    }
    if world.honest {
        world.finish();
    }
}

/// Messages under way in one direction, each with its path and when it was sent.
type Lane<M> = VecDeque<(usize, M, Time)>;

struct World<E: Ends> {
    ends: E,
    now: Time,
    there: Lane<E::Message>,
    back: Lane<E::Message>,
    /// By path, whether nothing gets through any more.
    dead: Vec<bool>,
    /// Nothing is ever forged.
    honest: bool,
}

/// No message is on its way for longer than this: the maximum segment lifetime (RFC 9293 section 3.4.2). A round trip could be
/// anything without it, and each lost packet would multiply it, up to the end of time.
const MAX_LIFETIME: Span = Span::from_millis(120_000);

/// How much time passes before a step.
const PAUSES_NS: [u64; 8] = [0, 0, 0, 100_000, 10_000_000, 100_000_000, 1_000_000_000, 20_000_000_000];

/// A pause ends after so many timers, wherever it was to end.
const MAX_TIMERS_IN_A_PAUSE: usize = 30;

/// More than this on its way, and what is added is dropped.
const MAX_ON_THE_WAY: usize = 3000;

impl<E: Ends> World<E> {
    fn new(script: &mut Script<'_>, ends: impl FnOnce(&mut Script<'_>) -> E) -> Self {
        let honest = script.byte() < 192;
        let ends = ends(script);
        let dead = vec![false; ends.paths()];
        let (there, back) = (VecDeque::new(), VecDeque::new());
        let mut world = Self { ends, now: Time::from_seconds(1.0), there, back, dead, honest };
        let now = world.now;
        let sent = world.ends.start(now);
        world.launch(sent);
        world
    }

    /// The upper half of a byte says how much time passes, the lower half what happens then.
    fn step(&mut self, script: &mut Script<'_>) {
        let byte = script.byte();
        self.pass(Span::from_nanos(PAUSES_NS[usize::from(byte >> 5)]));
        match byte & 15 {
            0..=2 => self.deliver_there(),
            3..=5 => self.deliver_back(),
            6 => drop(self.there.pop_front()),
            7 => drop(self.back.pop_front()),
            8 | 9 => self.exchange(script.byte()),
            10 => self.skip_to_timer(),
            11 => self.disturb_order(script),
            12 => self.change(script),
            13 => self.lose_some(script.byte()),
            _ if self.honest => self.exchange(60),
            kind => self.forge(kind == 15, script),
        }
        self.ends.check(self.honest);
    }

    fn launch(&mut self, sent: Messages<E::Message>) {
        put(&mut self.there, sent, self.now);
    }

    fn answer(&mut self, sent: Messages<E::Message>) {
        put(&mut self.back, sent, self.now);
    }

    /// Lets time pass, with every timer on time.
    fn pass(&mut self, span: Span) {
        let until = self.now + span;
        for _ in 0..MAX_TIMERS_IN_A_PAUSE {
            if self.ends.timer() > until {
                self.now = until;
                return;
            }
            self.skip_to_timer();
        }
    }

    fn skip_to_timer(&mut self) {
        let due = self.ends.timer();
        if due < Time::NEVER {
            self.now = self.now.max(due);
            let (sent, answered) = self.ends.on_timer(self.now);
            self.launch(sent);
            self.answer(answered);
        }
    }

    fn deliver_there(&mut self) {
        if let Some((path, message)) = arrive(&mut self.there, &self.dead, self.now) {
            let answered = self.ends.receive(self.now, path, &message);
            self.answer(answered);
        }
    }

    fn deliver_back(&mut self) {
        if let Some((path, message)) = arrive(&mut self.back, &self.dead, self.now) {
            self.hear(path, &message);
        }
    }

    fn hear(&mut self, path: usize, message: &E::Message) {
        let sent = self.ends.hear(self.now, path, message);
        self.launch(sent);
    }

    /// A network that works for a while.
    fn exchange(&mut self, byte: u8) {
        for _ in 0..byte % 64 {
            self.pass(Span::from_nanos(u64::from(byte) * 10_000));
            self.deliver_there();
            self.deliver_back();
        }
    }

    /// Each bit is the fate of a packet.
    fn lose_some(&mut self, byte: u8) {
        for bit in 0..8 {
            if byte >> bit & 1 == 1 {
                self.there.pop_front();
            } else {
                self.deliver_there();
            }
        }
    }

    fn disturb_order(&mut self, script: &mut Script<'_>) {
        let choice = script.byte();
        let lane = if choice & 1 == 0 { &mut self.there } else { &mut self.back };
        let Some(first) = lane.pop_front() else { return };
        let place = usize::from(choice >> 2).min(lane.len());
        if choice & 2 != 0 {
            lane.push_front(first.clone());
        }
        lane.insert(place, first);
    }

    /// A path fails for good, or the application wants something else.
    fn change(&mut self, script: &mut Script<'_>) {
        match script.byte() {
            byte @ 0..=40 if E::OUTLIVE_PATHS => {
                let paths = self.dead.len();
                self.dead[usize::from(byte) % paths] = true;
            }
            byte => self.ends.change(byte),
        }
    }

    fn forge(&mut self, other: bool, script: &mut Script<'_>) {
        let forged = self.ends.forge(self.now, other, script);
        forged.iter().for_each(|(path, message)| self.hear(*path, message));
    }

    /// From here on the paths that are left work, and the application has nothing more to send.
    fn finish(&mut self) {
        self.ends.stop();
        let most = 5000 + 100 * (self.ends.sent() as usize + self.there.len() + self.back.len());
        let mut ended = false;
        for _ in 0..most {
            if !self.there.is_empty() {
                self.now += Span::from_millis(1);
                self.deliver_there();
            } else if !self.back.is_empty() {
                self.deliver_back();
            } else if self.ends.is_over() || self.ends.timer() == Time::NEVER {
                ended = true;
                break;
            } else {
                self.skip_to_timer();
            }
        }
        self.ends.check(true);
        assert!(ended, "without end");
        let all_dead = self.dead.iter().all(|dead| *dead);
        self.ends.check_end(all_dead);
    }
}

fn put<M>(lane: &mut Lane<M>, messages: Messages<M>, now: Time) {
    let room = MAX_ON_THE_WAY.saturating_sub(lane.len());
    lane.extend(messages.into_iter().take(room).map(|(path, message)| (path, message, now)));
}

/// The next message of a lane, if it gets through.
fn arrive<M>(lane: &mut Lane<M>, dead: &[bool], now: Time) -> Option<(usize, M)> {
    let (path, message, sent) = lane.pop_front()?;
    (!dead[path] && now.since(sent) <= MAX_LIFETIME).then_some((path, message))
}
