//! Changes that a link makes to packets: their ECN field, duplicates, and packets that skip the delay.

use crate::correlated::Correlated;
use crate::random::Stream;
use crate::timeline::Timeline;
use ackclock_aqm::Ecn;
use ackclock_base::link::{Duplicates, Skips};
use ackclock_base::{Time, choice};

choice! {
    /// The rule by which a link changes the ECN field of every packet, as middleboxes do that use the field
    /// for their own purposes (RFC 9000 section 13.4.2; RFC 8311 section 5).
    pub enum EcnRule {
        /// The field becomes Not-ECT.
        Clear = "clear",
        /// The field becomes ECT(0).
        SetEct0 = "set-ect0",
        /// The field becomes ECT(1).
        SetEct1 = "set-ect1",
        /// The field becomes CE.
        SetCe = "set-ce",
        /// Packets whose field is not Not-ECT are dropped.
        Drop = "drop",
    }
}

impl EcnRule {
    /// Returns the field that every packet gets; `None` if packets keep theirs.
    fn sets(self) -> Option<Ecn> {
        match self {
            Self::Clear => Some(Ecn::NotCapable),
            Self::SetEct0 => Some(Ecn::Classic),
            Self::SetEct1 => Some(Ecn::LowLatency),
            Self::SetCe => Some(Ecn::Experienced),
            Self::Drop => None,
        }
    }
}

/// The changes that a link makes to one packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Alteration {
    /// The ECN field that the packet gets; `None` if it keeps its own.
    pub ecn: Option<Ecn>,
    /// Whether a copy of the packet follows it.
    pub duplicated: bool,
}

impl Alteration {
    /// Returns whether the packet is unchanged.
    pub(crate) fn is_nothing(self) -> bool {
        self == Self::default()
    }

    /// Returns the changes together with a mark of the link's queue, if the packet is `marked`. A field that
    /// the wire sets takes precedence over the mark.
    pub(crate) fn after_queue(self, marked: bool) -> Self {
        Self { ecn: self.ecn.or(marked.then_some(Ecn::Experienced)), ..self }
    }
}

/// The changes of the packets that arrive over a link. [`Self::next`] is called once for each packet that
/// arrives, in the order of sending.
pub(crate) struct Alters {
    ecn: Option<EcnRule>,
    duplicates: Option<(Timeline<f64>, Correlated, Stream)>,
}

impl Alters {
    /// Creates the changes of a link; `None` if it changes nothing. `over_time` has the shares of duplicated packets if
    /// they change. `stream` creates the random stream of a purpose.
    pub(crate) fn of(
        ecn: Option<EcnRule>,
        duplicates: Option<Duplicates>,
        over_time: Option<&Timeline<f64>>,
        stream: impl Fn(&str) -> Stream,
    ) -> Option<Self> {
        let duplicates = duplicates.map(|Duplicates { share, correlation }| {
            let shares = over_time.cloned().unwrap_or_else(|| Timeline::constant(share));
            (shares, Correlated::new(correlation), stream("duplicates"))
        });
        (ecn.is_some() || duplicates.is_some()).then_some(Self { ecn, duplicates })
    }

    /// Returns whether a packet with this ECN field is dropped.
    pub(crate) fn drops(&self, ecn: Ecn) -> bool {
        self.ecn == Some(EcnRule::Drop) && ecn.is_capable()
    }

    /// Returns whether packets may be duplicated.
    pub(crate) fn duplicates(&self) -> bool {
        self.duplicates.is_some()
    }

    /// Returns the changes of the next packet that arrives, whose transmission ends at `sent`.
    pub(crate) fn next(&mut self, sent: Time) -> Alteration {
        let duplicated = self
            .duplicates
            .as_mut()
            .is_some_and(|(shares, numbers, random)| numbers.next(random) < shares.at(sent));
        Alteration { ecn: self.ecn.and_then(EcnRule::sets), duplicated }
    }
}

/// The choice of packets that skip the delay of a link. [`Self::next`] is called once for each packet that
/// arrives, in the order of sending.
pub(crate) struct Skipping {
    skips: Skips,
    /// The number of packets since the last one that skipped the delay.
    since: u64,
    numbers: Correlated,
    random: Stream,
}

