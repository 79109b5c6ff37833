//! Tests of every declared key: the reader accepts what the declaration allows, and refuses everything else.

use super::{Form, Key, Table};
use crate::language::load::SCENARIO;
use crate::language::registry;
use crate::language::scenario::Scenario;
use crate::language::schema;
use ackclock_base::ranges::quantity_words;
use ackclock_base::registry::Quantity;
use ackclock_base::{Kind, Range, Rate, Span};
use serde_json::{Map, Value as Json, json};
use std::collections::HashSet;

/// Returns the value of a declaration's TOML.
fn value_of(toml: &str) -> Json {
    schema::value_of(toml)
}

/// Returns a value that the form allows.
fn example_of(form: &Form) -> Json {
    match form {
        Form::Table(table) => shortest(table),
        Form::Tables(table, _) => json!([shortest(table)]),
        Form::Named(kind) => json!(registry::of(*kind)[0].name),
        other => panic!("a key of the form {other:?} needs an example"),
    }
}

/// Returns a value that the declaration of the key allows.
fn example(key: &Key) -> Json {
    key.example().map_or_else(|| example_of(&key.forms[0]), |toml| value_of(&toml))
}

/// Returns the shortest complete table.
fn shortest(table: &Table) -> Json {
    let entry = |name: &str| (name.to_owned(), example(table.key(name).expect("a declared key")));
    let mut made: Map<String, Json> = table.least().map(entry).collect();
    // `least` does not contain what all but a few tables need: only flows over UDP need no control, and only
    // links beside an `rtt` no delay.
    match table.name {
        "flows" => made.extend([entry("control")]),
        "link_of_rtt" => made.extend([entry("delay")]),
        _ => {}
    }
    Json::Object(made)
}

/// Returns the shortest table that contains the key with `value`, and the keys that it needs.
fn with(table: &Table, key: &Key, value: Json) -> Json {
    let mut made = shortest(table);
    // Of alternative sets, only the one with the key stays.
    if let Some(set) = table.one_of.iter().find(|set| set.contains(&key.name)).filter(|_| table.exclusive) {
        for other in table.one_of.iter().copied().flatten().filter(|other| !set.contains(other)) {
            made.as_object_mut().expect("a table").remove(*other);
        }
        for name in *set {
            made[*name] = example(table.key(name).expect("a declared key"));
        }
    }
    for needed in key.needs {
        made[*needed] = match (*needed, table.key(needed).expect("a declared key")) {
            // The default of `transfers` is the value that it must not have.
            ("transfers", _) => json!(true),
            (_, needed) => example(needed),
        };
    }
    if key.needs.contains(&"trace") || key.name == "trace" {
        for other in ["cycle", "evenly", "mean", "share"] {
            made.as_object_mut().expect("a table").remove(other);
        }
        made["unit"] = example(table.key("unit").expect("a declared key"));
    }
    made[key.name] = value;
    made
}

/// Returns a scenario in which `value` is the value of a key of a table. `path` holds the keys and tables
/// that lead to it from the root.
fn scenario(path: &[(&'static Table, &'static Key)], value: Json) -> Map<String, Json> {
    let mut inner = value;
    for (depth, (table, key)) in path.iter().enumerate().rev() {
        let form = path.get(depth + 1).map(|(next, _)| {
            key.forms.iter().find(|form| form.opens().is_some_and(|opened| opened.name == next.name))
        });
        if let Some(Some(Form::Tables(..))) = form {
            inner = json!([inner]);
        }
        inner = with(table, key, inner);
    }
    let Json::Object(mut root) = inner else { panic!("the root is a table") };
    surround(&mut root, path);
    root
}

/// Adds what the last key of a path needs elsewhere in the scenario.
fn surround(root: &mut Map<String, Json>, path: &[(&'static Table, &'static Key)]) {
    root.insert("duration".to_owned(), root.get("duration").cloned().unwrap_or(json!("10 s")));
    root.insert("files".to_owned(), json!({ "drive.csv": { "text": "0 1\n1 1\n" } }));
    let names: Vec<&str> = path.iter().map(|(_, key)| key.name).collect();
    let last = *names.last().expect("a path has a key");
    if let Some(Json::Array(links)) = root.get_mut("links") {
        // The flow goes over the link being tested.
        for link in links.iter_mut() {
            for (key, node) in [("from", "a"), ("to", "b")] {
                if link.get("between").is_none() && link.get(key).is_none() {
                    link[key] = json!(node);
                }
            }
        }
        // Acknowledgements need a link back.
        links.push(json!({ "name": "back", "from": "b", "to": "a", "rate": "10 Mbit/s", "delay": "10 ms" }));
        root["flows"][0]["from"] = json!("a");
        root["flows"][0]["to"] = json!("b");
    }
    if last == "rtt" {
        root["dumbbell"]["access"].as_object_mut().expect("a table").remove("delay");
    }
    if last == "medium" || names.contains(&"media") {
        let medium =
            root.get("media").cloned().unwrap_or(json!([{ "name": "air", "access": "half-duplex" }]));
        root.insert("media".to_owned(), medium);
        if last != "medium" {
            root["dumbbell"]["bottleneck"]["medium"] = root["media"][0]["name"].clone();
        }
    }
    if names[0] == "flows" && ["selector", "paths"].contains(&last) {
        root["flows"][0]["transport"] = json!("sctp");
    }
    if names[0] == "flows" && last == "action" {
        root["flows"][0]["discriminator"] = json!("always");
    }
}

