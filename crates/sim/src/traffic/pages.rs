//! A reader of web pages, who requests the next page when the last is complete. A page's objects come over a
//! few parallel connections, which are opened for the page and take the next object when they have delivered
//! one (RFC 7928 section 7.2).

use super::{Entry, Workload, application};
use crate::random::Stream;
use crate::session::{Desk, Order, Session, SessionPlan};
use ackclock_base::{Random, Range, Size, Span, Time, parameters};
use std::collections::VecDeque;
use std::sync::Arc;

/// The entry in the list of applications.
pub const ENTRY: Entry = Entry {
    descriptor: &application(
        "pages",
        "Fetches one web page after another over parallel connections, each page once the previous page is complete",
        "RFC 7928 section 7.2",
        Parameters::TABLE,
    ),
    workload: Workload::Session(|values, payload_bytes| Arc::new(Pages::of(&values.into(), payload_bytes))),
};

parameters! {
    /// The parameters of pages, and of how they are fetched.
    pub struct Parameters {
        /// Number of objects per page
        objects: usize = integer("50", Range::between(1.0, 1e5), "RFC 7928 section 7.2"),
        /// Largest number of parallel connections; each page opens new ones
        connections: usize = integer("6", Range::between(1.0, 1000.0), "RFC 7928 section 7.2"),
        /// Median size of an object; sizes are drawn from a log-normal distribution and rounded up to whole packets
        object: Size = size("8 kB", SIZES, "none"),
        /// Standard deviation of the natural logarithm of an object's size; 0 for objects of one size
        spread: f64 = number("1.2", Range::between(0.0, 5.0), "none"),
        /// The smallest size of an object; smaller draws are raised to it
        min_object: Size = size("1 kB", SIZES, "RFC 7928 section 7.2"),
        /// The largest size of an object; larger draws are reduced to it
        max_object: Size = size("500 kB", SIZES, "none"),
        /// The time from the end of a page to the request for the next page
        think: Span = time(
            "0 s",
            Range::between(0.0, 1e6),
            "no source for a positive value; in RFC 7928 section 7.2, pages are fetched without a pause",
        ),
    }
}

const SIZES: Range = Range::between(1.0, 1e12);

/// The properties of the pages and of the reader.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pages {
    /// The number of objects of a page.
    pub objects: usize,
    /// The number of parallel connections.
    pub connections: usize,
    /// The median size of an object in bytes.
    pub median_bytes: f64,
    /// The standard deviation of the natural logarithm of the size.
    pub spread: f64,
    /// The smallest size of an object in bytes.
    pub least_bytes: f64,
    /// The largest size of an object in bytes.
    pub most_bytes: f64,
    /// The time from the end of a page to the request for the next.
    pub think: Span,
    /// The payload of a packet in bytes.
    pub payload_bytes: f64,
}

/// The state of the reader.
#[derive(Clone, Debug)]
pub struct Reading {
    pages: Pages,
    /// The time at which the present page was requested.
    began: Time,
    /// The sizes in packets of the page's objects that no connection has taken yet.
    waiting: VecDeque<u64>,
    /// The number of objects that connections have taken and not yet delivered.
    under_way: usize,
}

impl Pages {
    /// Creates the pages from the parameters of a scenario, for packets of this payload.
    pub fn of(parameters: &Parameters, payload_bytes: u64) -> Self {
        let bytes = |size: Size| size.bytes() as f64;
        Self {
            objects: parameters.objects,
            connections: parameters.connections,
            median_bytes: bytes(parameters.object),
            spread: parameters.spread,
            least_bytes: bytes(parameters.min_object),
            most_bytes: bytes(parameters.max_object),
            think: parameters.think,
            payload_bytes: payload_bytes as f64,
        }
    }

    /// Draws the size of an object in packets.
    fn draw(&self, random: &mut Stream) -> u64 {
        let size = self.median_bytes * libm::exp(self.spread * normal(random));
        (size.clamp(self.least_bytes, self.most_bytes) / self.payload_bytes).ceil().max(1.0) as u64
    }
}

impl SessionPlan for Pages {
    fn connections(&self) -> usize {
        self.connections
    }

    fn most_packets(&self) -> f64 {
        (self.most_bytes / self.payload_bytes).ceil()
    }

    fn build(&self) -> Box<dyn Session> {
        Box::new(Reading::new(*self))
    }
}

/// Draws a normal number with mean 0 and deviation 1 (Box and Muller 1958).
fn normal(random: &mut Stream) -> f64 {
    let radius = (2.0 * random.exponential(1.0)).sqrt();
    radius * libm::cos(2.0 * std::f64::consts::PI * random.uniform())
}

