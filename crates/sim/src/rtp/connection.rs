//! A call: its parameters, and its two ends.

use super::control::{Call, RateControl};
use super::encoder::{Encoded, Pause};
use super::playout::{Frames, Playout};
use super::receiver::Receiver;
use super::sender::RtpSender;
use crate::endpoint::{Endpoint, Ends};
use crate::random::Stream;
use ackclock_base::{Descriptor, Kind, Range, Rate, Size, Span, Time, parameters};

/// The profiles, in the order of lists.
pub const PROFILES: &[Descriptor] = &[Descriptor {
    kind: Kind::Transport,
    name: "rtp",
    summary: "A call over RTP: an encoder sends frames of video at the rate that the control sets; packets are never \
              retransmitted",
    source: "RFC 3550, RFC 8888",
    parameters: Details::TABLE,
    presets: &[],
}];

/// The range of rates, in bits per second.
const RATES: Range = Range::between(1000.0, 1e8);

parameters! {
    /// The encoder of a call, and its packets.
    pub struct Details {
        /// Lowest rate of the encoder, at which the call begins
        min_rate: Rate = rate("150 kbit/s", RATES, "RFC 8698 figure 3 (RMIN)"),
        /// Highest rate of the encoder
        max_rate: Rate = rate("1.5 Mbit/s", RATES, "RFC 8698 figure 3 (RMAX)"),
        /// Number of frames per second
        frames: f64 = number("30", Range::between(1.0, 1000.0), "RFC 8698 figure 3 (FPS)"),
        /// Largest relative deviation of a frame's size from the encoder's rate divided by the frame rate; drawn
        /// uniformly for each frame
        variation: f64 = number("0.1", Range { min: 0.0, max: 1.0, above_min: false }, "none"),
        /// The largest payload of a packet; all packets of a frame have equal payloads
        packet: Size = size("1200 B", Range::between(200.0, 65_000.0), "none"),
        /// The size of the headers of a packet on the wire
        header: Size = size("40 B", Range::between(0.0, 500.0), "IPv4 20 B, UDP 8 B, RTP 12 B"),
        /// The time between two reports of the receiver
        feedback: Span = time("100 ms", Range::between(0.01, 10.0), "RFC 8698 figure 3 (DELTA)"),
        /// The time from the capture of a frame to the arrival of its last packet, beyond which the frame counts as
        /// late; a frame that is never complete does not count as late
        deadline: Span = time(
            "150 ms",
            Range::between(0.001, 10.0),
            "ITU-T G.114: a one-way delay of up to 150 ms does not affect most calls",
        ),
        /// The time in the run at which the call pauses: until `pause_to`, its encoder produces no frames and the
        /// control keeps its rate
        pause_from: Span = time("0 s", Range::at_least(0.0), "no source for the default; RFC 8867 section 5.8 tests a pause"),
        /// The time in the run at which the pause ends; equal to `pause_from` for no pause
        pause_to: Span = time("0 s", Range::at_least(0.0), "none"),
        /// Whether packets are ECN-capable, with ECT(0)
        ecn: bool = flag(false, "RFC 6679"),
    }
}

impl Details {
    /// Returns the time in which the encoder makes no frames.
    pub(super) fn pause(&self) -> Pause {
        Pause { from: Time::ZERO + self.pause_from, to: Time::ZERO + self.pause_to }
    }

    /// Returns the properties on which the rate control depends.
    pub fn call(&self) -> Call {
        Call {
            min_bps: self.min_rate.bits_per_second() as f64,
            max_bps: self.max_rate.bits_per_second() as f64,
            frames_per_second: self.frames,
            feedback: self.feedback,
        }
    }
}

/// Returns the two ends of a call, whose frames vary by `random`.
pub fn ends(details: Details, control: Box<dyn RateControl>, random: Stream) -> Ends {
    let playout = Playout::new(details.deadline, details.pause());
    let receiver = Receiver::new(details.feedback, details.header.bytes() as u32, playout);
    [Box::new(RtpSender::new(details, control, random)), Box::new(receiver)]
}

/// Returns what the ends of a call have measured as of `until`: what its encoder has made, and what has arrived of the frames; `None`
/// for the ends of another transport.
pub fn report(ends: [&dyn Endpoint; 2], until: Time) -> Option<(Encoded, Frames)> {
    let [sender, receiver] = ends;
    Some((sender.of::<RtpSender>()?.encoded(), receiver.of::<Receiver>()?.frames(until)))
}
