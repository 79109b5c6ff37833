//! A recording of real sockets gives the same decisions on every machine, without privilege.
//!
//! `docs/examples/kernel-events.csv` is of two seconds of Linux 6.18 over `ackclock path`: a link of 1 Mbit/s, 40 ms and eight packets, with one flow of
//! `cubic`, two of `tcp-p` to one destination and one of `bbrv3`, which lose packets and run into timeouts. After a change of a control it
//! may differ for good reason; then `ackclock control` records another.

use ackclock_kernel::recording::Recording;
use ackclock_kernel::{Answer, Offer, event};

fn recording() -> Recording {
    Recording::parse(include_str!("../../../docs/examples/kernel-events.csv"))
        .unwrap_or_else(|error| panic!("{error}"))
}

fn replay(recording: &Recording, controls: &[&str]) -> Vec<Answer> {
    let offer = |control: &&str| Offer::read(control).unwrap_or_else(|refusal| panic!("{refusal}"));
    recording.replay(controls.iter().map(offer).collect())
}

#[test]
fn the_recorded_controls_decide_as_recorded() {
    let recording = recording();
    assert_eq!(recording.about.controls, ["cubic", "tcp-p", "bbrv3"]);
    for kind in [event::BEGIN, event::ACK, event::LOSS, event::STATE, event::CWND_EVENT, event::END] {
        assert!(recording.rows.iter().any(|row| row.event.kind == kind), "no event of kind {kind}");
    }
    let decided = replay(&recording, &["cubic", "tcp-p", "bbrv3"]);
    assert_eq!(recording.differences(&decided), []);
}

#[test]
fn another_control_or_parameter_decides_otherwise() {
    let recording = recording();
    let decided = replay(&recording, &["cubic,beta=0.5", "tcp-p", "bbrv3"]);
    let differences = recording.differences(&decided);
    assert!(!differences.is_empty());
    let of_cubic = |line: usize| recording.rows[line - 4].control == 0;
    assert!(differences.iter().all(|difference| of_cubic(difference.line)));
    // The first difference is the first loss, where cubic keeps 0.7 of the window and now 0.5.
    let first = &recording.rows[differences[0].line - 4];
    assert_eq!(first.event.kind, event::LOSS);
    assert_eq!(f64::from(differences[0].decided.cwnd), (f64::from(first.event.cwnd) * 0.5).floor());
}

#[test]
fn members_of_a_group_hear_of_each_other() {
    let mut recording = recording();
    let together = replay(&recording, &["cubic", "tcp-p", "bbrv3"]);
    for row in &mut recording.rows {
        // Each connection gets a destination of its own.
        row.event.peer = [row.event.connection as u32, 0, 0, 0];
    }
    let apart = replay(&recording, &["cubic", "tcp-p", "bbrv3"]);
    let differs = |control: usize| {
        let rows = recording.rows.iter().zip(together.iter().zip(&apart));
        rows.filter(|(row, _)| row.control == control).any(|(_, (together, apart))| together != apart)
    };
    assert_eq!([0, 1, 2].map(differs), [false, true, false]);
}
