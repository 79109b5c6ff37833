//! Turns of a medium with more than a single packet: several packets, collisions, answers, and repetitions of
//! what was not answered.

use super::altering::Altered;
use super::tracing::trace_drops;
use super::{Network, Outcome as Passage, Shared};
use crate::alteration::Alteration;
use crate::link::Link;
use crate::medium::{AccessRules, Outcome, Station, StationCounts, Turn};
use crate::trace::{Event, Trace};
use crate::waiting_room::QueuedPacket;
use ackclock_aqm::Ecn;
use ackclock_base::Time;
use std::collections::VecDeque;

/// The packets that a station has taken out of its queue and has not finished, in the order of the queue.
#[derive(Default)]
pub(super) struct StationState {
    frames: VecDeque<Frame>,
    /// The latest time at which the other end has passed a packet on, or has been told not to wait for one.
    passed_on: Time,
    counts: StationCounts,
}

struct Frame {
    queued: QueuedPacket,
    /// Whether the queue has marked the packet.
    marked: bool,
    /// What the link has changed about the packet, including a mark.
    alteration: Alteration,
    attempts: u32,
    /// The end of the last attempt.
    sent: Time,
    /// The time at which the other end received the packet; `None` if it has not.
    received: Option<Time>,
    /// Whether the other end has passed the packet on, or no longer waits for it.
    passed_on: bool,
    /// Whether the station has learnt that the packet was received, or has given it up.
    done: bool,
}

impl StationState {
    /// Returns a station's state with the packets added that it has taken out of its queue and not finished.
    /// If there are any, the station may send at once, even if a shaper holds back its queue.
    pub(super) fn add_to(&self, station: Station) -> Station {
        let pending = self.frames.iter().filter(|frame| !frame.done).count() as u64;
        let ready = if pending > 0 { Time::ZERO } else { station.ready };
        Station { packets: station.packets + pending, ready }
    }
}

/// A station that takes part in a turn, and what it hears.
#[derive(Clone, Copy)]
pub(super) struct Part {
    station: usize,
    outcome: Outcome,
}

/// The conditions of a turn, which all of its stations share.
#[derive(Clone, Copy)]
struct Terms {
    now: Time,
    access: AccessRules,
    collision: bool,
}

impl Network {
    /// Returns the counts of a link as a station of its medium; `None` if it has no medium, or one whose
    /// turns are plain.
    pub fn station_counts(&self, link: u32) -> Option<StationCounts> {
        let shared = &self.media[self.medium_of[link as usize]? as usize];
        let station = shared.links.iter().position(|other| *other == link)?;
        (!shared.access.is_plain()).then(|| shared.states[station].counts)
    }

    /// Carries out a turn of a medium that begins at `now`.
    pub(super) fn take_turn(&mut self, medium: usize, turn: Turn, now: Time) {
        let shared = &self.media[medium];
        let stations = 0..shared.links.len();
        let begins = |station: &usize| *station == turn.station || shared.medium.collides(*station);
        let collision = stations.clone().filter(begins).count() > 1;
        let terms = Terms { now, access: shared.access, collision };
        let (mut ends, mut parts) = (None, std::mem::take(&mut self.parts));
        for station in stations {
            if !(station == turn.station || self.media[medium].medium.collides(station)) {
                continue;
            }
            if let Some((sent, outcome)) = self.send(medium, station, terms) {
                ends = ends.max(Some(sent));
                parts.push(Part { station, outcome });
            }
        }
        if let Some(sent) = ends {
            self.end_turn(medium, turn.station, terms, sent, &parts);
        }
        parts.clear();
        self.parts = parts;
    }

    /// Sends the packets that a station may send in one turn. Returns when the sending ends and what the
    /// station hears, or `None` if its queue drops all packets.
    fn send(&mut self, medium: usize, station: usize, terms: Terms) -> Option<(Time, Outcome)> {
        let Self { media, links, refused, trace, .. } = self;
        let Shared { links: stations, states, .. } = &mut media[medium];
        let (index, state) = (stations[station], &mut states[station]);
        let link = &mut links[index as usize];
        let sent = state.send(link, index, terms, refused, trace);
        self.count_refused(terms.now);
        let (sent, heard) = sent?;
        let state = &mut self.media[medium].states[station];
        Some((sent, state.hear(&mut self.links[index as usize], terms, sent, heard)))
    }

