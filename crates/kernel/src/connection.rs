//! From the events of one connection to the records of its control.

use crate::answer::{Answer, INFINITE};
use crate::event::{self, Event};
use crate::flights::{Flight, Flights};
use ackclock_adapter::SplitMix;
use ackclock_base::{Packets, Span, Time};
use ackclock_cc::{
    Ack, Assembly, Change, Controller, EcnResponse, Ending, Follows, Initial, Loss, LossSignal, Lost, Phase,
    RateSample, Recovered, Sent, Timeout,
};

/// The bytes of headers on a packet: IPv4, TCP and timestamps.
const HEADER_BYTES: u32 = 52;

/// A connection of the kernel with its control.
///
/// The kernel tells a control less than a simulated host does. It does not say which packets are lost, for example, so a lost packet
/// counts as sent when the newest acknowledged packet was sent:
///
/// * [`Sent`] comes only for the first packet after a pause, [`Lost`] once for each packet that the kernel counts as lost, all of an event
///   alike; a probe and a one-way delay never;
/// * a loss begins at the first packet not acknowledged, after one transmission, and the count of duplicates is 0;
/// * a control with a window hears of no rate samples, of nothing newly acknowledged in recovery, and of rounds by the cumulative
///   acknowledgement; what was in flight before is what is in flight, acknowledged and lost after;
/// * a timeout finds in flight all that is sent and not acknowledged, lost packets included.
pub struct Connection {
    control: Controller,
    random: SplitMix,
    flights: Flights,
    min_rtt: Span,
    state: u32,
    /// The payload of a full packet when the connection began, in bytes. Positions are counted in it after a change of the path's MTU too.
    packet_bytes: u32,
    /// The first byte not acknowledged and the next to be sent, and the packets delivered and considered lost. The kernel counts all four
    /// modulo 2^32.
    una: u64,
    nxt: u64,
    delivered: u64,
    lost_in_all: u64,
    marks: u32,
    /// The count of lost packets at the last event, and at the last acknowledgement.
    lost: u32,
    lost_before: u32,
    /// The number of the next lost packet. Losses of one event have consecutive numbers, others not.
    lost_number: u64,
    round: Round,
    /// The control was told of the timeout when the kernel asked for a threshold, so the change of state that follows does not tell it again.
    timeout_told: bool,
    /// The control was told that the reduction was undone, so the end of recovery is not told again.
    undone: bool,
    /// The next acknowledgement has ended a recovery, and counts as part of it.
    just_recovered: bool,
    /// The kernel announced that it restarts the window, so the next event has the new one.
    restarts: bool,
}

/// What ends a round trip.
enum Round {
    /// The acknowledgement of this byte.
    Byte(u64),
    /// The first acknowledgement of a packet that was sent after this many deliveries, which the kernel tells of a control that owns the
    /// window.
    Deliveries(u64),
}

impl Connection {
    /// Returns the connection that begins with this event, under a control of `assembly`.
    pub fn begin(assembly: &mut Assembly, event: &Event) -> Self {
        let packet_bytes = event.mss.max(1);
        let initial = Initial {
            window: f64::from(event.cwnd),
            limit: f64::from(i32::MAX),
            packet_bytes,
            header_bytes: HEADER_BYTES,
            ..Initial::default()
        };
        let mut control = assembly.join(&initial);
        let rtt = (event.srtt_us > 0).then(|| micros(event.srtt_us));
        control.on_change(&Change::Begins);
        control.on_change(&Change::Opens { rtt });
        Self {
            control,
            random: SplitMix::new(event.connection),
            flights: Flights::default(),
            min_rtt: rtt.unwrap_or(Span::MAX),
            state: event.state(),
            packet_bytes,
            una: u64::from(event.una),
            nxt: u64::from(event.nxt),
            delivered: u64::from(event.delivered),
            lost_in_all: u64::from(event.lost),
            marks: event.delivered_ce,
            lost: event.lost,
            lost_before: event.lost,
            lost_number: 0,
            round: Round::Byte(0),
            timeout_told: false,
            undone: false,
            just_recovered: false,
            restarts: false,
        }
    }

    /// Tells the control what has happened.
    pub fn on_event(&mut self, event: &Event) {
        let una_before = self.una;
        self.una = extend(self.una, event.una);
        self.nxt = extend(self.nxt, event.nxt);
        self.delivered = extend(self.delivered, event.delivered);
        self.lost_in_all = extend(self.lost_in_all, event.lost);
        if std::mem::take(&mut self.restarts) {
            self.take_over(event.ssthresh, event.cwnd);
        }
        match event.kind {
            event::ACK => self.on_ack(event, self.una > una_before),
            event::LOSS => self.on_loss(event),
            event::STATE => self.on_state(event),
            event::UNDO => {
                self.undone = true;
                self.control.on_recovered(&Recovered { now: now(event), ending: Ending::Undone });
            }
            event::CWND_EVENT if event.arg == event::CWND_RESTART => self.restarts = true,
            event::CWND_EVENT if event.arg == event::TX_START => self.on_start(event),
            event::END => self.control.on_change(&Change::Ends),
            _ => {}
        }
    }

