//! The transport of a build with foreign stacks.

use super::StackResult;
use crate::language::choice::Choice;
use crate::language::diagnostics::one_of_these;
use crate::language::document::quoted;
use crate::language::flows::control::ControlPlan;
use crate::language::reader::TableReader;
use crate::language::registry::own_controls::OwnControl;
use crate::run::result::{Declared, Field, FlowTimes, OwnResult};
use crate::transports::connecting::{Connector, Lifetime, Opening};
use crate::transports::plan::{self, Facts, Parts, Real, Transport, TransportPlan};
use ackclock_base::{Descriptor, Kind, Packets, Range, Size, parameters};
use ackclock_export::dialect::Dialect;
use ackclock_export::udp::Opaque;
use ackclock_recovery::declared::WINDOWS;
use ackclock_sim::endpoint::{Endpoint, Ends};
use ackclock_sim::measure::Interval;
use ackclock_sim::random::Stream;
use ackclock_sim::traffic::{self, Workload};
use ackclock_stacks::library::Library;
use ackclock_stacks::{
    Application, Connections, Control, End, Packing, Plan, Refusal, STACKS, Stack, packing,
};
use std::sync::Arc;

parameters! {
    /// The details.
    struct Details {
        /// The size of a full datagram, the UDP payload; the stack does not search for a larger size (path MTU
        /// discovery)
        datagram: Size = size(
            "1472 B",
            Range::between(1200.0, 65_000.0),
            "1500 B minus the headers of IPv4 (20 B) and UDP (8 B); RFC 9000 section 14.1: at least 1200 B",
        ),
        /// The size of the headers around a datagram on the wire
        header: Size = size("28 B", Range::between(0.0, 500.0), "IPv4 20 B, UDP 8 B"),
        /// The flow-control window: the largest amount of data, in full datagrams, that the receiver allows in flight
        window: Packets = packets(
            "10000 packets",
            WINDOWS,
            "RFC 9000 section 4.1 leaves the size open; same default as `quic` and TCP",
        ),
    }
}

const PROFILES: &[Descriptor] = &[
    profile("noq", "The QUIC stack noq itself, with real datagrams and without TLS", "noq-proto 1.4"),
    profile("quinn", "The QUIC stack quinn itself, with real datagrams and without TLS", "quinn-proto 0.11"),
];

const fn profile(name: &'static str, summary: &'static str, source: &'static str) -> Descriptor {
    Descriptor { kind: Kind::Transport, name, summary, source, parameters: Details::TABLE, presets: &[] }
}

/// The bytes of the headers of IPv4 and UDP, and the largest packet between two real hosts.
const REAL_HEADER: u32 = 28;
const REAL_MTU: u32 = 1500;

/// The keys of a flow that a foreign stack decides itself, with what it decides.
const OWN_RULES: [(&str, &str); 4] = [
    ("discriminator", "which packets it counts as lost"),
    ("action", "how it responds to losses"),
    ("backoff", "its timers"),
    ("reader", "when its receiver reads the data"),
];

/// Foreign stacks as transports: a profile for each.
#[derive(Debug)]
pub struct Stacks {
    profiles: &'static [Descriptor],
    stacks: &'static [&'static dyn Stack],
}

impl Stacks {
    /// The stacks that are built in.
    pub(in crate::transports) const BUILT_IN: Self = Self { profiles: PROFILES, stacks: STACKS };

    /// Returns the stack in a library as a transport, which lives as long as the program.
    pub fn loaded(library: &'static Library) -> &'static dyn Transport {
        let source = format!("{} {}", library.name(), library.facts().version).leak();
        let profile =
            profile(library.name(), "A QUIC stack in the shared library that `--stack` names", source);
        Box::leak(Box::new(Self {
            profiles: Box::leak(Box::new([profile])),
            stacks: Box::leak(Box::new([library as &dyn Stack])),
        }))
    }

    /// Returns the stack of a profile.
    fn of(&self, profile: &Choice) -> &'static dyn Stack {
        let name = profile.descriptor.name;
        *self.stacks.iter().find(|stack| stack.name() == name).expect("each profile belongs to a stack")
    }
}

