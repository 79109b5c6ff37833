//! All connections of the kernel under one control.

use crate::answer::Answer;
use crate::connection::Connection;
use crate::event::{self, Event};
use crate::offer::Offer;
use ackclock_cc::Assembly;
use std::collections::HashMap;

/// The connections under one control. Those to one destination share state where the control is one for several connections.
pub struct Host {
    offer: Offer,
    connections: HashMap<u64, Member>,
    groups: HashMap<Peer, Group>,
    begun: u64,
}

type Peer = [u32; 4];

struct Member {
    connection: Connection,
    peer: Peer,
    seq: u64,
}

/// The connections to one destination.
struct Group {
    assembly: Assembly,
    members: Vec<u64>,
}

impl Host {
    /// Returns a host without connections.
    pub fn new(offer: Offer) -> Self {
        Self { offer, connections: HashMap::new(), groups: HashMap::new(), begun: 0 }
    }

    /// The control that is offered.
    pub fn offer(&self) -> &Offer {
        &self.offer
    }

    /// The number of connections that have begun.
    pub fn begun(&self) -> u64 {
        self.begun
    }

    /// Returns the ends of those connections that the kernel does not know any more, for which the ring had no room.
    pub fn missed_ends(&self, is_known: impl Fn(u64) -> bool) -> Vec<Event> {
        let gone = self.connections.iter().filter(|(id, _)| !is_known(**id));
        let ends = gone.map(|(id, member)| Event {
            kind: event::END,
            connection: *id,
            seq: member.seq + 1,
            ..Event::default()
        });
        ends.collect()
    }

    /// Tells the control of an event, and calls `publish(connection, seq, answer)` for the answer to it, then for those answers to
    /// connections of the same group that may have changed with it. An ended connection has no answer.
    pub fn on_event(&mut self, event: &Event, mut publish: impl FnMut(u64, u64, Answer)) {
        let id = event.connection;
        if event.kind != event::END && !self.connections.contains_key(&id) {
            self.begin(event);
        }
        let Some(member) = self.connections.get_mut(&id) else { return };
        if event.kind != event::END && event.seq > member.seq + 1 {
            member.connection.catch_up(event);
        }
        member.connection.on_event(event);
        member.seq = event.seq;
        let peer = member.peer;
        if event.kind == event::END {
            self.end(id);
        } else {
            publish(id, event.seq, member.connection.answer());
        }
        if self.offer.is_group() {
            let others = self.groups.get(&peer).map_or(&[][..], |group| &group.members);
            for other in others.iter().filter(|other| **other != id) {
                if let Some(member) = self.connections.get(other) {
                    publish(*other, member.seq, member.connection.answer());
                }
            }
        }
    }

    fn begin(&mut self, event: &Event) {
        self.begun += 1;
        let peer = event.destination();
        let group = self
            .groups
            .entry(peer)
            .or_insert_with(|| Group { assembly: self.offer.assembly(), members: Vec::new() });
        group.members.push(event.connection);
        let connection = Connection::begin(&mut group.assembly, event);
        self.connections.insert(event.connection, Member { connection, peer, seq: event.seq });
    }

    /// Forgets a connection, and the state of its destination with the last one to it.
    fn end(&mut self, id: u64) {
        let Some(member) = self.connections.remove(&id) else { return };
        if let Some(group) = self.groups.get_mut(&member.peer) {
            group.members.retain(|other| *other != id);
            if group.members.is_empty() {
                self.groups.remove(&member.peer);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: [u32; 4] = [1, 0, 0, 0];
    const THERE: [u32; 4] = [2, 0, 0, 0];

    fn host(control: &str) -> Host {
        Host::new(Offer::read(control).unwrap_or_else(|refusal| panic!("{refusal}")))
    }

    /// Returns what is published for an event of a connection, whose window in the kernel is ten packets.
    fn tell(host: &mut Host, kind: u32, connection: u64, seq: u64, peer: [u32; 4]) -> Vec<(u64, u64, u32)> {
        let event =
            Event { kind, connection, seq, peer, cwnd: 10, mss: 1000, srtt_us: 40_000, ..Event::default() };
        let mut published = Vec::new();
        host.on_event(&event, |connection, seq, answer| published.push((connection, seq, answer.cwnd)));
        published
    }

    #[test]
    fn connections_to_one_destination_share_state_where_the_control_is_for_several() {
        let mut host = host("tcp-p");
        assert_eq!(tell(&mut host, event::BEGIN, 1, 1, HERE).len(), 1);
        assert_eq!(tell(&mut host, event::BEGIN, 2, 1, THERE).len(), 1);
        let both = tell(&mut host, event::BEGIN, 3, 1, HERE);
        let answered: Vec<(u64, u64)> = both.iter().map(|(connection, seq, _)| (*connection, *seq)).collect();
        assert_eq!(answered, [(3, 1), (1, 1)], "the answer, then the other one to that destination");
        let after = tell(&mut host, event::END, 1, 2, HERE);
        assert_eq!(after.iter().map(|(connection, ..)| *connection).collect::<Vec<_>>(), [3]);
        assert_eq!(tell(&mut host, event::END, 3, 2, HERE), []);
        assert_eq!(host.begun(), 3);
    }

    #[test]
    fn connections_of_other_controls_are_alone_and_begin_with_any_event() {
        let mut host = host("newreno");
        assert_eq!(tell(&mut host, event::BEGIN, 1, 1, HERE), [(1, 1, 10)]);
        assert_eq!(tell(&mut host, event::STATE, 2, 7, HERE), [(2, 7, 10)], "its beginning found no room");
        assert_eq!(tell(&mut host, event::END, 9, 1, HERE), [], "nothing is known of it");
    }

    #[test]
    fn a_connection_catches_up_after_missing_events() {
        let mut host = host("newreno");
        let mut window = |kind, seq, cwnd| {
            let event = Event {
                kind,
                connection: 1,
                seq,
                cwnd,
                ssthresh: 5,
                mss: 1000,
                srtt_us: 40_000,
                ..Event::default()
            };
            let mut decided = 0;
            host.on_event(&event, |_, _, answer| decided = answer.cwnd);
            decided
        };
        assert_eq!(window(event::BEGIN, 1, 10), 10);
        assert_eq!(window(event::CWND_EVENT, 2, 6), 10, "the control decides");
        assert_eq!(window(event::CWND_EVENT, 4, 6), 6, "the kernel has decided by itself");
    }

    #[test]
    fn connections_whose_end_was_missing_end() {
        let mut host = host("tcp-p");
        for connection in [1, 2] {
            tell(&mut host, event::BEGIN, connection, 1, HERE);
        }
        assert_eq!(host.missed_ends(|_| true), []);
        let ends = host.missed_ends(|id| id == 2);
        assert_eq!(
            ends.iter().map(|end| (end.kind, end.connection, end.seq)).collect::<Vec<_>>(),
            [(event::END, 1, 2)]
        );
        let left = tell(&mut host, event::END, 1, 2, HERE);
        assert_eq!(left.iter().map(|(connection, ..)| *connection).collect::<Vec<_>>(), [2]);
        assert_eq!(host.missed_ends(|id| id == 2), []);
    }
}
