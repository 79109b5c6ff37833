//! Declared round trips: `rtt` of a dumbbell sets the delays of the access links.

use super::delay::Delay;
use super::wire::WirePlan;
use crate::language::diagnostics::counted;
use crate::language::document::Value;
use crate::language::reader::TableReader;
use ackclock_base::Span;

/// The round trips of the pairs, in turn, without queues and transmission times.
pub(super) struct RoundTrips(Vec<Span>);

/// Reads `rtt`: one round trip for all pairs, or a list for the pairs in turn.
pub(super) fn read(table: &TableReader<'_>, pairs: usize) -> Option<RoundTrips> {
    let node = table.get("rtt")?;
    if !matches!(node.value, Value::List(_)) {
        return table.read("rtt").map(|rtt| RoundTrips(vec![rtt]));
    }
    let rtts: Vec<Span> = table.quantities("rtt")?;
    // By default there are as many pairs as flows, a number that is unknown if a flow has a mistake.
    if rtts.len() > pairs && table.get("pairs").is_none() && table.reader.problem_count() > 0 {
        return None;
    }
    if rtts.is_empty() || rtts.len() > pairs {
        let expected = format!("at most {}: one for each pair of hosts", counted(pairs, "round-trip time"));
        table.problem_at("rtt", &counted(rtts.len(), "round-trip time"), &expected);
        return None;
    }
    Some(RoundTrips(rtts))
}

impl RoundTrips {
    /// Distributes what the bottleneck leaves of each round trip over the four access links in both
    /// directions. Returns `None` after a problem was reported.
    pub(super) fn share_out(
        &self,
        table: &TableReader<'_>,
        bottleneck: &WirePlan,
        left: &mut WirePlan,
        right: &mut WirePlan,
    ) -> Option<()> {
        let both_ways = |wire: &WirePlan| {
            let back = wire.reverse.as_deref().map_or(&wire.delay, |back| &back.delay);
            wire.delay.of(0, 1) + back.of(0, 1)
        };
        if [&*left, &*right].into_iter().any(|wire| wire.has_delay()) {
            table.problem_at(
                "rtt",
                "both an `rtt` and a `delay` of the access links",
                "only one of `rtt` and `delay`: `rtt` sets the delay of the access links",
            );
            return None;
        }
        let taken = both_ways(bottleneck);
        if let Some(short) = self.0.iter().find(|rtt| **rtt < taken) {
            let expected =
                format!("at least {taken}, the propagation delay of the bottleneck in both directions");
            table.problem_at("rtt", &format!("a round-trip time of {short}"), &expected);
            return None;
        }
        let quarter = |rtt: Span| rtt.saturating_sub(taken) / 4;
        // The remainder of the division by four goes to the first link.
        let first = |rtt: Span| rtt.saturating_sub(taken).saturating_sub(quarter(rtt) * 3);
        let each = |share: &dyn Fn(Span) -> Span| Delay::Each(self.0.iter().copied().map(share).collect());
        left.set_delays(each(&first), each(&quarter));
        right.set_delays(each(&quarter), each(&quarter));
        Some(())
    }
}

impl WirePlan {
    /// Returns whether the link has a delay in either direction.
    fn has_delay(&self) -> bool {
        let none = |delay: &Delay| matches!(delay, Delay::Fixed(Span::ZERO));
        !none(&self.delay) || self.reverse.as_deref().is_some_and(|back| !none(&back.delay))
    }

    fn set_delays(&mut self, there: Delay, back: Delay) {
        let reverse = self.reverse.take().map_or_else(|| self.way_back(), |reverse| *reverse);
        self.reverse = Some(Box::new(WirePlan { delay: back, ..reverse }));
        self.delay = there;
    }
}
