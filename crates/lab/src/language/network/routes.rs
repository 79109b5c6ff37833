//! The paths of the flows over the links of a network.

use super::graph::{Ends, MAX_PATH, MAX_STEPS, Network};
use super::routing::{Distances, Hashed};
use super::routing_choice::Routing;
use crate::language::diagnostics::{nearest, one_of_many};
use crate::language::document::{Span as Place_, quoted};
use crate::language::flows::{FlowGroup, FlowPlan, Member, Place};
use crate::language::network::routings::Ecmp;
use crate::language::reader::TableReader;
use std::collections::VecDeque;

impl Network {
    /// Returns the groups with the paths of all flows, and reports flows without a path.
    pub(super) fn routes(&self, root: &TableReader<'_>, plans: &[FlowPlan], ends: Ends) -> Vec<FlowGroup> {
        let (mut taken, mut steps) = (0, 0);
        let mut groups = Vec::new();
        let distances = &mut Distances::default();
        for plan in plans {
            match self.route(plan, ends, taken, distances) {
                Ok(members) => {
                    steps += plan.sending.workload.steps(&members);
                    groups.push(FlowGroup { plan: plan.clone(), members });
                }
                Err(problem) => problem.tell(root, plan),
            }
            if steps > MAX_STEPS {
                RouteProblem::too_many_steps(steps).tell(root, plan);
                return Vec::new();
            }
            taken += plan.count;
        }
        groups
    }

    /// Returns the paths of a group's flows; `taken` flows of other groups come before.
    pub(super) fn route(
        &self,
        plan: &FlowPlan,
        ends: Ends,
        taken: usize,
        distances: &mut Distances,
    ) -> Result<Vec<Member>, RouteProblem> {
        let begins_connections = plan.sending.workload.timetable().is_some();
        // Flows without a place of their own use the pairs of a dumbbell in turn, or the named pairs;
        // otherwise all take the same path. Connections that count as one flow choose from all of these
        // paths.
        let every = |pairs: usize| match begins_connections {
            true => pairs,
            false => plan.count,
        };
        match (&plan.place, ends) {
            (Place::Anywhere, Ends::Pairs(pairs)) => (0..every(pairs))
                .map(|index| self.pair((taken + index) % pairs + 1, pairs, distances))
                .collect(),
            (Place::Pairs(chosen), Ends::Pairs(pairs)) => (0..every(chosen.len()))
                .map(|index| self.pair(chosen[index % chosen.len()], pairs, distances))
                .collect(),
            (Place::Anywhere | Place::Pairs(_), Ends::Parallel(pairs, paths)) => {
                self.parallel_members(plan, taken, pairs, paths, distances)
            }
            _ => {
                let mut member = |index: usize| {
                    let flow = plan.member_name(index);
                    match &plan.place {
                        Place::Paths(paths) => self.member_over(paths, &flow, distances),
                        place => self.member(&stops(place, ends)?, &flow, distances),
                    }
                };
                let first = member(0)?;
                // With ECMP every flow, and every connection of a timetable, has a path of its own, which is
                // as long as the first one.
                let count = match begins_connections && self.hashes() {
                    true => plan.sending.workload.copies(),
                    false => plan.count,
                };
                let steps = count * first.steps();
                if steps > MAX_STEPS {
                    return Err(RouteProblem::too_many_steps(steps));
                }
                if !self.hashes() {
                    return Ok(vec![first; count]);
                }
                (0..count).map(member).collect()
            }
        }
    }

    /// Returns whether each flow's path is chosen by its hash.
    pub(super) fn hashes(&self) -> bool {
        matches!(self.routing, Routing::Ecmp(_))
    }

    /// Returns the path of pair `pair` of a dumbbell with `pairs` pairs.
    pub(super) fn pair(
        &self,
        pair: usize,
        pairs: usize,
        distances: &mut Distances,
    ) -> Result<Member, RouteProblem> {
        if pair > pairs {
            return Err(RouteProblem::unknown_pair(pair, pairs));
        }
        // There is only one way, so the name of the flow is not used.
        self.member(&pair_stops(pair), "", distances)
    }

    /// Returns the path of a flow with this name along its stops, and back.
    pub(super) fn member(
        &self,
        stops: &[String],
        flow: &str,
        distances: &mut Distances,
    ) -> Result<Member, RouteProblem> {
        if let Some((index, unknown)) =
            stops.iter().enumerate().find(|(_, stop)| !self.index.contains_key(*stop))
        {
            let some = one_of_many(self.nodes.iter().map(String::as_str));
            return Err(RouteProblem {
                stop: index,
                found: format!("the node {}", quoted(unknown)),
                expected: format!("a node of the network: {some}"),
                hint: nearest(unknown, self.nodes.iter().map(String::as_str)),
            });
        }
        let back: Vec<String> = stops.iter().rev().cloned().collect();
        let forward = self.walk(stops, flow, distances)?;
        let backward = self.walk(&back, &format!("{flow} back"), distances)?;
        if forward.is_empty() {
            return Err(RouteProblem::new("a flow from a node to itself", "two different nodes"));
        }
        Ok(Member { forward, backward, others: Vec::new() })
    }

