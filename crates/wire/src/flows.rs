//! The flows of a scenario that run on real stacks, and those that cannot.

use crate::Error;
use crate::plan::{LinksPlan, MAX_RATE, refuse};
use ackclock_base::{Rate, Time};
use ackclock_kernel::Offer;
use ackclock_lab::Scenario;
use ackclock_lab::language::flows::{FlowGroup, Member, Workload};
use ackclock_lab::run::build;
use ackclock_lab::transports::{Real, Transport};
use ackclock_sim::endpoint::Ends;
use ackclock_sim::flow::FlowParts;

/// The largest number of flows in real time. Each has two threads.
pub const MAX_FLOWS: usize = 64;
/// The highest rate of a path with stacks that run in this process: no higher one has been measured.
pub const MAX_STACK_RATE: Rate = Rate::from_bits_per_second(100_000_000);

/// A flow on a real stack.
pub struct RealFlow {
    /// What its ends and the links need to know.
    pub facts: FlowFacts,
    /// What carries it.
    pub carrier: Carrier,
}

/// The facts about a flow on a real stack.
#[derive(Clone, Debug)]
pub struct FlowFacts {
    /// The name in results.
    pub name: String,
    /// The index of the group of flows.
    pub group: usize,
    /// The host of the sender.
    pub sender: usize,
    /// When the flow begins.
    pub start: Time,
    /// When its application stops.
    pub stop: Time,
    /// The number of bytes to send; `None` for no end.
    pub bytes: Option<u64>,
    /// The payload of a full packet in bytes, by which delivered data is counted in packets.
    pub payload_bytes: u64,
    /// The differentiated services code point of its packets, at most 63.
    pub dscp: u8,
    /// Whether its packets are TCP segments.
    pub is_tcp: bool,
    /// Its transport.
    pub transport: Option<&'static dyn Transport>,
}

/// What carries a flow.
pub enum Carrier {
    /// The TCP of the kernel.
    Kernel(InKernel),
    /// The two ends of a connection of a stack, the sender's first.
    Stack(Ends),
}

/// A control of the kernel's TCP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InKernel {
    /// One of the kernel's own, by its name there.
    Own(&'static str),
    /// One of ackclock's, as it is offered to the kernel: `NAME,PARAMETER=VALUE,...`.
    Offered(String),
}

/// The flows of a scenario and the network between their hosts.
pub struct FlowsPlan {
    /// The network.
    pub network: LinksPlan,
    /// The flows, in the order of results.
    pub flows: Vec<RealFlow>,
    /// Whether the TCP of the kernel negotiates explicit congestion notification.
    pub ecn: bool,
}

impl FlowsPlan {
    /// Returns the controls that are to be offered to the kernel, each once.
    pub fn offered(&self) -> Vec<String> {
        let mut offered: Vec<String> = Vec::new();
        for flow in &self.flows {
            if let Carrier::Kernel(InKernel::Offered(control)) = &flow.carrier
                && !offered.contains(control)
            {
                offered.push(control.clone());
            }
        }
        offered
    }

    /// Plans the flows of a scenario. Returns an error that says what cannot run in real time, and why.
    pub fn of(scenario: &Scenario, seed: u64) -> Result<Self, Error> {
        let carried = scenario.flows.iter().map(carrier_of).collect::<Result<Vec<_>, _>>()?;
        let count: usize = scenario.flows.iter().map(FlowGroup::rows).sum();
        if count > MAX_FLOWS {
            return refuse(format!(
                "it has {count} flows, but a run in real time allows at most {MAX_FLOWS}"
            ));
        }
        if scenario.warmup.until_congestion_avoidance {
            return refuse(
                "its `warmup` ends at congestion avoidance, which the kernel does not report: expected a time such as \"5 s\"",
            );
        }
        let members: Vec<&Member> = scenario.flows.iter().flat_map(|group| &group.members).collect();
        let most = if carried.contains(&Carried::Stack) { MAX_STACK_RATE } else { MAX_RATE };
        let network = LinksPlan::along(scenario, seed, &members, most)?;
        let ecn = ecn_of(scenario, &carried)?;
        let groups = scenario.flows.iter().enumerate().zip(&carried);
        let of_member =
            groups.flat_map(|(group, carried)| group.1.members.iter().map(move |_| (group, carried)));
        let parts = build::flows(scenario, seed);
        let flows = parts.into_iter().zip(of_member).zip(&network.senders);
        let flows =
            flows.map(|((parts, (group, carried)), sender)| real_flow(parts, group, carried, *sender));
        Ok(Self { flows: flows.collect(), network, ecn })
    }
}

