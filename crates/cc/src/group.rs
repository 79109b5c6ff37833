//! Controls whose connections share state: all connections of one host to one destination. The law of a group
//! sees the windows of all members and may change any of them. Floors, undo and membership are implemented
//! here once.

use crate::classic::{Floors, Window};
use crate::control::{
    Ack, Change, Control, Decision, Ending, Initial, Loss, Phase, Properties, Recovered, Timeout,
    WindowControl,
};
use ackclock_base::{Packets, Random};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Makes the controls of a group's members. The host makes one group for each set of connections that share
/// state.
pub trait ControlGroup: Send {
    /// Creates the control of a new member. It counts as a member from [`Change::Begins`] to
    /// [`Change::Ends`].
    fn join(&mut self, initial: &Initial) -> Box<dyn WindowControl>;
}

/// How the windows of a group grow and shrink. `me` is the member that an event happened to.
pub trait GroupLaw: Clone + Send + 'static {
    /// The state that the law keeps for each member.
    type Member: Clone + Default + Send;

    /// Called for every acknowledgement before any window changes, including duplicates and those in
    /// recovery.
    fn observe(&mut self, _members: &mut Members<Self::Member>, _me: usize, _ack: &Ack) {}

    /// Changes windows for one fresh acknowledgement of `me` outside recovery.
    fn increase(&mut self, members: &mut Members<Self::Member>, me: usize, ack: &Ack);

    /// Called when a loss begins a recovery of `me`.
    fn on_loss(&mut self, members: &mut Members<Self::Member>, me: usize, loss: &Loss);

    /// Raises the window of `me` after a loss to at least `least` packets, as the transport requires.
    fn keep_at_least(&mut self, members: &mut Members<Self::Member>, me: usize, least: Packets) {
        let window = &mut members.all[me].window;
        window.cwnd = window.cwnd.max(least);
    }

    /// Called when the retransmission timer of `me` expires. By default RFC 5681 section 3.1 applies to this
    /// member alone.
    fn on_timeout(&mut self, members: &mut Members<Self::Member>, me: usize, timeout: &Timeout) {
        members.all[me].window.start_over(timeout);
    }

    /// Called when the last loss or timeout of member `me` proves spurious. `before` holds the law and the
    /// member's window before it. Restores the window of `me`, unless the law overrides this. The other
    /// members' reductions stay: they regain what they gave up by themselves, and may have lost packets
    /// since.
    fn undo(&mut self, members: &mut Members<Self::Member>, me: usize, (_law, window): &(Self, Window)) {
        members.all[me].window.restore(window);
    }

    /// Sets the window of `me` on behalf of a part around the control.
    fn set_cwnd(&mut self, members: &mut Members<Self::Member>, me: usize, cwnd: Packets) {
        members.all[me].window.cwnd = cwnd;
    }

    /// Sets the slow start threshold of `me` on behalf of a part around the control.
    fn set_ssthresh(&mut self, members: &mut Members<Self::Member>, me: usize, ssthresh: Packets) {
        members.all[me].window.ssthresh = ssthresh;
    }

    /// Called when `me` has joined (it already counts as present) or left (it no longer does).
    fn on_change(&mut self, _members: &mut Members<Self::Member>, _me: usize) {}

    /// Publishes internal values as `me` sees them, see [`Control::publish`].
    fn publish(
        &self,
        _members: &Members<Self::Member>,
        _me: usize,
        _series: &mut dyn FnMut(&'static str, f64),
    ) {
    }
}

/// The members of a group, including those that have not begun yet or have ended.
#[derive(Clone, Debug)]
pub struct Members<State> {
    /// All members in the order in which they joined.
    pub all: Vec<Member<State>>,
}

/// A member of a group.
#[derive(Clone, Debug)]
pub struct Member<State> {
    /// The member's window.
    pub window: Window,
    /// Packets in flight at the member's last event.
    pub inflight: Packets,
    /// Whether the member's connection has begun and not ended.
    pub present: bool,
    /// The law's state for the member.
    pub state: State,
}

impl<State> Members<State> {
    /// Returns the number of members present, and at least one.
    pub fn count(&self) -> usize {
        self.present().count().max(1)
    }

    /// Returns the members that are present.
    pub fn present(&self) -> impl Iterator<Item = &Member<State>> {
        self.all.iter().filter(|member| member.present)
    }

    /// Returns the members that are present, without `me`.
    pub fn others(&mut self, me: usize) -> impl Iterator<Item = &mut Member<State>> {
        let others = self.all.iter_mut().enumerate().filter(move |(index, _)| *index != me);
        others.map(|(_, member)| member).filter(|member| member.present)
    }

    /// Returns the sum of the windows of the members present, in packets.
    pub fn total_cwnd(&self) -> Packets {
        self.present().map(|member| member.window.cwnd).sum()
    }
}

/// A group of connections under a law.
pub struct Group<Law: GroupLaw>(Arc<Mutex<Shared<Law>>>);

struct Shared<Law: GroupLaw> {
    law: Law,
    members: Members<Law::Member>,
}

impl<Law: GroupLaw> Group<Law> {
    /// Creates a group without members.
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

/// The control of one member.
struct Grouped<Law: GroupLaw> {
    shared: Arc<Mutex<Shared<Law>>>,
    me: usize,
    before_loss: Option<(Law, Window)>,
    floors: Floors,
}

/// Locks the shared state. A poisoned lock is used all the same: the state is plain numbers, consistent at
/// every moment.
fn lock<Law: GroupLaw>(shared: &Mutex<Shared<Law>>) -> MutexGuard<'_, Shared<Law>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<Law: GroupLaw> Grouped<Law> {
    /// Lets the law change windows, and keeps them within their bounds.
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

    fn properties(&self) -> Properties {
        Properties { shared: true, ..Properties::default() }
    }

    fn on_change(&mut self, change: &Change) {
        let present = match change {
            Change::Begins => true,
            Change::Ends => false,
            Change::Opens { .. } => return,
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
