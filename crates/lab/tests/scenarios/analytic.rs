//! Tests of the simulator against analysis: where a model has a closed form, the simulation must agree with
//! it.
//!
//! `cargo test -p ackclock-lab --test analytic -- --nocapture` prints what was measured.

use crate::tolerances::tolerance;
use ackclock_aqm::{Arrival, Ecn};
use ackclock_base::{Rate, Span, Time};
use ackclock_lab::run::build::{self, Keep};
use ackclock_lab::{RunResult, Scenario};
use ackclock_sim::channel::Impairments;
use ackclock_sim::link::{Fate, Link, LinkParts};
use ackclock_sim::measure::Interval;
use ackclock_sim::random::Stream;
use ackclock_sim::trace::Event;
use rayon::prelude::*;
use serde_json::{Map, Value};
use std::sync::atomic::AtomicBool;

const SEEDS: u64 = 8;

// The following tests use the model of Padhye et al.: TCP under random loss.

const RTT: f64 = 0.1;
const LOSS_PROBABILITIES: [f64; 7] = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05];
/// The maximum standard error of a measured rate, well below the tolerances.
const MAX_STANDARD_ERROR: f64 = 0.02;

/// Returns the send rate in packets per second: Padhye, Firoiu, Towsley and Kurose, "Modeling TCP Throughput:
/// A Simple Model and its Empirical Validation", SIGCOMM 1998, the full model for a receiver's window that
/// does not bind (equation 32 of the journal version, IEEE/ACM Transactions on Networking 8(2), 2000).
///
/// * `p`: the probability that a packet is lost if the previous one is not;
/// * `b`: the number of packets per acknowledgement;
/// * `t0`: the first of consecutive retransmission timeouts.
fn padhye(p: f64, b: f64, rtt: f64, t0: f64) -> f64 {
    let q = 1.0 - p;
    let share = (2.0 + b) / (3.0 * b);
    // `window` is the window at the end of a period of growth.
    let window = share + (8.0 * q / (3.0 * b * p) + share * share).sqrt();
    // `timeout` is the probability that a timeout finds a loss in such a window: fewer than three packets
    // arrive after it.
    let few = (1.0 - q.powi(3)) * (1.0 + q.powi(3) * (1.0 - q.powf(window - 3.0)));
    let timeout = (few / (1.0 - q.powf(window))).min(1.0);
    // Consecutive timeouts double, up to 64 times the first.
    let row =
        1.0 + p + 2.0 * p.powi(2) + 4.0 * p.powi(3) + 8.0 * p.powi(4) + 16.0 * p.powi(5) + 32.0 * p.powi(6);
    (q / p + window + timeout / q) / (rtt * (b / 2.0 * window + 1.0) + timeout * t0 * row / q)
}

/// Returns the send rate of Mathis, Semke, Mahdavi and Ott 1997 with an acknowledgement per packet: sqrt(3/2)
/// / (RTT sqrt(p)).
fn mathis(p: f64, rtt: f64) -> f64 {
    1.5_f64.sqrt() / (rtt * p.sqrt())
}

#[test]
fn the_formula_of_padhye_agrees_with_a_calculation_by_hand() {
    // p = 0.02, b = 1: E[W] = 1 + sqrt(8 * 0.98 / 0.06 + 1) = 1 + sqrt(131.667) = 12.4746.
    // Q: 1 - 0.98^3 = 0.058808; 1 - 0.98^9.4746 = 0.174192; 1 - 0.98^12.4746 = 0.222759;
    // 0.058808 * (1 + 0.941192 * 0.174192) / 0.222759 = 0.307283. f = 1 + 0.02 + 0.0008 + 0.000032 + ... = 1.020833.
    // Numerator 49 + 12.4746 + 0.313554 = 61.7882; denominator 0.72373 + 0.307283 * 0.2 * 1.020833 / 0.98 = 0.787747.
    let rate = padhye(0.02, 1.0, 0.1, 0.2);
    assert!((rate - 61.7882 / 0.787_747).abs() < 0.01, "{rate}");
    // If losses are rare there are no timeouts, and the formula becomes that of Mathis.
    assert!((padhye(1e-8, 1.0, 0.1, 0.2) / mathis(1e-8, 0.1) - 1.0).abs() < 0.001);
}

