//! Feeds a control a hand-written sequence of events and reads its window after each. This is how to test a
//! control, registered or not, against a formula.
//!
//! ```
//! let mut script = ackclock_cc::script::Script::new("reno").window(10.0).starting_ssthresh(10.0);
//! script.loss();
//! assert_eq!(script.cwnd(), 5.0);
//! ```

use crate::assembly::{Assembly, Controller, Part};
use crate::control::{
    Ack, Change, Decision, Ending, Follows, Initial, Loss, LossSignal, Lost, RateSample, Recovered, Sent,
    Timeout,
};
use crate::differentiation::{Cause, Counted, IncomingAck};
use crate::entry::Entry;
use crate::registry;
use ackclock_base::random::Scripted;
use ackclock_base::{Packets, Span, Time, Values};

/// A control with a simulated host around it. Every packet is acknowledged in order by an acknowledgement of
/// its own, and the window is always used up.
pub struct Script {
    entry: Entry,
    values: Values,
    discriminator: Option<Part>,
    action: Option<Part>,
    layers: Vec<Part>,
    random: Scripted,
    initial: Initial,
    control: Option<Controller>,
    now: Time,
    acked_to: u64,
    min_rtt: Span,
    smoothed_rtt: Span,
}

const DEFAULT_RTT_MS: u64 = 100;

impl Script {
    /// Creates a script with a registered control and its default parameters.
    ///
    /// # Panics
    /// If there is no control of that name.
    pub fn new(name: &str) -> Self {
        Self::with(name, &[])
    }

    /// Creates a script with a registered control and some parameters set, written as in a scenario file.
    ///
    /// # Panics
    /// If there is no control of that name, or a setting is wrong.
    pub fn with(name: &str, settings: &[(&str, &str)]) -> Self {
        Self::of(registry::find(name).unwrap_or_else(|| panic!("no control {name}")), settings)
    }

    /// Creates a script with the control of an entry, which need not be registered.
    ///
    /// # Panics
    /// If a setting is wrong.
    pub fn of(entry: &Entry, settings: &[(&str, &str)]) -> Self {
        Self {
            entry: *entry,
            values: Values::with(entry.descriptor, settings),
            discriminator: None,
            action: None,
            layers: Vec::new(),
            random: Scripted::new(&[]),
            initial: Initial { window: 1.0, ..Initial::default() },
            control: None,
            now: Time::from_seconds(1.0),
            acked_to: 0,
            min_rtt: Span::MAX,
            smoothed_rtt: Span::ZERO,
        }
    }

    /// Sets parameters of the control's published action.
    ///
    /// # Panics
    /// If it has none, or a setting is wrong.
    pub fn acting(mut self, settings: &[(&str, &str)]) -> Self {
        let action = self.entry.published.action.and_then(registry::find_action);
        let descriptor = action.map(|action| action.descriptor).unwrap_or_else(|| panic!("no action"));
        self.action = Some(Part { name: descriptor.name, values: Values::with(descriptor, settings) });
        self
    }

    /// Sets parameters of the control's published discriminator.
    ///
    /// # Panics
    /// If it has none, or a setting is wrong.
    pub fn judging(mut self, settings: &[(&str, &str)]) -> Self {
        let judge = self.entry.published.discriminator.and_then(registry::find_discriminator);
        let descriptor = judge.map(|judge| judge.descriptor).unwrap_or_else(|| panic!("no discriminator"));
        self.discriminator = Some(Part { name: descriptor.name, values: Values::with(descriptor, settings) });
        self
    }

    /// Puts a registered layer around the control, with some parameters set.
    ///
    /// # Panics
    /// If there is no layer of that name, or a setting is wrong.
    pub fn within(mut self, layer: &str, settings: &[(&str, &str)]) -> Self {
        let entry = registry::find_layer(layer).unwrap_or_else(|| panic!("no layer {layer}"));
        let values = Values::with(entry.descriptor, settings);
        self.layers.push(Part { name: entry.descriptor.name, values });
        self
    }

