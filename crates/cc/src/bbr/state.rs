//! The states of BBR and what each asks for (draft-ietf-ccwg-bbr section 5.6.1, the table of gains). The pseudo-code of
//! ProbeBW sets no gain; here they follow from the state.

/// Where the connection is: filling the pipe, draining it, or in one of the four phases of probing for bandwidth.
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
}

/// 4 ln 2: the least gain with which what is sent doubles each round.
pub const STARTUP_PACING_GAIN: f64 = 4.0 * std::f64::consts::LN_2;

impl State {
    /// What the pacing rate is of the bandwidth.
    pub const fn pacing_gain(self) -> f64 {
        match self {
            Self::Startup => STARTUP_PACING_GAIN,
            Self::Drain => 0.5,
            Self::Down => 0.9,
            Self::Cruise | Self::Refill => 1.0,
            Self::Up => 1.25,
        }
    }

    /// What the window is of the bandwidth-delay product.
    pub const fn cwnd_gain(self) -> f64 {
        match self {
            Self::Up => 2.25,
            _ => 2.0,
        }
    }

    /// Whether it is one of the phases of ProbeBW.
    pub const fn is_probe_bw(self) -> bool {
        !matches!(self, Self::Startup | Self::Drain)
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
