//! What the congestion controls of a run heard, and what they made of it: a record for every acknowledgement, every packet that
//! was given up, every probe, and every beginning and end of a recovery.

use ackclock_base::{Packets, Rate, Span, Time};
use ackclock_cc::observed::{Observer, Shown};
use ackclock_cc::{Ack, Loss, LossSignal, Lost, Phase, Probe, Recovered, Timeout};
use std::sync::{Arc, Mutex, PoisonError};

/// The control that a record is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// The row of results that its flow is counted in.
    pub row: usize,
    /// The path of the flow that it controls.
    pub path: u32,
    /// Payload bytes of its packets.
    pub packet_bytes: u32,
}

/// What a control heard.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum News {
    /// An acknowledgement.
    Ack(Ack),
    /// A packet was given up.
    Lost(Lost),
    /// A recovery began, or a mark was answered.
    Reduced(Loss),
    /// The retransmission timer expired.
    TimedOut(Timeout),
    /// Persistent congestion was found.
    Congested(Timeout),
    /// A probe was sent.
    Probed(Probe),
    /// A recovery ended.
    Recovered(Recovered),
}

impl News {
    /// When.
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

/// A record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Record {
    /// Whose.
    pub source: u32,
    /// What it heard.
    pub news: News,
    /// Its window after that.
    pub cwnd: Packets,
    /// Its slow start threshold; infinite where there is none.
    pub ssthresh: Packets,
    /// Its own pacing rate, where it has one.
    pub pacing_rate: Option<Rate>,
    inside: (usize, usize),
}

/// The records of a run.
#[derive(Debug, Default)]
pub struct EventLog {
    /// Whose they are.
    pub sources: Vec<Source>,
    /// In the order in which it happened.
    pub records: Vec<Record>,
    names: Vec<&'static str>,
    inside: Vec<(u16, f64)>,
}

/// Where controls are listened to.
#[derive(Clone, Debug, Default)]
pub struct Recorder(Arc<Mutex<EventLog>>);

impl Recorder {
    /// Somebody who listens to a control.
    pub fn observer(&self, source: Source) -> Box<dyn Observer> {
        let number = self.with(|log| {
            log.sources.push(source);
            log.sources.len() as u32 - 1
        });
        Box::new(Listener { recorder: self.clone(), source: number })
    }

    /// Does something with what has been recorded.
    pub fn with<R>(&self, act: impl FnOnce(&mut EventLog) -> R) -> R {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

struct Listener {
    recorder: Recorder,
    source: u32,
}

impl Listener {
    fn note(&self, news: News, control: &dyn Shown) {
        self.recorder.with(|log| log.note(self.source, news, control));
    }
}

impl Observer for Listener {
    fn acked(&mut self, ack: &Ack, control: &dyn Shown) {
        self.note(News::Ack(*ack), control);
    }

    fn lost(&mut self, lost: &Lost, control: &dyn Shown) {
        self.note(News::Lost(*lost), control);
    }

    fn reduced(&mut self, loss: &Loss, control: &dyn Shown) {
        self.note(News::Reduced(*loss), control);
    }

    fn timed_out(&mut self, timeout: &Timeout, control: &dyn Shown) {
        self.note(News::TimedOut(*timeout), control);
    }

    fn congested(&mut self, timeout: &Timeout, control: &dyn Shown) {
        self.note(News::Congested(*timeout), control);
    }

    fn probed(&mut self, probe: &Probe, control: &dyn Shown) {
        self.note(News::Probed(*probe), control);
    }

    fn recovered(&mut self, recovered: &Recovered, control: &dyn Shown) {
        self.note(News::Recovered(*recovered), control);
    }
}

impl EventLog {
    fn note(&mut self, source: u32, news: News, control: &dyn Shown) {
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
            news,
            cwnd: decision.cwnd,
            ssthresh: decision.ssthresh,
            pacing_rate: decision.pacing_rate,
            inside: (begins, inside.len()),
        });
    }

    /// Forgets the records.
    pub fn clear(&mut self) {
        self.records.clear();
        self.inside.clear();
    }

    /// The records as columns.
    pub fn table(&self) -> Table {
        let source = |record: &Record| self.sources[record.source as usize];
        let of = |value: fn(&Record, Source) -> f64| -> Vec<f64> {
            self.records.iter().map(|record| value(record, source(record))).collect()
        };
        let mut numbers: Vec<(String, Vec<f64>)> =
            COLUMNS.iter().map(|(name, value)| ((*name).to_owned(), of(*value))).collect();
        let first_inside = numbers.len();
        for name in &self.names {
            // What a control shows under the name of a column above is the same number.
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
            time_ns: self.records.iter().map(|record| record.news.time().nanos()).collect(),
            row: self.records.iter().map(|record| source(record).row).collect(),
            event: self.records.iter().map(|record| record.news.name()).collect(),
            numbers,
        }
    }
}

/// Records as columns.
pub struct Table {
    /// When.
    pub time_ns: Vec<u64>,
    /// The row of results of the flow.
    pub row: Vec<usize>,
    /// What happened.
    pub event: Vec<&'static str>,
    /// Everything else; not a number where it does not apply.
    pub numbers: Vec<(String, Vec<f64>)>,
}

const NONE: f64 = f64::NAN;

fn of_ack(record: &Record, value: impl FnOnce(&Ack) -> f64) -> f64 {
    if let News::Ack(ack) = &record.news { value(ack) } else { NONE }
}

fn flag(record: &Record, value: impl FnOnce(&Ack) -> bool) -> f64 {
    of_ack(record, |ack| f64::from(u8::from(value(ack))))
}

/// A span that is known: neither zero nor the most there is.
fn known(span: Span) -> f64 {
    if span == Span::ZERO || span == Span::MAX { NONE } else { span.seconds() }
}

fn seconds(span: Option<Span>) -> f64 {
    span.map_or(NONE, Span::seconds)
}

/// A column: its name, and what a record has there.
type Column = (&'static str, fn(&Record, Source) -> f64);

const COLUMNS: [Column; 22] = [
    ("path", |_, source| f64::from(source.path) + 1.0),
    ("packet", |record, _| match record.news {
        News::Lost(lost) => lost.number as f64,
        News::Reduced(loss) => loss.lost as f64,
        News::Probed(probe) => probe.number as f64,
        _ => NONE,
    }),
    ("acked_packets", |record, _| of_ack(record, |ack| ack.newly_acked)),
    ("lost_packets", |record, _| of_ack(record, |ack| ack.newly_lost)),
    ("marked_packets", |record, _| of_ack(record, |ack| f64::from(ack.marks))),
    ("acked_to_packet", |record, _| of_ack(record, |ack| ack.acked_to as f64)),
    ("sent_to_packet", |record, _| of_ack(record, |ack| ack.sent_to as f64)),
    ("delivered_packets", |record, _| match record.news {
        News::Ack(ack) => ack.delivered,
        News::Lost(lost) => lost.delivered,
        _ => NONE,
    }),
    ("lost_so_far_packets", |record, _| of_ack(record, |ack| ack.lost)),
    ("inflight_packets", |record, _| match record.news {
        News::Ack(ack) => ack.inflight,
        News::Reduced(loss) => loss.inflight,
        News::TimedOut(timeout) | News::Congested(timeout) => timeout.inflight,
        News::Probed(probe) => probe.inflight,
        News::Lost(_) | News::Recovered(_) => NONE,
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
