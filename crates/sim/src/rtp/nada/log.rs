//! What NADA measures of the packets of its window: delays, losses, marks and the rate of arrivals (RFC 8698 section 5.1).

use crate::rtp::control::PacketReport;
use crate::rtp::loss_intervals::LossIntervals;
use ackclock_base::Span;
use ackclock_cc::laws::ledbat::delays::BaseDelay;
use std::collections::VecDeque;

/// The number of the newest packets of which the least delay counts (RFC 8698 section 5.1.1).
const FILTERED: usize = 15;

/// The packets of the window, and the means over earlier ones.
#[derive(Clone, Debug)]
pub(super) struct Log {
    window: Span,
    alpha: f64,
    packets: VecDeque<PacketReport>,
    /// The least one-way delay of the last minutes, which stands for the delay without queues.
    base: BaseDelay,
    /// The smoothed loss and marking ratios.
    loss: f64,
    marking: f64,
    losses: LossIntervals,
}

impl Log {
    /// Creates an empty log with this window. The newest ratio has the weight `alpha` in the smoothed ratios, and the base delay is
    /// the least of `base_history` minutes.
    pub(super) fn new(window: Span, alpha: f64, base_history: usize) -> Self {
        Self {
            window,
            alpha,
            packets: VecDeque::new(),
            base: BaseDelay::new(base_history),
            loss: 0.0,
            marking: 0.0,
            losses: LossIntervals::default(),
        }
    }

    /// Adds the packets of a report, and removes those that arrived before the window.
    pub(super) fn take(&mut self, packets: &[PacketReport], rtt: Span) {
        for packet in packets {
            self.losses.take(packet.sent, packet.arrived.is_none(), rtt);
            if let Some(arrived) = packet.arrived {
                self.base.sample(arrived, arrived.since(packet.sent));
            }
            self.packets.push_back(*packet);
        }
        if let Some(newest) = self.packets.iter().rev().find_map(|packet| packet.arrived) {
            while self.packets.front().is_some_and(|packet| {
                packet.arrived.is_none_or(|arrived| newest.since(arrived) >= self.window)
            }) {
                self.packets.pop_front();
            }
        }
        let marked = self.packets.iter().filter(|packet| packet.marked).count();
        let ratio = |count: usize| count as f64 / self.packets.len().max(1) as f64;
        let (lost, marked) = (ratio(self.lost()), ratio(marked));
        self.loss += self.alpha * (lost - self.loss);
        self.marking += self.alpha * (marked - self.marking);
    }

    fn lost(&self) -> usize {
        self.packets.iter().filter(|packet| packet.arrived.is_none()).count()
    }

    /// Returns the queueing delays, the newest first.
    fn queueing_delays(&self) -> impl Iterator<Item = Span> {
        let base = self.base.least().unwrap_or(Span::ZERO);
        self.packets.iter().rev().filter_map(delay).map(move |delay| delay.saturating_sub(base))
    }

    /// Returns the queueing delay, without spikes that others than queues cause; zero before the first arrival.
    pub(super) fn queueing(&self) -> Span {
        self.queueing_delays().take(FILTERED).min().unwrap_or(Span::ZERO)
    }

    /// Returns the longest queueing delay in the window.
    pub(super) fn longest_queueing(&self) -> Span {
        self.queueing_delays().max().unwrap_or(Span::ZERO)
    }

    /// Returns whether a packet of the window is lost.
    pub(super) fn has_loss(&self) -> bool {
        self.lost() > 0
    }

    /// Returns the smoothed loss ratio.
    pub(super) fn loss(&self) -> f64 {
        self.loss
    }

    /// Returns the smoothed marking ratio.
    pub(super) fn marking(&self) -> f64 {
        self.marking
    }

    /// Returns the intervals between losses.
    pub(super) fn losses(&self) -> &LossIntervals {
        &self.losses
    }

    /// Returns the rate at which payload arrived over the window, in bits per second.
    pub(super) fn arrival_bps(&self) -> f64 {
        let arrived = self.packets.iter().filter(|packet| packet.arrived.is_some());
        let bytes: u64 = arrived.map(|packet| u64::from(packet.bytes)).sum();
        8.0 * bytes as f64 / self.window.seconds()
    }
}

fn delay(packet: &PacketReport) -> Option<Span> {
    packet.arrived.map(|arrived| arrived.since(packet.sent))
}
