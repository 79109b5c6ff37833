//! s2n-quic behind `ackclock_stack.h`. Its endpoint takes every time as an argument from the provider of input and output, which is the boundary here. The
//! providers of random bytes, identifiers and tokens draw from the seed, and that of TLS hides nothing.

mod boundary;
mod plain;
mod seeded;

use bytes::Bytes;
use plain::Plain;
use s2n_quic::client::{Connect, ConnectionAttempt};
use s2n_quic::connection::Connection;
use s2n_quic::provider::event::{ConnectionInfo, ConnectionMeta, Subscriber, events};
use s2n_quic::provider::{congestion_controller, io, limits::Limits};
use s2n_quic::stream::{ReceiveStream, SendStream};
use s2n_quic::{Client, Server};
use s2n_quic_core::endpoint::Endpoint;
use s2n_quic_core::inet::datagram::Header;
use s2n_quic_core::inet::{ExplicitCongestionNotification as Ecn, SocketAddress, SocketAddressV4};
use s2n_quic_core::io::{rx, tx};
use s2n_quic_core::path::{Handle as _, RemoteAddress, Tuple, mtu};
use s2n_quic_core::time::Timestamp;
use seeded::Seeded;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// What the boundary knows of an end, beside its datagrams.
#[derive(Default)]
pub struct Told {
    pub window: Option<u64>,
    pub in_flight: Option<u64>,
    pub srtt: Option<Duration>,
    pub min_rtt: Option<Duration>,
    pub pacing_bps: Option<u64>,
    pub sent: u64,
    pub lost: u64,
    pub closed: Option<String>,
}

/// Listens to the events of s2n-quic.
struct Listener(Arc<Mutex<Told>>);

impl Subscriber for Listener {
    type ConnectionContext = ();

    fn create_connection_context(&mut self, _: &ConnectionMeta, _: &ConnectionInfo) {}

    fn on_recovery_metrics(&mut self, (): &mut (), _: &ConnectionMeta, event: &events::RecoveryMetrics) {
        let mut told = self.0.lock().unwrap();
        told.window = Some(event.congestion_window.into());
        told.in_flight = Some(event.bytes_in_flight.into());
        told.srtt = Some(event.smoothed_rtt);
        told.min_rtt = Some(event.min_rtt);
    }

    fn on_pacing_rate_updated(&mut self, (): &mut (), _: &ConnectionMeta, event: &events::PacingRateUpdated) {
        self.0.lock().unwrap().pacing_bps = Some(8 * event.bytes_per_second);
    }

    fn on_packet_sent(&mut self, (): &mut (), _: &ConnectionMeta, _: &events::PacketSent) {
        self.0.lock().unwrap().sent += 1;
    }

    fn on_packet_lost(&mut self, (): &mut (), _: &ConnectionMeta, _: &events::PacketLost) {
        self.0.lock().unwrap().lost += 1;
    }

    fn on_connection_closed(&mut self, (): &mut (), _: &ConnectionMeta, event: &events::ConnectionClosed) {
        self.0.lock().unwrap().closed = Some(event.error.to_string());
    }
}

/// One datagram that has arrived.
struct Arrived<'a>(Option<&'a mut [u8]>, Tuple, Ecn);

impl rx::Queue for Arrived<'_> {
    type Handle = Tuple;

    fn for_each<F: FnMut(Header<Tuple>, &mut [u8])>(&mut self, mut on_packet: F) {
        if let Some(datagram) = self.0.take() {
            on_packet(Header { path: self.1, ecn: self.2 }, datagram);
        }
    }

    fn is_empty(&self) -> bool {
        self.0.is_none()
    }
}

/// The datagrams that wait to be taken, with their ECN fields.
struct Waiting {
    datagrams: VecDeque<(Vec<u8>, Ecn)>,
    most_bytes: usize,
}

impl tx::Queue for Waiting {
    type Handle = Tuple;
    const SUPPORTS_ECN: bool = true;

    fn push<M: tx::Message<Handle = Tuple>>(&mut self, mut message: M) -> Result<tx::Outcome, tx::Error> {
        let ecn = message.ecn();
        let mut datagram = vec![0; self.most_bytes];
        let len = message.write_payload(tx::PayloadBuffer::new(&mut datagram), 0)?;
        datagram.truncate(len);
        self.datagrams.push_back((datagram, ecn));
        Ok(tx::Outcome { len, index: 0 })
    }

    fn capacity(&self) -> usize {
        64_usize.saturating_sub(self.datagrams.len())
    }
}

/// An endpoint of s2n-quic, whose type depends on all providers.
trait Drive: Send {
    fn receive(&mut self, arrived: &mut Arrived, now: Timestamp);
    fn transmit(&mut self, waiting: &mut Waiting, now: Timestamp);
    fn timeout(&self) -> Option<Timestamp>;
}