    fn end_turn(&mut self, medium: usize, station: usize, terms: Terms, sent: Time, parts: &[Part]) {
        let Shared { medium: rules, links, random, .. } = &mut self.media[medium];
        let answered = parts.iter().any(|part| part.outcome == Outcome::Answered);
        let after = terms.access.answer.map(|answer| if answered { answer.takes } else { answer.missed });
        let free = sent + after.unwrap_or_default();
        links.iter().for_each(|link| self.links[*link as usize].wait_until(free));
        rules.on_sending(station, terms.now, free);
        for part in parts {
            rules.on_outcome(part.station, part.outcome, random);
        }
        for part in parts {
            self.pass_on(medium, part.station, free);
        }
    }

    /// Passes on the packets that the other end has received, in order. The other end waits for a missing
    /// packet until the station has given it up, which it learns at `free`, the end of the turn.
    fn pass_on(&mut self, medium: usize, station: usize, free: Time) {
        for place in 0.. {
            let Shared { links, states, access, .. } = &mut self.media[medium];
            let (link, state, repeats) = (links[station], &mut states[station], access.answer.is_some());
            let Some(frame) = state.frames.get_mut(place) else { break };
            if frame.passed_on {
                continue;
            }
            match frame.received {
                Some(received) => {
                    frame.passed_on = true;
                    state.passed_on = state.passed_on.max(received);
                    // Where nothing is repeated, the wire alone decides the order.
                    let at = if repeats { state.passed_on } else { received };
                    let (queued, altered) = (frame.queued, frame.altered(link));
                    self.deliver(queued, altered, at);
                }
                None if frame.done => {
                    frame.passed_on = true;
                    state.passed_on = state.passed_on.max(free);
                    let (queued, sent) = (frame.queued, frame.sent);
                    self.waiting -= 1;
                    self.count_corrupted(queued.path, sent, &queued.packet);
                }
                None => break,
            }
        }
        let frames = &mut self.media[medium].states[station].frames;
        while frames.front().is_some_and(|frame| frame.done && frame.passed_on) {
            frames.pop_front();
        }
    }

    fn deliver(&mut self, queued: QueuedPacket, altered: Altered, at: Time) {
        let QueuedPacket { mut packet, path, step, number, .. } = queued;
        (self.waiting, self.number) = (self.waiting - 1, number);
        if let Some(trace) = &mut self.trace {
            trace.push(at, path, number, packet.bytes, Event::Arrived { link: altered.link });
        }
        let outcome = if altered.alteration.is_nothing() {
            self.advance([at, at], path, step + 1, &mut packet)
        } else {
            self.pass_altered([at, at], path, step, &mut packet, altered)
        };
        debug_assert!(
            !matches!(outcome, Passage::Arrives | Passage::Ends { .. }),
            "a packet reached its endpoint without passing through the list of packets in transit"
        );
    }
}

