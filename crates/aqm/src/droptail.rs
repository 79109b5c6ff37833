//! First in, first out, and what does not fit is dropped.

use crate::discipline::{Arrival, Backlog, Capacity, Discipline, Verdict};
use ackclock_base::Random;

/// The tail-drop queue.
#[derive(Clone, Copy, Debug)]
pub struct DropTail {
    /// How much may wait.
    pub capacity: Capacity,
}

impl Discipline for DropTail {
    fn on_arrival(&mut self, arrival: &Arrival, backlog: &Backlog, _random: &mut dyn Random) -> Verdict {
        if self.capacity.admits(arrival.bytes, backlog) { Verdict::Admit } else { Verdict::Drop }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_base::{Time, random::Scripted};

    fn verdict(capacity: Capacity, waiting_packets: u64, bytes: u32) -> Verdict {
        let arrival = Arrival { now: Time::ZERO, bytes, ecn_capable: false };
        let backlog = Backlog {
            packets: waiting_packets,
            bytes: waiting_packets * 1000,
            sending: true,
            idle_since: None,
        };
        DropTail { capacity }.on_arrival(&arrival, &backlog, &mut Scripted::new(&[]))
    }

    #[test]
    fn the_limit_counts_waiting_packets() {
        assert_eq!(verdict(Capacity::Packets(50), 49, 1000), Verdict::Admit);
        assert_eq!(verdict(Capacity::Packets(50), 50, 1000), Verdict::Drop);
    }

    #[test]
    fn a_limit_in_bytes_counts_the_newcomer() {
        assert_eq!(verdict(Capacity::Bytes(3000), 2, 1000), Verdict::Admit);
        assert_eq!(verdict(Capacity::Bytes(3000), 2, 1001), Verdict::Drop);
    }

    #[test]
    fn an_idle_link_takes_any_packet() {
        let arrival = Arrival { now: Time::ZERO, bytes: 9000, ecn_capable: false };
        let idle = Backlog { packets: 0, bytes: 0, sending: false, idle_since: Some(Time::ZERO) };
        let mut queue = DropTail { capacity: Capacity::Packets(0) };
        assert_eq!(queue.on_arrival(&arrival, &idle, &mut Scripted::new(&[])), Verdict::Admit);
    }
}
