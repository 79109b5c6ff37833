//! Makes the connections of a group, over TCP or QUIC.

use super::MAX_BACKOFF;
use crate::flows::{ConnectionPlan, ControlPlan, Data, Protocol};
use ackclock_cc::{Assembly, Initial};
use ackclock_export::events::{Recorder, Source};
use ackclock_sim::endpoint::Ends;
use ackclock_sim::random::Stream;
use ackclock_sim::tcp::details::Details;
use ackclock_sim::{quic, tcp};

/// Makes them.
pub(super) struct Connections {
    options: Options,
    control: ControlPlan,
    assembly: Assembly,
    /// That of what the plan says.
    lifetime: Lifetime,
    /// Where the controls of the next ones are listened to, and the row of results that they belong to.
    pub(super) heard: Option<(Recorder, usize)>,
}

/// What ends a connection.
#[derive(Clone, Copy, Debug)]
pub(super) enum Lifetime {
    /// Having sent so much, or nothing.
    Bulk(u64),
    /// Having sent so much, of which the last packet is acknowledged at once.
    Timed(u64),
    /// Its session, which tells it what to send, so much to begin with.
    Lasting(u64),
    /// The application that writes into it.
    Written,
}

enum Options {
    Tcp(tcp::options::Options),
    Quic(quic::options::Options),
}

impl Options {
    fn initial(&self) -> Initial {
        match self {
            Self::Tcp(options) => options.initial(),
            Self::Quic(options) => options.initial(),
        }
    }

    fn max_backoff(&self) -> f64 {
        match self {
            Self::Tcp(options) => options.sender.max_backoff,
            Self::Quic(_) => MAX_BACKOFF,
        }
    }
}

impl Connections {
    /// Those of a plan.
    pub(super) fn of(plan: &ConnectionPlan) -> Self {
        let (mut control, values) = (plan.control.clone(), &plan.transport.values);
        let options = match plan.protocol() {
            Protocol::Tcp => {
                let Details { hystart, .. } = values.into();
                if hystart {
                    control = control.as_in_linux();
                }
                let recovery = control.companions().recovery;
                let mut options = tcp::options::Options::new(values, recovery);
                options.reader = plan.reader_options();
                Options::Tcp(options)
            }
            Protocol::Quic => {
                let mut options = quic::options::Options::new(values);
                options.reader = plan.reader_options();
                Options::Quic(options)
            }
        };
        let assembly = control.assembly();
        let lifetime = match &plan.data {
            Data::Written(_) => Lifetime::Written,
            data => Lifetime::Bulk(data.packets(plan.payload_bytes())),
        };
        Self { options, control, assembly, lifetime, heard: None }
    }

    /// The ends of the next, which sends what the plan says.
    pub(super) fn next(&mut self, name: &str, seed: u64) -> Ends {
        self.next_of(self.lifetime, name, seed)
    }

    /// The ends of the next.
    pub(super) fn next_of(&mut self, lifetime: Lifetime, name: &str, seed: u64) -> Ends {
        let Self { options, control, assembly, heard, .. } = self;
        let backoff = control.backoff(options.max_backoff());
        let initial = options.initial();
        let mut control = assembly.join(&initial);
        if let Some((recorder, row)) = heard {
            let source = Source { row: *row, path: 0, packet_bytes: initial.packet_bytes };
            control = control.observed(recorder.observer(source));
        }
        let random = Stream::new(seed, &format!("flow {name} guesses"));
        let packets = match lifetime {
            Lifetime::Bulk(packets) | Lifetime::Timed(packets) | Lifetime::Lasting(packets) => packets,
            Lifetime::Written => 0,
        };
        match options {
            Options::Tcp(options) => {
                let options = options.clone();
                let connection = tcp::connection::Connection { options, control, backoff, packets, random };
                match lifetime {
                    Lifetime::Bulk(_) => connection.ends(),
                    Lifetime::Timed(_) => connection.timed_ends(),
                    Lifetime::Lasting(_) => connection.lasting_ends(),
                    Lifetime::Written => connection.written_ends(),
                }
            }
            Options::Quic(options) => {
                let (options, pieces) = (options.clone(), packets);
                let connection = quic::connection::Connection { options, control, backoff, pieces, random };
                match lifetime {
                    Lifetime::Bulk(_) => connection.ends(),
                    Lifetime::Timed(_) => connection.timed_ends(),
                    Lifetime::Lasting(_) => connection.lasting_ends(),
                    Lifetime::Written => connection.written_ends(),
                }
            }
        }
    }
}
