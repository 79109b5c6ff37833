//! Tests of the window from which a reduction starts if it starts from the flight (RFC 5681 equation 4).

use super::*;

/// A control with a window of ten packets that records the window from which it is to reduce, and what is in the network.
#[derive(Clone, Default)]
struct Reducing(Arc<Mutex<Vec<(Packets, Packets)>>>);

impl Control for Reducing {
    fn decision(&self) -> Decision {
        Decision::window(10.0, f64::INFINITY)
    }

    fn on_ack(&mut self, _ack: &Ack, _random: &mut dyn Random) {}

    fn on_loss(&mut self, loss: &Loss, _random: &mut dyn Random) {
        self.0.lock().unwrap().push((loss.window, loss.inflight));
    }

    fn on_timeout(&mut self, timeout: &Timeout, _random: &mut dyn Random) {
        self.0.lock().unwrap().push((timeout.window, timeout.inflight));
    }
}

/// Returns the window from which a sender with `packets` packets reduces, and what is in the network then, if its first
/// packet is lost and `blocks` acknowledgements cover one packet more each.
fn reduced(packets: u64, blocks: u64) -> (Packets, Packets) {
    let told = Reducing::default();
    let options = Options { pacing: false, ..Options::recommended(Units::packets(1000)) };
    let controller = Controller::Model(Box::new(told.clone()));
    let mut run = Run::with(sack(Flight::Inferred), options, controller, 1, packets);
    run.start(false);
    run.path.acks.clear();
    run.path.now = at(100);
    (1..=blocks).for_each(|last| run.acknowledge(0, std::iter::once(1..last + 1)));
    run.until(at(3000));
    let told = told.0.lock().unwrap();
    told[0]
}

//= test RFC 5681 section 2 flight-size
#[test]
fn what_is_acknowledged_selectively_is_in_the_flight_and_not_in_the_network() {
    // Ten packets are out. When the third acknowledgement shows the loss, two are acknowledged selectively: eight are in
    // the network, and none is acknowledged cumulatively.
    assert_eq!(reduced(10, 3), (10.0, 8.0));
    // Six of the ten that the window allows.
    assert_eq!(reduced(6, 3), (6.0, 4.0));
    // With one block of one packet nothing shows a loss before the timer expires.
    assert_eq!(reduced(6, 1), (6.0, 5.0));
}

#[test]
fn what_limited_transmit_sends_is_not_in_the_flight() {
    // RFC 5681 section 3.2 step 2. The first two acknowledgements let a new packet out each: twelve are out, and two of
    // them are acknowledged selectively.
    assert_eq!(reduced(100, 3), (10.0, 10.0));
}
