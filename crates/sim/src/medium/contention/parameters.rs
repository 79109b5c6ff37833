//! The parameters of media whose stations contend.

use ackclock_base::{Range, Size, Span, parameters};

/// The range of slot lengths. With slots of length zero, transmitters would not wait.
const SLOTS: Range = Range { min: 0.0, max: 1.0, above_min: true };
const TIMES: Range = Range::between(0.0, 1.0);
const WINDOWS: Range = Range::between(0.0, 32_767.0);
const FRAMING: Range = Range::between(0.0, 1000.0);

parameters! {
    /// A random time before each packet.
    pub struct Simple {
        /// The length of a slot of the random waiting time
        slot: Span = time("50 us", SLOTS, "ns-2's Mac/Simple: 100 bit times, here at 2 Mbit/s"),
        /// The largest number of slots that a station waits; the number is drawn uniformly from 0 to this
        window: i64 = integer("39", WINDOWS, "ns-2's Mac/Simple"),
        /// The size of the framing that is sent with each packet at the link's rate
        framing: Size = size("0 B", FRAMING, "ns-2's Mac/Simple"),
    }
}

parameters! {
    /// Basic access with the times of direct sequence at 1 and 2 Mbit/s.
    pub struct Dcf {
        /// The parameters of the exchange of a packet.
        exchange: Exchange,
    }
}

parameters! {
    /// The parameters of the exchange of a packet.
    pub struct Exchange {
        /// The length of a slot of the random waiting time
        slot: Span = time("20 us", SLOTS, "IEEE 802.11-2020 table 15-6"),
        /// The time for which the medium must have been free before slots count (DIFS, AIFS)
        idle: Span = time("50 us", TIMES, "SIFS and two slots, IEEE 802.11-2020 section 10.3.2.3"),
        /// The time from the end of a transmission to the receiver's answer, an acknowledgement (SIFS)
        sifs: Span = time("10 us", TIMES, "IEEE 802.11-2020 table 15-6"),
        /// The duration of the receiver's answer, an acknowledgement, with its preamble
        answer: Span = time("304 us", TIMES, "14 bytes at 1 Mbit/s after a long preamble"),
        /// The duration of the physical layer's preamble and header before the first packet of a transmission
        preamble: Span = time("192 us", TIMES, "IEEE 802.11-2020 section 15.2.3, long"),
        /// The size of the framing that is sent with each packet at the link's rate
        framing: Size = size("36 B", FRAMING, "MAC header 24 B, checksum 4 B, LLC and SNAP 8 B"),
        /// The initial contention window: the number of slots is drawn uniformly from 0 to this
        least_window: i64 = integer("31", WINDOWS, "IEEE 802.11-2020 table 15-6"),
        /// The largest contention window, up to which each missing answer about doubles the window; at least
        /// `least_window`
        most_window: i64 = integer("1023", WINDOWS, "IEEE 802.11-2020 table 15-6"),
        /// The largest number of transmissions of a packet; a packet that none of them delivers counts as corrupted
        attempts: i64 = integer("7", Range::between(1.0, 255.0), "IEEE 802.11-2020 dot11ShortRetryLimit"),
        /// Whether all stations wait after a transmission without an answer for as long as an answer would have taken
        /// (EIFS)
        eifs: bool = flag(true, "IEEE 802.11-2020 section 10.3.2.3.7"),
    }
}

parameters! {
    /// Several packets in a turn, each repeated by itself.
    pub struct Wifi {
        /// The parameters of the exchange of packets.
        exchange: Exchange,
        /// The largest number of packets in a transmission, and of packets that wait at the receiver for a
        /// retransmitted one
        aggregate: i64 = integer("64", Range::between(1.0, 256.0), "IEEE 802.11-2020 section 10.25.6: the window of a block acknowledgement"),
        /// The largest number of bytes in a transmission, framing included; one packet is always allowed
        aggregate_size: Size = size("65535 B", Range::between(1.0, 16e6), "IEEE 802.11-2020 section 9.7.1, HT"),
        /// The longest time that the packets of a transmission may take; one packet is always allowed
        aggregate_time: Span = time("5.484 ms", Range { min: 0.0, max: 1.0, above_min: true }, "IEEE 802.11-2020 table 19-25: aPPDUMaxTime"),
    }
}
