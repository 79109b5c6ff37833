//! What the kernel tells of a connection.

/// Declares the fields of an event once: the structure, its bytes, and its columns in recordings.
macro_rules! event {
    ($($(#[$doc:meta])* $name:ident: $kind:ty = $at:literal,)*) => {
        /// An event of a connection, as `tcp.bpf.c` writes it. Packets are segments of the kernel; positions in the stream are bytes
        /// since the connection began, modulo 2^32.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Event {
            $($(#[$doc])* pub $name: $kind,)*
            /// The peer's address: four words for IPv6, the first for IPv4.
            pub peer: [u32; 4],
        }

        impl Event {
            /// The names of the fields, in their order.
            pub const FIELDS: &'static [&'static str] =
                &[$(stringify!($name),)* "peer_0", "peer_1", "peer_2", "peer_3"];

            /// Reads the bytes that the kernel wrote on this machine. Returns `None` if there are too few.
            pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
                let bytes = bytes.get(..BYTES)?;
                Some(Self {
                    $($name: <$kind>::from_ne_bytes(take(bytes, $at)),)*
                    peer: [0, 4, 8, 12].map(|at| u32::from_ne_bytes(take(bytes, PEER_AT + at))),
                })
            }

            /// Returns the fields as a recording has them.
            pub fn fields(&self) -> impl Iterator<Item = i64> {
                [$(self.$name as i64,)*].into_iter().chain(self.peer.map(i64::from))
            }

            /// Reads the fields of a recording, and removes them from the front of `fields`. Returns `None` if one is missing or out
            /// of range.
            pub fn from_fields(fields: &mut impl Iterator<Item = i64>) -> Option<Self> {
                Some(Self {
                    $($name: fields.next()?.try_into().ok()?,)*
                    peer: [read(fields)?, read(fields)?, read(fields)?, read(fields)?],
                })
            }
        }
    };
}

event! {
    /// The monotonic clock in nanoseconds.
    now_ns: u64 = 0,
    /// The number of the connection: from 1, in the order in which connections of a control begin.
    connection: u64 = 8,
    /// The number of the event within the connection, from 1. Numbers are missing where the ring buffer had no room.
    seq: u64 = 16,
    /// What happened: [`BEGIN`] and the following.
    kind: u32 = 24,
    /// The new state (`TCP_CA_...`) in [`STATE`], the event (`CA_EVENT_...`) in [`CWND_EVENT`].
    arg: u32 = 28,
    /// The sum of [`CWND_LIMITED`] and the following, and [the state](Event::state).
    flags: u32 = 32,
    /// The congestion window in force.
    cwnd: u32 = 36,
    /// The slow start threshold in force.
    ssthresh: u32 = 40,
    /// Packets in flight: sent, and neither acknowledged nor considered lost.
    inflight: u32 = 44,
    /// Packets sent and not acknowledged, lost ones included, retransmissions not.
    unsacked: u32 = 48,
    /// Packets that the acknowledgement newly acknowledges, cumulatively or selectively; 0 where the kernel does not say.
    newly_acked: u32 = 52,
    /// Packets in flight before the acknowledgement; 0 where the kernel does not say.
    inflight_before: u32 = 56,
    /// The payload bytes of a full packet.
    mss: u32 = 60,
    /// The smoothed round trip in microseconds, 0 before the first sample.
    srtt_us: u32 = 64,
    /// The round trip that the acknowledgement measures, in microseconds; negative if it measures none.
    rtt_us: i32 = 68,
    /// The first byte not acknowledged.
    una: u32 = 72,
    /// The next byte to be sent for the first time.
    nxt: u32 = 76,
    /// Packets delivered since the connection began.
    delivered: u32 = 80,
    /// Of these, packets whose acknowledgement echoed a congestion mark.
    delivered_ce: u32 = 84,
    /// Packets considered lost since the connection began, retransmissions included.
    lost: u32 = 88,
    /// Packets acknowledged selectively, or duplicate acknowledgements without that option.
    sacked_out: u32 = 92,
    /// Expiries of the retransmission timer without progress since.
    retransmits: u32 = 96,
    /// Packets delivered over the interval of the rate sample; negative if there is no sample.
    rate_delivered: i32 = 100,
    /// The interval of the rate sample in microseconds; negative if there is no sample.
    rate_interval_us: i32 = 104,
    /// `delivered` when the newest packet acknowledged was sent.
    rate_prior_delivered: u32 = 108,
}

const PEER_AT: usize = 112;
/// The bytes of an event.
pub const BYTES: usize = PEER_AT + 16;

/// The connection begins: its handshake has ended, or the control is chosen for an open socket.
pub const BEGIN: u32 = 1;
/// An acknowledgement.
pub const ACK: u32 = 2;
/// The kernel asks for the threshold after a loss, a mark or a timeout.
pub const LOSS: u32 = 3;
/// The state of recovery changes.
pub const STATE: u32 = 4;
/// The kernel restarts the window after idleness, begins to send after a pause, or reports what controls need not hear.
pub const CWND_EVENT: u32 = 5;
/// The last reduction proves wrong.
pub const UNDO: u32 = 6;
/// The connection ends, or takes another control.
pub const END: u32 = 7;

/// The window limits the sender.
pub const CWND_LIMITED: u32 = 1;
/// The application limits the sender.
pub const APP_LIMITED: u32 = 2;
/// The application limited the sender when the packet of the rate sample was sent.
pub const SAMPLE_APP_LIMITED: u32 = 4;
/// The retransmission timer has expired.
pub const TIMER: u32 = 8;
/// Packets are considered lost and not retransmitted.
pub const HAS_LOST: u32 = 16;
/// Explicit congestion notification is in use.
pub const ECN: u32 = 32;
/// The flags have the state of recovery from this bit on.
pub const STATE_SHIFT: u32 = 8;

/// Recovery state after a mark or a local drop (`TCP_CA_CWR`).
pub const STATE_CWR: u32 = 2;
/// Fast recovery (`TCP_CA_Recovery`).
pub const STATE_RECOVERY: u32 = 3;
/// After a timeout (`TCP_CA_Loss`).
pub const STATE_LOSS: u32 = 4;

/// The first packet after a pause is sent (`CA_EVENT_TX_START`).
pub const TX_START: u32 = 0;
/// The window is about to restart after idleness (`CA_EVENT_CWND_RESTART`).
pub const CWND_RESTART: u32 = 1;

/// The third word of an IPv4 address that is written as one of IPv6 (RFC 4291 section 2.5.5.2), in the order of the network.
const MAPPED: u32 = u32::from_ne_bytes([0, 0, 0xff, 0xff]);

impl Event {
    /// Returns the peer's address, which is the same for sockets of both versions of IP.
    pub fn destination(&self) -> [u32; 4] {
        match self.peer {
            [0, 0, MAPPED, address] => [address, 0, 0, 0],
            other => other,
        }
    }

    /// Returns the state of recovery (`TCP_CA_...`) before the event. Recordings from before this field have 0.
    pub fn state(&self) -> u32 {
        self.flags >> STATE_SHIFT & 7
    }

    /// Returns whether a flag is set.
    pub fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }
}

