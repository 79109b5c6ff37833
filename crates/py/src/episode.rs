//! Runs a scenario step by step while an agent outside the run decides one flow's window or rate.

use crate::{parse_with, to_json};
use ackclock_base::{Descriptor, Kind, Packets, Random, Rate, Span, Time, Values};
use ackclock_cc::control::WindowControl;
use ackclock_cc::control::{
    Ack, Change, Control, Decision, EcnResponse, Follows, Initial, Loss, Lost, Properties, Sent, Timeout,
};
use ackclock_cc::entry::Plugin as PluginControl;
use ackclock_lab::{Plugins, RunResult, Scenario, run as runner};
use ackclock_sim::simulation::Simulation;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The control that uses the agent's decisions.
const AGENT: Descriptor = Descriptor {
    kind: Kind::Control,
    name: "agent",
    summary: "Uses the window or the pacing rate that an agent outside the simulator sets",
    source: "ackclock.gym",
    parameters: &[],
    presets: &[],
};

/// The message of calls after a panic in the simulation.
const FAILED: &str = "an earlier call failed, so the simulation cannot continue; start a new run";

/// The round-trip time that is assumed until one has been measured, in seconds.
const FIRST_RTT_S: f64 = 0.1;

/// What the control and the agent exchange in a step: whether the flow has begun, the agent's decision, and
/// what the control has heard.
#[derive(Clone, Copy, Debug, Default)]
struct Exchange {
    begun: bool,
    decision: Option<Decision>,
    heard: Heard,
}

/// Sums over the events of the control in one step.
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

/// Locks the exchange. It holds plain numbers, which are valid even if another thread panicked.
fn look(shared: &Shared) -> MutexGuard<'_, Exchange> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Debug)]
struct AgentKind {
    shared: Shared,
    paced: bool,
}

impl PluginControl for AgentKind {
    fn descriptor(&self) -> &'static Descriptor {
        &AGENT
    }

    fn has_window(&self) -> bool {
        false
    }

    fn build(&self, _values: &Values, initial: &Initial) -> Box<dyn WindowControl> {
        let decision = if self.paced {
            // With a rate, the window does not limit the flow. The first rate sends the initial window in the
            // assumed first round trip.
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

    fn properties(&self) -> Properties {
        Properties { ecn: EcnResponse::Counts, shared: true, follows: Follows::Everything }
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

    /// Counts each lost packet, whether an acknowledgement or a timer revealed the loss.
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

/// A run in which one flow has the control "agent".
#[pyclass(frozen)]
pub struct Episode {
    scenario: Scenario,
    seed: u64,
    shared: Shared,
    simulation: Mutex<Simulation>,
}

/// The outcome of a step. First the time, whether the flow has begun and whether the run has ended. Then sums
/// over the step: acknowledgements, packets delivered and lost, marks, losses that began a recovery, timeouts
/// and the mean round trip. Then the state at the end of the step: minimum and smoothed round trip, packets
/// in flight, window and pacing rate.
type Step =
    (f64, bool, bool, (u64, f64, f64, u64, u64, u64, Option<f64>), (Option<f64>, f64, f64, f64, Option<f64>));

#[pymethods]
impl Episode {
    /// Begins a run. With ``paced`` the agent decides a rate instead of a window. Raises ScenarioError if the
    /// scenario is wrong.
    #[new]
    fn new(text: &str, file: &str, overrides: &str, seed: u64, paced: bool) -> PyResult<Self> {
        let shared = Shared::default();
        let agent = Arc::new(AgentKind { shared: Arc::clone(&shared), paced });
        let plugins = Plugins { controls: vec![agent], ..Plugins::default() };
        let scenario = parse_with(text, file, overrides, &plugins)?;
        let begun = runner::begin(&scenario, seed, false, &AtomicBool::new(false));
        let simulation = begun.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        Ok(Self { scenario, seed, shared, simulation: Mutex::new(simulation) })
    }

    /// Simulates this number of seconds, with a new window in packets or a new rate in bits per second if one
    /// is given. Lets other threads of Python run.
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
                let mut simulation = self.simulation.lock().map_err(|_| FAILED.to_owned())?;
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

    /// Returns the result of the run as a JSON object, at the end of the run.
    fn result(&self) -> PyResult<String> {
        let simulation = self.simulation.lock();
        let mut simulation = simulation.map_err(|_| PyRuntimeError::new_err(FAILED))?;
        to_json(&RunResult::of(&self.scenario, self.seed, &mut simulation))
    }
}
