//! Tests of the detection of spurious reactions.

use super::*;
use ackclock_base::Span;

fn at(ms: u64) -> Time {
    Time::ZERO + Span::from_millis(ms)
}

const FRESH: Evidence = Evidence {
    una: 5,
    fresh: true,
    duplicate: false,
    stamp: None,
    dsack: None,
    retransmitted: 0,
    first_sent_once: true,
    repairing: false,
    has_new_data: true,
};
const DUPLICATE: Evidence = Evidence { fresh: false, duplicate: true, ..FRESH };
const FRTO: UndoRules = UndoRules { frto: true, ..UndoRules::NONE };
const EIFEL: UndoRules = UndoRules { spurious_timeouts: true, spurious_recoveries: true, ..UndoRules::NONE };
const DSACK: UndoRules = UndoRules { dsack_undo: true, ..UndoRules::NONE };

fn stamped(ms: u64) -> Evidence {
    Evidence { stamp: Some(at(ms)), retransmitted: 1, ..FRESH }
}

fn told(start: u64, end: u64) -> Evidence {
    Evidence { dsack: Some((start, end)), ..FRESH }
}

//= test RFC 3522 section 3.2 compare
#[test]
fn the_echo_of_the_original_undoes_a_reaction_and_that_of_the_retransmission_confirms_it() {
    for (stamp, verdict) in [(99, Verdict::Undone), (100, Verdict::None)] {
        let mut detection = SpuriousDetection::default();
        detection.on_timeout(&EIFEL, Some(at(100)), true, 4, 10);
        assert_eq!(detection.examine(&Evidence { stamp: Some(at(50)), ..DUPLICATE }), Verdict::None);
        assert_eq!(detection.examine(&stamped(stamp)), verdict);
        assert!(!detection.is_undecided(), "the first fresh acknowledgement decides");
        detection.on_loss(&EIFEL, Some(at(100)), 4);
        assert_eq!(detection.examine(&stamped(stamp)), verdict);
        assert!(!detection.is_undecided());
    }
}

#[test]
fn a_recovery_with_another_loss_is_undone_when_that_proves_late_as_well() {
    let waiting = Evidence { repairing: true, ..stamped(99) };
    let mut detection = SpuriousDetection::default();
    for (last, verdict) in [(98, Verdict::Undone), (101, Verdict::None)] {
        detection.on_loss(&EIFEL, Some(at(100)), 4);
        assert_eq!(detection.examine(&waiting), Verdict::None, "another packet is still being repaired");
        assert_eq!(detection.examine(&stamped(last)), verdict);
        assert!(!detection.is_undecided());
    }
    // A retransmission that is acknowledged selectively, or beside the packet whose time is echoed, was needed.
    for other in [Evidence { retransmitted: 1, ..DUPLICATE }, Evidence { retransmitted: 2, ..waiting }] {
        detection.on_loss(&EIFEL, Some(at(100)), 4);
        assert_eq!(detection.examine(&other), Verdict::None);
        assert_eq!(detection.examine(&stamped(99)), Verdict::None);
    }
}

//= test RFC 3708 section 2 retransmitted
#[test]
fn the_reaction_is_undone_only_when_every_retransmission_was_a_duplicate() {
    let mut detection = SpuriousDetection::default();
    detection.on_loss(&DSACK, None, 4);
    assert_eq!(detection.examine(&told(4, 5)), Verdict::None, "nothing has been retransmitted");
    [4, 6, 9].into_iter().for_each(|number| detection.on_resent(&DSACK, number));
    for not_retransmitted in [told(3, 4), told(5, 6), told(10, 20)] {
        assert_eq!(detection.examine(&not_retransmitted), Verdict::None);
    }
    assert_eq!(detection.examine(&told(4, 5)), Verdict::None);
    assert_eq!(detection.examine(&told(4, 5)), Verdict::None, "once more, for a copy of the network");
    assert_eq!(detection.examine(&FRESH), Verdict::None);
    let waiting = Evidence { repairing: true, ..told(6, 10) };
    assert_eq!(detection.examine(&waiting), Verdict::None, "a loss is not yet repaired");
    assert_eq!(detection.examine(&FRESH), Verdict::Undone);
    assert_eq!(detection.examine(&told(6, 10)), Verdict::None, "the reaction is undone once");
}

#[test]
fn a_report_of_a_packet_below_those_retransmitted_since_the_reaction_is_of_an_older_retransmission() {
    // Packet 3 was retransmitted before the reaction, packet 4 since. Packet 5 was retransmitted before it and is outstanding:
    // it has to be reported too.
    let mut detection = SpuriousDetection::default();
    detection.on_resent(&DSACK, 3);
    detection.on_loss(&DSACK, None, 4);
    detection.on_resent(&DSACK, 4);
    assert_eq!(detection.examine(&told(3, 4)), Verdict::None);
    assert_eq!(detection.examine(&told(4, 5)), Verdict::Undone);
    // Nor does an older retransmission that was needed stand in the way.
    detection.on_resent(&DSACK, 3);
    detection.on_loss(&DSACK, None, 4);
    detection.on_resent(&DSACK, 4);
    assert_eq!(detection.examine(&told(4, 5)), Verdict::Undone);
    detection.on_resent(&DSACK, 5);
    detection.on_loss(&DSACK, None, 5);
    detection.on_resent(&DSACK, 5);
    assert_eq!(detection.examine(&told(5, 6)), Verdict::None);
    assert_eq!(detection.examine(&told(5, 6)), Verdict::Undone);
}

