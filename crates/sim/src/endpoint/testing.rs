//! An outbox for tests of codecs and of single endpoints.

use super::{Launch, Outbox};
use crate::packet::{Extension, Extensions, Packet};
use ackclock_base::Time;

/// An outbox that stores the packet sent last, and all extensions.
#[derive(Default)]
pub struct Last {
    /// The packet sent last.
    pub packet: Packet,
    extensions: Extensions,
}

impl Outbox for Last {
    fn send(&mut self, _: usize, packet: Packet) -> Launch {
        self.packet = packet;
        Launch::Sent
    }

    fn send_extended(&mut self, path: usize, mut packet: Packet, extension: Extension) -> Launch {
        packet.extension = self.extensions.keep(extension);
        self.send(path, packet)
    }

    fn send_long(&mut self, path: usize, mut packet: Packet, words: &[u64]) -> Launch {
        packet.extension = self.extensions.keep_long(words);
        self.send(path, packet)
    }

    fn long_extension(&self, packet: &Packet, words: &mut Vec<u64>) {
        self.extensions.read_long(packet, words);
    }

    fn extension(&self, packet: &Packet) -> Extension {
        self.extensions.of(packet)
    }

    fn received(&mut self, _: Option<Time>, _: u64, _: u64) {}

    fn done(&mut self) {}
}
