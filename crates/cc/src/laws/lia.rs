//! LIA, the Linked Increases Algorithm of Multipath TCP (RFC 6356, Wischik et al. 2011): the windows of the
//! paths of one connection grow together, so that over a shared bottleneck they take no more than one
//! connection on one path would. Each path halves on its own.

use crate::classic::MIN_SSTHRESH;
use crate::control::{Ack, Loss};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use crate::group::{Group, GroupLaw, Members};
use ackclock_base::{Packets, Span};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "lia",
        "LIA (Multipath TCP): Reno on each of several paths, with increases linked so that all paths together take no \
         more of a shared bottleneck than one Reno flow; over a single path, Reno",
        "RFC 6356 section 3",
        &[],
    ),
    build: Build::Group(|_| Box::new(Group::new(Lia))),
    published: PublishedDefaults::recovery("sack"),
};

/// The LIA law.
#[derive(Clone, Debug)]
pub struct Lia;

/// The law's state for one path.
#[derive(Clone, Debug, Default)]
pub struct Path {
    smoothed_rtt: Span,
}

impl Lia {
    /// Returns alpha of equation 2: cwnd_total max_i(cwnd_i / rtt_i^2) / (sum_i cwnd_i / rtt_i)^2, over the
    /// paths with a known round trip. Without any it returns 1, which gives the increase of one path.
    fn alpha(members: &Members<Path>) -> f64 {
        let (mut greatest, mut sum, mut total) = (0.0_f64, 0.0, 0.0);
        for member in members.present().filter(|member| member.state.smoothed_rtt > Span::ZERO) {
            let (cwnd, rtt) = (member.window.cwnd, member.state.smoothed_rtt.seconds());
            greatest = greatest.max(cwnd / (rtt * rtt));
            sum += cwnd / rtt;
            total += cwnd;
        }
        if sum > 0.0 { total * greatest / (sum * sum) } else { 1.0 }
    }
}

impl GroupLaw for Lia {
    type Member = Path;

    fn observe(&mut self, members: &mut Members<Path>, me: usize, ack: &Ack) {
        members.all[me].state.smoothed_rtt = ack.smoothed_rtt;
    }

    /// Adds min(alpha / cwnd_total, 1 / cwnd_i) for each packet acknowledged (equation 1). Each path has its
    /// own slow start.
    fn increase(&mut self, members: &mut Members<Path>, me: usize, ack: &Ack) {
        let (alpha, total) = (Self::alpha(members), members.total_cwnd());
        let window = &mut members.all[me].window;
        if window.cwnd < window.ssthresh {
            window.slow_start(ack.abc_increment);
        } else {
            window.cwnd += ack.abc_increment * (alpha / total.max(window.cwnd)).min(1.0 / window.cwnd);
        }
    }

    fn on_loss(&mut self, members: &mut Members<Path>, me: usize, loss: &Loss) {
        let reduced: Packets = loss.window / 2.0;
        let window = &mut members.all[me].window;
        (window.ssthresh, window.cwnd) = (reduced.max(MIN_SSTHRESH), reduced);
    }

    fn publish(&self, members: &Members<Path>, _me: usize, series: &mut dyn FnMut(&'static str, f64)) {
        series("lia_alpha", Self::alpha(members));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classic::Window;
    use crate::group::Member;

    fn members(paths: &[(f64, u64)]) -> Members<Path> {
        let member = |&(cwnd, rtt_ms): &(f64, u64)| Member {
            window: Window { cwnd, ssthresh: 1.0 },
            inflight: cwnd,
            present: true,
            state: Path { smoothed_rtt: Span::from_millis(rtt_ms) },
        };
        Members { all: paths.iter().map(member).collect() }
    }

    fn one_ack(members: &mut Members<Path>, me: usize) -> f64 {
        let before = members.all[me].window.cwnd;
        Lia.increase(members, me, &Ack { abc_increment: 1.0, fresh: true, ..Ack::default() });
        members.all[me].window.cwnd - before
    }

    #[test]
    fn over_one_path_it_is_reno() {
        // alpha = w (w / r^2) / (w / r)^2 = 1: 1 / w for each acknowledgement.
        assert!((one_ack(&mut members(&[(10.0, 100)]), 0) - 0.1).abs() < 1e-12);
    }

    #[test]
    fn two_equal_paths_grow_together_as_one_reno_does() {
        // w = 10 each, r = 0.1: alpha = 20 * 1000 / (100 + 100)^2 = 0.5; alpha / 20 = 0.025 per
        // acknowledgement, and there are 20 in a round trip: half a packet in all, a quarter on each path.
        assert!((one_ack(&mut members(&[(10.0, 100), (10.0, 100)]), 0) - 0.025).abs() < 1e-12);
    }

    #[test]
    fn a_path_never_grows_faster_than_reno_on_it() {
        // Paths of 10 packets at 10 ms and 40 at 400 ms: alpha = 50 * 100,000 / (1000 + 100)^2 = 4.132; alpha / 50 = 0.0826 is
        // less than 1/10, but more than 1/40.
        let mut two = members(&[(10.0, 10), (40.0, 400)]);
        assert!((one_ack(&mut two, 0) - 5e6 / 1.21e6 / 50.0).abs() < 1e-12);
        assert!((one_ack(&mut members(&[(10.0, 10), (40.0, 400)]), 1) - 0.025).abs() < 1e-12);
    }
}