fn take<const LENGTH: usize>(bytes: &[u8], at: usize) -> [u8; LENGTH] {
    let mut taken = [0; LENGTH];
    taken.copy_from_slice(&bytes[at..at + LENGTH]);
    taken
}

fn read(fields: &mut impl Iterator<Item = i64>) -> Option<u32> {
    fields.next()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The structure of `tcp.bpf.c`: names in order, eight bytes for `__u64`, four for the others.
    fn layout_in_c() -> Vec<(String, usize)> {
        let source = include_str!("bin/structops/tcp.bpf.c");
        let body =
            source.split("struct event {").nth(1).and_then(|rest| rest.split('}').next()).unwrap_or("");
        let (mut fields, mut at) = (Vec::new(), 0);
        for line in body.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (kind, names) = line.trim_end_matches(';').split_once(' ').expect("a type and names");
            for name in names.split(',').map(str::trim) {
                fields.push((name.to_owned(), at));
                at += if kind == "__u64" { 8 } else { 4 };
            }
        }
        fields
    }

    #[test]
    fn fields_lie_where_the_kernel_writes_them() {
        let in_c = layout_in_c();
        let ours = &Event::FIELDS[..Event::FIELDS.len() - 4];
        assert_eq!(in_c.len(), ours.len() + 1);
        assert_eq!(in_c.last(), Some(&("peer[4]".to_owned(), PEER_AT)));
        for (name, (in_c, at)) in ours.iter().zip(&in_c) {
            assert_eq!(name, in_c);
            let mut bytes = [0; BYTES];
            bytes[*at] = 1;
            let event = Event::from_bytes(&bytes).expect("enough bytes");
            let set = event.fields().position(|value| value != 0).expect("a field");
            assert_eq!(Event::FIELDS[set], *name);
        }
        assert_eq!(Event::from_bytes(&[0; BYTES - 1]), None);
    }

    #[test]
    fn an_address_is_the_same_for_sockets_of_both_versions() {
        let address = u32::from_ne_bytes([10, 78, 0, 2]);
        let peer = |peer| Event { peer, ..Event::default() }.destination();
        assert_eq!(peer([0, 0, MAPPED, address]), peer([address, 0, 0, 0]));
        assert_eq!(peer([1, 2, 3, 4]), [1, 2, 3, 4]);
    }

    #[test]
    fn fields_of_a_recording_are_those_of_the_event() {
        let bytes: Vec<u8> = (0..BYTES as u8).collect();
        let event = Event::from_bytes(&bytes).expect("enough bytes");
        assert_eq!(Event::from_fields(&mut event.fields()), Some(event));
        assert_eq!(Event::from_fields(&mut event.fields().skip(1)), None, "one is missing");
        assert_eq!(Event::from_fields(&mut event.fields().map(|value| -value)), None, "a count is negative");
    }
}
