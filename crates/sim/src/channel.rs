//! Impairments of a link besides its rate and its delay: it may corrupt, delay, duplicate or retransmit
//! packets, change their ECN field, and let packets overtake others.

use crate::alteration::{Alteration, Alters, EcnRule, Skipping};
use crate::jitter::Distribution;
use crate::loss::LossModel;
use crate::random::Stream;
use crate::timeline::Timeline;
use crate::two_states::TwoStates;
use ackclock_aqm::Ecn;
use ackclock_base::link::{Detour, LinkRules};
use ackclock_base::{Random, Span, Time};

/// A channel model. It is called for each packet sent over a link, in the order of sending.
pub trait Channel: Send {
    /// Returns what the channel does to a packet.
    fn carry(&mut self, sending: &Sending, random: &mut dyn Random) -> Carried;

    /// Returns whether the short answer of the link's other end is received. A [medium](crate::medium) may
    /// require such answers; `now` is the end of the packets that are answered.
    fn answers(&mut self, _now: Time, _random: &mut dyn Random) -> bool {
        true
    }
}

/// A packet whose transmission begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sending {
    /// The beginning of the transmission.
    pub starts: Time,
    /// The transmission time of its bits at the link's rate.
    pub takes: Span,
    /// The size on the wire.
    pub bytes: u32,
}

/// The result of sending a packet over a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    /// The time for which the link is busy with the packet, including repetitions.
    pub takes: Span,
    /// The delay in addition to that of the wire; `None` if the packet is corrupted.
    pub delay: Option<Span>,
}

/// Returns the additional delay of a packet whose transmission ends at `sent`.
fn longer_by(detour: &Detour, sent: Time) -> Span {
    if (detour.from..detour.until).contains(&sent) { detour.longer } else { Span::ZERO }
}

/// The mean durations of the periods without and with jitter, which are exponentially distributed and
/// alternate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bursts {
    /// The mean duration of a period without jitter.
    pub good: Span,
    /// The mean duration of a period with jitter.
    pub bad: Span,
}

/// The impairments of a link's wire; none by default.
#[derive(Default)]
pub struct Impairments {
    /// The loss model.
    pub loss: Option<Box<dyn LossModel>>,
    /// What the link may do to packets.
    pub rules: LinkRules,
    /// The distribution of the random delay.
    pub distribution: Distribution,
    /// The periods of jitter; `None` if there is always jitter.
    pub bursts: Option<Bursts>,
    /// The greatest jitter over time; `None` if it is always that of the rules, which is its maximum.
    pub jitter: Option<Timeline<Span>>,
    /// The share of duplicated packets over time; `None` if it is always that of the rules, which is its maximum.
    pub duplicates: Option<Timeline<f64>>,
    /// The additional delay of the wire over time. A packet gets the delay of the time at which its
    /// transmission ends.
    pub longer: Option<Timeline<Span>>,
    /// The rule for the ECN field.
    pub ecn: Option<EcnRule>,
    /// A channel model, applied before all other impairments.
    pub channel: Option<Box<dyn Channel>>,
}

/// The result of sending a packet over an impaired link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Crossing {
    /// The time for which the link is busy with the packet.
    pub(crate) takes: Span,
    /// The time from the end of the transmission to the arrival; `None` if the packet never arrives.
    pub(crate) wire: Option<Span>,
    /// The changes of the packet if it arrives.
    pub(crate) alteration: Alteration,
}

impl Crossing {
    /// Returns the result for a link that only delays packets.
    pub(crate) fn plain(takes: Span, wire: Span) -> Self {
        Self { takes, wire: Some(wire), alteration: Alteration::default() }
    }
}

/// The impairments of a link in a running simulation.
pub(crate) struct Impaired {
    parts: Impairments,
    loss_random: Stream,
    jitter_random: Stream,
    /// The periods without and with jitter, and the present one; `None` if there is always jitter.
    jitters: Option<TwoStates>,
    channel_random: Stream,
    skipping: Option<Skipping>,
    alters: Option<Alters>,
    /// The latest arrival so far, before it is moved to the end of a slot. No later packet arrives earlier.
    /// Not used if packets may overtake one another.
    last: Time,
}

