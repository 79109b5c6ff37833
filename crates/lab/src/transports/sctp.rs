//! SCTP as a transport of scenarios.

use super::connecting::{Connector, Controls, Lifetime, MAX_BACKOFF, Opening};
use super::plan::{Allowed, Facts, Heartbeats, Parts, Transport, TransportPlan, check_discriminator};
use crate::language::choice::{Choice, Chosen};
use crate::language::document::quoted;
use crate::language::flows::control::ControlPlan;
use crate::language::reader::TableReader;
use crate::run::result::declared::records;
use crate::run::result::{Declared, Field, FlowTimes, OwnResult};
use ackclock_base::{Descriptor, Time};
use ackclock_cc::entry::SelectorEntry;
use ackclock_export::dialect::Dialect;
use ackclock_export::sctp::SctpTerms;
use ackclock_recovery::sender::Counts;
use ackclock_sim::endpoint::{Endpoint, Ends};
use ackclock_sim::measure::Interval;
use ackclock_sim::random::Stream;
use ackclock_sim::sctp::connection::Connection;
use ackclock_sim::sctp::options::{MAX_PATHS, Options, PROFILES};
use ackclock_sim::sctp::report::{self, AssociationReport};
use ackclock_sim::traffic::{self, Workload};
use std::sync::Arc;

/// The most paths of an association.
pub(super) const MOST_PATHS: usize = MAX_PATHS;

/// The transport SCTP.
#[derive(Debug)]
pub(super) struct Sctp;

impl Transport for Sctp {
    fn profiles(&self) -> &'static [Descriptor] {
        PROFILES
    }

    fn most_paths(&self) -> usize {
        MOST_PATHS
    }

    fn check(&self, table: &TableReader<'_>, discriminator: Option<&str>, _profile: &Choice) {
        check_discriminator(table, discriminator, "SCTP");
    }

    /// Reports an application other than bulk data, with or without a size, or a source.
    fn check_application(&self, table: &TableReader<'_>, application: &traffic::Entry) -> Option<()> {
        if matches!(application.workload, Workload::Bulk(_) | Workload::Source(_)) {
            return Some(());
        }
        let found = format!("the application {} over SCTP", quoted(application.descriptor.name));
        let expected = "the application \"bulk\" or a source such as \"cbr\", or, instead of SCTP, a TCP transport \
                        such as `transport = \"rfc\"`";
        table.problem_at("application", &found, expected);
        None
    }

    fn result_fields(&self) -> Vec<Field> {
        AssociationResult::fields()
    }

    fn result(&self, [sender, _]: [&dyn Endpoint; 2], times: &FlowTimes) -> Option<OwnResult> {
        let report = report::of(sender, times.measured.to)?;
        Some(OwnResult::of(AssociationResult::of(&report, times.lived_s())))
    }

    fn plan(&self, parts: Parts) -> Arc<dyn TransportPlan> {
        let options = Options { reader: parts.reader_options(), ..Options::new(&parts.profile.values) };
        Arc::new(SctpPlan { parts, options })
    }
}

/// The plan from which associations are created.
#[derive(Debug)]
struct SctpPlan {
    parts: Parts,
    options: Options,
}

impl TransportPlan for SctpPlan {
    fn parts(&self) -> Option<&Parts> {
        Some(&self.parts)
    }

    fn payload_bytes(&self) -> u64 {
        u64::from(self.options.sizes.payload)
    }

    fn wire_bytes(&self) -> u32 {
        self.options.sizes.data
    }

    fn dialect(&self) -> Arc<dyn Dialect> {
        Arc::new(SctpTerms::of(&self.options))
    }

    fn facts(&self) -> Facts {
        let details = &self.options.details;
        let room = details.receive_window.bytes() as f64 / f64::from(self.options.sizes.payload);
        let heartbeats = details
            .heartbeat_interval
            .map(|interval| Heartbeats { interval, min_rto: details.timer.min_rto });
        Facts {
            takes_marks: None,
            small_queues: false,
            speaks_to_agents: false,
            draws_unseeded: self.parts.control.draws_unseeded(),
            repair: None,
            // Chunks of the handshake and HEARTBEATs do not count.
            counts_every_packet: !details.handshake && heartbeats.is_none() && !details.confirm_paths,
            lost_packet_ns: 1200.0,
            first_window: self.options.first_window(),
            allowed: Allowed { at_first: room, at_most: room, widest: None },
            timeouts_every: None,
            heartbeats,
            own_events: None,
        }
    }

    fn connector(&self, seed: u64, _measured: Interval) -> Box<dyn Connector> {
        Box::new(SctpConnector {
            options: self.options.clone(),
            control: self.parts.control.clone(),
            selector: self.parts.selector.clone(),
            seed,
        })
    }
}

