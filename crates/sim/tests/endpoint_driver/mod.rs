//! Drives a TCP sender and receiver as a string of bytes says, and checks the invariants after every step.
//! Shared by the property test and the fuzz target `tcp_endpoint`.
//!
//! The bytes choose a profile, a congestion control, all parameters of both, and then the behaviour of the
//! network: deliver, drop, delay, reorder, duplicate, mark. Without forged packets the connection must also
//! complete once the network behaves again. The bytes may also forge acknowledgements and data that no real
//! network would bring; then only the invariants are checked.

mod receiving;
mod script;
mod sending;
mod watched;

use ackclock_base::{Span, Time};
use ackclock_sim::tcp::segment::{Block, Flags, Segment as Packet};
use receiving::Receiving;
use script::Script;
use sending::Sending;
use std::collections::VecDeque;

/// Reads `bytes` as a script and plays it.
///
/// # Panics
///
/// If an invariant is violated.
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
    sending: Sending,
    receiving: Receiving,
    now: Time,
    /// The packets on their way to the receiver, and the acknowledgements on their way back.
    data: VecDeque<Packet>,
    acks: VecDeque<Packet>,
    /// Whether no packet is ever forged.
    honest: bool,
}

/// The time that passes before a step.
const PAUSES_NS: [u64; 16] = [
    0,
    0,
    0,
    0,
    1,
    1000,
    100_000,
    100_000,
    1_000_000,
    1_000_000,
    10_000_000,
    10_000_000,
    50_000_000,
    200_000_000,
    1_000_000_000,
    5_000_000_000,
];

/// The largest number of timers in a pause, which ends then. With some options timers go off every
/// nanosecond.
const MAX_TIMERS_IN_A_PAUSE: usize = 30;

/// The largest number of packets on their way. Further packets of the sender are dropped.
const MAX_ON_THE_WAY: usize = 5000;

impl World {
    fn new(script: &mut Script<'_>) -> Self {
        let honest = script.byte() < 192;
        let sending = Sending::new(script, honest);
        let receiving = Receiving::new(sending.options.receiver);
        let start = Time::from_nanos(script.one_of(&[0, 1, 1_000_000_000, 1 << 50]));
        let (data, acks) = (VecDeque::new(), VecDeque::new());
        let mut world = Self { sending, receiving, now: start, data, acks, honest };
        let sent = world.sending.start(start);
        world.launch(sent);
        world
    }

    /// Plays a step: the upper half of a byte chooses the time that passes, the lower half the event.
    fn step(&mut self, script: &mut Script<'_>) {
        let byte = script.byte();
        self.pass(Span::from_nanos(PAUSES_NS[usize::from(byte >> 4)]));
        match byte & 15 {
            0..=2 => self.deliver_data(),
            3..=5 => self.deliver_ack(),
            6 => drop(self.data.pop_front()),
            7 => drop(self.acks.pop_front()),
            8 => self.exchange(script.byte()),
            9 => self.drop_some(script.byte()),
            10 => self.skip_to_timer(),
            11 => self.on_sender_timer(),
            12 => self.disturb_order(script),
            13 => self.mark_or_count(script),
            14 if self.honest => self.exchange(63),
            15 if self.honest => self.deliver_ack(),
            14 => self.forge_ack(script),
            _ => self.forge_data(script),
        }
    }

    /// Lets time pass, with every timer called on time.
    fn pass(&mut self, span: Span) {
        let until = self.now + span;
        for _ in 0..MAX_TIMERS_IN_A_PAUSE {
            let due = self.sending.timer().min(self.receiving.timer());
            if due > until {
                self.now = until;
                return;
            }
            self.fire(due);
        }
    }

    fn skip_to_timer(&mut self) {
        let due = self.sending.timer().min(self.receiving.timer());
        if due < Time::NEVER {
            self.fire(due);
        }
    }

    fn fire(&mut self, due: Time) {
        self.now = self.now.max(due);
        if self.receiving.timer() <= self.now {
            let ack = self.receiving.on_timer(self.now);
            self.acks.push_back(ack);
        }
        if self.sending.timer() <= self.now {
            self.on_sender_timer();
        }
    }

    fn on_sender_timer(&mut self) {
        let sent = self.sending.on_timer(self.now);
        self.launch(sent);
    }

    fn launch(&mut self, sent: Vec<Packet>) {
        let room = MAX_ON_THE_WAY.saturating_sub(self.data.len());
        self.data.extend(sent.into_iter().take(room));
    }

    fn deliver_data(&mut self) {
        if let Some(packet) = self.data.pop_front() {
            self.receive(&packet);
        }
    }

    fn receive(&mut self, packet: &Packet) {
        let ack = self.receiving.on_data(self.now, packet);
        self.acks.extend(ack.filter(|_| self.acks.len() < MAX_ON_THE_WAY));
    }

    fn deliver_ack(&mut self) {
        if let Some(ack) = self.acks.pop_front() {
            self.acknowledge(&ack);
        }
    }

