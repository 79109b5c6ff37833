//! Tests of the example transport in a scenario, and of the files that a transport touches.

use super::{Toy, over_toy};
use ackclock_lab::Scenario;
use ackclock_lab::language::document::Document;
use ackclock_lab::language::reader::Reader;
use ackclock_lab::language::registry::plugins::Plugins;
use ackclock_lab::run::{run, run_and_verify};
use ackclock_lab::transports::{TRANSPORTS, Transport};
use ackclock_sim::traffic::APPLICATIONS;
use serde_json::Map;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Returns a scenario whose flow goes over the example transport.
fn scenario(flow: &str, loss: &str) -> Scenario {
    let text = format!(
        "duration = \"20 s\"\n[dumbbell]\nbottleneck = {{ rate = \"10 Mbit/s\", delay = \"20 ms\"{loss} }}\n\
         access = {{ rate = \"1 Gbit/s\", delay = \"5 ms\" }}\n[[flows]]\ncontrol = \"newreno\"\n{flow}\n"
    );
    let mut scenario = Scenario::parse(&text, "test", &Map::new()).expect("a valid scenario");
    over_toy(&mut scenario);
    scenario
}

#[test]
fn the_example_transport_fills_results_and_passes_the_verifier() {
    let scenario_without_loss = scenario("", "");
    let result = run(&scenario_without_loss, 1, false, &AtomicBool::new(false)).expect("a run");
    // Eight packets of 1000 B are sent per round trip: 60 ms, 0.845 ms for data and acknowledgement at the
    // bottleneck, and 33 us at the other four links.
    let round_trip = 0.060 + 8.0 * (1028.0 + 28.0) / 10e6 + 2.0 * 8.0 * (1028.0 + 28.0) / 1e9;
    let expected = 8.0 * 8000.0 / round_trip;
    let goodput = result.flows[0].goodput_bps;
    assert!((goodput / expected - 1.0).abs() < 0.01, "{goodput} bit/s, {expected} expected");
    assert_eq!(result.flows[0].retransmitted_packets, Some(0));
    let lossy = scenario(
        "application = { name = \"bulk\", size = \"100 kB\" }",
        ", loss = { name = \"independent\", probability = 0.1 }",
    );
    let result = run(&lossy, 1, false, &AtomicBool::new(false)).expect("a run");
    let flow = &result.flows[0];
    assert_eq!((flow.delivered_packets, flow.retransmitted_packets > Some(0)), (100, true));
    assert!(flow.completed_s.is_some());
    let violations = run_and_verify(&lossy, 1, &AtomicBool::new(false)).expect("a run");
    assert!(violations.is_empty(), "{violations:?}");
}

#[test]
fn the_example_transport_refuses_every_application_but_bulk_data() {
    let document = Document::parse("application = \"cbr\"", "test").expect("a document");
    let plugins = Plugins::default();
    for entry in APPLICATIONS {
        let reader = Reader::new(&document, &plugins);
        let table = reader.table(&document.root, "", &["application"]).expect("a table");
        let is_accepted = Toy.check_application(&table, entry).is_some();
        let name = entry.descriptor.name;
        assert_eq!(is_accepted, name == "bulk", "{name}");
        drop(table);
        let found: Vec<String> = reader.into_problems().into_iter().map(|problem| problem.found).collect();
        let expected = format!("the application \"{name}\" over the example transport");
        assert_eq!(found, if is_accepted { vec![] } else { vec![expected] });
    }
}

/// The shared files that may name a transport, as `docs/extend.md` lists them. Captures are optional.
const NAMING: [&str; 3] =
    ["crates/sim/src/lib.rs", "crates/lab/src/transports.rs", "crates/export/src/lib.rs"];
/// Agents at nodes, which read TCP's headers.
const READING_TCP: [&str; 4] = [
    "crates/lab/src/cost/warnings/repair.rs",
    "crates/sim/src/agents/snoop.rs",
    "crates/sim/src/agents/snoop/ns2.rs",
    "crates/sim/src/agents/thinning.rs",
];
const TESTS: [&str; 1] = ["crates/sim/src/reading/two_ends.rs"];

