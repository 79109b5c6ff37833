//! Reads the precision that a scenario asks for.

use super::Precision;
use crate::language::diagnostics::nearest;
use crate::language::flows::FlowGroup;
use crate::language::keys::{Form, Key, SOME, Table};
use crate::language::limits::MAX_REPLICATIONS;
use crate::language::network::Network;
use crate::language::reader::TableReader;
use crate::run::result::declared_fields;
use ackclock_base::Range;

/// The keys of precision.
pub static PRECISION: Table = Table::new(
    "precision",
    "The precision to reach: replications are added until the metrics' confidence intervals are narrow enough",
    &[&[
        Key::new(
            "within",
            &[Form::Text],
            "The largest accepted half-width of a 95 % confidence interval, as a share of the mean",
        )
        .such_as("\"5 %\""),
        Key::new(
            "metrics",
            &[Form::List(&Form::Text, SOME)],
            "The metrics whose confidence intervals must become narrow enough: `fairness`, `groups.GROUP.FIELD` with a \
             numeric field of flows, or `links.LINK.FIELD` with a numeric field of links",
        )
        .such_as("[\"links.bottleneck.utilisation\"]"),
        Key::new(
            "replications_most",
            &[Form::whole(Range::between(1.0, MAX_REPLICATIONS))],
            "The largest number of replications, even if an interval is still wider than `within`",
        )
        .such_as("100"),
    ]],
)
.requiring(&["within", "metrics", "replications_most"]);

impl Precision {
    /// Reads `precision = { within = "5 %", metrics = ["groups.tcp.goodput_bps"], replications_most = 100 }`.
    pub fn read(
        root: &TableReader<'_>,
        replications: i64,
        flows: &[FlowGroup],
        network: &Network,
    ) -> Option<Self> {
        let table = root.open("precision")?;
        let within = table.text("within").and_then(|text| {
            let share = percentage(text);
            if share.is_none() {
                table.problem_at("within", &format!("{text:?}"), "a percentage above 0 such as \"5 %\"");
            }
            share
        });
        let metrics = table.texts("metrics");
        for metric in metrics.iter().flatten() {
            if !is_metric(metric, flows, network) {
                let expected = "`fairness`, or a numeric field of the results of a group or a link, such as \
                    \"groups.tcp.goodput_bps\" or \"links.bottleneck.utilisation\"";
                table.problem_at("metrics", &found(metric, flows, network), expected);
            }
        }
        let most: Option<i64> = table.read("replications_most");
        if let Some(most) = most.filter(|most| *most < replications) {
            let expected =
                format!("at least {replications}, the initial number of replications (`replications`)");
            table.problem_at("replications_most", &most.to_string(), &expected);
        }
        let metrics = metrics?.into_iter().map(str::to_owned).collect();
        Some(Self { within: within?, metrics, replications_most: most? })
    }
}

fn percentage(text: &str) -> Option<f64> {
    let number: f64 = text.trim().strip_suffix('%')?.trim().parse().ok()?;
    (number.is_finite() && number > 0.0).then_some(number / 100.0)
}

/// Returns the names of the groups or links of a result, and the names of their numeric fields; `None` for
/// another kind.
fn named<'a>(
    kind: &str,
    flows: &'a [FlowGroup],
    network: &'a Network,
) -> Option<(Vec<&'a str>, Vec<String>)> {
    let (names, record) = match kind {
        "groups" => (flows.iter().map(|group| group.plan.name.as_str()).collect(), "flow"),
        "links" => (network.links.iter().map(|link| link.name.as_str()).collect(), "link"),
        _ => return None,
    };
    let declared = declared_fields();
    let numbers = declared[record].as_array()?.iter().filter_map(|field| {
        let number = matches!(field["kind"].as_str()?, "number" | "share" | "integer");
        number.then(|| field["name"].as_str().map(str::to_owned))?
    });
    Some((names, numbers.collect()))
}

fn is_metric(metric: &str, flows: &[FlowGroup], network: &Network) -> bool {
    if metric == "fairness" {
        return true;
    }
    let steps: Vec<&str> = metric.split('.').collect();
    let [kind, name, field] = steps.as_slice() else { return false };
    named(kind, flows, network)
        .is_some_and(|(names, fields)| names.contains(name) && fields.iter().any(|known| known == field))
}

/// Returns the metric in quotes, with the nearest valid name.
fn found(metric: &str, flows: &[FlowGroup], network: &Network) -> String {
    let steps: Vec<&str> = metric.split('.').collect();
    let near = match steps.as_slice() {
        [kind, name, field] => {
            named(kind, flows, network).and_then(|(names, fields)| match names.contains(name) {
                true => nearest(field, fields.iter().map(String::as_str)),
                false => nearest(name, names),
            })
        }
        _ => None,
    };
    let near = near.map(|near| format!(" (did you mean {near}?)")).unwrap_or_default();
    format!("{metric:?}{near}")
}

#[cfg(test)]
mod tests {
    use super::percentage;

    #[test]
    fn a_share_is_a_percentage() {
        assert_eq!(percentage("5 %"), Some(0.05));
        assert_eq!(percentage("0.5%"), Some(0.005));
        assert_eq!([percentage("5"), percentage("0 %"), percentage("nan %")], [None; 3]);
    }
}
