//! What a stack must offer to run over the simulated network: one end of one connection with one stream.

use ackclock_aqm::Ecn;
use ackclock_base::Span;
use bytes::{Bytes, BytesMut};
use std::time::Instant;

/// One end of a connection of some stack: a state machine without input or output.
pub trait Connection: Send {
    /// Begins the handshake, at the end that begins.
    fn connect(&mut self, now: Instant);

    /// Called when a datagram arrives.
    fn receive(&mut self, now: Instant, datagram: BytesMut, ecn: Ecn);

    /// Appends the next datagram that may leave now to `buffer`. Returns its ECN field, or `None` if nothing may leave now.
    fn transmit(&mut self, now: Instant, buffer: &mut Vec<u8>) -> Option<Ecn>;

    /// Returns when [`Self::expire`] is due, or `None` while nothing is.
    fn timeout(&mut self) -> Option<Instant>;

    /// Called when the time that [`Self::timeout`] named has come.
    fn expire(&mut self, now: Instant);

    /// Writes to the stream, which the end that begins opens as soon as the handshake is over. Returns how many bytes the stack took.
    fn write(&mut self, data: Bytes) -> usize;

    /// Sets the most bytes that are written and not acknowledged.
    fn set_buffer(&mut self, bytes: u64);

    /// Ends the stream: nothing more will be written. Returns whether there is a stream to end.
    fn finish(&mut self) -> bool;

    /// Takes what has arrived in order. Returns the number of bytes.
    fn read(&mut self) -> u64;

    /// Whether everything that was written is acknowledged, the end of the stream included.
    fn is_delivered(&self) -> bool;

    /// What the stack tells about itself.
    fn state(&mut self) -> State;

    /// Shows the inside of the congestion control, where it is one of ours.
    fn publish(&self, series: &mut dyn FnMut(&'static str, f64));
}

/// What a stack tells about itself. A number that it does not tell is `None`.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The congestion window in bytes.
    pub window_bytes: Option<u64>,
    /// The smoothed round trip; also `None` before the connection begins.
    pub rtt: Option<Span>,
    /// The bytes that were sent and are neither acknowledged nor lost.
    pub in_flight_bytes: Option<u64>,
    /// The least round trip.
    pub least_rtt: Option<Span>,
    /// The rate of pacing in bits per second.
    pub pacing_bps: Option<u64>,
    /// Packets sent that must be acknowledged.
    pub sent_packets: Option<u64>,
    /// Packets given up for lost.
    pub lost_packets: Option<u64>,
    /// Packets given up for lost whose acknowledgement came later.
    pub spurious_packets: Option<u64>,
    /// Expired probe timeouts.
    pub probe_timeouts: Option<u64>,
    /// Reductions of the window: losses and marks, once per window of data.
    pub congestion_events: Option<u64>,
    /// Why the stack has closed the connection, in its own words; `None` while it is open.
    pub closed: Option<String>,
}

impl Default for State {
    /// Returns the state before the connection begins.
    fn default() -> Self {
        Self {
            window_bytes: Some(0),
            rtt: None,
            in_flight_bytes: None,
            least_rtt: None,
            pacing_bps: None,
            sent_packets: Some(0),
            lost_packets: Some(0),
            spurious_packets: None,
            probe_timeouts: None,
            congestion_events: Some(0),
            closed: None,
        }
    }
}

/// A maker of connections whose senders have one congestion control each.
pub trait Connections: Send {
    /// Returns the two ends of a new connection; the first one begins. Equal seeds give equal connections, except under a control that draws its own random
    /// numbers.
    fn connect(&mut self, seed: u64) -> [Box<dyn Connection>; 2];
}