/// A flow under random loss, with the link, recovery and timer of the model.
#[derive(Clone, Copy)]
struct UnderLoss {
    control: &'static str,
    /// The number of packets per acknowledgement.
    b: f64,
    rtt: f64,
    p: f64,
    /// The first timeout: the minimum RTO, because the round trip does not vary.
    t0: f64,
}

/// The assumptions of the model: an acknowledgement for each packet (or every second one), growth by
/// acknowledgements, no limit but the congestion window, and no queue. At 100 Gbit/s a whole window takes
/// microseconds.
impl UnderLoss {
    fn scenario(&self, seconds: f64) -> Scenario {
        let Self { control, b, rtt, p, t0 } = *self;
        parse(&format!(
            "duration = \"{} s\"\nwarmup = \"{WARMUP} s\"\n\
             [[links]]\nname = \"forth\"\nfrom = \"a\"\nto = \"b\"\nrate = \"100 Gbit/s\"\ndelay = \"{} ms\"\n\
             loss = {{ name = \"independent\", probability = {p} }}\n\
             [[links]]\nname = \"back\"\nfrom = \"b\"\nto = \"a\"\nrate = \"100 Gbit/s\"\ndelay = \"{} ms\"\n\
             [[flows]]\ncontrol = \"{control}\"\nfrom = \"a\"\nto = \"b\"\n\
             transport = {{ name = \"rfc\", min_rto = \"{t0} s\", delayed_ack = {}, growth = \"acks\" }}\n",
            seconds + WARMUP,
            rtt * 500.0,
            rtt * 500.0,
            b > 1.0
        ))
    }

    /// Returns a duration with 200 losses per seed at the lowest probability, where losses cost most to
    /// simulate, and 2000 at the highest.
    fn seconds(&self) -> f64 {
        9000.0 * self.p.sqrt() / (self.p * self.model())
    }

    fn model(&self) -> f64 {
        padhye(self.p, self.b, self.rtt, self.t0)
    }

    /// Returns the send rate in packets per second, and the mean time between the last packet and a timeout.
    fn measure(&self) -> (Estimate, f64) {
        let seconds = self.seconds();
        let scenario = self.scenario(seconds);
        let results = run_seeds(&scenario);
        let rate = Estimate::of(results.iter().map(|run| number(run, "/flows/0/sent_packets") / seconds));
        let total = |key: &str| results.iter().map(|run| number(run, key)).sum::<f64>();
        (rate, total("/flows/0/timeout_idle_s") / total("/flows/0/timeouts"))
    }
}

/// The time for slow start and its overshoot, in seconds.
const WARMUP: f64 = 20.0;

/// Asserts that a measured rate agrees with the model within the tolerance.
fn assert_near_padhye(flow: &UnderLoss, what: &str, rate: Estimate) {
    let model = flow.model();
    println!(
        "padhye, {what}, p = {}: {rate} packets/s, model {model:.2}, ratio {:.3}; Mathis {:.3}",
        flow.p,
        rate.mean / model,
        rate.mean / mathis(flow.p * flow.b, flow.rtt),
    );
    assert!(rate.relative_error() < MAX_STANDARD_ERROR, "{what}, p = {}: {rate} is too uncertain", flow.p);
    assert!(
        (rate.mean / model - 1.0).abs() < tolerance("analytic.padhye"),
        "{what}, p = {}: {rate} packets/s, the model has {model}",
        flow.p
    );
}

/// Compares a control with the model at all probabilities.
fn follows_padhye(control: &'static str, t0: f64) {
    for p in LOSS_PROBABILITIES {
        let flow = UnderLoss { control, b: 1.0, rtt: RTT, p, t0 };
        let (rate, idle) = flow.measure();
        assert_near_padhye(&flow, &format!("{control}, T0 = {t0} s"), rate);
        // Mathis's law assumes equal distances between losses and no timeouts, so it is only checked for rare
        // losses.
        if p <= 0.001 {
            let expected = mathis(p, RTT);
            assert!(
                (rate.mean / expected - 1.0).abs() < tolerance("analytic.mathis"),
                "{control}: {rate}, Mathis {expected}"
            );
        }
        // T0 is the value of the timer: before a timeout of Reno, nothing was sent for most of that time.
        if control == "reno" {
            assert!((0.75 * t0..1.25 * t0).contains(&idle), "p = {p}: waited for {idle} s before a timeout");
        }
    }
}

