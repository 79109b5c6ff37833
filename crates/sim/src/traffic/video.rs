//! Framed video, over UDP or written into a connection: frames at fixed intervals, the first of each group
//! larger because it does not refer to others. The packets of a frame are sent back to back, so the first
//! link spaces them.

use super::{Entry, HEADER, RATE, Sizes, Source, SourceEntry, Workload, application};
use crate::random::Stream;
use ackclock_base::{Range, Rate, Size, Span, parameters};

/// The entry in the list of applications.
pub const ENTRY: Entry = Entry {
    descriptor: &application(
        "video",
        "Sends frames of video over UDP, the packets of each frame back to back, without reacting to losses; with a \
         `control`, writes the frames into a connection",
        "RFC 7928 section 7.2",
        Parameters::TABLE,
    ),
    workload: Workload::Source(SourceEntry {
        build: |values| Box::new(Video::of(&values.into())),
        sizes: |values| {
            let Parameters { packet, header, .. } = values.into();
            Sizes { packet, header, reply: None }
        },
        // Each frame has at least one packet, however small it is.
        rate_bps: |values, payload_bits| {
            let Parameters { rate, frames, .. } = values.into();
            (rate.bits_per_second() as f64).max(frames * payload_bits)
        },
    }),
};

parameters! {
    /// The parameters of video: the rate, and its division into frames and packets.
    pub struct Parameters {
        /// Mean rate at which payload is sent
        rate: Rate = RATE.by_default("1 Mbit/s"),
        /// Number of frames per second
        frames: f64 = number("25", Range::between(0.1, 1000.0), "none"),
        /// Number of frames in a group of pictures, which is one large frame followed by small frames
        group: u64 = integer("12", Range::between(1.0, 1e6), "none"),
        /// The ratio of the size of a large frame to that of a small one
        ratio: f64 = number("5", Range::between(1.0, 1000.0), "none"),
        /// The largest payload of a packet or write; the last packet or write of a frame can be smaller
        packet: Size = size(
            "1472 B",
            Range::between(1.0, 65_000.0),
            "1500 B minus the headers of IPv4 (20 B) and UDP (8 B)",
        ),
        header: Size = HEADER,
    }
}

/// Video with frames of two sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Video {
    frames_per_second: f64,
    group: u64,
    large_bytes: u64,
    small_bytes: u64,
    packet_bytes: u64,
    /// The number of the present frame, from 0, and the number of its bytes that are still to be sent.
    frame: u64,
    left: u64,
}

impl Video {
    fn of(parameters: &Parameters) -> Self {
        let Parameters { rate, frames, group, ratio, packet, .. } = *parameters;
        let group_bytes = rate.bytes_per_second() * group as f64 / frames;
        // A large frame has the size of `ratio` small ones, and a group has one large frame.
        let small = group_bytes / (ratio + group as f64 - 1.0);
        let bytes = |size: f64| size.round().max(1.0) as u64;
        Self {
            frames_per_second: frames,
            group,
            large_bytes: bytes(ratio * small),
            small_bytes: bytes(small),
            packet_bytes: packet.bytes(),
            frame: 0,
            left: 0,
        }
    }

    fn frame_bytes(&self) -> u64 {
        if self.frame.is_multiple_of(self.group) { self.large_bytes } else { self.small_bytes }
    }

    /// Returns the time from the first frame, which has number 0, to frame `frame`. It is computed from the
    /// number, so that rounding errors do not add up.
    fn at(&self, frame: u64) -> Span {
        Span::from_seconds(frame as f64 / self.frames_per_second)
    }
}

impl Source for Video {
    fn first(&mut self, _random: &mut Stream) -> Span {
        self.left = self.frame_bytes();
        Span::ZERO
    }

    fn next(&mut self, _random: &mut Stream) -> Span {
        if self.left > 0 {
            return Span::ZERO;
        }
        self.frame += 1;
        self.left = self.frame_bytes();
        self.at(self.frame).saturating_sub(self.at(self.frame - 1))
    }

    fn payload(&mut self) -> Option<u32> {
        let payload = self.left.min(self.packet_bytes);
        self.left -= payload;
        Some(payload as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_base::Values;

    /// Returns the packets of the first `frames` frames: the time in nanoseconds, and the payload in bytes.
    fn packets(settings: &[(&str, &str)], frames: u64) -> Vec<(u64, u32)> {
        let mut video = Video::of(&Parameters::from(&Values::with(ENTRY.descriptor, settings)));
        let mut random = Stream::new(1, "video");
        let mut at = video.first(&mut random);
        let mut packets = Vec::new();
        while video.frame < frames {
            packets.push((at.nanos(), video.payload().unwrap()));
            at += video.next(&mut random);
        }
        packets
    }

    #[test]
    fn frames_of_a_group_have_their_sizes() {
        // 1 Mbit/s at 25 frames per second are 60000 B for a group of 12. The first frame has 5 in 16 of
        // that, 18750 B, in twelve packets of 1472 B and one of 1086 B; the others have 3750 B, in two of
        // 1472 B and one of 806 B.
        let packets = packets(&[], 25);
        let frame = |number: u64| -> Vec<u32> {
            let at = number * 40_000_000;
            packets.iter().filter(|packet| packet.0 == at).map(|packet| packet.1).collect()
        };
        for number in 0..25 {
            let full = if number % 12 == 0 { 12 } else { 2 };
            let last = if number % 12 == 0 { 1086 } else { 806 };
            let mut expected = vec![1472; full];
            expected.push(last);
            assert_eq!(frame(number), expected, "frame {number}");
        }
        assert_eq!(packets.len(), 3 * 13 + 22 * 3);
    }

    #[test]
    fn the_mean_rate_is_what_is_asked_for_and_times_do_not_drift() {
        // 30 frames per second are 33.3 ms apart, so 3000 frames take 100 s. Frames have whole numbers of
        // bytes, about 8000, so the rate is not exact.
        let packets = packets(&[("rate", "2 Mbit/s"), ("frames", "30"), ("group", "10")], 3000);
        let bytes: u64 = packets.iter().map(|packet| u64::from(packet.1)).sum();
        assert!((bytes as f64 * 8.0 / 100.0 / 2e6 - 1.0).abs() < 1e-4);
        let last = packets.last().unwrap().0 as f64;
        assert!((last - 2999.0 / 30.0 * 1e9).abs() < 2.0, "{last}");
    }
}
