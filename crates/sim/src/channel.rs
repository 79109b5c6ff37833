//! What becomes of a packet on a link besides the time that its bits and the wire take: it is corrupted, delayed, sent
//! again by the link itself, and may overtake others.

use crate::alteration::{Alteration, Alters, Duplicates, EcnRule, Skipping, Skips};
use crate::jitter::Distribution;
use crate::loss::LossModel;
use crate::random::Stream;
use crate::timeline::Timeline;
use crate::two_states::TwoStates;
use ackclock_aqm::Ecn;
use ackclock_base::{Random, Span, Time};

/// A channel answers for each packet that is sent over it, in the order of sending.
pub trait Channel: Send {
    /// What becomes of a packet.
    fn carry(&mut self, sending: &Sending, random: &mut dyn Random) -> Carried;

    /// Whether the short answer of the link's other end, which a [medium](crate::medium) may have it give at `now`, comes back.
    fn answers(&mut self, _now: Time, _random: &mut dyn Random) -> bool {
        true
    }
}

/// A packet whose transmission begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sending {
    /// When.
    pub starts: Time,
    /// What its bits take at the link's rate.
    pub takes: Span,
    /// Its size on the wire.
    pub bytes: u32,
}

/// What a channel makes of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    /// How long the link is busy with it, what it repeats included.
    pub takes: Span,
    /// How much later than the wire lets it the packet arrives; `None` if it never does.
    pub delay: Option<Span>,
}

/// A route that changes: for a while packets take a longer way, which nobody is told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detour {
    /// From when on.
    pub from: Time,
    /// Until when.
    pub until: Time,
    /// How much longer the way is.
    pub longer: Span,
}

impl Detour {
    /// How much longer a packet takes whose transmission ends at `sent`.
    pub fn at(&self, sent: Time) -> Span {
        if (self.from..self.until).contains(&sent) { self.longer } else { Span::ZERO }
    }
}

/// Jitter that comes and goes: the mean lengths of the times without it and with it, which are exponentially distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bursts {
    /// Without.
    pub good: Span,
    /// With.
    pub bad: Span,
}

/// What a link's wire does to packets besides its delay; nothing, by default.
#[derive(Default)]
pub struct Impairments {
    /// What corrupts packets.
    pub loss: Option<Box<dyn LossModel>>,
    /// The most that a packet arrives later by chance. What Linux's network emulator calls jitter it takes to both sides of the delay.
    pub jitter: Span,
    /// How that is distributed.
    pub distribution: Distribution,
    /// When there is jitter; none for always.
    pub bursts: Option<Bursts>,
    /// A longer way for a while.
    pub detour: Option<Detour>,
    /// How much longer the wire takes than its delay, over time; by when the transmission of a packet ends.
    pub longer: Option<Timeline<Span>>,
    /// Whether one that is delayed less than those before it overtakes them. Else it arrives with the last of them.
    pub reorders: bool,
    /// What arrives is handed over at the end of slots of this length, which are counted from time zero; zero for at once.
    pub hold: Span,
    /// Packets that skip the delay and all that adds to it. Needs `reorders`.
    pub skips: Option<Skips>,
    /// Packets that are copied as they arrive.
    pub duplicates: Option<Duplicates>,
    /// What becomes of the ECN field.
    pub ecn: Option<EcnRule>,
    /// Anything else.
    pub channel: Option<Box<dyn Channel>>,
}

/// How a packet crosses an impaired link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Crossing {
    /// How long the link is busy with the packet.
    pub(crate) takes: Span,
    /// The time from the end of that to the packet's arrival; `None` if it never arrives.
    pub(crate) wire: Option<Span>,
    /// What changes about the packet if it arrives.
    pub(crate) alteration: Alteration,
}

impl Crossing {
    /// Returns how a packet crosses a link that delays it and does nothing else.
    pub(crate) fn plain(takes: Span, wire: Span) -> Self {
        Self { takes, wire: Some(wire), alteration: Alteration::default() }
    }
}

