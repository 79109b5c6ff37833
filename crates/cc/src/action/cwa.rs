//! The congestion window action (Alnuem 2009 section 4.2.1): no cut when a loss is found. When the
//! retransmitted packet has arrived, the window is cut by the number of packets still missing. At or above
//! `tthresh`, the window at which the first transmission loss since the last timeout was found, it is
//! halved instead.

use super::{Action, Answer};
use crate::control::{Loss, Timeout};
use crate::differentiation::Counted;
use crate::entry::ActionEntry;
use ackclock_base::{Descriptor, Kind, Packets, Range, parameters};

/// The action's entry in the registry.
pub const ENTRY: ActionEntry = ActionEntry {
    descriptor: &Descriptor {
        kind: Kind::Action,
        name: "cwa",
        summary: "After a loss attributed to transmission errors, waits until the first retransmission is \
                  acknowledged; then reduces a window below a threshold by the number of packets still missing, and \
                  halves any other window",
        source: "Alnuem 2009 section 4.2.1, figures 4.3 and 4.4",
        parameters: Parameters::TABLE,
        presets: &[],
    },
    build: |values| Box::new(Cwa::new(values.into())),
};

parameters! {
    /// The ways in which figure 4.4, the text and appendix D can be read.
    pub struct Parameters {
        /// Whether a window at or above the threshold (see `learns_at`) is halved; if not, every window is reduced by
        /// the number of packets still missing
        tthresh: bool = flag(true, "Alnuem 2009 figure 4.4; figure 4.3 has no threshold"),
        /// With `tthresh`, whether a window exactly at the threshold is reduced by the number of packets still missing
        /// instead of halved
        inclusive: bool = flag(
            false,
            "Alnuem 2009: a window equal to `tthresh` is halved in figure 4.4 and appendix D, but not in section 4.2.1.2",
        ),
        /// Whether a window at or above the threshold is reduced as at a loss attributed to congestion, which also sets
        /// the slow start threshold; if not, the window is halved and the slow start threshold is unchanged
        halves_ssthresh: bool = flag(
            false,
            "Alnuem 2009: the slow start threshold is set in figure 4.4, but not in appendix D, which produced the results",
        ),
        /// Whether the window is reduced once, at the first partial acknowledgement; if not, every further partial
        /// acknowledgement repeats the reduction with the number of packets that were missing at the first
        single_cut: bool = flag(
            true,
            "Alnuem 2009 section 4.2.1: one reduction; appendix D (default single_cut = 0): one at every partial \
             acknowledgement",
        ),
        /// Whether the cause attributed to a loss is kept until its recovery ends; if not, the cause is determined
        /// again at each acknowledgement
        latch: bool =
            flag(false, "Alnuem 2009 appendix D: the cause of a loss is determined again at each acknowledgement"),
        /// Ordinal number, since the last timeout, of the loss attributed to transmission errors that sets the
        /// threshold to the window; until that loss, the previous threshold applies, initially zero
        learns_at: u32 = integer(
            "1",
            Range::between(1.0, 1000.0),
            "Alnuem 2009: the first loss sets the threshold in figure 4.4; section 8.2 proposes the second or third loss",
        ),
    }
}

/// Cuts the window by the number of packets lost, once that is known.
#[derive(Clone, Debug)]
pub struct Cwa {
    parameters: Parameters,
    tthresh: Packets,
    /// The number of transmission losses since the last timeout.
    losses: u32,
}

impl Cwa {
    /// Creates the action before the first loss.
    pub fn new(parameters: Parameters) -> Self {
        Self { parameters, tthresh: 0.0, losses: 0 }
    }

    fn is_below_threshold(&self, cwnd: Packets) -> bool {
        let Parameters { tthresh, inclusive, .. } = self.parameters;
        !tthresh || cwnd < self.tthresh || (inclusive && cwnd == self.tthresh)
    }
}

impl Action for Cwa {
    /// Leaves the window as it is at the third duplicate acknowledgement (figure 4.4); the cut waits for the
    /// count.
    fn on_loss(&mut self, cwnd: Packets, _loss: &Loss) -> Packets {
        self.losses = self.losses.saturating_add(1);
        if self.losses == self.parameters.learns_at {
            self.tthresh = cwnd;
        }
        cwnd
    }