#[test]
fn a_transport_is_named_in_the_files_that_the_documentation_lists_and_in_no_others() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/extend.md")).expect("the page");
    for file in NAMING {
        assert!(page.contains(&format!("](../{file})")), "{file} is not on the page");
    }
    let files = shared_sources(&root);
    assert!(TRANSPORTS.len() >= 5);
    for transport in TRANSPORTS {
        // The type of an entry of the list has the name of the transport's module.
        let shown = format!("{transport:?}").to_lowercase();
        let module = shown.split(' ').next().unwrap_or(&shown).to_owned();
        let own: Vec<String> =
            transport.own_controls().iter().map(|own| own.descriptor.name.to_owned()).collect();
        let fields = transport.result_fields().into_iter().map(|field| field.name.to_owned());
        // A field that is one word, such as `frames`, may be a word of something else as well.
        let names = own.into_iter().chain(fields).filter(|name| name.contains(['_', ':']));
        let quoted: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
        let found = naming(&root, &files, &module, &quoted);
        let mut allowed: BTreeSet<&str> = NAMING.iter().chain(&TESTS).copied().collect();
        if module == "tcp" {
            allowed.extend(READING_TCP);
        }
        let others: Vec<_> = found.iter().filter(|file| !allowed.contains(file.as_str())).collect();
        assert!(others.is_empty(), "{module} is named in {others:?}");
        assert!(found.contains(NAMING[1]), "{module} is not found where it is listed");
    }
}

/// Returns the sources of simulator, laboratory, exports and soak.
fn shared_sources(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for name in ["sim", "lab", "export", "soak"] {
        sources(&root.join("crates").join(name).join("src"), &mut files);
    }
    files
}

/// Returns those of `files` that name a transport, except its own: that use its module or a crate of its name, or that contain one of
/// the texts in `quoted`, the names of its controls and of its fields in results.
fn naming(root: &Path, files: &[PathBuf], module: &str, quoted: &[String]) -> BTreeSet<String> {
    let is_own = |path: &Path| {
        path.iter().any(|part| part == module || *part == *format!("{module}.rs") || part == "tests.rs")
    };
    let uses = [format!("{module}::"), format!("mod {module};")];
    let names = |line: &str| {
        !line.trim_start().starts_with("//")
            && (uses.iter().any(|name| uses_word(line, name))
                || line.contains(&format!("ackclock_{module}"))
                || quoted.iter().any(|name| line.contains(name.as_str())))
    };
    let relative = files.iter().filter_map(|path| {
        let relative = path.strip_prefix(root).ok()?;
        let text = fs::read_to_string(path).ok()?;
        (!is_own(relative) && text.lines().any(names)).then(|| relative.to_string_lossy().replace('\\', "/"))
    });
    relative.collect()
}

#[test]
fn the_guard_finds_a_transport_that_is_named_elsewhere() {
    let root = std::env::temp_dir().join(format!("ackclock-guard-{}", std::process::id()));
    let file = |name: &str, text: &str| {
        let path = root.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, text).expect("a file");
        path
    };
    let files = [
        file("a.rs", "use ackclock_sim::rtp::playout::Frames;"),
        file("b.rs", "let frozen = flow[\"freeze_s\"];"),
        file("c.rs", "use ackclock_rtp::Call;"),
        file("d.rs", "// rtp::playout; not_rtp::x"),
        file("rtp/e.rs", "use rtp::playout;"),
    ];
    let found = naming(&root, &files, "rtp", &["\"freeze_s\"".to_owned()]);
    fs::remove_dir_all(&root).expect("the folder");
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["a.rs", "b.rs", "c.rs"]);
}

/// Returns whether a line contains a name that no letter precedes.
fn uses_word(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(place, _)| {
        let before = line[..place].chars().next_back();
        !before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
    })
}

fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}
