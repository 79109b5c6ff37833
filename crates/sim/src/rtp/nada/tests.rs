//! The equations of RFC 8698 by hand.

use super::super::control::PacketReport;
use super::*;

const CALL: Call =
    Call { min_bps: 150e3, max_bps: 1.5e6, frames_per_second: 30.0, feedback: Span::from_millis(100) };
const BASE: Span = Span::from_millis(50);
const RTT: Span = Span::from_millis(100);

/// Reports of packets that leave each 10 ms, with a report for each ten.
struct Script {
    nada: Nada,
    next: u64,
}

impl Script {
    fn new(rate_bps: f64) -> Self {
        let mut nada = Nada::new(Parameters::default(), CALL);
        nada.rate_bps = rate_bps;
        Self { nada, next: 0 }
    }

    /// Reports ten packets of `bytes` with this queueing delay, of which the first is lost if `loses`. Returns the rate afterwards.
    fn report(&mut self, bytes: u32, queueing: Span, loses: bool) -> f64 {
        let packet = |number: u64| {
            let sent = Time::ZERO + Span::from_millis(10) * number;
            let arrived = (!loses || number != self.next).then_some(sent + BASE + queueing);
            PacketReport { bytes, sent, arrived, marked: false }
        };
        let packets: Vec<_> = (self.next..self.next + 10).map(packet).collect();
        self.next += 10;
        let now = Time::ZERO + RTT + Span::from_millis(10) * self.next;
        self.nada.on_feedback(&Feedback { now, rtt: RTT, packets: &packets });
        self.nada.target_bps()
    }
}

fn near(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-9, "{found} is not {expected}");
}

#[test]
fn the_defaults_are_those_of_figure_3() {
    let ms = |ms: u64| Span::from_millis(ms);
    let Parameters { prio, xref, kappa, eta, tau, logwin, qeps, dfilt, .. } = Parameters::default();
    assert_eq!((prio, xref, kappa, eta, tau), (1.0, ms(10), 0.5, 2.0, ms(500)));
    assert_eq!((logwin, qeps, dfilt), (ms(500), ms(10), ms(120)));
    let Parameters { gamma_max, qbound, multiloss, qth, lambda, plrref, pmrref, .. } = Parameters::default();
    assert_eq!((gamma_max, qbound, multiloss, qth, lambda), (0.5, ms(50), 7.0, ms(50), 0.5));
    let Parameters { dloss, dmark, beta_s, beta_v, alpha, .. } = Parameters::default();
    assert_eq!((plrref, pmrref, dloss, dmark), (0.01, 0.01, ms(10), ms(2)));
    assert_eq!((beta_s, beta_v, alpha), (0.1, 0.1, 0.1));
}

#[test]
fn the_ramp_up_adds_a_share_of_what_arrives() {
    // 625 B each 10 ms are 500 kbit/s. gamma = min(0.5, 50 / (100 + 100 + 120)) = 0.15625.
    let mut script = Script::new(150e3);
    (0..4).for_each(|_| {
        script.report(625, Span::ZERO, false);
    });
    near(script.report(625, Span::ZERO, false), 1.15625 * 500e3);
    // What arrives has not grown, so neither does the rate; and it never falls in this mode.
    near(script.report(625, Span::ZERO, false), 1.15625 * 500e3);
    near(script.report(100, Span::ZERO, false), 1.15625 * 500e3);
}

#[test]
fn the_steady_state_has_the_signal_of_the_rfc() {
    // At 1 Mbit/s of at most 1.5, x = PRIO * XREF * RMAX / r_ref = 15 ms, at which nothing changes.
    let mut script = Script::new(1e6);
    script.report(1250, Span::ZERO, false);
    script.nada.rate_bps = 1e6;
    (script.nada.signal_s, script.nada.parameters.eta) = (0.015, 0.0);
    (0..2).for_each(|_| {
        script.report(1250, Span::from_millis(15), false);
    });
    script.nada.rate_bps = 1e6;
    near(script.report(1250, Span::from_millis(15), false), 1e6);
}

#[test]
fn the_gradual_update_is_that_of_equation_7() {
    // From 20 to 40 ms at 1 Mbit/s: offset 40 - 15 = 25 ms, difference 20 ms; 100 ms after the last report, the rate loses
    // 0.5 * (100 / 500 * 25 / 500) + 0.5 * 2 * 20 / 500 = 0.005 + 0.04 of itself.
    let mut script = Script::new(1e6);
    script.report(1250, Span::ZERO, false);
    script.report(1250, Span::from_millis(20), false);
    script.report(1250, Span::from_millis(20), false);
    script.nada.rate_bps = 1e6;
    near(script.nada.signal_s, 0.020);
    script.report(1250, Span::from_millis(40), false);
    // The least of 15 delays is that of the report before; with the next one it is the new.
    near(script.nada.signal_s, 0.020);
    script.nada.rate_bps = 1e6;
    near(script.report(1250, Span::from_millis(40), false), 1e6 * (1.0 - 0.045));
    near(script.nada.signal_s, 0.040);
}

