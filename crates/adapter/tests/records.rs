//! What a control hears of what a stack tells: windows worked by hand for NewReno, which halves at a loss and grows by what is
//! acknowledged in slow start.

use ackclock_adapter::{Acked, Adapter, Congestion, Plan, Stack};
use ackclock_base::random::Scripted;
use ackclock_base::{Descriptor, Random, Time, Values};
use ackclock_cc::entry::Plugin;
use ackclock_cc::{Ack, Assembly, Control, Decision, Initial, Loss, Lost, Timeout, WindowControl};
use std::sync::{Arc, Mutex};

const PACKET: u16 = 1000;
const NAMED: Stack = Stack { name: "named", honours_rates: true, names_packets: true, counts_marks: false };
const UNNAMED: Stack =
    Stack { name: "unnamed", honours_rates: false, names_packets: false, counts_marks: false };

fn ms(ms: u64) -> Time {
    Time::from_nanos(ms * 1_000_000)
}

fn adapter(control: &str, stack: Stack) -> Adapter {
    let plan = Plan::named(control, stack).expect("a control that runs");
    Adapter::new(stack, &mut plan.assembly(), PACKET, Box::new(Scripted::new(&[0.5])))
}

/// Sends packets with these numbers, one a millisecond from `from` on.
fn send(adapter: &mut Adapter, from: u64, keys: std::ops::Range<u64>) {
    for (step, key) in keys.enumerate() {
        adapter.on_sent(ms(from + step as u64), key, PACKET);
    }
}

fn ack(adapter: &mut Adapter, now: u64, sent: u64, key: Option<u64>) {
    let bytes = u64::from(PACKET);
    adapter.on_acked(Acked { now: ms(now), sent: ms(sent), key, bytes, app_limited: false });
}

fn loss(now: u64, sent: u64, lost_bytes: u64) -> Congestion {
    Congestion { now: ms(now), sent: ms(sent), lost_bytes, is_persistent: false, is_mark: false }
}

fn cwnd(adapter: &mut Adapter) -> f64 {
    adapter.decision().cwnd
}

#[test]
fn slow_start_grows_by_what_is_acknowledged() {
    let mut adapter = adapter("newreno", NAMED);
    assert_eq!(adapter.window_bytes(), 10_000, "ten packets of 1000 B, RFC 9002 section 7.2");
    send(&mut adapter, 0, 0..10);
    for key in 0..10 {
        ack(&mut adapter, 50, key, Some(key));
    }
    assert_eq!(cwnd(&mut adapter), 20.0);
}

#[test]
fn a_stack_that_stops_one_packet_before_the_window_is_limited_by_it() {
    // quinn sends while flight and datagram together are below the window: 9 of 10 packets. In slow start each adds one to the window
    // while the window is the limit (RFC 9002 section 7.8), so that rounds of 9, 18, 36 and 72 packets lead to 19, 37, 73 and 145.
    let mut adapter = adapter("newreno", UNNAMED);
    let mut next = 0;
    for (round, wanted) in [(0, 19.0), (1, 37.0), (2, 73.0), (3, 145.0)] {
        let packets = cwnd(&mut adapter) as u64 - 1;
        let sent = 1000 * round;
        for key in next..next + packets {
            adapter.on_sent(ms(sent), key, PACKET);
        }
        for _ in 0..packets {
            ack(&mut adapter, sent + 50, sent, None);
        }
        next += packets;
        assert_eq!(cwnd(&mut adapter), wanted, "after round {round}");
    }
}

#[test]
fn losses_of_a_frame_are_heard_before_its_acknowledgements() {
    let mut adapter = adapter("newreno", NAMED);
    send(&mut adapter, 0, 0..10);
    // The stack tells the acknowledgement of 3 to 9 first, then that 0 to 2 are lost. Heard in this order the window would be
    // 17, then half of it. Heard as RFC 9002 appendix A.7 has it, ten is halved, and what is acknowledged in recovery adds nothing.
    for key in 3..10 {
        ack(&mut adapter, 50, key, Some(key));
    }
    adapter.on_acked_all(3 * u64::from(PACKET));
    for key in 0..3 {
        adapter.on_lost(ms(50), key);
    }
    adapter.on_congestion(loss(50, 2, 3000));
    assert_eq!(cwnd(&mut adapter), 5.0);
    assert_eq!(adapter.delivered_and_lost(), [7.0, 3.0]);
}

#[test]
fn a_late_loss_of_the_same_window_reduces_nothing_after_the_recovery_has_ended() {
    let mut adapter = adapter("newreno", NAMED);
    send(&mut adapter, 0, 0..10);
    adapter.on_lost(ms(50), 0);
    adapter.on_congestion(loss(50, 0, 1000));
    assert_eq!(cwnd(&mut adapter), 5.0);
    // Packet 10 is sent in recovery; its acknowledgement ends it. Then 1 is found lost, which was sent before the reduction.
    adapter.on_sent(ms(51), 10, PACKET);
    ack(&mut adapter, 101, 51, Some(10));
    let after = cwnd(&mut adapter);
    adapter.on_lost(ms(102), 1);
    adapter.on_congestion(loss(102, 1, 1000));
    assert_eq!(cwnd(&mut adapter), after);
    // A loss of what was sent after the reduction is another one.
    adapter.on_sent(ms(103), 11, PACKET);
    adapter.on_lost(ms(150), 11);
    adapter.on_congestion(loss(150, 103, 1000));
    assert!(cwnd(&mut adapter) < after);
}

