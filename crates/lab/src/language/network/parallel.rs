//! Parallel bottlenecks: each pair of hosts has an interface, with links of its own, to each of them. A flow
//! with several paths uses all of them; a flow with one path uses the first, or with ECMP one of them.

use super::graph::{Ends, Network};
use super::routes::RouteProblem;
use super::routing::Distances;
use super::wire::{Defaults, LINK, read_wire, required_wire};
use crate::language::flows::{FlowPlan, Member, Place};
use crate::language::keys::{Form, Key, Table};
use crate::language::reader::TableReader;
use crate::transports::MOST_PATHS;
use ackclock_base::Range;

/// The maximum number of pairs of hosts.
pub(super) const MAX_PAIRS: usize = 10_000;
/// The key of the number of pairs of hosts.
pub(super) const PAIRS: Key =
    Key::new("pairs", &[Form::whole(Range::between(1.0, MAX_PAIRS as f64))], "The number of pairs of hosts")
        .otherwise("one pair for each flow")
        .such_as("5");

/// The keys of parallel bottlenecks.
pub(super) static PARALLEL: Table = Table::new(
    "parallel",
    "Bottlenecks in parallel; every host has its own access link to each bottleneck",
    &[&[
        PAIRS,
        Key::new("bottlenecks", &[Form::Tables(&LINK, [1, MOST_PATHS])], "The bottleneck links"),
        Key::new(
            "access",
            &[Form::Table(&LINK)],
            "The access links between hosts and routers, on both sides of each bottleneck",
        ),
    ]],
)
.requiring(&["bottlenecks", "access"]);

impl Network {
    pub(super) fn add_parallel(&mut self, root: &TableReader<'_>, flows: usize) -> Option<Ends> {
        let table = root.open("parallel")?;
        let pairs = table.read("pairs").unwrap_or(flows.clamp(1, MAX_PAIRS));
        table.list("bottlenecks")?;
        let access = required_wire(&table, "access", Defaults::ACCESS)?;
        let bottlenecks = table.tables("bottlenecks");
        for (index, _, bottleneck) in &bottlenecks {
            let number = index + 1;
            let link = read_wire(bottleneck.as_ref()?, None, Defaults::BOTTLENECK)?;
            let (left, right) = routers(number);
            self.add_duplex(&format!("bottleneck-{number}"), &left, &right, &link, 0, 1);
            for pair in 1..=pairs {
                let (source, sink) = hosts(pair);
                let name = |side: &str| format!("access-{pair}-{side}-{number}");
                self.add_duplex(&name("left"), &source, &left, &access, pair - 1, pairs);
                self.add_duplex(&name("right"), &right, &sink, &access, pair - 1, pairs);
            }
        }
        Some(Ends::Parallel(pairs, bottlenecks.len()))
    }

    /// Returns the paths of a group's flows; `taken` flows of other groups come before.
    pub(super) fn parallel_members(
        &self,
        plan: &FlowPlan,
        taken: usize,
        pairs: usize,
        paths: usize,
        distances: &mut Distances,
    ) -> Result<Vec<Member>, RouteProblem> {
        let several = plan.sending.most_paths() > 1;
        let pair_of = |index: usize| match &plan.place {
            Place::Pairs(chosen) => chosen[index % chosen.len()],
            _ => (taken + index) % pairs + 1,
        };
        let hashes = !several && self.hashes();
        let count = match (plan.sending.workload.timetable(), &plan.place) {
            (Some(_), _) if hashes => plan.sending.workload.copies(),
            (Some(_), Place::Pairs(chosen)) => chosen.len(),
            (Some(_), _) => pairs,
            (None, _) => plan.count,
        };
        let mut member = |index: usize| {
            let pair = pair_of(index);
            if pair > pairs {
                return Err(RouteProblem::unknown_pair(pair, pairs));
            }
            let stops: Vec<Vec<String>> =
                (1..=if several { paths } else { 1 }).map(|path| stops(pair, path)).collect();
            if hashes {
                let (source, sink) = hosts(pair);
                return self.member(&[source, sink], &plan.member_name(index), distances);
            }
            self.member_over(&stops, &plan.member_name(index), distances)
        };
        (0..count).map(&mut member).collect()
    }
}

fn routers(path: usize) -> (String, String) {
    (format!("left-{path}"), format!("right-{path}"))
}

fn hosts(pair: usize) -> (String, String) {
    (format!("source-{pair}"), format!("sink-{pair}"))
}

fn stops(pair: usize, path: usize) -> Vec<String> {
    let ((source, sink), (left, right)) = (hosts(pair), routers(path));
    vec![source, left, right, sink]
}
