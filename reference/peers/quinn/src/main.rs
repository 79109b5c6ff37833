//! One connection of quinn over one path of 10 Mbit/s and 20 ms each way, in virtual time, with fixed losses.
//!
//!     quinn-path PATTERN CONTROL PACKETS LOST LATE LOST_ACKS OUTAGE
//!
//! A client sends a stream of so many packets to a server. Its handshake is over and acknowledged when it begins, which is time 0.
//! LOST are packets with data by their order, from 0 (`300-303,310`); LATE are packets that take longer (`300:5`, in ms); LOST_ACKS
//! are the server's packets by their order, from 1; in OUTAGE (`1.2-3.5`, in s) everything that is sent is lost. `-` is none.
//!
//! It prints one object: each packet with data, with when it was sent, its packet number, and the window after the event that sent
//! it; and what was declared lost: when, and by order.

#[path = "../../../../crates/stacks/src/handshake.rs"]
mod handshake;
mod observed;
mod path;
#[path = "../../../../crates/stacks/src/plain.rs"]
mod plain;
#[path = "../../../../crates/stacks/src/quinn/session.rs"]
mod session;

use observed::{Factory, Seen};
use path::{End, Losses, Way, ways};
use quinn_proto::congestion::{ControllerFactory, CubicConfig, NewRenoConfig};
use quinn_proto::{
    ClientConfig, Dir, Endpoint, EndpointConfig, QlogConfig, ServerConfig, StreamId, TransportConfig, VarInt,
};
use serde_json::{Value, json};
use session::Plain;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// When the data begins, from the start of the connection.
const BEGINS: Duration = Duration::from_secs(1);
/// Data of a full packet at the most, by which the stream is measured.
const PAYLOAD: u64 = 1167;

/// quinn leaves out a packet number now and then, for which a receiver acknowledges the next packet at once. With these random
/// numbers the holes fall where no loss is, and between two packets that are acknowledged together all the same.
const SEED: [u8; 32] = [27; 32];

/// Where quinn writes its own log.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("one thread").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Log {
    /// The numbers of the packets that were declared lost since this was last asked.
    fn lost(&self) -> Vec<u64> {
        let text = std::mem::take(&mut *self.0.lock().expect("one thread"));
        let text = String::from_utf8(text).expect("text");
        let events = text.split(['\u{1e}', '\n']).filter(|line| line.contains("packet_lost"));
        let number = |line: &str| {
            let event: Value = serde_json::from_str(line).expect("JSON");
            event["data"]["header"]["packet_number"].as_u64().expect("a number")
        };
        events.map(number).collect()
    }
}

fn transport(control: Arc<dyn ControllerFactory + Send + Sync>) -> TransportConfig {
    let mut config = TransportConfig::default();
    config
        .congestion_controller_factory(control)
        .mtu_discovery_config(None)
        .enable_segmentation_offload(false)
        .max_idle_timeout(None)
        .stream_receive_window(VarInt::MAX)
        .receive_window(VarInt::MAX)
        .send_window(u64::MAX)
        .allow_spin(false);
    config
}

fn control(name: &str) -> Arc<dyn ControllerFactory + Send + Sync> {
    match name {
        "newreno" => Arc::new(NewRenoConfig::default()),
        "cubic" => Arc::new(CubicConfig::default()),
        _ => panic!("no control {name}"),
    }
}

fn ends(name: &str, seen: &Arc<Mutex<Seen>>, log: &Log, start: Instant) -> [End; 2] {
    let mut qlog = QlogConfig::default();
    qlog.writer(Box::new(log.clone())).start_time(start);
    let mut client = transport(Arc::new(Factory { inner: control(name), seen: seen.clone() }));
    client.qlog_stream(qlog.into_stream());
    let mut client_config = ClientConfig::new(Arc::new(Plain));
    client_config.transport_config(Arc::new(client));
    let mut server_config = ServerConfig::new(Arc::new(Plain), Arc::new(Plain));
    server_config.transport_config(Arc::new(transport(control("newreno"))));
    let endpoint = |server: Option<Arc<ServerConfig>>| {
        Endpoint::new(Arc::new(EndpointConfig::new(Arc::new(Plain))), server, false, Some(SEED))
    };
    let mut client = End::new(endpoint(None));
    client.connect(start, client_config);
    [client, End::new(endpoint(Some(Arc::new(server_config))))]
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [pattern, name, packets, lost, late, acks, outage] = arguments.as_slice() else {
        panic!("PATTERN CONTROL PACKETS LOST LATE LOST_ACKS OUTAGE");
    };
    let start = Instant::now();
    let (seen, log) = (Arc::new(Mutex::new(Seen::default())), Log::default());
    let mut ends = ends(name, &seen, &log, start);
    let mut ways = ways(&Losses::new(lost, late, acks, outage), BEGINS);
    let packets = packets.parse::<u64>().expect("a number");
    let mut left = packets * PAYLOAD;
    let (mut sent, mut declared, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    let mut stream: Option<StreamId> = None;
    let mut now = Duration::ZERO;
    loop {
        if now >= BEGINS && stream.is_none() {
            *seen.lock().expect("one thread") = Seen { window: ends[0].window(), ..Seen::default() };
            log.lost();
            ways.iter_mut().for_each(Way::begin);
            stream = ends[0].connection().streams().open(Dir::Uni);
        }
        if let Some(stream) = stream.filter(|_| left > 0) {
            left -= ends[0].write(stream, left);
        }
        for (end, way) in ends.iter_mut().zip(&mut ways) {
            end.transmit(start + now, now, way);
        }
        if stream.is_some() {
            let mut seen = seen.lock().expect("one thread");
            let time = seconds(now);
            let order = |number: &u64| numbers.iter().position(|known| known == number);
            declared.extend(log.lost().iter().filter_map(order).map(|order| json!([time, order])));
            sent.extend(seen.sent.iter().map(|number| json!([time, number, seen.window])));
            numbers.append(&mut seen.sent);
            if ends[1].received() >= packets * PAYLOAD && seen.in_flight == 0 {
                break;
            }
        }
        // Arrivals go before a timer of the same time.
        let arrival = ways.iter().filter_map(Way::arrival).min();
        let timer = ends.iter_mut().filter_map(|end| end.timer(start)).min();
        let begins = stream.is_none().then_some(BEGINS);
        let next = [arrival, timer, begins].into_iter().flatten().min().expect("something to come");
        now = now.max(next);
        if arrival == Some(next) {
            let from = ways.iter().position(|way| way.arrival() == arrival).expect("a way");
            let datagram = ways[from].take();
            ends[1 - from].receive(start + now, datagram);
        } else {
            ends.iter_mut().for_each(|end| end.expire(start, start + now));
        }
    }
    let run = json!({
        "simulator": "quinn-proto", "version": "0.11.19", "workload": "quic-one-path", "pattern": pattern, "control": name,
        "messages": packets, "lost_data": lost, "late": late, "lost_acks": acks, "outage": outage,
        "packets": sent, "declared_lost": declared, "done_s": seconds(now),
    });
    println!("{run}");
}

/// Since the data began, to a tenth of a microsecond.
fn seconds(now: Duration) -> f64 {
    (now.as_nanos() as f64 / 100.0 - BEGINS.as_nanos() as f64 / 100.0).round() / 1e7
}
