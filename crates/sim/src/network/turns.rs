//! Turns of a medium that are more than one packet with nothing around it: several packets, collisions, answers, and what is
//! repeated because nobody answered.

use super::altering::Altered;
use super::tracing::trace_drops;
use super::{Network, Outcome as Passage, Shared};
use crate::alteration::Alteration;
use crate::link::Link;
use crate::medium::{Manner, Outcome, Station, StationCounts, Turn};
use crate::trace::{Event, Trace};
use crate::waiting_room::Guest;
use ackclock_aqm::Ecn;
use ackclock_base::Time;
use std::collections::VecDeque;

/// What a station has taken out of its queue and is not done with, in the order of the queue.
#[derive(Default)]
pub(super) struct Hand {
    frames: VecDeque<Frame>,
    /// When the other end has passed on the last of them, or has been told not to wait for it.
    passed_on: Time,
    counts: StationCounts,
}

struct Frame {
    guest: Guest,
    /// Whether the queue has marked it.
    marked: bool,
    /// What the link has changed about it, a mark included.
    alteration: Alteration,
    attempts: u32,
    /// When it was sent last, to the end.
    sent: Time,
    /// When the other end had it.
    received: Option<Time>,
    /// Whether the other end has passed it on.
    passed_on: bool,
    /// Whether the station has heard that it was received, or has given it up.
    done: bool,
}

impl Hand {
    /// The station with what it has in its hand besides its queue.
    pub(super) fn add_to(&self, station: Station) -> Station {
        let pending = self.frames.iter().filter(|frame| !frame.done).count() as u64;
        let ready = if pending > 0 { Time::ZERO } else { station.ready };
        Station { packets: station.packets + pending, ready }
    }
}

/// A station's part in a turn.
#[derive(Clone, Copy)]
pub(super) struct Part {
    station: usize,
    outcome: Outcome,
}

/// A turn as all of its stations see it.
#[derive(Clone, Copy)]
struct Terms {
    now: Time,
    manner: Manner,
    collision: bool,
}

impl Network {
    /// What has been counted of a link as a station of its medium.
    pub fn station_counts(&self, link: u32) -> Option<StationCounts> {
        let shared = &self.media[self.medium_of[link as usize]? as usize];
        let station = shared.links.iter().position(|other| *other == link)?;
        (!shared.manner.is_plain()).then(|| shared.hands[station].counts)
    }

