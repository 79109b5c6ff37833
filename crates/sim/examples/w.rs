use ackclock_base::*;
use ackclock_sim::{flow::*, link::*, measure::*, simulation::*, tcp::options};
use std::sync::atomic::AtomicBool;
fn main() {
    for w in ["W1", "W2", "W3"] {
        let (n, bw, acc, q, t, gap, rmin, rmax) = match w {
            "W1" => (10, 10e6, 100e6, 50, 100.0, 0.1, 0.04, 0.1),
            "W2" => (4, 1e9, 10e9, 12500, 100.0, 0.5, 0.1, 0.1),
            _ => (100, 100e6, 1e9, 1000, 60.0, 0.05, 0.04, 0.1),
        };
        let link = |name: String, rate: f64, delay: f64, disc| LinkParts {
            name,
            from: "".into(),
            to: "".into(),
            rate: Rate::from_bits_per_second(rate as u64),
            delay: Span::from_seconds(delay),
            discipline: disc,
            loss: None,
            seed: 1,
        };
        let red = || -> Box<dyn ackclock_aqm::Discipline> {
            let e = ackclock_aqm::registry::find(if w == "W3" { "red" } else { "droptail" }).unwrap();
            let v = if w == "W3" {
                Values::with(
                    e.descriptor,
                    &[("min_threshold", "100 packets"), ("max_threshold", "300 packets")],
                )
            } else {
                e.descriptor.defaults()
            };
            (e.build)(
                &v,
                ackclock_aqm::Capacity::Packets(q),
                &ackclock_aqm::LinkRate {
                    rate: Rate::from_bits_per_second(bw as u64),
                    mean_packet_bytes: 1000,
                },
            )
        };
        let mut links = vec![link("b".into(), bw, 0.01, Some(red())), link("r".into(), bw, 0.01, None)];
        let mut flows = vec![];
        for i in 0..n {
            let rtt = rmin + (rmax - rmin) * i as f64 / (n - 1) as f64;
            let d = rtt / 2.0 - 0.011;
            let l = links.len() as u32;
            for (nm, dd) in [("su", d), ("sd", d), ("du", 0.001), ("dd", 0.001)] {
                links.push(link(format!("{nm}{i}"), acc, dd, None));
            }
            let e = ackclock_cc::registry::find("sack").unwrap();
            let v = Values::with(
                options::find("ns2").unwrap(),
                &[
                    ("packet", "960 B"),
                    ("window", "1000000 packets"),
                    ("initial_ssthresh", "1000000 packets"),
                    ("tick", "1 ms"),
                    ("initial_rto", "1 s"),
                ],
            );
            let o = options::Options::new(&v, e.recovery);
            let c = (e.build)(&e.descriptor.defaults(), &o.initial());
            flows.push(FlowParts {
                name: format!("f{i}"),
                forward: vec![l, 0, l + 2],
                backward: vec![l + 3, 1, l + 1],
                start: Time::from_seconds(gap * i as f64),
                stop: Time::NEVER,
                transport: Transport::Tcp { options: o, control: c, packets: u64::MAX, dupack_threshold: 3 },
            });
        }
        let end = Time::from_seconds(t);
        let mut s = Simulation::new(Parts {
            links,
            flows,
            measured: Interval { from: Time::ZERO, to: end },
            seed: 1,
            sample_every: None,
            traced: false,
        });
        let t0 = std::time::Instant::now();
        s.run(&AtomicBool::new(false)).unwrap();
        let el = t0.elapsed().as_secs_f64();
        let c = s.network.links[0].counts();
        let qs = s.network.links[0].queue_statistics(end);
        let g: Vec<f64> = s.flows.iter().map(|f| f.delivered_packets() as f64).collect();
        let jain = g.iter().sum::<f64>().powi(2) / (g.len() as f64 * g.iter().map(|x| x * x).sum::<f64>());
        let rt: u64 = s.flows.iter().map(|f| f.tcp().unwrap().counts().retransmitted).sum();
        let to: u64 = s.flows.iter().map(|f| f.tcp().unwrap().counts().timeouts).sum();
        println!(
            "{w} delivered {} drops {} meanq {:.2} jain {:.3} rtx {rt} to {to} events {} time {:.3} Mpps {:.2} ns/ev {:.1}",
            c.delivered,
            c.dropped,
            qs.mean_packets,
            jain,
            s.events(),
            el,
            c.delivered as f64 / el / 1e6,
            el * 1e9 / s.events() as f64
        );
    }
}
