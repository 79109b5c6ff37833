//! The states of BBRv3 and their gains (draft-ietf-ccwg-bbr section 5.6.1, the table of gains). The
//! pseudo-code of ProbeBW sets no gain; here the gains follow from the state.

use super::parameters::Parameters;

/// The state of a connection: it fills the pipe, drains it, is in one of the four phases of probing for
/// bandwidth, or looks for a shorter round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Doubles the rate each round until the pipe is full.
    Startup,
    /// Drains the queue that Startup built.
    Drain,
    /// ProbeBW_DOWN: sends less than is delivered, to leave room.
    Down,
    /// ProbeBW_CRUISE: sends as fast as packets are delivered.
    Cruise,
    /// ProbeBW_REFILL: fills the pipe for a round, without a queue.
    Refill,
    /// ProbeBW_UP: sends faster, to find out whether there is more bandwidth.
    Up,
    /// Keeps so few packets in flight that the flow has no queue of its own while it measures the round trip.
    ProbeRtt,
}

impl State {
    /// Returns the pacing rate as a multiple of the bandwidth.
    pub fn pacing_gain(self, parameters: &Parameters) -> f64 {
        match self {
            Self::Startup => parameters.startup_pacing_gain,
            Self::Drain => parameters.drain_pacing_gain,
            Self::Down => parameters.down_pacing_gain,
            Self::Cruise | Self::Refill | Self::ProbeRtt => parameters.cruise_pacing_gain,
            Self::Up => parameters.up_pacing_gain,
        }
    }

    /// Returns the window as a multiple of the bandwidth-delay product.
    pub fn cwnd_gain(self, parameters: &Parameters) -> f64 {
        match self {
            Self::Up => parameters.up_cwnd_gain,
            Self::ProbeRtt => parameters.probe_rtt_cwnd_gain,
            _ => parameters.cwnd_gain,
        }
    }

    /// Returns whether this is one of the phases of ProbeBW.
    pub const fn is_probe_bw(self) -> bool {
        matches!(self, Self::Down | Self::Cruise | Self::Refill | Self::Up)
    }

    /// Returns whether the state looks for more bandwidth. If so, losses do not lower the short-term bounds
    /// (section 5.5.10.3).
    pub const fn probes_for_more(self) -> bool {
        matches!(self, Self::Startup | Self::Refill | Self::Up)
    }

    /// Returns the state's number, for figures: its position in the list above, from 0.
    pub const fn index(self) -> u32 {
        self as u32
    }
}
