//! What a connection or an association has to send.

use super::sending::source_of;
use crate::choice::Choice;
use ackclock_sim::random::Stream;
use ackclock_sim::traffic::writer::Writer;

/// What a connection or an association has to send.
#[derive(Clone, Debug)]
pub enum Data {
    /// As much as it can, without end.
    Endless,
    /// This number of bytes.
    Bytes(u64),
    /// What this source writes.
    Written(Choice),
}

impl Data {
    /// As much as a size, where there is one.
    pub(super) fn of_size(size: Option<u64>) -> Self {
        size.map_or(Self::Endless, Self::Bytes)
    }

    /// The packets that it has to send when it begins; [`u64::MAX`] for no end.
    pub fn packets(&self, payload_bytes: u64) -> u64 {
        match self {
            Self::Endless => u64::MAX,
            Self::Bytes(bytes) => bytes.div_ceil(payload_bytes.max(1)),
            Self::Written(_) => 0,
        }
    }

    /// What writes into the connection called `name`, whose packets have this payload; `None` where nothing does.
    pub fn writer(&self, name: &str, seed: u64, payload_bytes: u64) -> Option<Box<Writer>> {
        let Self::Written(application) = self else { return None };
        let source = (source_of(application).build)(&application.values);
        let random = Stream::new(seed, &format!("flow {name} traffic"));
        Some(Box::new(Writer::new(source, random, write_bytes(application), payload_bytes as u32)))
    }

    /// The bits that an application writes in a second, and the bytes of a write; `None` where none does.
    pub fn written(&self) -> Option<(f64, f64)> {
        let Self::Written(application) = self else { return None };
        let bytes = f64::from(write_bytes(application));
        Some(((source_of(application).rate_bps)(&application.values, 8.0 * bytes), bytes))
    }
}

fn write_bytes(application: &Choice) -> u32 {
    (source_of(application).sizes)(&application.values).packet.bytes() as u32
}
