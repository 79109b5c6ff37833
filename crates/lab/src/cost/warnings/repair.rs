//! Warnings about flows that are compared although their controls repair losses by different rules, so that a figure shows
//! the repair besides the windows.

use crate::language::document::quoted;
use crate::language::scenario::Scenario;
use ackclock_sim::tcp::details::Rule;
use std::collections::{BTreeMap, BTreeSet};

/// The rules by which the controls of some flows repair losses, in one scenario or at the points of a sweep.
#[derive(Clone, Debug, Default)]
pub struct Repairs {
    /// By the profile of the transport: flows over several profiles differ in more than their controls.
    by_profile: BTreeMap<&'static str, BTreeSet<Found>>,
}

/// A control with the rule by which its flows repair losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Found {
    rule: &'static str,
    control: &'static str,
    is_of_control: bool,
    is_selective: bool,
}

impl Found {
    /// Returns whether a comparison with `other` compares rules besides controls, because this control brings a rule
    /// without selective acknowledgements. A rule that the scenario names is meant.
    fn differs(&self, other: &Self) -> bool {
        self.control != other.control && self.rule != other.rule && self.is_of_control && !self.is_selective
    }
}

impl Repairs {
    /// Adds the flows of a scenario.
    pub fn add(&mut self, scenario: &Scenario) {
        for group in &scenario.flows {
            let sending = &group.plan.sending;
            let Some(repair) = sending.transport.facts().repair else { continue };
            self.by_profile.entry(sending.transport_name()).or_default().insert(Found {
                rule: repair.rule,
                control: group.control_name(),
                is_of_control: repair.is_of_control,
                is_selective: repair.is_selective,
            });
        }
    }

    /// Returns a warning for each profile over which controls with different rules are compared.
    pub fn warnings(&self) -> Vec<String> {
        let compared = self
            .by_profile
            .iter()
            .filter(|(_, found)| found.iter().any(|one| found.iter().any(|other| one.differs(other))));
        compared.map(|(profile, found)| sentence(profile, found)).collect()
    }
}

fn sentence(profile: &str, found: &BTreeSet<Found>) -> String {
    let mut by_rule: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for one in found {
        by_rule.entry(one.rule).or_default().insert(one.control);
    }
    let rules = by_rule.iter().map(|(rule, controls)| {
        let controls: Vec<_> = controls.iter().copied().collect();
        format!("{} for {}", quoted(rule), controls.join(", "))
    });
    let rules: Vec<_> = rules.collect();
    format!(
        "the congestion controls use different loss recovery: {}. Differences between their results come from loss recovery \
         as well as from the window; `transport = {{ name = {}, recovery = {} }}` gives all flows the same loss recovery",
        rules.join("; "),
        quoted(profile),
        quoted(Rule::Sack.word()),
    )
}

/// Returns what a list says of a control that was published with this retransmission rule; `None` if it is not one that
/// a comparison with most controls has to mind.
pub fn remark(rule: Option<&str>) -> Option<String> {
    let rule = Rule::ALL.iter().find(|known| Some(known.word()) == rule)?;
    (!rule.is_selective()).then(|| {
        format!(
            "Uses loss recovery {} (no SACK) unless the transport sets `recovery`. Compared with a control whose default \
             is {}, differences come from loss recovery as well as from the window",
            quoted(rule.word()),
            quoted(Rule::Sack.word()),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::warnings;
    use serde_json::Map;

    const LINKS: &str = "duration = \"10 s\"\n[dumbbell]\nbottleneck = { rate = \"10 Mbit/s\", delay = \"8 ms\" }\n\
                         access = { rate = \"1 Gbit/s\", delay = \"1 ms\" }\n";

    /// The warnings about flows with these controls and transports.
    fn warned(flows: &[(&str, &str)]) -> Vec<String> {
        let flow = |(control, transport): &(&str, &str)| {
            format!("[[flows]]\ncontrol = \"{control}\"\ntransport = {transport}\n")
        };
        let text = LINKS.to_owned() + &flows.iter().map(flow).collect::<String>();
        let scenario = Scenario::parse(&text, "test", &Map::new()).expect("a valid scenario");
        let of_points = Scenario::check(&text, "test", &Map::new()).expect("a valid scenario").warnings;
        assert_eq!(warnings::of_one(&scenario), of_points);
        of_points
    }

    #[test]
    fn controls_beside_each_other_with_different_rules_cause_a_warning() {
        let told = warned(&[("reno", "\"rfc\""), ("cubic", "\"rfc\""), ("sack", "\"rfc\"")]);
        assert_eq!(told.len(), 1, "{told:?}");
        let begins = "the congestion controls use different loss recovery: \"reno\" for reno; \"sack\" for cubic, sack. ";
        assert!(told[0].starts_with(begins), "{told:?}");
        assert!(told[0].contains("`transport = { name = \"rfc\", recovery = \"sack\" }`"), "{told:?}");
    }

    #[test]
    fn equal_rules_and_rules_that_are_named_cause_none() {
        let sack = "{ name = \"rfc\", recovery = \"sack\" }";
        let newreno = "{ name = \"rfc\", recovery = \"newreno\" }";
        for fine in [
            // Linux finds losses in one way whatever the control.
            [("reno", "\"linux\""), ("cubic", "\"linux\"")],
            // Both know from selective acknowledgements what is missing.
            [("bbrv3", "\"rfc\""), ("cubic", "\"rfc\"")],
            [("reno", sack), ("cubic", "\"rfc\"")],
            [("reno", newreno), ("cubic", "\"rfc\"")],
            [("reno", "\"rfc\""), ("cubic", "\"linux\"")],
            [("reno", "\"quic\""), ("cubic", "\"quic\"")],
        ] {
            assert!(warned(&fine).is_empty(), "{fine:?}");
        }
        // Only the other rule is named.
        assert_eq!(warned(&[("reno", "\"rfc\""), ("cubic", sack)]).len(), 1);
    }

    #[test]
    fn controls_of_a_sweep_are_compared() {
        let swept = |controls: &str| {
            let text = format!(
                "{LINKS}[[flows]]\nname = \"tcp\"\ncontrol = \"sack\"\n[sweep]\n\"flows.tcp.control\" = {controls}\n"
            );
            Scenario::check(&text, "test", &Map::new()).expect("a valid scenario").warnings
        };
        assert_eq!(swept("[\"sack\", \"reno\"]").len(), 1);
        assert!(swept("[\"sack\", \"cubic\"]").is_empty());
    }

    #[test]
    fn a_list_says_which_controls_repair_without_selective_acknowledgements() {
        assert!(remark(Some("reno")).is_some_and(|told| told.starts_with("Uses loss recovery \"reno\"")));
        assert_eq!((remark(Some("sack")), remark(Some("rack")), remark(None)), (None, None, None));
    }
}
