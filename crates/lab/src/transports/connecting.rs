//! The creation of the ends of connections from a transport's plan.

use crate::language::flows::control::ControlPlan;
use ackclock_cc::{Assembly, Backoff, Controller, Initial};
use ackclock_export::events::{Recorder, Source};
use ackclock_sim::endpoint::Ends;

/// A factory of the ends of consecutive connections.
pub trait Connector: Send {
    /// Returns the ends of the next connection.
    fn connect(&mut self, opening: &Opening<'_>) -> Ends;
}

/// The properties of a connection to be created.
#[derive(Clone, Debug)]
pub struct Opening<'a> {
    /// The name of the connection, which also selects its random numbers.
    pub name: &'a str,
    /// When the connection ends.
    pub lifetime: Lifetime,
    /// The number of paths.
    pub paths: usize,
    /// The recorder for the connection's controls; `None` if they are not recorded.
    pub heard: Option<Heard>,
}

/// When a connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// After this number of packets; [`u64::MAX`] for no end.
    Bulk(u64),
    /// After this number of packets, the last of which is acknowledged at once.
    Timed(u64),
    /// When its session ends, which tells it what to send: this number of packets at first.
    Lasting(u64),
    /// When the application that writes into it stops.
    Written,
}

impl Lifetime {
    /// Returns the number of packets that the connection has to send when it begins.
    pub fn packets(self) -> u64 {
        match self {
            Self::Bulk(packets) | Self::Timed(packets) | Self::Lasting(packets) => packets,
            Self::Written => 0,
        }
    }
}

/// The recorder of controls, for one row of results.
#[derive(Clone, Debug)]
pub struct Heard {
    /// The recorder of what the controls hear and decide.
    pub recorder: Recorder,
    /// The row of results to which the controls belong.
    pub row: usize,
}

/// The bound of the back-off factor. A transport with a maximum timeout needs no smaller one.
pub const MAX_BACKOFF: f64 = 65_536.0;

/// A factory of congestion controls that share between connections what their law shares.
pub struct Controls {
    plan: ControlPlan,
    assembly: Assembly,
}

impl Controls {
    /// Creates the factory of a plan's controls.
    pub fn of(plan: ControlPlan) -> Self {
        let assembly = plan.assembly();
        Self { plan, assembly }
    }

    /// Returns the control of the next connection, or of its path number `path`, and the rule by which its
    /// timeout backs off, with a factor of at most `max_backoff`.
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
