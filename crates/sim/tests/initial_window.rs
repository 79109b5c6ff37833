//! Initial windows: limited in bytes by the standards, and in packets by Linux and by the scenario.

use ackclock_base::Values;
use ackclock_recovery::declared::AfterIdle;
use ackclock_sim::{quic, sctp, tcp};

fn tcp_window(profile: &str, settings: &[(&str, &str)]) -> (f64, Option<f64>) {
    let profile = tcp::options::find(profile).expect("a profile of TCP");
    let options = tcp::options::Options::new(&Values::with(profile, settings), None);
    let restarts = options.recovery.rules.after_idle != AfterIdle::Keep;
    (options.initial().window, restarts.then_some(options.recovery.restart_window))
}

//= test RFC 5681 section 4.1
#[test]
fn tcp_bounds_its_first_window_by_14600_bytes_and_linux_does_not() {
    // RFC 6928 section 2: min(10 * MSS, max(2 * MSS, 14600)). The restart window is no larger (RFC 5681
    // section 4.1).
    assert_eq!(tcp_window("rfc", &[]), (10.0, Some(10.0)));
    assert_eq!(tcp_window("rfc", &[("packet", "2920 B")]), (5.0, Some(5.0)));
    // 9000 B on the wire without 52 B of headers: two of them are 17,896 B.
    let jumbo = ("packet", "8948 B");
    assert_eq!(tcp_window("rfc", &[jumbo]), (2.0, Some(2.0)));
    assert_eq!(tcp_window("rfc", &[jumbo, ("initial_window", "10 packets")]), (10.0, Some(10.0)));
    assert_eq!(tcp_window("linux", &[jumbo]), (10.0, Some(10.0)));
    assert_eq!(tcp_window("ns2", &[jumbo]), (2.0, None));
}

//= test RFC 9002 section 7.2 initial
#[test]
fn quic_bounds_its_first_window_by_14720_bytes_of_datagrams() {
    let window = |settings: &[(&str, &str)]| {
        let values = Values::with(&quic::options::PROFILES[0], settings);
        quic::options::Options::new(&values).initial().window
    };
    // RFC 9002 section 7.2. 1439 + 61 B on the wire are a datagram of 1472 B, ten of which are 14,720 B. 2911
    // + 61 - 28 = 2944 B are a fifth of that. Two datagrams of 9000 - 28 B are more.
    assert_eq!(window(&[]), 10.0);
    assert_eq!(window(&[("packet", "2911 B")]), 5.0);
    assert_eq!(window(&[("packet", "8939 B")]), 2.0);
    assert_eq!(window(&[("packet", "8939 B"), ("initial_window", "10 packets")]), 10.0);
}

//= test RFC 9260 section 7.2.1 initial
#[test]
fn sctp_bounds_its_first_window_by_4404_bytes() {
    let window = |settings: &[(&str, &str)]| {
        let values = Values::with(&sctp::options::PROFILES[0], settings);
        sctp::options::Options::new(&values).initial().window
    };
    // RFC 9260 section 7.2.1: min(4 * PMDCS, max(2 * PMDCS, 4404)). PMDCS is the MTU less 32 B: 4404 / 1468 =
    // 3; 4 * 968 is less than 4404, and 2 * 8968 is more.
    assert_eq!(window(&[]), 3.0);
    assert_eq!(window(&[("mtu", "1000 B")]), 4.0);
    assert_eq!(window(&[("mtu", "9000 B")]), 2.0);
    assert_eq!(window(&[("mtu", "9000 B"), ("initial_window", "3 packets")]), 3.0);
}