/// What carries the flows of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Carried {
    Kernel { control: InKernel, ecn: bool },
    Stack,
}

fn real_flow(parts: FlowParts, group: (usize, &FlowGroup), carried: &Carried, sender: usize) -> RealFlow {
    let FlowParts { name, start, stop, dscp, ends, .. } = parts;
    let (index, FlowGroup { plan, .. }) = group;
    let payload_bytes = plan.sending.transport.payload_bytes();
    let bytes = match plan.sending.workload {
        Workload::Bulk(Some(_)) => Some(plan.sending.workload.packets(payload_bytes) * payload_bytes),
        _ => None,
    };
    let carrier = match carried {
        Carried::Kernel { control, .. } => Carrier::Kernel(control.clone()),
        Carried::Stack => Carrier::Stack(ends),
    };
    let dscp = dscp.bits();
    let is_tcp = matches!(carrier, Carrier::Kernel(_));
    let transport = plan.sending.parts().map(|parts| parts.transport);
    let facts =
        FlowFacts { name, group: index, sender, start, stop, bytes, payload_bytes, dscp, is_tcp, transport };
    RealFlow { facts, carrier }
}

/// Returns what carries a group of flows, or an error that says why nothing does.
fn carrier_of(group: &FlowGroup) -> Result<Carried, Error> {
    let (name, sending) = (&group.plan.name, &group.plan.sending);
    let Some(parts) = sending.parts() else {
        return refuse(format!(
            "flows `{name}` use UDP without a congestion control, which is simulated only: set a `control` and the \
             application `bulk`"
        ));
    };
    if !matches!(sending.workload, Workload::Bulk(_)) {
        let application = sending.application.descriptor.name;
        return refuse(format!(
            "the application `{application}` of flows `{name}` is simulated only, expected `bulk`"
        ));
    }
    match (sending.transport.real(), parts.control.kernel()) {
        (Real::Nothing(reason), _) => {
            let transport = parts.profile.descriptor.name;
            refuse(format!("flows `{name}` use the transport `{transport}`: {reason}"))
        }
        (Real::Datagrams, _) => Ok(Carried::Stack),
        (Real::Kernel { ecn }, Some(kernel)) => {
            Ok(Carried::Kernel { control: InKernel::Own(kernel.kernel_name), ecn })
        }
        (Real::Kernel { ecn }, None) => {
            let Some(control) = parts.control.specification() else {
                let control = parts.control.name();
                return refuse(format!(
                    "the congestion control `{control}` of flows `{name}` cannot run under the TCP of Linux, because it is \
                     a plugin or has parts such as a `discriminator`"
                ));
            };
            match Offer::read(&control) {
                Ok(_) => Ok(Carried::Kernel { control: InKernel::Offered(control), ecn }),
                Err(refusal) => refuse(format!("the congestion control of flows `{name}`: {refusal}")),
            }
        }
    }
}

