//! Counts the numbers of a result again, from the packet trace.

use ackclock_base::Time;
use ackclock_lab::Scenario;
use ackclock_lab::language::flows::Sending;
use ackclock_lab::run::build;
use ackclock_sim::measure::Interval;
use ackclock_sim::trace::{Event, Record};
use serde_json::Value as Json;
use std::collections::HashMap;

/// Compares the counters of links and flows in a result with those that follow from the trace of the same
/// run, over the measured interval. Panics if they differ.
pub fn check(scenario: &Scenario, measured: Interval, records: &[Record], result: &Json) {
    let mut accounts = Accounts::new(scenario, measured);
    records.iter().for_each(|record| accounts.add(record));
    accounts.add_what_still_waits();
    let seconds = accounts.measured.seconds();
    let shown = result["links"].as_array().into_iter().flatten();
    accounts.links.iter().zip(shown).for_each(|(link, shown)| link.check(seconds, shown));
    let groups = scenario.flows.iter().flat_map(|group| (0..group.rows()).map(move |_| group));
    let shown = result["flows"].as_array().into_iter().flatten();
    for ((path, group), shown) in accounts.rows.iter().zip(groups).zip(shown) {
        path.check(&group.plan.sending, shown);
    }
}

struct Accounts {
    measured: Interval,
    links: Vec<Line>,
    /// One entry for each row of the result, and for each flow's path the index of its row.
    rows: Vec<Way>,
    row_of: Vec<usize>,
}

#[derive(Clone, Default)]
struct Line {
    /// Whether the link is a station of a medium.
    shares: bool,
    arrived: u64,
    dropped: u64,
    sent: u64,
    corrupted: u64,
    duplicated: u64,
    /// The sum of all packets' waiting times, in seconds: in nanoseconds it could exceed 64 bits.
    waited_s: f64,
    busy_s: f64,
    /// For each packet, when it was offered and when its transmission started.
    offered_at: HashMap<u64, Time>,
    started_at: HashMap<u64, Time>,
}

#[derive(Clone, Default)]
struct Way {
    launched: u64,
    dropped: u64,
    corrupted: u64,
    delivered: u64,
}

impl Accounts {
    fn new(scenario: &Scenario, measured: Interval) -> Self {
        Self {
            measured,
            links: scenario
                .network
                .links
                .iter()
                .map(|link| Line { shares: link.medium.is_some(), ..Line::default() })
                .collect(),
            rows: vec![Way::default(); scenario.flows.iter().map(|group| group.rows()).sum()],
            row_of: build::flows(scenario, 1)
                .iter()
                .flat_map(|flow| std::iter::repeat_n(flow.row, flow.paths.len()))
                .collect(),
        }
    }

    fn add(&mut self, record: &Record) {
        let Record { packet, .. } = *record;
        let time = Time::from_nanos(record.time_ns);
        let one = u64::from(self.measured.contains(time));
        // Results do not show what happens to acknowledgements.
        let mut unseen = Way::default();
        let path = match record.path % 2 {
            0 => &mut self.rows[self.row_of[record.path as usize / 2]],
            _ => &mut unseen,
        };
        let links = &mut self.links;
        match record.event {
            Event::Launched => path.launched += one,
            Event::Delivered => path.delivered += one,
            Event::Arrived { .. }
            | Event::Failed { .. }
            | Event::Injected { .. }
            | Event::Absorbed { .. } => {}
            Event::Duplicated { link } => links[link as usize].duplicated += one,
            Event::Offered { link } => {
                let link = &mut links[link as usize];
                link.arrived += one;
                link.offered_at.insert(packet, time);
            }
            Event::Dropped { link } => {
                let link = &mut links[link as usize];
                link.dropped += one;
                // If the discipline drops at departure, the packet has waited until now.
                let since = link.offered_at.remove(&packet).unwrap_or(time);
                link.waited_s += self.measured.overlap(since, time).seconds();
                path.dropped += one;
            }
            Event::Corrupted { link } => {
                links[link as usize].corrupted += one;
                path.corrupted += one;
            }
            Event::Started { link } => {
                let link = &mut links[link as usize];
                let since = link.offered_at.remove(&packet).unwrap_or(time);
                link.waited_s += self.measured.overlap(since, time).seconds();
                link.started_at.insert(packet, time);
            }
            Event::Sent { link } => {
                let link = &mut links[link as usize];
                link.sent += one;
                let since = link.started_at.remove(&packet).unwrap_or(time);
                link.busy_s += self.measured.overlap(since, time).seconds();
            }
        }
    }

    /// Adds the waiting time of packets that are still in a queue at the end of the run.
    fn add_what_still_waits(&mut self) {
        let measured = self.measured;
        for link in &mut self.links {
            let waits = link.offered_at.values().map(|since| measured.overlap(*since, measured.to).seconds());
            link.waited_s += waits.sum::<f64>();
        }
    }
}

impl Line {
    fn check(&self, seconds: f64, shown: &Json) {
        assert_eq!(shown["arrived_packets"], self.arrived, "{shown}");
        assert_eq!(shown["dropped_packets"], self.dropped, "{shown}");
        assert_eq!(shown["corrupted_packets"], self.corrupted, "{shown}");
        assert_eq!(shown["lost_packets"], self.dropped + self.corrupted, "{shown}");
        assert_eq!(shown["delivered_packets"], self.sent - self.corrupted, "{shown}");
        assert_eq!(
            shown.get("duplicated_packets").map_or(0, |shown| shown.as_u64().unwrap()),
            self.duplicated,
            "{shown}"
        );
        // On a medium the trace does not show all use of the channel: it omits repetitions of packets that
        // have arrived already, and preambles.
        if self.shares {
            return;
        }
        check_close(&shown["utilisation"], self.busy_s / seconds, shown);
        check_close(&shown["queue_mean_packets"], self.waited_s / seconds, shown);
    }
}

impl Way {
    fn check(&self, sending: &Sending, shown: &Json) {
        assert_eq!(shown["dropped_packets"], self.dropped, "{shown}");
        assert_eq!(shown["corrupted_packets"], self.corrupted, "{shown}");
        // Probes of a zero window do not count as sent packets.
        let probes = shown["window_probes"].as_u64().unwrap_or(0);
        let sent = shown["sent_packets"].as_u64().map(|sent| sent + probes);
        if sending.transport.facts().counts_every_packet {
            assert_eq!(sent, Some(self.launched), "{shown}");
        }
        if sending.uncontrolled().is_some() {
            assert_eq!(shown["delivered_packets"], self.delivered, "{shown}");
        }
    }
}

/// Panics unless two sums agree to six digits; sums in another order differ in their last digits.
fn check_close(shown: &Json, counted: f64, owner: &Json) {
    let shown = shown.as_f64().unwrap_or(f64::NAN);
    assert!((shown - counted).abs() <= 1e-6 * counted.max(1e-3), "{shown} shown, {counted} counted: {owner}");
}
