//! QUIC as a transport of scenarios.

use super::connecting::{Connector, Controls, Lifetime, MAX_BACKOFF, Opening};
use super::plan::{Allowed, Facts, Parts, Transport, TransportPlan, check_discriminator};
use crate::language::choice::Choice;
use crate::language::reader::TableReader;
use ackclock_base::{Descriptor, Span};
use ackclock_export::dialect::Dialect;
use ackclock_export::quic::QuicTerms;
use ackclock_sim::endpoint::Ends;
use ackclock_sim::measure::Interval;
use ackclock_sim::quic::connection::Connection;
use ackclock_sim::quic::details::Details;
use ackclock_sim::quic::options::{Options, PROFILES};
use ackclock_sim::random::Stream;
use std::sync::Arc;

/// The transport QUIC.
#[derive(Debug)]
pub(super) struct Quic;

impl Transport for Quic {
    fn profiles(&self) -> &'static [Descriptor] {
        PROFILES
    }

    fn check(&self, table: &TableReader<'_>, discriminator: Option<&str>, _profile: &Choice) {
        check_discriminator(table, discriminator, "QUIC");
    }

    fn plan(&self, parts: Parts) -> Arc<dyn TransportPlan> {
        let details = Details::from(&parts.profile.values);
        let mut options = Options::new(&parts.profile.values);
        options.reader = parts.reader_options();
        Arc::new(QuicPlan { parts, details, options })
    }
}

/// The plan from which QUIC connections are created.
#[derive(Debug)]
struct QuicPlan {
    parts: Parts,
    details: Details,
    options: Options,
}

impl TransportPlan for QuicPlan {
    fn parts(&self) -> Option<&Parts> {
        Some(&self.parts)
    }

    fn payload_bytes(&self) -> u64 {
        self.details.packet.bytes()
    }

    fn wire_bytes(&self) -> u32 {
        (self.details.packet.bytes() + self.details.header.bytes()) as u32
    }

    fn dialect(&self) -> Arc<dyn Dialect> {
        Arc::new(QuicTerms { payload_bytes: self.options.payload_bytes })
    }

    fn facts(&self) -> Facts {
        let Details { ecn, handshake, send_jitter, window, .. } = self.details;
        // A slow reader's credit is acknowledged in packets that do not count.
        let reads_at_once = self.parts.reader.is_none();
        Facts {
            takes_marks: Some(ecn),
            small_queues: false,
            speaks_to_agents: false,
            draws_unseeded: self.parts.control.draws_unseeded(),
            repair: None,
            counts_every_packet: !handshake && reads_at_once && send_jitter == Span::ZERO,
            lost_packet_ns: 1200.0,
            first_window: self.details.first_window(),
            allowed: Allowed {
                at_first: window,
                at_most: window,
                widest: Some((self.options.recovery.window * self.payload_bytes(), "window")),
            },
            // The timeout doubles each time, without bound.
            timeouts_every: None,
            heartbeats: None,
            own_events: None,
        }
    }

    fn connector(&self, seed: u64, _measured: Interval) -> Box<dyn Connector> {
        let controls = Controls::of(self.parts.control.clone());
        Box::new(QuicConnector { options: self.options.clone(), controls, seed })
    }
}

struct QuicConnector {
    options: Options,
    controls: Controls,
    seed: u64,
}

impl Connector for QuicConnector {
    fn connect(&mut self, opening: &Opening<'_>) -> Ends {
        let Self { options, controls, seed } = self;
        let (control, backoff) = controls.next(&options.initial(), 0, opening.heard.as_ref(), MAX_BACKOFF);
        let random = Stream::new(*seed, &format!("flow {} guesses", opening.name));
        let pieces = opening.lifetime.packets();
        let connection = Connection { options: options.clone(), control, backoff, pieces, random };
        match opening.lifetime {
            Lifetime::Bulk(_) => connection.ends(),
            Lifetime::Timed(_) => connection.timed_ends(),
            Lifetime::Lasting(_) => connection.lasting_ends(),
            Lifetime::Written => connection.written_ends(),
        }
    }
}
