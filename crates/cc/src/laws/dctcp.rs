//! DCTCP (RFC 8257): the window is cut in proportion to the share of marked packets, not by half at the first
//! mark. The host must report each mark, which it does if `ecn` is on.

use crate::classic::{Classic, MIN_SSTHRESH, Window, WindowLaw};
use crate::control::{Ack, EcnResponse, Loss, Phase};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use ackclock_base::{Packets, Range, parameters};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "dctcp",
        "DCTCP: when packets are marked, reduces the window, at most once per window of data, by half of the average \
         share of marked packets; needs the transport's `ecn`, and acts as Reno without it",
        "RFC 8257",
        Parameters::TABLE,
    ),
    build: Build::Alone(|values, initial| Box::new(Classic::new(Dctcp::new(&values.into()), initial))),
    published: PublishedDefaults::recovery("sack"),
};

parameters! {
    /// How the share of marked packets is averaged.
    pub struct Parameters {
        /// Weight of the newest window of data in the average share of marked packets (g)
        gain: f64 = number("0.0625", Range { min: 0.0, max: 1.0, above_min: true }, "RFC 8257 section 4.2"),
        /// Initial value of the average share of marked packets
        initial_alpha: f64 = number("1", Range::between(0.0, 1.0), "RFC 8257 section 3.3"),
    }
}

/// Cuts the window by the share of marked packets.
#[derive(Clone, Debug)]
pub struct Dctcp {
    gain: f64,
    /// The average share of marked packets.
    alpha: f64,
    /// Packets acknowledged, and marked packets among them, in the window being observed.
    acked: Packets,
    marked: Packets,
    /// The packet number at which that window ends.
    window_end: u64,
    /// The next cut needs an acknowledgement beyond this packet number: a mark up to it is older than the
    /// last cut.
    cut_until: Option<u64>,
}

impl Dctcp {
    /// Creates the law before the first window has been observed.
    pub fn new(parameters: &Parameters) -> Self {
        Self {
            gain: parameters.gain,
            alpha: parameters.initial_alpha,
            acked: 0.0,
            marked: 0.0,
            window_end: 0,
            cut_until: None,
        }
    }

    /// Updates the average once per window: alpha = (1 - g) alpha + g M, with M the share of its packets that
    /// were marked (section 3.3).
    fn average(&mut self, ack: &Ack) {
        self.acked += ack.newly_acked;
        self.marked += f64::from(ack.marks);
        if ack.acked_to < self.window_end || self.acked == 0.0 {
            return;
        }
        // A packet that arrives twice may be marked twice and is acknowledged once.
        let share = (self.marked / self.acked).min(1.0);
        self.alpha += self.gain * (share - self.alpha);
        (self.acked, self.marked, self.window_end) = (0.0, 0.0, ack.sent_to);
    }
}

impl WindowLaw for Dctcp {
    /// Grows as Reno, except that an acknowledgement that reports a mark adds nothing (RFC 3168 section
    /// 6.1.2).
    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        if ack.marks == 0 {
            window.cwnd += ack.abc_increment / window.cwnd;
        }
    }

    fn slow_start(&mut self, window: &mut Window, ack: &Ack) {
        if ack.marks == 0 {
            window.slow_start(ack.abc_increment);
        }
    }

    /// Halves the window at a loss, as any other TCP (section 3.5).
    fn decrease(&mut self, from: Packets, _loss: &Loss) -> Packets {
        from / 2.0
    }

    /// Cuts the window at the first mark in a window of data: cwnd = cwnd (1 - alpha / 2) (section 3.3).
    fn observe(&mut self, window: &mut Window, ack: &Ack) {
        self.average(ack);
        let is_next_window = self.cut_until.is_none_or(|end| ack.acked_to > end);
        if ack.marks > 0 && ack.phase == Phase::Open && is_next_window {
            let least = MIN_SSTHRESH.min(window.cwnd);
            window.cwnd = (window.cwnd * (1.0 - self.alpha / 2.0)).max(least);
            window.ssthresh = window.cwnd.max(MIN_SSTHRESH);
            self.cut_until = Some(ack.sent_to);
        }
    }

    fn ecn(&self) -> EcnResponse {
        EcnResponse::Counts
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("marked_share", self.alpha);
    }
}

