//! What is done before its time: what events need is read, and packets are handed to endpoints that nothing can reach earlier.

use super::Simulation;
use crate::network::Destination;
use crate::packet::Packet;
use crate::schedule::{Moment, Order, SourceId};
use ackclock_base::Time;

impl Simulation {
    /// What has gathered, and nothing can precede any more, goes on; if it reaches an endpoint, that takes it.
    #[inline(never)]
    pub(super) fn take_on(&mut self, gathering: u32, now: Time, until: Time) {
        let moment = self.network.schedule.moment();
        let mut packet = Packet::default();
        while let Some((at, path)) = self.network.take_on(gathering, now, &mut packet) {
            self.reach(at, path, &packet, until);
        }
        self.network.schedule.set_moment(moment);
        self.network.has_taken_on(gathering);
    }

    /// A packet that is there at this time, or never, is at the end of its path: the endpoint takes it, or it waits for its time.
    #[inline(always)] // for each packet
    pub(super) fn reach(&mut self, at: Time, path: u32, packet: &Packet, until: Time) {
        if at == Time::NEVER {
            return;
        }
        let network = &mut self.network;
        let Destination { flow: index, end, path } = network.destination(path);
        let (end, path) = (usize::from(end), usize::from(path));
        let flow = &mut self.flows[index as usize];
        if let Some(lane) = network.lane_at_end() {
            let moment = network.schedule.moment();
            if at >= until || network.is_anything_in(lane) || !flow.lets_pass(end, at) {
                return network.put_off(at, lane, packet);
            }
            flow.take_early(end, Moment::of(at, at.since(moment.now)), path, packet, network);
            return network.schedule.set_moment(moment);
        }
        let completes = flow.on_packet(end, at, path, packet, network);
        network.extensions.forget(packet);
        flow.arm(end, &mut network.schedule);
        if completes && let Some(session) = flow.session {
            self.go_on(session, at, Some(index));
        }
    }

    /// The head of a lane has reached its endpoint: of those that were put off behind it as many are handed over as can be now.
    #[cold]
    #[inline(never)]
    pub(super) fn hand_over_in_turn(&mut self, lane: usize, first: ((Time, Order), u32), until: Time) {
        let Self { network, flows, .. } = self;
        let moment = network.schedule.moment();
        let mut packet = Packet::default();
        let mut next = Some(first);
        while let Some(((at, order), path)) = next {
            let Destination { flow, end, path } = network.destination(path);
            let (flow, end) = (&mut flows[flow as usize], usize::from(end));
            if at >= until || !flow.lets_pass(end, at) {
                network.wait_in_turn(lane, (at, order));
                break;
            }
            network.take_in_turn(lane, &mut packet);
            flow.take_early(end, Moment::of_event(at, order), usize::from(path), &packet, network);
            next = network.next_in_turn(lane);
        }
        network.schedule.set_moment(moment);
    }

    /// Among ten thousand flows nearly all that an event touches comes from memory. The events of a bucket do not depend on one
    /// another, so reading for all of them first takes little longer than for one. Changes nothing.
    #[inline]
    pub(super) fn look_ahead(&mut self) {
        let Self { network, flows, .. } = self;
        let all = network.lanes();
        let Some(ahead) = network.schedule.ahead() else { return };
        let lanes: [Option<usize>; 16] = {
            let mut ahead = ahead.map(SourceId::index).filter(|source| *source < all);
            std::array::from_fn(|_| ahead.next())
        };
        let read = lanes.into_iter().flatten().fold(0, |read, lane| {
            let (word, to) = network.look_ahead(lane);
            let timer = to.map_or(0, |to| flows[to.flow as usize].timer(usize::from(to.end)).nanos());
            read ^ word ^ timer
        });
        std::hint::black_box(read);
    }
}
