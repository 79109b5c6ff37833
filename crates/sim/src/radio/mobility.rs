//! The places of nodes and their movement: random waypoint in a rectangle (Johnson and Maltz 1996; ns-2's
//! `setdest`).
//!
//! A course is a function of its random stream alone, so every component that needs the place of a node may
//! follow its own copy.

use crate::random::Stream;
use ackclock_base::{Descriptor, Kind, Range, Span, Time, Values, parameters};

/// A place, in metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Place {
    /// The horizontal coordinate.
    pub x_m: f64,
    /// The vertical coordinate.
    pub y_m: f64,
}

impl Place {
    /// Returns the distance to another place in metres.
    pub fn distance_m(self, other: Self) -> f64 {
        libm::hypot(self.x_m - other.x_m, self.y_m - other.y_m)
    }

    fn towards(self, other: Self, share: f64) -> Self {
        let part = |from: f64, to: f64| from + (to - from) * share;
        Self { x_m: part(self.x_m, other.x_m), y_m: part(self.y_m, other.y_m) }
    }
}

/// A registered model of mobility.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name, the summary and the parameters.
    pub descriptor: &'static Descriptor,
    /// Builds the course of a node from its random stream.
    pub build: fn(&Values, Stream) -> Course,
}

/// The models of mobility, in the order in which lists show them.
pub const MOBILITIES: &[Entry] = &[
    Entry {
        descriptor: &Descriptor {
            kind: Kind::Mobility,
            name: "still",
            summary: "Nodes are placed uniformly at random in a rectangle and do not move",
            source: "ns-2",
            parameters: Area::TABLE,
            presets: &[],
        },
        build: |values, mut stream| {
            let area: Area = values.into();
            Course::still(area.draw(&mut stream))
        },
    },
    Entry {
        descriptor: &Descriptor {
            kind: Kind::Mobility,
            name: "random-waypoint",
            summary: "Nodes move in straight legs between random places in a rectangle, at a speed drawn for each \
                      leg, and pause at the end of each leg",
            source: "Johnson and Maltz 1996; ns-2's setdest",
            parameters: RandomWaypoint::TABLE,
            presets: &[],
        },
        build: |values, stream| Course::random_waypoint(values.into(), stream),
    },
];

/// Returns the model of mobility called `name`; `None` if there is none.
pub fn find(name: &str) -> Option<&'static Entry> {
    MOBILITIES.iter().find(|entry| entry.descriptor.name == name)
}

/// The ranges of sides and speeds. Small areas and high speeds would mean very many legs per second.
const SIDES_M: Range = Range::between(10.0, 1e6);
const SPEEDS_MPS: Range = Range { min: 0.0, max: 100.0, above_min: true };

parameters! {
    /// A rectangle, one corner of which is the origin.
    pub struct Area {
        /// The width of the rectangle, in metres
        width_m: f64 = number("600", SIDES_M, "Dahal 2007 section 5.3.1"),
        /// The height of the rectangle, in metres
        height_m: f64 = number("600", SIDES_M, "Dahal 2007 section 5.3.1"),
    }
}

impl Area {
    /// Draws a place in the rectangle, uniformly.
    pub fn draw(&self, random: &mut Stream) -> Place {
        Place { x_m: random.between(0.0, self.width_m), y_m: random.between(0.0, self.height_m) }
    }
}

parameters! {
    /// The parameters of movement in a rectangle.
    pub struct RandomWaypoint {
        /// The rectangle.
        area: Area,
        /// The lowest speed of a leg, in metres per second; 0 is excluded, because the mean speed would then decrease
        /// throughout the run (Yoon, Liu and Noble 2003)
        min_speed_mps: f64 = number("1", SPEEDS_MPS, "Dahal 2007 states no value; values above 0 follow Yoon, Liu and Noble 2003"),
        /// The highest speed of a leg, in metres per second
        max_speed_mps: f64 = number("10", SPEEDS_MPS, "our choice, about twice the speed of a cyclist; Dahal 2007 states no value"),
        /// The pause of a node at the end of each leg
        rest: Span = time("0 s", Range::at_least(0.0), "setdest's default"),
    }
}

/// The course of a node.
#[derive(Clone, Debug)]
pub struct Course {
    from: Place,
    to: Place,
    leaves: Time,
    arrives: Time,
    going: Option<Box<Going>>,
}

#[derive(Clone, Debug)]
struct Going {
    parameters: RandomWaypoint,
    random: Stream,
}

impl Course {
    /// Returns the course of a node that stays at a place.
    pub fn still(place: Place) -> Self {
        Self { from: place, to: place, leaves: Time::ZERO, arrives: Time::NEVER, going: None }
    }

    /// Returns the course of a node that begins at a random place, moves from place to place, and sets out at
    /// once.
    pub fn random_waypoint(parameters: RandomWaypoint, mut random: Stream) -> Self {
        let begins = parameters.area.draw(&mut random);
        let going = Some(Box::new(Going { parameters, random }));
        let mut course = Self { going, arrives: Time::ZERO, ..Self::still(begins) };
        course.turn(Time::ZERO);
        course
    }