#[test]
fn reno_follows_padhye() {
    follows_padhye("reno", 0.2);
}

#[test]
fn reno_follows_padhye_with_the_least_timeout_of_rfc_6298() {
    follows_padhye("reno", 1.0);
}

// The model is one of Reno. NewReno and SACK repair several losses of a window without Reno's timeout. With
// T0 = 0.2 s a timeout costs little more than a recovery, and they follow the model too. With 1 s they exceed
// it from p = 0.01 on, at p = 0.05 by 43 and 49 %, as they should.

#[test]
fn newreno_follows_padhye_where_timeouts_cost_little() {
    follows_padhye("newreno", 0.2);
}

#[test]
fn sack_follows_padhye_where_timeouts_cost_little() {
    follows_padhye("sack", 0.2);
}

#[test]
fn delayed_acknowledgements_follow_padhye() {
    // With a small window, a single packet waits 200 ms for its acknowledgement, which the model ignores: the
    // round trip is no longer 100 ms.
    for p in [0.0005, 0.002, 0.01] {
        let flow = UnderLoss { control: "sack", b: 2.0, rtt: RTT, p, t0: 0.2 };
        let (rate, _) = flow.measure();
        assert_near_padhye(&flow, "sack, delayed acknowledgements", rate);
    }
}

// Alnuem 2009, Table 5.1: results of ns-2.29 for the path of the formula above with queues, a minimum timeout
// of 0.2 s and a limited window. The study error-discriminating-tcp/table-5.1 repeats it at full size.

/// Round trips in ms with the published throughputs in kbit/s.
const TABLE_5_1: [(f64, f64); 10] = [
    (32.0, 2338.59),
    (102.0, 920.30),
    (168.0, 566.61),
    (234.0, 410.05),
    (300.0, 333.03),
    (366.0, 279.0),
    (432.0, 234.67),
    (498.0, 202.47),
    (564.0, 172.57),
    (630.0, 164.33),
];

#[test]
fn reno_at_one_percent_loss_has_the_throughputs_of_alnuems_table_5_1() {
    for (rtt_ms, published_kbps) in TABLE_5_1 {
        // The window is one bandwidth-delay product, in packets of 1024 bytes.
        let window = (45e6 * rtt_ms / 1000.0 / 8192.0).round();
        let link = |name: &str, from: &str, to: &str, loss: &str| {
            format!(
                "[[links]]\nname = \"{name}\"\nbetween = [\"{from}\", \"{to}\"]\nrate = \"45 Mbit/s\"\n\
                 delay = \"{} us\"\nqueue = {{ name = \"droptail\", limit = \"{window} packets\" }}\n{loss}\n",
                (rtt_ms * 1000.0 / 6.0).round()
            )
        };
        let scenario = parse(&format!(
            "duration = \"105 s\"\nwarmup = \"5 s\"\n{}{}{}\
             [[flows]]\ncontrol = \"reno\"\nfrom = \"a\"\nto = \"d\"\ntransport = {{ name = \"ns2\", \
             packet = \"1024 B\", window = \"{window} packets\", initial_ssthresh = \"{window} packets\" }}\n",
            link("first", "a", "b", ""),
            link("middle", "b", "c", ""),
            link("last", "c", "d", "loss = { name = \"independent\", probability = 0.01 }"),
        ));
        let runs = (1..=12).into_par_iter().map(|seed| result_of(&scenario, seed, Keep::default()));
        let runs: Vec<Value> = runs.collect();
        let kbps = Estimate::of(runs.iter().map(|run| number(run, "/flows/0/goodput_bps") / 1000.0));
        println!("Table 5.1, {rtt_ms} ms: {kbps} kbit/s, published {published_kbps}");
        assert!((kbps.mean / published_kbps - 1.0).abs() < 0.15, "{rtt_ms} ms: {kbps}, not {published_kbps}");
    }
}

#[test]
fn half_the_round_trip_gives_twice_the_rate() {
    // Without timeouts the rate is a function of p divided by the RTT. At p = 0.001 the fraction of timeouts
    // is 3 / E[W] = 6 %, and each costs two to four round trips: 1 %.
    let rate = |rtt| UnderLoss { control: "sack", b: 1.0, rtt, p: 0.001, t0: 0.2 }.measure().0;
    let (short, long) = (rate(0.05), rate(0.1));
    let ratio = short.mean / long.mean;
    println!("rate at 50 ms over that at 100 ms: {ratio:.3}");
    assert!((ratio / 2.0 - 1.0).abs() < tolerance("analytic.half_round_trip"), "{short} / {long}");
}

