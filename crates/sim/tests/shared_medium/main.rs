//! Compares stations that contend for a medium, repeat unanswered packets and send several packets per turn
//! with published models and with arithmetic.

mod bianchi;
mod cell;

use ackclock_base::Span;
use bianchi::Bianchi;
use cell::Cell;

/// Returns the cell of Bianchi's table II: frequency hopping at 1 Mbit/s, packets of 1023 bytes with 34 of
/// header, and counts from 0 to 31 that double three times. `more` holds further settings.
fn fhss(stations: u32, more: &[(&'static str, &'static str)]) -> Cell {
    let mut parameters = vec![
        ("slot", "50 us"),
        ("idle", "128 us"),
        ("sifs", "28 us"),
        ("preamble", "128 us"),
        ("answer", "240 us"),
        ("framing", "34 B"),
        ("least_window", "31"),
        ("most_window", "255"),
        ("attempts", "255"),
    ];
    parameters.extend(more);
    Cell {
        stations,
        rate: 1_000_000,
        bytes: 1023,
        every: Span::from_millis(6),
        medium: ("dcf", parameters),
        loss: 0.0,
        seconds: 60.0,
        traced: false,
    }
}

/// Returns the largest allowed deviation from the model, as given in reference/tolerances.toml.
fn tolerance() -> f64 {
    let file = include_str!("../../../../reference/tolerances.toml");
    let mut lines = file.lines();
    lines.find_map(|line| line.strip_prefix("bianchi = ")).and_then(|text| text.parse().ok()).unwrap()
}

/// Returns the ratio of the stations' total throughput, averaged over seeds, to that of the model.
fn over_model(cell: impl Fn() -> Cell, model: &Bianchi) -> f64 {
    let measured = (1..=3).map(|seed| cell().packets_per_second(seed)).sum::<f64>() / 3.0;
    measured / model.packets_per_second()
}

/// The throughput is within 5 % of the model for 1 to 20 stations. With the wait for a missing answer (EIFS),
/// which the publication leaves out, a collision keeps the medium busy as long as a success.
#[test]
fn saturated_stations_carry_what_bianchis_model_says() {
    // A packet takes 128 us of preamble and 1057 bytes at 1 Mbit/s, followed by 128 us of silence; an answer
    // adds 28 and 240 us.
    let (packet, idle, answer) = (128e-6 + 8456e-6, 128e-6, 268e-6);
    for (eifs, missed) in [("false", 0.0), ("true", answer)] {
        for stations in [1, 2, 3, 5, 10, 15, 20] {
            let model = Bianchi {
                stations,
                window: 32.0,
                doublings: 3,
                slot: 50e-6,
                success: packet + answer + idle,
                collision: packet + missed + idle,
            };
            let ratio = over_model(|| fhss(stations, &[("eifs", eifs)]), &model);
            println!("{stations} stations, EIFS {eifs}: {ratio:.4} of Bianchi's model");
            assert!((ratio - 1.0).abs() < tolerance(), "{stations}: {ratio}");
        }
    }
}

/// Checks a medium without answers, whose counts from 0 to 39 never double, against the same model without
/// doubling.
#[test]
fn a_simple_medium_loses_collided_packets() {
    let cell = |stations| Cell {
        rate: 2_000_000,
        bytes: 1040,
        every: Span::from_millis(4),
        medium: ("simple", Vec::new()),
        ..fhss(stations, &[])
    };
    for stations in [1, 2, 5, 10, 20] {
        let packet = 4160e-6;
        let model =
            Bianchi { stations, window: 40.0, doublings: 0, slot: 50e-6, success: packet, collision: packet };
        let ratio = over_model(|| cell(stations), &model);
        println!("{stations} stations, simple: {ratio:.4} of Bianchi's model without doubling");
        assert!((ratio - 1.0).abs() < tolerance(), "{stations}: {ratio}");
    }
    // Collided packets are lost, and no packet is repeated.
    let run = cell(10).run(1);
    let counts = run.network.station_counts(0).unwrap();
    let link = run.network.links[0].counts();
    assert_eq!((counts.collided, counts.repeated, counts.unreceived), (link.corrupted, 0, 0));
    assert!(link.corrupted > 100, "{}", link.corrupted);
}

