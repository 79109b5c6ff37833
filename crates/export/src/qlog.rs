//! Writes what a sender sends, receives and decides as qlog: a file of JSON text sequences (RFC 7464) with
//! the events of QUIC.
//!
//! The version is 0.3 (draft-ietf-quic-qlog-main-schema-03, draft-ietf-quic-qlog-quic-events-03), the last
//! one that qvis opens; later drafts have another header and other names of events.
//!
//! That version has no events for TCP, so TCP flows are written with the events of QUIC. The packet number is
//! the number of the segment, which a retransmission repeats; data are frames of stream 0; an acknowledgement
//! is an ACK frame with all numbers that it acknowledges, cumulatively and selectively; packets of the
//! handshake have the type "initial". If the receiving application reads slowly, the right edge of the
//! advertised window is a MAX_DATA frame, and a window probe is a DATA_BLOCKED frame.
//!
//! QUIC's packets with flow control frames have packet numbers from a sequence of their own, apart from that
//! of packets with data.

use crate::dialect::Pair;
use crate::events::{Call, Record, Source};
use ackclock_base::{Span, Time};
use ackclock_cc::LossSignal;
use ackclock_sim::capture::Captured;
use serde::Serialize;
use std::io::{self, Write};

/// The header of a file. Version and format come first, because by them qvis recognises a file whose name
/// does not end in `.sqlog`.
#[derive(Serialize)]
struct FileHeader<'a> {
    qlog_version: &'static str,
    qlog_format: &'static str,
    title: &'a str,
    description: &'a str,
    trace: Trace<'a>,
}

#[derive(Serialize)]
struct Trace<'a> {
    title: &'a str,
    vantage_point: VantagePoint,
    common_fields: CommonFields,
}

#[derive(Serialize)]
struct VantagePoint {
    name: &'static str,
    r#type: &'static str,
}