    /// Takes over what the kernel has decided by itself when events before this one are missing: state, threshold and window.
    pub fn catch_up(&mut self, event: &Event) {
        let state = event.state();
        if state != self.state {
            self.on_state(&Event { kind: event::STATE, arg: state, ..*event });
        }
        // In recovery the window is on its way to the threshold.
        let is_reducing =
            matches!(state, event::STATE_CWR | event::STATE_RECOVERY) && event.ssthresh < INFINITE;
        self.take_over(event.ssthresh, if is_reducing { event.ssthresh } else { event.cwnd });
    }

    fn take_over(&mut self, ssthresh: u32, cwnd: u32) {
        if let Some(control) = self.control.window_control() {
            control.set_ssthresh(packets_of_threshold(ssthresh));
            control.set_cwnd(f64::from(cwnd));
        }
    }

    /// Returns what the control decides now.
    pub fn answer(&self) -> Answer {
        Answer::of(&self.control.decision())
    }

    /// Tells the control of the end of a pause. The kernel's event also comes when all in flight is considered lost.
    fn on_start(&mut self, event: &Event) {
        if event.unsacked == 0 && self.control.properties().follows != Follows::Nothing {
            let sent = Sent {
                now: now(event),
                inflight: f64::from(event.inflight),
                after_idle: true,
                app_limited: event.has(event::APP_LIMITED),
            };
            self.control.on_sent(&sent, &mut self.random);
        }
    }

    fn on_ack(&mut self, event: &Event, fresh: bool) {
        let newly_lost = event.lost.wrapping_sub(std::mem::replace(&mut self.lost_before, event.lost));
        let inflight_before = match event.inflight_before {
            0 => f64::from(event.inflight) + f64::from(event.newly_acked) + f64::from(newly_lost),
            told => f64::from(told),
        };
        let has_sample = event.rate_delivered >= 0 && event.rate_interval_us > 0;
        // A packet that arrives finds delivered, in the mean, what was in flight when it was sent.
        let prior_delivered = match event.rate_delivered {
            0.. => event.rate_prior_delivered,
            _ => event.delivered.wrapping_sub(inflight_before as u32),
        };
        let flight = self.flights.of(prior_delivered);
        self.report_lost(event, flight);
        let rtt = (event.rtt_us > 0).then(|| micros(event.rtt_us.unsigned_abs()));
        if let Some(rtt) = rtt {
            self.min_rtt = self.min_rtt.min(rtt);
        }
        let round_start = self.ends_round(event);
        let counts = self.control.properties().ecn == EcnResponse::Counts;
        let marks = event.delivered_ce.wrapping_sub(std::mem::replace(&mut self.marks, event.delivered_ce));
        let is_recovering = matches!(self.state, event::STATE_CWR | event::STATE_RECOVERY);
        let was_recovering = std::mem::take(&mut self.just_recovered);
        let rate = has_sample.then(|| RateSample {
            delivered: f64::from(event.rate_delivered),
            interval: micros(event.rate_interval_us.unsigned_abs()),
            prior_delivered: extend(self.delivered, prior_delivered) as f64,
            lost: flight.map_or(0.0, |flight| f64::from(event.lost.wrapping_sub(flight.lost))),
            tx_in_flight: flight.map_or(inflight_before, |flight| flight.inflight),
            app_limited: event.has(event::SAMPLE_APP_LIMITED),
        });
        let ack = Ack {
            now: now(event),
            fresh,
            acked_to: self.packets(self.una),
            sent_to: self.packets(self.nxt),
            newly_acked: f64::from(event.newly_acked),
            newly_lost: f64::from(newly_lost),
            marks: if counts { marks } else { 0 },
            abc_increment: f64::from(event.newly_acked),
            rtt,
            one_way_delay: None,
            smoothed_rtt: micros(event.srtt_us),
            min_rtt: self.min_rtt,
            inflight_before,
            inflight: f64::from(event.inflight),
            delivered: self.delivered as f64,
            lost: self.lost_in_all as f64,
            round_start,
            cwnd_limited: event.has(event::CWND_LIMITED),
            app_limited: event.has(event::APP_LIMITED),
            phase: if is_recovering || was_recovering { Phase::Recovery } else { Phase::Open },
            rate,
        };
        self.control.on_ack(&ack, &mut self.random);
        self.flights.note(event, inflight_before, prior_delivered);
    }

