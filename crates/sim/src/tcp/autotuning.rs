//! The receive window as Linux tunes it (net/ipv4/tcp_input.c; the idea is dynamic right-sizing, Fisk and
//! Feng 2001): the window must hold twice the data that the application has taken in a round trip, and more
//! while that amount grows, as in slow start.
//!
//! The rule counts bytes, as in Linux, since the window that it finds depends on the size of a packet. The
//! advertised window is a whole number of packets. Linux counts bytes of memory; here `tcp_rmem` is converted
//! to the part of it that serves as window.

use ackclock_base::{Span, Time};

/// The initial and the largest receive window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowBounds {
    /// The window before any data has arrived, in packets (`tcp_rmem[1]`).
    pub initial: u64,
    /// The largest window, in packets (`tcp_rmem[2]`).
    pub most: u64,
    /// The receiver's memory before any data has arrived, in bytes.
    pub initial_bytes: u64,
    /// The payload bytes of a packet (advmss).
    pub packet_bytes: u32,
}

/// TCP_INIT_CWND: the number of packets that a first round trip may bring.
const FIRST_ROUND: u64 = 10;
/// `tcp_rcv_space_adjust`: "some cushion because of small variations", in packets.
const CUSHION: u64 = 16;
/// `tcp_grow_window`: each packet opens the window by two packets, as long as there is memory for them.
const OPENED_BY_PACKET: u64 = 2;

/// The first upper limit of the window as a multiple of the initial window. The initial window is half of the memory; a packet of
/// 1448 B takes 2304 B, 160 of whose 256 parts are data (`tcp_measure_rcv_mss`, scaling_ratio).
const FIRST_CLAMP: (u64, u64) = (160, 128);

/// A receive window that follows the application's reading.
#[derive(Clone, Debug)]
pub struct Autotuning {
    packet_bytes: u64,
    /// The largest window, in packets.
    most: u64,
    /// The advertised window, in packets: rcv_ssthresh.
    open: u64,
    /// The present upper limit of the advertised window, in packets: window_clamp.
    clamp: u64,
    /// The most bytes that the application has taken in one round trip, or the initial value if that is
    /// higher: rcvq_space.
    space: u64,
    /// The packets that the application had taken when the present round trip began, and the time of that.
    taken: u64,
    since: Time,
    /// The round-trip time measured by the receiver; zero before the first sample.
    rtt: Span,
    /// The acknowledgement that is being timed: the low bits of its number, and when it was sent.
    timed: Option<(u16, Time)>,
}

impl Autotuning {
    /// Creates the window of a new connection.
    pub fn new(bounds: WindowBounds) -> Self {
        let initial = bounds.initial.min(bounds.most);
        Self {
            packet_bytes: u64::from(bounds.packet_bytes),
            most: bounds.most,
            open: initial,
            clamp: (initial * FIRST_CLAMP.0 / FIRST_CLAMP.1).min(bounds.most),
            space: Self::first_space(initial, bounds),
            taken: 0,
            since: Time::ZERO,
            rtt: Span::ZERO,
            timed: None,
        }
    }

    /// Returns the initial value of `space`, as tcp_init_buffer_space does: the bytes of ten packets, or
    /// those of the window less one packet, whichever is less. One packet is held in reserve, so that a first
    /// window that arrives in full exceeds the value and opens the next window, however few packets it has.
    fn first_space(initial: u64, bounds: WindowBounds) -> u64 {
        let packet = u64::from(bounds.packet_bytes);
        let memory = bounds.initial_bytes.min((initial + 1) * packet - 1);
        let reserved = if memory > 2 * packet { (memory - packet).max(2 * packet) } else { memory };
        reserved.min(FIRST_ROUND * packet)
    }

    /// Returns the window to advertise, in packets.
    pub fn window(&self) -> u64 {
        self.open
    }

    /// Returns the round-trip time measured by the receiver; zero before the first sample.
    pub fn rtt(&self) -> Span {
        self.rtt
    }

