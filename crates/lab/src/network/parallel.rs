//! Bottlenecks side by side: each pair of hosts has an interface, with links of its own, to every one of them. What has several
//! paths takes all; what has one takes the first, or with ECMP one of them.

use super::routes::RouteProblem;
use super::routing::Distances;
use super::wire::{Defaults, LINK_KEYS, read_wire, required_wire};
use super::{Ends, Member, Network};
use crate::diagnostics::counted;
use crate::flows::{FlowPlan, Place};
use crate::reader::TableReader;
use crate::transports::most_paths;
use ackclock_base::Range;

impl Network {
    pub(super) fn add_parallel(&mut self, root: &TableReader<'_>, flows: usize) -> Option<Ends> {
        let keys = ["pairs", "bottlenecks", "access"];
        let table = root.reader.table(root.get("parallel")?, "parallel", &keys)?;
        let pairs = table
            .integer("pairs", Range::between(1.0, super::MAX_PAIRS))
            .map_or(flows.clamp(1, super::MAX_PAIRS as usize), |pairs| pairs as usize);
        table.required("bottlenecks", "a list of tables with `rate` and `delay`");
        let items = table.list("bottlenecks")?;
        let most = most_paths();
        if items.is_empty() || items.len() > most {
            let expected = format!("from 1 to {most} bottlenecks");
            table.problem_at("bottlenecks", &counted(items.len(), "bottleneck"), &expected);
            return None;
        }
        let access = required_wire(&table, "access", Defaults::ACCESS)?;
        for (index, item) in items.iter().enumerate() {
            let number = index + 1;
            let place = format!("parallel.bottlenecks.{index}");
            let link = read_wire(&root.reader.table(item, &place, &LINK_KEYS)?, None, Defaults::BOTTLENECK)?;
            let (left, right) = routers(number);
            self.add_duplex(&format!("bottleneck-{number}"), &left, &right, &link, 0, 1);
            for pair in 1..=pairs {
                let (source, sink) = hosts(pair);
                let name = |side: &str| format!("access-{pair}-{side}-{number}");
                self.add_duplex(&name("left"), &source, &left, &access, pair - 1, pairs);
                self.add_duplex(&name("right"), &right, &sink, &access, pair - 1, pairs);
            }
        }
        Some(Ends::Parallel(pairs, items.len()))
    }

    /// The paths of a group's flows; `taken` flows of other groups have come before.
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
                let expected = format!("a pair from 1 to {pairs}");
                return Err(RouteProblem::new(&format!("pair {pair}"), &expected));
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
