//! A group of flows whose connections have one path: over TCP or QUIC.

use super::control::ControlPlan;
use super::data::Data;
use crate::choice::Choice;
use crate::document::quoted;
use crate::rate::Pace;
use crate::reader::TableReader;
use ackclock_base::{Size, Span};
use ackclock_sim::reading::ReaderOptions;
use ackclock_sim::tcp::details::{Details, LocalDrop, ReceiveWindow};
use ackclock_sim::{quic, tcp};

/// What a connection is made of.
#[derive(Clone, Debug)]
pub struct ConnectionPlan {
    /// Its congestion control.
    pub control: ControlPlan,
    /// The transport profile.
    pub transport: Choice,
    /// What it has to send.
    pub data: Data,
    /// How fast the receiving application reads; `None` where it reads everything at once.
    pub reader: Option<Pace>,
}

/// What a connection goes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// TCP.
    Tcp,
    /// QUIC.
    Quic,
}

impl Protocol {
    /// That of a transport profile.
    fn of(transport: &Choice) -> Self {
        let is_quic = quic::options::find(transport.descriptor.name).is_some();
        if is_quic { Self::Quic } else { Self::Tcp }
    }
}

impl ConnectionPlan {
    /// What it goes over.
    pub fn protocol(&self) -> Protocol {
        Protocol::of(&self.transport)
    }

    /// Payload bytes of a packet.
    pub fn payload_bytes(&self) -> u64 {
        self.sizes().0.bytes()
    }

    /// Bytes of a data packet on the wire.
    pub fn wire_bytes(&self) -> u32 {
        let (packet, header) = self.sizes();
        (packet.bytes() + header.bytes()) as u32
    }

    /// Whether its packets may be marked.
    pub fn takes_marks(&self) -> bool {
        let values = &self.transport.values;
        match self.protocol() {
            Protocol::Tcp => Details::from(values).ecn,
            Protocol::Quic => quic::details::Details::from(values).ecn,
        }
    }

    /// The most payload bytes that the receiver ever allows in flight.
    pub fn widest_window_bytes(&self) -> u64 {
        let values = &self.transport.values;
        let packets = match self.protocol() {
            Protocol::Tcp => {
                let recovery = self.control.companions().recovery;
                tcp::options::Options::new(values, recovery).sender.widest_window
            }
            Protocol::Quic => quic::options::Options::new(values).recovery.window,
        };
        packets * self.payload_bytes()
    }

    /// The key that says how wide that window is.
    pub fn window_key(&self) -> &'static str {
        let autotuned = self.protocol() == Protocol::Tcp
            && Details::from(&self.transport.values).receive_window == ReceiveWindow::Autotuned;
        if autotuned { "max_receive_window" } else { "window" }
    }

    /// Returns how the receiving application reads, for an endpoint.
    pub fn reader_options(&self) -> Option<ReaderOptions> {
        self.reader.as_ref().map(Pace::reader_options)
    }

    /// Returns whether its host keeps its packets from waiting in the host's own interface (Linux's TSQ).
    pub fn has_small_queues(&self) -> bool {
        let details = || Details::from(&self.transport.values);
        self.protocol() == Protocol::Tcp && details().small_queues && details().send_jitter == Span::ZERO
    }

    /// The sizes of a packet and of its headers.
    fn sizes(&self) -> (Size, Size) {
        let values = &self.transport.values;
        match self.protocol() {
            Protocol::Tcp => {
                let Details { packet, header, .. } = values.into();
                (packet, header)
            }
            Protocol::Quic => {
                let quic::details::Details { packet, header, .. } = values.into();
                (packet, header)
            }
        }
    }
}

/// Reports what a transport lacks that the loss discriminator wants, and details that go ill together.
pub(super) fn check_transport(table: &TableReader<'_>, discriminator: Option<&str>, transport: &Choice) {
    match Protocol::of(transport) {
        Protocol::Tcp => {
            check_timestamps(table, discriminator, transport);
            check_local_drops(table, transport);
        }
        Protocol::Quic => super::sctp::check_discriminator(table, discriminator, "QUIC"),
    }
}

/// A discriminator that looks at timestamps would call every loss the same without them.
fn check_timestamps(table: &TableReader<'_>, discriminator: Option<&str>, transport: &Choice) {
    let Some(entry) = discriminator.and_then(ackclock_cc::registry::find_discriminator) else { return };
    if entry.needs_timestamps && !Details::from(&transport.values).timestamps {
        let given = if table.get("transport").is_some() { "transport" } else { "control" };
        let expected = format!(
            "`timestamps = true` in the transport: the discriminator {} looks at them",
            quoted(entry.descriptor.name)
        );
        table.problem_at(given, "a transport without timestamps", &expected);
    }
}

/// A packet that leaves later than it is sent meets its interface when the sender has long gone on.
fn check_local_drops(table: &TableReader<'_>, transport: &Choice) {
    let Details { local_drop, send_jitter, .. } = (&transport.values).into();
    if local_drop == LocalDrop::Cwr && send_jitter > Span::ZERO {
        let expected =
            "`send_jitter = \"0 s\"` in the transport: only what leaves at once can be refused to the sender";
        table.problem_at("transport", "`local_drop = \"cwr\"` with a `send_jitter`", expected);
    }
}