    /// Starts timing an acknowledgement of this number that is being sent, unless another one is timed.
    pub fn on_ack_sent(&mut self, now: Time, number: u64) {
        if self.timed.is_none() {
            self.timed = Some((number as u16, now));
        }
    }

    /// Updates the round-trip time and the window. Called when data has arrived whose sender knew of
    /// acknowledgements up to the number with the low bits `acked`. The application has taken `delivered`
    /// packets by now. Returns whether the packet has opened the window.
    pub fn on_data(&mut self, now: Time, acked: u16, delivered: u64) -> bool {
        self.measure(now, acked);
        let opened = (self.open + OPENED_BY_PACKET).min(self.clamp);
        let opens = opened > self.open;
        self.open = opened;
        self.adjust(now, delivered);
        opens
    }

    /// Updates the round-trip time and the window for an application that has read `taken` packets and leaves
    /// `waiting` packets unread. Called instead of [`Self::on_data`]. The window opens no further than there
    /// is room (tcp_grow_window), and unread packets do not count as taken (tcp_rcv_space_adjust counts what
    /// is copied to the application). Returns whether the packet has opened the window.
    pub fn on_data_for_reader(&mut self, now: Time, acked: u16, taken: u64, waiting: u64) -> bool {
        self.measure(now, acked);
        let room = self.clamp.saturating_sub(waiting);
        let opened = (self.open + OPENED_BY_PACKET).min(room).max(self.open);
        let opens = opened > self.open;
        self.open = opened;
        self.adjust(now, taken);
        opens
    }

    /// Returns the present upper limit of the window, which is the room of an empty buffer, in packets.
    pub fn clamp(&self) -> u64 {
        self.clamp
    }

    #[inline]
    fn adjust(&mut self, now: Time, delivered: u64) {
        // See tcp_rcv_space_adjust.
        if self.rtt == Span::ZERO || now.since(self.since) < self.rtt {
            return;
        }
        let copied = (delivered - self.taken) * self.packet_bytes;
        if copied > self.space {
            let steady = 2 * copied + CUSHION * self.packet_bytes;
            let growth = u128::from(steady) * u128::from(copied - self.space) / u128::from(self.space);
            let window = (u128::from(steady) + 2 * growth) / u128::from(self.packet_bytes);
            let window = u64::try_from(window).unwrap_or(u64::MAX);
            self.clamp = window.clamp(self.clamp, self.most.max(self.clamp));
            self.space = copied;
        }
        (self.taken, self.since) = (delivered, now);
    }