// The following tests check the sawtooth of additive increase and multiplicative decrease.

/// The bandwidth-delay product in packets of a flow alone at a bottleneck: 100 Mbit/s and 1500 bytes, 120 us
/// per packet; 48 ms are 400 packets.
const BDP: f64 = 400.0;
const PACKETS_A_SECOND: f64 = 1e8 / 12_000.0;
const SAMPLE: f64 = 0.01;

/// Returns the result of a flow that fills a buffer of `limit` packets repeatedly, with series.
fn sawtooth(control: &str, limit: u32, seconds: u32) -> Value {
    let scenario = parse(&format!(
        "duration = \"{seconds} s\"\nwarmup = \"40 s\"\nobserve = {{ interval = \"{SAMPLE} s\" }}\n\
         [dumbbell]\naccess = {{ rate = \"100 Gbit/s\", delay = \"0 s\" }}\n\
         bottleneck = {{ rate = \"100 Mbit/s\", delay = \"24 ms\", queue = {{ name = \"droptail\", limit = \"{limit} packets\" }} }}\n\
         [[flows]]\nname = \"flow\"\ncontrol = \"{control}\"\n\
         transport = {{ name = \"rfc\", packet = \"1460 B\", header = \"40 B\", delayed_ack = false, initial_ssthresh = \"300 packets\" }}\n"
    ));
    let keep = Keep { series: true, ..Keep::default() };
    result_of(&scenario, 1, keep)
}

fn series(result: &Value, path: &str) -> Vec<f64> {
    let values = result.pointer(&format!("/series{path}")).and_then(Value::as_array);
    values
        .unwrap_or_else(|| panic!("no series {path}"))
        .iter()
        .map(|value| value.as_f64().unwrap_or(f64::NAN))
        .collect()
}

