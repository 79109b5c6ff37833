use crate::script::Script;
use ackclock_base::Span;

const BANDWIDTH: &str = "bandwidth_packets_per_s";

fn script(settings: &[(&str, &str)]) -> Script {
    let mut script = Script::with("westwood", settings).window(100.0).starting_ssthresh(100.0);
    script.acks(1);
    script
}

fn ack_after(script: &mut Script, ms: u64) {
    script.wait(Span::from_millis(ms));
    script.acks(1);
}

#[test]
fn the_filter_with_a_time_constant() {
    // tau = 1 s, one packet after 100 ms: 10 packets/s, (2 - 0.1)/(2 + 0.1) * 0 + 0.1/2.1 * (10 + 0) = 0.47619.
    let mut script = script(&[]);
    ack_after(&mut script, 100);
    assert!((script.published(BANDWIDTH) - 10.0 / 21.0).abs() < 1e-9);
    // The second: 19/21 * 0.47619 + 1/21 * (10 + 10) = 1.38322.
    ack_after(&mut script, 100);
    assert!((script.published(BANDWIDTH) - 610.0 / 441.0).abs() < 1e-9);
}

#[test]
fn silence_counts_as_no_bandwidth() {
    // From 610/441 with a last sample of 10: 1.2 s of silence are two halves of tau and 200 ms. 0.6 b + 0.2 *
    // 10 = 2.82993, and 0.6 of it = 1.69796; the packet 200 ms later is a sample of 5: 1.8/2.2 b + 0.2/2.2 *
    // 5 = 1.84378.
    let mut script = script(&[]);
    ack_after(&mut script, 100);
    ack_after(&mut script, 100);
    ack_after(&mut script, 1200);
    assert!((script.published(BANDWIDTH) - 1.84378).abs() < 1e-5, "{}", script.published(BANDWIDTH));
}

#[test]
fn the_filter_with_fixed_weights() {
    // 0.0476 * 10, then 0.9047 * 0.476 + 0.0476 * 20 = 1.38264.
    let mut script = script(&[("filter", "fixed")]);
    ack_after(&mut script, 100);
    ack_after(&mut script, 100);
    assert!((script.published(BANDWIDTH) - 1.3826372).abs() < 1e-9);
}

#[test]
fn without_losses_it_grows_as_reno_does() {
    // Slow start adds a packet per acknowledgement up to 10; from there 1/10 and 1/10.1.
    let mut script = Script::new("westwood").window(8.0).starting_ssthresh(10.0);
    script.acks(2);
    assert_eq!(script.cwnd(), 10.0);
    script.acks(2);
    assert!((script.cwnd() - (10.1 + 1.0 / 10.1)).abs() < 1e-12, "{}", script.cwnd());
}

#[test]
fn after_a_loss_the_window_is_the_bandwidth_delay_product() {
    // One packet per millisecond for 20 s and 100 ms: 1000 packets/s * 0.1 s = 100 packets.
    let mut script = Script::new("westwood").window(150.0).starting_ssthresh(2.0);
    for _ in 0..20_000 {
        script.wait(Span::from_millis(1));
        script.acks(1);
    }
    assert!((script.published("bandwidth_delay_packets") - 100.0).abs() < 0.1);
    let whole = script.published("bandwidth_delay_packets").floor();
    script.loss();
    assert_eq!((script.cwnd(), script.ssthresh()), (whole, whole));
    // A loss does not raise a window smaller than that product, except to the transport's two packets.
    script.timeout();
    assert_eq!((script.cwnd(), script.ssthresh()), (1.0, whole));
    script.loss();
    assert_eq!(script.cwnd(), 2.0);
}

#[test]
fn packets_counted_by_duplicates_are_not_counted_again() {
    // Three duplicates count one packet each, and the acknowledgement of four that follows counts the
    // remaining one; the next four at once, without duplicates before, count two.
    let mut script = script(&[("filter", "fixed")]);
    let steps = [(0, 1.0), (0, 1.0), (0, 1.0), (4, 1.0), (4, 2.0)];
    let (mut bandwidth, mut last, mut acked_to) = (0.0, 0.0, 1);
    for (newly, packets) in steps {
        acked_to += newly;
        script.wait(Span::from_millis(100));
        script.ack_as(|ack| (ack.acked_to, ack.fresh) = (acked_to, newly > 0));
        let sample = packets / 0.1;
        bandwidth = 0.9047 * bandwidth + 0.0476 * (sample + last);
        last = sample;
        assert!((script.published(BANDWIDTH) - bandwidth).abs() < 1e-9, "{acked_to}");
    }
}