impl Transport for Stacks {
    fn profiles(&self) -> &'static [Descriptor] {
        self.profiles
    }

    fn check_control(&self, table: &TableReader<'_>, control: &ControlPlan, profile: &Choice) -> Option<()> {
        if control.kernel().is_some() {
            return plan::check_brought_along(table, control);
        }
        let stack = self.of(profile);
        let problem = match under(control, stack, 0) {
            Ok(Control::Own(own)) if own.factory.stack() != stack.name() => {
                format!("`transport = {}`, the stack of this control", quoted(own.factory.stack()))
            }
            Ok(_) => return Some(()),
            Err(Refusal::Lacks { what, .. }) => {
                format!(
                    "another congestion control: {} does not run over this stack, because {what}",
                    quoted(control.name())
                )
            }
            Err(_) if stack.facts().is_none() => {
                one_of_these(&stack.own().iter().map(|own| own.descriptor).collect::<Vec<_>>())
            }
            Err(_) => "a registered congestion control, or one of the stack itself".to_owned(),
        };
        let found = format!("the congestion control {} over {}", quoted(control.name()), stack.name());
        table.problem_at("control", &found, &problem);
        None
    }

    fn check(&self, table: &TableReader<'_>, _discriminator: Option<&str>, profile: &Choice) {
        for (key, what) in OWN_RULES.iter().filter(|(key, _)| table.get(key).is_some()) {
            let found = format!("`{key}` over {}", profile.descriptor.name);
            table.problem_at(key, &found, &format!("no `{key}`: the stack itself decides {what}"));
        }
    }

    /// Reports the sessions, whose connections tell when they have delivered what they had.
    fn check_application(&self, table: &TableReader<'_>, application: &traffic::Entry) -> Option<()> {
        if !matches!(application.workload, Workload::Session(_)) {
            return Some(());
        }
        let found = format!(
            "the application {} over a QUIC stack other than ackclock's",
            quoted(application.descriptor.name)
        );
        let expected =
            "\"bulk\", \"transfers\", \"web\" or a source such as \"cbr\"; or `transport = \"quic\"`";
        table.problem_at("application", &found, expected);
        None
    }

    fn own_controls(&self) -> Vec<OwnControl> {
        self.stacks.iter().flat_map(|stack| stack.own()).map(OwnControl::from).collect()
    }

    fn result_fields(&self) -> Vec<Field> {
        StackResult::fields()
    }

    fn result(&self, [sender, _]: [&dyn Endpoint; 2], _times: &FlowTimes) -> Option<OwnResult> {
        Some(OwnResult::of(StackResult::of(sender.of::<End>()?.stack_report())))
    }

    fn plan(&self, parts: Parts) -> Arc<dyn TransportPlan> {
        let details = Details::from(&parts.profile.values);
        let stack = self.of(&parts.profile);
        let control =
            under(&parts.control, stack, 0).expect("`check_control` allows only controls of the stack");
        let datagram = details.datagram.bytes() as u16;
        let packing = packing(&control, datagram, details.header.bytes() as u32, details.window as u64);
        Arc::new(StackPlan { parts, stack, packing })
    }
}

impl From<ackclock_stacks::OwnControl> for OwnControl {
    /// Makes a control that is written for a stack one that scenarios name.
    fn from(own: ackclock_stacks::OwnControl) -> Self {
        Self::new(own.descriptor, "a congestion control of ackclock instead of the stack's own", own)
    }
}

/// Returns a flow's control for a stack. The error says why the stack does not run it.
fn under(control: &ControlPlan, stack: &dyn Stack, seed: u64) -> Result<Control, Refusal> {
    if let Some(own) = control.own::<ackclock_stacks::OwnControl>() {
        return Ok(Control::Own(own.clone()));
    }
    let unknown = || Refusal::Unknown { name: control.name().to_owned() };
    let (entry, values) = control.registered().ok_or_else(unknown)?;
    let plan = Plan::new(entry, values.clone(), stack.facts().ok_or_else(unknown)?)?;
    Ok(Control::Ours(plan.within(control.layers()).seeded(seed)))
}

/// The plan from which connections of a stack are created.
#[derive(Debug)]
struct StackPlan {
    parts: Parts,
    stack: &'static dyn Stack,
    packing: Packing,
}

impl TransportPlan for StackPlan {
    fn parts(&self) -> Option<&Parts> {
        Some(&self.parts)
    }

    fn payload_bytes(&self) -> u64 {
        u64::from(self.packing.payload)
    }

    fn wire_bytes(&self) -> u32 {
        self.packing.datagram + self.packing.header
    }

    fn dialect(&self) -> Arc<dyn Dialect> {
        Arc::new(Opaque)
    }

    fn facts(&self) -> Facts {
        Facts {
            takes_marks: Some(true),
            draws_unseeded: !self.packing.is_seeded,
            lost_packet_ns: 10_000.0,
            first_window: FIRST_WINDOW,
            ..Facts::default()
        }
    }

    fn real(&self) -> Real {
        let Packing { datagram, header, .. } = self.packing;
        if header != REAL_HEADER {
            return Real::Nothing(format!(
                "its `header` is {header} B, expected {REAL_HEADER} B, the size of IPv4 and UDP headers"
            ));
        }
        if datagram + header > REAL_MTU {
            return Real::Nothing(format!(
                "its `datagram` of {datagram} B with headers of {header} B does not fit into a packet of {REAL_MTU} B"
            ));
        }
        Real::Datagrams
    }

    fn connector(&self, seed: u64, _measured: Interval) -> Box<dyn Connector> {
        let control = under(&self.parts.control, self.stack, seed).expect("checked by `plan`");
        let connections = self.stack.connections(&control, &self.packing, seed);
        Box::new(StackConnector { connections, packing: self.packing, seed })
    }
}

/// The window at the start in packets, of the stacks and under the adapter (RFC 9002 section 7.2).
const FIRST_WINDOW: f64 = 10.0;

struct StackConnector {
    connections: Box<dyn Connections>,
    packing: Packing,
    seed: u64,
}

impl Connector for StackConnector {
    fn connect(&mut self, opening: &Opening<'_>) -> Ends {
        let bytes = |packets: u64| Application::Bytes(packets * u64::from(self.packing.payload));
        let application = match opening.lifetime {
            Lifetime::Bulk(u64::MAX) => Application::Endless,
            Lifetime::Bulk(packets) | Lifetime::Timed(packets) => bytes(packets),
            Lifetime::Written => Application::Written,
            Lifetime::Lasting(_) => unreachable!("sessions are refused"),
        };
        // The name selects the connection's random numbers.
        let mut random = Stream::new(self.seed, &format!("flow {} connection", opening.name));
        let seed = random.between(0.0, (1_u64 << 53) as f64) as u64;
        End::pair(self.connections.connect(seed), application, self.packing)
    }
}
