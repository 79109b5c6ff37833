//! Records the calls of congestion controls in a run and their state after each call: for every
//! acknowledgement, every lost packet, every probe, and the begin and end of every recovery.

use ackclock_base::{Packets, Rate, Span, Time};
use ackclock_cc::observed::{Observer, Shown};
use ackclock_cc::{Ack, Loss, LossSignal, Lost, Phase, Probe, Recovered, Timeout};
use std::sync::{Arc, Mutex, PoisonError};

/// Identifies the control to which a record belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// The index of the row of results that counts the control's flow.
    pub row: usize,
    /// The index of the path that the control is for.
    pub path: u32,
    /// The payload of the flow's packets, in bytes.
    pub packet_bytes: u32,
}

/// A call of a congestion control, with its argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Call {
    /// An acknowledgement arrived.
    Ack(Ack),
    /// A packet was declared lost.
    Lost(Lost),
    /// A recovery began, or the control responded to a mark.
    Reduced(Loss),
    /// The retransmission timer expired.
    TimedOut(Timeout),
    /// The sender found persistent congestion.
    Congested(Timeout),
    /// The sender sent a probe.
    Probed(Probe),
    /// A recovery ended.
    Recovered(Recovered),
}

impl Call {
    /// Returns the time of the call.
    pub fn time(&self) -> Time {
        match self {
            Self::Ack(ack) => ack.now,
            Self::Lost(lost) => lost.now,
            Self::Reduced(loss) => loss.now,
            Self::TimedOut(timeout) | Self::Congested(timeout) => timeout.now,
            Self::Probed(probe) => probe.now,
            Self::Recovered(recovered) => recovered.now,
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Ack(_) => "ack",
            Self::Lost(_) => "lost",
            Self::Reduced(Loss { signal: LossSignal::Ecn, .. }) => "mark",
            Self::Reduced(_) => "reduction",
            Self::TimedOut(_) => "timeout",
            Self::Congested(_) => "persistent-congestion",
            Self::Probed(_) => "probe",
            Self::Recovered(_) => "recovered",
        }
    }
}

/// One call of a control and the control's state after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Record {
    /// The index of the control in [`EventLog::sources`].
    pub source: u32,
    /// The call.
    pub call: Call,
    /// The congestion window after the call.
    pub cwnd: Packets,
    /// The slow start threshold after the call; infinite if the control has none.
    pub ssthresh: Packets,
    /// The pacing rate that the control sets; `None` if it sets none.
    pub pacing_rate: Option<Rate>,
    inside: (usize, usize),
}

/// The records of a run.
#[derive(Debug, Default)]
pub struct EventLog {
    /// The controls that are recorded.
    pub sources: Vec<Source>,
    /// The records, in the order of the calls.
    pub records: Vec<Record>,
    names: Vec<&'static str>,
    inside: Vec<(u16, f64)>,
}

/// Collects the calls of all controls of a run. Clones share one log.
#[derive(Clone, Debug, Default)]
pub struct Recorder(Arc<Mutex<EventLog>>);

impl Recorder {
    /// Adds a control to the log and returns the observer that records the control's calls.
    pub fn observer(&self, source: Source) -> Box<dyn Observer> {
        let number = self.with(|log| {
            log.sources.push(source);
            log.sources.len() as u32 - 1
        });
        Box::new(Listener { recorder: self.clone(), source: number })
    }

