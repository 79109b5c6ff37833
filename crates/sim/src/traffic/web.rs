//! Web sessions: a session fetches pages, a page has objects, and each object is a connection of its own
//! (Feldmann, Gilbert, Huang and Willinger, SIGCOMM 1999; ns-2's PagePool/WebTraf).
//!
//! The times between sessions, pages and objects are counted from beginning to beginning. They do not depend
//! on how long an object takes, so the whole schedule is drawn before the run.

use super::timetable::{Connection, Streams, Timetable};
use super::{Entry, MEAN_TIMES, NamedFiles, TimetableEntry, TimetableWords, Workload, application};
use crate::random::Stream;
use ackclock_base::{Packets, Random, Range, Span, Time, parameters};
use std::sync::Arc;

/// The entry in the list of applications.
pub const ENTRY: Entry = Entry {
    descriptor: &application(
        "web",
        "Starts sessions that fetch pages of objects, each object over its own connection, on a schedule that does \
         not depend on the network",
        "Feldmann, Gilbert, Huang and Willinger, SIGCOMM 1999; Cho 2006 section II.D",
        Web::TABLE,
    ),
    workload: Workload::Timetable(TimetableEntry {
        files: |_, _| NamedFiles::default(),
        build: |values, _, _| Arc::new(Web::from(values)),
        words: TimetableWords {
            what: "web sessions",
            number: "`sessions`",
            connections: "objects in all",
            remedy: "reduce `sessions`, `pages` or `objects`",
        },
    }),
};

const SOURCE: &str = "Cho 2006 section II.D";

/// The range of numbers of sessions, pages and objects.
const COUNTS: Range = Range::between(1.0, 1e6);

parameters! {
    /// The parameters of web sessions.
    pub struct Web {
        /// Total number of sessions, which can overlap; those that would begin after `stop` or the end of the run are
        /// left out
        sessions: u64 = integer("100", COUNTS, SOURCE),
        /// Mean time from the beginning of a session to the beginning of the next session
        between_sessions: Span = time("5 s", MEAN_TIMES, SOURCE),
        /// Number of pages per session
        pages: u64 = integer("10", COUNTS, SOURCE),
        /// Mean time from the beginning of a page to the beginning of the next page of a session
        between_pages: Span = time("1 s", MEAN_TIMES, SOURCE),
        /// Number of objects per page
        objects: u64 = integer("10", COUNTS, SOURCE),
        /// Mean time from the beginning of an object to the beginning of the next object of a page
        between_objects: Span = time("10 ms", MEAN_TIMES, SOURCE),
        /// Mean size of an object; sizes are drawn from a Pareto distribution of the second kind (Lomax) and rounded up
        /// to whole packets
        object: Packets = packets("10 packets", Range::between(1.0, 1e9), SOURCE),
        /// Shape parameter of the Pareto distribution of object sizes; a smaller value means a heavier tail
        shape: f64 = number("1.2", Range { min: 1.0, max: 100.0, above_min: true }, SOURCE),
    }
}

impl Timetable for Web {
    fn most_connections(&self) -> u64 {
        self.sessions.saturating_mul(self.pages).saturating_mul(self.objects)
    }

    /// Returns the largest possible number of links on the paths of all connections. Any session may draw any
    /// pair, so each connection may have the longest path.
    fn most_steps(&self, links: &[usize]) -> usize {
        let longest = links.iter().copied().max().unwrap_or(0);
        (self.most_connections() as usize).saturating_mul(longest)
    }

    /// Returns the connections in the order of sessions, pages and objects. Each session draws its pair.
    fn connections(&self, start: Time, end: Time, pairs: usize, streams: &mut Streams) -> Vec<Connection> {
        let random = &mut streams.times;
        let mut connections = Vec::new();
        let mut session = start;
        for _ in 0..self.sessions {
            if session >= end {
                break;
            }
            let pair = ((random.uniform() * pairs as f64) as usize).min(pairs.saturating_sub(1));
            let mut page = session;
            for _ in 0..self.pages {
                let mut at = page;
                for _ in 0..self.objects {
                    let packets = self.size(random);
                    if at < end {
                        connections.push(Connection { at, pair, packets, bytes: None });
                    }
                    at += wait(self.between_objects, random);
                }
                page += wait(self.between_pages, random);
            }
            session += wait(self.between_sessions, random);
        }
        connections
    }
}

impl Web {
    /// Draws a size in packets, rounded up, from the Pareto distribution of the second kind (Lomax): P(size >
    /// x) = (1 + x / scale)^-shape, with mean scale / (shape - 1).
    fn size(&self, random: &mut Stream) -> u64 {
        let scale = self.object * (self.shape - 1.0);
        let size = scale * (libm::pow(1.0 - random.uniform(), -1.0 / self.shape) - 1.0);
        (size.ceil() as u64).max(1)
    }
}

