//! Tests that window laws, discriminators, actions, layers, retransmission rules and back-off rules can be
//! combined, also in unpublished ways. Every run is checked by the trace verifier.

use crate::verified;
use ackclock_cc::entry::Build;
use ackclock_cc::registry::{ACTIONS, BACKOFFS, CONTROLS, DISCRIMINATORS, SLOW_STARTS};
use rayon::prelude::*;
use serde_json::Value;

/// Returns the rules that a transport may name.
fn recoveries() -> &'static [&'static str] {
    let parameter = ackclock_sim::tcp::options::find("rfc").and_then(|profile| profile.parameter("recovery"));
    match parameter.map(|parameter| parameter.quantity) {
        Some(ackclock_base::registry::Quantity::Choice(words)) => words,
        other => panic!("{other:?}"),
    }
}

/// Runs two equal flows through a bottleneck of 5 Mbit/s and 40 ms that also loses packets at random.
fn run(flow: &str, loss: &str, duration: &str) -> Value {
    let text = format!(
        "duration = \"{duration}\"\n[dumbbell]\npairs = 2\n\
         bottleneck = {{ rate = \"5 Mbit/s\", delay = \"20 ms\", \
         queue = {{ name = \"droptail\", limit = \"25 packets\" }}, \
         loss = {{ name = \"independent\", probability = {loss} }} }}\n\
         access = {{ rate = \"100 Mbit/s\", delay = \"0 s\" }}\n\
         [[flows]]\nname = \"tcp\"\ncount = 2\nstart = {{ every = \"0.1 s\" }}\n{flow}\n"
    );
    verified::result(&text, &Value::Null)
}

fn goodput(result: &Value) -> f64 {
    let flows = result["flows"].as_array().expect("flows");
    flows.iter().map(|flow| flow["goodput_bps"].as_f64().expect("a goodput")).sum()
}

/// Returns the last value of a series of the first flow.
fn last(result: &Value, series: &str) -> f64 {
    let values = &result["series"]["flows"]["tcp-1"][series];
    let values =
        values.as_array().unwrap_or_else(|| panic!("{series} in {}", result["series"]["flows"]["tcp-1"]));
    values.last().and_then(Value::as_f64).expect("a value")
}

#[test]
fn every_part_goes_with_every_other() {
    CONTROLS.par_iter().for_each(|control| {
        // A control with a model of the path has no window that a layer could set.
        let has_window = !matches!(control.build, Build::Model(_));
        for (index, recovery) in recoveries().iter().enumerate() {
            for discriminator in &DISCRIMINATORS[..if has_window { DISCRIMINATORS.len() } else { 1 }] {
                // Every control is combined with every rule and every discriminator; actions, slow starts and
                // back-off rules take turns.
                let around = format!(
                    "discriminator = \"{}\"\naction = \"{}\"\nslow_start = \"{}\"\necn_response = \"abe\"\n\
                     growth_limit = \"rate-limited-increase\"\n",
                    discriminator.descriptor.name,
                    ACTIONS[index % ACTIONS.len()].descriptor.name,
                    SLOW_STARTS[index % SLOW_STARTS.len()].descriptor.name,
                );
                let around = if has_window { around } else { String::new() };
                let control = control.descriptor.name;
                let backoff = BACKOFFS[(index / 2) % BACKOFFS.len()].descriptor.name;
                let flow = format!(
                    "control = \"{control}\"\n{around}backoff = \"{backoff}\"\n\
                     transport = {{ name = \"ns2\", recovery = \"{recovery}\", timestamps = true, window = \"100 packets\" }}"
                );
                let result = run(&flow, "0.02", "3 s");
                // At 2 % loss and 40 ms each flow has about 8 packets in flight: 3 Mbit/s for both, less what
                // timeouts and slow laws cost. A combination that does not work at all stalls.
                assert!(goodput(&result) > 0.1e6, "{flow}: {} bit/s", goodput(&result));
            }
        }
    });
}

#[test]
fn a_discriminator_over_cubic_avoids_cuts_for_losses_of_transmission() {
    let with = |parts: &str| {
        let flow = format!(
            "control = \"cubic\"\n{parts}\ntransport = {{ name = \"ns2\", recovery = \"newreno\", timestamps = true, \
             window = \"100 packets\", initial_ssthresh = \"100 packets\" }}"
        );
        // 3 % of the packets are lost without congestion: a cut for each keeps two flows from filling the
        // link.
        run(&flow, "0.03", "60 s")
    };
    let (plain, with_discriminator) = (with(""), with("discriminator = \"rtt\"\naction = \"cwa\""));
    assert!(last(&with_discriminator, "judged_transmission") > 10.0);
    assert!(
        goodput(&with_discriminator) > 1.1 * goodput(&plain),
        "{} against {} bit/s",
        goodput(&with_discriminator),
        goodput(&plain)
    );
}

#[test]
fn adaptive_tcp_keeps_its_strength_under_another_backoff() {
    let result = run(
        "control = \"a-tcp\"\nbackoff = \"rta\"\ntransport = { name = \"ns2\", timestamps = true, \
         window = \"100 packets\", initial_ssthresh = \"100 packets\" }",
        "0.001",
        "30 s",
    );
    let strengths = result["series"]["flows"]["tcp-1"]["k"].as_array().expect("a series of k");
    let most = strengths.iter().filter_map(Value::as_f64).fold(0.0, f64::max);
    assert!(most >= 2.0, "k never climbs above {most}");
    assert!(last(&result, "acknowledgements_per_s") > 0.0);
}

#[test]
fn under_heavy_loss_rta_waits_less_for_each_timeout() {
    // Alnuem 2009 section 4.2.3: the timeout grows by what is missing from the best bandwidth seen, and never
    // by more than doubling. At 20 % loss most timeouts are consecutive.
    let idle_per_timeout = |parts: &str| {
        let flow = format!(
            "control = \"reno\"\n{parts}\ntransport = {{ name = \"ns2\", window = \"100 packets\" }}"
        );
        let result = run(&flow, "0.2", "200 s");
        let sum = |key: &str| {
            let flows = result["flows"].as_array().expect("flows");
            flows.iter().map(|flow| flow[key].as_f64().expect("a number")).sum::<f64>()
        };
        assert!(sum("timeouts") > 100.0, "{}", sum("timeouts"));
        sum("timeout_idle_s") / sum("timeouts")
    };
    let (exponential, rta) = (idle_per_timeout(""), idle_per_timeout("backoff = \"rta\""));
    assert!(rta < exponential, "{rta} s with rta, {exponential} s without");
}
