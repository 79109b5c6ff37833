//! What can be read of a sender's state: that of loss recovery by Linux's names, the window in force, what is in the
//! ledger, and the estimates of the timer. Nothing here changes anything.

use super::Sender;
use crate::ledger::Ledger;
use crate::rtt::RttEstimator;
use ackclock_base::Packets;

/// The state of loss recovery, by Linux's names (include/uapi/linux/tcp.h, `tcp_ca_state`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoveryState {
    /// No packet is in doubt.
    Open,
    /// Selective or duplicate acknowledgements put packets in doubt, and the window has not been reduced.
    Disorder,
    /// The window is being reduced because of a mark or of a packet that the host's own interface refused.
    Cwr,
    /// A loss is being repaired by fast retransmission.
    Recovery,
    /// The losses that a timeout showed are being repaired.
    Loss,
}

impl RecoveryState {
    /// Returns Linux's name of the state, without its prefix.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "Open",
            Self::Disorder => "Disorder",
            Self::Cwr => "CWR",
            Self::Recovery => "Recovery",
            Self::Loss => "Loss",
        }
    }
}

impl Sender {
    /// Returns the state of loss recovery.
    pub fn state(&self) -> RecoveryState {
        let ledger = &self.ledger;
        let counts_duplicates = !self.rule.wants_ranges(ledger);
        let repeats = counts_duplicates && !ledger.is_empty() && self.repeated == Some(ledger.una());
        if ledger.una() < self.repaired_at {
            RecoveryState::Loss
        } else if self.rule.in_recovery() {
            RecoveryState::Recovery
        } else if self.event.is_cwr() {
            RecoveryState::Cwr
        } else if ledger.has_sacked() || ledger.marked_lost() > 0 || repeats {
            RecoveryState::Disorder
        } else {
            RecoveryState::Open
        }
    }

    /// Returns the window in force, in packets (Linux's snd_cwnd). While the flight is reduced in proportion to
    /// what is delivered, this is the flight that the last acknowledgement allows; otherwise it is the window of
    /// the control.
    pub fn window(&self) -> Packets {
        match self.rule.reduction() {
            Some(reduction) => self.options.units.to_packets(reduction.window()),
            None => self.controller.decision().cwnd,
        }
    }

    /// Returns the ledger of what was sent and is not yet acknowledged cumulatively.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Returns the estimates of the round trip.
    pub fn rtt(&self) -> &RttEstimator {
        &self.rtt
    }

    /// Returns how often the retransmission timer has expired since the last round trip sample.
    pub fn expiries(&self) -> u32 {
        self.expiries
    }

    /// Returns the number of packets delivered since the connection began.
    pub fn delivered(&self) -> Packets {
        self.options.units.to_packets(self.ledger.delivery().delivered())
    }

    /// Returns the number of packets that the sender takes to have arrived marked since the connection began
    /// (Linux's delivered_ce): as counted under RFC 9768, or all packets that an acknowledgement with an echo of RFC
    /// 3168 delivers.
    pub fn delivered_marked(&self) -> Packets {
        self.ecn.accurate_marks() as Packets + self.options.units.to_packets(self.echoed)
    }
}
