//! Tests of both ends of connections whose application reads slowly, over a wire of 50 ms in each direction
//! without a queue. Each test chooses the packets that the wire drops.

use super::ReaderOptions;
use crate::endpoint::{Ends, Launch, Outbox};
use crate::packet::{Extension, Extensions, Packet};
use crate::quic::datagram::{CreditKind, Datagram, Reader as QuicReader};
use crate::random::Stream;
use crate::sctp::message::{Message, Reader as SctpReader};
use crate::sctp::{self, options::Options as SctpOptions};
use crate::tcp::segment::{Flags, Segment};
use crate::timeline::Timeline;
use crate::transmission::{Changes, Manner};
use crate::{quic, tcp};
use ackclock_base::{Random, Rate, Span, Time, Values};
use ackclock_cc::{Assembly, Controller, Exponential, Initial};
use std::collections::BTreeMap;

const DELAY: Span = Span::from_millis(50);

/// The meaning of a packet, in terms common to all transports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    /// Data at this position of the stream.
    Data(u64),
    /// A probe of the window, or a report that the sender is blocked by it.
    Probe,
    /// A window: one past the last position of the stream for which the receiver has room.
    Edge(u64),
    /// Any other packet.
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Transport {
    Tcp,
    Quic,
    Sctp,
}

/// The wire, and the record of its packets.
struct Wire {
    transport: Transport,
    now: Time,
    under_way: BTreeMap<(Time, u64), (usize, Packet)>,
    count: u64,
    extensions: Extensions,
    drops: Box<dyn FnMut(Time, Says) -> bool>,
    seen: Vec<(Time, Says)>,
    /// The highest edge that has reached the sender, and the number of packets that the application has read.
    edge: u64,
    read: u64,
    /// One past the highest position of data that has been sent.
    sent: u64,
    /// Whether all data that is sent must lie within the receiver's window. Not after a drop with SCTP,
    /// because RFC 9260 section 6.2.1 rule C gives the room of lost chunks to others.
    is_bounded: bool,
}

struct Port<'a>(&'a mut Wire, usize);

impl Port<'_> {
    fn says(&self, packet: &Packet, from: usize) -> Says {
        match self.0.transport {
            Transport::Tcp => {
                let segment = Segment::read(packet, self);
                match from {
                    _ if segment.flags.has(Flags::WINDOW_PROBE) => Says::Probe,
                    0 => Says::Data(segment.number),
                    _ => segment
                        .advertised()
                        .map_or(Says::Other, |window| Says::Edge(segment.number + u64::from(window))),
                }
            }
            Transport::Quic => match QuicReader::default().read(packet, self) {
                Datagram::Data(data) => Says::Data(data.piece),
                Datagram::Credit(credit) => match credit.kind {
                    CreditKind::MaxData(limit) => Says::Edge(limit),
                    CreditKind::DataBlocked(_) => Says::Probe,
                    CreditKind::Acknowledged => Says::Other,
                },
                _ => Says::Other,
            },
            Transport::Sctp => match SctpReader::default().read(packet, self) {
                Message::Data(data) if data.tsn + 1 == self.0.sent && data.tsn < self.0.edge => {
                    Says::Probe // or a repetition of the last chunk
                }
                Message::Data(data) => Says::Data(data.tsn),
                Message::Sack(sack) => Says::Edge(sack.cumulative + u64::from(sack.window / 1452)),
                Message::Control(_) => Says::Other,
            },
        }
    }
}

impl Outbox for Port<'_> {
    fn send(&mut self, _: usize, packet: Packet) -> Launch {
        let says = self.says(&packet, self.1);
        let Self(wire, from) = self;
        wire.seen.push((wire.now, says));
        if let Says::Data(place) = says {
            let is_allowed = place < wire.edge || !wire.is_bounded;
            assert!(
                is_allowed,
                "packet number {place} was sent at {}, but the receiver allowed only packet numbers below {}",
                wire.now, wire.edge
            );
            wire.sent = wire.sent.max(place + 1);
        }
        if (wire.drops)(wire.now, says) {
            wire.is_bounded &= wire.transport != Transport::Sctp;
        } else {
            wire.count += 1;
            wire.under_way.insert((wire.now + DELAY, wire.count), (1 - *from, packet));
        }
        Launch::Sent
    }

    fn send_extended(&mut self, path: usize, mut packet: Packet, extension: Extension) -> Launch {
        packet.extension = self.0.extensions.keep(extension);
        self.send(path, packet)
    }

    fn send_long(&mut self, path: usize, mut packet: Packet, words: &[u64]) -> Launch {
        packet.extension = self.0.extensions.keep_long(words);
        self.send(path, packet)
    }

    fn long_extension(&self, packet: &Packet, words: &mut Vec<u64>) {
        self.0.extensions.read_long(packet, words);
    }

    fn extension(&self, packet: &Packet) -> Extension {
        self.0.extensions.of(packet)
    }

    fn received(&mut self, _: Option<Time>, packets: u64, _: u64) {
        self.0.read += packets;
    }

    fn done(&mut self) {}
}