    /// Cuts the window at the first partial acknowledgement (figure 4.4), below the threshold by the number
    /// missing, else by half.
    fn on_counted(&mut self, cwnd: Packets, counted: &Counted) -> Answer {
        if self.is_below_threshold(cwnd) {
            // Appendix D truncates to whole packets.
            Answer::Window((cwnd - counted.missing as f64).floor().max(1.0))
        } else if self.parameters.halves_ssthresh {
            Answer::AsCongestion
        } else {
            Answer::Window(counted.window / 2.0)
        }
    }

    fn on_timeout(&mut self, _timeout: &Timeout) {
        self.losses = 0;
    }

    fn repeats(&self) -> bool {
        !self.parameters.single_cut
    }

    fn latches(&self) -> bool {
        self.parameters.latch
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("tthresh", self.tthresh);
    }
}

#[cfg(test)]
mod tests {
    use crate::laws::cwa;
    use crate::script::Script;

    /// Creates Reno in congestion avoidance at ten packets, with this action for every loss and `settings`
    /// for the action.
    fn cwa(settings: &[(&str, &str)]) -> Script {
        Script::of(&cwa::ENTRY, &[]).acting(settings).window(10.0).starting_ssthresh(5.0)
    }

    /// Plays one loss after which `missing` packets prove to be missing; returns the window and the
    /// threshold.
    fn lose(script: &mut Script, missing: u64) -> (f64, f64) {
        script.loss();
        script.counted(missing);
        script.recovered();
        (script.cwnd(), script.ssthresh())
    }

    /// Creates the script after a first loss at ten packets, which sets `tthresh` to ten and halves the
    /// window, so that the window is below the threshold.
    fn halved_once(settings: &[(&str, &str)]) -> Script {
        let mut script = cwa(settings);
        lose(&mut script, 2);
        script
    }

    #[test]
    fn the_third_duplicate_cuts_nothing() {
        let mut script = cwa(&[]);
        script.loss();
        assert_eq!((script.cwnd(), script.ssthresh()), (10.0, 5.0));
        script.recovered();
        assert_eq!(script.cwnd(), 10.0, "one loss, nothing missing after it: nothing is done");
    }

    #[test]
    fn figure_4_3_without_threshold_cuts_by_the_number_lost() {
        // 10 - 2; the slow start threshold stays.
        assert_eq!(lose(&mut cwa(&[("tthresh", "false")]), 2), (8.0, 5.0));
        // Appendix D: never below one packet.
        assert_eq!(lose(&mut cwa(&[("tthresh", "false")]), 12).0, 1.0);
    }

    #[test]
    fn the_cut_truncates_to_whole_packets() {
        let mut script = cwa(&[("tthresh", "false")]).window(10.7);
        assert_eq!(lose(&mut script, 2).0, 8.0);
    }

    #[test]
    fn figure_4_4_at_the_threshold_the_window_is_halved() {
        // The first loss sets tthresh = 10 = cwnd, and 10 < 10 is false.
        assert_eq!(lose(&mut cwa(&[]), 2), (5.0, 5.0));
        // With "cwnd <= tthresh" (section 4.2.1.2) the window is cut by the number of lost packets: 10 - 2.
        assert_eq!(lose(&mut cwa(&[("inclusive", "true")]), 2), (8.0, 5.0));
    }

    #[test]
    fn figure_4_4_below_the_threshold_it_is_cut_by_the_number_lost() {
        // tthresh = 10 from the first loss, cwnd = 5: 5 - 1.
        assert_eq!(lose(&mut halved_once(&[]), 1), (4.0, 5.0));
        // A count of zero (scattered losses) cuts nothing.
        assert_eq!(lose(&mut halved_once(&[]), 0), (5.0, 5.0));
    }

    #[test]
    fn above_the_threshold_it_is_halved_again() {
        let mut script = halved_once(&[]);
        // From 5 beyond 10 by an increase of one in each round trip: sqrt(25 + 2 * 50) = 11.2 after 50 acknowledgements.
        script.acks(50);
        let before = script.cwnd();
        assert!(before > 10.0);
        assert_eq!(lose(&mut script, 1), (before / 2.0, 5.0));
    }