fn wait(mean: Span, random: &mut Stream) -> Span {
    Span::from_seconds(random.exponential(mean.seconds()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parameters of parallel and adaptive TCP, section II.
    const USUAL: Web = Web {
        sessions: 100,
        between_sessions: Span::from_millis(5000),
        pages: 10,
        between_pages: Span::from_millis(1000),
        objects: 10,
        between_objects: Span::from_millis(10),
        object: 10.0,
        shape: 1.2,
    };

    fn all(web: &Web, seed: u64) -> Vec<Connection> {
        web.connections(Time::ZERO, Time::NEVER, 5, &mut streams(seed))
    }

    fn streams(seed: u64) -> Streams {
        Streams { times: Stream::new(seed, "web"), sizes: Stream::new(seed, "sizes") }
    }

    fn at(connections: &[Connection], index: usize) -> f64 {
        connections[index].at.seconds()
    }

    #[test]
    fn every_session_has_its_pages_and_every_page_its_objects() {
        let connections = all(&USUAL, 1);
        assert_eq!(connections.len(), 10_000);
        assert_eq!(USUAL.most_connections(), 10_000);
        assert_eq!(connections[0].at, Time::ZERO);
        for session in connections.chunks(100) {
            assert!(session.iter().all(|connection| connection.pair == session[0].pair));
        }
        let of = |pair| connections.iter().filter(|connection| connection.pair == pair).count() / 100;
        // 100 sessions over five pairs are 20 each, with a standard deviation of 4.
        assert!((0..5).all(|pair| (4..36).contains(&of(pair))));
    }

    #[test]
    fn the_times_between_beginnings_have_their_means() {
        // Twenty schedules have 1980 intervals between sessions (standard error 2.2 %), 18000 between pages
        // of a session (0.75 %), and 180000 between objects of a page (0.24 %).
        let (mut sessions, mut pages, mut objects) = (0.0, 0.0, 0.0);
        for seed in 0..20 {
            let connections = all(&USUAL, seed);
            sessions += at(&connections, 9900);
            for first in (0..10_000).step_by(100) {
                pages += at(&connections, first + 90) - at(&connections, first);
            }
            for first in (0..10_000).step_by(10) {
                objects += at(&connections, first + 9) - at(&connections, first);
            }
        }
        let near = |sum: f64, count: f64, mean: f64, within: f64| {
            assert!((sum / count / mean - 1.0).abs() < within, "{} {mean}", sum / count);
        };
        near(sessions, 1980.0, 5.0, 0.08);
        near(pages, 18_000.0, 1.0, 0.03);
        near(objects, 180_000.0, 0.01, 0.01);
    }

    #[test]
    fn sizes_have_the_tail_and_the_mean_of_their_distribution() {
        // With shape 1.2 and mean 10, the scale is 2. P(size > 10) = 6^-1.2 = 0.1165 and P(size > 100) =
        // 51^-1.2 = 0.00893; the relative standard errors for 200000 draws are 0.6 % and 2.4 %.
        let mut random = Stream::new(1, "sizes");
        let sizes: Vec<u64> = (0..200_000).map(|_| USUAL.size(&mut random)).collect();
        let beyond = |limit: u64| sizes.iter().filter(|size| **size > limit).count() as f64 / 200_000.0;
        assert!((beyond(10) / 6.0_f64.powf(-1.2) - 1.0).abs() < 0.03, "{}", beyond(10));
        assert!((beyond(100) / 51.0_f64.powf(-1.2) - 1.0).abs() < 0.1, "{}", beyond(100));
        // With shape 1.2 the mean does not converge. With shape 4 and mean 50 the variance is 2500 * 4 / 2 =
        // 5000, so 200000 draws have a standard error of 0.16; rounding up adds half a packet.
        let light = Web { object: 50.0, shape: 4.0, ..USUAL };
        let sum: u64 = (0..200_000).map(|_| light.size(&mut random)).sum();
        assert!((sum as f64 / 200_000.0 - 50.5).abs() < 0.6, "{}", sum as f64 / 200_000.0);
    }

    #[test]
    fn nothing_begins_outside_the_run() {
        let (start, end) = (Time::from_seconds(10.0), Time::from_seconds(60.0));
        let connections = USUAL.connections(start, end, 1, &mut streams(1));
        assert!(connections.iter().all(|connection| (start..end).contains(&connection.at)));
        // 50 s with a session every 5 s have 11 sessions including the first, give or take 3, of 100 objects
        // each. Some sessions continue when the run ends, and their later objects are left out.
        assert!((300..2500).contains(&connections.len()), "{}", connections.len());
    }
}