impl Skipping {
    /// Starts as Linux's network emulator does: the first packet that may skip the delay is number `gap`,
    /// counted from 1.
    pub(crate) fn new(skips: Skips, random: Stream) -> Self {
        Self { skips, since: 0, numbers: Correlated::new(skips.correlation), random }
    }

    /// Returns whether the next packet skips the delay (`netem_enqueue` in Linux's `net/sched/sch_netem.c`).
    pub(crate) fn next(&mut self) -> bool {
        let may = self.since + 1 >= self.skips.gap;
        let skips = may && self.numbers.next(&mut self.random) < self.skips.share;
        self.since = if skips { 0 } else { self.since + 1 };
        skips
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skipping(share: f64, gap: u64, correlation: f64) -> Vec<bool> {
        let mut skipping = Skipping::new(Skips { share, gap, correlation }, Stream::new(1, "skips"));
        (0..100_000).map(|_| skipping.next()).collect()
    }

    fn share(of: &[bool]) -> f64 {
        of.iter().filter(|is| **is).count() as f64 / of.len() as f64
    }

    #[test]
    fn with_share_one_each_packet_at_the_gap_skips_the_delay() {
        // Linux's example: with `reorder 100% gap 5`, every fifth packet skips the delay.
        let fifth: Vec<bool> = (1..=100_000).map(|number| number % 5 == 0).collect();
        assert_eq!(skipping(1.0, 5, 0.0), fifth);
    }

    #[test]
    fn the_share_of_packets_that_skip_the_delay_is_right() {
        // With a gap of 5, four packets wait, and then 1 / 0.25 packets pass on average until one skips the
        // delay: one of 4 + 4 = 8. Binomial bounds: four deviations of 100,000 draws at 0.25 are 0.0055.
        assert!((share(&skipping(0.25, 1, 0.0)) - 0.25).abs() < 0.0055);
        assert!((share(&skipping(0.25, 5, 0.0)) - 0.125).abs() < 0.0055);
        // With a correlation of 1/2 the numbers are the sum of v/2, v'/4, v''/8 and so on, which lies below
        // 1/4 with probability 5/72 (Fabius 1966: F' (x) = 2 F(2x)).
        assert!((share(&skipping(0.25, 1, 0.5)) - 5.0 / 72.0).abs() < 0.004);
    }

    #[test]
    fn a_share_of_the_packets_is_duplicated() {
        let make = |rule, share| {
            let duplicates = Some(Duplicates { share, correlation: 0.0 });
            Alters::of(rule, duplicates, None, |purpose| Stream::new(1, purpose)).unwrap()
        };
        let mut alters = make(None, 0.1);
        let copied: Vec<bool> = (0..100_000).map(|_| alters.next(Time::ZERO).duplicated).collect();
        // Four deviations: 4 sqrt(0.1 * 0.9 / 100,000) = 0.0038.
        assert!((share(&copied) - 0.1).abs() < 0.0038, "{}", share(&copied));
        assert!(
            (0..1000).all(|_| make(None, 1.0).next(Time::ZERO) == Alteration { ecn: None, duplicated: true })
        );
        assert!((0..1000).all(|_| make(None, 0.0).next(Time::ZERO) == Alteration::default()));
        let both = Alteration { ecn: Some(Ecn::NotCapable), duplicated: true };
        assert_eq!(make(Some(EcnRule::Clear), 1.0).next(Time::ZERO), both);
    }

    #[test]
    fn each_rule_sets_its_field_or_drops_capable_packets() {
        let fields = [Ecn::NotCapable, Ecn::Classic, Ecn::LowLatency, Ecn::Experienced];
        for (rule, sets) in EcnRule::ALL.iter().zip(fields.map(Some).into_iter().chain([None])) {
            let mut alters = Alters::of(Some(*rule), None, None, |purpose| Stream::new(1, purpose)).unwrap();
            assert_eq!(alters.next(Time::ZERO), Alteration { ecn: sets, duplicated: false });
            let dropped = fields.map(|field| alters.drops(field));
            let drops = *rule == EcnRule::Drop;
            assert_eq!(dropped, [false, drops, drops, drops], "{rule:?}");
        }
    }
}