/// A packet is received unless all its attempts are lost, and is repeated until an answer comes.
#[test]
fn unanswered_packets_are_repeated_until_they_are_given_up() {
    for (loss, attempts) in [(0.5_f64, 7), (0.3, 4), (0.2, 7), (0.5, 1)] {
        let text = attempts.to_string();
        let most: &'static str = Box::leak(text.into_boxed_str());
        let mut cell = fhss(1, &[]);
        cell.medium.1.retain(|(name, _)| *name != "attempts");
        cell.medium.1.push(("attempts", most));
        cell = Cell { loss, bytes: 100, every: Span::from_millis(2), seconds: 200.0, ..cell };
        let run = cell.run(3);
        let link = run.network.links[0].counts();
        let station = run.network.station_counts(0).unwrap();
        let packets = (link.delivered + link.corrupted) as f64;
        // A packet is lost if no attempt arrives. An attempt is the last if packet and answer arrive, s = (1
        // - l)^2, or if it is the last allowed one: (1 - (1 - s)^n) / s attempts on average.
        let s = (1.0 - loss) * (1.0 - loss);
        let mean = (1.0 - (1.0 - s).powi(attempts)) / s;
        let lost = loss.powi(attempts);
        println!("loss {loss}, {attempts} attempts: {} packets", packets);
        let error = 4.0 * (lost * (1.0 - lost) / packets).sqrt() + 1e-3;
        assert!(
            (link.corrupted as f64 / packets - lost).abs() < error,
            "{}",
            link.corrupted as f64 / packets
        );
        assert!(
            (station.sent as f64 / packets / mean - 1.0).abs() < 0.03,
            "{}",
            station.sent as f64 / packets
        );
        assert_eq!(station.collided, 0);
        let unreceived = station.unreceived as f64 / station.sent as f64;
        assert!((unreceived - loss).abs() < 0.02, "{unreceived}");
    }
}

/// Returns the cycle of a single station that sends full turns: 43 us and 7.5 slots of 9 us, 40 us of
/// preamble, the packets with 42 bytes each, 16 us and the answer's 32 us.
fn cycle_s(packets: f64, bytes: f64, rate: f64) -> f64 {
    43e-6 + 7.5 * 9e-6 + 40e-6 + packets * (bytes + 42.0) * 8.0 / rate + 48e-6
}

#[test]
fn a_turn_of_several_packets_has_its_overhead_once() {
    // 42 packets of 1500 bytes fit into 65,535 bytes with their 42 bytes each; at 13 Mbit/s 5 fit into 5.484
    // ms; packets of 100 bytes are limited by the window of 64, or by the number in the settings.
    for (rate, bytes, asked, packets) in [
        (144_400_000, 1500, "64", 42.0),
        (13_000_000, 1500, "64", 5.0),
        (144_400_000, 100, "64", 64.0),
        (144_400_000, 1500, "1", 1.0),
        (144_400_000, 1500, "8", 8.0),
    ] {
        let cell = Cell {
            rate,
            bytes,
            every: Span::from_nanos(4_000_000_000 * u64::from(bytes) / rate),
            medium: ("wifi", vec![("aggregate", asked)]),
            seconds: 3.0,
            ..fhss(1, &[])
        };
        let expected = packets / cycle_s(packets, f64::from(bytes), rate as f64);
        let ratio = cell.packets_per_second(1) / expected;
        println!("{rate} bit/s, {bytes} B, {asked} asked for: {ratio:.4} of {expected:.0} packets/s");
        assert!((ratio - 1.0).abs() < 0.01, "{rate}, {bytes}, {asked}: {ratio}");
    }
}

/// Each packet of a turn is repeated by itself: with a tenth lost, nine in ten packets sent are received,
/// although one in ten answers is lost.
#[test]
fn lost_packets_of_a_turn_are_repeated_alone() {
    let cell = Cell {
        rate: 144_400_000,
        bytes: 1500,
        every: Span::from_nanos(40_000),
        medium: ("wifi", Vec::new()),
        loss: 0.1,
        seconds: 3.0,
        ..fhss(1, &[])
    };
    let run = cell.run(1);
    let station = run.network.station_counts(0).unwrap();
    let link = run.network.links[0].counts();
    assert_eq!(link.corrupted, 0, "seven attempts: one in ten million");
    let unreceived = station.unreceived as f64 / station.sent as f64;
    assert!((unreceived - 0.1).abs() < 0.01, "{unreceived}");
    // A packet is repeated because it was lost, or because the answer was.
    let repeated = station.repeated as f64 / station.sent as f64;
    assert!((repeated - 0.19).abs() < 0.02, "{repeated}");
}
