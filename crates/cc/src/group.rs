//! Controls whose connections share state: all that one host has to one destination. A law of a group sees the windows
//! of all its members and may change any of them; what surrounds it (floors, undo, who is there) is written once here.

use crate::classic::{Floors, Window};
use crate::control::{
    Ack, Change, Control, Decision, Ending, Initial, Loss, Phase, Recovered, Timeout, WindowControl,
};
use ackclock_base::{Packets, Random};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Makes the controls of a group's members. The host makes one group for each set of connections that are to share.
pub trait ControlGroup: Send {
    /// The control of a new member. It counts as a member from [`Change::Begins`] to [`Change::Ends`].
    fn join(&mut self, initial: &Initial) -> Box<dyn WindowControl>;
}

/// How the windows of a group grow and shrink. `me` is the member that an event happened to.
pub trait GroupLaw: Clone + Send + 'static {
    /// What the law keeps for each member.
    type Member: Clone + Default + Send;

    /// Sees every acknowledgement before any window changes, also duplicates and those in recovery.
    fn observe(&mut self, _members: &mut Members<Self::Member>, _me: usize, _ack: &Ack) {}

    /// Changes windows for one fresh acknowledgement to `me` outside recovery.
    fn increase(&mut self, members: &mut Members<Self::Member>, me: usize, ack: &Ack);

    /// A loss begins a recovery of `me`.
    fn on_loss(&mut self, members: &mut Members<Self::Member>, me: usize, loss: &Loss);

    /// Keeps the window that a loss has left `me` at `least` packets or more, which is what the transport demands.
    fn keep_at_least(&mut self, members: &mut Members<Self::Member>, me: usize, least: Packets) {
        let window = &mut members.all[me].window;
        window.cwnd = window.cwnd.max(least);
    }

    /// The retransmission timer of `me` expired: RFC 5681 section 3.1 for this member alone, unless the law has more.
    fn on_timeout(&mut self, members: &mut Members<Self::Member>, me: usize, timeout: &Timeout) {
        members.all[me].window.start_over(timeout);
    }

    /// The last loss or timeout of `me` was none: `before` it the law was so, and the window of `me` so. Gives `me` its
    /// window back, unless the law has more to take back. What the others gave up they win back by themselves: it was
    /// theirs, and they may have lost since.
    fn undo(&mut self, members: &mut Members<Self::Member>, me: usize, (_law, window): &(Self, Window)) {
        members.all[me].window.restore(window);
    }

    /// Something around the control sets the window of `me`.
    fn set_cwnd(&mut self, members: &mut Members<Self::Member>, me: usize, cwnd: Packets) {
        members.all[me].window.cwnd = cwnd;
    }

    /// Something around the control sets the threshold of `me`.
    fn set_ssthresh(&mut self, members: &mut Members<Self::Member>, me: usize, ssthresh: Packets) {
        members.all[me].window.ssthresh = ssthresh;
    }

    /// `me` has come (it is present already) or gone (it no longer is).
    fn on_change(&mut self, _members: &mut Members<Self::Member>, _me: usize) {}

    /// Shows the inside as `me` sees it, see [`Control::publish`].
    fn publish(
        &self,
        _members: &Members<Self::Member>,
        _me: usize,
        _series: &mut dyn FnMut(&'static str, f64),
    ) {
    }
}

/// The members of a group, those that have not come yet or have gone included.
#[derive(Clone, Debug)]
pub struct Members<State> {
    /// By the order in which they joined.
    pub all: Vec<Member<State>>,
}

/// A member.
#[derive(Clone, Debug)]
pub struct Member<State> {
    /// Its window.
    pub window: Window,
    /// Packets that it had in flight at its last event.
    pub inflight: Packets,
    /// Whether it is there: its connection has begun and not ended.
    pub present: bool,
    /// What the law keeps.
    pub state: State,
}

impl<State> Members<State> {
    /// How many are there; at least one.
    pub fn count(&self) -> usize {
        self.present().count().max(1)
    }

    /// Those that are there.
    pub fn present(&self) -> impl Iterator<Item = &Member<State>> {
        self.all.iter().filter(|member| member.present)
    }

    /// Those that are there, other than `me`.
    pub fn others(&mut self, me: usize) -> impl Iterator<Item = &mut Member<State>> {
        let others = self.all.iter_mut().enumerate().filter(move |(index, _)| *index != me);
        others.map(|(_, member)| member).filter(|member| member.present)
    }

    /// The windows of those that are there, added up.
    pub fn total_cwnd(&self) -> Packets {
        self.present().map(|member| member.window.cwnd).sum()
    }
}

