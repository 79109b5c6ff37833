//! One host of a TCP connection whose other host Python code plays, in virtual time.

use crate::here;
use crate::python_class::{Plugin, Stop};
use ackclock_aqm::Ecn;
use ackclock_base::{Span, Time};
use ackclock_lab::transports::tcp_host;
use ackclock_sim::tcp::host as tcp;
use ackclock_sim::tcp::segment::{
    BLOCKS_BESIDE_COUNTERS, Block, ByteCounters, Flags, MAX_SACK_BLOCKS, Segment,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;

/// How many timers expire between two looks for Ctrl-C.
const LOOKS: u64 = 1000;

/// Adds the classes of a host to the module.
pub fn add_classes(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Host>()?;
    module.add_class::<Departure>()?;
    module.add_class::<HostState>()
}

/// One host of the first flow of a scenario, over TCP. Times are whole nanoseconds, data is counted in packets.
#[pyclass(unsendable)]
pub struct Host {
    host: tcp::Host,
    stop: Arc<Stop>,
}

/// A segment that the host has sent.
#[pyclass(frozen, get_all)]
pub struct Departure {
    /// When it was sent.
    at: u64,
    /// "handshake", "data", "probe" (of a closed window) or "acknowledgement".
    kind: &'static str,
    /// The number of the data packet, or the first packet that the acknowledgement has not received in order.
    number: u64,
    /// Whether it is a retransmission.
    again: bool,
    /// Whether it announces that the window has been reduced (CWR of RFC 3168).
    announces_reduction: bool,
    /// The ECN field: "noecn", "ect0", "ect1" or "ce".
    ecn: &'static str,
    /// AE, CWR and ECE of a handshake or an acknowledgement: RFC 9768's field.
    field: u8,
    /// For an acknowledgement, the blocks of packets in the order of the option; the first may be a duplicate.
    blocks: Vec<(u64, u64)>,
    /// For an acknowledgement, the payload bytes that arrived marked and unmarked, if it has RFC 9768's option.
    counters: Option<(u32, u32)>,
    /// For an acknowledgement, the echoed stamp.
    stamp: u64,
}

impl Departure {
    fn of(departure: &tcp::Departure) -> Self {
        let tcp::Departure { at, kind, segment } = *departure;
        let (plain, flags) = (segment.without_counters(), segment.flags);
        let is_probe = kind == tcp::DepartureKind::WindowProbe;
        let is_data = kind == tcp::DepartureKind::Data;
        Self {
            at: at.nanos(),
            kind: match kind {
                tcp::DepartureKind::Handshake => "handshake",
                tcp::DepartureKind::Data => "data",
                tcp::DepartureKind::WindowProbe => "probe",
                tcp::DepartureKind::Acknowledgement => "acknowledgement",
            },
            number: segment.number,
            again: is_data && flags.has(Flags::RETRANSMISSION),
            announces_reduction: is_data && flags.has(Flags::WINDOW_REDUCED),
            ecn: word_of(flags.ecn()),
            field: if is_data || is_probe { 0 } else { flags.field_of_three() },
            blocks: blocks(&plain),
            counters: segment.counters().map(|counters| (counters.marked, counters.unmarked)),
            stamp: segment.stamp.nanos(),
        }
    }
}

/// Returns the blocks of an acknowledgement as ranges of packets.
fn blocks(plain: &Segment) -> Vec<(u64, u64)> {
    let range = |block: &Block| {
        let place = |offset: u32| {
            let offset = u64::from(offset);
            // The offsets of a duplicate below the acknowledgement count downwards.
            if block.start > block.end { plain.number - offset } else { plain.number + offset }
        };
        (place(block.start), place(block.end))
    };
    plain.sack.iter().filter(|block| !block.is_empty()).map(range).collect()
}

/// What the host knows and estimates. Times are nanoseconds, amounts are packets.
#[pyclass(frozen, get_all)]
pub struct HostState {
    /// The state of loss recovery by Linux's names: "Open", "Disorder", "CWR", "Recovery" or "Loss".
    state: &'static str,
    /// The window in force: the control's, or what a proportional reduction allows at present.
    cwnd: f64,
    /// The window of the control.
    control_cwnd: f64,
    /// The slow start threshold; `None` if it is as high as the window allows.
    ssthresh: Option<f64>,
    /// The pacing rate of the control in bits per second; `None` if it has none.
    pacing_rate: Option<u64>,
    /// The first packet not acknowledged cumulatively, and one past the highest packet sent.
    una: u64,
    high: u64,
    /// The packets thought to be in the network.
    inflight: u64,
    /// The packets acknowledged selectively, marked lost, and retransmitted and thought to be in the network.
    sacked: u64,
    lost: u64,
    resent: u64,
    /// The packets delivered, and those that the sender takes to have arrived marked.
    delivered: f64,
    delivered_marked: f64,
    /// The smoothed round trip, its mean deviation (zero before a sample), and the least (`None`).
    srtt: u64,
    rttvar: u64,
    min_rtt: Option<u64>,
    /// The retransmission timeout with its back-off, and how often it expired since the last sample.
    rto: u64,
    expiries: u32,
    /// Counts since the connection began: packets sent, retransmissions, expiries of the retransmission timer, tail
    /// loss probes, recoveries, and probes of a closed window.
    sent: u64,
    retransmitted: u64,
    timeouts: u64,
    probes: u64,
    recoveries: u64,
    window_probes: u64,
    /// For how long the window, the pacer, the receive window and the application have held the sender back.
    limited: (u64, u64, u64, u64),
    /// When the next timer expires; `None` if no timer runs.
    timer: Option<u64>,
    /// The packets received in order, the round trip that the receiver has measured and the window that it
    /// advertises; `None` where it has none.
    received: u64,
    receiver_rtt: Option<u64>,
    receiver_window: Option<u64>,
}

/// An acknowledgement that arrives: its number, its window in packets, the echoed stamp, the blocks, the duplicate
/// that it reports, AE, CWR and ECE, the payload bytes that arrived marked, the number of marked packets, and
/// whether it answers a SYN.
type Acknowledged = (u64, Option<u64>, u64, Vec<(u64, u64)>, Option<(u64, u64)>, u8, Option<u32>, u16, bool);

/// Data that arrives: its number, its stamp, its ECN field, and how many packets the peer knows to be acknowledged,
/// modulo 2^16.
type Arrived = (u64, u64, String, u16);

#[pymethods]
impl Host {
    /// Creates the host of the scenario's first flow. Raises ScenarioError if the scenario is wrong, ValueError if
    /// the flow is not over TCP.
    #[new]
    fn new(py: Python<'_>, text: &str, file: &str, seed: u64, classes: Vec<Plugin>) -> PyResult<Self> {
        let (scenario, stop) = here::scenario(py, (text, file, "{}"), &classes)?;
        let parts = scenario.flows.first().and_then(|group| group.plan.sending.parts());
        let host = parts.and_then(|parts| tcp_host(parts, seed));
        stop.check(py)?;
        let host = host.ok_or_else(|| {
            PyValueError::new_err("the first flow of the scenario does not use TCP, expected a TCP transport")
        })?;
        Ok(Self { host, stop })
    }

    /// Connects: sends a SYN.
    fn connect(&mut self, py: Python<'_>, now: u64) -> PyResult<()> {
        self.host.connect(Time::from_nanos(now));
        self.stop.check(py)
    }

    /// A SYN arrives at the listening host, with its flags AE, CWR and ECE and its ECN field.
    fn on_syn(&mut self, py: Python<'_>, now: u64, field: u8, ecn: &str) -> PyResult<()> {
        let flags = Flags::SYN.with(Flags::of_three(field)).with(of_ecn(ecn)?);
        let now = Time::from_nanos(now);
        self.host.on_syn(now, &Segment { stamp: now, flags, ..Segment::default() });
        self.stop.check(py)
    }

    /// A segment arrives, with an acknowledgement, data or both.
    fn on_segment(
        &mut self,
        py: Python<'_>,
        now: u64,
        acknowledgement: Option<Acknowledged>,
        data: Option<Arrived>,
    ) -> PyResult<()> {
        let acknowledgement = acknowledgement.map(acknowledged).transpose()?;
        let data = data.map(arrived).transpose()?;
        self.host.on_segment(Time::from_nanos(now), acknowledgement.as_ref(), data.as_ref());
        self.stop.check(py)
    }

    /// The application writes this number of packets.
    fn write(&mut self, py: Python<'_>, now: u64, packets: u64) -> PyResult<()> {
        self.host.write(Time::from_nanos(now), packets);
        self.stop.check(py)
    }

    /// The application closes the connection.
    fn close(&mut self, py: Python<'_>, now: u64) -> PyResult<()> {
        self.host.close(Time::from_nanos(now));
        self.stop.check(py)
    }

    /// Makes the host's own interface refuse every packet, or accept them again.
    fn refuse(&mut self, refuses: bool) {
        self.host.refuse(refuses);
    }

    /// Lets the timers expire that are due before `until`, and with `inclusive` also those due then.
    fn run(&mut self, py: Python<'_>, until: u64, inclusive: bool) -> PyResult<()> {
        let until = Time::from_nanos(until);
        for expiry in 1_u64.. {
            let due = self.host.timer();
            if due == Time::NEVER || due > until || due == until && !inclusive {
                break;
            }
            self.host.on_timer(due);
            self.stop.check(py)?;
            if expiry.is_multiple_of(LOOKS) {
                py.check_signals()?;
            }
        }
        Ok(())
    }

    /// Returns what the host has sent since the last call.
    fn take_departures(&mut self) -> Vec<Departure> {
        self.host.take_departures().iter().map(Departure::of).collect()
    }

    /// Returns the state at time `now`.
    fn state(&self, now: u64) -> HostState {
        let (sender, receiver) = (self.host.sender(), self.host.receiver());
        let core = sender.core();
        let (ledger, rtt, counts) = (core.ledger(), core.rtt(), core.counts());
        let decision = core.control().decision();
        let [window, pacing, receive_window, application] =
            core.limits().spans(Time::from_nanos(now)).map(Span::nanos);
        let timer = self.host.timer();
        HostState {
            state: core.state().name(),
            cwnd: core.window(),
            control_cwnd: decision.cwnd,
            ssthresh: decision.ssthresh.is_finite().then_some(decision.ssthresh),
            pacing_rate: decision.pacing_rate.map(|rate| rate.bits_per_second()),
            una: ledger.una(),
            high: ledger.high(),
            inflight: core.inflight(),
            sacked: ledger.sacked(),
            lost: ledger.marked_lost(),
            resent: ledger.resent(),
            delivered: core.delivered(),
            delivered_marked: core.delivered_marked(),
            srtt: rtt.fine().mean.nanos(),
            rttvar: rtt.fine().deviation.nanos(),
            min_rtt: (rtt.min() != Span::MAX).then(|| rtt.min().nanos()),
            rto: core.timeout().nanos(),
            expiries: core.expiries(),
            sent: counts.sent,
            retransmitted: counts.retransmitted,
            timeouts: counts.timeouts,
            probes: counts.probes,
            recoveries: counts.fast_retransmits,
            window_probes: sender.window_probes().unwrap_or(0),
            limited: (window, pacing, receive_window, application),
            timer: (timer < Time::NEVER).then(|| timer.nanos()),
            received: receiver.delivered(),
            receiver_rtt: receiver.rtt().map(Span::nanos),
            receiver_window: receiver.window(),
        }
    }
}

fn acknowledged(given: Acknowledged) -> PyResult<Segment> {
    let (number, window, stamp, blocks, duplicate, field, marked_bytes, count, answers_syn) = given;
    let offset = |packet: u64| u32::try_from(packet.abs_diff(number)).unwrap_or(u32::MAX);
    let block = |(start, end): (u64, u64)| Block { start: offset(start), end: offset(end) };
    let all: Vec<Block> = duplicate.into_iter().chain(blocks).map(block).collect();
    let most = if marked_bytes.is_some() { BLOCKS_BESIDE_COUNTERS } else { MAX_SACK_BLOCKS };
    if all.len() > most {
        return Err(PyValueError::new_err(format!(
            "an acknowledgement with {} SACK blocks, expected at most {most}",
            all.len()
        )));
    }
    let flags = Flags::of_three(field);
    let flags = if answers_syn { flags.with(Flags::SYN) } else { flags };
    let mut segment = Segment { number, stamp: Time::from_nanos(stamp), count, flags, ..Segment::default() };
    segment.sack.iter_mut().zip(all).for_each(|(place, block)| *place = block);
    let segment = window.map_or(segment, |window| segment.advertising(window));
    Ok(match marked_bytes {
        Some(marked) => segment.counting(ByteCounters { marked, unmarked: 0 }),
        None => segment,
    })
}

fn arrived((number, stamp, ecn, count): Arrived) -> PyResult<Segment> {
    Ok(Segment { number, stamp: Time::from_nanos(stamp), count, flags: of_ecn(&ecn)?, ..Segment::default() })
}

/// The ECN fields of a packet by packetdrill's words.
const ECN: [(&str, Ecn); 4] =
    [("noecn", Ecn::NotCapable), ("ect0", Ecn::Classic), ("ect1", Ecn::LowLatency), ("ce", Ecn::Experienced)];

fn of_ecn(word: &str) -> PyResult<Flags> {
    let found = ECN.iter().find(|(known, _)| *known == word);
    let unknown =
        || PyValueError::new_err(format!("{word:?} is not an ECN field, expected noecn, ect0, ect1 or ce"));
    Ok(Flags::of(found.ok_or_else(unknown)?.1))
}

fn word_of(field: Ecn) -> &'static str {
    ECN.iter().find(|(_, known)| *known == field).map_or("noecn", |(word, _)| word)
}
