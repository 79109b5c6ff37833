use super::*;
use crate::discipline::Ecn;
use crate::testing::{arrival, idle, waiting};
use ackclock_base::{Rate, Values, random::Scripted};

/// A packet of 1000 bytes takes a millisecond: 1000 packets a second.
const LINK: LinkRate = LinkRate { rate: Rate::from_bits_per_second(8_000_000), mean_packet_bytes: 1000 };

fn avq(capacity: Capacity, settings: &[(&str, &str)]) -> Avq {
    Avq::new(Parameters::from(&Values::with(ENTRY.descriptor, settings)), capacity, &LINK)
}

/// Returns the verdict at an empty real queue, so that the virtual queue decides.
fn offer(avq: &mut Avq, ms: f64) -> Verdict {
    avq.on_arrival(&arrival(ms), &idle(0.0), &mut Scripted::new(&[]))
}

#[test]
fn the_virtual_queue_holds_as_much_as_the_real_one() {
    for capacity in [Capacity::Packets(5), Capacity::Bytes(5000)] {
        let mut avq = avq(capacity, &[]);
        let verdicts: Vec<_> = (0..7).map(|_| offer(&mut avq, 0.0)).collect();
        assert_eq!(verdicts[..5], [Verdict::Admit; 5]);
        assert_eq!(verdicts[5..], [Verdict::Drop; 2]);
    }
    let mut unlimited = avq(Capacity::Unlimited, &[]);
    assert!((0..1000).all(|_| offer(&mut unlimited, 0.0) == Verdict::Admit));
}

#[test]
fn it_drains_at_the_virtual_capacity() {
    // 800 packets a second at first, less 0.1 for each of the five that fit at 0: 799.5. In 1.25 ms that
    // drains 0.999 of the five packets, too little for a sixth; in 1.26 ms 1.007.
    for (ms, verdict) in [(1.25, Verdict::Drop), (1.26, Verdict::Admit)] {
        let mut avq = avq(Capacity::Packets(5), &[]);
        for _ in 0..6 {
            offer(&mut avq, 0.0);
        }
        assert_eq!(offer(&mut avq, ms), verdict);
    }
}

#[test]
fn the_virtual_capacity_falls_with_excess_load_and_rises_to_the_links() {
    // d/dt = 0.1 (0.98 * 1000 - load). Two packets a millisecond: -102 a second, in packets a second.
    let mut loaded = avq(Capacity::Packets(50), &[("load", "offered")]);
    for step in 1..=2000 {
        offer(&mut loaded, f64::from(step) * 0.5);
    }
    assert!((loaded.virtual_per_s - (800.0 - 102.0)).abs() < 1e-6, "{}", loaded.virtual_per_s);
    // One packet per two milliseconds: +48 a second, so that 20 seconds are enough to reach the link's
    // capacity, less the last packet's 0.1.
    let mut light = avq(Capacity::Packets(50), &[]);
    for step in 1..=10_000 {
        offer(&mut light, f64::from(step) * 2.0);
    }
    assert!((light.virtual_per_s - 999.9).abs() < 1e-6, "{}", light.virtual_per_s);
}

#[test]
fn its_own_drops_are_load_only_by_option() {
    // Eleven packets at once, five of which fit: the capacity falls by 0.1 for each of five, or for each of
    // eleven. If the others are marked instead, none is dropped and all count.
    let readings: [(&[(&str, &str)], f64); 3] =
        [(&[], 5.0), (&[("load", "offered")], 11.0), (&[("ecn", "true")], 11.0)];
    for (settings, counted) in readings {
        let mut avq = avq(Capacity::Packets(5), settings);
        for _ in 0..11 {
            let capable = Arrival { ecn: Ecn::Classic, ..arrival(0.0) };
            avq.on_arrival(&capable, &idle(0.0), &mut Scripted::new(&[]));
        }
        assert!(
            (avq.virtual_per_s - (800.0 - 0.1 * counted)).abs() < 1e-9,
            "{settings:?}: {}",
            avq.virtual_per_s
        );
    }
}

#[test]
fn packets_that_the_real_queue_cannot_hold_are_load() {
    // As in vq.cc, which adapts before it looks at the real queue. Marks do not prevent its overflow: the
    // five that the virtual queue takes and the six that it marks are dropped, and count.
    for (settings, counted) in [(&[][..], 5.0), (&[("ecn", "true")][..], 11.0)] {
        let mut avq = avq(Capacity::Packets(5), settings);
        for _ in 0..11 {
            let capable = Arrival { ecn: Ecn::Classic, ..arrival(0.0) };
            assert_eq!(avq.on_arrival(&capable, &waiting(5), &mut Scripted::new(&[])), Verdict::Drop);
        }
        assert!((avq.virtual_per_s - (800.0 - 0.1 * counted)).abs() < 1e-9, "{}", avq.virtual_per_s);
    }
}

#[test]
fn bytes_and_packets_agree_for_packets_of_one_size() {
    let mut packets = avq(Capacity::Packets(20), &[]);
    let mut bytes = avq(Capacity::Bytes(20_000), &[]);
    for step in 0..5000 {
        let ms = 0.7 * f64::from(step) + 0.3 * libm::sin(f64::from(step));
        assert_eq!(offer(&mut packets, ms), offer(&mut bytes, ms));
    }
    assert!((packets.virtual_per_s * 1000.0 - bytes.virtual_per_s).abs() < 1e-3);
}

#[test]
fn capable_packets_are_marked_and_an_overflow_drops() {
    let mut avq = avq(Capacity::Packets(1), &[("ecn", "true")]);
    let capable = Arrival { ecn: Ecn::Classic, ..arrival(0.0) };
    let mut verdict = |arrival, backlog| avq.on_arrival(&arrival, &backlog, &mut Scripted::new(&[]));
    assert_eq!(verdict(capable, waiting(0)), Verdict::Admit);
    assert_eq!(verdict(capable, waiting(0)), Verdict::Mark);
    assert_eq!(verdict(arrival(0.0), waiting(0)), Verdict::Drop);
    assert_eq!(verdict(capable, waiting(1)), Verdict::Drop);
}

#[test]
fn the_virtual_queue_and_its_capacity_are_never_below_zero() {
    // 10,000 packets at once take 1000 a second from a capacity of 800: it is 0. In 10 s it gains 0.98 * 1000 * 0.1 *
    // 10 = 980, less the 0.1 of the packet that arrives.
    let mut avq = avq(Capacity::Packets(20_000), &[("load", "offered")]);
    (0..10_000).for_each(|_| _ = offer(&mut avq, 0.0));
    assert_eq!(avq.virtual_per_s, 0.0);
    offer(&mut avq, 10_000.0);
    assert!((avq.virtual_per_s - 979.9).abs() < 1e-6, "{}", avq.virtual_per_s);
    // An idle time saves nothing: five packets fit after it, as at first.
    let mut idle = self::avq(Capacity::Packets(5), &[]);
    offer(&mut idle, 0.0);
    let verdicts = [0; 6].map(|_| offer(&mut idle, 1000.0));
    assert_eq!((verdicts[4], verdicts[5]), (Verdict::Admit, Verdict::Drop));
}

#[test]
fn an_empty_virtual_queue_takes_a_packet_that_is_longer_than_the_limit() {
    let mut avq = avq(Capacity::Bytes(500), &[]);
    assert_eq!([0; 2].map(|_| offer(&mut avq, 0.0)), [Verdict::Admit, Verdict::Drop]);
}