    /// Returns whether a round trip ends with this acknowledgement. Without a sample, deliveries end none, as in the kernel's BBR.
    fn ends_round(&mut self, event: &Event) -> bool {
        let is_sampled = event.rate_delivered >= 0;
        let ends = match self.round {
            Round::Byte(end) => is_sampled || self.una >= end,
            Round::Deliveries(end) => is_sampled && extend(self.delivered, event.rate_prior_delivered) >= end,
        };
        if ends {
            self.round = if is_sampled { Round::Deliveries(self.delivered) } else { Round::Byte(self.nxt) };
        }
        ends
    }

    /// Returns the number of packets up to a position in the stream.
    fn packets(&self, position: u64) -> u64 {
        position.div_ceil(u64::from(self.packet_bytes))
    }

    fn on_loss(&mut self, event: &Event) {
        if event.has(event::TIMER) {
            self.timeout_told = true;
            self.on_timeout(event, false);
            return;
        }
        let flight = self.flights.of(event.delivered.wrapping_sub(event.unsacked));
        self.report_lost(event, flight);
        let signal = match event {
            _ if event.has(event::HAS_LOST) => LossSignal::DuplicateAcks,
            _ if event.has(event::ECN) => LossSignal::Ecn,
            _ => LossSignal::LocalDrop,
        };
        // A control that counts marks hears of them with acknowledgements only.
        if signal == LossSignal::Ecn && self.control.properties().ecn == EcnResponse::Counts {
            return;
        }
        let loss = Loss {
            now: now(event),
            signal,
            window: f64::from(event.cwnd),
            inflight: f64::from(event.inflight),
            lost: self.packets(self.una),
            sent_to: self.packets(self.nxt),
            sent: flight.map_or(now(event), |flight| flight.at),
            transmissions: 1,
            duplicates: event.sacked_out,
        };
        self.control.on_loss(&loss, &mut self.random);
    }

    fn on_timeout(&mut self, event: &Event, keeps_threshold: bool) {
        let timeout = Timeout {
            now: now(event),
            window: f64::from(event.cwnd),
            inflight: f64::from(event.unsacked),
            left_in_flight: f64::from(event.inflight),
            sent_to: self.packets(self.nxt),
            in_a_row: event.retransmits + 1,
            keeps_threshold,
        };
        self.control.on_timeout(&timeout, &mut self.random);
        self.report_lost(event, self.flights.of(event.delivered.wrapping_sub(event.unsacked)));
    }

    fn on_state(&mut self, event: &Event) {
        let before = std::mem::replace(&mut self.state, event.arg);
        let told = std::mem::take(&mut self.timeout_told);
        if event.arg == event::STATE_LOSS {
            if !told {
                self.on_timeout(event, true);
            }
        } else if event.arg < event::STATE_CWR && before >= event::STATE_CWR {
            self.just_recovered = matches!(before, event::STATE_CWR | event::STATE_RECOVERY);
            if !std::mem::take(&mut self.undone) {
                let ending = Ending::Repaired { duplicates: 0 };
                self.control.on_recovered(&Recovered { now: now(event), ending });
            }
        } else if event.arg >= event::STATE_CWR {
            self.undone = false;
        }
    }

    /// Tells the control of each packet that the kernel has given up since the last event, as one of this flight.
    fn report_lost(&mut self, event: &Event, flight: Option<Flight>) {
        let before = std::mem::replace(&mut self.lost, event.lost);
        let newly = event.lost.wrapping_sub(before);
        if newly == 0 || newly > i32::MAX as u32 {
            return;
        }
        let flight = flight.unwrap_or(Flight {
            at: now(event),
            delivered: event.delivered,
            lost: before,
            inflight: f64::from(event.inflight) + f64::from(newly),
        });
        for one in 1..=newly {
            let lost = Lost {
                now: now(event),
                number: self.lost_number,
                sent: flight.at,
                size: 1.0,
                tx_in_flight: flight.inflight,
                lost: f64::from(before.wrapping_add(one).wrapping_sub(flight.lost)),
                prior_delivered: extend(self.delivered, flight.delivered) as f64,
                delivered: self.delivered as f64,
                app_limited: event.has(event::APP_LIMITED),
            };
            self.control.on_lost(&lost, &mut self.random);
            self.lost_number += 1;
        }
        self.lost_number += 1;
    }
}

fn now(event: &Event) -> Time {
    Time::from_nanos(event.now_ns)
}

fn micros(us: u32) -> Span {
    Span::from_nanos(u64::from(us) * 1000)
}

/// Returns the position or count whose last 32 bits are these, nearest to the last one.
fn extend(last: u64, bits: u32) -> u64 {
    last.saturating_add_signed(i64::from(bits.wrapping_sub(last as u32) as i32))
}

fn packets_of_threshold(ssthresh: u32) -> Packets {
    if ssthresh >= INFINITE { f64::INFINITY } else { f64::from(ssthresh) }
}

#[cfg(test)]
mod tests;