/// Returns whether the kernel's flows negotiate ECN. It is a setting of the hosts, so they agree.
fn ecn_of(scenario: &Scenario, carried: &[Carried]) -> Result<bool, Error> {
    let named = scenario.flows.iter().zip(carried).filter_map(|(group, carried)| match carried {
        Carried::Kernel { ecn, .. } => Some((&group.plan.name, *ecn)),
        Carried::Stack => None,
    });
    let named: Vec<_> = named.collect();
    let Some((first, ecn)) = named.first() else { return Ok(false) };
    match named.iter().find(|(_, other)| other != ecn) {
        None => Ok(*ecn),
        Some((other, _)) => refuse(format!(
            "flows `{first}` and `{other}` differ in `ecn`, which in the kernel is a setting of the host: expected the same `ecn` for all flows"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Map;

    const FILE: &str = "duration = \"9 s\"\nwarmup = \"2 s\"\n[dumbbell]\nrtt = \"40 ms\"\n\
        bottleneck = { rate = \"10 Mbit/s\" }\naccess = { rate = \"1 Gbit/s\" }\n";
    const KERNEL: &str =
        "[[flows]]\nname = \"tcp\"\ncontrol = \"linux:cubic\"\ntransport = \"linux\"\ncount = 2\n";
    const STACK: &str = "[[flows]]\nname = \"quic\"\ncontrol = \"rbcc\"\ntransport = \"noq\"\nstart = \"1 s\"\n\
        application = { name = \"bulk\", size = \"100 kB\" }\n";

    fn plan(flows: &str) -> Result<FlowsPlan, Error> {
        let text = format!("{FILE}{flows}");
        let scenario =
            Scenario::parse(&text, "file.toml", &Map::new()).unwrap_or_else(|found| panic!("{found:?}"));
        FlowsPlan::of(&scenario, 1)
    }

    #[test]
    fn each_flow_has_its_route_and_what_carries_it() {
        let plan = plan(&format!("{KERNEL}{STACK}")).unwrap_or_else(|error| panic!("{error}"));
        let names: Vec<_> =
            plan.flows.iter().map(|flow| (flow.facts.name.as_str(), flow.facts.group)).collect();
        assert_eq!(names, [("tcp-1", 0), ("tcp-2", 0), ("quic", 1)]);
        assert!(matches!(plan.flows[1].carrier, Carrier::Kernel(InKernel::Own("cubic"))));
        assert!(matches!(plan.flows[2].carrier, Carrier::Stack(_)));
        assert_eq!((plan.flows[1].facts.bytes, plan.flows[1].facts.payload_bytes), (None, 1448));
        // 1472 B of a datagram less 33 B of QUIC: 70 packets hold 100 kB.
        assert_eq!(
            (plan.flows[2].facts.bytes, plan.flows[2].facts.start),
            (Some(70 * 1439), Time::from_seconds(1.0))
        );
        assert!(!plan.ecn);
        let links = &plan.network.links[0];
        let route = |flow: usize| -> Vec<&str> {
            plan.network.routes[0][flow].iter().map(|link| &*links[*link].name).collect()
        };
        assert_eq!(route(0), ["access-1-left", "bottleneck", "access-1-right"]);
        assert_eq!(route(2), ["access-3-left", "bottleneck", "access-3-right"]);
        assert_eq!(links.len(), 7);
    }

    #[test]
    fn a_control_of_ackclock_is_offered_to_the_kernel_once_with_what_differs_from_its_defaults() {
        let flow = |name: &str, control: &str| {
            format!("[[flows]]\nname = \"{name}\"\ncontrol = {control}\ntransport = \"linux\"\n")
        };
        let cubic = "{ name = \"cubic\", beta = 0.8, c = 0.4 }";
        let flows = [flow("one", cubic), flow("two", "\"vegas\""), flow("three", cubic)].concat();
        let plan = plan(&flows).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(plan.offered(), ["cubic,beta=0.8", "vegas"]);
    }

    #[test]
    fn what_has_no_real_stack_is_refused_with_the_reason() {
        let flow = |keys: &str| format!("[[flows]]\nname = \"one\"\n{keys}\n");
        let ecn = "[[flows]]\nname = \"marked\"\ncontrol = \"linux:reno\"\ntransport = { name = \"linux\", ecn = true }\n";
        let cases = [
            (
                flow("control = \"cubic\""),
                "flows `one` use the transport `rfc`: this transport is simulated only",
            ),
            (
                flow("control = \"cubic\"\ntransport = \"sctp\""),
                "flows `one` use the transport `sctp`: this transport is simulated",
            ),
            (
                flow("control = \"spike\"\ntransport = \"linux\""),
                "the congestion control of flows `one`: spike does not run under Linux's TCP: ",
            ),
            (
                flow("control = \"newreno\"\ndiscriminator = \"rtt\"\ntransport = \"linux\""),
                "the congestion control `newreno` of flows `one` cannot run under the TCP of Linux, because it is a plugin",
            ),
            (
                flow("control = \"linux:bbr\"\ntransport = { name = \"linux\", min_rto = \"1 s\" }"),
                "flows `one` use the transport `linux`: the kernel sets its own `min_rto`",
            ),
            (
                flow("control = \"linux:cubic\"\ntransport = \"linux\"\ncount = 65"),
                "it has 65 flows, but a run in real time allows at most 64",
            ),
            (flow("application = { name = \"cbr\", rate = \"1 Mbit/s\" }"), "flows `one` use UDP without"),
            (
                flow("control = \"linux:cubic\"\ntransport = \"linux\"\napplication = \"pages\""),
                "the application `pages` of flows `one` is simulated only",
            ),
            (
                flow("control = \"cubic\"\ntransport = { name = \"noq\", datagram = \"4 kB\" }"),
                "its `datagram` of 4000 B with headers of 28 B does not fit into a packet of 1500 B",
            ),
            (format!("{KERNEL}{ecn}"), "flows `tcp` and `marked` differ in `ecn`"),
        ];
        for (flows, message) in cases {
            let error = plan(&flows).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains(message), "{flows}\n{error}");
        }
    }
}
