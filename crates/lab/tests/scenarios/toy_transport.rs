//! An example transport with everything that scenarios need of one: datagrams with acknowledgements, a window
//! of a fixed size, and a timer for losses.

use ackclock_base::{Descriptor, Kind, Packets, Range, Span, Time, parameters};
use ackclock_export::dialect::Dialect;
use ackclock_export::udp::Opaque;
use ackclock_lab::Scenario;
use ackclock_lab::language::choice::Choice;
use ackclock_lab::language::document::quoted;
use ackclock_lab::language::reader::TableReader;
use ackclock_lab::transports::{Allowed, Connector, Facts, Opening, Parts, Transport, TransportPlan};
use ackclock_recovery::sender::Counts;
use ackclock_sim::endpoint::{Endpoint, Ends, Outbox, Properties, Sent};
use ackclock_sim::measure::Interval;
use ackclock_sim::packet::Packet;
use ackclock_sim::report::Report;
use ackclock_sim::traffic::{self, Workload};
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

const PAYLOAD_BYTES: u32 = 1000;
const HEADER_BYTES: u32 = 28;
const TIMEOUT: Span = Span::from_millis(1000);

/// The sender's end. The words of a packet's header are its number and its sending time. An acknowledgement
/// repeats them.
#[derive(Default)]
struct Sender {
    packets: u64,
    window: usize,
    next: u64,
    again: Vec<u64>,
    outstanding: VecDeque<(u64, Time)>,
    sent: Sent,
}

impl Sender {
    fn send_allowed(&mut self, now: Time, out: &mut dyn Outbox) {
        while self.outstanding.len() < self.window {
            let fresh = (self.next < self.packets).then_some(self.next);
            let Some(number) = self.again.pop().or(fresh) else { return };
            self.sent.packets += 1;
            if number == self.next {
                self.next += 1;
                self.sent.payload_bytes += u64::from(PAYLOAD_BYTES);
            }
            self.outstanding.push_back((number, now));
            let header = [number, now.nanos(), 0];
            out.send(0, Packet { bytes: PAYLOAD_BYTES + HEADER_BYTES, header, ..Packet::default() });
        }
    }
}

impl Endpoint for Sender {
    fn start(&mut self, now: Time, out: &mut dyn Outbox) {
        self.send_allowed(now, out);
    }

    fn timer(&self) -> Time {
        self.outstanding.front().map_or(Time::NEVER, |(_, sent)| *sent + TIMEOUT)
    }

    fn on_timer(&mut self, now: Time, out: &mut dyn Outbox) {
        while self.timer() <= now {
            self.again.extend(self.outstanding.pop_front().map(|(number, _)| number));
        }
        self.send_allowed(now, out);
    }

    fn on_packet(&mut self, now: Time, _path: usize, ack: &Packet, out: &mut dyn Outbox) {
        self.outstanding.retain(|(number, _)| *number != ack.header[0]);
        self.send_allowed(now, out);
        if self.next == self.packets && self.outstanding.is_empty() {
            out.done();
        }
    }

    fn sent(&self) -> Sent {
        self.sent
    }

    fn reset_counts(&mut self, _now: Time) {
        self.sent = Sent::default();
    }

    fn report(&self, _until: Time) -> Report<'_> {
        let mut counts = Counts::default();
        counts.retransmitted = self.sent.packets - self.sent.payload_bytes / u64::from(PAYLOAD_BYTES);
        Report { counts: Some(counts), ..Report::default() }
    }
}

/// The receiver's end, with the numbers that have arrived.
#[derive(Default)]
struct Receiver(BTreeSet<u64>);

impl Endpoint for Receiver {
    fn properties(&self) -> Properties {
        Properties { only_answers: true, ..Properties::default() }
    }

    fn on_packet(&mut self, _now: Time, _path: usize, packet: &Packet, out: &mut dyn Outbox) {
        let new = u64::from(self.0.insert(packet.header[0]));
        out.received(Some(Time::from_nanos(packet.header[1])), new, new * u64::from(PAYLOAD_BYTES));
        out.send(0, Packet { bytes: HEADER_BYTES, header: packet.header, ..Packet::default() });
    }
}

parameters! {
    /// The parameters of the transport.
    struct Details {
        /// The most packets in flight
        window: Packets = packets("8 packets", Range::between(1.0, 1000.0), "none"),
    }
}

/// The transport: its entry in the list.
#[derive(Debug)]
struct Toy;

const PROFILES: &[Descriptor] = &[Descriptor {
    kind: Kind::Transport,
    name: "toy",
    summary: "Datagrams with acknowledgements, a fixed window and a timer",
    source: "none",
    parameters: Details::TABLE,
    presets: &[],
}];

impl Transport for Toy {
    fn profiles(&self) -> &'static [Descriptor] {
        PROFILES
    }

    fn check(&self, _table: &TableReader<'_>, _discriminator: Option<&str>, _profile: &Choice) {}

    /// Reports an application other than bulk data: the sender has all its packets from the beginning, in one connection.
    fn check_application(&self, table: &TableReader<'_>, application: &traffic::Entry) -> Option<()> {
        if matches!(application.workload, Workload::Bulk(_)) {
            return Some(());
        }
        let found =
            format!("the application {} over the example transport", quoted(application.descriptor.name));
        table.problem_at("application", &found, "\"bulk\", or a transport of TCP");
        None
    }

    fn plan(&self, parts: Parts) -> Arc<dyn TransportPlan> {
        let window = Details::from(&parts.profile.values).window;
        Arc::new(ToyPlan { parts, window })
    }
}

#[derive(Debug)]
struct ToyPlan {
    parts: Parts,
    window: Packets,
}

impl TransportPlan for ToyPlan {
    fn parts(&self) -> Option<&Parts> {
        Some(&self.parts)
    }

    fn payload_bytes(&self) -> u64 {
        u64::from(PAYLOAD_BYTES)
    }

    fn wire_bytes(&self) -> u32 {
        PAYLOAD_BYTES + HEADER_BYTES
    }

    fn dialect(&self) -> Arc<dyn Dialect> {
        Arc::new(Opaque)
    }

    fn facts(&self) -> Facts {
        let allowed = Allowed { at_first: self.window, at_most: self.window, widest: None };
        Facts { counts_every_packet: true, first_window: self.window, allowed, ..Facts::default() }
    }

    fn connector(&self, _seed: u64, _measured: Interval) -> Box<dyn Connector> {
        Box::new(ToyConnector(self.window as usize))
    }
}

struct ToyConnector(usize);

impl Connector for ToyConnector {
    fn connect(&mut self, opening: &Opening<'_>) -> Ends {
        let sender = Sender { packets: opening.lifetime.packets(), window: self.0, ..Sender::default() };
        [Box::new(sender), Box::new(Receiver::default())]
    }
}

/// Lets the first group of flows go over the example transport.
pub fn over_toy(scenario: &mut Scenario) {
    let sending = &mut scenario.flows[0].plan.sending;
    let parts = sending.parts().expect("a control").clone();
    let profile = Choice::default_of(&PROFILES[0]);
    sending.transport = Toy.plan(Parts { transport: &Toy, profile, ..parts });
}

mod tests;
