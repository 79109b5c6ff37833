//! Checks the accounts at the end of the run: every launched packet must be somewhere.

use super::{Counts, Replay, Stage};
use crate::{Rule, Violation};

impl Replay<'_> {
    /// Checks the accounts of every path and of every link at the end of the run.
    pub(crate) fn close_accounts(&mut self) {
        for link in 0..self.links.len() {
            self.admit_newcomer(link);
        }
        let mut paths = vec![Remaining::default(); self.paths.len()];
        let mut links = vec![Remaining::default(); self.links.len()];
        for packet in &self.launched {
            let course = &self.courses[packet];
            let Some((stage, hops)) = course.at_end.filter(|(stage, _)| !stage.is_fate()) else { continue };
            let link = self.network.paths[course.path as usize].links.get(hops).map(|link| *link as usize);
            let goes_on = course.goes_on || link.is_some_and(|link| self.may_stay(link, stage));
            paths[course.path as usize].add(*packet, stage, goes_on);
            if let Some(link) = link.and_then(|link| links.get_mut(link))
                && stage != Stage::AtNode
            {
                link.add(*packet, stage, goes_on);
            }
        }
        for (path, remaining) in paths.iter().enumerate() {
            self.balance_path(path, remaining);
        }
        for (link, remaining) in links.iter().enumerate() {
            self.balance_link(link, remaining);
        }
    }

    /// Returns whether the trace may leave open what happens to a packet that is at this stage at the end of
    /// the run. It may for a packet that waits, if the discipline decides at departure and the link is busy
    /// or may hold packets back; and for a packet that was sent, if it waits for others that are repeated.
    fn may_stay(&self, link: usize, stage: Stage) -> bool {
        match stage {
            Stage::Offered => {}
            Stage::Failed | Stage::Sent => return self.network.repeats(link),
            _ => return false,
        }
        let service = self.network.links[link].service;
        let decides_late = service.drops_late || service.overtakes;
        self.network.holds_back(link) || decides_late && self.links[link].free_since >= self.end
    }

    /// Checks that every packet of a path is accounted for.
    fn balance_path(&mut self, path: usize, remaining: &Remaining) {
        let Counts { launched, dropped, lost, absorbed, delivered, .. } = self.paths[path].counts;
        let in_flight = remaining.inside + remaining.on_the_wire + remaining.at_nodes;
        if launched != dropped + lost + absorbed + delivered + in_flight {
            let name = self.network.path_words(path as u32);
            let ended =
                if absorbed > 0 { format!("{absorbed} absorbed by an agent, ") } else { String::new() };
            let sum = format!(
                "{launched} packets launched, but {dropped} dropped, {lost} corrupted, {ended}{delivered} delivered"
            );
            self.imbalance(remaining, &format!("{name}: {sum} and {in_flight} in flight"));
        }
    }

    /// Checks that every packet that was offered to a link is accounted for.
    fn balance_link(&mut self, link: usize, remaining: &Remaining) {
        let Counts { offered, dropped, sent, lost, arrived, .. } = self.links[link].counts;
        let Remaining { inside, on_the_wire, .. } = *remaining;
        let name = format!("link {}", self.network.links[link].name);
        if offered != dropped + sent + inside {
            let sum = format!(
                "{name}: {offered} packets offered, but {dropped} dropped, {sent} sent and {inside} queued or \
                 being sent"
            );
            self.imbalance(remaining, &sum);
        } else if sent != lost + arrived + on_the_wire {
            let sum = format!(
                "{name}: {sent} packets sent, but {lost} corrupted, {arrived} arrived and {on_the_wire} on the wire"
            );
            self.imbalance(remaining, &sum);
        }
    }

    /// Adds the violation that the sum of an account is wrong.
    fn imbalance(&mut self, remaining: &Remaining, sum: &str) {
        let lost_sight = match remaining.vanished {
            Some((packet, stage)) => {
                format!("; packet {packet} has no further record, although it was last {}", stage.words())
            }
            None => String::new(),
        };
        self.found.push(Violation {
            rule: Rule::Conservation,
            time: self.end,
            what: format!("{sum}{lost_sight}"),
        });
    }
}

/// The numbers of packets that a path or a link holds at the end of the run.
#[derive(Clone, Copy, Default)]
struct Remaining {
    at_nodes: u64,
    inside: u64,
    on_the_wire: u64,
    /// The first packet whose records break off before the end without a fate, and where the packet was.
    vanished: Option<(u64, Stage)>,
}

impl Remaining {
    /// Adds a packet that has met no fate by the end of the run. It is in flight if the trace continues its
    /// course at or after the end, or may leave it open (`goes_on`). Otherwise a record of it is missing, and
    /// the accounts will not balance.
    fn add(&mut self, packet: u64, stage: Stage, goes_on: bool) {
        match stage {
            _ if !goes_on => self.vanished = self.vanished.or(Some((packet, stage))),
            Stage::AtNode => self.at_nodes += 1,
            Stage::Sent => self.on_the_wire += 1,
            _ => self.inside += 1,
        }
    }
}
