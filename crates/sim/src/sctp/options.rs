//! The profiles that bundle the details of SCTP, and the options of an association.

use super::details::{BurstBound, Details, Repair, RetransmitTo};
use crate::reading::ReaderOptions;
use ackclock_base::{Descriptor, Kind, Packets, Size, Span, Values};
use ackclock_cc::Initial;
use ackclock_recovery::declared::{AfterIdle, Growth, ReduceFrom, UndoRules, WindowRules};
use ackclock_recovery::units::initial_window;
use ackclock_recovery::validation::CwndValidation;
use ackclock_recovery::{Options as RecoveryOptions, Units};

/// The profiles, in the order of lists.
pub const PROFILES: &[Descriptor] = &[
    profile("sctp", "SCTP as the RFCs specify it today", "RFC 9260, RFC 7829", &[]),
    profile(
        "sctp-thesis",
        "This project's SCTP with the rules of ns-2's agent of 2006 and the settings that Dahal 2007 states",
        "ns-2's SCTP module, release 3.6; RFC 2960; Dahal section 6.2.1",
        &[
            ("chunk", "1456 B"),
            ("receive_window", "1310720 B"),
            ("initial_window", "2 packets"),
            ("initial_ssthresh", "65536 B"),
            ("idle_window", "2 packets"),
            ("min_window", "1 packet"),
            ("idle_sets_ssthresh", "false"),
            ("missing_reports", "4"),
            ("sack_first_packet", "false"),
            ("sack_filled_gap", "false"),
            ("sack_duplicate_resets", "false"),
            ("handshake_rtt", "false"),
            ("initial_rto", "3 s"),
            ("heartbeat_repeat", "always"),
            ("confirm_paths", "false"),
            // ns-2's changePrimaryThresh_ is -1 for "never", but its source compares that as a signed number,
            // so that the primary path changes whenever it fails and nothing returns to it.
            ("failback", "false"),
            ("retransmit_to", "alternate"),
            ("repair", "ns2"),
            ("burst_bound", "after-retransmission"),
        ],
    ),
];

const fn profile(
    name: &'static str,
    summary: &'static str,
    source: &'static str,
    presets: &'static [(&'static str, &'static str)],
) -> Descriptor {
    Descriptor { kind: Kind::Transport, name, summary, source, parameters: Details::TABLE, presets }
}

/// Returns the profile called `name`; `None` if there is none.
pub fn find(name: &str) -> Option<&'static Descriptor> {
    PROFILES.iter().find(|descriptor| descriptor.name == name)
}

/// The size of the IPv4 header and the common header, in bytes.
pub const HEADER_BYTES: u32 = 20 + 12;
/// The size of the header of a DATA chunk, in bytes.
pub const DATA_HEADER_BYTES: u32 = 16;
/// The size of a timestamp chunk, in bytes (Caro et al. 2003).
pub const TIMESTAMP_BYTES: u32 = 12;

/// The largest number of paths of an association.
pub const MAX_PATHS: usize = 8;

/// The sizes of packets on the wire, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// The size of a DATA chunk with its header. Windows count it.
    pub chunk: u32,
    /// The payload of a DATA chunk.
    pub payload: u32,
    /// The size of the largest DATA chunk that fits into a packet, which is the unit of windows.
    pub max_chunk: u32,
    /// The size of a packet with a DATA chunk.
    pub data: u32,
    /// The size of a packet with a SACK chunk, without gap blocks.
    pub sack: u32,
    /// The largest number of gap blocks in a SACK.
    pub max_blocks: usize,
}

impl Sizes {
    fn of(details: &Details) -> Self {
        let bytes = |size: Size| size.bytes() as u32;
        let beside = HEADER_BYTES + if details.timestamps { TIMESTAMP_BYTES } else { 0 };
        let max_chunk = bytes(details.mtu).saturating_sub(beside).max(DATA_HEADER_BYTES + 4);
        let chunk = details.chunk.map_or(max_chunk, bytes).min(max_chunk);
        let sack = beside + 16;
        Self {
            chunk,
            payload: chunk.saturating_sub(DATA_HEADER_BYTES).max(1),
            max_chunk,
            data: beside + chunk,
            sack,
            max_blocks: (bytes(details.mtu).saturating_sub(sack) / 4) as usize,
        }
    }
}

