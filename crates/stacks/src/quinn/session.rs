//! The keys and the session of quinn. The peer program in `reference/peers/quinn` compiles this file too.

use quinn_proto::ConnectionId;
use quinn_proto::crypto::{AeadKey, HandshakeTokenKey};
use std::sync::Arc;

crate::plain::plain_session!(proto: quinn_proto, id: &ConnectionId, config: (self: Arc<Self>));

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
