//! The accounts at the end of the run: every packet that was launched is somewhere.

use super::{Counts, Replay, Stage};
use crate::verify::{Rule, Violation};

impl Replay<'_> {
    pub(in crate::verify) fn close_accounts(&mut self) {
        for link in 0..self.links.len() {
            self.admit_newcomer(link);
        }
        let mut ways = vec![Remaining::default(); self.paths.len()];
        let mut lines = vec![Remaining::default(); self.links.len()];
        for packet in &self.launched {
            let course = &self.courses[packet];
            let Some((stage, hops)) = course.at_end.filter(|(stage, _)| !stage.is_fate()) else { continue };
            let link = self.facts.paths[course.path as usize].links.get(hops).map(|link| *link as usize);
            let goes_on = course.goes_on || link.is_some_and(|link| self.may_stay(link, stage));
            ways[course.path as usize].add(*packet, stage, goes_on);
            if let Some(line) = link.and_then(|link| lines.get_mut(link))
                && stage != Stage::AtNode
            {
                line.add(*packet, stage, goes_on);
            }
        }
        for (path, remaining) in ways.iter().enumerate() {
            self.balance_path(path, remaining);
        }
        for (link, remaining) in lines.iter().enumerate() {
            self.balance_link(link, remaining);
        }
    }

    /// Whether it may be open at the end what becomes of a packet. One that waits: where that is decided at departure, while
    /// the link is busy with another or holds all back. One that was sent: where it waits for others that are repeated.
    fn may_stay(&self, link: usize, stage: Stage) -> bool {
        match stage {
            Stage::Offered => {}
            Stage::Failed | Stage::Sent => return self.facts.repeats(link),
            _ => return false,
        }
        let service = self.facts.links[link].service;
        let decides_late = service.drops_late || service.overtakes;
        self.facts.holds_back(link) || decides_late && self.links[link].free_since >= self.end
    }

    fn balance_path(&mut self, path: usize, remaining: &Remaining) {
        let Counts { launched, dropped, lost, absorbed, delivered, .. } = self.paths[path].counts;
        let in_flight = remaining.inside + remaining.on_the_wire + remaining.at_nodes;
        if launched != dropped + lost + absorbed + delivered + in_flight {
            let name = self.facts.path_words(path as u32);
            let ended = if absorbed > 0 { format!("{absorbed} ended at an agent, ") } else { String::new() };
            let sum =
                format!("{launched} launched, {dropped} dropped, {lost} lost, {ended}{delivered} delivered");
            self.imbalance(remaining, &format!("{name}: {sum}, {in_flight} in flight"));
        }
    }

    fn balance_link(&mut self, link: usize, remaining: &Remaining) {
        let Counts { offered, dropped, sent, lost, arrived, .. } = self.links[link].counts;
        let Remaining { inside, on_the_wire, .. } = *remaining;
        let name = format!("link {}", self.facts.links[link].name);
        if offered != dropped + sent + inside {
            let sum = format!("{name}: {offered} offered, {dropped} dropped, {sent} sent, {inside} inside");
            self.imbalance(remaining, &sum);
        } else if sent != lost + arrived + on_the_wire {
            let sum =
                format!("{name}: {sent} sent, {lost} lost, {arrived} arrived, {on_the_wire} on the wire");
            self.imbalance(remaining, &sum);
        }
    }

    fn imbalance(&mut self, remaining: &Remaining, sum: &str) {
        let lost_sight = match remaining.vanished {
            Some((packet, stage)) => format!("; packet {packet} was last {} and vanished", stage.words()),
            None => String::new(),
        };
        self.found.push(Violation {
            rule: Rule::Conservation,
            time: self.end,
            what: format!("{sum}{lost_sight}"),
        });
    }
}

/// What a path or a link still holds at the end of the run.
#[derive(Clone, Copy, Default)]
struct Remaining {
    at_nodes: u64,
    inside: u64,
    on_the_wire: u64,
    /// The first packet whose course breaks off before the end without a fate, and where it was.
    vanished: Option<(u64, Stage)>,
}

impl Remaining {
    /// A packet is in flight if the trace knows its future: where it will be at or after the end. If not, something
    /// should have happened to it before, and the accounts are to show it.
    fn add(&mut self, packet: u64, stage: Stage, goes_on: bool) {
        match stage {
            _ if !goes_on => self.vanished = self.vanished.or(Some((packet, stage))),
            Stage::AtNode => self.at_nodes += 1,
            Stage::Sent => self.on_the_wire += 1,
            _ => self.inside += 1,
        }
    }
}
