//! Defines the records of events as Python reads them. Times are in seconds, rates in bits per second,
//! amounts of data in packets; a value that was not measured is None.

use ackclock_aqm as aqm;
use ackclock_base::{Span, Time};
use ackclock_cc::control as cc;
use pyo3::prelude::*;

/// Defines the class of each record, with a getter and its documentation for each field.
macro_rules! records {
    ($($(#[$about:meta])* $name:ident($held:ty) {
        $($(#[$said:meta])* $field:ident: $type:ty = $read:expr;)*
    })*) => {
        $(
            $(#[$about])*
            #[pyclass(frozen)]
            pub struct $name(pub $held);

            #[pymethods]
            impl $name {
                $(
                    $(#[$said])*
                    #[getter]
                    fn $field(&self) -> $type {
                        let read: fn(&$held) -> $type = $read;
                        read(&self.0)
                    }
                )*

                fn __repr__(&self) -> String {
                    format!("{:?}", self.0)
                }
            }
        )*

        /// Adds the classes of the records to the module.
        pub fn add_classes(module: &Bound<'_, PyModule>) -> PyResult<()> {
            $(module.add_class::<$name>()?;)*
            module.add_class::<Capacity>()
        }
    };
}

fn seconds(span: Option<Span>) -> Option<f64> {
    span.filter(|span| *span != Span::MAX).map(Span::seconds)
}

records! {
    /// The start of a connection, as its host is configured.
    Initial(cc::Initial) {
        /// The initial window.
        window: f64 = |initial| initial.window;
        /// The initial slow start threshold; infinite if the profile sets none.
        ssthresh: f64 = |initial| initial.ssthresh;
        /// The greatest window that the receiver or the host ever allows.
        limit: f64 = |initial| initial.limit;
        /// The payload bytes of a packet, for controls that compute rates.
        packet_bytes: u32 = |initial| initial.packet_bytes;
        /// Whether losses are found by selective acknowledgements, so that each one is known.
        selective_acks: bool = |initial| initial.selective_acks;
        /// Whether the transport spreads the packets over the round trip for a control that sets no pacing
        /// rate.
        paced: bool = |initial| initial.paced;
        /// The smallest window after a loss or a mark.
        min_window: f64 = |initial| initial.min_window;
        /// The window after a timeout or persistent congestion. No window is ever smaller.
        loss_window: f64 = |initial| initial.loss_window;
    }

    /// A change of a connection: it begins, opens or ends.
    Change(cc::Change) {
        /// "begins", "opens" or "ends".
        kind: &'static str = |change| match change {
            cc::Change::Begins => "begins",
            cc::Change::Opens { .. } => "opens",
            cc::Change::Ends => "ends",
        };
        /// If the connection opens, the round trip of the handshake; None if it was not measured.
        rtt: Option<f64> = |change| match change {
            cc::Change::Opens { rtt } => seconds(*rtt),
            _ => None,
        };
    }

    /// A packet that was sent.
    Sent(cc::Sent) {
        /// The time at which it leaves.
        now: f64 = |sent| sent.now.seconds();
        /// The number of packets in flight, this one included.
        inflight: f64 = |sent| sent.inflight;
        /// Whether no packet was in flight before it.
        after_idle: bool = |sent| sent.after_idle;
        /// Whether the application limits the host: the host had nothing to send though its window had room, and no
        /// more has been delivered since than was in flight at that time. The first packet after a pause of the
        /// application counts.
        app_limited: bool = |sent| sent.app_limited;
    }

    /// An acknowledgement.
    Ack(cc::Ack) {
        /// The time at which it arrived.
        now: f64 = |ack| ack.now.seconds();
        /// Whether it advances the cumulative acknowledgement; false for a duplicate.
        fresh: bool = |ack| ack.fresh;
        /// The number of the first packet not yet acknowledged cumulatively.
        acked_to: u64 = |ack| ack.acked_to;
        /// The number of the next packet to be sent for the first time.
        sent_to: u64 = |ack| ack.sent_to;
        /// The number of packets that it newly acknowledges, cumulatively or selectively.
        newly_acked: f64 = |ack| ack.newly_acked;
        /// The number of packets that are considered lost because of it.
        newly_lost: f64 = |ack| ack.newly_lost;
        /// The number of packets that arrived marked since the acknowledgement before. Zero for a control
        /// that does not count them.
        marks: u32 = |ack| ack.marks;
        /// The growth that the acknowledgement allows, in packets: 1, or the packets acknowledged if the
        /// profile counts those (appropriate byte counting, RFC 3465).
        abc_increment: f64 = |ack| ack.abc_increment;
        /// The round trip of the newest packet that it acknowledges; None if that is ambiguous or nothing new
        /// is acknowledged.
        rtt: Option<f64> = |ack| seconds(ack.rtt);
        /// The one-way delay of the packet that caused it, up to a constant (relative one-way trip time);
        /// None unless both ends put timestamps on packets.
        one_way_delay: Option<f64> = |ack| seconds(ack.one_way_delay);
        /// The smoothed round trip (RFC 6298 section 2), zero before the first sample.
        smoothed_rtt: f64 = |ack| ack.smoothed_rtt.seconds();
        /// The minimum round trip so far; None before the first sample.
        min_rtt: Option<f64> = |ack| seconds(Some(ack.min_rtt));
        /// Packets in flight just before it arrived.
        inflight_before: f64 = |ack| ack.inflight_before;
        /// Packets in flight after it has been processed.
        inflight: f64 = |ack| ack.inflight;
        /// Packets delivered since the connection began.
        delivered: f64 = |ack| ack.delivered;
        /// Packets considered lost since the connection began.
        lost: f64 = |ack| ack.lost;
        /// Whether a round trip ends: the newest packet acknowledged was sent after the last round had ended.
        round_start: bool = |ack| ack.round_start;
        /// Whether the congestion window, and not the application or the receiver, limits the host. Profiles
        /// without congestion window validation always set it.
        cwnd_limited: bool = |ack| ack.cwnd_limited;
        /// Whether the application has limited the host, and packets sent then are still in flight. A
        /// receiver's window that limits the host counts as part of the path (draft-ietf-ccwg-bbr section
        /// 4.1.1.3).
        app_limited: bool = |ack| ack.app_limited;
        /// Whether the host is in a recovery, or in the round trip after a mark: the window does not grow.
        in_recovery: bool = |ack| ack.phase != cc::Phase::Open;
        /// The delivery rate over the flight of the newest packet acknowledged; None if nothing new is
        /// acknowledged.
        rate: Option<RateSample> = |ack| ack.rate.map(RateSample);
    }

    /// A sample of the delivery rate.
    RateSample(cc::RateSample) {
        /// Packets delivered between the sending of the newest packet acknowledged and this acknowledgement.
        delivered: f64 = |rate| rate.delivered;
        /// The time in which they were delivered: the longer of the sending and the acknowledging interval.
        interval: f64 = |rate| rate.interval.seconds();
        /// ``Ack.delivered`` when that packet was sent.
        prior_delivered: f64 = |rate| rate.prior_delivered;
        /// Packets considered lost between its sending and now.
        lost: f64 = |rate| rate.lost;
        /// Packets in flight when it was sent, itself included.
        tx_in_flight: f64 = |rate| rate.tx_in_flight;
        /// Whether the application limited the host when it was sent, as in ``Sent.app_limited``.
        app_limited: bool = |rate| rate.app_limited;
    }

    /// A packet that is considered lost.
    Lost(cc::Lost) {
        /// The time at which the loss was found.
        now: f64 = |lost| lost.now.seconds();
        /// The packet's number in the order of first transmission. Consecutive numbers are one run of losses.
        number: u64 = |lost| lost.number;
        /// The time of its last transmission.
        sent: f64 = |lost| lost.sent.seconds();
        /// Its size as a multiple of the packet size.
        size: f64 = |lost| lost.size;
        /// Packets in flight when it was sent, itself included.
        tx_in_flight: f64 = |lost| lost.tx_in_flight;
        /// Packets considered lost between its sending and now, itself included.
        lost: f64 = |lost| lost.lost;
        /// Packets delivered before it was sent.
        prior_delivered: f64 = |lost| lost.prior_delivered;
        /// Packets delivered since the connection began, including those of the acknowledgement that revealed
        /// the loss.
        delivered: f64 = |lost| lost.delivered;
        /// Whether the application limited the host when it was sent, as in ``Sent.app_limited``.
        app_limited: bool = |lost| lost.app_limited;
    }

    /// A loss that begins a recovery.
    Loss(cc::Loss) {
        /// The time at which it was found.
        now: f64 = |loss| loss.now.seconds();
        /// The sign by which it was found: "duplicate_acks", "early_timer", "ecn" or "local_drop".
        signal: &'static str = |loss| match loss.signal {
            cc::LossSignal::DuplicateAcks => "duplicate_acks",
            cc::LossSignal::EarlyTimer => "early_timer",
            cc::LossSignal::Ecn => "ecn",
            cc::LossSignal::LocalDrop => "local_drop",
        };
        /// The window that a reduction starts from, in packets: the packets in flight (RFC 5681 equation 4)
        /// or the window in force (ns-2, Linux), depending on the profile.
        window: f64 = |loss| loss.window;
        /// Packets in flight.
        inflight: f64 = |loss| loss.inflight;
        /// The number of the first lost packet.
        lost: u64 = |loss| loss.lost;
        /// One past the last packet sent so far. The packets from ``lost`` up to here are the window in which
        /// the loss was found.
        sent_to: u64 = |loss| loss.sent_to;
        /// The time at which the lost packet was last sent.
        sent: f64 = |loss| loss.sent.seconds();
        /// The number of times it has been sent.
        transmissions: u32 = |loss| loss.transmissions;
        /// The number of duplicate acknowledgements so far.
        duplicates: u32 = |loss| loss.duplicates;
    }

    /// An expiry of the retransmission timer.
    Timeout(cc::Timeout) {
        /// The time of the expiry.
        now: f64 = |timeout| timeout.now.seconds();
        /// The window that a reduction starts from, as in ``Loss.window``.
        window: f64 = |timeout| timeout.window;
        /// Packets in flight before the expiry, as the host counted them.
        inflight: f64 = |timeout| timeout.inflight;
        /// Packets still counted in flight after the expiry.
        left_in_flight: f64 = |timeout| timeout.left_in_flight;
        /// One past the last packet sent so far.
        sent_to: u64 = |timeout| timeout.sent_to;
        /// The number of expiries in a row without progress, this one included.
        in_a_row: u32 = |timeout| timeout.in_a_row;
        /// Whether the slow start threshold stays as it is, since the packet has timed out before (RFC 5681
        /// section 3.1; ns-2 halves again).
        keeps_threshold: bool = |timeout| timeout.keeps_threshold;
    }

    /// The end of a recovery.
    Recovered(cc::Recovered) {
        /// The time at which it ended.
        now: f64 = |recovered| recovered.now.seconds();
        /// Whether nothing was lost, so that the control should undo its reaction to the loss or timeout.
        undone: bool = |recovered| recovered.ending == cc::Ending::Undone;
        /// If all losses are repaired, the duplicate acknowledgements since the loss, including those that
        /// revealed it; otherwise None.
        duplicates: Option<u32> = |recovered| match recovered.ending {
            cc::Ending::Repaired { duplicates } => Some(duplicates),
            cc::Ending::Undone => None,
        };
    }

    /// A packet that arrives at a queue.
    Arrival(aqm::Arrival) {
        /// The time at which it arrives.
        now: f64 = |arrival| arrival.now.seconds();
        /// Its size on the wire, in bytes.
        bytes: u32 = |arrival| arrival.bytes;
        /// A number that identifies its flow and its direction.
        flow: u32 = |arrival| arrival.flow;
        /// Its ECN field: "not_capable", "classic", "low_latency" or "experienced".
        ecn: &'static str = |arrival| match arrival.ecn {
            aqm::Ecn::NotCapable => "not_capable",
            aqm::Ecn::Classic => "classic",
            aqm::Ecn::LowLatency => "low_latency",
            aqm::Ecn::Experienced => "experienced",
        };
        /// Whether it may be marked.
        ecn_capable: bool = |arrival| arrival.ecn.is_capable();
    }

    /// The packets that wait in the queue when a packet arrives.
    Backlog(aqm::Backlog) {
        /// The number of waiting packets.
        packets: u64 = |backlog| backlog.packets;
        /// The waiting bytes.
        bytes: u64 = |backlog| backlog.bytes;
        /// How long a packet that joined now would wait at the present rate of the link: the rest of the
        /// packet being sent, and the waiting bytes over the rate. If the rate never changes, the packet
        /// waits exactly this long.
        wait: f64 = |backlog| backlog.wait.seconds();
        /// Whether a packet is being sent.
        sending: bool = |backlog| backlog.sending;
        /// Since when the link has been idle; None while it sends.
        idle_since: Option<f64> = |backlog| backlog.idle_since.map(Time::seconds);
    }

    /// The properties of a link that a discipline may need.
    LinkRate(aqm::LinkRate) {
        /// The link's rate in bits per second; if it changes, the rate that the link's operator configures.
        rate: u64 = |link| link.rate.bits_per_second();
        /// The mean packet size on the wire, in bytes.
        mean_packet_bytes: u32 = |link| link.mean_packet_bytes;
    }
}

/// The capacity of a queue.
#[pyclass(frozen)]
pub struct Capacity(pub aqm::Capacity);

#[pymethods]
impl Capacity {
    /// The greatest number of waiting packets; None unless the queue counts packets.
    #[getter]
    fn packets(&self) -> Option<u64> {
        match self.0 {
            aqm::Capacity::Packets(packets) => Some(packets),
            _ => None,
        }
    }

    /// The greatest number of waiting bytes; None unless the queue counts bytes.
    #[getter]
    fn bytes(&self) -> Option<u64> {
        match self.0 {
            aqm::Capacity::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Returns whether the queue has room for an arriving packet.
    fn admits(&self, arrival: &Arrival, backlog: &Backlog) -> bool {
        self.0.admits(arrival.0.bytes, &backlog.0)
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }
}
