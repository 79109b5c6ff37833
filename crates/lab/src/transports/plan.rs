//! What a transport is to the laboratory, and the plan that it makes for the connections of a group of flows.

use super::connecting::Connector;
use crate::language::choice::{Choice, Chosen};
use crate::language::document::quoted;
use crate::language::flows::control::ControlPlan;
use crate::language::reader::TableReader;
use crate::language::registry::own_controls::OwnControl;
use crate::language::values::rate::Pace;
use crate::run::result::{Field, FlowTimes, OwnResult};
use ackclock_base::{Descriptor, Packets, Span};
use ackclock_cc::entry::SelectorEntry;
use ackclock_export::dialect::Dialect;
use ackclock_sim::endpoint::Endpoint;
use ackclock_sim::measure::Interval;
use ackclock_sim::reading::ReaderOptions;
use ackclock_sim::traffic;
use std::fmt::Debug;
use std::sync::Arc;

/// A transport whose senders have a congestion control.
pub trait Transport: Debug + Send + Sync {
    /// Returns the profiles that scenarios name, in the order of lists.
    fn profiles(&self) -> &'static [Descriptor];

    /// Returns the maximum number of simultaneous paths of a flow. A transport with several has a path
    /// selector.
    fn most_paths(&self) -> usize {
        1
    }

    /// Reports each setting in a flow's table that does not suit this transport with `profile`.
    fn check(&self, table: &TableReader<'_>, discriminator: Option<&str>, profile: &Choice);

    /// Reports a control that does not run over this transport, and returns `None` for it: one that another transport brings along.
    fn check_control(&self, table: &TableReader<'_>, control: &ControlPlan, _profile: &Choice) -> Option<()> {
        check_brought_along(table, control)
    }

    /// Reports an application that cannot go over this transport, and returns `None` for it.
    fn check_application(&self, _table: &TableReader<'_>, _application: &traffic::Entry) -> Option<()> {
        Some(())
    }

    /// Returns the controls that run over this transport and over no other, in the order of lists.
    fn own_controls(&self) -> Vec<OwnControl> {
        Vec::new()
    }

    /// Returns the fields that this transport adds to the results of its flows: those of the record that [`Self::result`] makes.
    fn result_fields(&self) -> Vec<Field> {
        Vec::new()
    }

    /// Returns what this transport adds to the result of a flow with these ends, the sender's first; `None` if it adds nothing.
    fn result(&self, _ends: [&dyn Endpoint; 2], _times: &FlowTimes) -> Option<OwnResult> {
        None
    }

    /// Returns the plan from which the connections of a group of flows are created.
    fn plan(&self, parts: Parts) -> Arc<dyn TransportPlan>;
}

/// Reports a control that another transport brings along, and returns `None` for it.
pub(super) fn check_brought_along(table: &TableReader<'_>, control: &ControlPlan) -> Option<()> {
    let Some(name) = control.brought_along() else { return Some(()) };
    let stack = name.split(':').next().unwrap_or(name);
    let found = format!("the congestion control {} over a transport other than {stack}", quoted(name));
    table.problem_at(
        "control",
        &found,
        &format!("`transport = {}`, the only transport over which this control runs", quoted(stack)),
    );
    None
}

/// The choices of a flow about a transport with a congestion control.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The transport.
    pub transport: &'static dyn Transport,
    /// The profile of the transport, with the parameters that the flow sets.
    pub profile: Choice,
    /// The congestion control, which each of several paths has.
    pub control: ControlPlan,
    /// The selector of paths for new data, over a transport with several paths.
    pub selector: Option<Chosen<SelectorEntry>>,
    /// The rate at which the receiving application reads; `None` if it reads everything at once.
    pub reader: Option<Pace>,
}

impl Parts {
    /// Returns how the receiving application reads, for an endpoint.
    pub fn reader_options(&self) -> Option<ReaderOptions> {
        self.reader.as_ref().map(Pace::reader_options)
    }
}

/// The plan from which the connections of a group of flows are created. It is made once, when a scenario is
/// read.
pub trait TransportPlan: Debug + Send + Sync {
    /// Returns the choices of the flow; `None` over UDP, which has none.
    fn parts(&self) -> Option<&Parts>;

    /// Returns the payload bytes of a packet with data.
    fn payload_bytes(&self) -> u64;

    /// Returns the bytes of a packet with data on the wire.
    fn wire_bytes(&self) -> u32;

    /// Returns the description of the packets for the formats of other tools.
    fn dialect(&self) -> Arc<dyn Dialect>;

