//! What is known of a run before it: its [summary](describe), its [likely mistakes](warnings), and the cost of a run besides the
//! packets that its links deliver, which [`Scenario::expected_packets`] counts.
//!
//! A scenario may be slow for other reasons: a queue discipline that examines its queue ten thousand times
//! per simulated second, a path of a thousand links, a source whose packets are dropped before any link
//! delivers them. Each such reason is a [`Cause`]. It has a place in the scenario file, a number of events,
//! and a time per event, measured on one core of 2026 and rounded up. The numbers of events are upper bounds:
//! a sender that reacts to losses sends less than its path allows. [`Cost::certain_s`] is the part that no
//! such reaction reduces. Only that part leads to the refusal of a scenario.

mod cause;
pub mod describe;
mod flows;
mod links;
mod place;
mod traffic;
pub mod warnings;

pub use cause::Cause;
pub use place::Place;

use crate::language::scenario::Scenario;
use ackclock_base::Span;
use std::collections::HashSet;
use std::mem::discriminant;
use traffic::Traffic;

/// The seconds of computing above which a cost is announced, for the whole run or for a simulated second. The command line
/// announces packets above the same time.
pub const ANNOUNCED_S: f64 = 10.0;
/// The seconds of computing up to which nothing is announced, however short the run is.
const AT_ONCE_S: f64 = 1.0;
/// The seconds of computing above which a scenario is refused: about a day. The maximum number of packets
/// takes as long.
pub const REFUSED_S: f64 = 1e5;

/// The events that one place of a scenario causes for one reason.
#[derive(Clone, Copy, Debug)]
struct Part {
    cause: Cause,
    place: Place,
    events: f64,
    /// The events that happen whatever the network does.
    certain: f64,
}

/// The cost of one kind of cause while it is being added up.
struct Sum {
    cost: Cost,
    /// The seconds of the longest part.
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

/// The cost of one kind of cause in a run, over all places of the scenario that have it.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// The cause, with the numbers of the most expensive place.
    pub cause: Cause,
    /// The most expensive place.
    pub place: Place,
    /// The number of places.
    pub places: usize,
    /// The maximum number of events.
    pub events: f64,
    /// The approximate maximum of the seconds of computing that they take.
    pub seconds: f64,
    /// The seconds of computing of the events that happen whatever the network does.
    pub certain_s: f64,
}

impl Cost {
    /// Returns the costs of a scenario besides the packets that its links deliver, one for each kind of
    /// cause.
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

    /// Returns whether the cost is worth announcing before a run of this length.
    pub fn is_announced(&self, run: Span) -> bool {
        self.seconds > (ANNOUNCED_S * run.seconds()).clamp(AT_ONCE_S, ANNOUNCED_S)
    }

    /// Returns whether the scenario is refused for this cost.
    pub fn is_refused(&self) -> bool {
        self.certain_s > REFUSED_S
    }

    /// Returns the sentence that announces the cost.
    pub fn announcement(&self, scenario: &Scenario) -> String {
        let [one, several] = match self.place {
            Place::Flows(_) => ["group", "groups"],
            Place::Link(_) => ["link", "links"],
            Place::Medium(_) => ["medium", "media"],
        };
        let others = match self.places {
            1 => String::new(),
            2 => format!(" and 1 other {one}"),
            places => format!(" and {} other {several}", places - 1),
        };
        format!(
            "{}{others}: {}: up to {:.1e} {}, about {} of CPU time; to reduce this time, use {}",
            self.place.name(scenario),
            self.cause.words(),
            self.events,
            self.cause.events(),
            computing(self.seconds),
            self.cause.remedy()
        )
    }

    /// Returns what a refusal names as found, and what it names as expected.
    pub fn refusal(&self) -> (String, String) {
        let found = format!("{}: about {:.1e} {}", self.cause.words(), self.events, self.cause.events());
        let expected = format!(
            "at most a day of CPU time, not {}: use {}",
            computing(self.certain_s),
            self.cause.remedy()
        );
        (found, expected)
    }

    /// Returns the key that causes the cost, as a dotted path below its place.
    pub fn key(&self) -> String {
        self.cause.key()
    }
}

/// Returns the approximate number of packets of sources over UDP that are in flight at the end of a run,
/// counting only wires.
pub fn under_way(scenario: &Scenario) -> f64 {
    Traffic::of(scenario).under_way(&scenario.network.links)
}

/// Returns a computing time in words, in a suitable unit.
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
