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
        /// A slot of that time
        slot: Span = time("50 us", SLOTS, "ns-2's Mac/Simple: 100 bits, here at 2 Mbit/s"),
        /// The most slots; how many they are is drawn evenly from 0 on
        window: i64 = integer("39", WINDOWS, "ns-2's Mac/Simple"),
        /// What is sent with each packet
        framing: Size = size("0 B", FRAMING, "ns-2's Mac/Simple"),
    }
}

parameters! {
    /// Basic access with the times of direct sequence at 1 and 2 Mbit/s.
    pub struct Dcf {
        /// How a packet is exchanged.
        exchange: Exchange,
    }
}

parameters! {
    /// How a packet is exchanged.
    pub struct Exchange {
        /// A slot of the random time
        slot: Span = time("20 us", SLOTS, "IEEE 802.11-2020 table 15-6"),
        /// How long the medium must have been free before slots count (DIFS, AIFS)
        idle: Span = time("50 us", TIMES, "SIFS and two slots, IEEE 802.11-2020 section 10.3.2.3"),
        /// How long the other end takes to begin its answer (SIFS)
        sifs: Span = time("10 us", TIMES, "IEEE 802.11-2020 table 15-6"),
        /// The answer, its preamble included
        answer: Span = time("304 us", TIMES, "14 bytes at 1 Mbit/s after a long preamble"),
        /// Preamble and header of the physical layer before the first packet of a turn
        preamble: Span = time("192 us", TIMES, "IEEE 802.11-2020 section 15.2.3, long"),
        /// What is sent with each packet at the link's rate
        framing: Size = size("36 B", FRAMING, "24 of header, 4 of checksum, 8 of LLC and SNAP"),
        /// Slots are drawn from 0 to this at first
        least_window: i64 = integer("31", WINDOWS, "IEEE 802.11-2020 table 15-6"),
        /// After silence upon silence, from 0 to this
        most_window: i64 = integer("1023", WINDOWS, "IEEE 802.11-2020 table 15-6"),
        /// How often a packet is sent before it is given up
        attempts: i64 = integer("7", Range::between(1.0, 255.0), "IEEE 802.11-2020 dot11ShortRetryLimit"),
        /// Whether after a packet that nobody answers all wait as long as an answer would take (EIFS)
        eifs: bool = flag(true, "IEEE 802.11-2020 section 10.3.2.3.7"),
    }
}

parameters! {
    /// Several packets in a turn, each repeated by itself.
    pub struct Wifi {
        /// How they are exchanged.
        exchange: Exchange,
        /// Packets of a turn at most; as many may wait at the other end for one that is repeated
        aggregate: i64 = integer("64", Range::between(1.0, 256.0), "IEEE 802.11-2020 section 10.25.6: the window of a block acknowledgement"),
        /// Bytes of a turn at most
        aggregate_size: Size = size("65535 B", Range::between(1.0, 16e6), "IEEE 802.11-2020 section 9.7.1, HT"),
        /// How long the packets of a turn take at most
        aggregate_time: Span = time("5.484 ms", Range { min: 0.0, max: 1.0, above_min: true }, "IEEE 802.11-2020 table 19-25: aPPDUMaxTime"),
    }
}