    /// Sets the random numbers of the host, which repeat; by default they are zero.
    pub fn drawing(mut self, numbers: &[f64]) -> Self {
        self.random = Scripted::new(numbers);
        self
    }

    /// Sets the window that the connection starts with.
    pub fn window(mut self, packets: Packets) -> Self {
        self.initial.window = packets;
        self
    }

    /// Sets the slow start threshold that the connection starts with.
    pub fn starting_ssthresh(mut self, packets: Packets) -> Self {
        self.initial.ssthresh = packets;
        self
    }

    /// Sets the payload bytes of a packet.
    pub fn packet_bytes(mut self, bytes: u32) -> Self {
        self.initial.packet_bytes = bytes;
        self
    }

    /// Makes the transport find losses without selective acknowledgements.
    pub fn without_selective_acks(mut self) -> Self {
        self.initial.selective_acks = false;
        self
    }

    /// Makes the transport pace.
    pub fn paced(mut self) -> Self {
        self.initial.paced = true;
        self
    }

    /// Sets the smallest window after a loss, and the smallest of all (see [`Initial`]).
    pub fn floors(mut self, min_window: Packets, loss_window: Packets) -> Self {
        (self.initial.min_window, self.initial.loss_window) = (min_window, loss_window);
        self
    }

    /// Sets the transport's window limit.
    pub fn limit(mut self, packets: Packets) -> Self {
        self.initial.limit = packets;
        self
    }

    /// Returns the congestion window, in packets.
    pub fn cwnd(&mut self) -> Packets {
        self.control().decision().cwnd
    }

    /// Returns the control's decision.
    pub fn decision(&mut self) -> Decision {
        self.control().decision()
    }

    /// Returns the slow start threshold, in packets.
    pub fn ssthresh(&mut self) -> Packets {
        self.control().decision().ssthresh
    }

    /// Delivers `count` acknowledgements at the present time, each with a round trip of 100 ms.
    pub fn acks(&mut self, count: u32) {
        for _ in 0..count {
            self.ack(Some(Span::from_millis(DEFAULT_RTT_MS)));
        }
    }

    /// Delivers `count` acknowledgements, spread evenly over one round trip of `rtt_ms`.
    pub fn acks_over(&mut self, count: u32, rtt_ms: u64) {
        let gap = Span::from_millis(rtt_ms) / u64::from(count.max(1));
        for _ in 0..count {
            self.now += gap;
            self.ack(Some(Span::from_millis(rtt_ms)));
        }
    }

    /// Plays round trips of `rtt_ms`, each of a window of acknowledgements, until the window is `packets`.
    /// Returns their number.
    pub fn rounds_until(&mut self, packets: Packets, rtt_ms: u64) -> u32 {
        let mut rounds = 0;
        while self.cwnd() < packets {
            let window = self.cwnd();
            self.acks_over(window as u32, rtt_ms);
            rounds += 1;
        }
        rounds
    }

    /// Plays one round trip in which exactly `count` packets are sent and acknowledged.
    pub fn round(&mut self, count: u32, rtt_ms: u64) {
        self.acks_over(count, rtt_ms);
    }

    /// Delivers one acknowledgement with a round trip of `rtt_ms`.
    pub fn ack_with_rtt(&mut self, rtt_ms: u64) {
        self.ack(Some(Span::from_millis(rtt_ms)));
    }

    /// Delivers one acknowledgement, with or without a round-trip sample.
    pub fn ack(&mut self, rtt: Option<Span>) {
        let ack = self.next_ack(rtt);
        self.tell(|control, random| control.on_ack(&ack, random));
    }

