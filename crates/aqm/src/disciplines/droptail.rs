//! First in, first out; a packet that does not fit is dropped.

use crate::discipline::{Arrival, Backlog, Capacity, Discipline, Verdict};
use crate::entry::{Entry, Queueing, Service, queue};
use ackclock_base::Random;

/// The discipline's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &queue(
        "droptail",
        "First in, first out; a packet that does not fit is dropped",
        "RFC 7567 section 2",
        &[],
    ),
    build: |_, capacity, _| Queueing::at_arrival(DropTail { capacity }),
    service: Service { drops_only_when_full: true, ..Service::IN_ORDER },
};

/// The tail-drop queue.
#[derive(Clone, Copy, Debug)]
pub struct DropTail {
    /// The capacity of the queue.
    pub capacity: Capacity,
}

impl Discipline for DropTail {
    fn on_arrival(&mut self, arrival: &Arrival, backlog: &Backlog, _random: &mut dyn Random) -> Verdict {
        if self.capacity.admits(arrival.bytes, backlog) { Verdict::Admit } else { Verdict::Drop }
    }

    fn only_limits(&self) -> Option<Capacity> {
        Some(self.capacity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{arrival, idle, waiting};
    use ackclock_base::random::Scripted;

    fn verdict(capacity: Capacity, backlog: &Backlog, bytes: u32) -> Verdict {
        let arrival = Arrival { bytes, ..arrival(0.0) };
        DropTail { capacity }.on_arrival(&arrival, backlog, &mut Scripted::new(&[]))
    }

    #[test]
    fn the_limit_counts_waiting_packets() {
        assert_eq!(verdict(Capacity::Packets(50), &waiting(49), 1000), Verdict::Admit);
        assert_eq!(verdict(Capacity::Packets(50), &waiting(50), 1000), Verdict::Drop);
    }

    #[test]
    fn a_limit_in_bytes_counts_the_newcomer() {
        assert_eq!(verdict(Capacity::Bytes(3000), &waiting(2), 1000), Verdict::Admit);
        assert_eq!(verdict(Capacity::Bytes(3000), &waiting(2), 1001), Verdict::Drop);
    }

    #[test]
    fn an_idle_link_takes_any_packet() {
        assert_eq!(verdict(Capacity::Packets(0), &idle(0.0), 9000), Verdict::Admit);
    }
}
