//! TCP as a transport of scenarios.

use super::connecting::{Connector, Controls, Lifetime, Opening};
use super::plan::{self, Allowed, Facts, Parts, Real, Repair, Transport, TransportPlan};
use crate::language::choice::Choice;
use crate::language::document::quoted;
use crate::language::flows::control::ControlPlan;
use crate::language::reader::TableReader;
use ackclock_base::{Descriptor, Span};
use ackclock_export::dialect::Dialect;
use ackclock_export::tcp::TcpTerms;
use ackclock_recovery::declared::{LocalDrop, Timer};
use ackclock_sim::endpoint::Ends;
use ackclock_sim::measure::Interval;
use ackclock_sim::random::Stream;
use ackclock_sim::tcp::connection::Connection;
use ackclock_sim::tcp::details::{Details, ReceiveWindow, Rule};
use ackclock_sim::tcp::host::Host;
use ackclock_sim::tcp::options::{Options, PROFILES};
use std::sync::Arc;

/// The transport TCP.
#[derive(Debug)]
pub(super) struct Tcp;

/// The profile that is compared with the kernel, and that its own controls need.
const LINUX: &str = "linux";

impl Transport for Tcp {
    fn profiles(&self) -> &'static [Descriptor] {
        PROFILES
    }

    fn check_control(&self, table: &TableReader<'_>, control: &ControlPlan, profile: &Choice) -> Option<()> {
        let is_at_home = control.kernel().is_some() && profile.descriptor.name == LINUX;
        if is_at_home { Some(()) } else { plan::check_brought_along(table, control) }
    }

    fn check(&self, table: &TableReader<'_>, discriminator: Option<&str>, profile: &Choice) {
        let details = Details::from(&profile.values);
        check_timestamps(table, discriminator, &details);
        check_local_drops(table, &details, &Details::from(&profile.descriptor.defaults()));
        check_misbehaviour(table, &details);
    }

    fn plan(&self, parts: Parts) -> Arc<dyn TransportPlan> {
        Arc::new(TcpPlan::of(parts))
    }
}

/// Returns one host of a connection, for a caller that plays the other host, from the choices of a flow and a seed;
/// `None` for a flow over another transport.
pub fn host(parts: &Parts, seed: u64) -> Option<Host> {
    let is_tcp = PROFILES.iter().any(|profile| profile.name == parts.profile.descriptor.name);
    let opening = Opening { name: "host", lifetime: Lifetime::Written, paths: 1, heard: None };
    is_tcp.then(|| Host::new(TcpPlan::of(parts.clone()).connector_of_tcp(seed).connection(&opening)))
}

/// The detail that hosts can be told.
const ECN: &str = "ecn";

/// Reports a discriminator that uses timestamps over a transport without them, where it would give every loss
/// the same cause.
fn check_timestamps(table: &TableReader<'_>, discriminator: Option<&str>, details: &Details) {
    let Some(entry) = discriminator.and_then(ackclock_cc::registry::find_discriminator) else { return };
    if entry.needs_timestamps && !details.timestamps {
        let given = if table.get("transport").is_some() { "transport" } else { "control" };
        let expected = format!(
            "`timestamps = true` in the transport: the loss discriminator {} uses timestamps",
            quoted(entry.descriptor.name)
        );
        table.problem_at(given, "a transport without timestamps", &expected);
    }
}

/// Reports `local_drop = "cwr"` with a `send_jitter`: a delayed packet reaches its interface long after the
/// sender has continued. A `profile` that has this detail of itself does without it.
fn check_local_drops(table: &TableReader<'_>, details: &Details, profile: &Details) {
    let is_asked_for =
        details.rules.local_drop == LocalDrop::Cwr && profile.rules.local_drop == LocalDrop::Lost;
    if is_asked_for && details.send_jitter > Span::ZERO {
        let expected = "`send_jitter = \"0 s\"` in the transport: with a `send_jitter`, a packet that the host's own \
                        interface refuses is always lost";
        table.problem_at("transport", "`local_drop = \"cwr\"` with a `send_jitter`", expected);
    }
}

/// Reports a receiver that breaks the rules and whose application reads slowly: only one of the two is modelled.
fn check_misbehaviour(table: &TableReader<'_>, details: &Details) {
    if table.get("reader").is_some() && !details.misbehaviour.is_honest() {
        let expected = "no `reader`, or the defaults of `split_acks`, `repeat_acks`, `acks_ahead` and `marks_told` in \
         the transport: the application of a misbehaving receiver reads data as soon as it arrives";
        table.problem_at("reader", "a `reader` with a misbehaving receiver", expected);
    }
}

/// The plan from which TCP connections are created.
#[derive(Debug)]
struct TcpPlan {
    parts: Parts,
    /// The control, with the slow start that it has in Linux if the parameters ask for that.
    control: ControlPlan,
    options: Options,
}

