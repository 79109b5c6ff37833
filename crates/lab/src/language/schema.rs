//! The JSON Schema of a scenario file, made from the declarations of its tables and from the registry.
//! Editors use it for completion and checking.

use crate::language::document::Document;
use crate::language::keys::{Form, Key, Otherwise, Table};
use crate::language::load::SCENARIO;
use crate::language::registry;
use ackclock_base::ranges::{base_unit, quantity_words};
use ackclock_base::registry::Quantity;
use ackclock_base::{Descriptor, Kind, Parameter, Range};
use serde_json::{Map, Value, json};

/// Returns the schema (draft 2020-12). The standard keywords express ranges only of plain numbers. For
/// quantities with a unit, `x-unit`, `x-minimum`, `x-exclusiveMinimum` and `x-maximum` hold the range in base
/// units.
pub fn schema() -> Value {
    let mut definitions = Map::new();
    for opened in SCENARIO.reachable().into_iter().skip(1) {
        definitions.insert(opened.name.to_owned(), table(opened));
    }
    for kind in Kind::ALL {
        definitions.insert(definition_of(*kind), named(&registry::of(*kind), default_of(*kind)));
    }
    let mut schema = table(&SCENARIO);
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!("ackclock scenario");
    schema["$defs"] = Value::Object(definitions);
    schema
}

/// Returns the name of the schema's definition of a kind's entries.
fn definition_of(kind: Kind) -> String {
    kind.name().replace('-', "_")
}

fn table(declared: &Table) -> Value {
    let mut properties = Map::new();
    let mut dependent = Map::new();
    for key in declared.keys() {
        properties.insert(key.name.to_owned(), property(key, declared.otherwise(key)));
        if !key.needs.is_empty() {
            dependent.insert(key.name.to_owned(), json!(key.needs));
        }
    }
    let mut schema = object(declared.required, Value::Object(properties));
    schema["description"] = json!(declared.meaning);
    if !declared.others.is_empty() {
        schema["additionalProperties"] = any_of(declared.others);
    }
    if !declared.one_of.is_empty() {
        let sets: Vec<Value> = declared.one_of.iter().map(|set| json!({ "required": set })).collect();
        schema[if declared.exclusive { "oneOf" } else { "anyOf" }] = json!(sets);
    }
    if !dependent.is_empty() {
        schema["dependentRequired"] = Value::Object(dependent);
    }
    schema
}

fn property(key: &Key, otherwise: Otherwise) -> Value {
    let mut schema = any_of(key.forms);
    let written: Vec<String> = key.forms.iter().filter_map(range_of).collect();
    let range = if written.is_empty() { String::new() } else { format!(" ({})", written.join("; ")) };
    let default = match otherwise {
        Otherwise::Words(words) => format!(" Default: {words}."),
        _ => String::new(),
    };
    schema["description"] = json!(format!("{}{range}.{default}", key.meaning));
    if let Otherwise::Value(default) = otherwise {
        schema["default"] = value_of(default);
    }
    if !key.example.is_empty() {
        schema["examples"] = json!([value_of(key.example)]);
    }
    schema
}

/// Returns the range of a quantity with a unit, in words; `None` for a form whose range the schema expresses.
fn range_of(form: &Form) -> Option<String> {
    match form {
        Form::Quantity(quantity, range) if !base_unit(*quantity).is_empty() => {
            Some(quantity_words(*quantity, range))
        }
        _ => None,
    }
}

/// Returns the value of a declaration's TOML.
pub(crate) fn value_of(toml: &str) -> Value {
    let document = Document::parse(&format!("value = {toml}\n"), "declaration");
    let document = document.unwrap_or_else(|_| panic!("the declared value is not valid TOML: {toml}"));
    document.root.to_json()["value"].take()
}

fn any_of(forms: &[Form]) -> Value {
    match forms {
        [one] => form(one),
        _ => json!({ "anyOf": forms.iter().map(form).collect::<Vec<_>>() }),
    }
}

