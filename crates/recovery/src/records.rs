//! The records that a control gets from the ledger's samples: amounts in packets instead of the transport's unit. Senders here and
//! adapters to other stacks make them with the same code.

use crate::ledger::{Sample, Sent};
use crate::units::Units;
use ackclock_base::Time;
use ackclock_cc::{Lost, RateSample};

/// Returns the record by which a control hears at `now` that packet `number` is lost, with amounts in packets.
/// `sent` and `sample` are those that [`Ledger::drain_given_up`](crate::ledger::Ledger::drain_given_up) passes.
#[inline]
pub fn lost(units: Units, now: Time, number: u64, sent: &Sent, sample: &Sample) -> Lost {
    Lost {
        now,
        number,
        sent: sent.at,
        size: units.to_packets(u64::from(sent.size)),
        tx_in_flight: units.to_packets(sample.tx_in_flight),
        lost: units.to_packets(sample.lost),
        prior_delivered: units.to_packets(sample.prior_delivered),
        delivered: units.to_packets(sample.prior_delivered + sample.delivered),
        app_limited: sample.app_limited,
    }
}

/// Returns the record by which a control hears of a sample of the delivery rate, with amounts in packets.
#[inline]
pub fn rate_sample(units: Units, sample: &Sample) -> RateSample {
    RateSample {
        delivered: units.to_packets(sample.delivered),
        interval: sample.interval,
        prior_delivered: units.to_packets(sample.prior_delivered),
        lost: units.to_packets(sample.lost),
        tx_in_flight: units.to_packets(sample.tx_in_flight),
        app_limited: sample.app_limited,
    }
}
