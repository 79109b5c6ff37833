//! Drives an association's two ends over several paths through whatever a string of bytes says, and checks after every step what
//! must hold. Shared by the property test and the fuzz target `sctp_association`.
//!
//! The bytes choose a profile, a congestion control, a path selector, every detail of them, and then what the network does on
//! each path: deliver, drop, delay, reorder, duplicate, fail for good. As long as it does no more than that, everything that was
//! sent must arrive, once, if a path is left that works and the association has not said that it has failed. The bytes may also
//! forge acknowledgements, with any gap blocks, and control chunks; then only the invariants count.

mod ends;
#[path = "../endpoint_driver/script.rs"]
mod script;

use ackclock_base::{Span, Time};
use ackclock_sim::sctp::message::{Block, Control, ControlKind, Echo};
use ends::{Ends, Owned};
use script::Script;
use std::collections::VecDeque;

/// Reads `bytes` as a script and plays it.
///
/// # Panics
/// When something that must hold does not.
pub fn drive(bytes: &[u8]) {
    let mut script = Script::new(bytes);
    let mut world = World::new(&mut script);
    while !script.is_over() {
        world.step(&mut script);
    }
    if world.honest {
        world.finish();
    }
}

struct World {
    ends: Ends,
    now: Time,
    /// Messages under way there and back, each with its path.
    there: VecDeque<(usize, Owned)>,
    back: VecDeque<(usize, Owned)>,
    /// By path, whether nothing gets through any more.
    dead: Vec<bool>,
    /// Nothing is ever forged.
    honest: bool,
}

/// How much time passes before a step.
const PAUSES_NS: [u64; 8] = [0, 0, 0, 100_000, 10_000_000, 100_000_000, 1_000_000_000, 20_000_000_000];

/// A pause ends after so many timers, wherever it was to end.
const MAX_TIMERS_IN_A_PAUSE: usize = 30;

/// More than this on its way, and what is added is dropped.
const MAX_ON_THE_WAY: usize = 3000;

impl World {
    fn new(script: &mut Script<'_>) -> Self {
        let honest = script.byte() < 192;
        let ends = Ends::new(script);
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
            14 => self.forge_sack(script),
            _ => self.forge_control(script),
        }
        self.ends.check(self.honest);
    }

    fn launch(&mut self, sent: Vec<(usize, Owned)>) {
        let room = MAX_ON_THE_WAY.saturating_sub(self.there.len());
        self.there.extend(sent.into_iter().take(room));
    }

    fn answer(&mut self, sent: Vec<(usize, Owned)>) {
        let room = MAX_ON_THE_WAY.saturating_sub(self.back.len());
        self.back.extend(sent.into_iter().take(room));
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
        if let Some((path, message)) = self.there.pop_front()
            && !self.dead[path]
        {
            let answered = self.ends.receive(self.now, path, &message);
            self.answer(answered);
        }
    }

    fn deliver_back(&mut self) {
        if let Some((path, message)) = self.back.pop_front()
            && !self.dead[path]
        {
            self.hear(path, &message);
        }
    }

    fn hear(&mut self, path: usize, message: &Owned) {
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

    /// A path fails for good, the application stops, or wants another path.
    fn change(&mut self, script: &mut Script<'_>) {
        match script.byte() {
            byte @ 0..=40 => {
                let paths = self.dead.len();
                self.dead[usize::from(byte) % paths] = true;
            }
            41..=60 => self.ends.stop(),
            byte => self.ends.set_primary(usize::from(byte) % self.dead.len()),
        }
    }

    fn forge_sack(&mut self, script: &mut Script<'_>) {
        let (first, high) = (self.ends.acknowledged(), self.ends.high());
        let cumulative = match script.byte() % 4 {
            0 | 1 => first,
            2 => script.number_near(high).min(high + 2),
            _ => script.number_near(first + (high - first) / 2),
        };
        let blocks = (0..script.byte() % 12).map(|_| forged_block(script)).collect();
        let sent = match script.byte() % 3 {
            0 => self.now,
            1 => Time::from_nanos(script.number_near(self.now.nanos())),
            _ => Time::from_nanos(self.now.nanos().saturating_sub(u64::from(script.pair()) << 14)),
        };
        let echo = Echo { sent, path: script.byte() % 10 };
        let window = if script.byte() > 240 { u32::from(script.pair()) } else { 1 << 24 };
        let packets = script.byte();
        let times = 1 + script.byte() / 64;
        for _ in 0..times {
            self.hear(0, &Owned::Sack { cumulative, blocks: Vec::clone(&blocks), window, echo, packets });
        }
    }

    fn forge_control(&mut self, script: &mut Script<'_>) {
        const KINDS: [ControlKind; 6] = [
            ControlKind::Init,
            ControlKind::InitAck,
            ControlKind::CookieEcho,
            ControlKind::CookieAck,
            ControlKind::Heartbeat,
            ControlKind::HeartbeatAck,
        ];
        let kind = script.one_of(&KINDS);
        let sent = Time::from_nanos(script.number_near(self.now.nanos()));
        let path = usize::from(script.byte()) % self.dead.len();
        self.hear(path, &Owned::Control(Control { kind, sent, tag: u64::from(script.byte()) }));
    }

    /// From here on the paths that are left work, and the application has nothing more to send.
    fn finish(&mut self) {
        self.ends.stop();
        let most = 5000 + 100 * (self.ends.high() as usize + self.there.len() + self.back.len());
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

fn forged_block(script: &mut Script<'_>) -> Block {
    let mut offset = || match script.byte() {
        255 => u16::MAX,
        254 => script.pair(),
        byte @ 128.. => u16::from(byte - 128),
        byte => u16::from(byte % 16),
    };
    let start = offset();
    Block { start, end: start.saturating_add(offset()) }
}