/// The options of an association.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The details as given.
    pub details: Details,
    /// The sizes of packets.
    pub sizes: Sizes,
    /// The options of each path's loss recovery.
    pub recovery: RecoveryOptions,
    /// The options of the receiver's reading application; `None` if it reads everything at once.
    pub reader: Option<ReaderOptions>,
}

impl Options {
    /// Creates the options from a profile's values.
    pub fn new(values: &Values) -> Self {
        let details = Details::from(values);
        let sizes = Sizes::of(&details);
        let units = Units::bytes(sizes.max_chunk).passing_the_window();
        Self {
            sizes,
            reader: None,
            recovery: RecoveryOptions {
                notes_limits: false,
                dupack_threshold: 0,
                timer: details.timer,
                rules: WindowRules {
                    reduce_from: ReduceFrom::Window, // RFC 9260 section 7.2.3
                    min_window: details.min_window,
                    growth: Growth::Delivered,
                    cwnd_validation: CwndValidation::Full, // section 7.2.1: cwnd is fully utilized
                    after_idle: AfterIdle::Keep, // by section 7.2.1 an idle window decays, see `path.rs`
                    keeps_threshold: false,
                    ..WindowRules::default()
                },
                abc_limit: 1, // section 7.2.1, L = 1
                times_gaps: true,
                undo: UndoRules::NONE,
                pacing: false,
                ..RecoveryOptions::recommended(units)
            },
            details,
        }
    }

    /// Returns the values that the control of a path is given at the start.
    pub fn initial(&self) -> Initial {
        let packets = |size: Size| size.bytes() as f64 / f64::from(self.sizes.max_chunk);
        Initial {
            window: self.first_window(),
            ssthresh: self.details.initial_ssthresh.map_or(f64::INFINITY, packets),
            limit: packets(self.details.receive_window),
            packet_bytes: self.sizes.max_chunk,
            header_bytes: self.sizes.data.saturating_sub(self.sizes.chunk),
            selective_acks: true,
            paced: self.recovery.pacing,
            min_window: self.recovery.rules.min_window,
            loss_window: 1.0, // RFC 9260 section 7.2.3
        }
    }

    /// Returns the congestion window of a path at the start: the value that is set, or
    /// `min(4 * PMDCS, max(2 * PMDCS, 4404 B))` (RFC 9260 section 7.2.1), where PMDCS is the largest DATA chunk that fits into a
    /// packet.
    pub fn first_window(&self) -> Packets {
        self.details.initial_window.unwrap_or_else(|| initial_window(self.sizes.max_chunk, 4.0, 4404))
    }

    /// Returns whether ns-2's rules of repair apply, by which all lost chunks are retransmitted before new
    /// data is sent.
    pub fn repairs_first(&self) -> bool {
        self.details.repair == Repair::Ns2
    }

    /// Returns the largest number of packets to send at one event; [`u64::MAX`] for no limit.
    /// `after_retransmission` tells whether the event acknowledges a retransmission, to which the limit may
    /// be restricted.
    pub fn burst(&self, after_retransmission: bool) -> u64 {
        let holds = after_retransmission || self.details.burst_bound == BurstBound::Always;
        self.details.max_burst.filter(|_| holds).unwrap_or(u64::MAX)
    }

    /// Returns the rule for the path that retransmits a lost chunk.
    pub fn retransmit_to(&self) -> RetransmitTo {
        self.details.retransmit_to
    }

    /// Returns the time for which SACKs are held back; `None` if they are not delayed.
    pub fn sack_delay(&self) -> Option<Span> {
        self.details.delayed_sack.then_some(self.details.sack_delay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_ns_2() {
        // The largest DATA chunk has 1500 - 20 - 12 = 1468 B, or 1456 B with the timestamp chunk of 12 B.
        // With chunks of 1456 B, packets have 1488 B and 1500 B.
        let thesis = find("sctp-thesis").unwrap();
        let sizes = Options::new(&thesis.defaults()).sizes;
        assert_eq!((sizes.max_chunk, sizes.chunk, sizes.data, sizes.payload), (1468, 1456, 1488, 1440));
        let sizes = Options::new(&Values::with(thesis, &[("timestamps", "true")])).sizes;
        assert_eq!((sizes.max_chunk, sizes.chunk, sizes.data, sizes.sack), (1456, 1456, 1500, 60));
        let sizes = Options::new(&PROFILES[0].defaults()).sizes;
        assert_eq!((sizes.max_chunk, sizes.chunk, sizes.data, sizes.payload), (1468, 1468, 1500, 1452));
    }
}
