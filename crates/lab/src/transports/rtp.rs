//! RTP as a transport of scenarios: calls.

use super::connecting::{Connector, Opening};
use super::plan::{Facts, OwnEvents, Parts, Transport, TransportPlan};
use crate::language::choice::Choice;
use crate::language::diagnostics::one_of_these;
use crate::language::document::quoted;
use crate::language::flows::control::ControlPlan;
use crate::language::reader::TableReader;
use crate::language::registry::own_controls::OwnControl;
use crate::run::result::declared::records;
use crate::run::result::{Declared, Field, FlowTimes, OwnResult};
use ackclock_base::{Descriptor, Span};
use ackclock_export::dialect::Dialect;
use ackclock_export::udp::Opaque;
use ackclock_sim::endpoint::{Endpoint, Ends};
use ackclock_sim::measure::Interval;
use ackclock_sim::random::Stream;
use ackclock_sim::rtp::connection::{self, Details, PROFILES};
use ackclock_sim::rtp::control::{Entry, RATE_CONTROLS};
use ackclock_sim::rtp::encoder::Encoded;
use ackclock_sim::rtp::playout::Frames;
use ackclock_sim::traffic;
use std::sync::Arc;

/// The transport RTP.
#[derive(Debug)]
pub(super) struct Rtp;

/// The keys of a flow that a call has no use for, with the reason.
const WITHOUT_USE: [(&str, &str); 2] =
    [("backoff", "nothing is retransmitted"), ("reader", "the receiver reads frames as they arrive")];

impl Transport for Rtp {
    fn profiles(&self) -> &'static [Descriptor] {
        PROFILES
    }

    fn check(&self, table: &TableReader<'_>, _discriminator: Option<&str>, profile: &Choice) {
        for (key, why) in WITHOUT_USE.iter().filter(|(key, _)| table.get(key).is_some()) {
            table.problem_at(key, &format!("`{key}` over RTP"), &format!("no `{key}`: {why}"));
        }
        let Details { min_rate, max_rate, pause_from, pause_to, .. } = Details::from(&profile.values);
        if min_rate > max_rate {
            let found = format!("a `min_rate` of {min_rate}, which is above `max_rate` ({max_rate})");
            table.problem_at("transport", &found, "a `min_rate` of at most `max_rate`");
        }
        if pause_from > pause_to {
            let found =
                format!("a `pause_from` of {pause_from}, which is later than `pause_to` ({pause_to})");
            table.problem_at("transport", &found, "a `pause_to` that is not earlier than `pause_from`");
        }
    }

    fn check_control(&self, table: &TableReader<'_>, control: &ControlPlan, _profile: &Choice) -> Option<()> {
        if control.own::<&Entry>().is_some() {
            return Some(());
        }
        let found = format!("the congestion control {} over RTP", quoted(control.name()));
        let known: Vec<_> = RATE_CONTROLS.iter().map(|entry| entry.descriptor).collect();
        table.problem_at(
            "control",
            &found,
            &format!("a congestion control for real-time media: {}", one_of_these(&known)),
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
            "no `application`: the encoder of the transport generates the data",
        );
        None
    }

    fn own_controls(&self) -> Vec<OwnControl> {
        let instead = "a window-based congestion control over a transport other than RTP";
        let own = |entry: &'static Entry| OwnControl::new(entry.descriptor, instead, entry);
        RATE_CONTROLS.iter().map(own).collect()
    }

    fn result_fields(&self) -> Vec<Field> {
        CallResult::fields()
    }

    fn result(&self, ends: [&dyn Endpoint; 2], times: &FlowTimes) -> Option<OwnResult> {
        let (encoded, frames) = connection::report(ends, times.measured.to)?;
        let called = times.measured.overlap(times.start, times.stop);
        Some(OwnResult::of(CallResult::of(encoded, &frames, called)))
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
        let own_events = OwnEvents {
            per_second: frames + packets + 1.0 / feedback.seconds(),
            certain_per_second: 2.0 * frames,
            ns: 1500.0,
            owners: "calls",
            events: "frames, packets and reports",
            remedies: &["fewer `frames`", "a lower `max_rate`", "a lower `count`"],
        };
        Facts {
            takes_marks: Some(ecn),
            counts_every_packet: true,
            own_events: Some(own_events),
            ..Facts::default()
        }
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
        let entry =
            parts.control.own::<&Entry>().expect("`check_control` allows only controls of real-time media");
        let random = Stream::new(self.seed, &format!("flow {} encoder", opening.name));
        connection::ends(*details, (entry.build)(parts.control.values(), details.call()), random)
    }
}