#[test]
fn the_rate_stays_between_the_bounds_of_the_encoder() {
    let mut script = Script::new(1.4e6);
    (0..6).for_each(|_| {
        script.report(1700, Span::ZERO, false);
    });
    assert_eq!(script.nada.target_bps(), 1.5e6);
    (0..3).for_each(|_| {
        script.report(1700, Span::from_millis(900), false);
    });
    assert_eq!(script.nada.target_bps(), 150e3);
}

#[test]
fn a_long_delay_is_warped() {
    // Below 50 ms the delay counts as it is; 100 ms count as 50 exp(-0.5) = 30.3 ms, 150 ms as 50 exp(-1) = 18.4 ms.
    near(warped(0.049, 0.050, 0.5), 0.049);
    near(warped(0.050, 0.050, 0.5), 0.050);
    near(warped(0.100, 0.050, 0.5), 0.050 * libm::exp(-0.5));
    near(warped(0.150, 0.050, 0.5), 0.050 * libm::exp(-1.0));
}

#[test]
fn a_loss_counts_as_a_delay_and_warps_the_queueing() {
    // p_inst is 1 in 20 packets and then 2 in 30: p_loss = 0.1 * 0.05 = 0.005 and then 0.005 + 0.1 * (0.0667 - 0.005) = 0.0112, which
    // stands for 10 ms * 1.12^2. The queueing delay of 100 ms counts as 30.3 ms.
    let mut script = Script::new(1e6);
    script.report(1250, Span::ZERO, false);
    script.report(1250, Span::from_millis(100), true);
    script.report(1250, Span::from_millis(100), true);
    let p_loss = 0.005 + 0.1 * (2.0 / 30.0 - 0.005);
    near(script.nada.signal_s, 0.050 * libm::exp(-0.5) + 0.010 * (p_loss / 0.01) * (p_loss / 0.01));
}

#[test]
fn the_signal_is_bounded() {
    // Of the last 50 packets, 5 are lost: p_loss grows towards 0.1, which would stand for 10 ms * 10^2 = 1 s.
    let mut script = Script::new(1e6);
    (0..40).for_each(|_| {
        script.report(1250, Span::ZERO, true);
    });
    assert_eq!(script.nada.signal_s, 0.5);
}

#[test]
fn the_warping_ends_after_seven_loss_intervals() {
    // A loss each 100 packets, and then none: the delay of 100 ms counts as 30.3 ms up to 700 packets after the last loss, half as
    // that and half as itself after 750, and as itself after 800.
    let mut script = Script::new(1e6);
    script.nada.parameters.running_interval = false;
    let queueing = Span::from_millis(100);
    script.report(1250, Span::ZERO, false);
    (1..=50).for_each(|report| {
        script.report(1250, queueing, report % 10 == 0);
    });
    let warped_s = 0.050 * libm::exp(-0.5);
    for (reports, expected_s) in [(69, warped_s), (5, (warped_s + 0.100) / 2.0), (5, 0.100), (5, 0.100)] {
        (0..reports).for_each(|_| {
            script.report(1250, queueing, false);
        });
        near(script.nada.counted_delay_s(), expected_s);
    }
}

#[test]
fn a_longer_route_counts_as_a_queue_until_the_base_delay_of_the_earlier_one_is_forgotten() {
    // RFC 8698 section 5.1.1: the base delay is estimated anew, because routes change. 600 reports are a minute. With a history of two
    // minutes the delay of the first one counts until the third begins; then the 40 ms more are no queue any more.
    assert_eq!(Parameters::default().base_history, 10);
    let mut script = Script::new(1e6);
    script.nada = Nada::new(Parameters { base_history: 2, ..Parameters::default() }, CALL);
    let longer = Span::from_millis(40);
    (0..590).for_each(|_| _ = script.report(1250, Span::ZERO, false));
    (590..1190).for_each(|_| _ = script.report(1250, longer, false));
    near(script.nada.signal_s, 0.040);
    // PRIO * XREF * RMAX / x is approached with a time constant of TAU^2 / (KAPPA x) = 12.5 s: after 60 s 0.8 % of what it was away.
    let missing = script.nada.target_bps() - 10.0 / 40.0 * 1.5e6;
    assert!((0.0..0.01 * (1.5e6 - 375e3)).contains(&missing), "{missing}");
    (1190..1210).for_each(|_| _ = script.report(1250, longer, false));
    assert_eq!(script.nada.signal_s, 0.0);
    (1210..1220).for_each(|_| _ = script.report(1250, longer, false));
    assert_eq!(script.nada.target_bps(), (1.0 + 0.15625) * 1e6, "the ramp-up from what arrives");
}

#[test]
fn the_sender_s_buffer_moves_both_rates_by_a_twentieth_at_most() {
    // 100 B: 0.1 * 8 * 100 * 30 = 2400 bit/s. 10 kB would be 240 kbit/s: 5 % of 1 Mbit/s are 50.
    let nada = Script::new(1e6).nada;
    near(nada.encoder_bps(100), 1e6 - 2400.0);
    near(nada.sending_bps(100), 1e6 + 2400.0);
    near(nada.encoder_bps(10_000), 0.95e6);
    near(nada.sending_bps(10_000), 1.05e6);
    // Neither leaves the range of the encoder.
    near(Script::new(150e3).nada.encoder_bps(10_000), 150e3);
    near(Script::new(1.5e6).nada.sending_bps(10_000), 1.5e6);
}