    /// Runs a function on the log and returns its value.
    pub fn with<R>(&self, act: impl FnOnce(&mut EventLog) -> R) -> R {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

struct Listener {
    recorder: Recorder,
    source: u32,
}

impl Listener {
    fn note(&self, call: Call, control: &dyn Shown) {
        self.recorder.with(|log| log.note(self.source, call, control));
    }
}

impl Observer for Listener {
    fn acked(&mut self, ack: &Ack, control: &dyn Shown) {
        self.note(Call::Ack(*ack), control);
    }

    fn lost(&mut self, lost: &Lost, control: &dyn Shown) {
        self.note(Call::Lost(*lost), control);
    }

    fn reduced(&mut self, loss: &Loss, control: &dyn Shown) {
        self.note(Call::Reduced(*loss), control);
    }

    fn timed_out(&mut self, timeout: &Timeout, control: &dyn Shown) {
        self.note(Call::TimedOut(*timeout), control);
    }

    fn congested(&mut self, timeout: &Timeout, control: &dyn Shown) {
        self.note(Call::Congested(*timeout), control);
    }

    fn probed(&mut self, probe: &Probe, control: &dyn Shown) {
        self.note(Call::Probed(*probe), control);
    }

    fn recovered(&mut self, recovered: &Recovered, control: &dyn Shown) {
        self.note(Call::Recovered(*recovered), control);
    }
}

impl EventLog {
    fn note(&mut self, source: u32, call: Call, control: &dyn Shown) {
        let Self { records, names, inside, .. } = self;
        let begins = inside.len();
        control.publish(&mut |name, value| {
            let known = names.iter().position(|other| *other == name);
            let id = known.unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            });
            inside.push((id as u16, value));
        });
        let decision = control.decision();
        records.push(Record {
            source,
            call,
            cwnd: decision.cwnd,
            ssthresh: decision.ssthresh,
            pacing_rate: decision.pacing_rate,
            inside: (begins, inside.len()),
        });
    }

    /// Deletes the records but keeps the sources.
    pub fn clear(&mut self) {
        self.records.clear();
        self.inside.clear();
    }

    /// Returns the state of the model of BBR after a call; `None` for a control without one.
    pub fn model_state(&self, record: &Record) -> Option<&'static str> {
        let published = |name: &str| {
            let id = self.names.iter().position(|other| *other == name)?;
            let mut inside = self.inside[record.inside.0..record.inside.1].iter();
            inside.find(|(other, _)| usize::from(*other) == id).map(|(_, value)| *value)
        };
        let index = published("bbr_state")? as usize;
        let states: &[&str] = if published("bbr_phase").is_some() { &BBR_V1 } else { &BBR_V3 };
        states.get(index).copied()
    }

    /// Returns the records as columns.
    pub fn table(&self) -> Table {
        let source = |record: &Record| self.sources[record.source as usize];
        let of = |value: fn(&Record, Source) -> f64| -> Vec<f64> {
            self.records.iter().map(|record| value(record, source(record))).collect()
        };
        let mut numbers: Vec<(String, Vec<f64>)> =
            COLUMNS.iter().map(|(name, value)| ((*name).to_owned(), of(*value))).collect();
        let first_inside = numbers.len();
        for name in &self.names {
            // If a control publishes a value under the name of one of the columns above, the value is the
            // same, and the second column is left out.
            numbers.push(((*name).to_owned(), vec![f64::NAN; self.records.len()]));
        }
        for (row, record) in self.records.iter().enumerate() {
            for (id, value) in &self.inside[record.inside.0..record.inside.1] {
                numbers[first_inside + usize::from(*id)].1[row] = *value;
            }
        }
        let mut seen: Vec<String> = Vec::new();
        numbers.retain(|(name, _)| {
            let is_new = !seen.contains(name);
            seen.push(name.clone());
            is_new
        });
        Table {
            time_ns: self.records.iter().map(|record| record.call.time().nanos()).collect(),
            row: self.records.iter().map(|record| source(record).row).collect(),
            event: self.records.iter().map(|record| record.call.name()).collect(),
            numbers,
        }
    }
}

/// Records as columns.
pub struct Table {
    /// The time of each record, in nanoseconds since the start of the run.
    pub time_ns: Vec<u64>,
    /// For each record, the row of results of the flow.
    pub row: Vec<usize>,
    /// For each record, the name of the call.
    pub event: Vec<&'static str>,
    /// All other columns by name; NaN where a column does not apply to a record.
    pub numbers: Vec<(String, Vec<f64>)>,
}