records! {
    /// The frames of a call.
    pub struct CallResult {
        /// number of frames that the encoder of a [call](sctp-and-rtp.md#calls-over-rtp) made in measured time
        frames: u64;
        /// number of frames that the encoder of a [call](sctp-and-rtp.md#calls-over-rtp) made in measured time and that
        /// arrived completely before the end of the run
        completed_frames: u64;
        /// number of late frames of a [call](sctp-and-rtp.md#calls-over-rtp): frames that its encoder made in measured
        /// time and that were complete at the receiver later than the transport's `deadline` after their capture;
        /// frames that were never complete do not count
        late_frames: u64;
        /// number of freezes of the picture of a [call](sctp-and-rtp.md#calls-over-rtp) in measured time: intervals
        /// between shown frames that are at least 150 ms longer than, and at least three times, the mean of the last 30
        /// intervals (W3C, Identifiers for WebRTC's Statistics API, `freezeCount`). A frame is shown when it is
        /// complete, unless a newer one has been shown
        freezes: u64;
        /// total duration of the freezes of the picture of a [call](sctp-and-rtp.md#calls-over-rtp) in measured time:
        /// the sum of the intervals between shown frames that count as freezes
        freeze_s: f64;
        /// mean rate of the encoder of a [call](sctp-and-rtp.md#calls-over-rtp): the payload of the frames that it made
        /// in measured time, divided by the duration of the call within measured time; null if that is zero
        media_rate_mean_bps: Option<f64>;
        /// mean delay of the frames of a [call](sctp-and-rtp.md#calls-over-rtp), from the capture of a frame to the
        /// arrival of its last packet, over the frames made in measured time and complete before the end of the run;
        /// null without such frames. The delay consists of the wait in the sender, queueing, transmission and
        /// propagation
        frame_delay_mean_s: Option<f64>;
        /// median of the delay of the frames of a [call](sctp-and-rtp.md#calls-over-rtp), from the capture of a frame
        /// to the arrival of its last packet, over the frames made in measured time and complete before the end of
        /// the run; null without such frames
        frame_delay_p50_s: Option<f64>;
        /// 95th [percentile](#conventions) of the delay of the frames of a [call](sctp-and-rtp.md#calls-over-rtp),
        /// from the capture of a frame to the arrival of its last packet, over the frames made in measured time and
        /// complete before the end of the run; null without such frames
        frame_delay_p95_s: Option<f64>;
        /// 99th [percentile](#conventions) of the delay of the frames of a [call](sctp-and-rtp.md#calls-over-rtp),
        /// from the capture of a frame to the arrival of its last packet, over the frames made in measured time and
        /// complete before the end of the run; null without such frames
        frame_delay_p99_s: Option<f64>;
    }
}

impl CallResult {
    /// Returns the result of a call that lasted for `called` of measured time.
    fn of(encoder: Encoded, frames: &Frames, called: Span) -> Self {
        let seconds = called.seconds();
        let Frames { delays, late, freezes, frozen } = frames;
        Self {
            frames: encoder.frames,
            completed_frames: delays.count(),
            late_frames: *late,
            freezes: *freezes,
            freeze_s: frozen.seconds(),
            media_rate_mean_bps: (seconds > 0.0).then(|| encoder.bytes as f64 * 8.0 / seconds),
            frame_delay_mean_s: delays.mean_s(),
            frame_delay_p50_s: delays.quantile_s(0.5),
            frame_delay_p95_s: delays.quantile_s(0.95),
            frame_delay_p99_s: delays.quantile_s(0.99),
        }
    }
}
