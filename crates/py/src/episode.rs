//! A run that goes on step by step while an agent outside decides one flow's window or rate.

use crate::{parse_bringing, to_json};
use ackclock_base::{Descriptor, Kind, Packets, Random, Rate, Span, Time, Values};
use ackclock_cc::control::WindowControl;
use ackclock_cc::control::{
    Ack, Change, Control, Decision, EcnResponse, Follows, Initial, Loss, Lost, Sent, Timeout,
};
use ackclock_cc::entry::Brought as BroughtControl;
use ackclock_lab::{Brought, RunResult, Scenario, run as runner};
use ackclock_sim::simulation::Simulation;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The control that does what the agent says.
const AGENT: Descriptor = Descriptor {
    kind: Kind::Control,
    name: "agent",
    summary: "Does what an agent outside of the run decides",
    source: "ackclock.gym",
    parameters: &[],
    presets: &[],
};

/// Taken for the round trip before one is known, in seconds.
const FIRST_RTT_S: f64 = 0.1;

/// What the control hears in an interval, and what it is told.
#[derive(Clone, Copy, Debug, Default)]
struct Exchange {
    begun: bool,
    decision: Option<Decision>,
    heard: Heard,
}

/// What the host told in an interval.
#[derive(Clone, Copy, Debug, Default)]
struct Heard {
    acks: u64,
    delivered: Packets,
    lost: Packets,
    marks: u64,
    losses: u64,
    timeouts: u64,
    rtts: u64,
    rtt_sum_s: f64,
    min_rtt_s: Option<f64>,
    smoothed_rtt_s: f64,
    inflight: Packets,
}

type Shared = Arc<Mutex<Exchange>>;

/// Plain numbers are whole whatever happened to another thread.
fn look(shared: &Shared) -> MutexGuard<'_, Exchange> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Debug)]
struct AgentKind {
    shared: Shared,
    paced: bool,
}

impl BroughtControl for AgentKind {
    fn descriptor(&self) -> &'static Descriptor {
        &AGENT
    }

    fn has_window(&self) -> bool {
        false
    }

    fn build(&self, _values: &Values, initial: &Initial) -> Box<dyn WindowControl> {
        let decision = if self.paced {
            // A rate rules alone: the window does not hold it back. It begins as the initial window in a first round trip would.
            let bits = initial.window * f64::from(initial.packet_bytes) * 8.0 / FIRST_RTT_S;
            let pacing_rate = Some(Rate::from_bits_per_second(bits as u64));
            Decision { pacing_rate, ..Decision::window(initial.limit, f64::INFINITY) }
        } else {
            Decision::window(initial.window, f64::INFINITY)
        };
        look(&self.shared).decision = Some(decision);
        Box::new(Agent { shared: Arc::clone(&self.shared), otherwise: decision })
    }
}

struct Agent {
    shared: Shared,
    otherwise: Decision,
}

impl Control for Agent {
    fn decision(&self) -> Decision {
        look(&self.shared).decision.unwrap_or(self.otherwise)
    }

    fn ecn(&self) -> EcnResponse {
        EcnResponse::Counts
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn follows_sending(&self) -> Follows {
        Follows::Everything
    }

    fn on_sent(&mut self, sent: &Sent, _random: &mut dyn Random) {
        look(&self.shared).heard.inflight = sent.inflight;
    }

    fn on_change(&mut self, change: &Change) {
        look(&self.shared).begun |= matches!(change, Change::Begins);
    }

    fn on_ack(&mut self, ack: &Ack, _random: &mut dyn Random) {
        let heard = &mut look(&self.shared).heard;
        heard.acks += 1;
        heard.delivered += ack.newly_acked;
        heard.marks += u64::from(ack.marks);
        if let Some(rtt) = ack.rtt {
            heard.rtts += 1;
            heard.rtt_sum_s += rtt.seconds();
        }
        heard.min_rtt_s = (ack.min_rtt != Span::MAX).then(|| ack.min_rtt.seconds());
        heard.smoothed_rtt_s = ack.smoothed_rtt.seconds();
        heard.inflight = ack.inflight;
    }

    /// Each packet, whether an acknowledgement or a timer shows its loss.
    fn on_lost(&mut self, lost: &Lost, _random: &mut dyn Random) {
        look(&self.shared).heard.lost += lost.size;
    }

    fn on_loss(&mut self, _loss: &Loss, _random: &mut dyn Random) {
        look(&self.shared).heard.losses += 1;
    }

    fn on_timeout(&mut self, _timeout: &Timeout, _random: &mut dyn Random) {
        look(&self.shared).heard.timeouts += 1;
    }
}

impl WindowControl for Agent {
    fn set_cwnd(&mut self, _cwnd: Packets) {}