struct Run {
    ends: Ends,
    wire: Wire,
}

impl Run {
    /// Begins a connection with `packets` packets to send; [`u64::MAX`] for endless data.
    fn begin(
        transport: Transport,
        settings: &[(&str, &str)],
        reader: ReaderOptions,
        packets: u64,
        drops: impl FnMut(Time, Says) -> bool + 'static,
    ) -> Self {
        let (ends, edge) = ends(transport, settings, reader, packets);
        let wire = Wire {
            transport,
            now: Time::ZERO,
            under_way: BTreeMap::new(),
            count: 0,
            extensions: Extensions::default(),
            drops: Box::new(drops),
            seen: Vec::new(),
            edge,
            read: 0,
            sent: 0,
            is_bounded: true,
        };
        let mut run = Self { ends, wire };
        run.ends[1].start(Time::ZERO, &mut Port(&mut run.wire, 1));
        run.ends[0].start(Time::ZERO, &mut Port(&mut run.wire, 0));
        run
    }

    fn until(&mut self, until: Time) {
        let Self { ends, wire } = self;
        loop {
            let arrival = wire.under_way.keys().next().map_or(Time::NEVER, |(at, _)| *at);
            let timers = [ends[0].timer(), ends[1].timer()];
            let next = arrival.min(timers[0]).min(timers[1]);
            if next >= until {
                return;
            }
            wire.now = next.max(wire.now);
            if let Some(end) = (0..2).find(|end| timers[*end] == next) {
                ends[end].on_timer(wire.now, &mut Port(wire, end));
                continue;
            }
            let Some((_, (end, packet))) = wire.under_way.pop_first() else { return };
            if let (0, Says::Edge(edge)) = (end, Port(wire, 1).says(&packet, 1)) {
                wire.edge = wire.edge.max(edge);
            }
            ends[end].on_packet(wire.now, 0, &packet, &mut Port(wire, end));
            wire.extensions.forget(&packet);
        }
    }

    /// Returns the times in milliseconds at which packets were sent for which `of` is true.
    fn times(&self, of: impl Fn(Says) -> bool) -> Vec<f64> {
        let seen = self.wire.seen.iter().filter(|(_, says)| of(*says));
        seen.map(|(at, _)| at.nanos() as f64 / 1e6).collect()
    }

    fn probes(&self) -> Vec<f64> {
        self.times(|says| says == Says::Probe)
    }
}

fn ends(transport: Transport, settings: &[(&str, &str)], reader: ReaderOptions, packets: u64) -> (Ends, u64) {
    let control = |initial: &Initial, name: &str| -> Controller {
        let entry = ackclock_cc::registry::find(name).unwrap();
        Assembly::new(entry, &entry.descriptor.defaults(), None, None).join(initial)
    };
    let settings = [&[("handshake", "false")], settings].concat();
    let backoff = || Box::new(Exponential { most: 65_536.0 });
    let random = || Stream::new(1, "guesses");
    match transport {
        Transport::Tcp => {
            let name = if settings.contains(&("receive_window", "autotuned")) { "linux" } else { "rfc" };
            let values = Values::with(tcp::options::find(name).unwrap(), &settings);
            let mut options = tcp::options::Options::new(&values, None);
            options.reader = Some(reader);
            let edge = options.recovery.window;
            let control = control(&options.initial(), "newreno");
            let (backoff, random) = (backoff(), random());
            let connection = tcp::connection::Connection { options, control, backoff, packets, random };
            (connection.ends(), edge)
        }
        Transport::Quic => {
            let settings = [&[("pacing", "false")], &settings[..]].concat();
            let mut options =
                quic::options::Options::new(&Values::with(&quic::options::PROFILES[0], &settings));
            options.reader = Some(reader);
            let edge = options.recovery.window;
            let control = control(&options.initial(), "newreno");
            let (backoff, random) = (backoff(), random());
            let connection =
                quic::connection::Connection { options, control, backoff, pieces: packets, random };
            (connection.ends(), edge)
        }
        Transport::Sctp => {
            let values = Values::with(&sctp::options::PROFILES[0], &settings);
            let options = SctpOptions { reader: Some(reader), ..SctpOptions::new(&values) };
            let edge = options.details.receive_window.bytes() / 1452;
            let path = (control(&options.initial(), "sctp"), backoff() as Box<_>, random());
            let entry = &ackclock_cc::registry::SELECTORS[0];
            let connection = sctp::connection::Connection {
                paths: vec![path],
                selector: (entry.build)(&entry.descriptor.defaults(), 1),
                chunks: packets,
                random: random(),
                options,
            };
            (connection.ends(), edge)
        }
    }
}

