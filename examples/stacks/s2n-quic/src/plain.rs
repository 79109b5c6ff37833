//! The provider of TLS: a handshake that exchanges transport parameters and hides nothing. Packets end in a tag of sixteen bytes, so that they are as long as
//! under TLS.

use bytes::Bytes;
use s2n_codec::{Encoder, EncoderValue};
use s2n_quic::provider::tls;
use s2n_quic_core::application::ServerName;
use s2n_quic_core::crypto::tls::{
    ApplicationParameters, CipherSuite, ConnectionInfo, Context, HandshakeType, HelloOffsets,
};
use s2n_quic_core::crypto::{self, packet_protection, retry, scatter};
use s2n_quic_core::transport::Error;
use std::convert::Infallible;
use std::task::Poll;

const TAG: usize = 16;
const FINISHED: Bytes = Bytes::from_static(b"finished");
const PROTOCOL: Bytes = Bytes::from_static(b"hq");

/// The provider, and an endpoint of its own.
pub struct Plain;

impl tls::Provider for Plain {
    type Server = Self;
    type Client = Self;
    type Error = Infallible;

    fn start_server(self) -> Result<Self, Infallible> {
        Ok(self)
    }

    fn start_client(self) -> Result<Self, Infallible> {
        Ok(self)
    }
}

impl crypto::tls::Endpoint for Plain {
    type Session = Session;

    fn new_server_session<P: EncoderValue>(&mut self, own: &P, _: ConnectionInfo) -> Session {
        Session::Begins { is_client: false, own: own.encode_to_vec().into() }
    }

    fn new_client_session<P: EncoderValue>(&mut self, own: &P, _: ServerName) -> Session {
        Session::Begins { is_client: true, own: own.encode_to_vec().into() }
    }

    fn max_tag_length(&self) -> usize {
        TAG
    }
}

/// How far the handshake of an end is. The client sends its parameters, the server sends its own and `FINISHED`, and the client sends `FINISHED`.
#[derive(Debug)]
pub enum Session {
    Begins { is_client: bool, own: Bytes },
    ClientWaitsForParameters,
    ClientWaitsForEnd { peer: Bytes },
    ServerWaitsForEnd,
    Complete,
}

/// Installs the keys for data.
fn keys<C: Context<Session>>(context: &mut C, peer: &[u8]) -> Result<(), Error> {
    context.on_application_protocol(PROTOCOL)?;
    context.on_one_rtt_keys(Key, Key, ApplicationParameters { transport_parameters: peer })
}

impl Session {
    /// Takes a step. Returns whether it was one: `false` if the peer's message has not arrived.
    fn step<C: Context<Self>>(&mut self, context: &mut C) -> Result<bool, Error> {
        let next = match self {
            Self::Begins { is_client: true, own } => {
                context.send_initial(own.clone());
                context.on_server_name("localhost".into())?;
                Self::ClientWaitsForParameters
            }
            Self::ClientWaitsForParameters => {
                let Some(peer) = context.receive_initial(None) else { return Ok(false) };
                context.on_handshake_keys(Key, Key)?;
                context.send_handshake(FINISHED);
                Self::ClientWaitsForEnd { peer }
            }
            Self::ClientWaitsForEnd { peer } => {
                if context.receive_handshake(None).is_none() {
                    return Ok(false);
                }
                keys(context, peer)?;
                context.on_handshake_complete()?;
                Self::Complete
            }
            Self::Begins { is_client: false, own } => {
                let Some(peer) = context.receive_initial(None) else { return Ok(false) };
                context.send_initial(own.clone());
                context.on_handshake_keys(Key, Key)?;
                context.send_handshake(FINISHED);
                keys(context, &peer)?;
                context.on_server_name("localhost".into())?;
                Self::ServerWaitsForEnd
            }
            Self::ServerWaitsForEnd => {
                if context.receive_handshake(None).is_none() {
                    return Ok(false);
                }
                context.on_handshake_complete()?;
                Self::Complete
            }
            Self::Complete => return Ok(false),
        };
        *self = next;
        Ok(true)
    }
}

impl crypto::tls::Session for Session {
    fn poll<C: Context<Self>>(&mut self, context: &mut C) -> Poll<Result<(), Error>> {
        while self.step(context)? {}
        if matches!(self, Self::Complete) { Poll::Ready(Ok(())) } else { Poll::Pending }
    }

    fn parse_hello(_: HandshakeType, _: &[u8], _: u64, _: u64) -> Result<Option<HelloOffsets>, Error> {
        Ok(Some(HelloOffsets { payload_offset: 0, payload_len: 0 }))
    }
}

impl crypto::CryptoSuite for Session {
    type HandshakeKey = Key;
    type HandshakeHeaderKey = Key;
    type InitialKey = Key;
    type InitialHeaderKey = Key;
    type OneRttKey = Key;
    type OneRttHeaderKey = Key;
    type ZeroRttKey = Key;
    type ZeroRttHeaderKey = Key;
    type RetryKey = Key;
}

/// Each key, of packets and of headers.
#[derive(Debug)]
pub struct Key;

impl crypto::Key for Key {
    fn decrypt(&self, _: u64, _: &[u8], _: &mut [u8]) -> Result<(), packet_protection::Error> {
        Ok(())
    }

    fn encrypt(
        &mut self,
        _: u64,
        _: &[u8],
        payload: &mut scatter::Buffer,
    ) -> Result<(), packet_protection::Error> {
        payload.flatten().write_slice(&[0; TAG]);
        Ok(())
    }

    fn tag_len(&self) -> usize {
        TAG
    }

    fn aead_confidentiality_limit(&self) -> u64 {
        u64::MAX
    }

    fn aead_integrity_limit(&self) -> u64 {
        u64::MAX
    }

    fn cipher_suite(&self) -> CipherSuite {
        CipherSuite::Unknown
    }
}

impl crypto::HeaderKey for Key {
    fn opening_header_protection_mask(&self, _: &[u8]) -> crypto::HeaderProtectionMask {
        Default::default()
    }

    fn opening_sample_len(&self) -> usize {
        TAG
    }

    fn sealing_header_protection_mask(&self, _: &[u8]) -> crypto::HeaderProtectionMask {
        Default::default()
    }

    fn sealing_sample_len(&self) -> usize {
        TAG
    }
}

impl crypto::InitialKey for Key {
    type HeaderKey = Self;

    fn new_server(_: &[u8]) -> (Self, Self) {
        (Self, Self)
    }

    fn new_client(_: &[u8]) -> (Self, Self) {
        (Self, Self)
    }
}

impl crypto::OneRttKey for Key {
    fn derive_next_key(&self) -> Self {
        Self
    }
}

impl crypto::RetryKey for Key {
    fn generate_tag(_: &[u8]) -> retry::IntegrityTag {
        Default::default()
    }

    fn validate(_: &[u8], _: retry::IntegrityTag) -> Result<(), packet_protection::Error> {
        Ok(())
    }
}

impl crypto::HandshakeKey for Key {}
impl crypto::HandshakeHeaderKey for Key {}
impl crypto::InitialHeaderKey for Key {}
impl crypto::OneRttHeaderKey for Key {}
impl crypto::ZeroRttKey for Key {}
impl crypto::ZeroRttHeaderKey for Key {}
