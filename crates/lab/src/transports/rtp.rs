//! RTP as a transport of scenarios: calls.

use super::connecting::{Connector, Opening};
use super::plan::{Calls, Facts, Parts, Transport, TransportPlan};
use crate::language::choice::Choice;
use crate::language::diagnostics::one_of_these;
use crate::language::document::quoted;
use crate::language::flows::control::ControlPlan;
use crate::language::reader::TableReader;
use ackclock_base::Descriptor;
use ackclock_export::dialect::Dialect;
use ackclock_export::udp::Opaque;
use ackclock_sim::endpoint::Ends;
use ackclock_sim::measure::Interval;
use ackclock_sim::random::Stream;
use ackclock_sim::rtp::connection::{self, Details, PROFILES};
use ackclock_sim::rtp::control::RATE_CONTROLS;
use ackclock_sim::traffic;
use std::sync::Arc;

/// The transport RTP.
#[derive(Debug)]
pub(super) struct Rtp;

/// The keys of a flow that a call has no use for, with the reason.
const WITHOUT_USE: [(&str, &str); 2] =
    [("backoff", "nothing is retransmitted"), ("reader", "frames are shown as they come")];

impl Transport for Rtp {
    fn profiles(&self) -> &'static [Descriptor] {
        PROFILES
    }

    fn check(&self, table: &TableReader<'_>, _discriminator: Option<&str>, profile: &Choice) {
        for (key, why) in WITHOUT_USE.iter().filter(|(key, _)| table.get(key).is_some()) {
            table.problem_at(key, &format!("`{key}` over RTP"), &format!("nothing: {why}"));
        }
        let Details { min_rate, max_rate, pause_from, pause_to, .. } = Details::from(&profile.values);
        if min_rate > max_rate {
            let found = format!("`min_rate` {min_rate} above `max_rate` {max_rate}");
            table.problem_at("transport", &found, "a `min_rate` of at most `max_rate`");
        }
        if pause_from > pause_to {
            let found = format!("`pause_from` {pause_from} after `pause_to` {pause_to}");
            table.problem_at("transport", &found, "a `pause_to` that is not before `pause_from`");
        }
    }

    fn check_control(&self, table: &TableReader<'_>, control: &ControlPlan, _profile: &Choice) -> Option<()> {
        if control.of_media().is_some() {
            return Some(());
        }
        let found = format!("the control {} over RTP", quoted(control.name()));
        let known: Vec<_> = RATE_CONTROLS.iter().map(|entry| entry.descriptor).collect();
        table.problem_at(
            "control",
            &found,
            &format!("a control of real-time media: {}", one_of_these(&known)),
        );
        None
    }

    /// Reports any application: the encoder is one.
    fn check_application(&self, table: &TableReader<'_>, application: &traffic::Entry) -> Option<()> {
        if table.get("application").is_none() {
            return Some(());
        }
        let found = format!("the application {} over RTP", quoted(application.descriptor.name));
        table.problem_at(
            "application",
            &found,
            "nothing: the encoder of the transport makes what a call sends",
        );
        None
    }

    fn plan(&self, parts: Parts) -> Arc<dyn TransportPlan> {
        let details = Details::from(&parts.profile.values);
        Arc::new(RtpPlan { parts, details })
    }
}

/// The plan from which calls are created.
#[derive(Clone, Debug)]
struct RtpPlan {
    parts: Parts,
    details: Details,
}

impl TransportPlan for RtpPlan {
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
        Arc::new(Opaque)
    }

    fn facts(&self) -> Facts {
        let Details { max_rate, frames, packet, feedback, ecn, .. } = self.details;
        // Each frame has a packet that is not full.
        let packets = max_rate.bytes_per_second() / packet.bytes() as f64 + frames;
        let calls = Calls {
            per_second: frames + packets + 1.0 / feedback.seconds(),
            certain_per_second: 2.0 * frames,
        };
        Facts { takes_marks: Some(ecn), counts_every_packet: true, calls: Some(calls), ..Facts::default() }
    }

    fn connector(&self, seed: u64, _measured: Interval) -> Box<dyn Connector> {
        Box::new(RtpConnector { plan: self.clone(), seed })
    }
}

struct RtpConnector {
    plan: RtpPlan,
    seed: u64,
}

impl Connector for RtpConnector {
    fn connect(&mut self, opening: &Opening<'_>) -> Ends {
        let RtpPlan { parts, details } = &self.plan;
        let (entry, values) = parts.control.of_media().expect("a control of real-time media: it was checked");
        let random = Stream::new(self.seed, &format!("flow {} encoder", opening.name));
        connection::ends(*details, (entry.build)(values, details.call()), random)
    }
}
