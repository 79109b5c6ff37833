//! How a network is built: where packets of a path have to wait, and what has to be served.

use super::{NO_LINK, Network, PathPlan, Shared, Step, Then};
use crate::lane::Lane;
use crate::medium::{MediumParts, Station};
use crate::random::Stream;
use std::collections::VecDeque;

impl Network {
    pub(super) fn add_media(&mut self, media: Vec<MediumParts>, seed: u64) {
        self.medium_of = vec![None; self.links.len()];
        for (index, MediumParts { medium, links }) in media.into_iter().enumerate() {
            for link in &links {
                self.medium_of[*link as usize] = Some(index as u32);
                self.links[*link as usize].share_medium();
            }
            let random = Stream::new(seed, &format!("medium {index}"));
            let stations = vec![Station::default(); links.len()];
            self.media.push(Shared { medium, links, random, stations });
        }
    }

    pub(super) fn add_services(&mut self) {
        let mut of_media = vec![None; self.media.len()];
        for (link, medium) in self.links.iter().zip(&self.medium_of) {
            let source = match medium {
                _ if !link.decides_at_departure() => None,
                None => Some(self.schedule.add_source()),
                Some(medium) => {
                    let source = &mut of_media[*medium as usize];
                    Some(*source.get_or_insert_with(|| self.schedule.add_source()))
                }
            };
            self.services.push(source);
        }
    }

    pub(super) fn add_path(&mut self, plan: &PathPlan) {
        let path = self.starts.len() as u32;
        self.starts.push(self.steps.len() as u32);
        self.destinations.push(plan.to);
        let mut now_is_real = !plan.leaves_later;
        // A packet that has not waited is still in the hands of its sender, or of the link that was served.
        let mut has_waited = false;
        let mut waits_at_end = false;
        // The plain link before what comes next.
        let mut crosses = NO_LINK;
        for link in &plan.links {
            if self.links[*link as usize].is_watched() && !now_is_real {
                self.add_wait(path, &mut crosses, false);
                has_waited = true;
            }
            let traced = self.trace.is_some();
            let then = match &self.links[*link as usize] {
                plain if plain.is_plain() && !traced => None,
                late if late.decides_at_departure() => Some(Then::Join(*link)),
                simple if simple.is_simple() && !traced => Some(Then::Offer(*link)),
                _ => Some(Then::Ask(*link)),
            };
            match then {
                Some(then) => self.add_step(&mut crosses, then),
                None => {
                    if crosses != NO_LINK {
                        self.add_step(&mut crosses, Then::GoOn);
                    }
                    crosses = *link;
                }
            }
            now_is_real = false;
            has_waited &= !self.links[*link as usize].decides_at_departure();
            if self.links[*link as usize].reorders() {
                // What follows is offered packets in the order in which they arrive.
                self.add_wait(path, &mut crosses, true);
                now_is_real = true;
            }
            waits_at_end = now_is_real;
        }
        if !(waits_at_end || plan.arrives_early && has_waited) {
            self.add_wait(path, &mut crosses, false);
        }
        self.add_step(&mut crosses, if self.trace.is_some() { Then::ArriveTraced } else { Then::Arrive });
    }

    fn add_step(&mut self, crosses: &mut u32, then: Then) {
        self.steps.push(Step { crosses: std::mem::replace(crosses, NO_LINK), then });
    }

    fn add_wait(&mut self, path: u32, crosses: &mut u32, reorders: bool) {
        // Where none overtakes another the head of a lane stays the head until it has arrived.
        let source = if reorders { self.schedule.add_source() } else { self.schedule.add_firm_source() };
        let (lane, apart) = (self.lanes.len() as u32, reorders || self.trace.is_some());
        self.add_step(crosses, if apart { Then::WaitApart(lane) } else { Then::Wait(lane) });
        self.lanes.push(Lane::new(path, self.steps.len() as u32, source, reorders));
        self.traced.push(VecDeque::new());
    }
}