#[derive(Serialize)]
struct CommonFields {
    protocol_type: [&'static str; 1],
    time_format: &'static str,
    reference_time: f64,
}

#[derive(Serialize)]
struct Event<D> {
    time: f64,
    name: &'static str,
    data: D,
}

#[derive(Serialize)]
struct Header {
    packet_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    packet_number: Option<u64>,
}

#[derive(Serialize)]
struct Raw {
    length: u64,
}

/// A frame of a packet.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "frame_type", rename_all = "snake_case")]
pub enum Frame {
    /// Data of a stream.
    Stream {
        /// The stream.
        stream_id: u64,
        /// The place of the first byte in the stream.
        offset: u64,
        /// The number of bytes.
        length: u64,
    },
    /// An acknowledgement.
    Ack {
        /// How long the receiver held it back, in milliseconds.
        #[serde(skip_serializing_if = "Option::is_none")]
        ack_delay: Option<f64>,
        /// The first and the last number of each range.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        acked_ranges: Vec<[u64; 2]>,
        /// How many packets have arrived marked.
        #[serde(skip_serializing_if = "Option::is_none")]
        ce: Option<u64>,
    },
    /// How far the receiver allows data.
    MaxData {
        /// The bytes of all data allowed.
        maximum: u64,
    },
    /// The sender has more data than is allowed.
    DataBlocked {
        /// The bytes of all data allowed.
        limit: u64,
    },
}

#[derive(Serialize)]
struct Packet {
    header: Header,
    raw: Raw,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    frames: Vec<Frame>,
}

#[derive(Serialize)]
struct LostPacket {
    header: Header,
    #[serde(skip_serializing_if = "Option::is_none")]
    trigger: Option<&'static str>,
}

#[derive(Clone, Copy, Default, PartialEq, Serialize)]
struct Metrics {
    #[serde(skip_serializing_if = "Option::is_none")]
    min_rtt: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    smoothed_rtt: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    latest_rtt: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    congestion_window: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes_in_flight: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ssthresh: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    packets_in_flight: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pacing_rate: Option<u64>,
}

impl Metrics {
    /// Returns only the metrics that differ from those before.
    fn since(self, before: Self) -> Self {
        fn new<T: PartialEq>(now: Option<T>, before: Option<T>) -> Option<T> {
            now.filter(|now| before.as_ref() != Some(now))
        }
        Self {
            min_rtt: new(self.min_rtt, before.min_rtt),
            smoothed_rtt: new(self.smoothed_rtt, before.smoothed_rtt),
            latest_rtt: new(self.latest_rtt, before.latest_rtt),
            congestion_window: new(self.congestion_window, before.congestion_window),
            bytes_in_flight: new(self.bytes_in_flight, before.bytes_in_flight),
            ssthresh: new(self.ssthresh, before.ssthresh),
            packets_in_flight: new(self.packets_in_flight, before.packets_in_flight),
            pacing_rate: new(self.pacing_rate, before.pacing_rate),
        }
    }
}

#[derive(Serialize)]
struct StateChange {
    old: &'static str,
    new: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    trigger: Option<&'static str>,
}

#[derive(Serialize)]
struct LossTimer {
    timer_type: &'static str,
    event_type: &'static str,
}

/// The event of a probe timeout, and in a TCP flow also of an expired retransmission timer.
const EXPIRED: LossTimer = LossTimer { timer_type: "pto", event_type: "expired" };

const SLOW_START: &str = "slow_start";
const AVOIDANCE: &str = "congestion_avoidance";
const RECOVERY: &str = "recovery";

/// Writes the file of a flow.
pub struct QlogFile<W: Write> {
    writer: W,
    metrics: Metrics,
    state: &'static str,
    in_timeout: bool,
    has_model: bool,
    /// The number of events written.
    pub events: u64,
}

impl<W: Write> QlogFile<W> {
    /// Begins the file of a flow with this name. `about` describes the run.
    pub fn new(mut writer: W, name: &str, about: &str, pair: &Pair) -> io::Result<Self> {
        let protocol = pair.dialect.qlog_name().unwrap_or("QUIC");
        let header = FileHeader {
            qlog_version: "0.3",
            qlog_format: "JSON-SEQ",
            title: name,
            description: about,
            trace: Trace {
                title: name,
                vantage_point: VantagePoint { name: "the sender's end", r#type: "client" },
                common_fields: CommonFields {
                    protocol_type: [protocol],
                    time_format: "relative",
                    // Milliseconds since 1970. A run has no date, so it begins at zero, as captures do.
                    reference_time: 0.0,
                },
            },
        };
        write(&mut writer, &header)?;
        Ok(Self {
            writer,
            metrics: Metrics::default(),
            state: SLOW_START,
            in_timeout: false,
            has_model: false,
            events: 0,
        })
    }

    /// Adds a packet that was captured at the sender. Packets of SCTP and UDP flows are left out.
    pub fn add_packet(&mut self, pair: &Pair, captured: &Captured) -> io::Result<()> {
        let name = if captured.path.is_multiple_of(2) {
            "transport:packet_sent"
        } else {
            "transport:packet_received"
        };
        let Some(packet) = pair.dialect.qlog_packet(captured) else { return Ok(()) };
        let QlogPacket { packet_type, number: packet_number, frames } = packet;
        let header = Header { packet_type, packet_number };
        let raw = Raw { length: u64::from(pair.dialect.qlog_bytes(captured)) };
        self.put(captured.time, name, Packet { header, raw, frames })
    }

    /// Adds a call of the flow's control, with the state after it. `model` is the state of a control with a
    /// model of the path, which then takes the place of the states of a window.
    pub fn add_record(
        &mut self,
        record: &Record,
        source: Source,
        model: Option<&'static str>,
    ) -> io::Result<()> {
        let now = record.call.time();
        self.has_model = model.is_some();
        match &record.call {
            Call::Lost(lost) => {
                let header = Header { packet_type: "1RTT", packet_number: Some(lost.number) };
                let trigger = self.in_timeout.then_some("pto_expired");
                self.put(now, "recovery:packet_lost", LostPacket { header, trigger })?;
            }
            Call::Ack(_) => {
                self.in_timeout = false;
                let below = record.cwnd < record.ssthresh;
                if self.state != RECOVERY {
                    self.change(now, if below { SLOW_START } else { AVOIDANCE }, None)?;
                }
            }
            Call::Reduced(loss) => {
                let ecn = (loss.signal == LossSignal::Ecn).then_some("ECN");
                // After the response to a mark there is nothing to retransmit, so no recovery begins.
                let new = if ecn.is_some() { AVOIDANCE } else { RECOVERY };
                self.change(now, new, ecn)?;
            }
            Call::Congested(_) => self.change(now, SLOW_START, Some("persistent_congestion"))?,
            Call::Probed(_) => self.put(now, "recovery:loss_timer_updated", EXPIRED)?,
            Call::TimedOut(_) => {
                self.put(now, "recovery:loss_timer_updated", EXPIRED)?;
                self.in_timeout = true;
                self.change(now, SLOW_START, None)?;
            }
            Call::Recovered(_) => {
                let below = record.cwnd < record.ssthresh;
                self.change(now, if below { SLOW_START } else { AVOIDANCE }, None)?;
            }
        }
        if let Some(state) = model {
            self.put_change(now, state, None)?;
        }
        self.tell_metrics(record, source)
    }

    fn tell_metrics(&mut self, record: &Record, source: Source) -> io::Result<()> {
        let bytes = |packets: f64| (packets * f64::from(source.packet_bytes)).round() as u64;
        let known =
            |span: Span| Some(span).filter(|span| *span > Span::ZERO && *span < Span::MAX).map(millis);
        let mut metrics = Metrics {
            congestion_window: Some(bytes(record.cwnd)),
            ssthresh: record.ssthresh.is_finite().then(|| bytes(record.ssthresh)),
            pacing_rate: record.pacing_rate.map(|rate| rate.bits_per_second()),
            ..self.metrics
        };
        if let Call::Ack(ack) = &record.call {
            metrics.min_rtt = known(ack.min_rtt);
            metrics.smoothed_rtt = known(ack.smoothed_rtt);
            metrics.latest_rtt = ack.rtt.map(millis).or(metrics.latest_rtt);
            metrics.bytes_in_flight = Some(bytes(ack.inflight));
            metrics.packets_in_flight = Some(ack.inflight.round() as u64);
        }
        let changed = metrics.since(self.metrics);
        self.metrics = metrics;
        if changed == Metrics::default() {
            return Ok(());
        }
        self.put(record.call.time(), "recovery:metrics_updated", changed)
    }

    /// Changes the state of a window, if that is what the control has.
    fn change(&mut self, now: Time, new: &'static str, trigger: Option<&'static str>) -> io::Result<()> {
        if self.has_model { Ok(()) } else { self.put_change(now, new, trigger) }
    }

    fn put_change(&mut self, now: Time, new: &'static str, trigger: Option<&'static str>) -> io::Result<()> {
        let old = std::mem::replace(&mut self.state, new);
        if old == new && trigger.is_none() {
            return Ok(());
        }
        self.put(now, "recovery:congestion_state_updated", StateChange { old, new, trigger })
    }

    /// Flushes the file and returns the writer.
    pub fn finish(mut self) -> io::Result<W> {
        self.writer.flush()?;
        Ok(self.writer)
    }

    fn put(&mut self, now: Time, name: &'static str, data: impl Serialize) -> io::Result<()> {
        self.events += 1;
        write(&mut self.writer, &Event { time: now.nanos() as f64 / 1e6, name, data })
    }
}

pub(crate) fn millis(span: Span) -> f64 {
    span.nanos() as f64 / 1e6
}

fn write(writer: &mut impl Write, record: &impl Serialize) -> io::Result<()> {
    writer.write_all(b"\x1e")?;
    serde_json::to_writer(&mut *writer, record)?;
    writer.write_all(b"\n")
}

/// What is said of a packet.
#[derive(Clone, Debug)]
pub struct QlogPacket {
    /// The type of the packet.
    pub packet_type: &'static str,
    /// Its number; `None` for one that has none.
    pub number: Option<u64>,
    /// Its frames.
    pub frames: Vec<Frame>,
}

impl QlogPacket {
    /// A packet of a handshake.
    pub fn initial() -> Self {
        Self { packet_type: "initial", number: None, frames: Vec::new() }
    }

    /// A packet after the handshake.
    pub fn usual(number: Option<u64>, frames: Vec<Frame>) -> Self {
        Self { packet_type: "1RTT", number, frames }
    }

    /// A packet after the handshake with this piece of the data of stream 0, of this number of bytes.
    pub fn data(number: u64, piece: u64, bytes: u32) -> Self {
        let length = u64::from(bytes);
        let frame = Frame::Stream { stream_id: 0, offset: piece * length, length };
        Self::usual(Some(number), vec![frame])
    }
}
