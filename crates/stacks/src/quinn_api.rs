//! The two ends of a connection over the API of quinn-proto, which noq-proto, a fork of it, has kept but for the few calls that the parent
//! module wraps. This file is compiled twice: as a module of [`noq`](crate::noq) and of [`quinn`](crate::quinn), where `proto` is the
//! crate of the stack.

use super::session::Plain;
use super::{
    Adapted, Factory, ONE_DATAGRAM, congestion_state, endpoint, handle, path_stats, proto, write_chunk,
};
use crate::connection::{Connection as StackConnection, Connections, State};
use crate::end::Packing;
use ackclock_aqm::Ecn;
use ackclock_base::Span;
use bytes::{Bytes, BytesMut};
use proto::congestion::NewRenoConfig;
use proto::{
    ClientConfig, Connection, ConnectionHandle, DatagramEvent, Dir, EcnCodepoint, Endpoint, Event,
    ServerConfig, StreamEvent, StreamId, TransportConfig, VarInt,
};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;

/// Both ends believe that the other one has this address.
fn address() -> SocketAddr {
    (Ipv4Addr::LOCALHOST, 4433).into()
}

/// Makes connections whose senders have controllers of one factory.
pub(super) struct Maker {
    pub(super) factory: Factory,
    pub(super) packing: Packing,
}

impl Connections for Maker {
    fn connect(&mut self, seed: u64) -> [Box<dyn StackConnection>; 2] {
        let mut client = ClientConfig::new(Arc::new(Plain));
        client.transport_config(Arc::new(transport(Arc::clone(&self.factory), &self.packing)));
        let mut server = ServerConfig::new(Arc::new(Plain), Arc::new(Plain));
        server.transport_config(Arc::new(transport(Arc::new(NewRenoConfig::default()), &self.packing)));
        let seeds = [0, 1].map(|end| bytes_of(seed, end));
        [
            Box::new(End::new(endpoint(None, seeds[0]), Some(client))),
            Box::new(End::new(endpoint(Some(Arc::new(server)), seeds[1]), None)),
        ]
    }
}