#[test]
fn a_spurious_loss_is_taken_back() {
    let mut adapter = adapter("newreno", NAMED);
    send(&mut adapter, 0, 0..10);
    adapter.on_lost(ms(50), 0);
    adapter.on_congestion(loss(50, 0, 1000));
    assert_eq!(cwnd(&mut adapter), 5.0);
    adapter.on_spurious();
    assert_eq!(cwnd(&mut adapter), 10.0);
}

#[test]
fn lost_packets_without_names_are_the_oldest_that_add_up() {
    let mut adapter = adapter("newreno", UNNAMED);
    send(&mut adapter, 0, 0..10);
    ack(&mut adapter, 50, 5, None);
    // 3000 B are lost of what was sent up to 2 ms: packets 0 to 2. The others are still in flight: 10 - 1 - 3 = 6.
    adapter.on_congestion(loss(50, 2, 3000));
    assert_eq!(cwnd(&mut adapter), 5.0);
    assert_eq!(adapter.delivered_and_lost(), [1.0, 3.0]);
    for sent in [3, 4, 6, 7, 8, 9] {
        ack(&mut adapter, 60, sent, None);
    }
    adapter.decision();
    assert_eq!(adapter.delivered_and_lost(), [7.0, 3.0]);
}

#[test]
fn packets_that_the_stack_forgets_are_neither_delivered_nor_lost() {
    let mut adapter = adapter("newreno", NAMED);
    // Two packets of a handshake whose keys are discarded: the stack has nothing in flight after the third is acknowledged.
    send(&mut adapter, 0, 0..3);
    ack(&mut adapter, 50, 2, Some(2));
    adapter.on_acked_all(0);
    adapter.decision();
    assert_eq!(adapter.delivered_and_lost(), [1.0, 0.0]);
}

#[test]
fn a_mark_reduces_the_window_once_per_window_of_data() {
    let mut adapter = adapter("newreno", NAMED);
    send(&mut adapter, 0, 0..10);
    for key in 0..2 {
        ack(&mut adapter, 50 + key, key, Some(key));
        adapter.on_congestion(Congestion { is_mark: true, ..loss(50 + key, key, 0) });
    }
    assert_eq!(cwnd(&mut adapter), 5.0, "the second mark is of the same window (RFC 3168 section 6.1.2)");
    assert_eq!(adapter.delivered_and_lost(), [2.0, 0.0]);
}

#[test]
fn persistent_congestion_leaves_two_packets() {
    let mut adapter = adapter("newreno", NAMED);
    send(&mut adapter, 0, 0..10);
    for key in 0..10 {
        adapter.on_lost(ms(900), key);
    }
    adapter.on_congestion(Congestion { is_persistent: true, ..loss(900, 9, 10_000) });
    assert_eq!(cwnd(&mut adapter), 2.0, "RFC 9002 section 7.6.2");
}

/// A control that keeps what it is told.
#[derive(Clone, Debug, Default)]
struct Recorder(Arc<Mutex<Vec<String>>>);

impl Recorder {
    fn note(&self, call: String) {
        self.0.lock().expect("one thread").push(call);
    }
}

impl Plugin for Recorder {
    fn descriptor(&self) -> &'static Descriptor {
        ackclock_cc::registry::find("newreno").expect("a control").descriptor
    }

    fn has_window(&self) -> bool {
        true
    }

    fn build(&self, _values: &Values, _initial: &Initial) -> Box<dyn WindowControl> {
        Box::new(self.clone())
    }
}

impl Control for Recorder {
    fn decision(&self) -> Decision {
        Decision::window(10.0, f64::INFINITY)
    }

    fn on_ack(&mut self, ack: &Ack, _random: &mut dyn Random) {
        self.note(format!("ack of {} in {:?}", ack.newly_acked, ack.phase));
    }

    fn on_lost(&mut self, lost: &Lost, _random: &mut dyn Random) {
        self.note(format!("lost {}", lost.number));
    }

    fn on_loss(&mut self, loss: &Loss, _random: &mut dyn Random) {
        self.note(format!("loss of {} sent at {}", loss.lost, loss.sent));
    }

    fn on_timeout(&mut self, _timeout: &Timeout, _random: &mut dyn Random) {
        self.note("timeout".to_owned());
    }
}

impl WindowControl for Recorder {
    fn set_cwnd(&mut self, _cwnd: f64) {}

    fn set_ssthresh(&mut self, _ssthresh: f64) {}
}

#[test]
fn one_instant_is_reported_in_the_order_of_the_rfc_and_the_loss_is_that_of_the_first_packet() {
    let recorder = Recorder::default();
    let plugin: Arc<dyn Plugin> = Arc::new(recorder.clone());
    let values = plugin.descriptor().defaults();
    let mut assembly = Assembly::of_plugin(&plugin, &values, None, None);
    let mut adapter = Adapter::new(NAMED, &mut assembly, PACKET, Box::new(Scripted::new(&[0.5])));
    send(&mut adapter, 0, 0..10);
    // The stack reports the acknowledgement first, and the losses out of order.
    ack(&mut adapter, 50, 9, Some(9));
    for key in [3, 1, 2] {
        adapter.on_lost(ms(50), key);
    }
    adapter.on_congestion(loss(50, 3, 3000));
    adapter.decision();
    let calls = recorder.0.lock().expect("one thread").clone();
    let loss = format!("loss of 1 sent at {}", ms(1));
    assert_eq!(calls, ["lost 3", "lost 1", "lost 2", &loss, "ack of 1 in Recovery"]);
}