fn at(ms: f64) -> Time {
    Time::from_seconds(ms / 1e3)
}

const READ: Rate = Rate::from_bits_per_second(8_000_000);

/// Returns a reader that reads nothing for 10 s, and then 8 Mbit/s: 1000 B in 1 ms, 1452 B in 1.452 ms.
fn from_10_s_on() -> ReaderOptions {
    let rates = Timeline::steps(Rate::default(), [(at(10_000.0), READ)]);
    ReaderOptions {
        rate: READ,
        changes: Some(Changes { rates, manner: Manner::BitByBit, outage: None, nominal: READ }),
    }
}

/// Returns the settings of a buffer of `packets` packets, of 1000 B, or 1452 B with SCTP.
fn buffer(transport: Transport, packets: u64) -> Vec<(&'static str, &'static str)> {
    let leak = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    match transport {
        Transport::Sctp => vec![("receive_window", leak(format!("{} B", packets * 1452)))],
        Transport::Quic => vec![("window", leak(format!("{packets} packets"))), ("packet", "1000 B")],
        Transport::Tcp => vec![
            ("window", leak(format!("{packets} packets"))),
            ("packet", "1000 B"),
            ("delayed_ack", "false"),
        ],
    }
}

fn stopped(transport: Transport, packets: u64, drops: impl FnMut(Time, Says) -> bool + 'static) -> Run {
    let mut run = Run::begin(transport, &buffer(transport, packets), from_10_s_on(), u64::MAX, drops);
    run.until(at(16_000.0));
    run
}

/// Returns when the data at a position of the stream was first sent, in milliseconds.
fn leaves(run: &Run, place: u64) -> f64 {
    run.times(|says| says == Says::Data(place))[0]
}

#[test]
fn tcp_probes_a_closed_window_and_hears_when_it_opens() {
    // Four packets fill the buffer, and the last acknowledgement arrives at 100 ms with a window of zero. The
    // RTO is 1 s, its minimum: probes follow after 1, 2 and 4 s, at 1.1, 3.1 and 7.1 s; the next would be
    // sent at 15.1 s. The first packet has been read at 10.001 s, and an acknowledgement with a window of one
    // arrives at 10.051 s. Further updates are sent when two and when four packets have been read, and arrive
    // at 10.052 and 10.054 s.
    let run = stopped(Transport::Tcp, 4, |_, _| false);
    assert_eq!(run.probes(), [1100.0, 3100.0, 7100.0]);
    assert_eq!(run.times(|says| says == Says::Edge(5))[0], 10_001.0);
    assert_eq!(leaves(&run, 3), 0.0);
    assert_eq!([4, 5, 6, 7].map(|place| leaves(&run, place)), [10_051.0, 10_052.0, 10_054.0, 10_054.0]);
}

#[test]
fn tcp_repairs_a_lost_window_update_by_its_persist_timer() {
    // The buffer holds one packet. The only acknowledgement that opens it is sent at 10.001 s and lost. The
    // fourth probe is sent at 15.1 s, and its answer arrives at 15.2 s.
    let run = stopped(Transport::Tcp, 1, |now, _| now == at(10_001.0));
    assert_eq!(run.probes(), [1100.0, 3100.0, 7100.0, 15_100.0]);
    assert_eq!(run.times(|says| says == Says::Edge(2))[0], 10_001.0);
    assert_eq!(leaves(&run, 1), 15_200.0);
}