/// The same at work.
pub(crate) struct Impaired {
    parts: Impairments,
    loss_random: Stream,
    jitter_random: Stream,
    /// Whether there is jitter now, where it comes and goes.
    jitters: Option<TwoStates>,
    channel_random: Stream,
    skipping: Option<Skipping>,
    alters: Option<Alters>,
    /// When the last packet arrives.
    last: Time,
}

impl Impaired {
    /// That of a link; `None` if its packets only take their time. `stream` makes random numbers for a purpose.
    pub(crate) fn of(parts: Impairments, stream: impl Fn(&str) -> Stream) -> Option<Box<Self>> {
        let Impairments {
            loss, jitter, bursts, detour, longer, hold, skips, duplicates, ecn, channel, ..
        } = &parts;
        let in_time = *jitter == Span::ZERO && detour.is_none() && longer.is_none() && *hold == Span::ZERO;
        let alters = Alters::of(*ecn, *duplicates, &stream);
        let nothing = loss.is_none() && in_time && skips.is_none() && alters.is_none() && channel.is_none();
        let skipping = skips.map(|skips| Skipping::new(skips, stream("skips")));
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

    /// Whether packets may overtake one another.
    pub(crate) fn reorders(&self) -> bool {
        self.parts.reorders
    }

    /// Returns whether packets may be copied.
    pub(crate) fn duplicates(&self) -> bool {
        self.alters.as_ref().is_some_and(Alters::duplicates)
    }

    /// Whether the short answer of the other end comes back.
    pub(crate) fn answers(&mut self, now: Time) -> bool {
        let Self { parts, channel_random, .. } = self;
        parts.channel.as_mut().is_none_or(|channel| channel.answers(now, channel_random))
    }

    /// Returns how long the link is busy with a packet that has this ECN field, and how long its way over the wire takes after that.
    pub(crate) fn carry(&mut self, sending: &Sending, wire: Span, ecn: Ecn) -> Crossing {
        let Impairments { loss, detour, longer, channel, .. } = &mut self.parts;
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
                alteration = alters.next();
            }
        }
        let longer = longer.as_ref().map_or(Span::ZERO, |longer| longer.at(sent));
        let detour = detour.map_or(Span::ZERO, |detour| detour.at(sent));
        let jitter = self.jitter(sent);
        let wire = carried
            .delay
            .map(|delay| self.hand_over(sent, sent + wire + delay + longer + detour + jitter).since(sent));
        Crossing { takes: carried.takes, wire, alteration }
    }

    /// The same for what is no packet at the other end: one that meets another on a medium, or that is there already. Nothing that is
    /// sent later waits for it.
    pub(crate) fn carry_in_vain(&mut self, sending: &Sending, wire: Span, ecn: Ecn) -> Crossing {
        let last = self.last;
        let crossing = self.carry(sending, wire, ecn);
        self.last = last;
        crossing
    }

    /// How much later a packet arrives by chance.
    fn jitter(&mut self, sent: Time) -> Span {
        let most = self.parts.jitter;
        if most == Span::ZERO {
            return Span::ZERO;
        }
        let random = &mut self.jitter_random;
        let jitters = self.jitters.as_mut().is_none_or(|states| states.is_bad(sent, random));
        if jitters { self.parts.distribution.draw(most, random) } else { Span::ZERO }
    }

    /// When a packet is handed over that has been sent by `sent` and would be at the other end by `at`: with those before it where it
    /// may not overtake them, at once where it skips the delay, and at the end of a slot.
    fn hand_over(&mut self, sent: Time, at: Time) -> Time {
        let mut at = at;
        if !self.parts.reorders {
            self.last = self.last.max(at);
            at = self.last;
        } else if self.skipping.as_mut().is_some_and(Skipping::next) {
            at = sent;
        }
        match self.parts.hold.nanos() {
            0 => at,
            slot => Time::from_nanos(at.nanos().div_ceil(slot).saturating_mul(slot)),
        }
    }
}