    /// Returns what is known of the sender before the run, for warnings and estimates of cost.
    fn facts(&self) -> Facts;

    /// Returns the connector that creates the ends of the group's connections, in a run with this seed and
    /// measured interval.
    fn connector(&self, seed: u64, measured: Interval) -> Box<dyn Connector>;

    /// Returns what carries the connections between two real hosts.
    fn real(&self) -> Real {
        Real::Nothing("this transport is simulated only".to_owned())
    }
}

/// What carries the connections of a transport between two real hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Real {
    /// The TCP of the kernel.
    Kernel {
        /// Whether it negotiates explicit congestion notification.
        ecn: bool,
    },
    /// The connector's own ends, over UDP: the words of their packets are whole datagrams.
    Datagrams,
    /// Nothing, for this reason: a clause about the transport.
    Nothing(String),
}

/// What is known of a sender before the run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Facts {
    /// Whether packets may be marked; `None` over a transport without marks.
    pub takes_marks: Option<bool>,
    /// Whether the host keeps packets from waiting in its own interface (Linux's TSQ).
    pub small_queues: bool,
    /// Whether agents at nodes can read the packets' headers, which are TCP's.
    pub speaks_to_agents: bool,
    /// Whether every packet that the sender emits counts as sent: no packet is part of a handshake, refused,
    /// delayed or a probe of a path.
    pub counts_every_packet: bool,
    /// Whether the control draws random numbers that no seed sets, so runs with one seed differ.
    pub draws_unseeded: bool,
    /// How lost packets are retransmitted; `None` over a transport with one rule.
    pub repair: Option<Repair>,
    /// The computing time of a packet with data that is lost before the first acknowledgement, in
    /// nanoseconds.
    pub lost_packet_ns: f64,
    /// The congestion window at the start, in packets.
    pub first_window: Packets,
    /// What the receiver allows in flight.
    pub allowed: Allowed,
    /// The time between two timeouts that is finally reached if nothing is ever acknowledged; `None` if it
    /// grows without bound.
    pub timeouts_every: Option<Span>,
    /// The probes of idle paths; `None` if there are none.
    pub heartbeats: Option<Heartbeats>,
    /// The events that a connection has whatever the network does; `None` if it only sends and answers.
    pub own_events: Option<OwnEvents>,
}

/// How a sender retransmits lost packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The name of the retransmission rule.
    pub rule: &'static str,
    /// Whether it is the control's own and not one that the flow or its profile names.
    pub is_of_control: bool,
    /// Whether the rule knows from selective acknowledgements which packets are missing.
    pub is_selective: bool,
}

/// What the receiver allows in flight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Allowed {
    /// The number of packets at the start.
    pub at_first: Packets,
    /// The maximum number of packets at any time.
    pub at_most: Packets,
    /// The maximum of payload bytes at any time, with the key that sets it; `None` if no warning mentions it.
    pub widest: Option<(u64, &'static str)>,
}

impl Default for Allowed {
    /// Returns no bound.
    fn default() -> Self {
        Self { at_first: f64::INFINITY, at_most: f64::INFINITY, widest: None }
    }
}

/// The events that a connection has whatever the network does, for estimates of cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OwnEvents {
    /// The maximum number of them per second.
    pub per_second: f64,
    /// The number of them per second in any case.
    pub certain_per_second: f64,
    /// The nanoseconds that each takes.
    pub ns: f64,
    /// What such a connection is, in the plural.
    pub owners: &'static str,
    /// What the events are, in the plural.
    pub events: &'static str,
    /// What to change for fewer events.
    pub remedies: &'static [&'static str],
}

/// Probes of idle paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heartbeats {
    /// The time from an answer to the next probe, without a timeout.
    pub interval: Span,
    /// The minimum timeout.
    pub min_rto: Span,
}

/// Reports a loss discriminator that uses the one-way delay of packets, which only TCP's timestamps provide.
pub(super) fn check_discriminator(table: &TableReader<'_>, discriminator: Option<&str>, transport: &str) {
    let Some(entry) = discriminator.and_then(ackclock_cc::registry::find_discriminator) else { return };
    if entry.needs_timestamps {
        let given = if table.get("discriminator").is_some() { "discriminator" } else { "control" };
        let found = format!("the loss discriminator {} over {transport}", quoted(entry.descriptor.name));
        table.problem_at(
            given,
            &found,
            "a loss discriminator that does not use TCP's timestamps, or a TCP transport",
        );
    }
}