    fn next_ack(&mut self, rtt: Option<Span>) -> Ack {
        if let Some(sample) = rtt {
            self.min_rtt = self.min_rtt.min(sample);
            self.smoothed_rtt = sample;
        }
        self.acked_to += 1;
        let inflight = self.cwnd().trunc();
        Ack {
            rtt,
            one_way_delay: rtt.map(|rtt| rtt / 2),
            smoothed_rtt: self.smoothed_rtt,
            min_rtt: self.min_rtt,
            ..ack_at(self.now, self.acked_to, inflight)
        }
    }

    /// Reports a loss found by duplicate acknowledgements, of a packet sent just now.
    pub fn loss(&mut self) {
        let window = self.cwnd();
        let loss = Loss { sent_to: self.acked_to + window as u64, ..loss_at(self.now, window) };
        self.tell(|control, random| control.on_loss(&loss, random));
    }

    /// Reports a loss found by duplicate acknowledgements with `packets` in flight, from which the profile
    /// reduces.
    pub fn loss_in_flight(&mut self, packets: Packets) {
        let loss = loss_at(self.now, packets);
        self.tell(|control, random| control.on_loss(&loss, random));
    }

    /// Reports an echo of a mark: congestion without a loss (RFC 3168).
    pub fn mark(&mut self) {
        let loss = Loss { signal: LossSignal::Ecn, ..loss_at(self.now, self.cwnd()) };
        self.tell(|control, random| control.on_loss(&loss, random));
    }

    /// Reports the loss of a packet that was sent at time `sent_ms`, in milliseconds from zero. The
    /// script starts at 1,000.
    pub fn loss_of_packet_sent_at(&mut self, sent_ms: u64) {
        let window = self.cwnd();
        let loss = Loss { sent: Time::ZERO + Span::from_millis(sent_ms), ..loss_at(self.now, window) };
        self.tell(|control, random| control.on_loss(&loss, random));
    }

    /// Tells the discriminator of an incoming acknowledgement, as a host does before it processes it: `fresh`
    /// or a duplicate, with a round trip of `echo_ms` by its timestamp. Returns the cause that a loss found
    /// now would have; `None` without a discriminator.
    pub fn arrival(&mut self, fresh: bool, echo_ms: u64) -> Option<Cause> {
        let echo = Some(Span::from_millis(echo_ms));
        let incoming = IncomingAck { now: self.now, fresh, echo, one_way_delay: echo.map(|echo| echo / 2) };
        self.tell(|control, random| control.on_incoming(|| incoming, random))
    }

    /// Passes an event to the control, with the script's random numbers.
    fn tell<Answer>(&mut self, event: impl FnOnce(&mut Controller, &mut Scripted) -> Answer) -> Answer {
        self.control();
        let control = self.control.as_mut().expect("made just now");
        event(control, &mut self.random)
    }

    /// Reports the count of missing packets that the first fresh acknowledgement of a recovery reveals.
    pub fn counted(&mut self, missing: u64) {
        let counted = Counted { now: self.now, window: self.cwnd(), missing };
        self.tell(|control, random| control.on_counted(&counted, random));
    }

    /// Reports the end of the recovery that a loss began, with a count of three duplicate acknowledgements.
    pub fn recovered(&mut self) {
        self.recovered_after(3);
    }

    /// Reports the end of the recovery that a loss began, with a count of `duplicates` duplicate
    /// acknowledgements. Passes no acknowledgement to the control.
    pub fn recovered_after(&mut self, duplicates: u32) {
        let recovered = Recovered { now: self.now, ending: Ending::Repaired { duplicates } };
        self.control().on_recovered(&recovered);
    }

    /// Lets the retransmission timer expire.
    pub fn timeout(&mut self) {
        let first = timeout_at(self.now, self.cwnd());
        let timeout = Timeout { sent_to: self.acked_to + first.sent_to, ..first };
        self.tell(|control, random| control.on_timeout(&timeout, random));
    }

    /// Lets the retransmission timer expire; `packets` stay in flight.
    pub fn timeout_leaving(&mut self, packets: Packets) {
        let timeout = Timeout { left_in_flight: packets, ..timeout_at(self.now, self.cwnd()) };
        self.tell(|control, random| control.on_timeout(&timeout, random));
    }

