//! The records of events as Python reads them. Times are seconds, rates bits per second, amounts of data packets; what was
//! not measured is None.

use ackclock_aqm as aqm;
use ackclock_base::{Span, Time};
use ackclock_cc::control as cc;
use pyo3::prelude::*;

/// Of one record the class, and of each field what it is and how it is read.
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

        /// Adds the records' classes.
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
    /// How a connection begins.
    Initial(cc::Initial) {
        /// The window before anything is known.
        window: f64 = |initial| initial.window;
        /// The slow start threshold before anything is lost; infinite where the profile sets none.
        ssthresh: f64 = |initial| initial.ssthresh;
        /// The most that the receiver or the host ever allows.
        limit: f64 = |initial| initial.limit;
        /// Payload bytes of a packet, for controls that think in rates.
        packet_bytes: u32 = |initial| initial.packet_bytes;
        /// Whether losses are found by selective acknowledgements, so that each is known.
        selective_acks: bool = |initial| initial.selective_acks;
        /// Whether the transport spreads the packets of a control without a rate of its own over the round trip.
        paced: bool = |initial| initial.paced;
        /// The least window that a loss or a mark leaves.
        min_window: f64 = |initial| initial.min_window;
        /// The window after a timeout or persistent congestion; no window is smaller.
        loss_window: f64 = |initial| initial.loss_window;
    }

    /// The connection begins, opens or ends, or its packets change their size.
    Change(cc::Change) {
        /// "begins", "opens", "ends" or "packet_bytes".
        kind: &'static str = |change| match change {
            cc::Change::Begins => "begins",
            cc::Change::Opens { .. } => "opens",
            cc::Change::Ends => "ends",
            cc::Change::PacketBytes(_) => "packet_bytes",
        };
        /// Where it opens, the round trip of the handshake, where there was one that tells.
        rtt: Option<f64> = |change| match change {
            cc::Change::Opens { rtt } => seconds(*rtt),
            _ => None,
        };
        /// Payload bytes of its packets from now on, where they change.
        packet_bytes: Option<u32> = |change| match change {
            cc::Change::PacketBytes(bytes) => Some(*bytes),
            _ => None,
        };
    }

    /// A packet was sent.
    Sent(cc::Sent) {
        /// When it leaves.
        now: f64 = |sent| sent.now.seconds();
        /// Packets in flight, this one included.
        inflight: f64 = |sent| sent.inflight;
        /// Whether nothing was in flight before.
        after_idle: bool = |sent| sent.after_idle;
        /// Whether the application has nothing more to send after it.
        app_limited: bool = |sent| sent.app_limited;
    }

    /// An acknowledgement.
    Ack(cc::Ack) {
        /// When it arrived.
        now: f64 = |ack| ack.now.seconds();
        /// Whether it moves the cumulative acknowledgement forward; false for a duplicate.
        fresh: bool = |ack| ack.fresh;
        /// The number of the first packet not yet acknowledged cumulatively.
        acked_to: u64 = |ack| ack.acked_to;
        /// The number of the next packet to be sent for the first time.
        sent_to: u64 = |ack| ack.sent_to;
        /// How many packets it newly acknowledges, cumulatively or selectively.
        newly_acked: f64 = |ack| ack.newly_acked;
        /// How many packets are given up for lost because of it.
        newly_lost: f64 = |ack| ack.newly_lost;
        /// How many more packets have arrived marked than the acknowledgement before told. Zero for a control that
        /// does not count them.
        marks: u32 = |ack| ack.marks;
        /// How many packets of growth it stands for: 1, or the packets acknowledged where the profile counts those
        /// (appropriate byte counting, RFC 3465).
        credit: f64 = |ack| ack.credit;
        /// The round trip of the newest packet that it acknowledges, where that is unambiguous.
        rtt: Option<f64> = |ack| seconds(ack.rtt);
        /// What the packet that caused it took on the way there, up to a constant (relative one-way trip time), where
        /// both ends put timestamps on packets.
        one_way_delay: Option<f64> = |ack| seconds(ack.one_way_delay);
        /// The smoothed round trip (RFC 6298 section 2), zero before the first sample.
        smoothed_rtt: f64 = |ack| ack.smoothed_rtt.seconds();
        /// The least round trip so far.
        min_rtt: Option<f64> = |ack| seconds(Some(ack.min_rtt));
        /// Packets in flight just before it arrived.
        inflight_before: f64 = |ack| ack.inflight_before;
        /// Packets in flight now that it has been taken in.
        inflight: f64 = |ack| ack.inflight;
        /// Packets delivered since the connection began.
        delivered: f64 = |ack| ack.delivered;
        /// Packets given up for lost since the connection began.
        lost: f64 = |ack| ack.lost;
        /// Whether a round trip ends: the packet acknowledged was sent after the last round had ended.
        round_start: bool = |ack| ack.round_start;
        /// Whether the congestion window, and not the application or the receiver, is what holds the host back.
        /// Profiles without congestion window validation always say so.
        cwnd_limited: bool = |ack| ack.cwnd_limited;
        /// Whether the application has held the host back, and what was sent then is still in flight. A receiver's
        /// window that does so counts as part of the path (draft-ietf-ccwg-bbr section 4.1.1.3).
        app_limited: bool = |ack| ack.app_limited;
        /// Whether the host is repairing a loss.
        in_recovery: bool = |ack| ack.phase == cc::Phase::Recovery;
        /// The delivery rate over the flight of the newest packet acknowledged; None where it acknowledges nothing new.
        rate: Option<RateSample> = |ack| ack.rate.map(RateSample);
    }

    /// How fast the network delivered.
    RateSample(cc::RateSample) {
        /// Packets delivered between the sending of the newest packet acknowledged and this acknowledgement.
        delivered: f64 = |rate| rate.delivered;
        /// Over what time: the longer of the interval of sending and that of acknowledging.
        interval: f64 = |rate| rate.interval.seconds();
        /// ``Ack.delivered`` when that packet was sent.
        prior_delivered: f64 = |rate| rate.prior_delivered;
        /// Packets given up for lost between its sending and now.
        lost: f64 = |rate| rate.lost;
        /// Packets in flight when it was sent, itself included.
        tx_in_flight: f64 = |rate| rate.tx_in_flight;
        /// Whether the application had run dry when it was sent.
        app_limited: bool = |rate| rate.app_limited;
    }

    /// A packet that is given up for lost.
    Lost(cc::Lost) {
        /// When it was given up.
        now: f64 = |lost| lost.now.seconds();
        /// Its number, in the order of first sending: what lies side by side is one run of losses.
        number: u64 = |lost| lost.number;
        /// When it was last sent.
        sent: f64 = |lost| lost.sent.seconds();
        /// Its size in packets.
        size: f64 = |lost| lost.size;
        /// Packets in flight when it was sent, itself included.
        tx_in_flight: f64 = |lost| lost.tx_in_flight;
        /// Packets given up for lost between its sending and now, itself included.
        lost: f64 = |lost| lost.lost;
        /// Packets delivered when it was sent.
        prior_delivered: f64 = |lost| lost.prior_delivered;
        /// Packets delivered since the connection began, those of the acknowledgement that revealed the loss included.
        delivered: f64 = |lost| lost.delivered;
        /// Whether the application had run dry when it was sent.
        app_limited: bool = |lost| lost.app_limited;
    }

    /// A loss that starts a recovery.
    Loss(cc::Loss) {
        /// When it was found.
        now: f64 = |loss| loss.now.seconds();
        /// How it showed: "duplicate_acks", "early_timer", "ecn" or "local_drop".
        signal: &'static str = |loss| match loss.signal {
            cc::LossSignal::DuplicateAcks => "duplicate_acks",
            cc::LossSignal::EarlyTimer => "early_timer",
            cc::LossSignal::Ecn => "ecn",
            cc::LossSignal::LocalDrop => "local_drop",
        };
        /// What a reduction starts from: the packets in flight (RFC 5681 equation 4) or the window in force (ns-2,
        /// Linux), as the profile says.
        window: f64 = |loss| loss.window;
        /// Packets in flight.
        inflight: f64 = |loss| loss.inflight;
        /// The number of the first lost packet.
        lost: u64 = |loss| loss.lost;
        /// One past the last packet sent so far: what lies between is the window in which the loss was found.
        sent_to: u64 = |loss| loss.sent_to;
        /// When that packet was last sent.
        sent: f64 = |loss| loss.sent.seconds();
        /// How often it has been sent.
        transmissions: u32 = |loss| loss.transmissions;
        /// Duplicate acknowledgements so far.
        duplicates: u32 = |loss| loss.duplicates;
    }

    /// An expiry of the retransmission timer.
    Timeout(cc::Timeout) {
        /// When it expired.
        now: f64 = |timeout| timeout.now.seconds();
        /// What a reduction starts from, as in ``Loss.window``.
        window: f64 = |timeout| timeout.window;
        /// Packets that were thought to be in flight.
        inflight: f64 = |timeout| timeout.inflight;
        /// Packets still thought to be in flight once the expiry has given up what it gives up.
        left_in_flight: f64 = |timeout| timeout.left_in_flight;
        /// One past the last packet sent so far.
        sent_to: u64 = |timeout| timeout.sent_to;
        /// Expiries in a row without progress, this one included.
        in_a_row: u32 = |timeout| timeout.in_a_row;
        /// Whether the slow start threshold stays as it is, since the packet has timed out before (RFC 5681 section
        /// 3.1; ns-2 halves again).
        keeps_threshold: bool = |timeout| timeout.keeps_threshold;
    }

    /// The end of a recovery.
    Recovered(cc::Recovered) {
        /// When it ended.
        now: f64 = |recovered| recovered.now.seconds();
        /// Whether nothing was lost: what the loss or the timeout did may be taken back.
        undone: bool = |recovered| recovered.ending == cc::Ending::Undone;
        /// Duplicate acknowledgements that came meanwhile, where all is repaired.
        duplicates: Option<u32> = |recovered| match recovered.ending {
            cc::Ending::Repaired { duplicates } => Some(duplicates),
            cc::Ending::Undone => None,
        };
    }

    /// A packet at the entrance of a queue.
    Arrival(aqm::Arrival) {
        /// When.
        now: f64 = |arrival| arrival.now.seconds();
        /// Its size on the wire, in bytes.
        bytes: u32 = |arrival| arrival.bytes;
        /// Which flow it belongs to, and which direction of it.
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

    /// What waits in the queue when a packet arrives.
    Backlog(aqm::Backlog) {
        /// Packets waiting.
        packets: u64 = |backlog| backlog.packets;
        /// Bytes waiting.
        bytes: u64 = |backlog| backlog.bytes;
        /// How long a packet that joined now would wait if the link's rate stayed as it is: the rest of the packet
        /// being sent, and the bytes that wait over the present rate. Where the rate never changes, that is how long
        /// it will wait.
        wait: f64 = |backlog| backlog.wait.seconds();
        /// Whether a packet is being sent.
        sending: bool = |backlog| backlog.sending;
        /// Since when the link has had nothing to send; None while it sends.
        idle_since: Option<f64> = |backlog| backlog.idle_since.map(Time::seconds);
    }

    /// What a discipline may need to know of its link.
    LinkRate(aqm::LinkRate) {
        /// The link's rate; where it changes, the one that its operator sets.
        rate: u64 = |link| link.rate.bits_per_second();
        /// The mean packet size on the wire, in bytes.
        mean_packet_bytes: u32 = |link| link.mean_packet_bytes;
    }
}

/// How much may wait.
#[pyclass(frozen)]
pub struct Capacity(pub aqm::Capacity);

#[pymethods]
impl Capacity {
    /// So many packets, where packets are what is counted.
    #[getter]
    fn packets(&self) -> Option<u64> {
        match self.0 {
            aqm::Capacity::Packets(packets) => Some(packets),
            _ => None,
        }
    }

    /// So many bytes, where bytes are what is counted.
    #[getter]
    fn bytes(&self) -> Option<u64> {
        match self.0 {
            aqm::Capacity::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Whether an arrival still fits.
    fn admits(&self, arrival: &Arrival, backlog: &Backlog) -> bool {
        self.0.admits(arrival.0.bytes, &backlog.0)
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }
}