fn bytes_of(seed: u64, end: u8) -> [u8; 32] {
    let mut bytes = [end; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes
}

fn transport(control: Factory, packing: &Packing) -> TransportConfig {
    let window = VarInt::from_u64(packing.window).unwrap_or(VarInt::MAX);
    let mut config = TransportConfig::default();
    config
        .congestion_controller_factory(control)
        .initial_mtu(packing.datagram as u16)
        .mtu_discovery_config(None)
        .enable_segmentation_offload(false) // a datagram is a packet of the simulator
        .max_idle_timeout(None)
        .stream_receive_window(window)
        .receive_window(window)
        .allow_spin(false);
    config
}

/// One end: the stack's endpoint with its only connection.
struct End {
    endpoint: Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
    /// What the end that begins connects with.
    client: Option<ClientConfig>,
    stream: Option<StreamId>,
    /// Answers of the endpoint itself, which belong to no connection.
    answers: Vec<Vec<u8>>,
    is_delivered: bool,
    closed: Option<String>,
}

impl End {
    fn new(endpoint: Endpoint, client: Option<ClientConfig>) -> Self {
        Self {
            endpoint,
            connection: None,
            client,
            stream: None,
            answers: Vec::new(),
            is_delivered: false,
            closed: None,
        }
    }

    /// Carries events between endpoint and connection, and takes note of those that concern the application.
    fn settle(&mut self) {
        let Some((handle, connection)) = &mut self.connection else { return };
        while let Some(event) = connection.poll_endpoint_events() {
            if let Some(event) = self.endpoint.handle_event(*handle, event) {
                connection.handle_event(event);
            }
        }
        while let Some(event) = connection.poll() {
            match event {
                Event::Connected if self.client.is_some() => {
                    self.stream = connection.streams().open(Dir::Uni)
                }
                Event::Stream(StreamEvent::Opened { dir: Dir::Uni }) => {
                    self.stream = connection.streams().accept(Dir::Uni);
                }
                Event::Stream(StreamEvent::Finished { .. }) => self.is_delivered = true,
                Event::ConnectionLost { reason } => self.closed = Some(reason.to_string()),
                _ => {}
            }
        }
    }

    /// Returns the control, if it is one of ours: a clone is the same control.
    fn control(&self) -> Option<Adapted> {
        let (_, connection) = self.connection.as_ref()?;
        let control = congestion_state(connection)?.clone_box();
        control.into_any().downcast().ok().map(|control| *control)
    }
}

impl StackConnection for End {
    fn connect(&mut self, now: Instant) {
        let Some(client) = self.client.clone() else { return };
        match self.endpoint.connect(now, client, address(), "peer") {
            Ok(connection) => self.connection = Some(connection),
            Err(error) => self.closed = Some(error.to_string()),
        }
    }

    fn receive(&mut self, now: Instant, datagram: BytesMut, ecn: Ecn) {
        let ecn = match ecn {
            Ecn::NotCapable => None,
            Ecn::Classic => Some(EcnCodepoint::Ect0),
            Ecn::LowLatency => Some(EcnCodepoint::Ect1),
            Ecn::Experienced => Some(EcnCodepoint::Ce),
        };
        let mut answer = Vec::new();
        match handle(&mut self.endpoint, now, address(), ecn, datagram, &mut answer) {
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                if let Some((_, connection)) = &mut self.connection {
                    connection.handle_event(event);
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) => {
                match self.endpoint.accept(incoming, now, &mut answer, None) {
                    Ok(connection) => self.connection = Some(connection),
                    Err(error) => self.closed = Some(error.cause.to_string()),
                }
            }
            Some(DatagramEvent::Response(_)) => self.answers.push(answer),
            None => {}
        }
        self.settle();
    }

    fn transmit(&mut self, now: Instant, buffer: &mut Vec<u8>) -> Option<Ecn> {
        if let Some(answer) = self.answers.pop() {
            buffer.extend(answer);
            return Some(Ecn::NotCapable);
        }
        let (_, connection) = self.connection.as_mut()?;
        let transmit = connection.poll_transmit(now, ONE_DATAGRAM, buffer);
        self.settle();
        Some(match transmit?.ecn {
            None => Ecn::NotCapable,
            Some(EcnCodepoint::Ect0) => Ecn::Classic,
            Some(EcnCodepoint::Ect1) => Ecn::LowLatency,
            Some(EcnCodepoint::Ce) => Ecn::Experienced,
        })
    }

    fn timeout(&mut self) -> Option<Instant> {
        self.connection.as_mut()?.1.poll_timeout()
    }

    fn expire(&mut self, now: Instant) {
        if let Some((_, connection)) = &mut self.connection {
            connection.handle_timeout(now);
        }
        self.settle();
    }

    fn write(&mut self, data: Bytes) -> usize {
        let (Some(stream), Some((_, connection))) = (self.stream, &mut self.connection) else { return 0 };
        write_chunk(&mut connection.send_stream(stream), data)
    }

    fn set_buffer(&mut self, bytes: u64) {
        if let Some((_, connection)) = &mut self.connection {
            connection.set_send_window(bytes);
        }
    }

    fn finish(&mut self) -> bool {
        let (Some(stream), Some((_, connection))) = (self.stream, &mut self.connection) else { return false };
        // A stream that the peer has stopped has ended already.
        let _ = connection.send_stream(stream).finish();
        true
    }

    fn read(&mut self) -> u64 {
        let (Some(stream), Some((_, connection))) = (self.stream, &mut self.connection) else { return 0 };
        let mut reader = connection.recv_stream(stream);
        let Ok(mut chunks) = reader.read(true) else { return 0 };
        let mut bytes = 0;
        while let Ok(Some(chunk)) = chunks.next(usize::MAX) {
            bytes += chunk.bytes.len() as u64;
        }
        let _ = chunks.finalize(); // whether a frame is due: `transmit` is asked in any case
        bytes
    }

    fn is_delivered(&self) -> bool {
        self.is_delivered
    }

    fn state(&mut self) -> State {
        let closed = self.closed.clone();
        let Some((_, connection)) = &mut self.connection else { return State { closed, ..State::default() } };
        let Some(path) = path_stats(connection) else { return State { closed, ..State::default() } };
        State {
            window_bytes: Some(path.cwnd),
            rtt: Some(Span::from_nanos(path.rtt.as_nanos() as u64)),
            sent_packets: Some(path.sent_packets),
            lost_packets: Some(path.lost_packets),
            congestion_events: Some(path.congestion_events),
            closed,
            ..State::default()
        }
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        if let Some(control) = self.control() {
            control.publish(series);
        }
    }
}
