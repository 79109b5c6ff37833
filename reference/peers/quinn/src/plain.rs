//! A cryptographic session that hides nothing, so that no TLS library is needed and nothing is drawn at random. Its handshake has
//! the three flights of TLS 1.3: the transport parameters of the client, those of the server, and the client's end.

use bytes::BytesMut;
use quinn_proto::crypto::{
    AeadKey, ClientConfig, CryptoError, ExportKeyingMaterialError, HandshakeTokenKey, HeaderKey, HmacKey,
    KeyPair, Keys, PacketKey, ServerConfig, Session, UnsupportedVersion,
};
use quinn_proto::transport_parameters::TransportParameters;
use quinn_proto::{ConnectError, ConnectionId, Side, TransportError};
use std::any::Any;
use std::sync::Arc;

/// Bytes that a key of TLS would add to a packet.
const TAG: usize = 16;

/// All the keys.
pub struct Plain;

impl PacketKey for Plain {
    fn encrypt(&self, _packet: u64, buf: &mut [u8], _header_len: usize) {
        // Not zeros, which are the tokens of a stateless reset here.
        let payload = buf.len() - TAG;
        buf[payload..].fill(1);
    }

    fn decrypt(&self, _packet: u64, _header: &[u8], payload: &mut BytesMut) -> Result<(), CryptoError> {
        let length = payload.len().checked_sub(TAG).ok_or(CryptoError)?;
        payload.truncate(length);
        Ok(())
    }

    fn tag_len(&self) -> usize {
        TAG
    }

    fn confidentiality_limit(&self) -> u64 {
        u64::MAX
    }

    fn integrity_limit(&self) -> u64 {
        u64::MAX
    }
}

impl HeaderKey for Plain {
    fn decrypt(&self, _pn_offset: usize, _packet: &mut [u8]) {}

    fn encrypt(&self, _pn_offset: usize, _packet: &mut [u8]) {}

    fn sample_size(&self) -> usize {
        TAG
    }
}

impl HmacKey for Plain {
    fn sign(&self, _data: &[u8], signature: &mut [u8]) {
        signature.fill(0);
    }

    fn signature_len(&self) -> usize {
        32
    }

    fn verify(&self, _data: &[u8], _signature: &[u8]) -> Result<(), CryptoError> {
        Ok(())
    }
}

impl AeadKey for Plain {
    fn seal(&self, _data: &mut Vec<u8>, _additional: &[u8]) -> Result<(), CryptoError> {
        Ok(())
    }

    fn open<'a>(&self, data: &'a mut [u8], _additional: &[u8]) -> Result<&'a mut [u8], CryptoError> {
        Ok(data)
    }
}

impl HandshakeTokenKey for Plain {
    fn aead_from_hkdf(&self, _random: &[u8]) -> Box<dyn AeadKey> {
        Box::new(Self)
    }
}

fn keys() -> Keys {
    Keys {
        header: KeyPair { local: Box::new(Plain), remote: Box::new(Plain) },
        packet: KeyPair { local: Box::new(Plain), remote: Box::new(Plain) },
    }
}

impl ClientConfig for Plain {
    fn start_session(
        self: Arc<Self>,
        _version: u32,
        _name: &str,
        parameters: &TransportParameters,
    ) -> Result<Box<dyn Session>, ConnectError> {
        Ok(Box::new(Handshake::new(Side::Client, parameters)))
    }
}

impl ServerConfig for Plain {
    fn initial_keys(&self, _version: u32, _destination: &ConnectionId) -> Result<Keys, UnsupportedVersion> {
        Ok(keys())
    }

    fn retry_tag(&self, _version: u32, _destination: &ConnectionId, _packet: &[u8]) -> [u8; TAG] {
        [0; TAG]
    }

    fn start_session(self: Arc<Self>, _version: u32, parameters: &TransportParameters) -> Box<dyn Session> {
        Box::new(Handshake::new(Side::Server, parameters))
    }
}

/// What comes next.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    /// The client writes its parameters.
    Hello,
    /// The server waits for them.
    AwaitHello,
    /// The server writes that it has them.
    Answer,
    /// The server writes its own.
    Parameters,
    /// The client waits for the answer, has it, waits for the parameters, has them.
    AwaitAnswer,
    Answered,
    AwaitParameters,
    Finish,
    /// The server waits for the client's end.
    AwaitFinish,
    Done,
}

struct Handshake {
    side: Side,
    step: Step,
    own: Vec<u8>,
    theirs: Option<Vec<u8>>,
}

impl Handshake {
    fn new(side: Side, parameters: &TransportParameters) -> Self {
        let mut own = Vec::new();
        parameters.write(&mut own);
        let step = if side == Side::Client { Step::Hello } else { Step::AwaitHello };
        Self { side, step, own, theirs: None }
    }
}

impl Session for Handshake {
    fn initial_keys(&self, _destination: &ConnectionId, _side: Side) -> Keys {
        keys()
    }

    fn handshake_data(&self) -> Option<Box<dyn Any>> {
        None
    }

    fn peer_identity(&self) -> Option<Box<dyn Any>> {
        None
    }

    fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
        None
    }

    fn early_data_accepted(&self) -> Option<bool> {
        None
    }

    fn is_handshaking(&self) -> bool {
        self.step != Step::Done
    }

    fn read_handshake(&mut self, data: &[u8]) -> Result<bool, TransportError> {
        let (step, has_parameters) = match self.step {
            Step::AwaitHello => (Step::Answer, true),
            Step::AwaitAnswer => (Step::Answered, false),
            Step::AwaitParameters => (Step::Finish, true),
            Step::AwaitFinish => (Step::Done, false),
            other => (other, false),
        };
        self.step = step;
        if has_parameters {
            self.theirs = Some(data.to_vec());
        }
        Ok(has_parameters)
    }

    fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
        let read = |theirs: &Vec<u8>| TransportParameters::read(self.side, &mut theirs.as_slice());
        Ok(self.theirs.as_ref().map(read).transpose()?)
    }

    fn write_handshake(&mut self, buffer: &mut Vec<u8>) -> Option<Keys> {
        let (step, has_keys) = match self.step {
            Step::Hello => {
                buffer.extend_from_slice(&self.own);
                (Step::AwaitAnswer, false)
            }
            Step::Answer => {
                buffer.push(0);
                (Step::Parameters, true)
            }
            Step::Parameters => {
                buffer.extend_from_slice(&self.own);
                (Step::AwaitFinish, true)
            }
            Step::Answered => (Step::AwaitParameters, true),
            Step::Finish => {
                buffer.push(0);
                (Step::Done, true)
            }
            other => (other, false),
        };
        self.step = step;
        has_keys.then(keys)
    }

    fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
        Some(KeyPair { local: Box::new(Plain), remote: Box::new(Plain) })
    }

    fn is_valid_retry(&self, _destination: &ConnectionId, _header: &[u8], _payload: &[u8]) -> bool {
        false
    }

    fn export_keying_material(
        &self,
        _output: &mut [u8],
        _label: &[u8],
        _context: &[u8],
    ) -> Result<(), ExportKeyingMaterialError> {
        Err(ExportKeyingMaterialError)
    }
}
