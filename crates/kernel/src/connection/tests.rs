//! Connections by their events. Packets have 1000 bytes, so that the stream's positions are round.

use super::*;
use crate::offer::Offer;

fn begin(control: &str) -> (Connection, Event) {
    let offer = Offer::read(control).unwrap_or_else(|refusal| panic!("{refusal}"));
    let event = Event {
        kind: event::BEGIN,
        connection: 1,
        now_ns: 1_000_000_000,
        cwnd: 10,
        ssthresh: crate::answer::INFINITE,
        mss: 1000,
        srtt_us: 40_000,
        rtt_us: -1,
        rate_delivered: -1,
        rate_interval_us: -1,
        ..Event::default()
    };
    (Connection::begin(&mut offer.assembly(), &event), event)
}

/// An acknowledgement of `packets` packets, with the window full.
fn ack(last: &Event, packets: u32) -> Event {
    Event {
        kind: event::ACK,
        flags: event::CWND_LIMITED,
        now_ns: last.now_ns + 40_000_000,
        una: last.una.wrapping_add(1000 * packets),
        nxt: last.una.wrapping_add(20_000),
        delivered: last.delivered + packets,
        newly_acked: packets,
        inflight: 10 - packets,
        rtt_us: 40_000,
        ..*last
    }
}

#[test]
fn slow_start_grows_by_what_is_acknowledged() {
    let (mut connection, begun) = begin("newreno");
    connection.on_event(&ack(&begun, 4));
    assert_eq!(connection.answer().cwnd, 14);
}

#[test]
fn a_loss_halves_the_window_in_force_and_recovery_keeps_it() {
    let (mut connection, begun) = begin("newreno");
    let last = ack(&begun, 4);
    connection.on_event(&last);
    let loss = Event { kind: event::LOSS, flags: event::HAS_LOST, cwnd: 14, lost: 1, ..last };
    connection.on_event(&loss);
    assert_eq!(connection.answer().ssthresh, 7);
    connection.on_event(&Event { kind: event::STATE, arg: event::STATE_RECOVERY, ..loss });
    connection.on_event(&ack(&loss, 4));
    assert_eq!(connection.answer().cwnd, 7, "no growth in recovery");
    connection.on_event(&Event { kind: event::STATE, arg: 0, ..loss });
    let ending = ack(&loss, 7);
    connection.on_event(&ending);
    assert_eq!(connection.answer().cwnd, 7, "nor by the acknowledgement that ends it");
    connection.on_event(&ack(&ending, 7));
    assert_eq!(connection.answer().cwnd, 8, "one packet for a window of them");
}

#[test]
fn a_timeout_is_told_by_the_timer_and_undone() {
    let (mut connection, begun) = begin("newreno");
    let timeout = Event { kind: event::LOSS, flags: event::TIMER, unsacked: 10, lost: 10, ..begun };
    connection.on_event(&timeout);
    assert_eq!((connection.answer().cwnd, connection.answer().ssthresh), (1, 5));
    connection.on_event(&Event { kind: event::STATE, arg: event::STATE_LOSS, cwnd: 1, ..timeout });
    assert_eq!(connection.answer().ssthresh, 5, "it is told once");
    let again = Event { retransmits: 1, kind: event::STATE, arg: event::STATE_LOSS, cwnd: 1, ..timeout };
    connection.on_event(&again);
    assert_eq!(connection.answer().ssthresh, 5, "a second expiry keeps the threshold");

    let (mut connection, _) = begin("newreno");
    connection.on_event(&timeout);
    connection.on_event(&Event { kind: event::UNDO, ..timeout });
    assert_eq!(connection.answer().cwnd, 10);
}

#[test]
fn marks_are_a_loss_or_are_counted() {
    let mark = |control| {
        let (mut connection, begun) = begin(control);
        connection.on_event(&Event { kind: event::LOSS, flags: event::ECN, ..begun });
        connection.answer().cwnd
    };
    assert_eq!(mark("newreno"), 5);
    assert_eq!(mark("dctcp"), 10);
}

#[test]
fn a_window_restarted_by_the_kernel_is_taken_over() {
    let (mut connection, begun) = begin("newreno");
    let grown = ack(&begun, 10);
    connection.on_event(&grown);
    assert_eq!(connection.answer().cwnd, 20);
    connection.on_event(&Event { kind: event::CWND_EVENT, arg: event::CWND_RESTART, cwnd: 20, ..grown });
    connection.on_event(&Event {
        kind: event::CWND_EVENT,
        arg: event::TX_START,
        cwnd: 10,
        ssthresh: 15,
        ..grown
    });
    assert_eq!((connection.answer().cwnd, connection.answer().ssthresh), (10, 15));
}

#[test]
fn positions_beyond_four_gigabytes_go_on() {
    assert_eq!(extend(0, 5), 5);
    assert_eq!(extend(u64::from(u32::MAX), 4), (1 << 32) + 4);
    assert_eq!(extend((1 << 32) + 4, u32::MAX), u64::from(u32::MAX), "an older position");
}