/// Returns the sample indices at which the window falls, after the second fall: from there on all periods are
/// alike.
fn falls(windows: &[f64]) -> Vec<usize> {
    let fell = |index: &usize| windows[*index] < 0.75 * windows[index - 1];
    (1..windows.len()).filter(fell).skip(2).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn the_sawtooth_over_a_buffer_of_one_bdp_has_its_period_and_mean() {
    // 400 packets wait, one is being sent and 400 are on the wire: a packet is dropped at a window of W =
    // 802. The window falls to W/2 = 401, which fills the link, so the queue never empties and the round trip
    // is w / C. With growth by a packet per round trip, dw/dt = C/w:
    // period   T = integral of w/C from W/2 to W = 3/8 W^2 / C        = 241,202 packets = 28.94 s
    // window   1/T * integral of w * w/C         = 7/24 W^3 / (3/8 W^2) = 7/9 W = 623.8, averaged over time
    // queue    the window less what is on the wire and being sent: 7/9 W - 401 = 222.8
    // Ignored are the round trip until the loss is known and that of recovery: 1.5 W packets or 4/W = 0.5 %.
    const W: f64 = BDP + 400.0 + 2.0;
    for control in ["reno", "sack"] {
        let result = sawtooth(control, 400, 250);
        let windows = series(&result, "/flows/flow/cwnd_packets");
        let falls = falls(&windows);
        let (first, last) = (falls[0], falls[falls.len() - 1]);
        assert!(falls.len() >= 5, "{control}: {falls:?}");
        let period = (last - first) as f64 * SAMPLE / (falls.len() - 1) as f64;
        let window = mean(&windows[first..last]);
        let queue = mean(&series(&result, "/links/bottleneck/queue_packets")[first..last]);
        let drops = number(&result, "/links/0/dropped_packets");
        let utilisation = number(&result, "/links/0/utilisation");
        let expected = [3.0 / 8.0 * W * W / PACKETS_A_SECOND, 7.0 / 9.0 * W, 7.0 / 9.0 * W - BDP - 1.0];
        println!(
            "sawtooth, {control}: period {period:.3} s, window {window:.2}, queue {queue:.2}; expected {expected:.2?}"
        );
        for (measured, expected) in [period, window, queue].into_iter().zip(expected) {
            assert!(
                (measured / expected - 1.0).abs() < tolerance("analytic.sawtooth"),
                "{control}: {measured} for {expected}"
            );
        }
        // One packet is dropped per period, and the link is never idle. The measured interval began in the
        // middle of a period.
        assert!((drops - (250.0 - 40.0) / period).abs() <= 1.0, "{control}: {drops} drops");
        assert!(utilisation > 0.9999, "{control}: {utilisation}");
    }
}

#[test]
fn the_sawtooth_over_a_quarter_of_a_bdp_leaves_the_link_idle() {
    // 100 packets wait: W = 502, falling to 251. Up to D = 401 the link is not full and a round trip takes
    // D/C, above that w/C. Per period 3/8 W^2 = 94,502 packets are sent, in the time of (D - W/2) * D + (W^2
    // - D^2) / 2 = 150 * 401 + 45,601.5 = 105,751.5 packets: a utilisation of 0.8936.
    const W: f64 = BDP + 100.0 + 2.0;
    const D: f64 = BDP + 1.0;
    let period = (D - W / 2.0) * D + (W * W - D * D) / 2.0;
    let expected = [period / PACKETS_A_SECOND, 3.0 / 8.0 * W * W / period];
    for control in ["reno", "sack"] {
        let result = sawtooth(control, 100, 120);
        let windows = series(&result, "/flows/flow/cwnd_packets");
        let goodput = series(&result, "/flows/flow/goodput_bps");
        let falls = falls(&windows);
        let (first, last) = (falls[0], falls[falls.len() - 1]);
        let period = (last - first) as f64 * SAMPLE / (falls.len() - 1) as f64;
        // A packet of 1500 bytes carries 1460 bytes.
        let utilisation = mean(&goodput[first..last]) * 1500.0 / 1460.0 / 1e8;
        println!(
            "small buffer, {control}: period {period:.3} s, utilisation {utilisation:.4}; expected {expected:.4?}"
        );
        for (measured, expected) in [period, utilisation].into_iter().zip(expected) {
            assert!(
                (measured / expected - 1.0).abs() < tolerance("analytic.sawtooth"),
                "{control}: {measured} for {expected}"
            );
        }
    }
}

// The following tests check queueing.

#[test]
fn poisson_arrivals_wait_as_in_an_m_d_1_queue() {
    // The formula of Pollaczek and Khinchin with a constant service time s: the mean wait is rho / (2 (1 -
    // rho)) s, which is 0.5, 2 and 4.5 s at loads of 0.5, 0.8 and 0.9. By Little's law the mean number
    // waiting is the arrival rate times the mean wait.
    for load in [0.5, 0.8, 0.9] {
        let runs: Vec<(f64, f64)> = (1..=SEEDS).into_par_iter().map(|seed| m_d_1(load, seed)).collect();
        let wait = Estimate::of(runs.iter().map(|run| run.0));
        let length = Estimate::of(runs.iter().map(|run| run.1));
        let expected = load / (2.0 * (1.0 - load));
        println!(
            "M/D/1 at {load}: waits {wait} services, expected {expected}; length {length}, expected {}",
            load * expected
        );
        assert!(wait.relative_error() < 0.007, "{wait}");
        let allowed = tolerance("analytic.m_d_1");
        assert!(
            (wait.mean / expected - 1.0).abs() < allowed,
            "load {load}: waits {wait}, expected {expected}"
        );
        assert!((length.mean / (load * expected) - 1.0).abs() < allowed, "load {load}: length {length}");
    }
}

/// Returns the mean wait in service times, and the time average of the number waiting, of a million Poisson
/// arrivals.
fn m_d_1(load: f64, seed: u64) -> (f64, f64) {
    const ARRIVALS: u32 = 1_000_000;
    const SERVICE: f64 = 0.001; // 1000 bytes at 8 Mbit/s
    let parts = LinkParts {
        name: "link".into(),
        from: "a".into(),
        to: "b".into(),
        rate: Rate::from_bits_per_second(8_000_000),
        changes: None,
        delay: Span::ZERO,
        discipline: None,
        impairments: Impairments::default(),
        seed,
    };
    let always = Interval { from: Time::ZERO, to: Time::NEVER };
    let mut link = Link::new(parts, true, always);
    let mut random = Stream::new(seed, "arrivals");
    let (mut seconds, mut waited) = (0.0, 0.0);
    for _ in 0..ARRIVALS {
        seconds += random.exponential(SERVICE / load);
        let now = Time::from_seconds(seconds);
        if let Fate::Arrives { starts, .. } =
            link.offer(&Arrival { now, bytes: 1000, flow: 0, ecn: Ecn::NotCapable })
        {
            waited += starts.since(now).seconds();
        }
    }
    let statistics = link.queue_statistics(Time::from_seconds(seconds));
    (waited / f64::from(ARRIVALS) / SERVICE, statistics.mean_packets)
}

#[test]
fn red_and_tcp_settle_where_their_curves_meet() {
    // 40 flows share R = 100 ms and C = 40 Mbit/s = 5000 packets of 1000 bytes per second, with RED from 50
    // to 450 packets and max_p = 0.02. A flow's window is (R C + q) / 40, and by Mathis's law p = 3/2 /
    // window^2. RED's distance between drops (1/p_b to 2/p_b packets) gives p = 2/3 p_b, with p_b = 0.02 (q -
    // 50) / 400. So q solves 2/3 * 0.02 * (q - 50) / 400 = 1.5 * 40^2 / (500 + q)^2. At q = 208 the left side
    // is 0.005267 and the right side 2400 / 501,264 = 0.004788; at q = 197 they are 0.0049 and 0.004940. So q
    // = 198 and p = 0.00493.
    let scenario = parse(
        "duration = \"100 s\"\nwarmup = \"30 s\"\n\
         [dumbbell]\naccess = { rate = \"100 Gbit/s\", delay = \"0 s\" }\n\
         bottleneck = { rate = \"40 Mbit/s\", delay = \"50 ms\", queue = { name = \"red\", limit = \"2000 packets\", \
         min_threshold = \"50 packets\", max_threshold = \"450 packets\", max_probability = 0.02 } }\n\
         [[flows]]\ncontrol = \"sack\"\ncount = 40\nstart = { uniform = [\"0 s\", \"5 s\"] }\n\
         transport = { name = \"rfc\", packet = \"960 B\", header = \"40 B\", delayed_ack = false }\n",
    );
    let results = run_seeds(&scenario);
    let queue = Estimate::of(results.iter().map(|run| number(run, "/links/0/queue_mean_packets")));
    let drops = Estimate::of(
        results
            .iter()
            .map(|run| number(run, "/links/0/dropped_packets") / number(run, "/links/0/arrived_packets")),
    );
    let fairness = Estimate::of(results.iter().map(|run| number(run, "/fairness")));
    println!(
        "RED with 40 flows: queue {queue}, expected 198; loss {drops}, expected 0.00493; fairness {fairness}"
    );
    assert!((queue.mean / 198.0 - 1.0).abs() < tolerance("analytic.red"), "{queue}");
    assert!((drops.mean / 0.00493 - 1.0).abs() < tolerance("analytic.red"), "{drops}");
    assert!(fairness.mean > 0.98, "{fairness}");
}

// The following tests check bursts of losses.

/// Returns a scenario with a constant bit rate, one packet per millisecond, over a link that loses packets.
fn lossy_constant_rate(loss: &str) -> Scenario {
    parse(&format!(
        "duration = \"100 s\"\n\
         [[links]]\nname = \"forth\"\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Gbit/s\"\ndelay = \"10 ms\"\nloss = {loss}\n\
         [[links]]\nname = \"back\"\nfrom = \"b\"\nto = \"a\"\nrate = \"1 Gbit/s\"\ndelay = \"10 ms\"\n\
         [[flows]]\nname = \"cbr\"\nfrom = \"a\"\nto = \"b\"\n\
         application = {{ name = \"cbr\", rate = \"8 Mbit/s\", packet = \"1000 B\", header = \"0 B\" }}\n"
    ))
}

/// Returns the fraction of packets lost and the mean length of consecutive losses, in a run of 100,000
/// packets.
fn losses_and_bursts(scenario: &Scenario, seed: u64) -> (f64, f64) {
    let mut simulation =
        build::simulation(scenario, seed, Keep { trace: true, ..Keep::default() }, build::measured(scenario));
    simulation.run(&AtomicBool::new(false)).expect("a finished run");
    let trace = simulation.network.trace.as_ref().expect("a trace");
    let fates: Vec<bool> = trace
        .records
        .iter()
        .filter_map(|record| match record.event {
            Event::Corrupted { link: 0 } => Some(true),
            Event::Arrived { link: 0 } => Some(false),
            _ => None,
        })
        .collect();
    let lost = fates.iter().filter(|lost| **lost).count() as f64;
    let bursts = fates.windows(2).filter(|pair| !pair[0] && pair[1]).count() as f64;
    // The result counts the same losses as the trace.
    let result =
        serde_json::to_value(RunResult::of(scenario, seed, &mut simulation)).expect("a result as JSON");
    assert_eq!(number(&result, "/links/0/corrupted_packets"), lost);
    assert_eq!(number(&result, "/flows/0/corrupted_packets"), lost);
    (lost / fates.len() as f64, lost / bursts)
}

#[test]
fn gilbert_losses_have_their_stationary_rate_and_bursts() {
    // In packets, the states last 18 good and 2 bad packets on average: 2 / 20 are lost, 2 at a time. With
    // losses in both states, 0.9 * 0.01 + 0.1 * 0.5 = 0.059 are lost; the mean length of these bursts has no
    // simple form. In time, the states last 18 ms and 2 ms, with a packet per millisecond. A tenth of the
    // time is bad. After a bad packet the next is bad with probability 0.1 + 0.9 exp(-1 ms (1/18 + 1/2)/ms) =
    // 0.1 + 0.9 * 0.573753 = 0.616378: bursts of 1 / 0.383622 = 2.6067. A run of 100,000 packets has about
    // 5000 bursts, all seeds 40,000: standard errors are below 1 %.
    let cases = [
        ("{ name = \"gilbert-packets\", good = \"18 packets\", bad = \"2 packets\" }", 0.1, Some(2.0)),
        (
            "{ name = \"gilbert-packets\", good = \"18 packets\", bad = \"2 packets\", loss_good = 0.01, loss_bad = 0.5 }",
            0.059,
            None,
        ),
        ("{ name = \"gilbert-time\", good = \"18 ms\", bad = \"2 ms\" }", 0.1, Some(2.6067)),
    ];
    for (loss, expected_rate, expected_burst) in cases {
        let scenario = lossy_constant_rate(loss);
        let runs: Vec<(f64, f64)> =
            (1..=SEEDS).into_par_iter().map(|seed| losses_and_bursts(&scenario, seed)).collect();
        let rate = Estimate::of(runs.iter().map(|run| run.0));
        let burst = Estimate::of(runs.iter().map(|run| run.1));
        println!("{loss}: rate {rate}, expected {expected_rate}; burst {burst}, expected {expected_burst:?}");
        let allowed = tolerance("analytic.gilbert");
        assert!((rate.mean / expected_rate - 1.0).abs() < allowed, "{loss}: {rate}");
        if let Some(expected) = expected_burst {
            assert!((burst.mean / expected - 1.0).abs() < allowed, "{loss}: {burst}");
        }
    }
}

// The rest of the file are helpers.

/// A mean over seeds with its standard error.
#[derive(Clone, Copy)]
struct Estimate {
    mean: f64,
    error: f64,
}

impl Estimate {
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let values: Vec<f64> = values.collect();
        let mean = mean(&values);
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let count = values.len() as f64;
        Self { mean, error: (squares / (count - 1.0) / count).sqrt() }
    }

    fn relative_error(&self) -> f64 {
        self.error / self.mean
    }
}

impl std::fmt::Display for Estimate {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:.5} ± {:.1} %", self.mean, 100.0 * self.relative_error())
    }
}

fn parse(text: &str) -> Scenario {
    Scenario::parse(text, "test", &Map::new())
        .unwrap_or_else(|problems| panic!("{}", ackclock_lab::language::diagnostics::render(&problems)))
}

fn run_seeds(scenario: &Scenario) -> Vec<Value> {
    (1..=SEEDS).into_par_iter().map(|seed| result_of(scenario, seed, Keep::default())).collect()
}

fn result_of(scenario: &Scenario, seed: u64, keep: Keep) -> Value {
    let mut simulation = build::simulation(scenario, seed, keep, build::measured(scenario));
    simulation.run(&AtomicBool::new(false)).expect("a finished run");
    serde_json::to_value(RunResult::of(scenario, seed, &mut simulation)).expect("a result as JSON")
}

fn number(result: &Value, pointer: &str) -> f64 {
    result
        .pointer(pointer)
        .and_then(Value::as_f64)
        .unwrap_or_else(|| panic!("no number {pointer} in {result}"))
}
