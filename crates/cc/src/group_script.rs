//! A hand-written sequence of events for the members of a group, as [`crate::script`] is for one control.

use crate::assembly::{Assembly, Controller};
use crate::control::{Ack, Change, Ending, Initial, Loss, Recovered, Timeout};
use crate::registry;
use crate::script::{ack_at, loss_at, timeout_at};
use ackclock_base::{Packets, Span, Time, Values};

/// A group with a simulated host around it. Every packet is acknowledged in order by an acknowledgement of
/// its own, and every window is always used up. Members are numbered from 0.
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
    /// Creates a group under a registered control with these settings, and a member for each window. Each
    /// member is in congestion avoidance: its threshold is half its window.
    ///
    /// # Panics
    /// If there is no control of that name, or a setting is wrong.
    pub fn new(name: &str, settings: &[(&str, &str)], windows: &[Packets]) -> Self {
        let members: Vec<_> = windows.iter().map(|window| (*window, window / 2.0)).collect();
        Self::with_thresholds(name, settings, &members)
    }

    /// Creates a group as [`Self::new`] does, from pairs of window and slow start threshold.
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

    /// Sets the round trip, in milliseconds, of the packets acknowledged from now on.
    pub fn rtt(&mut self, rtt_ms: f64) {
        self.rtt = Span::from_seconds(rtt_ms / 1000.0);
    }

    /// Returns the windows of all members, in packets.
    pub fn cwnds(&self) -> Vec<Packets> {
        self.members.iter().map(|member| member.control.decision().cwnd).collect()
    }

    /// Returns the window of member `me`, in packets.
    pub fn cwnd(&self, me: usize) -> Packets {
        self.members[me].control.decision().cwnd
    }

    /// Returns the slow start threshold of member `me`, in packets.
    pub fn ssthresh(&self, me: usize) -> Packets {
        self.members[me].control.decision().ssthresh
    }

    /// Returns the sum of all windows, in packets.
    pub fn total(&self) -> Packets {
        self.cwnds().iter().sum()
    }

    /// Delivers `count` acknowledgements to member `me` at once.
    pub fn acks(&mut self, me: usize, count: u32) {
        (0..count).for_each(|_| self.ack(me, true));
    }

    /// Delivers one acknowledgement to a member whose window is not the limit.
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

    /// Sets the window of a member's control from outside.
    ///
    /// # Panics
    /// If the control has no window that can be set.
    pub fn set_cwnd(&mut self, me: usize, packets: Packets) {
        let control = self.members[me].control.window_control();
        control.expect("the control has no window that can be set").set_cwnd(packets);
    }

    /// Reports a loss found by duplicate acknowledgements, of a packet sent just now. Recoveries of the
    /// script take no time.
    pub fn loss(&mut self, me: usize) {
        self.loss_of_packet_sent(me, 0.0);
    }

    /// Reports the loss of a packet that was sent `ms_ago` milliseconds ago.
    pub fn loss_of_packet_sent(&mut self, me: usize, ms_ago: f64) {
        let sent = self.now - Span::from_seconds(ms_ago / 1000.0);
        let loss = Loss { sent, ..loss_at(self.now, self.cwnd(me)) };
        self.members[me].control.on_loss(&loss, &mut ackclock_base::random::Scripted::new(&[]));
    }

    /// Reports an expiry of a member's retransmission timer.
    pub fn timeout(&mut self, me: usize) {
        let timeout = timeout_at(self.now, self.cwnd(me));
        self.members[me].control.on_timeout(&timeout, &mut ackclock_base::random::Scripted::new(&[]));
    }

    /// Reports a second expiry for the same packet, in a transport that then keeps the threshold (RFC 5681
    /// section 3.1).
    pub fn timeout_again(&mut self, me: usize) {
        let again = Timeout { in_a_row: 2, keeps_threshold: true, ..timeout_at(self.now, self.cwnd(me)) };
        self.members[me].control.on_timeout(&again, &mut ackclock_base::random::Scripted::new(&[]));
    }

    /// Reports that a member's last loss was spurious.
    pub fn spurious(&mut self, me: usize) {
        let undone = Recovered { now: self.now, ending: Ending::Undone };
        self.members[me].control.on_recovered(&undone);
    }

    /// Ends a member's connection.
    pub fn leave(&mut self, me: usize) {
        self.members[me].control.on_change(&Change::Ends);
    }

    /// Advances the time by `ms` milliseconds.
    pub fn wait(&mut self, ms: f64) {
        self.now += Span::from_seconds(ms / 1000.0);
    }

    /// Returns the value that a member's control publishes as `name`, or `None` if it publishes no such
    /// series.
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