/// Returns a path from the root to every declared key, one for each table and key.
fn paths() -> Vec<Vec<(&'static Table, &'static Key)>> {
    let mut found: Vec<Vec<(&'static Table, &'static Key)>> = Vec::new();
    let mut open: Vec<(&'static Table, Vec<(&'static Table, &'static Key)>)> = vec![(&SCENARIO, Vec::new())];
    let mut seen = HashSet::from([SCENARIO.name]);
    while let Some((table, before)) = open.pop() {
        for key in table.keys() {
            let path: Vec<_> = before.iter().copied().chain([(table, key)]).collect();
            for opened in key.forms.iter().filter_map(Form::opens) {
                if seen.insert(opened.name) {
                    open.push((opened, path.clone()));
                }
            }
            found.push(path);
        }
    }
    found
}

/// Returns the path in words.
fn place(path: &[(&'static Table, &'static Key)]) -> String {
    path.iter().map(|(_, key)| key.name).collect::<Vec<_>>().join(".")
}

/// Returns whether the path is in a sweep, which is read before the scenario of each of its points.
fn is_of_sweep(path: &[(&'static Table, &'static Key)]) -> bool {
    path[0].1.name == "sweep"
}

fn check(root: &Map<String, Json>) -> Result<(), String> {
    let read = Scenario::check("", "declared.toml", root);
    read.map(|_| ()).map_err(|problems| crate::language::diagnostics::render(&problems))
}

#[test]
fn the_example_of_every_declaration_is_accepted() {
    let mut failed = Vec::new();
    for path in paths() {
        let (_, key) = path[path.len() - 1];
        let mut root = scenario(&path, example(key));
        if is_of_sweep(&path) {
            // Samples need ranges.
            let samples = root["sweep"].get("samples").cloned().unwrap_or(json!({ "count": 4 }));
            root["sweep"] = json!({ "duration": { "from": "1 s", "to": "9 s" }, "samples": samples });
        }
        if let Err(problems) = check(&root) {
            failed.push(format!("`{}` = {}:\n{problems}\nin {}", place(&path), example(key), json!(root)));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

/// Returns values beyond the ends of a range, as a file would contain them.
fn beyond(quantity: Quantity, range: &Range) -> Vec<Json> {
    let written = |base: f64| match quantity {
        Quantity::Time => json!(Span::from_seconds(base).to_string()),
        Quantity::Rate => json!(Rate::from_bits_per_second(base as u64).to_string()),
        Quantity::Size => json!(format!("{base} B")),
        Quantity::Packets => json!(format!("{base} packets")),
        Quantity::Integer => json!(base as i64),
        _ => json!(base),
    };
    let most = (range.max < f64::MAX).then(|| written(range.max * 2.0 + 1.0));
    let least = match quantity {
        // A value with a unit is never below 0.
        Quantity::Time | Quantity::Rate | Quantity::Size | Quantity::Packets => {
            (range.min > 0.0 || range.above_min).then(|| written(range.min / 4.0))
        }
        _ => (range.min > f64::MIN).then(|| written(range.min - 1.0)),
    };
    most.into_iter().chain(least).collect()
}

#[test]
fn values_outside_a_declared_range_are_refused_with_the_range() {
    let (mut refused, mut failed) = (0, Vec::new());
    for path in paths().into_iter().filter(|path| !is_of_sweep(path)) {
        let (_, key) = path[path.len() - 1];
        let Some((quantity, range)) = key.quantity() else { continue };
        for value in beyond(quantity, &range) {
            let problems = check(&scenario(&path, value.clone())).err().unwrap_or_default();
            let expected = quantity_words(quantity, &range);
            if !problems.contains(&expected) {
                failed.push(format!("`{}` = {value}, not {expected}:\n{problems}", place(&path)));
            }
            refused += 1;
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
    // Nearly every quantity has a bound that a value can exceed.
    assert!(refused > paths().iter().filter(|path| path[path.len() - 1].1.quantity().is_some()).count() / 2);
}

#[test]
fn a_key_that_no_table_declares_is_refused_and_the_nearest_is_named() {
    let mut root = scenario(&[(&SCENARIO, SCENARIO.key("duration").expect("declared"))], json!("10 s"));
    root["dumbbell"]["bottleneck"]["dely"] = json!("1 ms");
    let problems = check(&root).expect_err("`dely` is no key");
    assert!(problems.contains("did you mean `delay`?"), "{problems}");
}

#[test]
fn every_declared_key_is_in_the_schema_with_its_meaning() {
    let schema = schema::schema();
    for table in SCENARIO.reachable() {
        let found = if table.name == SCENARIO.name { &schema } else { &schema["$defs"][table.name] };
        for key in table.keys() {
            let described = found["properties"][key.name]["description"].as_str();
            assert!(
                described.is_some_and(|text| text.starts_with(key.meaning)),
                "{}.{}",
                table.name,
                key.name
            );
        }
    }
}

#[test]
fn declarations_are_complete_and_unique() {
    let mut names = HashSet::new();
    for table in SCENARIO.reachable() {
        assert!(names.insert(table.name), "two tables called {}", table.name);
        let is_kind = Kind::ALL.iter().any(|kind| kind.name().replace('-', "_") == table.name);
        assert!(!is_kind, "{} is also the name of a kind", table.name);
        let mut keys = HashSet::new();
        for key in table.keys() {
            assert!(keys.insert(key.name), "`{}` twice in {}", key.name, table.name);
            assert!(!key.meaning.is_empty() && !key.meaning.ends_with('.'), "{}.{}", table.name, key.name);
            assert!(!key.forms.is_empty(), "{}.{} has no form", table.name, key.name);
        }
        for name in table.required.iter().chain(table.one_of.iter().copied().flatten()) {
            assert!(keys.contains(name), "{} requires `{name}`, which it does not declare", table.name);
        }
    }
}
