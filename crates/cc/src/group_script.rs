//! Feeds the members of a group a hand-written sequence of events, as [`crate::script`] does with one control.

use crate::assembly::{Assembly, Controller};
use crate::control::{Ack, Change, Ending, Initial, Loss, Recovered, Timeout};
use crate::registry;
use crate::script::{ack_at, loss_at, timeout_at};
use ackclock_base::{Packets, Span, Time, Values};

/// A group with a pretended host around it. Every packet is acknowledged in order, one acknowledgement each, and every
/// window is always used up. Members are counted from 0.
pub struct GroupScript {
    members: Vec<Scripted>,
    now: Time,
    rtt: Span,
}

struct Scripted {
    control: Controller,
    acked_to: u64,
}

impl GroupScript {
    /// A group under a registered control, with some parameters set, and a member for each window. They are in
    /// congestion avoidance: their thresholds are half their windows.
    ///
    /// # Panics
    /// When there is no control of that name, or a setting is wrong.
    pub fn new(name: &str, settings: &[(&str, &str)], windows: &[Packets]) -> Self {
        let members: Vec<_> = windows.iter().map(|window| (*window, window / 2.0)).collect();
        Self::with_thresholds(name, settings, &members)
    }

    /// The same, with windows and slow start thresholds.
    ///
    /// # Panics
    /// As [`Self::new`].
    pub fn with_thresholds(name: &str, settings: &[(&str, &str)], members: &[(Packets, Packets)]) -> Self {
        let entry = registry::find(name).unwrap_or_else(|| panic!("no control {name}"));
        let values = Values::with(entry.descriptor, settings);
        let mut group = Assembly::new(entry, &values, None, None);
        let join = |&(window, ssthresh): &(Packets, Packets)| {
            let mut control = group.join(&Initial { window, ssthresh, ..Initial::default() });
            control.on_change(&Change::Begins);
            Scripted { control, acked_to: 0 }
        };
        Self {
            members: members.iter().map(join).collect(),
            now: Time::from_seconds(1.0),
            rtt: Span::from_millis(100),
        }
    }

    /// Sets the round trip of the packets acknowledged from now on.
    pub fn rtt(&mut self, rtt_ms: f64) {
        self.rtt = Span::from_seconds(rtt_ms / 1000.0);
    }

    /// The windows of all.
    pub fn cwnds(&self) -> Vec<Packets> {
        self.members.iter().map(|member| member.control.decision().cwnd).collect()
    }

    /// The window of one.
    pub fn cwnd(&self, me: usize) -> Packets {
        self.members[me].control.decision().cwnd
    }

    /// The slow start threshold of one.
    pub fn ssthresh(&self, me: usize) -> Packets {
        self.members[me].control.decision().ssthresh
    }

    /// The windows of all added up.
    pub fn total(&self) -> Packets {
        self.cwnds().iter().sum()
    }

    /// `count` acknowledgements to one member, at once.
    pub fn acks(&mut self, me: usize, count: u32) {
        (0..count).for_each(|_| self.ack(me, true));
    }

    /// One acknowledgement to a member whose window does not hold it back.
    pub fn ack_within_the_window(&mut self, me: usize) {
        self.ack(me, false);
    }

    fn ack(&mut self, me: usize, cwnd_limited: bool) {
        let member = &mut self.members[me];
        let inflight = member.control.decision().cwnd.trunc();
        member.acked_to += 1;
        let ack = Ack {
            rtt: Some(self.rtt),
            one_way_delay: Some(self.rtt / 2),
            smoothed_rtt: self.rtt,
            min_rtt: self.rtt,
            cwnd_limited,
            ..ack_at(self.now, member.acked_to, inflight)
        };
        member.control.on_ack(&ack, &mut ackclock_base::random::Scripted::new(&[]));
    }

    /// Something around a member's control sets its window.
    ///
    /// # Panics
    /// When the control has none that can be set.
    pub fn set_cwnd(&mut self, me: usize, packets: Packets) {
        let control = self.members[me].control.window_control();
        control.expect("a window that can be set").set_cwnd(packets);
    }

    /// A loss found by duplicate acknowledgements, of a packet sent just now. The script's recoveries take no time.
    pub fn loss(&mut self, me: usize) {
        self.loss_of_packet_sent(me, 0.0);
    }

    /// A loss of a packet sent so many milliseconds ago.
    pub fn loss_of_packet_sent(&mut self, me: usize, ms_ago: f64) {
        let sent = self.now - Span::from_seconds(ms_ago / 1000.0);
        let loss = Loss { sent, ..loss_at(self.now, self.cwnd(me)) };
        self.members[me].control.on_loss(&loss, &mut ackclock_base::random::Scripted::new(&[]));
    }

    /// An expiry of a member's retransmission timer.
    pub fn timeout(&mut self, me: usize) {
        let timeout = timeout_at(self.now, self.cwnd(me));
        self.members[me].control.on_timeout(&timeout, &mut ackclock_base::random::Scripted::new(&[]));
    }

    /// It expires for the same packet again, in a transport that keeps the threshold then (RFC 5681 section 3.1).
    pub fn timeout_again(&mut self, me: usize) {
        let again = Timeout { in_a_row: 2, keeps_threshold: true, ..timeout_at(self.now, self.cwnd(me)) };
        self.members[me].control.on_timeout(&again, &mut ackclock_base::random::Scripted::new(&[]));
    }

    /// The news that a member's last loss was none.
    pub fn spurious(&mut self, me: usize) {
        let undone = Recovered { now: self.now, ending: Ending::Undone };
        self.members[me].control.on_recovered(&undone);
    }

    /// A member's connection ends.
    pub fn leave(&mut self, me: usize) {
        self.members[me].control.on_change(&Change::Ends);
    }

    /// Lets time pass.
    pub fn wait(&mut self, ms: f64) {
        self.now += Span::from_seconds(ms / 1000.0);
    }

    /// What a member's control publishes under a name.
    pub fn inner(&self, me: usize, name: &str) -> Option<f64> {
        let mut found = None;
        self.members[me].control.publish(&mut |series, value| {
            if series == name {
                found = Some(value);
            }
        });
        found
    }
}