struct SctpConnector {
    options: Options,
    control: ControlPlan,
    selector: Option<Chosen<SelectorEntry>>,
    seed: u64,
}

impl Connector for SctpConnector {
    /// Creates an association. Its paths have one assembly, through which controls share state.
    fn connect(&mut self, opening: &Opening<'_>) -> Ends {
        let Self { options, control, selector, seed } = self;
        let Opening { name, paths, heard, lifetime } = opening;
        let mut controls = Controls::of(control.clone());
        let path = |index: usize| {
            let (control, backoff) =
                controls.next(&options.initial(), index as u32, heard.as_ref(), MAX_BACKOFF);
            (control, backoff, Stream::new(*seed, &format!("flow {name} path {} guesses", index + 1)))
        };
        let connection = Connection {
            paths: (0..*paths).map(path).collect(),
            selector: selector.as_ref().and_then(|chosen| (chosen.entry.build)(&chosen.values, *paths)),
            chunks: lifetime.packets(),
            random: Stream::new(*seed, &format!("flow {name} heartbeats")),
            options: options.clone(),
        };
        match lifetime {
            Lifetime::Written => connection.written_ends(),
            Lifetime::Bulk(_) => connection.ends(),
            Lifetime::Timed(_) | Lifetime::Lasting(_) => {
                unreachable!("`check_application` allows only bulk data and sources over SCTP")
            }
        }
    }
}

records! {
    /// An association over SCTP.
    pub struct AssociationResult {
        /// number of data packets that a flow over [SCTP](sctp-and-rtp.md#sctp) sent over each path in measured time, in the order of the
        /// paths, retransmissions included
        path_sent_packets: Vec<f64>;
        /// number of retransmissions over each path of a flow over [SCTP](sctp-and-rtp.md#sctp), in the order of the paths: data packets
        /// sent in measured time that had been sent before, over any path
        path_retransmitted_packets: Vec<f64>;
        /// number of timeouts of each path of a flow over [SCTP](sctp-and-rtp.md#sctp), in the order of the paths: expiries of the
        /// retransmission timer in measured time
        path_timeouts: Vec<f64>;
        /// number of loss recoveries on each path of a flow over [SCTP](sctp-and-rtp.md#sctp), in the order of the
        /// paths, that began in measured time because of missing reports (RFC 9260 section 7.2.4)
        path_fast_retransmits: Vec<f64>;
        /// mean congestion window over time of each path of a flow over [SCTP](sctp-and-rtp.md#sctp), in the order of
        /// the paths; the sum over the paths is `cwnd_mean_packets`
        path_cwnd_mean_packets: Vec<f64>;
        /// number of times in measured time that a flow over [SCTP](sctp-and-rtp.md#sctp) moved new data to another
        /// path because its path had failed or become potentially failed (RFC 7829)
        failovers: u64;
        /// number of times in measured time that the path selector of a flow over [SCTP](sctp-and-rtp.md#sctp) moved new data to another
        /// path
        path_switches: u64;
        /// number of HEARTBEATs that a flow over [SCTP](sctp-and-rtp.md#sctp) sent in measured time
        heartbeats: u64;
        /// number of HEARTBEATs of a flow over [SCTP](sctp-and-rtp.md#sctp) that counted as lost in measured time: not
        /// answered within the retransmission timeout of the path, or replaced by another HEARTBEAT while unanswered
        heartbeats_lost: u64;
        /// time in the run at which the association of a flow over [SCTP](sctp-and-rtp.md#sctp) failed; null if it did not
        association_failed_s: Option<f64>;
    }
}

impl AssociationResult {
    /// Returns the result of an association that lived for this number of seconds of measured time.
    fn of(report: &AssociationReport, lived_s: f64) -> Self {
        let mean = |area: f64| if lived_s > 0.0 { area / lived_s } else { 0.0 };
        let of_paths =
            |count: fn(&Counts) -> u64| report.paths.iter().map(|path| count(&path.counts) as f64).collect();
        Self {
            path_sent_packets: of_paths(|counts| counts.sent),
            path_retransmitted_packets: of_paths(|counts| counts.retransmitted),
            path_timeouts: of_paths(|counts| counts.timeouts),
            path_fast_retransmits: of_paths(|counts| counts.fast_retransmits),
            path_cwnd_mean_packets: report.paths.iter().map(|path| mean(path.cwnd_area)).collect(),
            failovers: report.failovers,
            path_switches: report.switches,
            heartbeats: report.heartbeats,
            heartbeats_lost: report.heartbeats_lost,
            association_failed_s: report.failed_at.map(Time::seconds),
        }
    }
}