impl Impaired {
    /// Creates the impairments of a link; `None` if they do nothing to packets. `stream` creates the random
    /// stream of a purpose.
    pub(crate) fn of(parts: Impairments, stream: impl Fn(&str) -> Stream) -> Option<Box<Self>> {
        let Impairments { rules, loss, bursts, longer, ecn, channel, .. } = &parts;
        // Packets overtake one another only if something else changes how long they take.
        let in_time = LinkRules { reorders: false, ..*rules } == LinkRules::default() && longer.is_none();
        let alters = Alters::of(*ecn, rules.duplicates, parts.duplicates.as_ref(), &stream);
        let nothing = loss.is_none() && in_time && alters.is_none() && channel.is_none();
        let skipping = rules.skips.map(|skips| Skipping::new(skips, stream("skips")));
        let jitters = bursts.map(|Bursts { good, bad }| TwoStates::lasting(good, bad));
        (!nothing).then(|| {
            Box::new(Self {
                parts,
                loss_random: stream("loss"),
                jitter_random: stream("jitter"),
                jitters,
                channel_random: stream("channel"),
                skipping,
                alters,
                last: Time::ZERO,
            })
        })
    }

    /// Returns whether packets may overtake one another.
    pub(crate) fn reorders(&self) -> bool {
        self.parts.rules.reorders
    }

    /// Returns whether packets may be duplicated.
    pub(crate) fn duplicates(&self) -> bool {
        self.alters.as_ref().is_some_and(Alters::duplicates)
    }

    /// Returns whether the short answer of the other end is received.
    pub(crate) fn answers(&mut self, now: Time) -> bool {
        let Self { parts, channel_random, .. } = self;
        parts.channel.as_mut().is_none_or(|channel| channel.answers(now, channel_random))
    }

    /// Sends a packet with this ECN field over a wire whose delay without impairments is `wire`. Returns how
    /// long the link is busy with it, how long after that it arrives (`None` if it is corrupted, or dropped
    /// because of its ECN field), and what changes about it if it arrives.
    pub(crate) fn carry(&mut self, sending: &Sending, wire: Span, ecn: Ecn) -> Crossing {
        let Impairments { rules, loss, longer, channel, .. } = &mut self.parts;
        let mut carried = Carried { takes: sending.takes, delay: Some(Span::ZERO) };
        if let Some(channel) = channel {
            carried = channel.carry(sending, &mut self.channel_random);
        }
        let sent = sending.starts + carried.takes;
        if let Some(model) = loss
            && model.loses(sent, &mut self.loss_random)
        {
            carried.delay = None;
        }
        let mut alteration = Alteration::default();
        if let Some(alters) = &mut self.alters {
            carried.delay = carried.delay.filter(|_| !alters.drops(ecn));
            if carried.delay.is_some() {
                alteration = alters.next(sent);
            }
        }
        let longer = longer.as_ref().map_or(Span::ZERO, |longer| longer.at(sent));
        let detour = rules.detour.map_or(Span::ZERO, |detour| longer_by(&detour, sent));
        let jitter = self.jitter(sent);
        let wire = carried
            .delay
            .map(|delay| self.hand_over(sent, sent + wire + delay + longer + detour + jitter).since(sent));
        Crossing { takes: carried.takes, wire, alteration }
    }

    /// Sends a packet that is of no use at the other end, because it collides with another on a medium or has
    /// been received already. Later packets do not wait for it.
    pub(crate) fn carry_in_vain(&mut self, sending: &Sending, wire: Span, ecn: Ecn) -> Crossing {
        let last = self.last;
        let crossing = self.carry(sending, wire, ecn);
        self.last = last;
        crossing
    }

    /// Draws the random delay of a packet.
    fn jitter(&mut self, sent: Time) -> Span {
        let most = self.parts.jitter.as_ref().map_or(self.parts.rules.jitter, |most| most.at(sent));
        if most == Span::ZERO {
            return Span::ZERO;
        }
        let random = &mut self.jitter_random;
        let jitters = self.jitters.as_mut().is_none_or(|states| states.is_bad(sent, random));
        if jitters { self.parts.distribution.draw(most, random) } else { Span::ZERO }
    }

    /// Returns the delivery time of a packet whose transmission ends at `sent` and that would arrive at `at`.
    /// It is not earlier than that of packets before it unless they may be overtaken, is `sent` if the packet
    /// skips the delay, and is moved to the end of a slot.
    fn hand_over(&mut self, sent: Time, at: Time) -> Time {
        let mut at = at;
        if !self.parts.rules.reorders {
            self.last = self.last.max(at);
            at = self.last;
        } else if self.skipping.as_mut().is_some_and(Skipping::next) {
            at = sent;
        }
        match self.parts.rules.hold.nanos() {
            0 => at,
            slot => Time::from_nanos(at.nanos().div_ceil(slot).saturating_mul(slot)),
        }
    }
}
