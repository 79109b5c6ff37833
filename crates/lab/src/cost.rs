//! What a run costs besides the packets that its links deliver, which [`Scenario::expected_packets`] counts.
//!
//! A scenario may be slow for another reason: a queue discipline that looks at its queue ten thousand times in a simulated
//! second, a path of a thousand links, a source whose packets are dropped before any link delivers them. Each such reason is a
//! [`Cause`]. It has a place in the scenario file, a number of events, and a time that one event takes, measured on one core of
//! 2026 and rounded up. The numbers of events are upper bounds: a sender that reacts to losses sends less than its path allows.
//! [`Cost::certain_s`] is the part that no such reaction reduces, and a scenario is refused for that part alone.

mod cause;
mod flows;
mod links;
mod place;
mod traffic;

pub use cause::Cause;
pub use place::Place;

use crate::scenario::Scenario;
use std::collections::HashSet;
use std::mem::discriminant;
use traffic::Traffic;

/// The seconds of computing from which on a cost is announced. The command line announces packets from the same time on.
pub const ANNOUNCED_S: f64 = 10.0;
/// The seconds of computing beyond which a scenario is refused: about a day. The greatest number of packets takes as long.
pub const REFUSED_S: f64 = 1e5;

/// The events that one place of a scenario makes for one cause.
#[derive(Clone, Copy, Debug)]
struct Part {
    cause: Cause,
    place: Place,
    events: f64,
    /// The events that happen whatever the network does.
    certain: f64,
}

/// The cost of one kind of cause while it is added up.
struct Sum {
    cost: Cost,
    /// The seconds of the part that takes longest.
    longest_s: f64,
    places: HashSet<Place>,
}

impl Sum {
    fn of(part: &Part) -> Self {
        let Part { cause, place, .. } = *part;
        let cost = Cost { cause, place, places: 0, events: 0.0, seconds: 0.0, certain_s: 0.0 };
        let mut sum = Self { cost, longest_s: 0.0, places: HashSet::new() };
        sum.add(part);
        sum
    }

    fn add(&mut self, part: &Part) {
        let Part { cause, place, events, certain } = *part;
        let seconds = events * cause.ns() / 1e9;
        if seconds > self.longest_s {
            (self.cost.cause, self.cost.place, self.longest_s) = (cause, place, seconds);
        }
        self.places.insert(place);
        self.cost.places = self.places.len();
        self.cost.events += events;
        self.cost.seconds += seconds;
        self.cost.certain_s += certain * cause.ns() / 1e9;
    }
}

/// What one kind of cause costs in a run, over all the places of a scenario that have it.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// The cause, with the numbers of the place that costs most.
    pub cause: Cause,
    /// The place that costs most.
    pub place: Place,
    /// The number of places.
    pub places: usize,
    /// The number of events, at most.
    pub events: f64,
    /// The seconds of computing that they take, about and at most.
    pub seconds: f64,
    /// The seconds of computing of the events that happen whatever the network does.
    pub certain_s: f64,
}

impl Cost {
    /// Returns what a scenario costs besides the packets that its links deliver, a cost for each kind of cause.
    pub fn all(scenario: &Scenario) -> Vec<Self> {
        let traffic = Traffic::of(scenario);
        let mut parts = Vec::new();
        flows::parts(scenario, &traffic, &mut parts);
        links::parts(scenario, &traffic, &mut parts);
        let mut sums: Vec<Sum> = Vec::new();
        for part in parts.iter().filter(|part| part.events > 0.0) {
            let alike = |sum: &&mut Sum| discriminant(&sum.cost.cause) == discriminant(&part.cause);
            match sums.iter_mut().find(alike) {
                Some(sum) => sum.add(part),
                None => sums.push(Sum::of(part)),
            }
        }
        sums.into_iter().map(|sum| sum.cost).collect()
    }

    /// Returns whether the cost is worth announcing before the run.
    pub fn is_announced(&self) -> bool {
        self.seconds > ANNOUNCED_S
    }

    /// Returns whether the scenario is refused for this cost.
    pub fn is_refused(&self) -> bool {
        self.certain_s > REFUSED_S
    }

    /// The sentence that announces the cost.
    pub fn announcement(&self, scenario: &Scenario) -> String {
        let others = match self.places {
            1 => String::new(),
            2 => " and another one".to_owned(),
            places => format!(" and {} others", places - 1),
        };
        format!(
            "{}{others}: {}: up to {:.1e} {}, about {} of computing; {} takes less",
            self.place.name(scenario),
            self.cause.words(),
            self.events,
            self.cause.events(),
            computing(self.seconds),
            self.cause.remedy()
        )
    }

    /// What was found, and what is expected in its place, for a refusal.
    pub fn refusal(&self) -> (String, String) {
        let found = format!("{}: about {:.1e} {}", self.cause.words(), self.events, self.cause.events());
        let expected = format!(
            "what takes a day of computing at most, not {}: {}",
            computing(self.certain_s),
            self.cause.remedy()
        );
        (found, expected)
    }

    /// The key that brings the cost about, as a dotted path beneath its place.
    pub fn key(&self) -> String {
        self.cause.key()
    }
}

/// Returns about how many packets of sources over UDP are under way at the end of a run, on wires alone.
pub fn under_way(scenario: &Scenario) -> f64 {
    Traffic::of(scenario).under_way(&scenario.network.links)
}

/// A time of computing in words, in the unit that suits it.
fn computing(seconds: f64) -> String {
    let (number, unit) = match seconds {
        ..120.0 => (seconds, "s"),
        ..7200.0 => (seconds / 60.0, "minutes"),
        ..172_800.0 => (seconds / 3600.0, "hours"),
        ..6.3e7 => (seconds / 86_400.0, "days"),
        _ => (seconds / 3.156e7, "years"),
    };
    if number < 1e4 { format!("{number:.0} {unit}") } else { format!("{number:.1e} {unit}") }
}
