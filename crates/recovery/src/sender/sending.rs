//! What may be sent now: the packets that the rule of loss detection selects, new or retransmitted, as the
//! window, pacing and the burst limit allow.

use super::{Limit, Output, Sender, Transmission};
use crate::options::Options;
use crate::pacer::Pace;
use crate::validation::Usage;
use ackclock_base::Time;
use ackclock_cc::{Decision, Follows, Sent};

impl Sender {
    /// Sends the packets that the rule selects, as long as the window, pacing and the burst limit allow.
    pub fn send_allowed(&mut self, now: Time, output: &mut impl Output) {
        if self.fast_path {
            self.send::<true>(now, output);
        } else {
            self.send::<false>(now, output);
        }
    }

    /// Sends as [`Self::send_allowed`] does, on the fast path if `FAST_PATH`.
    #[inline(always)]
    pub(super) fn send<const FAST_PATH: bool>(&mut self, now: Time, output: &mut impl Output) {
        self.pacer.unblock();
        if self.spurious.hold_back() {
            return;
        }
        let decision = self.controller.decision();
        let cwnd = self.options.units.room(decision.cwnd);
        let fresh_until = self.fresh_until();
        let high = self.ledger.high();
        let (is_full, is_held_back) = if decision.pacing_rate.is_some() || self.meters {
            self.send_metered::<FAST_PATH>(now, cwnd, fresh_until, &decision, output)
        } else {
            for _ in 0..self.options.max_burst() {
                let Some(number) = self.next::<FAST_PATH>(cwnd, fresh_until) else { break };
                if self.transmit_one::<FAST_PATH>(now, number, output).is_none() {
                    break;
                }
            }
            let is_full = self.flight::<FAST_PATH>() >= cwnd;
            if self.options.notes_limits {
                let limit = if is_full { Some(Limit::Window) } else { self.limit(fresh_until, false) };
                self.limits.note(now, limit);
            }
            (is_full, false)
        };
        let (una, has_sent) = (self.ledger.una(), self.ledger.high() > high);
        let usage = Usage { una, high: self.ledger.high(), has_sent, is_full, is_held_back };
        self.window_use.note(&usage, &decision);
    }

    /// Returns what holds the sender back while the window has room, or `None` when everything is done.
    /// `is_spread` tells whether packets wait for the pacer or for the host's own interface.
    #[inline(never)] // rarer than a full window
    fn limit(&self, fresh_until: u64, is_spread: bool) -> Option<Limit> {
        if self.ledger.next() < fresh_until.max(self.ledger.high()) {
            Some(if is_spread { Limit::Pacing } else { Limit::Window })
        } else if fresh_until < self.data_until || self.is_held_back {
            Some(Limit::ReceiveWindow)
        } else {
            (self.stays_open || !self.ledger.is_empty()).then_some(Limit::Application)
        }
    }

    /// Sends what the window, the pacer and small queues allow. Returns whether the window is full, or would be
    /// but for packets that wait for the pacer, and whether small queues hold a packet back.
    #[inline(never)] // not used by a flow that only its window limits
    fn send_metered<const FAST_PATH: bool>(
        &mut self,
        now: Time,
        cwnd: u64,
        fresh_until: u64,
        decision: &Decision,
        output: &mut impl Output,
    ) -> (bool, bool) {
        let flows_at = self.pace(decision);
        let is_paced = decision.pacing_rate.is_some() || self.options.pacing;
        let pace = if is_paced { flows_at } else { Pace::NONE };
        let (mut is_held_back, mut is_paced_out, mut is_refused) = (false, false, false);
        for _ in 0..self.options.max_burst() {
            if !self.pacer.allows(now, pace) {
                is_paced_out = true;
                break;
            }
            let Some(number) = self.next::<FAST_PATH>(cwnd, fresh_until) else { break };
            is_held_back = self.small_queue.is_some() && self.is_held_back(now, flows_at, number);
            if is_held_back {
                break;
            }
            let Some(size) = self.transmit_one::<FAST_PATH>(now, number, output) else {
                is_refused = true;
                break;
            };
            self.note_handed_over(output);
            self.pacer.on_sent(now, pace, self.options.units.to_packets(u64::from(size)));
        }
        let flight = self.flight::<FAST_PATH>();
        let is_full = flight >= cwnd || is_paced_out && self.would_fill(flight, cwnd, fresh_until);
        let is_spread = is_paced_out || is_held_back || is_refused;
        if self.options.notes_limits {
            let limit = if flight >= cwnd { Some(Limit::Window) } else { self.limit(fresh_until, is_spread) };
            self.limits.note(now, limit);
        }
        (is_full, is_held_back)
    }

    //= RFC 9002 section 7.8 pacing: a sender that waits for its pacer does not count as limited by the application
    /// Returns whether the data waiting for the pacer would fill the window. A sender that would have used
    /// its whole window but for pacing is not short of data (RFC 9002 section 7.8).
    fn would_fill(&self, flight: u64, cwnd: u64, fresh_until: u64) -> bool {
        let waiting = fresh_until.saturating_sub(self.ledger.next());
        flight.saturating_add(self.options.units.of_packets(waiting)) >= cwnd
    }

