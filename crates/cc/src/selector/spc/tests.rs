//! Tests of SPC against cases worked by hand.

use super::*;
use ackclock_base::Time;

/// Paths with these windows; the flag says whether the path is usable.
struct Windows(Vec<(f64, bool)>);

impl Paths for Windows {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn is_usable(&self, path: usize) -> bool {
        self.0[path].1
    }

    fn cwnd(&self, path: usize) -> Packets {
        self.0[path].0
    }
}

/// Two consecutive rises above 124 ms.
const RISES: [u64; 3] = [130, 140, 150];

fn acks(spc: &mut Spc, path: usize, rtts_ms: &[u64], paths: &Windows) -> Vec<Option<Switch>> {
    let ack = |ms: &u64| PathAck { now: Time::ZERO, path, rtt: Some(Span::from_millis(*ms)) };
    rtts_ms.iter().map(|ms| spc.on_ack(&ack(ms), paths)).collect()
}

fn last(spc: &mut Spc, path: usize, rtts_ms: &[u64], paths: &Windows) -> Option<Switch> {
    acks(spc, path, rtts_ms, paths).pop().flatten()
}

fn two() -> (Spc, Windows) {
    (Spc::new(Parameters::default(), 2), Windows(vec![(20.0, true), (14.0, true)]))
}

#[test]
fn the_share_of_the_window_is_that_of_equation_6_4() {
    let worked =
        [(0, 3.0 / 7.0), (7, 3.0 / 7.0), (8, 0.375), (9, 1.0 / 3.0), (10, 0.4), (15, 4.0 / 15.0), (20, 0.25)];
    for (how_old, expected) in worked.into_iter().chain([(30, 0.2), (50, 0.16), (100, 0.13), (1000, 0.103)]) {
        assert!((Rest::default().share(how_old) - expected).abs() < 1e-12, "{how_old}");
    }
}

#[test]
fn its_constants_can_be_set() {
    // (1 + floor(10 / 5)) / max(10, 20) = 3 / 20.
    let rest = Rest { kept: 1, kept_again: 5, least_rest: 20, ..Rest::default() };
    assert!((rest.share(10) - 0.15).abs() < 1e-12);
    // Three acknowledgements of rest leave (1 + 0) / 20 of 14 packets, which the least window raises to 4.
    let rest = Rest { least_window: 4.0, ..rest };
    let mut spc = Spc::new(Parameters { rest, ..Parameters::default() }, 2);
    let (_, paths) = two();
    assert_eq!(last(&mut spc, 0, &RISES, &paths), Some(Switch { path: 1, cwnd: Some(4.0) }));
}

#[test]
fn it_switches_when_three_round_trips_rise_above_the_threshold() {
    // F = 2, 62 ms: above 124 ms. Three acknowledgements, HowOld 3: 14 * 3/7 = 6 packets.
    let (mut spc, paths) = two();
    let switch = Switch { path: 1, cwnd: Some(6.0) };
    assert_eq!(acks(&mut spc, 0, &RISES, &paths), [None, None, Some(switch)]);
    // On the new path three samples are needed again.
    assert_eq!(acks(&mut spc, 1, &[160, 170], &paths), [None, None]);
    assert_eq!(last(&mut spc, 1, &[180], &paths).map(|switch| switch.path), Some(0));
}

#[test]
fn it_stays_where_the_round_trip_is_below_or_does_not_rise() {
    for rtts in [[120, 130, 140], [150, 140, 160], [130, 140, 140], [130, 130, 140]] {
        let (mut spc, paths) = two();
        assert_eq!(acks(&mut spc, 0, &rtts, &paths), [None; 3], "{rtts:?}");
    }
}

#[test]
fn a_path_that_has_rested_long_resumes_with_two_packets_at_least() {
    // 97 acknowledgements below the threshold and three above: HowOld 100, P = 13/100, 14 * 0.13 = 1.82.
    let (mut spc, paths) = two();
    acks(&mut spc, 0, &[62; 97], &paths);
    assert_eq!(last(&mut spc, 0, &RISES, &paths).and_then(|switch| switch.cwnd), Some(2.0));
}

#[test]
fn without_another_usable_path_it_stays() {
    let (mut spc, _) = two();
    assert_eq!(last(&mut spc, 0, &RISES, &Windows(vec![(20.0, true), (14.0, false)])), None);
    assert_eq!(last(&mut Spc::new(Parameters::default(), 1), 0, &RISES, &Windows(vec![(20.0, true)])), None);
}

#[test]
fn of_three_paths_it_takes_the_one_with_the_largest_window_to_resume_with() {
    let paths = Windows(vec![(20.0, true), (14.0, true), (28.0, true)]);
    let mut spc = Spc::new(Parameters::default(), 3);
    // Path 2 would resume with 28 * 3/7 = 12 packets, path 1 with 14 * 3/7 = 6.
    let first = last(&mut spc, 0, &RISES, &paths);
    assert_eq!(first, Some(Switch { path: 2, cwnd: Some(12.0) }));
    // Path 0 has then rested for 3 acknowledgements, 20 * 3/7; path 1 for 6, 14 * 3/7.
    assert_eq!(last(&mut spc, 2, &RISES, &paths).map(|switch| switch.path), Some(0));
    let mut longest = Spc::new(Parameters { next: Next::LongestRest, ..Parameters::default() }, 3);
    last(&mut longest, 0, &RISES, &paths);
    assert_eq!(last(&mut longest, 1, &RISES, &paths).map(|switch| switch.path), Some(2));
}

#[test]
fn a_switch_by_the_transport_restarts_the_samples() {
    let (mut spc, paths) = two();
    acks(&mut spc, 0, &RISES[..2], &paths);
    assert_eq!(acks(&mut spc, 1, &[150, 160], &paths), [None, None]);
}
