//! A set-associative table of flows (Høiland-Jørgensen, Täht and Morton 2018 section III-B; Linux,
//! sch_cake.c, cake_hash): the hash of a flow selects a set of eight places, and the flow takes a free one of
//! them. Two flows therefore share a place only if nine meet in a set.

use crate::flow_hash::{draw_salt, mix};
use ackclock_base::Random;

/// The number of places in the table (CAKE_QUEUES).
pub const PLACES: usize = 1024;
/// The number of places in a set (CAKE_SET_WAYS).
const WAYS: usize = 8;

/// The table.
#[derive(Clone, Debug)]
pub struct Ways {
    /// The flow that last took each place.
    tags: Vec<Option<u32>>,
    /// The place and the number of waiting packets of each flow.
    flows: Vec<InPlace>,
    /// The salt that makes this table's hash differ from another's; drawn when the first packet arrives.
    salt: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default)]
struct InPlace {
    place: u32,
    packets: u32,
}

impl Ways {
    /// Creates an empty table.
    pub fn new() -> Self {
        Self { tags: vec![None; PLACES], flows: Vec::new(), salt: None }
    }

    /// Returns the place in which an arriving packet of `flow` must wait. `rests` says whether a place is
    /// free.
    pub fn enter(&mut self, flow: u32, random: &mut dyn Random, rests: impl Fn(usize) -> bool) -> usize {
        if self.flows.len() <= flow as usize {
            self.flows.resize(flow as usize + 1, InPlace::default());
        }
        if self.flows[flow as usize].packets == 0 {
            let salt = *self.salt.get_or_insert_with(|| draw_salt(random));
            self.flows[flow as usize].place = self.find(flow, mix(salt ^ u64::from(flow)), rests) as u32;
        }
        let in_place = &mut self.flows[flow as usize];
        in_place.packets += 1;
        in_place.place as usize
    }

    /// Returns a place for a flow without waiting packets: its last one if it still has it, a free one, or
    /// else the one that the hash selects.
    fn find(&mut self, flow: u32, hash: u64, rests: impl Fn(usize) -> bool) -> usize {
        let named = (hash % PLACES as u64) as usize;
        let first = named - named % WAYS;
        let ways = (0..WAYS).map(|way| first + (named + way) % WAYS);
        let own = ways.clone().find(|place| self.tags[*place] == Some(flow));
        let place = own.or_else(|| ways.clone().find(|place| rests(*place))).unwrap_or(named);
        self.tags[place] = Some(flow);
        place
    }

    /// Called when a packet of `flow` no longer waits.
    pub fn leave(&mut self, flow: u32) {
        self.flows[flow as usize].packets -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Dice;
    use std::collections::BTreeSet;

    /// Returns how many of `flows` flows collide with an earlier one, in the set-associative table and by the
    /// hash alone.
    fn collisions(salt: u64, flows: u32) -> (usize, usize) {
        let mut ways = Ways::new();
        ways.salt = Some(salt);
        let (mut taken, mut named) = (BTreeSet::new(), BTreeSet::new());
        for flow in 0..flows {
            let place = ways.enter(flow, &mut Dice(1), |place| !taken.contains(&place));
            taken.insert(place);
            named.insert(mix(salt ^ u64::from(flow)) % PLACES as u64);
        }
        (flows as usize - taken.len(), flows as usize - named.len())
    }

    #[test]
    fn eight_ways_avoid_the_collisions_of_one() {
        // 100 flows at random in 1024 places have 100 - 1024 (1 - (1 - 1/1024)^100) = 4.68 collisions on
        // average, with a variance of about as much: over 1000 tables the mean is accurate to 4 sqrt(4.68 /
        // 1000) = 0.27. Nine flows in a set of eight are rarer: a set has 100 / 128 = 0.78 flows on average,
        // so by Poisson 1.3e-7 * 128 = 1.7e-5 tables have a set with nine.
        let all = (0..1000).map(|table| collisions(mix(table), 100));
        let (ways, direct) = all.fold((0, 0), |sum, table| (sum.0 + table.0, sum.1 + table.1));
        assert_eq!(ways, 0);
        assert!((direct as f64 / 1000.0 - 4.68).abs() < 0.27, "{direct}");
    }

    #[test]
    fn flows_share_where_a_set_is_full() {
        // 1024 places for 20,000 flows: each place is taken before the sets are full, and all other flows
        // share.
        let (ways, _) = collisions(1, 20_000);
        assert_eq!(ways, 20_000 - PLACES);
    }

    #[test]
    fn a_flow_stays_while_one_of_its_packets_waits_and_returns_to_its_place() {
        let mut ways = Ways::new();
        let place = ways.enter(3, &mut Dice(1), |_| true);
        assert_eq!(ways.enter(3, &mut Dice(1), |other| other != place), place);
        ways.leave(3);
        ways.leave(3);
        assert_eq!(ways.enter(3, &mut Dice(1), |other| other != place), place);
        // Another flow of the same set, which has no free place, takes its place over; waiting packets of
        // flow 3 stay.
        let salt = ways.salt.unwrap();
        let same = |flow: &u32| mix(salt ^ u64::from(*flow)) % PLACES as u64 == mix(salt ^ 3) % PLACES as u64;
        let other = (4..).find(same).unwrap();
        assert_eq!(ways.enter(other, &mut Dice(1), |_| false), place);
        assert_eq!(ways.enter(3, &mut Dice(1), |_| true), place);
    }
}