#[cfg(test)]
mod tests {
    use super::ENTRY;
    use crate::script::Script;

    /// Creates a flow with a window of 100 in congestion avoidance, with nothing marked so far.
    fn at_100(alpha: &str) -> Script {
        Script::of(&ENTRY, &[("initial_alpha", alpha)]).window(100.0).starting_ssthresh(2.0)
    }

    /// Delivers `count` acknowledgements, of which the first `marked` report a mark each; `count` packets are
    /// in flight after each.
    fn round(script: &mut Script, from: u64, count: u64, marked: u64) {
        for number in 1..=count {
            script.ack_as(|ack| {
                ack.acked_to = from + number;
                ack.sent_to = from + number + count;
                ack.marks = u32::from(number <= marked);
            });
        }
    }

    #[test]
    fn the_window_is_cut_by_half_of_the_marked_share_once_a_window() {
        // The first acknowledgement ends a window of one packet, all of it marked, so that alpha rises from
        // 0.4 to 0.4 + (1 - 0.4) / 16 = 0.4375 before the cut: 100 (1 - 0.4375 / 2) = 78.125. The other 49
        // marks cut nothing and add nothing; the unmarked packet after them adds 1 / 78.125.
        let mut script = at_100("0.4");
        round(&mut script, 0, 50, 50);
        assert!((script.cwnd() - 78.125).abs() < 1e-9, "{}", script.cwnd());
        assert_eq!(script.ssthresh(), script.cwnd());
        script.ack_as(|ack| ack.acked_to = 51);
        assert!((script.cwnd() - (78.125 + 1.0 / 78.125)).abs() < 1e-9);
    }

    #[test]
    fn a_mark_on_a_packet_sent_before_the_cut_makes_no_cut() {
        // The first acknowledgement cuts while packets up to 50 are in flight. That of packet 50 (which
        // acknowledges to 51) is marked too, and ends the window over which alpha is averaged: 0.4375 + (1 -
        // 0.4375) / 16 = 0.47265625. The next packet was sent after the cut: 78.125 (1 - 0.47265625 / 2).
        let mut script = at_100("0.4");
        round(&mut script, 0, 50, 50);
        let mut marked = |acked_to| {
            script.ack_as(|ack| (ack.acked_to, ack.sent_to, ack.marks) = (acked_to, acked_to + 50, 1));
            script.cwnd()
        };
        assert_eq!(marked(51), 78.125);
        assert!((marked(52) - 78.125 * 0.763_671_875).abs() < 1e-9);
    }

    #[test]
    fn a_mark_never_raises_the_window() {
        let mut script = Script::of(&ENTRY, &[]).window(1.0);
        script.ack_as(|ack| ack.marks = 1);
        assert_eq!((script.cwnd(), script.ssthresh()), (1.0, 2.0));
    }

    #[test]
    fn the_marked_share_is_averaged_over_windows() {
        // A fifth of 100 packets is marked, in window after window: from 0, after n windows, 0.2 (1 -
        // (15/16)^n). n = 16: 0.2 * 0.6439 = 0.12878. The very first acknowledgement ends a window of its
        // own.
        let mut script = at_100("0");
        script.ack_as(|ack| (ack.acked_to, ack.sent_to) = (1, 101));
        for window in 0..16 {
            round(&mut script, 1 + 100 * window, 100, 20);
        }
        assert!(
            (script.published("marked_share") - 0.128_78).abs() < 1e-5,
            "{}",
            script.published("marked_share")
        );
    }

    #[test]
    fn unmarked_it_is_reno_and_a_loss_halves() {
        let mut script = at_100("1");
        let mut reno = Script::new("sack").window(100.0).starting_ssthresh(2.0);
        for control in [&mut script, &mut reno] {
            control.acks(250);
            control.loss();
        }
        assert!((script.cwnd() - reno.cwnd()).abs() < 1e-9);
    }

    #[test]
    fn a_mark_ends_slow_start() {
        let mut script = Script::of(&ENTRY, &[]).window(100.0);
        script.ack_as(|ack| ack.marks = 1);
        assert_eq!((script.cwnd(), script.ssthresh()), (50.0, 50.0));
    }
}