#[test]
fn a_packet_that_was_retransmitted_twice_is_reported_twice() {
    let mut detection = SpuriousDetection::default();
    detection.on_loss(&DSACK, None, 4);
    [4, 4].into_iter().for_each(|number| detection.on_resent(&DSACK, number));
    assert_eq!(detection.examine(&told(4, 5)), Verdict::None);
    assert_eq!(detection.examine(&told(4, 5)), Verdict::Undone);
}

#[test]
fn a_long_report_counts_for_what_was_retransmitted_in_it_and_a_malformed_one_for_nothing() {
    // Packet 5 was retransmitted twice and 7 once. Each report counts a packet once.
    let left = |start, end| {
        let mut detection = SpuriousDetection::default();
        detection.on_loss(&DSACK, None, 4);
        [5, 7, 5].into_iter().for_each(|number| detection.on_resent(&DSACK, number));
        detection.examine(&Evidence { repairing: true, ..told(start, end) });
        Vec::from(detection.unreported)
    };
    assert_eq!(left(0, u64::MAX), [5]);
    assert_eq!(left(5, 8), [5]); // as long as the list
    assert_eq!(left(6, 7), [5, 7, 5]);
    assert_eq!(left(9, u64::MAX), [5, 7, 5]);
    assert_eq!(left(8, 5), [5, 7, 5]);
}

#[test]
fn reports_that_outnumber_retransmissions_prove_nothing() {
    // Two packets are reported before any is retransmitted: the network makes copies. The third retransmission
    // outnumbers the reports again, and its report can be of it only once.
    let mut detection = SpuriousDetection::default();
    assert!(!detection.believes(&(7..9)));
    [1, 2, 3].into_iter().for_each(|number| detection.on_resent(&DSACK, number));
    assert!(detection.believes(&(3..4)));
    assert!(!detection.believes(&(3..4)));
}

#[test]
fn two_advancing_acknowledgements_show_that_a_timeout_was_spurious() {
    let mut detection = SpuriousDetection::default();
    detection.on_timeout(&FRTO, None, true, 4, 10);
    assert_eq!((detection.examine(&FRESH), detection.hold_back()), (Verdict::Probe, true));
    assert_eq!((detection.examine(&FRESH), detection.hold_back()), (Verdict::Undone, false));
}

//= test RFC 5682 section 2.1 original
#[test]
fn an_acknowledgement_of_a_packet_that_was_retransmitted_does_not_show_that_a_timeout_was_spurious() {
    // The packet had been retransmitted before the timeout, so its retransmission may have arrived.
    let mut detection = SpuriousDetection::default();
    detection.on_timeout(&FRTO, None, true, 4, 10);
    assert_eq!(detection.examine(&FRESH), Verdict::Probe);
    assert_eq!(detection.examine(&Evidence { first_sent_once: false, ..FRESH }), Verdict::Resume);
}

#[test]
fn a_duplicate_at_either_step_shows_that_the_timeout_was_justified() {
    let mut detection = SpuriousDetection::default();
    detection.on_timeout(&FRTO, None, true, 4, 10);
    assert_eq!(detection.examine(&DUPLICATE), Verdict::None);
    assert_eq!(detection.examine(&FRESH), Verdict::None);
    detection.on_timeout(&FRTO, None, true, 10, 20);
    assert_eq!(detection.examine(&Evidence { una: 11, ..FRESH }), Verdict::Probe);
    assert_eq!(detection.examine(&DUPLICATE), Verdict::Resume);
    assert_eq!(detection.examine(&FRESH), Verdict::None);
}

#[test]
fn f_rto_does_not_begin_again_until_all_that_was_outstanding_is_acknowledged() {
    // RFC 5682 section 2.1 step 1: packets 4 to 9 are outstanding at the first timeout, which proves genuine. At a
    // timeout with 9 outstanding nothing is probed, with 10 it is. A loss in between changes nothing.
    for (una, verdict) in [(9, Verdict::None), (10, Verdict::Probe)] {
        let mut detection = SpuriousDetection::default();
        detection.on_timeout(&FRTO, None, true, 4, 10);
        assert_eq!(detection.examine(&DUPLICATE), Verdict::None);
        detection.on_loss(&FRTO, None, 4);
        detection.on_timeout(&FRTO, None, true, una, 20);
        assert_eq!(detection.examine(&Evidence { una: una + 1, ..FRESH }), verdict, "{una}");
    }
}

#[test]
fn without_new_data_or_with_all_acknowledged_or_after_another_timeout_f_rto_concludes_nothing() {
    for evidence in [Evidence { has_new_data: false, ..FRESH }, Evidence { una: 10, ..FRESH }] {
        let mut detection = SpuriousDetection::default();
        detection.on_timeout(&FRTO, None, true, 4, 10);
        assert_eq!((detection.examine(&evidence), detection.examine(&FRESH)), (Verdict::None, Verdict::None));
    }
    let mut detection = SpuriousDetection::default();
    detection.on_timeout(&FRTO, None, true, 4, 10);
    detection.on_timeout(&FRTO, None, false, 4, 10);
    assert_eq!(detection.examine(&FRESH), Verdict::None);
}

#[test]
fn what_a_mark_has_ended_is_not_undone() {
    let rules =
        UndoRules { spurious_timeouts: true, spurious_recoveries: true, dsack_undo: true, frto: true };
    let mut detection = SpuriousDetection::default();
    detection.on_loss(&rules, Some(at(100)), 4);
    detection.on_resent(&DSACK, 4);
    detection.forget();
    assert!(!detection.is_undecided());
    assert_eq!(detection.examine(&Evidence { stamp: Some(at(99)), ..told(4, 5) }), Verdict::None);
}
