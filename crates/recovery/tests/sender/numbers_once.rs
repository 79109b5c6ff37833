//! Tests of a sender that uses no number twice, as QUIC's: the data of a lost packet waits for a new number.

use super::*;
use ackclock_recovery::detection::quic::{Quic, QuicOptions, Thresholds};
use ackclock_recovery::sender::Held;
use std::collections::BTreeSet;

/// The numbers that have been sent, and the lost ones whose data waits for a new one.
#[derive(Default)]
struct Datagrams {
    sent: Vec<u64>,
    waits: BTreeSet<u64>,
}

impl Output for Datagrams {
    fn send(&mut self, transmission: Transmission) -> Option<u16> {
        self.waits.pop_first();
        self.sent.push(transmission.number);
        Some(1)
    }

    fn on_acked(&mut self, number: u64) -> u64 {
        u64::from(self.waits.remove(&number))
    }

    fn on_lost(&mut self, number: u64) -> bool {
        self.waits.insert(number)
    }
}

/// A window of ten packets, and of two after a loss.
struct Falling(Packets);

impl Control for Falling {
    fn decision(&self) -> Decision {
        Decision::window(self.0, f64::INFINITY)
    }

    fn on_ack(&mut self, _ack: &Ack, _random: &mut dyn Random) {}

    fn on_loss(&mut self, _loss: &Loss, _random: &mut dyn Random) {
        self.0 = 2.0;
    }

    fn on_timeout(&mut self, timeout: &Timeout, _random: &mut dyn Random) {
        panic!("no timer expires: {timeout:?}");
    }
}

/// Sends ten packets, all that there is; at 200 ms packets 1 to 3 are acknowledged, so that 0 is lost, and six are in
/// flight under a window of two. Then the ranges are acknowledged, one each 10 ms. Returns what was sent.
fn sent(ranges: &[Range<u64>]) -> Vec<u64> {
    let options = Options {
        numbers_once: true,
        dupack_threshold: 0,
        pacing: false,
        ..Options::recommended(Units::packets(1000))
    };
    let detection = Quic::new(QuicOptions {
        thresholds: Thresholds::RFC,
        max_ack_delay: Span::from_millis(25),
        undoes: false,
    });
    let parts = Parts {
        controller: Controller::Model(Box::new(Falling(10.0))),
        detection: Box::new(detection),
        backoff: Box::new(Exponential { most: 64.0 }),
        random: Box::new(Scripted::new(&[0.25])),
    };
    let (mut sender, mut datagrams) = (Sender::new(options, parts, 10), Datagrams::default());
    sender.begin(at(0));
    sender.await_answer(at(0));
    sender.on_answer(at(100), at(0));
    sender.open(at(100), &mut datagrams);
    for (index, range) in std::iter::once(&(1..4)).chain(ranges).enumerate() {
        let now = at(200 + 10 * index as u64);
        let acknowledgement = Acknowledgement {
            cumulative: 0,
            ranges: std::iter::once(range.clone()),
            stamp: None,
            one_way_delay: None,
            dsack: None,
            marks: MarkFeedback::default(),
            advances: None,
            held: Some(Held { end: range.end, delay: Span::ZERO }),
        };
        sender.on_ack(now, acknowledgement, &mut datagrams);
    }
    datagrams.sent
}

#[test]
fn data_that_arrives_after_all_is_not_sent_again() {
    // The data of packet 0 leaves in packet 10 once fewer than two packets are in flight. If packet 0 arrives before
    // that, there is nothing more to send, and nothing is sent.
    let first: Vec<u64> = (0..10).collect();
    assert_eq!(sent(std::slice::from_ref(&(1..9))), (0..11).collect::<Vec<_>>());
    assert_eq!(sent(&[0..4, 0..9, 0..10]), first);
}