impl Reading {
    /// Creates a reader that has not begun.
    pub fn new(pages: Pages) -> Self {
        Self { pages, began: Time::ZERO, waiting: VecDeque::new(), under_way: 0 }
    }

    /// Requests a page at time `at`, which may lie ahead. All its sizes are drawn now, so that the k-th page
    /// is the same whatever the network does.
    fn open(&mut self, at: Time, desk: &mut Desk<'_>) {
        self.began = at;
        desk.tally.begin(at);
        self.waiting.extend((0..self.pages.objects).map(|_| self.pages.draw(desk.random)));
        for connection in 0..self.pages.connections {
            self.take(at, connection, true, desk);
        }
    }

    /// Gives the next object, if there is one, to a connection, which is opened anew if `anew`.
    fn take(&mut self, at: Time, connection: usize, anew: bool, desk: &mut Desk<'_>) {
        if let Some(packets) = self.waiting.pop_front() {
            desk.orders.push(Order { connection, at, packets, anew });
            self.under_way += 1;
        }
    }
}

impl Session for Reading {
    fn begin(&mut self, now: Time, desk: &mut Desk<'_>) {
        self.open(now, desk);
    }

    fn delivered(&mut self, now: Time, connection: usize, desk: &mut Desk<'_>) {
        self.under_way -= 1;
        self.take(now, connection, false, desk);
        if self.under_way == 0 {
            desk.tally.complete(self.began, now);
            self.open(now + self.pages.think, desk);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Interval;
    use crate::session::Tally;

    const USUAL: Pages = Pages {
        objects: 50,
        connections: 6,
        median_bytes: 8000.0,
        spread: 1.2,
        least_bytes: 1000.0,
        most_bytes: 500_000.0,
        think: Span::from_millis(500),
        payload_bytes: 1000.0,
    };

    #[test]
    fn connections_share_a_pages_objects_and_are_reopened_for_the_next_page() {
        let pages = Pages { objects: 3, connections: 2, spread: 0.0, ..USUAL };
        let mut reading = Reading::new(pages);
        let mut random = Stream::new(1, "pages");
        let mut tally = Tally::new(Interval { from: Time::ZERO, to: Time::from_seconds(10.0) });
        let at = Time::from_seconds;
        let mut step = |now: f64, connection: Option<usize>| {
            let mut orders = Vec::new();
            let mut desk = Desk { random: &mut random, orders: &mut orders, tally: &mut tally };
            match connection {
                None => reading.begin(at(now), &mut desk),
                Some(connection) => reading.delivered(at(now), connection, &mut desk),
            }
            orders
        };
        let order = |connection, seconds, anew| Order { connection, at: at(seconds), packets: 8, anew };
        assert_eq!(step(1.0, None), [order(0, 1.0, true), order(1, 1.0, true)]);
        assert_eq!(step(1.3, Some(1)), [order(1, 1.3, false)], "the third object");
        assert_eq!(step(1.4, Some(0)), [], "no more objects");
        assert_eq!(step(1.6, Some(1)), [order(0, 2.1, true), order(1, 2.1, true)], "half a second later");
        assert_eq!((tally.begun(), tally.times().count()), (2, 1));
        assert!((tally.times().mean_s().unwrap() - 0.6).abs() < 1e-9);
    }

    #[test]
    fn sizes_are_log_normal_between_their_bounds() {
        // The logarithm of a size is normal with mean ln 8000 and deviation 1.2. A size lies below 1000 B
        // with probability Phi(-ln 8 / 1.2) = Phi(-1.733) = 0.0416, above 500 kB with 1 - Phi(3.446) =
        // 0.00028, and above 80 kB with 1 - Phi(1.919) = 0.0275. For 100000 draws the relative standard
        // errors of the first and the last are 1.5 % and 1.9 %.
        let mut random = Stream::new(1, "sizes");
        let sizes: Vec<u64> = (0..100_000).map(|_| USUAL.draw(&mut random)).collect();
        let share = |holds: &dyn Fn(u64) -> bool| {
            sizes.iter().filter(|size| holds(**size)).count() as f64 / sizes.len() as f64
        };
        assert!((share(&|size| size == 1) / 0.0416 - 1.0).abs() < 0.06);
        assert!((share(&|size| size > 80) / 0.0275 - 1.0).abs() < 0.08);
        assert!((share(&|size| size > 8) - 0.5).abs() < 0.006, "the median");
        assert!(sizes.iter().all(|size| (1..=500).contains(size)) && sizes.contains(&500));
    }
}