    fn acknowledge(&mut self, ack: &Packet) {
        let sent = self.sending.on_ack(self.now, ack);
        self.launch(sent);
    }

    /// Lets the network work for a while.
    fn exchange(&mut self, byte: u8) {
        for _ in 0..byte % 64 {
            self.pass(Span::from_nanos(u64::from(byte) * 10_000));
            self.deliver_data();
            self.deliver_ack();
        }
    }

    /// Drops packets: each bit decides about one packet.
    fn drop_some(&mut self, byte: u8) {
        for bit in 0..8 {
            if byte >> bit & 1 == 1 {
                self.data.pop_front();
            } else {
                self.deliver_data();
            }
        }
    }

    fn disturb_order(&mut self, script: &mut Script<'_>) {
        let choice = script.byte();
        let lane = if choice & 1 == 0 { &mut self.data } else { &mut self.acks };
        let Some(first) = lane.pop_front() else { return };
        let place = usize::from(choice >> 2).min(lane.len());
        lane.insert(place, first);
        if choice & 2 != 0 {
            lane.push_front(first);
        }
    }

    fn mark_or_count(&mut self, script: &mut Script<'_>) {
        match script.byte() % 8 {
            0 => self.sending.stop(),
            1 => self.sending.reset_counts(self.now),
            2 => self.sending.check_area(self.now),
            _ => {
                if let Some(packet) = self.data.front_mut().filter(|packet| !packet.flags.has(Flags::SYN)) {
                    packet.flags = packet.flags.with(Flags::CONGESTION_EXPERIENCED);
                }
            }
        }
    }

    fn forge_ack(&mut self, script: &mut Script<'_>) {
        let (una, high) = (self.sending.una(), self.sending.high());
        let number = match script.byte() % 4 {
            0 => una,
            1 => script.number_near(una),
            2 => script.number_near(high),
            _ => script.number_near(una + (high - una) / 2),
        };
        let mut sack = [Block::default(); 3];
        for block in &mut sack {
            let start = forged_offset(script);
            *block = Block { start, end: start.saturating_add(forged_offset(script)) };
        }
        if script.byte() >= 250 {
            std::mem::swap(&mut sack[0].start, &mut sack[0].end);
        }
        let stamp = match script.byte() % 4 {
            0 => self.now,
            1 => Time::from_nanos(script.number_near(self.now.nanos())),
            2 => Time::from_nanos(self.now.nanos().saturating_sub(u64::from(script.pair()) << 16)),
            _ => Time::NEVER,
        };
        let ack = Packet { number, stamp, bytes: 40, flags: forged_flags(script), sack, ..Packet::default() };
        let times = if script.byte() >= 200 { self.sending.threshold() + 1 } else { 1 };
        for _ in 0..times {
            self.acknowledge(&ack);
        }
    }

    fn forge_data(&mut self, script: &mut Script<'_>) {
        let next = self.receiving.delivered();
        // No packet farther ahead can be outstanding, see `MAX_OUTSTANDING`.
        let number = match script.byte() {
            250.. => next + u64::from(script.pair()) * 255,
            _ => script.number_near(next).min(next + 1000),
        };
        let stamp = Time::from_nanos(script.number_near(self.now.nanos()));
        let packet = Packet { number, stamp, bytes: 1500, flags: forged_flags(script), ..Packet::default() };
        self.receive(&packet);
    }

    /// Lets the network work from now on. The application has no more data, and the connection must complete.
    fn finish(&mut self) {
        self.sending.stop();
        let most = 1000 + 50 * (self.sending.high() as usize + self.data.len() + self.acks.len());
        for _ in 0..most {
            if let Some(packet) = self.data.pop_front() {
                self.now += Span::from_millis(1);
                self.receive(&packet);
            } else if let Some(ack) = self.acks.pop_front() {
                self.acknowledge(&ack);
            } else if self.sending.timer().min(self.receiving.timer()) < Time::NEVER {
                self.skip_to_timer();
            } else {
                break;
            }
        }
        assert!(self.data.is_empty() && self.acks.is_empty(), "packets without end");
        assert_eq!(self.receiving.delivered(), self.sending.high());
        self.sending.check_end();
    }
}

fn forged_offset(script: &mut Script<'_>) -> u32 {
    match script.byte() {
        255 => u32::MAX,
        254 => u32::from(script.pair()),
        byte @ 128.. => u32::from(byte - 128),
        byte => u32::from(byte % 8),
    }
}

fn forged_flags(script: &mut Script<'_>) -> Flags {
    const ALL: [Flags; 7] = [
        Flags::ECN_CAPABLE,
        Flags::CONGESTION_EXPERIENCED,
        Flags::CONGESTION_ECHO,
        Flags::WINDOW_REDUCED,
        Flags::RETRANSMISSION,
        Flags::SYN,
        Flags::ACCURATE,
    ];
    let bits = script.byte();
    let chosen = ALL.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1);
    chosen.fold(Flags::default(), |flags, (_, flag)| flags.with(*flag))
}
