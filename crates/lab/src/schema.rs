//! The JSON Schema of a scenario file, made from the registry, for completion and checking in an editor.

use crate::registry;
use crate::scenario::MAX_SEED;
use ackclock_aqm::Dscp;
use ackclock_base::declare::Field;
use ackclock_base::registry::Quantity;
use ackclock_base::{Descriptor, Parameter, Range};
use ackclock_sim::alteration::EcnRule;
use ackclock_sim::jitter::Distribution;
use serde_json::{Map, Value, json};

/// The schema (draft 2020-12).
pub fn schema() -> Value {
    let time = || quantity(Quantity::Time, "");
    let text = || json!({ "type": "string" });
    let access = json!({ "$ref": "#/$defs/access" });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "ackclock scenario",
        "type": "object",
        "additionalProperties": false,
        "required": ["duration", "flows"],
        "oneOf": [
            { "required": ["dumbbell"] }, { "required": ["parallel"] }, { "required": ["parking_lot"] },
            { "required": ["links"] }
        ],
        "properties": {
            "name": text(),
            "duration": time(),
            "warmup": { "anyOf": [time(), object(&["until", "at_most"], json!({
                "until": { "const": "congestion-avoidance" }, "at_most": time()
            }))] },
            "seed": { "type": "integer", "minimum": 0, "maximum": MAX_SEED as u64 },
            "replications": { "type": "integer", "minimum": 1 },
            "precision": object(&["within", "metrics", "replications_most"], json!({
                "within": text(),
                "metrics": { "type": "array", "items": text(), "minItems": 1 },
                "replications_most": { "type": "integer", "minimum": 1 }
            })),
            "dumbbell": object(&["bottleneck"], json!({
                "pairs": { "type": "integer", "minimum": 1 },
                "rtt": { "anyOf": [time(), { "type": "array", "items": time(), "minItems": 1 }] },
                "bottleneck": { "$ref": "#/$defs/link_of_rtt" },
                "access": access, "left": access, "right": access
            })),
            "parallel": object(&["bottlenecks", "access"], json!({
                "pairs": { "type": "integer", "minimum": 1 },
                "bottlenecks": { "type": "array", "items": { "$ref": "#/$defs/link" }, "minItems": 1 },
                "access": access
            })),
            "parking_lot": object(&["hops", "hop", "access"], json!({
                "hops": { "type": "integer", "minimum": 1 },
                "hop": { "$ref": "#/$defs/link" },
                "access": access
            })),
            "links": { "type": "array", "items": { "$ref": "#/$defs/named_link" } },
            "routing": { "$ref": "#/$defs/routing" },
            "media": { "type": "array", "items": object(&["name", "access"], medium_properties()) },
            "agents": { "type": "array", "items": object(&["at", "agent"], json!({
                "at": text(), "agent": { "$ref": "#/$defs/agent" }
            })) },
            "flows": { "type": "array", "minItems": 1, "items": { "$ref": "#/$defs/flows" } },
            "observe": object(&[], json!({
                "interval": time(),
                "flows": { "type": "boolean" },
                "distributions": { "type": "boolean" },
                "transfers": { "type": "boolean" },
                "size_classes": { "type": "array", "items": quantity(Quantity::Size, "") },
                "at": text(),
                "loss_events": time(),
                "bursts": quantity(Quantity::Packets, "")
            })),
            "sweep": sweep(),
            "files": { "type": "object", "additionalProperties": object(&["text"], json!({ "text": text() })) }
        },
        "$defs": {
            "link": object(&["rate", "delay"], link_properties(true)),
            "link_of_rtt": object(&["rate"], link_properties(true)),
            "access": object(&[], link_properties(true)),
            "direction": object(&[], link_properties(false)),
            "named_link": object(&["rate", "delay"], named_link_properties()),
            "flows": object(&[], flow_properties()),
            "control": choice(&registry::controls()),
            "discriminator": choice(&registry::discriminators()),
            "action": choice(&registry::actions()),
            "slow_start": choice(&registry::slow_starts()),
            "resume": choice(&registry::resumes()),
            "ecn_response": choice(&registry::ecn_responses()),
            "growth_limit": choice(&registry::growth_limits()),
            "backoff": choice(&registry::backoffs()),
            "selector": choice(&registry::selectors()),
            "queue": choice(&registry::queues()),
            "loss": choice(&registry::losses()),
            "medium": choice(&registry::media()),
            "propagation": choice(&registry::propagations()),
            "mobility": choice(&registry::mobilities()),
            "routing": choice(&registry::routings()),
            "agent": choice(&registry::agents()),
            "transport": choice(&registry::transports()),
            "application": choice(&registry::applications())
        }
    })
}