    /// Returns whether small queues (Linux's TSQ) hold this packet back because the interface already holds
    /// enough of this flow. If so, the packet waits until one of the flow's packets leaves.
    fn is_held_back(&mut self, now: Time, pace: Pace, number: u64) -> bool {
        let (again, bytes) = (number < self.ledger.high(), self.options.units.packet_bytes());
        let queue = self.small_queue.as_deref_mut();
        let until = queue.and_then(|queue| queue.holds_until(now, pace, bytes, again));
        if let Some(until) = until {
            self.pacer.hold(until);
        }
        until.is_some()
    }

    /// Records in the small queue, if there is one, when the packet sent last leaves the interface.
    fn note_handed_over(&mut self, output: &impl Output) {
        if let Some(queue) = &mut self.small_queue {
            queue.on_sent(output.leaves());
        }
    }

    /// Returns the next packet to send, see [`next`](crate::detection::Detection::next).
    #[inline]
    fn next<const FAST_PATH: bool>(&mut self, cwnd: u64, fresh_until: u64) -> Option<u64> {
        if FAST_PATH {
            let next = self.ledger.next();
            (self.ledger.outstanding() < cwnd && next < fresh_until).then_some(next)
        } else {
            self.rule.next(&mut self.ledger, cwnd, fresh_until)
        }
    }

    #[inline]
    pub(super) fn fresh_until(&self) -> u64 {
        let window_from = if self.options.numbers_once {
            self.ledger.high() - self.ledger.pipe() // lost packets stay outstanding for a while, and take no room
        } else {
            self.ledger.una()
        };
        self.data_until.min(window_from + self.options.window)
    }

    /// Returns the pace of the control's rate, or, for a control without a rate, that of its window over the
    /// round trip.
    pub(super) fn pace(&self, decision: &Decision) -> Pace {
        let of_rate = Pace::of_rate(decision, self.options.units.packet_bytes());
        let Options { pacing_gains, pacing_burst, .. } = self.options;
        of_rate.unwrap_or_else(|| Pace::of_window(decision, self.rtt.fine().mean, pacing_gains, pacing_burst))
    }

    /// Sends a packet, new or retransmitted, whatever the window and pacing. The packets that follow wait for
    /// what it costs at the pacing rate. Returns its size in the transport's unit, or `None` if the interface
    /// refused it: such a packet is not recorded as sent, and its refusal may reduce the window.
    pub(super) fn transmit(&mut self, now: Time, number: u64, output: &mut impl Output) -> Option<u16> {
        let size = self.transmit_one::<false>(now, number, output)?;
        self.note_handed_over(output);
        self.pacer.on_sent_beside(now, self.options.units.to_packets(u64::from(size)));
        Some(size)
    }

    /// Sends a packet as [`Self::transmit`] does. On the fast path (`FAST_PATH`) it is the ledger's next
    /// packet, and new.
    #[inline(always)]
    fn transmit_one<const FAST_PATH: bool>(
        &mut self,
        now: Time,
        number: u64,
        output: &mut impl Output,
    ) -> Option<u16> {
        let again = !FAST_PATH && number < self.ledger.high();
        let announces_reduction = !again && self.options.announces_reductions && self.ecn.take_announcement();
        let Some(size) = output.send(Transmission { number, again, announces_reduction }) else {
            if announces_reduction {
                self.ecn.announce_again();
            }
            self.on_local_drop(now);
            return None;
        };
        let after_idle = if FAST_PATH { self.ledger.outstanding() } else { self.ledger.pipe() } == 0;
        let again = again || !FAST_PATH && output.sent_before();
        if FAST_PATH {
            self.ledger.transmit_in_line(now, size);
        } else {
            let in_line = self.ledger.transmit(number, now, size);
            if again && in_line {
                self.ledger.note_ambiguous(number);
            }
            self.rule.on_sent(&mut self.ledger, number, in_line);
        }
        if !again && self.timed.is_none() {
            self.timed = Some((number, now));
        } else if again && self.timed.is_some_and(|(timed, _)| timed == number) {
            //= RFC 6298 section 3: a segment that was retransmitted is not timed
            self.timed = None; // Karn (RFC 6298 section 3)
        }
        if again {
            self.spurious.on_resent(&self.options.undo, number);
        }
        self.counts.note_sent(again);
        self.last_sent = now;
        //= RFC 6298 section 5.1: sending a segment starts the retransmission timer if it is off
        if self.deadline == Time::NEVER {
            self.restart_timer(now);
        }
        if self.tells_sending != Follows::Nothing && (after_idle || self.tells_sending == Follows::Everything)
        {
            self.tell_sent(now, after_idle);
        }
        Some(size)
    }

    #[inline(never)]
    fn tell_sent(&mut self, now: Time, after_idle: bool) {
        let inflight = self.options.units.to_packets(self.ledger.pipe());
        let app_limited = self.ledger.delivery().is_app_limited();
        self.controller.on_sent(&Sent { now, inflight, after_idle, app_limited }, &mut *self.random);
    }
}