    /// Lets the timer expire for the same packet again, in a transport that then keeps the threshold (RFC
    /// 5681 section 3.1).
    pub fn timeout_again(&mut self) {
        let first = timeout_at(self.now, self.cwnd());
        let again = Timeout { in_a_row: 2, keeps_threshold: true, ..first };
        self.tell(|control, random| control.on_timeout(&again, random));
    }

    /// Reports that the last loss was spurious.
    pub fn spurious(&mut self) {
        let undone = Recovered { now: self.now, ending: Ending::Undone };
        self.control().on_recovered(&undone);
    }

    /// Delivers one acknowledgement at once, after `change` has modified it.
    pub fn ack_as(&mut self, change: impl FnOnce(&mut Ack)) {
        let mut ack = self.next_ack(Some(Span::from_millis(DEFAULT_RTT_MS)));
        change(&mut ack);
        self.tell(|control, random| control.on_ack(&ack, random));
    }

    /// Plays a round trip with one acknowledgement: `packets` packets, the only ones in flight, are delivered
    /// over `interval` without a loss. `change` may modify the acknowledgement.
    pub fn flight(&mut self, packets: u32, interval: Span, rtt: Span, change: impl FnOnce(&mut Ack)) {
        self.now += rtt;
        self.acked_to += u64::from(packets).saturating_sub(1);
        let usual = self.next_ack(Some(rtt));
        let delivered = f64::from(packets);
        let rate = RateSample {
            delivered,
            interval,
            prior_delivered: usual.delivered - delivered,
            tx_in_flight: delivered,
            ..RateSample::default()
        };
        let mut ack = Ack {
            newly_acked: delivered,
            abc_increment: delivered,
            inflight_before: delivered,
            inflight: delivered,
            round_start: true,
            rate: Some(rate),
            ..usual
        };
        change(&mut ack);
        self.tell(|control, random| control.on_ack(&ack, random));
    }

    /// Reports packet `number` as lost: it was sent with `tx_in_flight` packets in flight, itself included,
    /// and is the only one of them lost. `change` may modify the report.
    pub fn lost(&mut self, number: u64, tx_in_flight: Packets, change: impl FnOnce(&mut Lost)) {
        let delivered = self.acked_to as f64;
        let mut lost = Lost {
            now: self.now,
            number,
            sent: self.now - self.smoothed_rtt,
            size: 1.0,
            tx_in_flight,
            lost: 1.0,
            prior_delivered: (delivered - tx_in_flight).max(0.0),
            delivered,
            app_limited: false,
        };
        change(&mut lost);
        self.tell(|control, random| control.on_lost(&lost, random));
    }

    /// Reports a change of the connection.
    pub fn change(&mut self, change: &Change) {
        self.control().on_change(change);
    }

    /// Returns the value that the control publishes as `name`; NaN if it publishes no such series.
    pub fn published(&mut self, name: &str) -> f64 {
        let mut found = f64::NAN;
        self.control().publish(&mut |series, value| {
            if series == name {
                found = value;
            }
        });
        found
    }

    /// Returns the mean window over time if one packet in every `1 / loss_rate` is lost, at a constant round
    /// trip: the response function of the publications. It plays `epochs` epochs from loss to loss and
    /// averages over their later half. Repairs take no time, so the mean is that of a control that is never
    /// in recovery.
    pub fn mean_window(&mut self, loss_rate: f64, rtt_ms: u64, epochs: u32) -> Packets {
        let packets = (1.0 / loss_rate).round() as u64;
        let rtt = Span::from_millis(rtt_ms);
        let (mut sent, mut round_trips) = (0.0, 0.0);
        for epoch in 0..epochs {
            for _ in 0..packets {
                let share = 1.0 / self.cwnd();
                self.now += Span::from_seconds(rtt.seconds() * share);
                self.ack(Some(rtt));
                if epoch >= epochs / 2 {
                    sent += 1.0;
                    round_trips += share;
                }
            }
            self.loss();
            self.recovered();
        }
        sent / round_trips
    }

