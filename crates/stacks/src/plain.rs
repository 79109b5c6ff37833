//! A cryptographic session that hides nothing, over the traits of quinn-proto, which noq-proto has kept but for a few parameters.

/// Defines `Plain`, the keys and the session of a stack: `proto` is the stack's crate, `id` how its traits pass a connection ID, `config`
/// how they take a configuration, and `path` the type of the path that its keys are told, if they are.
macro_rules! plain_session {
    (proto: $proto:ident, id: $id:ty, config: ($($config:tt)+) $(, path: $path:ty)?) => {
        use $crate::handshake::{Step, TAG_BYTES, Writes};
        use bytes::BytesMut;
        use $proto::crypto::{
            ClientConfig, CryptoError, ExportKeyingMaterialError, HeaderKey, HmacKey, KeyPair, Keys, PacketKey,
            ServerConfig, Session, UnsupportedVersion,
        };
        use $proto::transport_parameters::TransportParameters;
        use $proto::{ConnectError, Side, TransportError};
        use std::any::Any;

        /// A key that encrypts nothing, for every purpose.
        pub(super) struct Plain;

        impl PacketKey for Plain {
            fn encrypt(&self, $(_path: $path,)? _packet: u64, buf: &mut [u8], _header_len: usize) {
                // Not zeros, which are the tokens of a stateless reset here.
                let payload = buf.len() - TAG_BYTES;
                buf[payload..].fill(1);
            }

            fn decrypt(
                &self,
                $(_path: $path,)?
                _packet: u64,
                _header: &[u8],
                payload: &mut BytesMut,
            ) -> Result<(), CryptoError> {
                let length = payload.len().checked_sub(TAG_BYTES).ok_or(CryptoError)?;
                payload.truncate(length);
                Ok(())
            }

            fn tag_len(&self) -> usize {
                TAG_BYTES
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
                TAG_BYTES
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

        fn keys() -> Keys {
            Keys {
                header: KeyPair { local: Box::new(Plain), remote: Box::new(Plain) },
                packet: KeyPair { local: Box::new(Plain), remote: Box::new(Plain) },
            }
        }

        impl ClientConfig for Plain {
            fn start_session(
                $($config)+,
                _version: u32,
                _name: &str,
                parameters: &TransportParameters,
            ) -> Result<Box<dyn Session>, ConnectError> {
                Ok(Box::new(Handshake::new(Side::Client, parameters)))
            }
        }

        impl ServerConfig for Plain {
            fn initial_keys(&self, _version: u32, _destination: $id) -> Result<Keys, UnsupportedVersion> {
                Ok(keys())
            }

            fn retry_tag(&self, _version: u32, _destination: $id, _packet: &[u8]) -> [u8; TAG_BYTES] {
                [0; TAG_BYTES]
            }

            fn start_session($($config)+, _version: u32, parameters: &TransportParameters) -> Box<dyn Session> {
                Box::new(Handshake::new(Side::Server, parameters))
            }
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
            fn initial_keys(&self, _destination: $id, _side: Side) -> Keys {
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
                let (step, has_parameters) = self.step.read();
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
                let (step, writes, has_keys) = self.step.write();
                match writes {
                    Writes::Parameters => buffer.extend_from_slice(&self.own),
                    Writes::Token => buffer.push(0),
                    Writes::Nothing => {}
                }
                self.step = step;
                has_keys.then(keys)
            }

            fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
                Some(KeyPair { local: Box::new(Plain), remote: Box::new(Plain) })
            }

            fn is_valid_retry(&self, _destination: $id, _header: &[u8], _payload: &[u8]) -> bool {
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
    };
}

pub(crate) use plain_session;
