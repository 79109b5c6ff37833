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
        delivered: last.delivered.wrapping_add(packets),
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

#[test]
fn positions_are_counted_in_packets_of_the_first_size() {
    // Of each control, rounds or samples end by the position acknowledged. Every third round has marks.
    for control in ["dctcp", "vegas", "fast", "westwood"] {
        let answers = |mss_after| {
            let (mut connection, begun) = begin(control);
            let mut last = begun;
            let answers = (0..60).map(|round| {
                let mss = if round < 30 { 1000 } else { mss_after };
                last = ack(&Event { mss, ..last }, 10);
                last.delivered_ce += if round % 3 == 0 { 5 } else { 0 };
                connection.on_event(&last);
                if round == 58 {
                    connection.on_event(&Event {
                        kind: event::LOSS,
                        flags: event::HAS_LOST,
                        lost: 1,
                        ..last
                    });
                }
                connection.answer()
            });
            answers.collect::<Vec<_>>()
        };
        assert_eq!(answers(500), answers(1000), "{control}: smaller packets");
        assert_eq!(answers(2000), answers(1000), "{control}: larger packets");
    }
}

/// An acknowledgement of ten packets as a model hears of it: they were sent at the last acknowledgement.
fn sampled(last: &Event) -> Event {
    let next = ack(last, 10);
    Event {
        delivered: last.delivered.wrapping_add(10),
        rate_delivered: 10,
        rate_interval_us: 40_000,
        rate_prior_delivered: last.delivered,
        inflight_before: 10,
        inflight: 10,
        flags: 0,
        ..next
    }
}

#[test]
fn counts_beyond_32_bits_go_on() {
    let answers = |offset: u32| {
        let (_, begun) = begin("bbrv3");
        let mut last = Event { delivered: offset, lost: offset, ..begun };
        let offer = Offer::read("bbrv3").unwrap_or_else(|refusal| panic!("{refusal}"));
        let mut connection = Connection::begin(&mut offer.assembly(), &last);
        let answers = (0..60).map(|round| {
            last = sampled(&last);
            last.lost = last.lost.wrapping_add(u32::from(round % 9 == 8));
            connection.on_event(&last);
            connection.answer()
        });
        answers.collect::<Vec<_>>()
    };
    assert_eq!(answers(u32::MAX - 300), answers(0));
}

#[test]
fn an_acknowledgement_without_a_sample_ends_no_round_of_a_model() {
    let (mut connection, begun) = begin("bbrv1");
    let first = sampled(&begun);
    let unsampled =
        Event { rate_delivered: -1, rate_interval_us: -1, rate_prior_delivered: 0, ..sampled(&first) };
    let ends = [first, unsampled, sampled(&unsampled)].map(|event| {
        connection.on_event(&event);
        match connection.round {
            Round::Deliveries(end) => end,
            Round::Byte(byte) => panic!("a round ends with byte {byte}"),
        }
    });
    assert_eq!(ends, [10, 10, 30]);
}

#[test]
fn what_the_kernel_decided_while_events_were_missing_is_taken_over() {
    let (mut connection, begun) = begin("newreno");
    let last = ack(&begun, 4);
    connection.on_event(&last);
    let in_state =
        |state: u32, event: &Event| Event { flags: event.flags | state << event::STATE_SHIFT, ..*event };
    // The loss and the beginning of recovery were missing: Reno's threshold is in force, and the window on its way there.
    let during = in_state(event::STATE_RECOVERY, &Event { cwnd: 12, ssthresh: 7, ..ack(&last, 4) });
    connection.catch_up(&during);
    connection.on_event(&during);
    assert_eq!((connection.answer().cwnd, connection.answer().ssthresh), (7, 7));
    // The end of recovery was missing: without it the window would not grow.
    let after = in_state(0, &Event { cwnd: 7, ssthresh: 7, ..ack(&during, 7) });
    connection.catch_up(&after);
    connection.on_event(&after);
    connection.on_event(&ack(&after, 7));
    assert_eq!(connection.answer().cwnd, 8);
}
