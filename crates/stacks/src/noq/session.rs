//! The keys and the session of noq.

use noq_proto::crypto::HandshakeTokenKey;
use noq_proto::{ConnectionId, PathId};

crate::plain::plain_session!(proto: noq_proto, id: ConnectionId, config: (&self), path: PathId);

impl HandshakeTokenKey for Plain {
    fn seal(&self, _nonce: u128, _data: &mut Vec<u8>) -> Result<(), CryptoError> {
        Ok(())
    }

    fn open<'a>(&self, _nonce: u128, data: &'a mut [u8]) -> Result<&'a [u8], CryptoError> {
        Ok(data)
    }
}