    /// Returns a flow's member over several paths. A problem refers to the node at fault among the nodes of
    /// all paths.
    pub(super) fn member_over(
        &self,
        paths: &[Vec<String>],
        flow: &str,
        distances: &mut Distances,
    ) -> Result<Member, RouteProblem> {
        let mut before = 0;
        let mut members = Vec::new();
        for (index, stops) in paths.iter().enumerate() {
            let shift = |problem: RouteProblem| RouteProblem { stop: problem.stop + before, ..problem };
            // Each path has its own addresses, and so its own hash.
            let path = format!("{flow} path {}", index + 1);
            members.push(self.member(stops, &path, distances).map_err(shift)?);
            before += stops.len();
        }
        let others = members.split_off(1);
        let first = members.pop().ok_or_else(|| RouteProblem::new("no path", "a path"))?;
        Ok(Member { others, ..first })
    }

    /// Returns the links along the stops. Each leg takes the fewest links.
    pub(super) fn walk(
        &self,
        stops: &[String],
        flow: &str,
        distances: &mut Distances,
    ) -> Result<Vec<u32>, RouteProblem> {
        let mut links = Vec::new();
        for leg in stops.windows(2) {
            let (from, to) = (self.index[&leg[0]], self.index[&leg[1]]);
            let way = match self.routing {
                Routing::First => self.shortest(from, to),
                Routing::Ecmp(Ecmp { seed }) => self.hashed(from, to, &Hashed { seed, flow }, distances),
            };
            let no_path = || format!("no path from {} to {}", quoted(&leg[0]), quoted(&leg[1]));
            let expected = "links that connect the flow's nodes in both directions";
            links.extend(way.ok_or_else(|| RouteProblem::new(&no_path(), expected))?);
            if links.len() > MAX_PATH {
                let found = format!("a path of {} links or more", links.len());
                return Err(RouteProblem::new(&found, &format!("at most {MAX_PATH} links")));
            }
        }
        Ok(links)
    }

    pub(super) fn shortest(&self, from: usize, to: usize) -> Option<Vec<u32>> {
        if let Some((link, _)) = self.leaving[from].iter().find(|(_, next)| *next == to && from != to) {
            return Some(vec![*link]);
        }
        let mut came_by: Vec<Option<u32>> = vec![None; self.nodes.len()];
        let mut queue = VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            if node == to {
                break;
            }
            for (link, next) in &self.leaving[node] {
                if *next != from && came_by[*next].is_none() {
                    came_by[*next] = Some(*link);
                    queue.push_back(*next);
                }
            }
        }
        let mut links = Vec::new();
        let mut node = to;
        while node != from {
            let link = came_by[node]?;
            links.push(link);
            node = self.index[&self.links[link as usize].from];
        }
        links.reverse();
        Some(links)
    }
}

/// The reason why a flow has no path.
#[derive(Debug)]
pub(super) struct RouteProblem {
    /// The index of the node at fault among those that the flow names.
    stop: usize,
    found: String,
    expected: String,
    hint: Option<String>,
}

impl RouteProblem {
    pub(super) fn new(found: &str, expected: &str) -> Self {
        Self { stop: 0, found: found.to_owned(), expected: expected.to_owned(), hint: None }
    }

    /// Returns the problem of a flow between hosts of a pair beyond the last of these `pairs`.
    pub(super) fn unknown_pair(pair: usize, pairs: usize) -> Self {
        let expected = match pairs {
            1 => "pair 1, the only pair of hosts (`pairs` sets their number)".to_owned(),
            _ => format!("a pair from 1 to {pairs} (`pairs` sets the number of pairs)"),
        };
        Self::new(&format!("pair {pair}"), &expected)
    }

    pub(super) fn too_many_steps(steps: usize) -> Self {
        let expected =
            format!("paths with a total of at most {MAX_STEPS} links; use fewer flows or shorter paths");
        Self::new(
            &format!("paths with a total of {steps} links, over all flows and both directions"),
            &expected,
        )
    }

    pub(super) fn tell(self, root: &TableReader<'_>, plan: &FlowPlan) {
        let span: &Place_ =
            plan.place_spans.get(self.stop).or(plan.place_spans.first()).unwrap_or(&plan.span);
        root.reader.problem(span, &format!("flows.{}", plan.name), &self.found, &self.expected, self.hint);
    }
}

/// Returns the nodes along which a group's flows go if all take the same path.
pub(super) fn stops(place: &Place, ends: Ends) -> Result<Vec<String>, RouteProblem> {
    match (place, ends) {
        (Place::Path(stops), _) => Ok(stops.clone()),
        (Place::Paths(paths), _) => Ok(paths[0].clone()),
        (Place::Ends(from, to), _) => Ok(vec![from.clone(), to.clone()]),
        (Place::Pairs(_), _) => Err(RouteProblem::new(
            "`pair`",
            "`from` and `to`, or `path`: only [dumbbell] and [parallel] networks have pairs of hosts",
        )),
        (Place::Anywhere, Ends::Hops(hops)) => Ok(vec!["source-1".to_owned(), format!("sink-{}", hops + 1)]),
        (Place::Anywhere, _) => Err(RouteProblem::new(
            "no path",
            "`from` and `to`, or `path`: the nodes between which the flow runs",
        )),
    }
}

pub(super) fn pair_stops(pair: usize) -> Vec<String> {
    vec![format!("source-{pair}"), "left".to_owned(), "right".to_owned(), format!("sink-{pair}")]
}
