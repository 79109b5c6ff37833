//! How a transport's plan makes the ends of connections.

use crate::flows::ControlPlan;
use ackclock_cc::{Assembly, Backoff, Controller, Initial};
use ackclock_export::events::{Recorder, Source};
use ackclock_sim::endpoint::Ends;

/// Makes the ends of one connection after another.
pub trait Connector: Send {
    /// Returns the ends of the next connection.
    fn connect(&mut self, opening: &Opening<'_>) -> Ends;
}

/// A connection to be.
#[derive(Clone, Debug)]
pub struct Opening<'a> {
    /// What it is called, which names its random numbers.
    pub name: &'a str,
    /// What ends it.
    pub lifetime: Lifetime,
    /// How many paths it has.
    pub paths: usize,
    /// Where its controls are listened to; `None` for nowhere.
    pub heard: Option<Heard>,
}

/// What ends a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// It ends with this number of packets; [`u64::MAX`] for no end.
    Bulk(u64),
    /// It ends with this number of packets, of which the last is acknowledged at once.
    Timed(u64),
    /// Its session tells it what to send, this number of packets to begin with.
    Lasting(u64),
    /// The application writes into it.
    Written,
}

impl Lifetime {
    /// The packets that the connection has to send when it begins.
    pub fn packets(self) -> u64 {
        match self {
            Self::Bulk(packets) | Self::Timed(packets) | Self::Lasting(packets) => packets,
            Self::Written => 0,
        }
    }
}

/// Where controls are listened to.
#[derive(Clone, Debug)]
pub struct Heard {
    /// What keeps what they hear and decide.
    pub recorder: Recorder,
    /// The row of results that they belong to.
    pub row: usize,
}

/// Where the transport has a greatest timeout, the back-off needs no bound of its own.
pub const MAX_BACKOFF: f64 = 65_536.0;

/// Makes congestion controls that share what their law shares among connections.
pub struct Controls {
    plan: ControlPlan,
    assembly: Assembly,
}

impl Controls {
    /// Those of a plan.
    pub fn of(plan: ControlPlan) -> Self {
        let assembly = plan.assembly();
        Self { plan, assembly }
    }

    /// Returns the control of the next connection, or of its path of this number, and how its timeout backs off, by this factor at
    /// most.
    pub fn next(
        &mut self,
        initial: &Initial,
        path: u32,
        heard: Option<&Heard>,
        max_backoff: f64,
    ) -> (Controller, Box<dyn Backoff>) {
        let backoff = self.plan.backoff(max_backoff);
        let control = self.assembly.join(initial);
        let control = match heard {
            None => control,
            Some(Heard { recorder, row }) => {
                let source = Source { row: *row, path, packet_bytes: initial.packet_bytes };
                control.observed(recorder.observer(source))
            }
        };
        (control, backoff)
    }
}
