//! The transports that flows go over, in one list. Everything else asks the list, and the plans that its entries make, and knows no
//! transport by its name.

mod connecting;
mod quic;
mod sctp;
mod tcp;
mod udp;

pub use connecting::{Connector, Controls, Heard, Lifetime, Opening};

use crate::choice::{Choice, Chosen};
use crate::document::quoted;
use crate::flows::{ControlPlan, SourcePlan};
use crate::rate::Pace;
use crate::reader::TableReader;
use ackclock_base::{Descriptor, Packets, Span};
use ackclock_cc::entry::SelectorEntry;
use ackclock_export::dialect::Dialect;
use ackclock_sim::measure::Interval;
use ackclock_sim::reading::ReaderOptions;
use ackclock_sim::traffic;
use std::fmt::Debug;
use std::sync::Arc;

/// A transport whose senders have a congestion control.
pub trait Transport: Debug + Send + Sync {
    /// The profiles that scenarios name, in the order in which lists show them.
    fn profiles(&self) -> &'static [Descriptor];

    /// The most paths that a flow may take at a time. A transport with several has a path selector.
    fn most_paths(&self) -> usize {
        1
    }

    /// Notes a problem for each thing that a flow's table wants of this transport and that goes ill with `profile`.
    fn check(&self, table: &TableReader<'_>, discriminator: Option<&str>, profile: &Choice);

    /// Notes a problem and returns `None` if this application cannot go over this transport.
    fn check_application(&self, _table: &TableReader<'_>, _application: &traffic::Entry) -> Option<()> {
        Some(())
    }

    /// Returns what the connections of a group of flows are made from.
    fn plan(&self, parts: Parts) -> Arc<dyn TransportPlan>;
}

/// The transports, in the order in which lists show their profiles. The first is what a flow goes over that names none.
pub const TRANSPORTS: &[&dyn Transport] = &[&tcp::Tcp, &quic::Quic, &sctp::Sctp];

/// Returns every profile, in the order of lists.
pub fn profiles() -> impl Iterator<Item = &'static Descriptor> {
    TRANSPORTS.iter().flat_map(|transport| transport.profiles())
}

/// Returns the transport that has a profile of this name.
pub fn find(profile: &str) -> Option<&'static dyn Transport> {
    let has = |transport: &&&dyn Transport| transport.profiles().iter().any(|found| found.name == profile);
    TRANSPORTS.iter().find(has).copied()
}

/// Returns the most paths of a flow over any transport.
pub fn most_paths() -> usize {
    TRANSPORTS.iter().map(|transport| transport.most_paths()).max().unwrap_or(1)
}

/// Returns the plan of a source that has no congestion control: it goes over UDP.
pub fn uncontrolled(source: &SourcePlan) -> Arc<dyn TransportPlan> {
    Arc::new(udp::UdpPlan::of(source.clone()))
}

/// What a flow chooses about a transport with a congestion control.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The transport.
    pub transport: &'static dyn Transport,
    /// Its profile, with the details that the flow sets.
    pub profile: Choice,
    /// The congestion control, of each path where there are several.
    pub control: ControlPlan,
    /// Which path new data takes, over a transport with several paths.
    pub selector: Option<Chosen<SelectorEntry>>,
    /// How fast the receiving application reads; `None` where it reads everything at once.
    pub reader: Option<Pace>,
}

impl Parts {
    /// Returns how the receiving application reads, for an endpoint.
    pub fn reader_options(&self) -> Option<ReaderOptions> {
        self.reader.as_ref().map(Pace::reader_options)
    }
}

/// What the connections of a group of flows are made from. It is found once, when a scenario is read.
pub trait TransportPlan: Debug + Send + Sync {
    /// What the flow chooses; `None` over UDP, where there is nothing to choose.
    fn parts(&self) -> Option<&Parts>;

    /// Payload bytes of a packet with data.
    fn payload_bytes(&self) -> u64;

    /// Bytes of a packet with data on the wire.
    fn wire_bytes(&self) -> u32;

    /// What the packets mean to the formats of other tools.
    fn dialect(&self) -> Arc<dyn Dialect>;

    /// What is known of the sender before the run, for warnings and estimates of cost.
    fn facts(&self) -> Facts;

    /// Returns what makes the ends of the group's connections in a run with this seed, of which an interval is measured.
    fn connector(&self, seed: u64, measured: Interval) -> Box<dyn Connector>;
}

/// What is known of a sender before the run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Facts {
    /// Whether packets may be marked; `None` over a transport without marks.
    pub takes_marks: Option<bool>,
    /// Whether the host keeps packets from waiting in its own interface (Linux's TSQ).
    pub small_queues: bool,
    /// Whether agents at nodes can read the packets' headers: TCP's.
    pub speaks_to_agents: bool,
    /// Whether every packet that the sender launches counts as sent: none is of a handshake, refused, delayed or a probe of a path.
    pub counts_every_packet: bool,
    /// What a packet with data costs that is lost before anything is acknowledged, in nanoseconds.
    pub lost_packet_ns: f64,
    /// The congestion window at the start.
    pub first_window: Packets,
    /// What the receiver allows in flight.
    pub allowed: Allowed,
    /// The time between two timeouts where nothing is ever acknowledged, as it is in the end; `None` where it has no bound.
    pub timeouts_every: Option<Span>,
    /// What probes idle paths; `None` where nothing does.
    pub heartbeats: Option<Heartbeats>,
}

/// What the receiver allows in flight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Allowed {
    /// At the start, in packets.
    pub at_first: Packets,
    /// Ever, in packets.
    pub at_most: Packets,
    /// The most payload bytes ever, with the key that says how many; `None` where no warning tells of them.
    pub widest: Option<(u64, &'static str)>,
}

impl Default for Allowed {
    /// No bound.
    fn default() -> Self {
        Self { at_first: f64::INFINITY, at_most: f64::INFINITY, widest: None }
    }
}

/// Probes of idle paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heartbeats {
    /// The time from an answer to the next probe, without a timeout.
    pub interval: Span,
    /// The least timeout.
    pub min_rto: Span,
}

/// Notes a problem if the loss discriminator looks at the time that a packet takes one way, which TCP's timestamps alone tell.
fn check_discriminator(table: &TableReader<'_>, discriminator: Option<&str>, transport: &str) {
    let Some(entry) = discriminator.and_then(ackclock_cc::registry::find_discriminator) else { return };
    if entry.needs_timestamps {
        let given = if table.get("discriminator").is_some() { "discriminator" } else { "control" };
        let found = format!("the discriminator {} over {transport}", quoted(entry.descriptor.name));
        table.problem_at(given, &found, "one that does not look at TCP's timestamps");
    }
}
