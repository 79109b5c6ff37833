//! A network of one or several paths between two ends, which behaves as a string of bytes says: deliver,
//! drop, delay, reorder, duplicate, fail for good, and forge. Shared by the drivers of SCTP and QUIC.

use super::script::Script;
use ackclock_base::{Span, Time};
use std::collections::VecDeque;

/// Messages, each with its path.
pub type Messages<M> = Vec<(usize, M)>;

/// The two ends, with a model of what must hold.
pub trait Ends {
    /// The messages between the ends.
    type Message: Clone;

    /// Whether the ends finish when no path works any more.
    const OUTLIVE_PATHS: bool;

    fn paths(&self) -> usize {
        1
    }

    fn start(&mut self, now: Time) -> Messages<Self::Message>;

    fn timer(&self) -> Time;

    /// Calls the timers that are due. Returns the messages of the sender and of the receiver.
    fn on_timer(&mut self, now: Time) -> (Messages<Self::Message>, Messages<Self::Message>);

    /// Passes a message to the receiver. Returns its answers.
    fn receive(&mut self, now: Time, path: usize, message: &Self::Message) -> Messages<Self::Message>;

    /// Passes a message to the sender. Returns the messages that it sends.
    fn hear(&mut self, now: Time, path: usize, message: &Self::Message) -> Messages<Self::Message>;

    /// Returns messages that no real network would bring to the sender, of one of two kinds.
    fn forge(&mut self, now: Time, other: bool, script: &mut Script<'_>) -> Messages<Self::Message>;

    /// Changes something at the request of the application.
    fn change(&mut self, byte: u8);

    fn stop(&mut self);

    /// Returns the number of packets sent so far, which limits the duration of the end.
    fn sent(&self) -> u64;

    fn is_over(&self) -> bool;

    /// Checks what must hold at any time.
    fn check(&mut self, honest: bool);

    /// Checks what must hold at the end. `all_dead` tells whether no path works any more.
    fn check_end(&self, all_dead: bool);
}

/// Reads a script and plays it with these ends.
///
/// # Panics
///
/// If an invariant is violated.
pub fn drive<E: Ends>(script: &mut Script<'_>, ends: impl FnOnce(&mut Script<'_>) -> E) {
    let mut world = World::new(script, ends);
    while !script.is_over() {
        world.step(script);
    }
    if world.honest {
        world.finish();
    }
}

/// The messages under way in one direction, each with its path and its sending time.
type Lane<M> = VecDeque<(usize, M, Time)>;

struct World<E: Ends> {
    ends: E,
    now: Time,
    there: Lane<E::Message>,
    back: Lane<E::Message>,
    /// For each path, whether it has failed for good.
    dead: Vec<bool>,
    /// Whether no message is ever forged.
    honest: bool,
}

/// The longest time for which a message is on its way: the maximum segment lifetime (RFC 9293 section 3.4.2).
/// Without a limit a round trip could take any time, and each lost packet would multiply it.
const MAX_LIFETIME: Span = Span::from_millis(120_000);

/// The time that passes before a step.
const PAUSES_NS: [u64; 8] = [0, 0, 0, 100_000, 10_000_000, 100_000_000, 1_000_000_000, 20_000_000_000];

/// The largest number of timers in a pause, which ends then.
const MAX_TIMERS_IN_A_PAUSE: usize = 30;

/// The largest number of messages on their way. Further messages are dropped.
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

    /// Plays a step: the upper bits of a byte choose the time that passes, the lower bits the event.
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

    /// Lets time pass, with every timer called on time.
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

    /// Lets the network work for a while.
    fn exchange(&mut self, byte: u8) {
        for _ in 0..byte % 64 {
            self.pass(Span::from_nanos(u64::from(byte) * 10_000));
            self.deliver_there();
            self.deliver_back();
        }
    }

    /// Drops packets: each bit decides about one packet.
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

    /// Lets a path fail for good, or changes something at the request of the application.
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

    /// Lets the remaining paths work from now on. The application has no more data.
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

/// Returns the next message of a lane; `None` if it is lost or there is none.
fn arrive<M>(lane: &mut Lane<M>, dead: &[bool], now: Time) -> Option<(usize, M)> {
    let (path, message, sent) = lane.pop_front()?;
    (!dead[path] && now.since(sent) <= MAX_LIFETIME).then_some((path, message))
}
