//! The records of events as Python reads them. Times are seconds, rates bits per second, amounts of data packets; what was
//! not measured is None.

use ackclock_aqm as aqm;
use ackclock_base::{Span, Time};
use ackclock_cc::control as cc;
use pyo3::prelude::*;

/// Of one record the class, and of each field how it is read.
macro_rules! records {
    ($($(#[$about:meta])* $name:ident($held:ty) { $($field:ident: $type:ty = $read:expr;)* })*) => {
        $(
            $(#[$about])*
            #[pyclass(frozen)]
            pub struct $name(pub $held);

            #[pymethods]
            impl $name {
                $(
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
        window: f64 = |initial| initial.window;
        ssthresh: f64 = |initial| initial.ssthresh;
        limit: f64 = |initial| initial.limit;
        packet_bytes: u32 = |initial| initial.packet_bytes;
        selective_acks: bool = |initial| initial.selective_acks;
    }

    /// The connection begins, opens or ends, or its packets change their size.
    Change(cc::Change) {
        kind: &'static str = |change| match change {
            cc::Change::Begins => "begins",
            cc::Change::Opens { .. } => "opens",
            cc::Change::Ends => "ends",
            cc::Change::PacketBytes(_) => "packet_bytes",
        };
        rtt: Option<f64> = |change| match change {
            cc::Change::Opens { rtt } => seconds(*rtt),
            _ => None,
        };
        packet_bytes: Option<u32> = |change| match change {
            cc::Change::PacketBytes(bytes) => Some(*bytes),
            _ => None,
        };
    }

    /// A packet was sent.
    Sent(cc::Sent) {
        now: f64 = |sent| sent.now.seconds();
        inflight: f64 = |sent| sent.inflight;
        after_idle: bool = |sent| sent.after_idle;
        app_limited: bool = |sent| sent.app_limited;
    }

    /// An acknowledgement.
    Ack(cc::Ack) {
        now: f64 = |ack| ack.now.seconds();
        fresh: bool = |ack| ack.fresh;
        acked_to: u64 = |ack| ack.acked_to;
        sent_to: u64 = |ack| ack.sent_to;
        newly_acked: f64 = |ack| ack.newly_acked;
        newly_lost: f64 = |ack| ack.newly_lost;
        marks: u32 = |ack| ack.marks;
        credit: f64 = |ack| ack.credit;
        rtt: Option<f64> = |ack| seconds(ack.rtt);
        one_way_delay: Option<f64> = |ack| seconds(ack.one_way_delay);
        smoothed_rtt: f64 = |ack| ack.smoothed_rtt.seconds();
        min_rtt: Option<f64> = |ack| seconds(Some(ack.min_rtt));
        inflight_before: f64 = |ack| ack.inflight_before;
        inflight: f64 = |ack| ack.inflight;
        delivered: f64 = |ack| ack.delivered;
        lost: f64 = |ack| ack.lost;
        round_start: bool = |ack| ack.round_start;
        cwnd_limited: bool = |ack| ack.cwnd_limited;
        app_limited: bool = |ack| ack.app_limited;
        in_recovery: bool = |ack| ack.phase == cc::Phase::Recovery;
        rate: Option<RateSample> = |ack| ack.rate.map(RateSample);
    }

    /// How fast the network delivered.
    RateSample(cc::RateSample) {
        delivered: f64 = |rate| rate.delivered;
        interval: f64 = |rate| rate.interval.seconds();
        prior_delivered: f64 = |rate| rate.prior_delivered;
        lost: f64 = |rate| rate.lost;
        tx_in_flight: f64 = |rate| rate.tx_in_flight;
        app_limited: bool = |rate| rate.app_limited;
    }

    /// A packet that is given up for lost.
    Lost(cc::Lost) {
        now: f64 = |lost| lost.now.seconds();
        number: u64 = |lost| lost.number;
        sent: f64 = |lost| lost.sent.seconds();
        size: f64 = |lost| lost.size;
        tx_in_flight: f64 = |lost| lost.tx_in_flight;
        lost: f64 = |lost| lost.lost;
        prior_delivered: f64 = |lost| lost.prior_delivered;
        delivered: f64 = |lost| lost.delivered;
        app_limited: bool = |lost| lost.app_limited;
    }

    /// A loss that starts a recovery.
    Loss(cc::Loss) {
        now: f64 = |loss| loss.now.seconds();
        signal: &'static str = |loss| match loss.signal {
            cc::LossSignal::DuplicateAcks => "duplicate_acks",
            cc::LossSignal::EarlyTimer => "early_timer",
            cc::LossSignal::Ecn => "ecn",
            cc::LossSignal::LocalDrop => "local_drop",
        };
        window: f64 = |loss| loss.window;
        inflight: f64 = |loss| loss.inflight;
        lost: u64 = |loss| loss.lost;
        sent_to: u64 = |loss| loss.sent_to;
        sent: f64 = |loss| loss.sent.seconds();
        transmissions: u32 = |loss| loss.transmissions;
        duplicates: u32 = |loss| loss.duplicates;
    }

    /// An expiry of the retransmission timer.
    Timeout(cc::Timeout) {
        now: f64 = |timeout| timeout.now.seconds();
        window: f64 = |timeout| timeout.window;
        inflight: f64 = |timeout| timeout.inflight;
        sent_to: u64 = |timeout| timeout.sent_to;
        in_a_row: u32 = |timeout| timeout.in_a_row;
        keeps_threshold: bool = |timeout| timeout.keeps_threshold;
    }

    /// The end of a recovery.
    Recovered(cc::Recovered) {
        now: f64 = |recovered| recovered.now.seconds();
        undone: bool = |recovered| recovered.ending == cc::Ending::Undone;
        duplicates: Option<u32> = |recovered| match recovered.ending {
            cc::Ending::Repaired { duplicates } => Some(duplicates),
            cc::Ending::Undone => None,
        };
    }

    /// A packet at the entrance of a queue.
    Arrival(aqm::Arrival) {
        now: f64 = |arrival| arrival.now.seconds();
        bytes: u32 = |arrival| arrival.bytes;
        flow: u32 = |arrival| arrival.flow;
        ecn: &'static str = |arrival| match arrival.ecn {
            aqm::Ecn::NotCapable => "not_capable",
            aqm::Ecn::Classic => "classic",
            aqm::Ecn::LowLatency => "low_latency",
            aqm::Ecn::Experienced => "experienced",
        };
        ecn_capable: bool = |arrival| arrival.ecn.is_capable();
    }

    /// What waits in the queue when a packet arrives.
    Backlog(aqm::Backlog) {
        packets: u64 = |backlog| backlog.packets;
        bytes: u64 = |backlog| backlog.bytes;
        wait: f64 = |backlog| backlog.wait.seconds();
        sending: bool = |backlog| backlog.sending;
        idle_since: Option<f64> = |backlog| backlog.idle_since.map(Time::seconds);
    }

    /// What a discipline may need to know of its link.
    LinkRate(aqm::LinkRate) {
        rate: u64 = |link| link.rate.bits_per_second();
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