    /// A turn of a medium begins.
    pub(super) fn take_turn(&mut self, medium: usize, turn: Turn, now: Time) {
        let shared = &self.media[medium];
        let stations = 0..shared.links.len();
        let begins = |station: &usize| *station == turn.station || shared.medium.collides(*station);
        let collision = stations.clone().filter(begins).count() > 1;
        let terms = Terms { now, manner: shared.manner, collision };
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

    /// A station sends what it may in one turn: until when, and what it hears. Nothing if its queue drops all that it has.
    fn send(&mut self, medium: usize, station: usize, terms: Terms) -> Option<(Time, Outcome)> {
        let Self { media, links, refused, trace, .. } = self;
        let Shared { links: stations, hands, .. } = &mut media[medium];
        let (index, hand) = (stations[station], &mut hands[station]);
        let link = &mut links[index as usize];
        let sent = hand.send(link, index, terms, refused, trace);
        self.count_refused(terms.now);
        let (sent, heard) = sent?;
        let hand = &mut self.media[medium].hands[station];
        Some((sent, hand.hear(&mut self.links[index as usize], terms, sent, heard)))
    }

    fn end_turn(&mut self, medium: usize, station: usize, terms: Terms, sent: Time, parts: &[Part]) {
        let Shared { medium: rules, links, random, .. } = &mut self.media[medium];
        let answered = parts.iter().any(|part| part.outcome == Outcome::Answered);
        let after = terms.manner.answer.map(|answer| if answered { answer.takes } else { answer.missed });
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

    /// The other end passes on what it has, in order; what the station has given up it waits for no longer.
    fn pass_on(&mut self, medium: usize, station: usize, free: Time) {
        for place in 0.. {
            let Shared { links, hands, manner, .. } = &mut self.media[medium];
            let (link, hand, repeats) = (links[station], &mut hands[station], manner.answer.is_some());
            let Some(frame) = hand.frames.get_mut(place) else { break };
            if frame.passed_on {
                continue;
            }
            match frame.received {
                Some(received) => {
                    frame.passed_on = true;
                    hand.passed_on = hand.passed_on.max(received);
                    // Where nothing is repeated, only the wire says who may overtake whom.
                    let at = if repeats { hand.passed_on } else { received };
                    let (guest, altered) = (frame.guest, frame.altered(link));
                    self.deliver(guest, altered, at);
                }
                None if frame.done => {
                    frame.passed_on = true;
                    hand.passed_on = hand.passed_on.max(free);
                    let (guest, sent) = (frame.guest, frame.sent);
                    self.waiting -= 1;
                    self.count_corrupted(guest.path, sent, &guest.packet);
                }
                None => break,
            }
        }
        let frames = &mut self.media[medium].hands[station].frames;
        while frames.front().is_some_and(|frame| frame.done && frame.passed_on) {
            frames.pop_front();
        }
    }

    fn deliver(&mut self, guest: Guest, altered: Altered, at: Time) {
        let Guest { mut packet, path, step, number, .. } = guest;
        (self.waiting, self.number) = (self.waiting - 1, number);
        if let Some(trace) = &mut self.trace {
            trace.push(at, path, number, packet.bytes, Event::Arrived { link: altered.link });
        }
        let outcome = if altered.alteration.is_nothing() {
            self.advance([at, at], path, step + 1, &mut packet)
        } else {
            self.pass_altered([at, at], path, step, &mut packet, altered)
        };
        debug_assert!(!matches!(outcome, Passage::Arrives { .. }), "it waits before its endpoint");
    }
}

impl Hand {
    /// Sends what it has and what the queue has, as far as a turn reaches: until when, and whether the other end has received
    /// any of it.
    fn send(
        &mut self,
        link: &mut Link,
        index: u32,
        terms: Terms,
        refused: &mut Vec<Guest>,
        trace: &mut Option<Trace>,
    ) -> Option<(Time, bool)> {
        let Terms { now, manner, .. } = terms;
        let begins = now + manner.before;
        let (mut sent, mut bytes, mut heard) = (begins, 0, false);
        for place in 0..manner.packets as usize {
            if place == self.frames.len() {
                let before = refused.len();
                let taken = link.take(now, refused);
                // What is dropped for the packet that goes has left the queue before that is sent.
                trace_drops(trace, index, now, &refused[before..]);
                let Some((guest, marked)) = taken else { break };
                let alteration = Alteration::default().after_queue(marked);
                let (attempts, sent, received, passed_on, done) = (0, now, None, false, false);
                self.frames.push_back(Frame {
                    guest,
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
            let size = frame.guest.packet.bytes + manner.framing_bytes;
            let lasts = sent.since(begins) + link.takes(sent, size);
            if bytes > 0 && (bytes + size > manner.bytes || lasts > manner.most) {
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

    /// The turn's packets have been sent: what the station hears.
    fn hear(&mut self, link: &mut Link, terms: Terms, sent: Time, heard: bool) -> Outcome {
        let answers = terms.manner.answer;
        let answered = heard && (answers.is_none() || link.hears_answer(sent));
        let attempts = answers.map_or(1, |answer| answer.attempts);
        for frame in self.frames.iter_mut().filter(|frame| !frame.done) {
            frame.done = answered && frame.received.is_some() || frame.attempts >= attempts;
        }
        match answered {
            true => Outcome::Answered,
            // Where nobody answers a station knows nothing of what has become of its packet.
            false if answers.is_none() => Outcome::Answered,
            false if self.frames.iter().all(|frame| frame.done) => Outcome::GaveUp,
            false => Outcome::Silence,
        }
    }
}

impl Frame {
    /// Returns what the link has changed about it.
    fn altered(&self, link: u32) -> Altered {
        Altered { link, alteration: self.alteration }
    }

    /// Sends it once: until when, and whether the other end has received it this time.
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
        let ecn = if self.marked { Ecn::Experienced } else { self.guest.packet.ecn };
        let (sent, received, alteration) = link.attempt(starts, size, ecn, in_vain);
        let received = received.filter(|_| !terms.collision);
        (self.attempts, self.sent) = (self.attempts + 1, sent);
        // What the other end has already, it knows again and drops: that is air, and no packet.
        if self.received.is_none() {
            self.received = received;
            self.alteration = alteration.after_queue(self.marked);
            let gives_up = self.attempts >= terms.manner.answer.map_or(1, |answer| answer.attempts);
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
        let Guest { packet, path, number, .. } = self.guest;
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