impl<E: Endpoint<PathHandle = Tuple>> Drive for E {
    fn receive(&mut self, arrived: &mut Arrived, now: Timestamp) {
        Endpoint::receive(self, arrived, &now);
    }

    fn transmit(&mut self, waiting: &mut Waiting, now: Timestamp) {
        let _ = self.poll_wakeups(&mut context(), &now);
        Endpoint::transmit(self, waiting, &now);
    }

    fn timeout(&self) -> Option<Timestamp> {
        Endpoint::timeout(self)
    }
}

/// The provider of input and output: hands the endpoint over.
#[derive(Clone)]
struct Boundary {
    driver: Arc<Mutex<Option<Box<dyn Drive>>>>,
    local: SocketAddress,
    mtu: mtu::Config,
}

impl io::Provider for Boundary {
    type PathHandle = Tuple;
    type Error = Infallible;

    fn start<E: Endpoint<PathHandle = Tuple>>(self, mut endpoint: E) -> Result<SocketAddress, Infallible> {
        endpoint.set_mtu_config(self.mtu);
        *self.driver.lock().unwrap() = Some(Box::new(endpoint));
        Ok(self.local)
    }
}

/// How far the application of an end is.
enum Application {
    Connecting(ConnectionAttempt),
    Opening(Connection),
    Sending(Connection, SendStream),
    Listening,
    Accepting(Connection),
    Receiving { _connection: Connection, stream: ReceiveStream },
    Closed,
}

pub struct End {
    driver: Box<dyn Drive>,
    application: Application,
    server: Option<Server>,
    _client: Option<Client>,
    peer: Tuple,
    waiting: Waiting,
    told: Arc<Mutex<Told>>,
    /// Nothing has happened since the endpoint had no more to send.
    idle: bool,
    has_ended: bool,
    delivered: bool,
}

/// Nothing is woken: the application is polled whenever something may have changed.
fn context() -> Context<'static> {
    Context::from_waker(Waker::noop())
}

impl End {
    pub fn new(
        is_client: bool,
        seed: u64,
        control: &str,
        datagram: u16,
        window: u64,
    ) -> Result<Self, String> {
        match control {
            "cubic" => Self::with(is_client, seed, congestion_controller::Cubic::default(), datagram, window),
            "bbr" => Self::with(is_client, seed, congestion_controller::Bbr::default(), datagram, window),
            _ => Err(format!("no congestion control {control:?}")),
        }
    }

    fn with<C: congestion_controller::Endpoint>(
        is_client: bool,
        seed: u64,
        control: C,
        datagram: u16,
        window: u64,
    ) -> Result<Self, String> {
        let host = |last: u8| SocketAddress::from(SocketAddressV4::new([10, 0, 0, last], 4433));
        let (local, peer) = if is_client { (host(1), host(2)) } else { (host(2), host(1)) };
        let told = Arc::new(Mutex::new(Told::default()));
        let mtu = datagram.checked_add(28).ok_or("the datagram is too large")?;
        let mtu = mtu::Config::builder()
            .with_max_mtu(mtu)
            .and_then(|one| one.with_base_mtu(mtu)?.with_initial_mtu(mtu)?.build());
        let mtu = mtu.map_err(|error| format!("the datagram of {datagram} bytes: {error}"))?;
        let boundary = Boundary { driver: Arc::default(), local, mtu };
        let day = Duration::from_secs(86_400);
        let most = window.min(u32::MAX.into());
        let limits = Limits::new().with_data_window(most).and_then(|limits| {
            let limits =
                limits.with_unidirectional_data_window(most)?.with_max_send_buffer_size(most as u32)?;
            limits.with_max_idle_timeout(day)?.with_max_handshake_duration(day)
        });
        let limits = limits.map_err(|error| format!("the window of {window} bytes: {error}"))?;
        // Each provider has random numbers of its own.
        macro_rules! provided {
            ($builder:expr) => {
                (|| -> Result<_, Box<dyn std::error::Error>> {
                    let builder = $builder.with_io(boundary.clone())?.with_tls(Plain)?.with_limits(limits)?;
                    let builder =
                        builder.with_event(Listener(told.clone()))?.with_congestion_controller(control)?;
                    let builder = builder
                        .with_random(Seeded::new(seed, 0))?
                        .with_connection_id(Seeded::new(seed, 1))?;
                    Ok(builder.with_stateless_reset_token(Seeded::new(seed, 2))?)
                })()
                .map_err(|error| error.to_string())?
            };
        }
        let (client, server, application);
        if is_client {
            let made = provided!(Client::builder()).start().map_err(|error| error.to_string())?;
            application =
                Application::Connecting(made.connect(Connect::new(peer).with_server_name("localhost")));
            (client, server) = (Some(made), None);
        } else {
            let builder = provided!(Server::builder())
                .with_address_token(seeded::NoTokens)
                .map_err(|error| error.to_string())?;
            (client, server) = (None, Some(builder.start().map_err(|error| error.to_string())?));
            application = Application::Listening;
        }
        let driver = boundary.driver.lock().unwrap().take().ok_or("no endpoint was made")?;
        let mut path = Tuple::from_remote_address(RemoteAddress::from(peer));
        path.set_local_address(local.into());
        let waiting = Waiting { datagrams: VecDeque::new(), most_bytes: datagram.into() };
        Ok(Self {
            driver,
            application,
            server,
            _client: client,
            peer: path,
            waiting,
            told,
            idle: false,
            has_ended: false,
            delivered: false,
        })
    }