    /// Sets the window of the control from outside.
    ///
    /// # Panics
    /// If the control has no window that can be set.
    pub fn set_cwnd(&mut self, packets: Packets) {
        self.control().window_control().expect("a window that can be set").set_cwnd(packets);
    }

    /// Sets the slow start threshold of the control from outside.
    ///
    /// # Panics
    /// If the control has no window that can be set.
    pub fn set_ssthresh(&mut self, packets: Packets) {
        self.control().window_control().expect("a window that can be set").set_ssthresh(packets);
    }

    /// Advances the time by `span`.
    pub fn wait(&mut self, span: Span) {
        self.now += span;
    }

    /// Advances the time by a pause in which nothing is in flight, and sends the packet that ends the pause.
    pub fn pause(&mut self, span: Span) {
        self.now += span;
        let sent = Sent { now: self.now, inflight: 1.0, after_idle: true, app_limited: false };
        self.tell(|control, random| {
            if control.properties().follows != Follows::Nothing {
                control.on_sent(&sent, random);
            }
        });
    }

    fn control(&mut self) -> &mut Controller {
        let Self { entry, values, discriminator, action, layers, initial, control, .. } = self;
        control.get_or_insert_with(|| {
            let assembly = Assembly::new(entry, values, discriminator.clone(), action.clone());
            let mut control = assembly.within(layers.clone()).join(initial);
            control.on_change(&Change::Begins);
            control
        })
    }
}

/// Returns an acknowledgement of one packet in order at `now`, up to `acked_to`, with `inflight` packets in
/// flight before and after. It has no round trip.
pub fn ack_at(now: Time, acked_to: u64, inflight: Packets) -> Ack {
    Ack {
        now,
        fresh: true,
        acked_to,
        sent_to: acked_to + (inflight as u64).saturating_sub(1),
        newly_acked: 1.0,
        abc_increment: 1.0,
        min_rtt: Span::MAX,
        inflight_before: inflight,
        inflight,
        delivered: acked_to as f64,
        cwnd_limited: true,
        ..Ack::default()
    }
}

/// Returns a loss of one packet found by duplicate acknowledgements at `now`, with `window` packets in
/// flight.
pub fn loss_at(now: Time, window: Packets) -> Loss {
    Loss {
        now,
        signal: LossSignal::DuplicateAcks,
        window,
        inflight: window.trunc(),
        lost: 0,
        sent_to: window as u64,
        sent: now,
        transmissions: 1,
        duplicates: 3,
    }
}

/// Returns a first expiry of the retransmission timer at `now`, with `window` packets in flight, all of which
/// are given up.
pub fn timeout_at(now: Time, window: Packets) -> Timeout {
    Timeout {
        now,
        window,
        inflight: window.trunc(),
        left_in_flight: 0.0,
        sent_to: window as u64,
        in_a_row: 1,
        keeps_threshold: false,
    }
}

#[cfg(test)]
mod tests {
    use super::Script;

    #[test]
    fn the_mean_window_of_reno_is_the_root_of_one_and_a_half_over_the_loss_rate() {
        // Mathis et al. 1997 equation 3: between losses the window grows from W/2 to W over W/2 round trips in which
        // 3/8 W^2 = 1/p packets leave, so its mean is 3/4 W = sqrt(1.5 / p): 122.47 at 1e-4, 387.30 at 1e-5.
        for (loss_rate, mean) in [(1e-4, 122.47), (1e-5, 387.30)] {
            let mut script = Script::new("reno").window(mean).starting_ssthresh(mean);
            let measured = script.mean_window(loss_rate, 100, 20);
            assert!((measured / mean - 1.0).abs() < 0.01, "{measured} instead of {mean}");
        }
    }
}