fn form(declared: &Form) -> Value {
    match declared {
        Form::Quantity(quantity, range) => ranged(*quantity, range),
        Form::Text => json!({ "type": "string" }),
        Form::Amount => json!({ "type": ["number", "string"] }),
        Form::Anything => json!({}),
        Form::Named(kind) => json!({ "$ref": format!("#/$defs/{}", definition_of(*kind)) }),
        Form::Table(table) => reference(table),
        Form::Tables(table, lengths) => list(reference(table), *lengths),
        Form::List(item, lengths) => list(form(item), *lengths),
        Form::Row(forms) => {
            let items: Vec<Value> = forms.iter().map(form).collect();
            json!({ "type": "array", "prefixItems": items, "minItems": forms.len(), "maxItems": forms.len() })
        }
    }
}

fn reference(table: &Table) -> Value {
    json!({ "$ref": format!("#/$defs/{}", table.name) })
}

fn list(items: Value, [least, most]: [usize; 2]) -> Value {
    let mut schema = json!({ "type": "array", "items": items });
    if least > 0 {
        schema["minItems"] = json!(least);
    }
    if most < usize::MAX {
        schema["maxItems"] = json!(most);
    }
    schema
}

fn object(required: &[&str], properties: Value) -> Value {
    json!({ "type": "object", "additionalProperties": false, "required": required, "properties": properties })
}

/// Returns the entry that keys for this kind of choice have by default; `None` if it depends on other keys.
fn default_of(kind: Kind) -> Option<&'static str> {
    let tables = SCENARIO.reachable().into_iter();
    let mut keys = tables.flat_map(Table::keys);
    keys.find(|key| key.forms.iter().any(|form| matches!(form, Form::Named(named) if *named == kind)))?
        .default_name()
}

/// Returns the schema of a named choice: its name, or a table with its parameters and its name, which the default
/// needs not.
fn named(descriptors: &[&'static Descriptor], default: Option<&str>) -> Value {
    let names: Vec<&str> = descriptors.iter().map(|descriptor| descriptor.name).collect();
    let mut any = vec![json!({ "enum": names })];
    any.extend(descriptors.iter().map(|descriptor| {
        let mut properties = Map::new();
        properties.insert("name".to_owned(), json!({ "const": descriptor.name }));
        for parameter in registry::parameters_of(descriptor) {
            properties.insert(parameter.name.to_owned(), parameter_schema(descriptor, parameter));
        }
        let required: &[&str] = if default == Some(descriptor.name) { &[] } else { &["name"] };
        let mut table = object(required, Value::Object(properties));
        table["description"] = json!(descriptor.summary);
        table
    }));
    json!({ "anyOf": any })
}

fn parameter_schema(descriptor: &Descriptor, parameter: &Parameter) -> Value {
    let mut schema = ranged(parameter.quantity, &parameter.range);
    if !parameter.summary.is_empty() {
        schema["description"] = json!(parameter.summary);
    }
    let default = descriptor.default_of(parameter);
    if default != Parameter::NONE {
        schema["default"] = match parameter.quantity {
            Quantity::Number | Quantity::Integer | Quantity::Flag => {
                serde_json::from_str(default).unwrap_or(Value::Null)
            }
            _ => json!(default),
        };
    }
    schema
}

/// Returns the schema of a quantity with the bounds of its range.
fn ranged(quantity: Quantity, range: &Range) -> Value {
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
    let unit = base_unit(quantity);
    let prefix = if unit.is_empty() { "" } else { "x-" };
    if !unit.is_empty() {
        schema["x-unit"] = json!(unit);
    }
    if range.min != f64::MIN {
        let bound = if range.above_min { "exclusiveMinimum" } else { "minimum" };
        schema[format!("{prefix}{bound}")] = number(range.min);
    }
    if range.max != f64::MAX {
        schema[format!("{prefix}maximum")] = number(range.max);
    }
    schema
}

/// Returns a bound, as an integer if it is whole.
fn number(bound: f64) -> Value {
    if bound.fract() == 0.0 && bound.abs() < 1e16 { json!(bound as i64) } else { json!(bound) }
}