fn sweep() -> Value {
    let end = || json!({ "type": ["number", "string"] });
    let range = object(
        &["from", "to"],
        json!({ "from": end(), "to": end(), "scale": { "enum": ["linear", "log"] } }),
    );
    let samples = object(
        &["count"],
        json!({
            "count": { "type": "integer", "minimum": 1 },
            "method": { "enum": ["latin-hypercube", "random"] },
            "seed": { "type": "integer", "minimum": 0, "maximum": MAX_SEED as u64 }
        }),
    );
    json!({
        "type": "object",
        "properties": { "samples": samples },
        "additionalProperties": { "anyOf": [{ "type": "array", "minItems": 1 }, range] }
    })
}

fn object(required: &[&str], properties: Value) -> Value {
    json!({ "type": "object", "additionalProperties": false, "required": required, "properties": properties })
}

/// A value over time: the ways to write it, of which one is taken, and a table of times and values.
fn over_time(value: Quantity, units: &[&str], more: &Value) -> Vec<Value> {
    let pair = [quantity(Quantity::Time, ""), quantity(value, "")];
    let pair = json!({ "type": "array", "prefixItems": pair, "minItems": 2, "maxItems": 2 });
    let pairs = json!({ "type": "array", "items": pair, "minItems": 1 });
    let ways = [("cycle", pairs.clone()), ("steps", pairs), ("trace", json!({ "type": "string" }))];
    let mut all = vec![quantity(value, "")];
    all.extend(ways.map(|(way, written)| {
        let mut table = object(&[way], more.clone());
        table["properties"][way] = written;
        table
    }));
    let mut table = more.clone();
    table["trace"] = json!({ "type": "string" });
    table["unit"] = json!({ "enum": units });
    table["time"] = json!({ "enum": ["s", "ms", "us", "ns"] });
    table["repeat"] = json!({ "type": "boolean" });
    let column = json!({ "type": "integer", "minimum": 1 });
    table["columns"] = json!({ "type": "array", "items": column, "minItems": 2, "maxItems": 2 });
    all.push(object(&["trace", "unit"], table));
    all
}

/// A rate over time, that of a link with what is set where one rate is asked for.
fn rate_over_time(has_nominal: bool) -> Value {
    let nominal = json!({ "nominal": quantity(Quantity::Rate, "") });
    let more = if has_nominal { nominal } else { json!({}) };
    json!({ "anyOf": over_time(Quantity::Rate, &["bit/s", "kbit/s", "Mbit/s", "Gbit/s"], &more) })
}

fn link_properties(with_reverse: bool) -> Value {
    let delays =
        json!({ "type": "array", "items": quantity(Quantity::Time, ""), "minItems": 2, "maxItems": 2 });
    let mut delay = over_time(Quantity::Time, &["s", "ms", "us"], &json!({}));
    delay.insert(1, object(&["evenly"], json!({ "evenly": delays })));
    let time = || quantity(Quantity::Time, "");
    let bursts = object(&["most", "good", "bad"], json!({ "most": time(), "good": time(), "bad": time() }));
    let distributed = object(
        &["mean"],
        json!({
            "mean": time(),
            "distribution": quantity(Quantity::Choice(Distribution::WORDS), ""),
            "good": time(),
            "bad": time()
        }),
    );
    let share = || json!({ "type": "number", "minimum": 0, "maximum": 1 });
    let duplicates = object(&["share"], json!({ "share": share(), "correlation": share() }));
    let skips = object(
        &["share"],
        json!({ "share": share(), "gap": { "type": "integer", "minimum": 1 }, "correlation": share() }),
    );
    let mut properties = json!({
        "rate": rate_over_time(true),
        "delay": { "anyOf": delay },
        "outage": object(&["from", "lasts"], json!({ "from": time(), "lasts": time(), "every": time() })),
        "queue": { "$ref": "#/$defs/queue" },
        "loss": { "$ref": "#/$defs/loss" },
        "duplicate": { "anyOf": [share(), duplicates] },
        "ecn": quantity(Quantity::Choice(EcnRule::WORDS), ""),
        "jitter": { "anyOf": [time(), bursts, distributed] },
        "detour": object(&["from", "longer"], json!({
            "from": quantity(Quantity::Time, ""),
            "until": quantity(Quantity::Time, ""),
            "longer": quantity(Quantity::Time, "")
        })),
        "reorder": { "anyOf": [{ "type": "boolean" }, skips] },
        "hold": time(),
        "medium": { "type": "string" }
    });
    if with_reverse {
        properties["reverse"] = json!({ "$ref": "#/$defs/direction" });
    }
    properties
}

fn medium_properties() -> Value {
    let place =
        json!({ "type": "array", "items": quantity(Quantity::Number, ""), "minItems": 2, "maxItems": 2 });
    json!({
        "name": { "type": "string" },
        "access": { "$ref": "#/$defs/medium" },
        "propagation": { "$ref": "#/$defs/propagation" },
        "mobility": { "$ref": "#/$defs/mobility" },
        "places": { "type": "object", "additionalProperties": place }
    })
}

