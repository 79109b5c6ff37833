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
        /// Length of a slot of the random backoff
        slot: Span = time("50 us", SLOTS, "ns-2's Mac/Simple: 100 bit times, here at 2 Mbit/s"),
        /// Contention window: the number of backoff slots is drawn uniformly from 0 to this number
        window: i64 = integer("39", WINDOWS, "ns-2's Mac/Simple"),
        /// Size of the link-layer framing (headers, checksum) sent with each packet at the link's rate
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
        /// Length of a slot of the random backoff
        slot: Span = time("20 us", SLOTS, "IEEE 802.11-2020 table 15-6"),
        /// Time for which the medium must be idle before stations count down backoff slots (DIFS, AIFS)
        idle: Span = time("50 us", TIMES, "SIFS and two slots, IEEE 802.11-2020 section 10.3.2.3"),
        /// Time from the end of a transmission to the receiver's link-layer acknowledgement (SIFS)
        sifs: Span = time("10 us", TIMES, "IEEE 802.11-2020 table 15-6"),
        /// Duration of the receiver's link-layer acknowledgement, including its preamble
        answer: Span = time("304 us", TIMES, "14 bytes at 1 Mbit/s after a long preamble"),
        /// Duration of the physical layer's preamble and header before the first packet of a transmission
        preamble: Span = time("192 us", TIMES, "IEEE 802.11-2020 section 15.2.3, long"),
        /// Size of the link-layer framing (headers, checksum) sent with each packet at the link's rate
        framing: Size = size("36 B", FRAMING, "MAC header 24 B, checksum 4 B, LLC and SNAP 8 B"),
        /// Initial contention window (CWmin): the number of backoff slots is drawn uniformly from 0 to the contention
        /// window
        least_window: i64 = integer("31", WINDOWS, "IEEE 802.11-2020 table 15-6"),
        /// Largest contention window (CWmax): each missing acknowledgement about doubles the contention window, up to
        /// this value; a value below `least_window` counts as `least_window`
        most_window: i64 = integer("1023", WINDOWS, "IEEE 802.11-2020 table 15-6"),
        /// Largest number of transmissions of a packet; a packet that the receiver gets in none of them counts as
        /// corrupted
        attempts: i64 = integer("7", Range::between(1.0, 255.0), "IEEE 802.11-2020 dot11ShortRetryLimit"),
        /// Whether, after a transmission without an acknowledgement, all stations wait for as long as the
        /// acknowledgement would have taken (EIFS)
        eifs: bool = flag(true, "IEEE 802.11-2020 section 10.3.2.3.7"),
    }
}

parameters! {
    /// Several packets in a turn, each repeated by itself.
    pub struct Wifi {
        /// The parameters of the exchange of packets.
        exchange: Exchange,
        /// Largest number of packets in a transmission (A-MPDU), and size of the block acknowledgement window, in
        /// packets
        aggregate: i64 = integer("64", Range::between(1.0, 256.0), "IEEE 802.11-2020 section 10.25.6: the window of a block acknowledgement"),
        /// Largest number of bytes in a transmission, framing included; one packet is always allowed
        aggregate_size: Size = size("65535 B", Range::between(1.0, 16e6), "IEEE 802.11-2020 section 9.7.1, HT"),
        /// Longest total duration of the packets of a transmission; one packet is always allowed
        aggregate_time: Span = time("5.484 ms", Range { min: 0.0, max: 1.0, above_min: true }, "IEEE 802.11-2020 table 19-25: aPPDUMaxTime"),
    }
}
