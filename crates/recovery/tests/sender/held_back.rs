//! Tests of what a sender reports about its window and what holds it back, and of what it tells a control that
//! follows its restarts.

use super::*;
use ackclock_cc::{Follows, Properties, Sent};

/// Sends ten packets under a window of `window` and one of the receiver of `credit`, and stays open. Returns
/// the milliseconds up to `end_ms` for which the window, the pacer, the receiver and the application held the
/// sender back, and the integral of the window in packet seconds.
fn held_back(pacing: bool, window: Packets, credit: u64, end_ms: u64) -> ([u64; 4], f64) {
    let options = Options { pacing, window: credit, ..Options::recommended(Units::packets(1000)) };
    let mut run = Run::new(options, Told::new(window).controller(), 1, 10);
    run.sender.stay_open();
    run.start(pacing);
    run.until(at(end_ms));
    let spans = run.sender.limits().spans(at(end_ms));
    (spans.map(|span| span.nanos() / 1_000_000), run.sender.cwnd_area(at(end_ms)))
}

#[test]
fn the_window_the_receiver_and_the_application_hold_a_sender_back() {
    // A window of four lets out four packets at 0, four at 100 ms and the last two at 200 ms. It is full for
    // the first 200 ms, and then there is nothing more to send. Its integral is 4 * 0.4 s.
    assert_eq!(held_back(false, 4.0, 1000, 400), ([200, 0, 0, 200], 1.6));
    // The same if the receiver has room for four packets and the window is ten.
    assert_eq!(held_back(false, 10.0, 4, 400), ([0, 0, 200, 200], 4.0));
}

#[test]
fn a_paced_sender_is_held_back_by_the_pacer_until_its_window_is_full() {
    // After a handshake of 100 ms, a window of five in slow start is paced at twice its rate: a packet each 10
    // ms. The fifth leaves 40 ms after the first. From then on the window is full, up to the first
    // acknowledgement at 200 ms.
    let (spans, _) = held_back(true, 5.0, 1000, 199);
    assert_eq!(spans, [59, 40, 0, 0]);
}

/// A control with a window of ten packets that follows its sender's restarts.
#[derive(Clone, Default)]
struct Restarting(Arc<Mutex<Vec<(Time, bool)>>>);

impl Control for Restarting {
    fn decision(&self) -> Decision {
        Decision::window(10.0, f64::INFINITY)
    }

    fn properties(&self) -> Properties {
        Properties { follows: Follows::Restarts, ..Properties::default() }
    }

    fn on_sent(&mut self, sent: &Sent, _random: &mut dyn Random) {
        self.0.lock().unwrap().push((sent.now, sent.after_idle));
    }

    fn on_ack(&mut self, _ack: &Ack, _random: &mut dyn Random) {}

    fn on_loss(&mut self, _loss: &Loss, _random: &mut dyn Random) {}

    fn on_timeout(&mut self, _timeout: &Timeout, _random: &mut dyn Random) {}
}

#[test]
fn a_control_that_follows_restarts_is_told_the_first_packet_of_each_flight() {
    // Four packets leave at 0, and two from 300 ms on, when everything is acknowledged. Two more leave at 350
    // ms, when those two are in flight.
    let restarts = Restarting::default();
    let controller = Controller::Model(Box::new(restarts.clone()));
    let mut run = Run::new(Options::recommended(Units::packets(1000)), controller, 1, 4);
    run.sender.stay_open();
    run.start(false);
    for ms in [300, 350] {
        run.until(at(ms));
        run.add_data(2);
    }
    assert_eq!(*restarts.0.lock().unwrap(), [(at(0), true), (at(300), true)]);
}