fn named_link_properties() -> Value {
    let mut properties = link_properties(true);
    for key in ["name", "from", "to"] {
        properties[key] = json!({ "type": "string" });
    }
    properties["between"] =
        json!({ "type": "array", "items": { "type": "string" }, "minItems": 2, "maxItems": 2 });
    properties
}

fn flow_properties() -> Value {
    let time = || quantity(Quantity::Time, "");
    let pair = json!({ "type": "integer", "minimum": 1 });
    let nodes = || json!({ "type": "array", "items": { "type": "string" }, "minItems": 2 });
    let start = object(
        &[],
        json!({
            "at": time(),
            "every": time(),
            "uniform": { "type": "array", "items": time(), "minItems": 2, "maxItems": 2 }
        }),
    );
    json!({
        "name": { "type": "string" },
        "count": { "type": "integer", "minimum": 1 },
        "control": { "$ref": "#/$defs/control" },
        "discriminator": { "$ref": "#/$defs/discriminator" },
        "action": { "$ref": "#/$defs/action" },
        "slow_start": { "$ref": "#/$defs/slow_start" },
        "resume": { "$ref": "#/$defs/resume" },
        "ecn_response": { "$ref": "#/$defs/ecn_response" },
        "growth_limit": { "$ref": "#/$defs/growth_limit" },
        "backoff": { "$ref": "#/$defs/backoff" },
        "selector": { "$ref": "#/$defs/selector" },
        "transport": { "$ref": "#/$defs/transport" },
        "application": { "$ref": "#/$defs/application" },
        "reader": rate_over_time(false),
        "start": { "anyOf": [time(), start] },
        "stop": time(),
        "dscp": { "enum": Dscp::NAMES },
        "pair": { "anyOf": [pair, { "type": "array", "items": pair, "minItems": 1 }] },
        "from": { "type": "string" },
        "to": { "type": "string" },
        "path": nodes(),
        "paths": { "type": "array", "items": nodes(), "minItems": 1 }
    })
}

/// A named thing: its name, or a table with its name and parameters.
fn choice(descriptors: &[&'static Descriptor]) -> Value {
    let names: Vec<&str> = descriptors.iter().map(|descriptor| descriptor.name).collect();
    let mut any = vec![json!({ "enum": names })];
    any.extend(descriptors.iter().map(|descriptor| {
        let mut properties = Map::new();
        properties.insert("name".to_owned(), json!({ "const": descriptor.name }));
        for parameter in registry::parameters_of(descriptor) {
            properties.insert(parameter.name.to_owned(), parameter_schema(descriptor, parameter));
        }
        let mut table = object(&["name"], Value::Object(properties));
        table["description"] = json!(descriptor.summary);
        table
    }));
    json!({ "anyOf": any })
}

fn parameter_schema(descriptor: &Descriptor, parameter: &Parameter) -> Value {
    let mut schema = quantity(parameter.quantity, parameter.summary);
    let default = descriptor.default_of(parameter);
    if default != Parameter::NONE {
        schema["default"] = match parameter.quantity {
            Quantity::Number | Quantity::Integer | Quantity::Flag => {
                serde_json::from_str(default).unwrap_or(Value::Null)
            }
            _ => json!(default),
        };
    }
    if matches!(parameter.quantity, Quantity::Number | Quantity::Integer) && parameter.range != Range::ANY {
        let key = if parameter.range.above_min { "exclusiveMinimum" } else { "minimum" };
        schema[key] = json!(parameter.range.min);
        if parameter.range.max != f64::MAX {
            schema["maximum"] = json!(parameter.range.max);
        }
    }
    schema
}

fn quantity(quantity: Quantity, description: &str) -> Value {
    let mut schema = match quantity {
        Quantity::Number => json!({ "type": "number" }),
        Quantity::Integer => json!({ "type": "integer" }),
        Quantity::Flag => json!({ "type": "boolean" }),
        Quantity::Time => json!({ "type": "string", "pattern": "^\\S+ *(ns|us|µs|ms|s|min|h)$" }),
        Quantity::Rate => json!({ "type": "string", "pattern": "^\\S+ *[kMGT]?bit/s$" }),
        Quantity::Size => json!({ "type": "string", "pattern": "^\\S+ *([kMG]i?)?B$" }),
        Quantity::Packets => json!({ "type": "string", "pattern": "^\\S+ *packets?$" }),
        Quantity::Limit => {
            json!({ "type": "string", "examples": ["50 packets", "64 KiB", "100 ms", "1 bdp"] })
        }
        Quantity::Choice(words) => json!({ "enum": words }),
        Quantity::File => json!({ "type": "string" }),
    };
    if !description.is_empty() {
        schema["description"] = json!(description);
    }
    schema
}