    /// Returns the place of the node at `now`. Calls must be in order of time.
    pub fn at(&mut self, now: Time) -> Place {
        while let Some(sets_out) = self.sets_out().filter(|sets_out| *sets_out <= now) {
            self.turn(sets_out);
        }
        if now >= self.arrives {
            return self.to;
        }
        let share = now.since(self.leaves).seconds() / self.arrives.since(self.leaves).seconds();
        self.from.towards(self.to, share)
    }

    /// Returns when the next leg begins; `None` for a node that stays.
    fn sets_out(&self) -> Option<Time> {
        self.going.as_ref().map(|going| self.arrives + going.parameters.rest)
    }

    fn turn(&mut self, now: Time) {
        let Some(going) = &mut self.going else { return };
        let Going { parameters, random } = &mut **going;
        self.from = self.to;
        self.to = parameters.area.draw(random);
        let speed = random.between(parameters.min_speed_mps, parameters.max_speed_mps);
        let takes = Span::from_seconds(self.from.distance_m(self.to) / speed);
        // A leg takes at least a nanosecond, however short it is.
        (self.leaves, self.arrives) = (now, now + takes.max(Span::from_nanos(1)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn walk(parameters: RandomWaypoint, seed: u64) -> Course {
        Course::random_waypoint(parameters, Stream::new(seed, "walk"))
    }

    proptest! {
        /// A node is always inside its rectangle, and between two instants it moves no farther than its
        /// highest speed allows. While it moves straight it is no slower than its lowest speed.
        #[test]
        fn a_node_stays_in_its_rectangle_and_within_its_speeds(
            seed in any::<u64>(),
            sides in (10.0..2000.0, 10.0..2000.0),
            slowest in 0.1..20.0,
            more in 0.0..20.0,
            rest_ms in 0_u64..5000,
            step_ms in 1_u64..3000,
        ) {
            let parameters = RandomWaypoint {
                area: Area { width_m: sides.0, height_m: sides.1 },
                min_speed_mps: slowest,
                max_speed_mps: slowest + more,
                rest: Span::from_millis(rest_ms),
            };
            let mut course = walk(parameters, seed);
            let mut before = course.at(Time::ZERO);
            for step in 1..500 {
                let now = Time::ZERO + Span::from_millis(step_ms) * step;
                let place = course.at(now);
                prop_assert!((0.0..=sides.0).contains(&place.x_m) && (0.0..=sides.1).contains(&place.y_m));
                let passed = step_ms as f64 / 1e3;
                let speed = before.distance_m(place) / passed;
                prop_assert!(speed <= (slowest + more) * 1.000_001, "{speed} m/s");
                let straight = course.leaves <= now - Span::from_millis(step_ms) && now <= course.arrives;
                prop_assert!(!straight || speed >= slowest * 0.999_999, "{speed} m/s");
                before = place;
            }
        }
    }

    #[test]
    fn copies_of_a_course_give_the_same_places() {
        let [mut often, mut seldom] = [(); 2].map(|()| walk(RandomWaypoint::default(), 4));
        for second in 0..1000 {
            let place = often.at(Time::from_seconds(f64::from(second)));
            if second % 97 == 0 {
                assert_eq!(seldom.at(Time::from_seconds(f64::from(second))), place);
            }
        }
    }

    #[test]
    fn legs_have_the_mean_length_and_speed() {
        // The mean distance of two points of a unit square is 0.5214 (Ghosh 1951), which is 52.14 m for a
        // square of 100 m. Speeds are uniform with mean 5.5 m/s. The standard errors for 4000 legs are 0.4 m
        // and 0.04 m/s.
        let area = Area { width_m: 100.0, height_m: 100.0 };
        let mut course = walk(RandomWaypoint { area, ..RandomWaypoint::default() }, 9);
        let (mut lengths, mut speeds) = (0.0, 0.0);
        for _ in 0..4000 {
            let length = course.from.distance_m(course.to);
            lengths += length / 4000.0;
            speeds += length / course.arrives.since(course.leaves).seconds() / 4000.0;
            course.at(course.arrives);
        }
        assert!((lengths - 52.14).abs() < 1.6, "{lengths} m");
        assert!((speeds - 5.5).abs() < 0.16, "{speeds} m/s");
    }

    #[test]
    fn a_node_rests_where_it_has_arrived_and_one_that_is_still_stays() {
        let parameters = RandomWaypoint { rest: Span::from_millis(2000), ..RandomWaypoint::default() };
        let mut course = walk(parameters, 1);
        let (arrives, to) = (course.arrives, course.to);
        assert_eq!(course.at(arrives), to);
        assert_eq!(course.at(arrives + Span::from_millis(1999)), to);
        assert_ne!(course.at(arrives + Span::from_millis(2100)), to);
        let place = Place { x_m: 3.0, y_m: 4.0 };
        assert_eq!(Course::still(place).at(Time::from_seconds(1e6)), place);
        assert_eq!(place.distance_m(Place::default()), 5.0);
    }
}