#[test]
fn tcp_probes_at_least_once_per_maximum_timeout() {
    // The intervals are 1, 2, 4, 8, 16 and 32 s, then 60 s each (RFC 6298 section 2.5): probes at 1.1, 3.1,
    // 7.1, 15.1, 31.1, 63.1, 123.1 and 183.1 s.
    let rates = Timeline::steps(Rate::default(), [(at(1e6), READ)]);
    let changes = Changes { rates, manner: Manner::BitByBit, outage: None, nominal: READ };
    let reader = ReaderOptions { rate: READ, changes: Some(changes) };
    let mut run = Run::begin(Transport::Tcp, &buffer(Transport::Tcp, 4), reader, u64::MAX, |_, _| false);
    run.until(at(200_000.0));
    assert_eq!(run.probes(), [1.1, 3.1, 7.1, 15.1, 31.1, 63.1, 123.1, 183.1].map(|s: f64| (s * 1e3).round()));
}

#[test]
fn quic_reports_that_it_is_blocked_and_uses_a_raised_limit() {
    // Four pieces use up the limit at once, and DATA_BLOCKED is sent with them. The two acknowledgements
    // arrive at 100 ms. Two samples of 100 ms give a deviation of 37.5 ms and a probe timeout of 100 + 150 +
    // 25 = 275 ms. DATA_BLOCKED is repeated at 375 ms, and after 550, 1100, 2200 and 4400 ms: at 925, 2025,
    // 4225 and 8625 ms; the next would be at 17.425 s. Half of the window has been read at 10.002 s, and
    // MAX_DATA for six pieces arrives at 10.052 s. The new limit is used up at once, with another
    // DATA_BLOCKED.
    let run = stopped(Transport::Quic, 4, |_, _| false);
    assert_eq!(run.probes()[..7], [0.0, 375.0, 925.0, 2025.0, 4225.0, 8625.0, 10_052.0]);
    assert_eq!(run.times(|says| matches!(says, Says::Edge(_)))[..2], [10_002.0, 10_004.0]);
    assert_eq!([4, 5, 6].map(|place| leaves(&run, place)), [10_052.0, 10_052.0, 10_054.0]);
}

#[test]
fn quic_repeats_a_lost_limit_after_a_probe_timeout() {
    // The window is one piece. MAX_DATA is sent at 10.001 s and lost. Its sender has no round-trip sample, so
    // its probe timeout is 333 + 4 * 166.5 + 25 = 1024 ms. It is repeated at 11.025 s and arrives at 11.075
    // s.
    let run = stopped(Transport::Quic, 1, |now, _| now == at(10_001.0));
    assert_eq!(run.times(|says| says == Says::Edge(2))[..2], [10_001.0, 11_025.0]);
    assert_eq!(leaves(&run, 1), 11_075.0);
}

#[test]
fn sctp_probes_a_closed_window_and_hears_when_it_opens() {
    // Three chunks are sent at once, and the fourth when the first SACK arrives, at 100 ms. It is the first
    // of two packets for which a SACK waits, so the SACK is sent after 200 ms, at 350 ms, and arrives at 400
    // ms with a window of zero. The RTO is 1 s, its minimum: probes are sent at 1.4, 3.4 and 7.4 s. The first
    // chunk has been read at 10.001452 s, and a SACK with room for one arrives 50 ms later.
    let run = stopped(Transport::Sctp, 4, |_, _| false);
    assert_eq!(run.probes()[..3], [1400.0, 3400.0, 7400.0]);
    assert_eq!([3, 4].map(|place| leaves(&run, place)), [100.0, 10_051.452]);
}

#[test]
fn sctp_repairs_a_lost_window_update_by_a_probe() {
    // The buffer holds one chunk. The SACK that opens it is sent at 10.001452 s and lost. The first SACK
    // arrives at 100 ms, so probes are sent at 1.1, 3.1, 7.1 and 15.1 s, and the answer to the last one
    // arrives at 15.2 s.
    let run = stopped(Transport::Sctp, 1, |now, _| now == at(10_001.452));
    assert_eq!(run.probes()[..4], [1100.0, 3100.0, 7100.0, 15_100.0]);
    assert_eq!(leaves(&run, 1), 15_200.0);
}