    fn set_ssthresh(&mut self, _ssthresh: Packets) {}
}

/// A run of which one flow has the control "agent".
#[pyclass(frozen)]
pub struct Episode {
    scenario: Scenario,
    seed: u64,
    shared: Shared,
    simulation: Mutex<Simulation>,
}

/// Time, whether the flow has begun, whether the run has ended; then what acknowledgements told since the last step: acks,
/// packets delivered and lost, marks, losses that began a recovery, timeouts, mean round trip; and now the least round trip,
/// the smoothed one, packets in flight, the window and the pacing rate.
type Step =
    (f64, bool, bool, (u64, f64, f64, u64, u64, u64, Option<f64>), (Option<f64>, f64, f64, f64, Option<f64>));

#[pymethods]
impl Episode {
    /// ScenarioError when the scenario is wrong. `paced`: whether the agent decides a rate instead of a window.
    #[new]
    fn new(text: &str, file: &str, overrides: &str, seed: u64, paced: bool) -> PyResult<Self> {
        let shared = Shared::default();
        let agent = Arc::new(AgentKind { shared: Arc::clone(&shared), paced });
        let brought = Brought { controls: vec![agent], ..Brought::default() };
        let scenario = parse_bringing(text, file, overrides, brought)?;
        let begun = runner::begin(&scenario, seed, false, &AtomicBool::new(false));
        let simulation = begun.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        Ok(Self { scenario, seed, shared, simulation: Mutex::new(simulation) })
    }

    /// Goes on for so many seconds, with a window in packets or a rate in bits per second where one is given. Lets other
    /// threads of Python run.
    #[pyo3(signature = (seconds, cwnd = None, pacing_rate = None))]
    fn step(
        &self,
        py: Python<'_>,
        seconds: f64,
        cwnd: Option<f64>,
        pacing_rate: Option<f64>,
    ) -> PyResult<Step> {
        {
            let mut exchange = look(&self.shared);
            if let Some(decision) = &mut exchange.decision {
                decision.cwnd = cwnd.unwrap_or(decision.cwnd);
                let rate = pacing_rate.map(|rate| Rate::from_bits_per_second(rate as u64));
                decision.pacing_rate = rate.or(decision.pacing_rate);
            }
        }
        let (now, ended) = py
            .detach(|| {
                let mut simulation =
                    self.simulation.lock().map_err(|_| "another thread has failed".to_owned())?;
                let until = simulation.now() + Span::from_seconds(seconds);
                let gone_on = simulation.run_until(until, &AtomicBool::new(false));
                gone_on.map_err(|error| error.to_string())?;
                let now = simulation.now();
                Ok::<(Time, bool), String>((now, now >= simulation.measured().to))
            })
            .map_err(PyRuntimeError::new_err)?;
        let mut exchange = look(&self.shared);
        let heard = std::mem::take(&mut exchange.heard);
        exchange.heard.min_rtt_s = heard.min_rtt_s;
        exchange.heard.smoothed_rtt_s = heard.smoothed_rtt_s;
        exchange.heard.inflight = heard.inflight;
        let mean_rtt_s = (heard.rtts > 0).then(|| heard.rtt_sum_s / heard.rtts as f64);
        let counts =
            (heard.acks, heard.delivered, heard.lost, heard.marks, heard.losses, heard.timeouts, mean_rtt_s);
        let cwnd = exchange.decision.map_or(0.0, |decision| decision.cwnd);
        let pacing_rate = exchange.decision.and_then(|decision| decision.pacing_rate);
        let pacing_rate = pacing_rate.map(|rate| rate.bits_per_second() as f64);
        Ok((
            now.seconds(),
            exchange.begun,
            ended,
            counts,
            (heard.min_rtt_s, heard.smoothed_rtt_s, heard.inflight, cwnd, pacing_rate),
        ))
    }

    /// The result of the run, at its end, as a JSON object.
    fn result(&self) -> PyResult<String> {
        let simulation = self.simulation.lock();
        let mut simulation = simulation.map_err(|_| PyRuntimeError::new_err("another thread has failed"))?;
        to_json(&RunResult::of(&self.scenario, self.seed, &mut simulation))
    }
}
