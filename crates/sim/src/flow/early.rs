//! Packets that an end takes before their time has come.

use super::Flow;
use crate::network::Network;
use crate::packet::Packet;
use crate::port::Socket;
use crate::schedule::Moment;
use ackclock_base::Time;

impl Flow {
    /// Lets packets be handed to its ends early where nothing but what reaches them, and their timers, tells them what to do.
    pub(crate) fn let_hand_over(&self, network: &mut Network) {
        let Socket { first_path: path, paths: 1, .. } = self.socket else { return };
        for (end, path, back) in [(1, path, path + 1), (0, path + 1, path)] {
            if self.session.is_none() && !self.ends[end].endpoint.properties().shares {
                network.let_hand_over(path, back);
            }
        }
    }

    /// Whether a packet may be handed to one of its ends which arrives then, if none arrives earlier: neither the application nor the
    /// end's timer has anything to do before, or at that time.
    #[inline]
    pub(crate) fn lets_pass(&mut self, end: usize, arrives: Time) -> bool {
        if arrives >= self.wakes {
            return false;
        }
        self.ends[end].alarm.as_ref().is_some_and(|alarm| alarm.lets_pass(arrives))
            || self.lets_pass_after_alarm(end, arrives)
    }

    #[inline(never)]
    fn lets_pass_after_alarm(&mut self, end: usize, arrives: Time) -> bool {
        let timer = self.timer(end);
        self.ends[end].alarm.as_mut().is_some_and(|alarm| alarm.lets_pass_after(arrives, timer))
    }

    /// A packet is handed to an end that [lets it pass](Self::lets_pass). What that sends is scheduled as if the packet had an event at
    /// its time.
    #[inline(always)] // for each packet that is
    pub(crate) fn take_early(
        &mut self,
        end: usize,
        at: Moment,
        path: usize,
        packet: &Packet,
        network: &mut Network,
    ) {
        network.schedule.set_moment(at);
        self.on_packet(end, at.now, path, packet, network);
        network.extensions.forget(packet);
        self.arm(end, &mut network.schedule);
    }
}