impl TcpPlan {
    fn of(parts: Parts) -> Self {
        let details = Details::from(&parts.profile.values);
        let control =
            if details.hystart { parts.control.clone().as_in_linux() } else { parts.control.clone() };
        let mut options = Options::new(&parts.profile.values, control.published().recovery);
        options.reader = parts.reader_options();
        Self { parts, control, options }
    }

    fn connector_of_tcp(&self, seed: u64) -> TcpConnector {
        let controls = Controls::of(self.control.clone());
        TcpConnector { options: self.options.clone(), controls, seed }
    }

    fn allowed(&self) -> Allowed {
        let Details { window, receive_window, initial_receive_window, max_receive_window, .. } =
            self.options.details;
        let payload_bytes = self.payload_bytes();
        let is_autotuned = receive_window == ReceiveWindow::Autotuned;
        let within = |bytes: u64| {
            if is_autotuned { window.min((bytes as f64 / payload_bytes as f64).ceil()) } else { window }
        };
        let is_bound_by_bytes = within(max_receive_window.bytes()) < window;
        let key = if is_bound_by_bytes { "max_receive_window" } else { "window" };
        Allowed {
            at_first: within(initial_receive_window.bytes()),
            at_most: within(max_receive_window.bytes()),
            widest: Some((self.options.widest_window * payload_bytes, key)),
        }
    }
}

impl TransportPlan for TcpPlan {
    fn parts(&self) -> Option<&Parts> {
        Some(&self.parts)
    }

    fn payload_bytes(&self) -> u64 {
        self.options.details.packet.bytes()
    }

    fn wire_bytes(&self) -> u32 {
        self.options.details.wire_bytes()
    }

    fn dialect(&self) -> Arc<dyn Dialect> {
        Arc::new(TcpTerms::of(&self.options, self.control.counts_marks()))
    }

    fn facts(&self) -> Facts {
        let details = &self.options.details;
        let Details { timer, max_backoff, handshake, send_jitter, .. } = *details;
        let Timer { min_rto, max_rto, .. } = timer;
        let leaves_at_once = send_jitter == Span::ZERO;
        Facts {
            takes_marks: Some(details.ecn),
            small_queues: details.small_queues.small_queues,
            speaks_to_agents: true,
            draws_unseeded: self.parts.control.draws_unseeded(),
            repair: Some(Repair {
                rule: self.options.rule().word(),
                is_of_control: details.recovery == Rule::Auto,
                is_selective: self.options.rule().is_selective(),
            }),
            counts_every_packet: !handshake && details.rules.local_drop == LocalDrop::Lost && leaves_at_once,
            // The retransmission of a lost packet costs little.
            lost_packet_ns: 300.0,
            first_window: details.first_window(),
            allowed: self.allowed(),
            timeouts_every: Some(
                min_rto.scale(max_backoff).min(max_rto).max(min_rto).max(Span::from_nanos(1)),
            ),
            heartbeats: None,
            own_events: None,
        }
    }

    fn real(&self) -> Real {
        let Choice { descriptor, values, .. } = &self.parts.profile;
        if descriptor.name != LINUX {
            return Real::Nothing(format!(
                "this transport is simulated only; for the TCP of the kernel, use `transport = {}`",
                quoted(LINUX)
            ));
        }
        if self.parts.reader.is_some() {
            return Real::Nothing("`reader` works only in simulations: leave this key out".to_owned());
        }
        let defaults = descriptor.defaults();
        let changed = |name: &&str| *name != ECN && values.get(name) != defaults.get(name);
        match descriptor.parameters.iter().map(|parameter| parameter.name).find(changed) {
            Some(name) => Real::Nothing(format!("the kernel sets its own `{name}`, so leave this key out")),
            None => Real::Kernel { ecn: self.options.details.ecn },
        }
    }

    fn connector(&self, seed: u64, _measured: Interval) -> Box<dyn Connector> {
        Box::new(self.connector_of_tcp(seed))
    }
}

struct TcpConnector {
    options: Options,
    controls: Controls,
    seed: u64,
}

impl TcpConnector {
    fn connection(&mut self, opening: &Opening<'_>) -> Connection {
        let Self { options, controls, seed } = self;
        let max_backoff = options.details.max_backoff;
        let (control, backoff) = controls.next(&options.initial(), 0, opening.heard.as_ref(), max_backoff);
        let random = Stream::new(*seed, &format!("flow {} guesses", opening.name));
        let packets = opening.lifetime.packets();
        Connection { options: options.clone(), control, backoff, packets, random }
    }
}

impl Connector for TcpConnector {
    fn connect(&mut self, opening: &Opening<'_>) -> Ends {
        let connection = self.connection(opening);
        match opening.lifetime {
            Lifetime::Bulk(_) => connection.ends(),
            Lifetime::Timed(_) => connection.timed_ends(),
            Lifetime::Lasting(_) => connection.lasting_ends(),
            Lifetime::Written => connection.written_ends(),
        }
    }
}