#[test]
fn throughput_is_the_reading_rate_and_the_congestion_window_stops_growing() {
    // At 1 Mbit/s 1000 B take 8 ms and 1452 B take 11.616 ms, so 12.5 or 8.6 packets are read in a round
    // trip, and the buffer holds 40. Once it has begun to fill, it is never empty: in 9 s 1125 packets are
    // read, or 774.8.
    let rate = Rate::from_bits_per_second(1_000_000);
    for (transport, read) in [(Transport::Tcp, 1125), (Transport::Quic, 1125), (Transport::Sctp, 774)] {
        let reader = ReaderOptions { rate, changes: None };
        let mut run = Run::begin(transport, &buffer(transport, 40), reader, u64::MAX, |_, _| false);
        run.until(at(1000.0));
        let before = run.wire.read;
        run.until(at(10_000.0));
        assert!(
            [read, read + u64::from(transport == Transport::Sctp)].contains(&(run.wire.read - before)),
            "{transport:?}"
        );
        // The congestion window grows while 40 packets in flight fill it, and no further. By RFC 7661 section 4.3 TCP's
        // grows while they are half of it, and no further than by one acknowledgement of two packets.
        let most = if transport == Transport::Tcp { 82.0 } else { 42.0 };
        let mut cwnd = 0.0;
        run.ends[0].publish(&mut |name, value| {
            if name == "cwnd_packets" {
                cwnd = value;
            }
        });
        assert!(cwnd <= most, "{transport:?} {cwnd}");
    }
}

#[test]
fn a_tuned_window_stays_within_its_memory_for_an_application_that_does_not_read() {
    // Linux begins with 65,536 B, 45 packets of 1448 B, in a memory of 131,072 B, which holds 56 packets of 2304 B. The first
    // packets open the window up to that memory. Nothing is read for 10 s, and no more than 56 packets are sent.
    let settings = [("receive_window", "autotuned")];
    let mut run = Run::begin(Transport::Tcp, &settings, from_10_s_on(), u64::MAX, |_, _| false);
    run.until(at(10_000.0));
    assert_eq!((run.wire.edge, run.wire.sent, run.wire.read), (56, 56, 0));
    // An application that reads 1 Mbit/s takes 8.6 packets in a round trip. The rule assumes ten packets per
    // round trip at first. A longer round, in which twelve are read, opens the window to 2 * 12 + 16 = 40
    // packets plus twice 40 * (12 - 10) / 10, which is 56, and not to the largest window, 2172.
    let reader = ReaderOptions { rate: Rate::from_bits_per_second(1_000_000), changes: None };
    let mut run = Run::begin(Transport::Tcp, &settings, reader, u64::MAX, |_, _| false);
    run.until(at(10_000.0));
    assert!(run.wire.edge <= run.wire.read + 56, "{} of {}", run.wire.edge, run.wire.read);
}

#[test]
fn retransmissions_do_not_count_as_payload_sent() {
    // Ten packets, of which the fourth is dropped the first time.
    let reader = ReaderOptions { rate: READ, changes: None };
    for transport in [Transport::Tcp, Transport::Sctp, Transport::Quic] {
        let sent = |mut drops: u32| {
            let drop = move |_, says| says == Says::Data(3) && std::mem::take(&mut drops) > 0;
            let mut run = Run::begin(transport, &buffer(transport, 20), reader.clone(), 10, drop);
            run.until(at(10_000.0));
            let sent = run.ends[0].sent();
            (sent.packets, sent.payload_bytes)
        };
        let ((all, bytes), (again, same)) = (sent(0), sent(1));
        assert_eq!((all, same), (10, bytes), "{transport:?}");
        assert!(again > all, "{transport:?}");
    }
}

#[test]
fn everything_is_read_whatever_is_lost_and_however_long_a_pause_is() {
    // A quarter of all packets, including probes and updates, is lost in the first minute. The application
    // reads for half a second and pauses for five.
    for transport in [Transport::Tcp, Transport::Quic, Transport::Sctp] {
        for seed in 0..60 {
            let phases = [
                (Span::from_millis(500), Rate::from_bits_per_second(200_000)),
                (Span::from_millis(5_000), Rate::default()),
            ];
            let rates = Timeline::cycle(phases).unwrap();
            let nominal = phases[0].1;
            let changes = Changes { rates, manner: Manner::BitByBit, outage: None, nominal };
            let reader = ReaderOptions { rate: nominal, changes: Some(changes) };
            let mut random = Stream::new(seed, "drops");
            let drops = move |now: Time, _| now < at(60_000.0) && random.uniform() < 0.25;
            let mut settings = buffer(transport, 1 + seed % 7);
            if transport == Transport::Sctp {
                settings.push(("association_max_retrans", "1000"));
                settings.push(("path_max_retrans", "1000"));
            }
            let mut run = Run::begin(transport, &settings, reader, 200, drops);
            run.until(at(2_000_000.0));
            assert_eq!((run.wire.read, run.wire.sent), (200, 200), "{transport:?} with seed {seed}");
            assert!(run.ends.iter().all(|end| end.timer() == Time::NEVER), "{transport:?} with seed {seed}");
        }
    }
}
