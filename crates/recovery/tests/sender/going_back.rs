//! A test of the repair after a timeout that goes back N.

use super::*;
use ackclock_recovery::declared::WindowRules;
use ackclock_recovery::detection::duplicates::Duplicates;

/// A control with a window of ten packets, whatever is lost, that records which packets were limited by the
/// application.
#[derive(Clone, Default)]
struct Limited(Arc<Mutex<Vec<bool>>>);

impl Control for Limited {
    fn decision(&self) -> Decision {
        Decision::window(10.0, f64::INFINITY)
    }

    fn on_ack(&mut self, ack: &Ack, _random: &mut dyn Random) {
        self.0.lock().unwrap().extend(ack.rate.map(|rate| rate.app_limited));
    }

    fn on_loss(&mut self, _loss: &Loss, _random: &mut dyn Random) {}

    fn on_timeout(&mut self, _timeout: &Timeout, _random: &mut dyn Random) {}
}

#[test]
fn an_application_limits_nothing_while_packets_are_to_be_retransmitted() {
    // All ten packets are lost, and with them all that the application has. At the timeout bursts of four
    // allow four retransmissions, and the first four acknowledgements let out the other six. When the window
    // has room, packets wait for retransmission.
    let limited = Limited::default();
    let recommended = Options::recommended(Units::packets(1000));
    let rules = WindowRules { max_burst: Some(4), ..recommended.rules };
    let options = Options { pacing: false, rules, ..recommended };
    let rule = Losses { limited_transmit: false, ..Losses::default() };
    let controller = Controller::Model(Box::new(limited.clone()));
    let mut run = Run::with(Box::new(Duplicates::new(rule, false)), options, controller, 1, 10);
    run.sender.stay_open();
    run.start(false);
    run.sender.send_allowed(at(0), &mut run.path);
    run.sender.send_allowed(at(0), &mut run.path);
    assert_eq!(run.path.sent.len(), 10);
    run.path.acks.clear();
    run.until(at(2000));
    assert_eq!(*limited.0.lock().unwrap(), [false; 10]);
}