    /// Lets the application go on until it waits.
    fn advance(&mut self) {
        loop {
            let application = std::mem::replace(&mut self.application, Application::Closed);
            let (next, goes_on) = match application {
                Application::Connecting(mut attempt) => {
                    match std::pin::Pin::new(&mut attempt).poll(&mut context()) {
                        Poll::Ready(Ok(connection)) => (Application::Opening(connection), true),
                        Poll::Ready(Err(error)) => (self.close(&error.to_string()), false),
                        Poll::Pending => (Application::Connecting(attempt), false),
                    }
                }
                Application::Opening(mut connection) => {
                    match connection.poll_open_send_stream(&mut context()) {
                        Poll::Ready(Ok(stream)) => (Application::Sending(connection, stream), true),
                        Poll::Ready(Err(error)) => (self.close(&error.to_string()), false),
                        Poll::Pending => (Application::Opening(connection), false),
                    }
                }
                Application::Sending(connection, mut stream) => {
                    if self.has_ended && !self.delivered {
                        self.delivered = matches!(stream.poll_flush(&mut context()), Poll::Ready(Ok(())));
                    }
                    (Application::Sending(connection, stream), false)
                }
                Application::Listening => {
                    match self.server.as_mut().map(|server| server.poll_accept(&mut context())) {
                        Some(Poll::Ready(Some(connection))) => (Application::Accepting(connection), true),
                        _ => (Application::Listening, false),
                    }
                }
                Application::Accepting(mut connection) => {
                    match connection.poll_accept_receive_stream(&mut context()) {
                        Poll::Ready(Ok(Some(stream))) => {
                            (Application::Receiving { _connection: connection, stream }, false)
                        }
                        Poll::Ready(Ok(None)) => (self.close("the connection is closed"), false),
                        Poll::Ready(Err(error)) => (self.close(&error.to_string()), false),
                        Poll::Pending => (Application::Accepting(connection), false),
                    }
                }
                other @ (Application::Receiving { .. } | Application::Closed) => (other, false),
            };
            self.application = next;
            if !goes_on {
                return;
            }
        }
    }

    fn close(&mut self, why: &str) -> Application {
        self.told.lock().unwrap().closed.get_or_insert_with(|| why.to_owned());
        Application::Closed
    }

    pub fn recv(&mut self, datagram: &mut [u8], ecn: u8, now: Timestamp) {
        self.driver.receive(&mut Arrived(Some(datagram), self.peer, Ecn::new(ecn)), now);
        self.idle = false;
    }

    pub fn send(&mut self, now: Timestamp) -> Option<(Vec<u8>, Ecn)> {
        if self.waiting.datagrams.is_empty() && !self.idle {
            // What the application does is seen by the endpoint, and what the endpoint does by the application.
            self.advance();
            self.driver.transmit(&mut self.waiting, now);
            self.advance();
            self.idle = self.waiting.datagrams.is_empty();
        }
        self.waiting.datagrams.pop_front()
    }

    pub fn timeout(&self) -> Option<Timestamp> {
        self.driver.timeout()
    }

    pub fn on_timeout(&mut self) {
        self.idle = false;
    }

    pub fn write(&mut self, bytes: u64, is_fin: bool) -> u64 {
        static ZEROS: [u8; 65_536] = [0; 65_536];
        self.advance();
        let Application::Sending(_, stream) = &mut self.application else { return 0 };
        if is_fin {
            self.has_ended = stream.finish().is_ok();
            self.idle = false;
            return self.has_ended.into();
        }
        let Poll::Ready(Ok(room)) = stream.poll_send_ready(&mut context()) else { return 0 };
        let taken = room.min(ZEROS.len()).min(usize::try_from(bytes).unwrap_or(usize::MAX));
        if taken == 0 || stream.send_data(Bytes::from_static(&ZEROS[..taken])).is_err() {
            return 0;
        }
        self.idle = false;
        taken as u64
    }

    pub fn read(&mut self) -> u64 {
        let Application::Receiving { stream, .. } = &mut self.application else { return 0 };
        let mut bytes = 0;
        while let Poll::Ready(Ok(Some(data))) = stream.poll_receive(&mut context()) {
            bytes += data.len() as u64;
        }
        self.idle &= bytes == 0;
        bytes
    }

    pub fn told(&self) -> std::sync::MutexGuard<'_, Told> {
        self.told.lock().unwrap()
    }

    pub fn is_delivered(&self) -> bool {
        self.delivered
    }
}