/// A group under a law.
pub struct Group<Law: GroupLaw>(Arc<Mutex<Shared<Law>>>);

struct Shared<Law: GroupLaw> {
    law: Law,
    members: Members<Law::Member>,
}

impl<Law: GroupLaw> Group<Law> {
    /// A group without members.
    pub fn new(law: Law) -> Self {
        Self(Arc::new(Mutex::new(Shared { law, members: Members { all: Vec::new() } })))
    }
}

impl<Law: GroupLaw> ControlGroup for Group<Law> {
    fn join(&mut self, initial: &Initial) -> Box<dyn WindowControl> {
        let mut shared = lock(&self.0);
        let window = Window { cwnd: initial.window, ssthresh: initial.ssthresh };
        let state = Law::Member::default();
        shared.members.all.push(Member { window, inflight: 0.0, present: false, state });
        let me = shared.members.all.len() - 1;
        Box::new(Grouped { shared: Arc::clone(&self.0), me, before_loss: None, floors: Floors::of(initial) })
    }
}

/// One member's control.
struct Grouped<Law: GroupLaw> {
    shared: Arc<Mutex<Shared<Law>>>,
    me: usize,
    before_loss: Option<(Law, Window)>,
    floors: Floors,
}

/// A panic elsewhere is no reason for another: the state is plain numbers, whole at every moment.
fn lock<Law: GroupLaw>(shared: &Mutex<Shared<Law>>) -> MutexGuard<'_, Shared<Law>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<Law: GroupLaw> Grouped<Law> {
    /// Lets the law change windows, and keeps them within bounds.
    fn change<Answer>(
        &self,
        act: impl FnOnce(&mut Law, &mut Members<Law::Member>, usize) -> Answer,
    ) -> Answer {
        let mut shared = lock(&self.shared);
        let Shared { law, members } = &mut *shared;
        let answer = act(law, members, self.me);
        members.all.iter_mut().for_each(|member| self.floors.clamp(&mut member.window));
        answer
    }
}

impl<Law: GroupLaw> Control for Grouped<Law> {
    fn decision(&self) -> Decision {
        let Window { cwnd, ssthresh } = lock(&self.shared).members.all[self.me].window;
        Decision::window(cwnd, ssthresh)
    }

    fn is_shared(&self) -> bool {
        true
    }

    /// Members have packets of one size for all their life; a change of it is none of theirs.
    fn on_change(&mut self, change: &Change) {
        let present = match change {
            Change::Begins => true,
            Change::Ends => false,
            Change::Opens { .. } | Change::PacketBytes(_) => return,
        };
        self.change(|law, members, me| {
            members.all[me].present = present;
            law.on_change(members, me);
        });
    }

    fn on_ack(&mut self, ack: &Ack, _random: &mut dyn Random) {
        self.change(|law, members, me| {
            members.all[me].inflight = ack.inflight_before;
            law.observe(members, me, ack);
            if ack.fresh && ack.phase == Phase::Open && ack.cwnd_limited {
                law.increase(members, me, ack);
            }
        });
    }

    fn on_loss(&mut self, loss: &Loss, _random: &mut dyn Random) {
        self.before_loss = Some(self.change(|law, members, me| {
            let before = (law.clone(), members.all[me].window);
            members.all[me].inflight = loss.inflight;
            law.on_loss(members, me, loss);
            law.keep_at_least(members, me, self.floors.after_loss());
            before
        }));
    }

    fn on_timeout(&mut self, timeout: &Timeout, _random: &mut dyn Random) {
        let before = self.change(|law, members, me| {
            let before = (law.clone(), members.all[me].window);
            law.on_timeout(members, me, timeout);
            before
        });
        if timeout.in_a_row == 1 {
            self.before_loss = Some(before);
        }
    }

    fn on_recovered(&mut self, recovered: &Recovered) {
        if recovered.ending == Ending::Undone
            && let Some(before) = self.before_loss.take()
        {
            self.change(|law, members, me| law.undo(members, me, &before));
        }
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        let shared = lock(&self.shared);
        shared.law.publish(&shared.members, self.me, series);
    }
}

impl<Law: GroupLaw> WindowControl for Grouped<Law> {
    fn set_cwnd(&mut self, cwnd: Packets) {
        self.change(|law, members, me| law.set_cwnd(members, me, cwnd));
    }

    fn set_ssthresh(&mut self, ssthresh: Packets) {
        self.change(|law, members, me| law.set_ssthresh(members, me, ssthresh));
    }
}
