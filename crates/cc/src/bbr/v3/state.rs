//! The states of BBR and what each asks for (draft-ietf-ccwg-bbr section 5.6.1, the table of gains). The pseudo-code of
//! ProbeBW sets no gain; here they follow from the state.

use super::parameters::Parameters;

/// Where the connection is: filling the pipe, draining it, in one of the four phases of probing for bandwidth, or looking for
/// a shorter round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Doubles the rate each round until the pipe is full.
    Startup,
    /// Drains the queue that Startup made.
    Drain,
    /// ProbeBW_DOWN: sends less than is delivered, to leave room.
    Down,
    /// ProbeBW_CRUISE: sends what is delivered.
    Cruise,
    /// ProbeBW_REFILL: fills the pipe for a round, without a queue.
    Refill,
    /// ProbeBW_UP: sends more, to find out whether there is more.
    Up,
    /// Keeps so little in flight that no queue of its own is in the way of the round trip.
    ProbeRtt,
}

impl State {
    /// What the pacing rate is of the bandwidth.
    pub fn pacing_gain(self, parameters: &Parameters) -> f64 {
        match self {
            Self::Startup => parameters.startup_pacing_gain,
            Self::Drain => parameters.drain_pacing_gain,
            Self::Down => parameters.down_pacing_gain,
            Self::Cruise | Self::Refill | Self::ProbeRtt => parameters.cruise_pacing_gain,
            Self::Up => parameters.up_pacing_gain,
        }
    }

    /// What the window is of the bandwidth-delay product.
    pub fn cwnd_gain(self, parameters: &Parameters) -> f64 {
        match self {
            Self::Up => parameters.up_cwnd_gain,
            Self::ProbeRtt => parameters.probe_rtt_cwnd_gain,
            _ => parameters.cwnd_gain,
        }
    }

    /// Whether it is one of the phases of ProbeBW.
    pub const fn is_probe_bw(self) -> bool {
        matches!(self, Self::Down | Self::Cruise | Self::Refill | Self::Up)
    }

    /// Whether it looks for more bandwidth on purpose: losses then do not lower the short-term bounds (section 5.5.10.3).
    pub const fn probes_for_more(self) -> bool {
        matches!(self, Self::Startup | Self::Refill | Self::Up)
    }

    /// Its place in the list above, for figures.
    pub const fn index(self) -> u32 {
        self as u32
    }
}