impl StationState {
    /// Sends the packets taken before and those of the queue, as far as a turn reaches. Returns when the
    /// sending ends and whether the other end has received any packet, or `None` if none was sent.
    fn send(
        &mut self,
        link: &mut Link,
        index: u32,
        terms: Terms,
        refused: &mut Vec<QueuedPacket>,
        trace: &mut Option<Trace>,
    ) -> Option<(Time, bool)> {
        let Terms { now, access, .. } = terms;
        let begins = now + access.before;
        let (mut sent, mut bytes, mut heard) = (begins, 0, false);
        for place in 0..access.packets as usize {
            if place == self.frames.len() {
                let before = refused.len();
                let taken = link.take(now, refused);
                // Packets dropped in favour of this one have left the queue before it is sent.
                trace_drops(trace, index, now, &refused[before..]);
                let Some((queued, marked)) = taken else { break };
                let alteration = Alteration::default().after_queue(marked);
                let (attempts, sent, received, passed_on, done) = (0, now, None, false, false);
                self.frames.push_back(Frame {
                    queued,
                    marked,
                    alteration,
                    attempts,
                    sent,
                    received,
                    passed_on,
                    done,
                });
            }
            let frame = &mut self.frames[place];
            if frame.done {
                continue;
            }
            let size = frame.queued.packet.bytes + access.framing_bytes;
            let lasts = sent.since(begins) + link.takes(sent, size);
            if bytes > 0 && (bytes + size > access.bytes || lasts > access.most) {
                break;
            }
            bytes += size;
            let (ends, received) = frame.send(link, index, terms, sent, size, trace);
            if link.measures(sent) {
                self.counts.sent += 1;
                self.counts.repeated += u64::from(frame.attempts > 1);
                self.counts.collided += u64::from(terms.collision);
                self.counts.unreceived += u64::from(!terms.collision && !received);
            }
            (sent, heard) = (ends, heard | received);
        }
        (bytes > 0).then_some((sent, heard))
    }

    /// Called when the turn's packets have been sent. Returns what the station hears.
    fn hear(&mut self, link: &mut Link, terms: Terms, sent: Time, heard: bool) -> Outcome {
        let answers = terms.access.answer;
        let answered = heard && (answers.is_none() || link.hears_answer(sent));
        let attempts = answers.map_or(1, |answer| answer.attempts);
        for frame in self.frames.iter_mut().filter(|frame| !frame.done) {
            frame.done = answered && frame.received.is_some() || frame.attempts >= attempts;
        }
        match answered {
            true => Outcome::Answered,
            // Without answers, a station does not learn whether its packet was received.
            false if answers.is_none() => Outcome::Answered,
            false if self.frames.iter().all(|frame| frame.done) => Outcome::GaveUp,
            false => Outcome::Silence,
        }
    }
}

impl Frame {
    /// Returns what the link has changed about the packet.
    fn altered(&self, link: u32) -> Altered {
        Altered { link, alteration: self.alteration }
    }

    /// Makes one attempt to send the packet. Returns when it ends, and whether the other end has received the
    /// packet in this attempt.
    fn send(
        &mut self,
        link: &mut Link,
        index: u32,
        terms: Terms,
        starts: Time,
        size: u32,
        trace: &mut Option<Trace>,
    ) -> (Time, bool) {
        let in_vain = terms.collision || self.received.is_some();
        let ecn = if self.marked { Ecn::Experienced } else { self.queued.packet.ecn };
        let (sent, received, alteration) = link.attempt(starts, size, ecn, in_vain);
        let received = received.filter(|_| !terms.collision);
        (self.attempts, self.sent) = (self.attempts + 1, sent);
        // The other end recognises and drops a packet that it already has; that attempt takes air time only.
        if self.received.is_none() {
            self.received = received;
            self.alteration = alteration.after_queue(self.marked);
            let gives_up = self.attempts >= terms.access.answer.map_or(1, |answer| answer.attempts);
            if received.is_some() || gives_up {
                link.count(sent, received.is_some());
            }
            if let Some(trace) = trace {
                self.trace(trace, index, [starts, sent], gives_up);
            }
        }
        (sent, received.is_some())
    }

    fn trace(&self, trace: &mut Trace, link: u32, [starts, sent]: [Time; 2], gives_up: bool) {
        let QueuedPacket { packet, path, number, .. } = self.queued;
        if let Some(ecn) = self.alteration.ecn {
            trace.set_ecn(number, ecn);
        }
        let mut note = |time, event| trace.push(time, path, number, packet.bytes, event);
        note(starts, Event::Started { link });
        match self.received {
            Some(_) => note(sent, Event::Sent { link }),
            None if gives_up => {
                note(sent, Event::Sent { link });
                note(sent, Event::Corrupted { link });
            }
            None => note(sent, Event::Failed { link }),
        }
    }
}
