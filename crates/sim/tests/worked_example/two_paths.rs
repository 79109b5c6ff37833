//! A custom transport: datagrams with acknowledgements over two paths. Each path has a window of a fixed
//! size. A datagram that is not acknowledged within a second is retransmitted over a path with room.

use ackclock_base::{Span, Time};
use ackclock_sim::endpoint::{Endpoint, Ends, Outbox, Properties, Sent};
use ackclock_sim::packet::Packet;
use std::collections::{BTreeSet, VecDeque};

const PAYLOAD_BYTES: u32 = 1000;
const HEADER_BYTES: u32 = 28;
const TIMEOUT: Span = Span::from_millis(1000);

/// Returns the ends of a flow that sends `datagrams` datagrams, at most `window` of them outstanding on each
/// path.
pub fn ends(datagrams: u64, window: usize) -> Ends {
    let sender = Sender { datagrams, window, ..Sender::default() };
    [Box::new(sender), Box::new(Receiver::default())]
}

#[derive(Default)]
struct Sender {
    datagrams: u64,
    window: usize,
    next: u64,
    sent: Sent,
    /// For each path the outstanding datagrams with their sending times, the oldest first.
    outstanding: [VecDeque<(u64, Time)>; 2],
    again: Vec<u64>,
}

impl Sender {
    fn send_allowed(&mut self, now: Time, out: &mut dyn Outbox) {
        for path in 0..2 {
            while self.outstanding[path].len() < self.window {
                let fresh = (self.next < self.datagrams).then_some(self.next);
                let Some(number) = self.again.pop().or(fresh) else { return };
                self.sent.packets += 1;
                if number == self.next {
                    self.next += 1;
                    self.sent.payload_bytes += u64::from(PAYLOAD_BYTES);
                }
                self.outstanding[path].push_back((number, now));
                let header = [number, now.nanos(), 0];
                out.send(path, Packet { bytes: PAYLOAD_BYTES + HEADER_BYTES, header, ..Packet::default() });
            }
        }
    }
}

impl Endpoint for Sender {
    fn start(&mut self, now: Time, out: &mut dyn Outbox) {
        self.send_allowed(now, out);
    }

    fn timer(&self) -> Time {
        let oldest = self.outstanding.iter().filter_map(|path| path.front());
        oldest.map(|(_, sent)| *sent + TIMEOUT).min().unwrap_or(Time::NEVER)
    }

    fn on_timer(&mut self, now: Time, out: &mut dyn Outbox) {
        for path in &mut self.outstanding {
            while let Some((number, sent)) = path.front().copied()
                && sent + TIMEOUT <= now
            {
                path.pop_front();
                self.again.push(number);
            }
        }
        self.send_allowed(now, out);
    }

    fn on_packet(&mut self, now: Time, _path: usize, ack: &Packet, out: &mut dyn Outbox) {
        let number = ack.header[0];
        self.outstanding.iter_mut().for_each(|path| path.retain(|(other, _)| *other != number));
        self.again.retain(|other| *other != number);
        self.send_allowed(now, out);
        if self.next == self.datagrams && self.again.is_empty() && self.timer() == Time::NEVER {
            out.done();
        }
    }

    fn sent(&self) -> Sent {
        self.sent
    }
}

#[derive(Default)]
struct Receiver {
    delivered: BTreeSet<u64>,
}

impl Endpoint for Receiver {
    fn properties(&self) -> Properties {
        Properties { only_answers: true, ..Properties::default() }
    }

    fn on_packet(&mut self, _now: Time, path: usize, packet: &Packet, out: &mut dyn Outbox) {
        let [number, sent, _] = packet.header;
        let new = u64::from(self.delivered.insert(number));
        out.received(Some(Time::from_nanos(sent)), new, new * u64::from(PAYLOAD_BYTES));
        out.send(path, Packet { bytes: HEADER_BYTES, header: packet.header, ..Packet::default() });
    }
}