    /// Measures the time from sending the timed acknowledgement to the arrival of data that was sent after
    /// that acknowledgement had arrived (`tcp_rcv_rtt_measure_ts`). Linux smooths samples of every
    /// acknowledgement; here one sample per round trip is used as it is.
    fn measure(&mut self, now: Time, acked: u16) {
        if let Some((number, sent)) = self.timed
            && acked.wrapping_sub(number) < u16::MAX / 2
        {
            self.rtt = now.since(sent).max(Span::from_nanos(1));
            self.timed = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Span = Span::from_millis(100);

    fn bounds(initial: u64, most: u64) -> WindowBounds {
        WindowBounds { initial, most, initial_bytes: 65_536, packet_bytes: 1448 }
    }

    /// Plays rounds of 100 ms. In each, the given number of packets arrives at the beginning, sent by a
    /// sender that knows of the acknowledgements of all earlier rounds, and each packet is acknowledged.
    /// Returns the window before the first round and after each round's packets.
    fn play(tuning: &mut Autotuning, rounds: &[u64]) -> Vec<u64> {
        let mut delivered = 0;
        let mut windows = vec![tuning.window()];
        for (round, packets) in rounds.iter().enumerate() {
            let now = Time::from_seconds(1.0) + RTT * round as u64;
            let acked = delivered;
            for _ in 0..*packets {
                delivered += 1;
                tuning.on_data(now, acked as u16, delivered);
                tuning.on_ack_sent(now, delivered);
            }
            windows.push(tuning.window());
        }
        windows
    }

    #[test]
    fn unread_packets_leave_less_room_for_the_window_to_open() {
        // Memory of 45 * 160 / 128 = 56 packets less ten that are unread leaves room for 46: the first packet
        // opens the window from 45 to there, and the second no further. Once all are read, a packet opens it
        // by two.
        let (mut tuning, now) = (Autotuning::new(bounds(45, 2172)), Time::from_seconds(1.0));
        let opens = [10, 10, 0].map(|waiting| {
            let opens = tuning.on_data_for_reader(now, 0, 0, waiting);
            (opens, tuning.window())
        });
        assert_eq!(opens, [(true, 46), (false, 46), (true, 48)]);
    }

    #[test]
    fn a_sender_in_slow_start_finds_the_window_open() {
        let mut tuning = Autotuning::new(bounds(45, 2172));
        // In packets: memory of 45 * 160 / 128 = 56 packets lets the first packets open the window from 45. The
        // round trip is known when the second round begins to arrive. Its first packet closes the count of the
        // first round, 11 packets against an initial 10. Twice that and 16 more are 38, growth adds 2 * 38 * 1 /
        // 10, and 45.6 packets raise nothing. The third round's first packet counts 20 against 11: 56 + 2 * (56 *
        // 9 / 11 = 45.8) = 147, towards which the 39 others open the window by two each: 56 + 78 = 134. The
        // fourth round's first packet counts 40 against 20: 96 + 2 * 96 = 288. It opens the window to 136, and 79
        // others would open it to 136 + 158 = 294.
        let windows = play(&mut tuning, &[10, 20, 40, 80, 160]);
        assert_eq!(windows[..5], [45, 56, 56, 134, 288]);
        assert_eq!(tuning.rtt, RTT);
        // Each round's packets find a window of at least twice their number.
        for (window, packets) in windows[1..].iter().zip([20, 40, 80, 160]) {
            assert!(*window >= packets, "{windows:?}");
        }
    }

    #[test]
    fn a_window_of_few_large_packets_opens() {
        // 65,536 bytes are seven packets of 8,948. One is held in reserve, which leaves 56,588 bytes. The
        // first measured round trip brings eight packets, 71,584 bytes. Twice that and 16 packets are 2 *
        // 71,584 + 16 * 8,948 = 286,336, of which growth is 286,336 * 14,996 / 56,588 = 75,879. With twice
        // the growth they are 438,094 bytes or 48 packets, towards which each packet that arrives opens the
        // window by two.
        let bounds = WindowBounds { initial: 7, most: 351, initial_bytes: 65_536, packet_bytes: 8948 };
        let mut tuning = Autotuning::new(bounds);
        assert_eq!(tuning.space, 56_588);
        play(&mut tuning, &[7, 1]);
        assert_eq!((tuning.clamp, tuning.space), (48, 71_584));
        // A sender that fills each window finds it growing until the limit.
        let mut tuning = Autotuning::new(bounds);
        let mut rounds = vec![7];
        while rounds.len() < 20 && tuning.window() < 351 {
            tuning = Autotuning::new(bounds);
            play(&mut tuning, &rounds);
            rounds.push(tuning.window());
        }
        assert_eq!(tuning.window(), 351, "{rounds:?}");
    }

    #[test]
    fn a_steady_application_leaves_the_window_unchanged() {
        let mut tuning = Autotuning::new(bounds(45, 2172));
        let windows = play(&mut tuning, &[10; 20]);
        assert!(windows[1..].iter().all(|window| *window == 56), "{windows:?}");
    }

    #[test]
    fn the_window_ends_where_the_memory_does_and_never_shrinks() {
        let mut tuning = Autotuning::new(bounds(45, 300));
        let windows = play(&mut tuning, &[10, 20, 40, 80, 160, 300, 300, 10, 10]);
        assert!(windows.is_sorted(), "{windows:?}");
        assert_eq!(windows.last(), Some(&300));
        let tuning = Autotuning::new(bounds(45, 30));
        assert_eq!(tuning.window(), 30);
    }
}
