//! Retransmissions count for the pacer: what leaves whatever the window delays what follows.

use super::*;
use ackclock_base::Rate;
use std::collections::BTreeSet;

/// A control with a rate of 200 packets of 1000 bytes a second and a window that never fills.
struct Fixed;

impl Control for Fixed {
    fn decision(&self) -> Decision {
        let pacing_rate = Some(Rate::from_bits_per_second(200 * 8000));
        Decision { pacing_rate, ..Decision::window(5000.0, f64::INFINITY) }
    }

    fn on_ack(&mut self, _ack: &Ack, _random: &mut dyn Random) {}

    fn on_loss(&mut self, _loss: &Loss, _random: &mut dyn Random) {}

    fn on_timeout(&mut self, _timeout: &Timeout, _random: &mut dyn Random) {}
}

/// A path that loses the first transmission of every 50th packet, and its receiver.
#[derive(Default)]
struct Lossy {
    now: Time,
    sent: Vec<Time>,
    retransmitted: usize,
    /// The packets that have arrived, by the times of their acknowledgements.
    arrivals: VecDeque<(Time, u64)>,
    beyond: BTreeSet<u64>,
    next: u64,
}

impl Output for Lossy {
    fn send(&mut self, transmission: Transmission) -> Option<u16> {
        self.sent.push(self.now);
        self.retransmitted += usize::from(transmission.again);
        if transmission.again || transmission.number % 50 != 49 {
            self.arrivals.push_back((self.now + RTT, transmission.number));
        }
        Some(1)
    }
}

/// Runs a minute under a rule. Returns the times of the packets sent, and the number of retransmissions.
fn run(detection: Box<dyn Detection>, dupack_threshold: u32) -> (Vec<Time>, usize) {
    let options = Options { dupack_threshold, ..Options::recommended(Units::packets(1000)) };
    let parts = Parts {
        controller: Controller::Model(Box::new(Fixed)),
        detection,
        backoff: Box::new(Exponential { most: 64.0 }),
        random: Box::new(Scripted::new(&[0.25])),
    };
    let (mut sender, mut path) = (Sender::new(options, parts, u64::MAX), Lossy::default());
    sender.begin(path.now);
    sender.open(path.now, &mut path);
    loop {
        let arrival = path.arrivals.front().map_or(Time::NEVER, |(at, _)| *at);
        path.now = arrival.min(sender.timer());
        if path.now > at(60_000) {
            return (path.sent, path.retransmitted);
        }
        if arrival > path.now {
            sender.on_timer(path.now, &mut path);
            continue;
        }
        let (_, number) = path.arrivals.pop_front().unwrap();
        path.beyond.insert(number);
        while path.beyond.remove(&path.next) {
            path.next += 1;
        }
        let ranges: Vec<Range<u64>> = path.beyond.iter().map(|number| *number..number + 1).collect();
        let acknowledgement = Acknowledgement {
            cumulative: path.next,
            ranges: ranges.into_iter(),
            stamp: Some(path.now - RTT),
            one_way_delay: None,
            dsack: None,
            marks: MarkFeedback::default(),
            advances: None,
            held: None,
        };
        sender.on_ack(path.now, acknowledgement, &mut path);
    }
}

#[test]
fn a_rate_holds_with_the_retransmissions_that_begin_recoveries() {
    // 200 packets a second leave in a minute, at 0, 5, 10 ... 60,000 ms: 12,001, of which one in 50 is lost, apart from
    // those of the last quarter of a second. Under RACK a retransmission waits for its turn, so no gap is shorter
    // than 5 ms. Under RFC 6675 without a proportional reduction it leaves at once, and the packets after it wait.
    let (times, retransmitted) = run(rack(), 0);
    assert_eq!(times.len(), 12_001);
    assert!((230..=236).contains(&retransmitted), "{retransmitted}");
    assert!(times.windows(2).all(|pair| pair[1].since(pair[0]) >= Span::from_millis(5)));
    let (times, retransmitted) = run(sack(Flight::Inferred), 3);
    assert!((12_000..=12_001).contains(&times.len()), "{}", times.len());
    assert!((230..=236).contains(&retransmitted), "{retransmitted}");
}
