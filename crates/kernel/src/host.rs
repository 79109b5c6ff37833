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

    /// Tells the control of an event, and calls `publish(connection, seq, answer)` for the answer to it, then for those answers to
    /// connections of the same group that may have changed with it. An ended connection has no answer.
    pub fn on_event(&mut self, event: &Event, mut publish: impl FnMut(u64, u64, Answer)) {
        let id = event.connection;
        if event.kind == event::BEGIN {
            self.end(id); // an end for which the ring had no room
        }
        if event.kind != event::END && !self.connections.contains_key(&id) {
            self.begin(event);
        }
        let Some(member) = self.connections.get_mut(&id) else { return };
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
        let group = self
            .groups
            .entry(event.peer)
            .or_insert_with(|| Group { assembly: self.offer.assembly(), members: Vec::new() });
        group.members.push(event.connection);
        let connection = Connection::begin(&mut group.assembly, event);
        self.connections.insert(event.connection, Member { connection, peer: event.peer, seq: event.seq });
    }

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