    #[test]
    fn figure_4_4_also_sets_the_slow_start_threshold_by_option() {
        // tthresh = 8 from the first loss; cwnd = 8 is not below it and is halved, and ssthresh follows.
        let mut script = cwa(&[("halves_ssthresh", "true")]).window(8.0);
        assert_eq!(lose(&mut script, 1), (4.0, 4.0));
        let mut script = cwa(&[("halves_ssthresh", "false")]).window(8.0);
        assert_eq!(lose(&mut script, 1), (4.0, 5.0));
    }

    #[test]
    fn a_timeout_lets_the_threshold_be_learnt_again() {
        let mut script = halved_once(&[]);
        script.timeout();
        // After the timeout, cwnd = 1 and ssthresh = 2.5; two acknowledgements bring cwnd to 2 and 3.
        script.acks(2);
        assert_eq!(script.cwnd(), 3.0);
        // Had tthresh stayed at 10, cwnd would become 3 - 1 = 2. But this loss sets it to 3, and 3 < 3 is
        // false.
        assert_eq!(lose(&mut script, 1).0, 1.5);
    }

    /// Plays a loss of three packets of ten, the acknowledgement that counts them, and the nine
    /// acknowledgements that follow. Returns the window after the count, and after each three
    /// acknowledgements.
    fn partials(settings: &[(&str, &str)]) -> [f64; 4] {
        let mut script = cwa(settings);
        script.loss();
        script.acks(1);
        script.counted(3);
        script.recovered();
        let counted = script.cwnd();
        [counted; 4].map(|_| {
            let cwnd = script.cwnd();
            script.acks(3);
            cwnd
        })
    }

    #[test]
    fn appendix_d_every_partial_acknowledgement_cuts_by_the_same_number_again() {
        // A window of 10 has grown by 1/10 when the count comes: 10.1 - 3, truncated, is 7. Nine packets are
        // still outstanding: 7 grows by about 1/7 at each acknowledgement.
        let once = partials(&[("tthresh", "false")]);
        assert_eq!(once[0], 7.0);
        assert!(once.windows(2).all(|pair| pair[1] > pair[0]), "{once:?}");
        // Each of the next eight acknowledgements is partial and cuts again: 7.14 - 3, truncated, is 4. Below
        // the threshold of 5 the window grows by one, 5 - 3 is 2, and 3 - 3 is the floor of 1, where it stays
        // until the ninth acknowledgement covers everything: 1 + 1.
        let each = partials(&[("tthresh", "false"), ("single_cut", "false")]);
        assert_eq!(each, [7.0, 1.0, 1.0, 2.0]);
        // With tthresh, which the loss sets to 10, the count halves: 10.1 / 2. The later cuts are below the
        // threshold and by the number: 5.05 grown by 1/5.05, less 3, truncated, is 2, and 3 - 3 is the floor
        // of 1.
        let halved = partials(&[("single_cut", "false")]);
        assert_eq!(halved[0], 5.05);
        assert!(halved[1] < 5.05 / 4.0, "{halved:?}");
    }

    #[test]
    fn after_a_timeout_partial_acknowledgements_cut_nothing() {
        let mut script = cwa(&[("tthresh", "false"), ("single_cut", "false")]);
        script.loss();
        script.counted(3);
        script.timeout();
        let (before, _) = (script.cwnd(), script.acks(1));
        assert!(script.cwnd() > before);
    }

    #[test]
    fn section_8_2_the_threshold_may_be_learnt_later() {
        let mut script = cwa(&[("learns_at", "2")]);
        // No threshold is learnt from the first loss: the window is above tthresh = 0 and halved. The second
        // sets it to 5, and 5 < 5 is false: halved again.
        assert_eq!(lose(&mut script, 2).0, 5.0);
        assert_eq!(lose(&mut script, 2).0, 2.5);
        assert_eq!(lose(&mut script, 1).0, 1.0);
    }
}
