//! The receive window as Linux tunes it (net/ipv4/tcp_input.c; the idea is dynamic right-sizing, Fisk and Feng 2001): what the
//! application has taken in a round trip is what the window must hold twice, and more while that grows, as in slow start.
//!
//! The rule counts bytes, as in Linux: how much of the window a packet is decides what it opens. What is advertised are whole
//! packets. Linux counts bytes of memory; here `tcp_rmem` is turned into what of it is window.

use ackclock_base::{Span, Time};

/// What a receiver's window begins with and where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowBounds {
    /// The window before anything has arrived, in packets (`tcp_rmem[1]`).
    pub initial: u64,
    /// The widest that it becomes, in packets (`tcp_rmem[2]`).
    pub most: u64,
    /// The bytes for which the receiver has memory before anything has arrived.
    pub initial_bytes: u64,
    /// Payload bytes of a packet (advmss).
    pub packet_bytes: u32,
}

/// TCP_INIT_CWND: what a first round trip may bring, in packets.
const FIRST_ROUND: u64 = 10;
/// `tcp_rcv_space_adjust`: "some cushion because of small variations", in packets.
const CUSHION: u64 = 16;
/// `tcp_grow_window`: each packet opens the window by two, as long as there is memory for it.
const OPENED_BY_PACKET: u64 = 2;

/// A receive window that follows the application.
#[derive(Clone, Debug)]
pub struct Autotuning {
    packet_bytes: u64,
    /// The widest window, in packets.
    most: u64,
    /// What is advertised, in packets: rcv_ssthresh.
    open: u64,
    /// How far that may open, in packets: window_clamp.
    clamp: u64,
    /// The bytes that the application took in the last round trip: rcvq_space.
    space: u64,
    /// The packets that it had when the round trip began, and when that was.
    taken: u64,
    since: Time,
    /// The round trip as the receiver sees it; zero before the first sample.
    rtt: Span,
    /// The acknowledgement that is being timed: its low bits, and when it left.
    timed: Option<(u16, Time)>,
}

impl Autotuning {
    /// The window of a new connection.
    pub fn new(bounds: WindowBounds) -> Self {
        let initial = bounds.initial.min(bounds.most);
        Self {
            packet_bytes: u64::from(bounds.packet_bytes),
            most: bounds.most,
            open: initial,
            clamp: initial,
            space: Self::first_space(initial, bounds),
            taken: 0,
            since: Time::ZERO,
            rtt: Span::ZERO,
            timed: None,
        }
    }

    /// tcp_init_buffer_space: what ten packets are, or the window; of which one packet's worth is held in reserve, so that a
    /// first window that arrives in full counts for more, and opens the next one, however few packets it has.
    fn first_space(initial: u64, bounds: WindowBounds) -> u64 {
        let packet = u64::from(bounds.packet_bytes);
        let memory = bounds.initial_bytes.min((initial + 1) * packet - 1);
        let reserved = if memory > 2 * packet { (memory - packet).max(2 * packet) } else { memory };
        reserved.min(FIRST_ROUND * packet)
    }

    /// The window to advertise.
    pub fn window(&self) -> u64 {
        self.open
    }

    /// An acknowledgement of this number leaves.
    pub fn on_ack_sent(&mut self, now: Time, number: u64) {
        if self.timed.is_none() {
            self.timed = Some((number as u16, now));
        }
    }

    /// Data has arrived whose sender knew of acknowledgements up to this number, of which these are the low bits. The
    /// application has `delivered` packets now.
    pub fn on_data(&mut self, now: Time, acked: u16, delivered: u64) {
        self.measure(now, acked);
        self.open = (self.open + OPENED_BY_PACKET).min(self.clamp);
        self.adjust(now, delivered);
    }

    /// The same for an application that has read `taken` packets, and that leaves others waiting. The window opens no further than there
    /// is room (tcp_grow_window), and what has not been read does not count (tcp_rcv_space_adjust counts what is copied to it).
    pub fn on_data_for_reader(&mut self, now: Time, acked: u16, taken: u64, waiting: u64) {
        self.measure(now, acked);
        let room = self.clamp.saturating_sub(waiting);
        self.open = (self.open + OPENED_BY_PACKET).min(room).max(self.open);
        self.adjust(now, taken);
    }

    /// How far the window may open: the room of an empty buffer.
    pub fn clamp(&self) -> u64 {
        self.clamp
    }

    #[inline]
    fn adjust(&mut self, now: Time, delivered: u64) {
        // tcp_rcv_space_adjust.
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

    /// `tcp_rcv_rtt_measure_ts`: the time until data comes back that was sent after the acknowledgement had arrived. Linux smooths
    /// samples of every acknowledgement; one in a round trip is taken as it is.
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

    /// Rounds in each of which so many packets arrive, all acknowledged, one after another and then a pause; the window at the
    /// beginning of each, and at the end.
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
    fn a_sender_in_slow_start_finds_the_window_open() {
        let mut tuning = Autotuning::new(bounds(45, 2172));
        // The round trip is known when the second round begins to arrive, whose first packet closes the count of the first:
        // 11 of at first 10, steady 2 * 11 + 16 = 38, growth 38 * 1 / 10 = 3.8, 45.6 are what there is. The third round's first
        // packet counts 20 after 11: 56 + 2 * (56 * 9 / 11 = 45.8) = 147, towards which the 39 others open by two: 45 + 78 = 123.
        // The fourth's counts 40 after 20: 96 + 2 * 96 = 288, and 80 packets open 123 + 160 = 283 of them.
        let windows = play(&mut tuning, &[10, 20, 40, 80, 160]);
        assert_eq!(windows[..5], [45, 45, 45, 123, 283]);
        assert_eq!(tuning.rtt, RTT);
        // Each round's packets find at least a window of twice as many.
        for (window, packets) in windows[1..].iter().zip([20, 40, 80, 160]) {
            assert!(*window >= packets, "{windows:?}");
        }
    }

    #[test]
    fn a_window_of_few_large_packets_opens() {
        // 65,536 bytes are seven packets of 8,948. One is held in reserve, 56,588 bytes are left. The first measured round trip
        // brings eight, 71,584 bytes: 2 * 71,584 + 16 * 8,948 = 286,336, growth 286,336 * 14,996 / 56,588 = 75,879, together 438,094
        // bytes or 48 packets, towards which each of the window's packets opens by two.
        let bounds = WindowBounds { initial: 7, most: 351, initial_bytes: 65_536, packet_bytes: 8948 };
        let mut tuning = Autotuning::new(bounds);
        assert_eq!(tuning.space, 56_588);
        play(&mut tuning, &[7, 1]);
        assert_eq!((tuning.clamp, tuning.space), (48, 71_584));
        // A sender that fills each window finds it open to the end.
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
    fn an_application_that_takes_no_more_than_before_leaves_the_window_as_it_is() {
        let mut tuning = Autotuning::new(bounds(45, 2172));
        let windows = play(&mut tuning, &[10; 20]);
        assert!(windows.iter().all(|window| *window == 45), "{windows:?}");
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
