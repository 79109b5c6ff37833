//! What becomes of a packet on a link besides the time that its bits and the wire take: it is corrupted, delayed, sent
//! again by the link itself, and may overtake others.

use crate::loss::LossModel;
use crate::random::Stream;
use crate::timeline::Timeline;
use crate::two_states::TwoStates;
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
    /// Each packet arrives up to so much later, drawn evenly (what netem calls jitter, which it takes to both sides of the
    /// delay).
    pub jitter: Span,
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
    /// Anything else.
    pub channel: Option<Box<dyn Channel>>,
}

/// The same at work.
pub(crate) struct Impaired {
    parts: Impairments,
    loss_random: Stream,
    jitter_random: Stream,
    /// Whether there is jitter now, where it comes and goes.
    jitters: Option<TwoStates>,
    channel_random: Stream,
    /// When the last packet arrives.
    last: Time,
}

impl Impaired {
    /// That of a link; `None` if its packets only take their time. `stream` makes random numbers for a purpose.
    pub(crate) fn of(parts: Impairments, stream: impl Fn(&str) -> Stream) -> Option<Box<Self>> {
        let Impairments { loss, jitter, bursts, detour, longer, reorders: _, hold, channel } = &parts;
        let in_time = *jitter == Span::ZERO && detour.is_none() && longer.is_none() && *hold == Span::ZERO;
        let nothing = loss.is_none() && in_time && channel.is_none();
        let jitters = bursts.map(|Bursts { good, bad }| TwoStates::lasting(good, bad));
        (!nothing).then(|| {
            Box::new(Self {
                parts,
                loss_random: stream("loss"),
                jitter_random: stream("jitter"),
                jitters,
                channel_random: stream("channel"),
                last: Time::ZERO,
            })
        })
    }

    /// Whether packets may overtake one another.
    pub(crate) fn reorders(&self) -> bool {
        self.parts.reorders
    }

    /// Whether the short answer of the other end comes back.
    pub(crate) fn answers(&mut self, now: Time) -> bool {
        let Self { parts, channel_random, .. } = self;
        parts.channel.as_mut().is_none_or(|channel| channel.answers(now, channel_random))
    }

    /// How long the link is busy with a packet, and how much later than the wire lets it that arrives.
    pub(crate) fn carry(&mut self, sending: &Sending, wire: Span) -> Carried {
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
        let longer = longer.as_ref().map_or(Span::ZERO, |longer| longer.at(sent));
        let detour = detour.map_or(Span::ZERO, |detour| detour.at(sent));
        let jitter = self.jitter(sent);
        let lands = sent + wire;
        carried.delay =
            carried.delay.map(|delay| self.hand_over(lands + delay + longer + detour + jitter).since(lands));
        carried
    }

    /// The same for what is no packet at the other end: one that meets another on a medium, or that is there already. Nothing that is
    /// sent later waits for it.
    pub(crate) fn carry_in_vain(&mut self, sending: &Sending, wire: Span) -> Carried {
        let last = self.last;
        let carried = self.carry(sending, wire);
        self.last = last;
        carried
    }

    /// How much later a packet arrives by chance.
    fn jitter(&mut self, sent: Time) -> Span {
        let most = self.parts.jitter;
        if most == Span::ZERO {
            return Span::ZERO;
        }
        let random = &mut self.jitter_random;
        let jitters = self.jitters.as_mut().is_none_or(|states| states.is_bad(sent, random));
        if jitters { most.scale(random.uniform()) } else { Span::ZERO }
    }

    /// When a packet that is at the other end is handed over: with those before it where it may not overtake them, and at
    /// the end of a slot.
    fn hand_over(&mut self, at: Time) -> Time {
        let mut at = at;
        if !self.parts.reorders {
            self.last = self.last.max(at);
            at = self.last;
        }
        match self.parts.hold.nanos() {
            0 => at,
            slot => Time::from_nanos(at.nanos().div_ceil(slot).saturating_mul(slot)),
        }
    }
}
