//! The providers that would draw random bytes.

use s2n_quic::provider::{address_token, connection_id, random, stateless_reset_token};
use s2n_quic_core::connection;
use s2n_quic_core::stateless_reset::Token;
use std::convert::Infallible;

/// Random bytes that follow from a seed: splitmix64.
pub struct Seeded(u64);

/// The length of connection identifiers.
const LENGTH: usize = 8;

impl Seeded {
    /// `which` tells apart the providers of one end.
    pub fn new(seed: u64, which: u64) -> Self {
        let mut mixed = Self(seed ^ (which << 62));
        Self(u64::from_le_bytes(mixed.draw()))
    }

    fn fill(&mut self, out: &mut [u8]) {
        for part in out.chunks_mut(8) {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            part.copy_from_slice(&(z ^ (z >> 31)).to_le_bytes()[..part.len()]);
        }
    }

    fn draw<const N: usize>(&mut self) -> [u8; N] {
        let mut out = [0; N];
        self.fill(&mut out);
        out
    }
}

impl random::Generator for Seeded {
    fn public_random_fill(&mut self, dest: &mut [u8]) {
        self.fill(dest);
    }

    fn private_random_fill(&mut self, dest: &mut [u8]) {
        self.fill(dest);
    }
}

impl random::Provider for Seeded {
    type Generator = Self;
    type Error = Infallible;

    fn start(self) -> Result<Self, Infallible> {
        Ok(self)
    }
}

impl connection_id::Generator for Seeded {
    fn generate(&mut self, _: &connection_id::ConnectionInfo) -> connection_id::LocalId {
        connection::LocalId::try_from_bytes(&self.draw::<LENGTH>()).expect("the length is allowed")
    }
}

impl connection_id::Validator for Seeded {
    fn validate(&self, _: &connection_id::ConnectionInfo, buffer: &[u8]) -> Option<usize> {
        (buffer.len() >= LENGTH).then_some(LENGTH)
    }
}

impl stateless_reset_token::Generator for Seeded {
    const ENABLED: bool = false;

    fn generate(&mut self, _: &[u8]) -> Token {
        self.draw::<16>().into()
    }
}

impl stateless_reset_token::Provider for Seeded {
    type Generator = Self;
    type Error = Infallible;

    fn start(self) -> Result<Self, Infallible> {
        Ok(self)
    }
}

/// A server without tokens of address validation.
pub struct NoTokens;

impl address_token::Format for NoTokens {
    const TOKEN_LEN: usize = 0;

    fn generate_new_token(
        &mut self,
        _: &mut address_token::Context<'_>,
        _: &connection::LocalId,
        _: &mut [u8],
    ) -> Option<()> {
        None
    }

    fn generate_retry_token(
        &mut self,
        _: &mut address_token::Context<'_>,
        _: &connection::InitialId,
        _: &mut [u8],
    ) -> Option<()> {
        None
    }

    fn validate_token(
        &mut self,
        _: &mut address_token::Context<'_>,
        _: &[u8],
    ) -> Option<connection::InitialId> {
        None
    }
}

impl address_token::Provider for NoTokens {
    type Format = Self;
    type Error = Infallible;

    fn start(self) -> Result<Self, Infallible> {
        Ok(self)
    }
}
