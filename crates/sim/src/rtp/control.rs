//! The interface of the rate controls of real-time media. They set rates from reports of arrivals, and some bound what is in flight.

use super::{nada, scream};
use ackclock_base::{Descriptor, Kind, Parameter, Span, Time, Values};

/// A rate control of real-time media. All rates are those of the payload, in bits per second.
pub trait RateControl: Send {
    /// Called for each report of the receiver.
    fn on_feedback(&mut self, feedback: &Feedback<'_>);

    /// Called for each frame, before its packets join those that wait in the sender: its size, and for how long the oldest packet has
    /// waited there.
    fn on_frame(&mut self, _bytes: u32, _waited: Span) {}

    /// Called when a packet leaves. `in_flight` are the bytes that have left and that no report covers, with those of this packet.
    fn on_sent(&mut self, _in_flight: u64) {}

    /// Returns the bytes in flight from which on packets wait in the sender; infinite for a control without a window.
    fn window(&self) -> f64 {
        f64::INFINITY
    }

    /// Returns the rate that the control holds right for the path.
    fn target_bps(&self) -> f64;

    /// Returns the rate at which the encoder is to make frames while `buffered_bytes` of them wait in the sender.
    fn encoder_bps(&self, _buffered_bytes: u64) -> f64 {
        self.target_bps()
    }

    /// Returns the rate at which packets leave while `buffered_bytes` wait in the sender.
    fn sending_bps(&self, _buffered_bytes: u64) -> f64 {
        self.target_bps()
    }

    /// Publishes internal values for figures, each with its name.
    fn publish(&self, _series: &mut dyn FnMut(&'static str, f64)) {}
}

/// A report of the receiver, joined with what the sender knows of the packets.
#[derive(Clone, Copy, Debug)]
pub struct Feedback<'a> {
    /// The time at which the sender reads the report.
    pub now: Time,
    /// The round trip, without the time for which the receiver held the report back.
    pub rtt: Span,
    /// The packets that the report covers, in the order of their numbers. No packet is in two reports.
    pub packets: &'a [PacketReport],
}

/// The fate of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketReport {
    /// The payload in bytes.
    pub bytes: u32,
    /// The time at which it was sent.
    pub sent: Time,
    /// The time at which it arrived; `None` if it had not when a later packet was reported.
    pub arrived: Option<Time>,
    /// Whether it arrived with a mark of congestion (CE).
    pub marked: bool,
}

/// The properties of a call on which its rate control depends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Call {
    /// The lowest rate of the encoder, in bits per second.
    pub min_bps: f64,
    /// The highest rate of the encoder, in bits per second.
    pub max_bps: f64,
    /// The frames per second.
    pub frames_per_second: f64,
    /// The time between two reports.
    pub feedback: Span,
}

/// A registered rate control.
#[derive(Debug)]
pub struct Entry {
    /// The name, the summary and the parameters.
    pub descriptor: &'static Descriptor,
    /// Builds the control of a call from its parameters.
    pub build: fn(&Values, Call) -> Box<dyn RateControl>,
}

/// The rate controls, in the order of lists. The names begin with that of the transport, over which alone they run.
pub const RATE_CONTROLS: &[Entry] = &[nada::ENTRY, scream::ENTRY];

/// Returns the rate control called `name`; `None` if there is none.
pub fn find(name: &str) -> Option<&'static Entry> {
    RATE_CONTROLS.iter().find(|entry| entry.descriptor.name == name)
}

pub(super) const fn rate_control(
    name: &'static str,
    summary: &'static str,
    source: &'static str,
    parameters: &'static [Parameter],
) -> Descriptor {
    Descriptor { kind: Kind::Control, name, summary, source, parameters, presets: &[] }
}