/// The states of BBR, in the order of the values that the controls publish as `bbr_state`.
const BBR_V1: [&str; 4] = ["startup", "drain", "probe_bw", "probe_rtt"];
const BBR_V3: [&str; 7] =
    ["startup", "drain", "probe_bw_down", "probe_bw_cruise", "probe_bw_refill", "probe_bw_up", "probe_rtt"];

const NONE: f64 = f64::NAN;

fn of_ack(record: &Record, value: impl FnOnce(&Ack) -> f64) -> f64 {
    if let Call::Ack(ack) = &record.call { value(ack) } else { NONE }
}

fn flag(record: &Record, value: impl FnOnce(&Ack) -> bool) -> f64 {
    of_ack(record, |ack| f64::from(u8::from(value(ack))))
}

/// Returns a span in seconds; NaN if it is zero or [`Span::MAX`], which mean that it is unknown.
fn known(span: Span) -> f64 {
    if span == Span::ZERO || span == Span::MAX { NONE } else { span.seconds() }
}

fn seconds(span: Option<Span>) -> f64 {
    span.map_or(NONE, Span::seconds)
}

/// A column: its name, and the function that returns its value for a record.
type Column = (&'static str, fn(&Record, Source) -> f64);

const COLUMNS: [Column; 22] = [
    ("path", |_, source| f64::from(source.path) + 1.0),
    ("packet", |record, _| match record.call {
        Call::Lost(lost) => lost.number as f64,
        Call::Reduced(loss) => loss.lost as f64,
        Call::Probed(probe) => probe.number as f64,
        _ => NONE,
    }),
    ("acked_packets", |record, _| of_ack(record, |ack| ack.newly_acked)),
    ("lost_packets", |record, _| of_ack(record, |ack| ack.newly_lost)),
    ("marked_packets", |record, _| of_ack(record, |ack| f64::from(ack.marks))),
    ("acked_to_packet", |record, _| of_ack(record, |ack| ack.acked_to as f64)),
    ("sent_to_packet", |record, _| of_ack(record, |ack| ack.sent_to as f64)),
    ("delivered_packets", |record, _| match record.call {
        Call::Ack(ack) => ack.delivered,
        Call::Lost(lost) => lost.delivered,
        _ => NONE,
    }),
    ("lost_so_far_packets", |record, _| of_ack(record, |ack| ack.lost)),
    ("inflight_packets", |record, _| match record.call {
        Call::Ack(ack) => ack.inflight,
        Call::Reduced(loss) => loss.inflight,
        Call::TimedOut(timeout) | Call::Congested(timeout) => timeout.inflight,
        Call::Probed(probe) => probe.inflight,
        Call::Lost(_) | Call::Recovered(_) => NONE,
    }),
    ("cwnd_packets", |record, _| record.cwnd),
    ("ssthresh_packets", |record, _| record.ssthresh),
    ("rtt_s", |record, _| of_ack(record, |ack| seconds(ack.rtt))),
    ("smoothed_rtt_s", |record, _| of_ack(record, |ack| known(ack.smoothed_rtt))),
    ("min_rtt_s", |record, _| of_ack(record, |ack| known(ack.min_rtt))),
    ("one_way_delay_s", |record, _| of_ack(record, |ack| seconds(ack.one_way_delay))),
    ("pacing_rate_bps", |record, _| record.pacing_rate.map_or(NONE, |rate| rate.bits_per_second() as f64)),
    ("delivery_rate_bps", |record, source| {
        of_ack(record, |ack| {
            let rate = ack.rate.and_then(|sample| sample.packets_per_second(ack.min_rtt));
            rate.map_or(NONE, |rate| rate * f64::from(source.packet_bytes) * 8.0)
        })
    }),
    ("round_start", |record, _| flag(record, |ack| ack.round_start)),
    ("recovering", |record, _| flag(record, |ack| ack.phase == Phase::Recovery)),
    ("cwnd_limited", |record, _| flag(record, |ack| ack.cwnd_limited)),
    ("app_limited", |record, _| flag(record, |ack| ack.app_limited)),
];
