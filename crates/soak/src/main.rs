//! `soak [--minutes M | --scenarios N] [--seed S] [--failures FOLDER]` checks random scenarios on all cores.
//! It prints the seed, by default that of the day, and how many scenarios ran. It ends at the first scenario
//! that fails: it shrinks the scenario, writes it to the folder and exits with 1.
//!
//! `soak --print N [--seed S]` prints the texts of N scenarios that ran under every observation and are small
//! without changes, as a JSON list. `soak --case FILE...` checks scenario files.

use ackclock_lab::Scenario;
use ackclock_soak::check::{Failure, Verdict, check};
use ackclock_soak::generate;
use ackclock_soak::shrink::shrink;
use rayon::prelude::*;
use serde_json::Map;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The number of scenarios for each core between two looks at the clock.
const BATCH: u64 = 64;

struct Options {
    seed: u64,
    minutes: Option<f64>,
    scenarios: u64,
    print: Option<usize>,
    cases: Vec<PathBuf>,
    failures: PathBuf,
}

fn main() -> ExitCode {
    let options = match options() {
        Ok(options) => options,
        Err(message) => {
            eprintln!("error: {message}");
            return ExitCode::from(2);
        }
    };
    // A panic is reported as a failure, so the default message is not printed.
    std::panic::set_hook(Box::new(|_| {}));
    if let Some(count) = options.print {
        return print(count, options.seed);
    }
    if !options.cases.is_empty() {
        return check_files(&options.cases);
    }
    soak(&options)
}

fn options() -> Result<Options, String> {
    let mut options = Options {
        seed: seed_of_the_day(),
        minutes: None,
        scenarios: 1000,
        print: None,
        cases: Vec::new(),
        failures: PathBuf::from("target/soak"),
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument}: expected a value"));
        let wrong = |text: &str, expected: &str| format!("{argument}: found {text:?}, expected {expected}");
        match argument.as_str() {
            "--seed" => {
                let text = value()?;
                options.seed = text.parse().map_err(|_| wrong(&text, "a whole number"))?;
            }
            "--minutes" => {
                let text = value()?;
                let minutes = text.parse().ok().filter(|minutes: &f64| *minutes > 0.0);
                options.minutes = Some(minutes.ok_or_else(|| wrong(&text, "a number above 0"))?);
            }
            "--scenarios" => {
                let text = value()?;
                options.scenarios = text.parse().map_err(|_| wrong(&text, "a whole number"))?;
            }
            "--print" => {
                let text = value()?;
                options.print = Some(text.parse().map_err(|_| wrong(&text, "a whole number"))?);
            }
            "--failures" => options.failures = value()?.into(),
            "--case" => options.cases.extend(arguments.by_ref().map(PathBuf::from)),
            _ => {
                return Err(format!(
                    "{argument}: unknown option; see the beginning of crates/soak/src/main.rs"
                ));
            }
        }
    }
    Ok(options)
}

/// Returns the number of days since 1970: each day tries other scenarios, the same for all who run the
/// program on that day.
fn seed_of_the_day() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_secs() / (24 * 3600)
}

/// Returns the seed of the scenario with this number.
fn seed_of(seed: u64, number: u64) -> u64 {
    seed << 32 | number
}

fn soak(options: &Options) -> ExitCode {
    let began = Instant::now();
    let most = options.minutes.map(|minutes| Duration::from_secs_f64(60.0 * minutes));
    let batch = BATCH * rayon::current_num_threads() as u64;
    let running = Running::watched(options.seed);
    let [mut ran, mut refused, mut left_out, mut next] = [0_u64; 4];
    println!("soak: seed {}", options.seed);
    loop {
        let enough = most.map_or(ran >= options.scenarios, |most| began.elapsed() >= most);
        if enough {
            println!(
                "soak: {ran} scenarios ran under every observation without a difference or a violation; {refused} were refused, \
                 {left_out} left out as too large or too slow; {:.0} s",
                began.elapsed().as_secs_f64()
            );
            return ExitCode::SUCCESS;
        }
        let checked: Vec<(u64, Result<Verdict, Failure>)> = (next..next + batch)
            .into_par_iter()
            .map(|number| (number, running.with(number, || check_number(options.seed, number))))
            .collect();
        next += batch;
        for (number, verdict) in checked {
            match verdict {
                Ok(Verdict::Ran) => ran += 1,
                Ok(Verdict::Refused) => refused += 1,
                Ok(Verdict::LeftOut) => left_out += 1,
                Err(failure) => return report(options, number, &failure),
            }
        }
    }
}

fn check_number(seed: u64, number: u64) -> Result<Verdict, Failure> {
    check(&generate::scenario(seed_of(seed, number)), 1)
}

/// The scenarios that are being checked, by number, each with the time at which its check began. A run can be
/// cancelled only between events, so a single event that does not end would go unnoticed.
#[derive(Clone, Default)]
struct Running(Arc<Mutex<BTreeMap<u64, Instant>>>);

impl Running {
    /// Starts a thread that ends the program if the check of one scenario takes longer than a minute.
    fn watched(seed: u64) -> Self {
        const MOST: Duration = Duration::from_secs(60);
        let running = Self::default();
        let watched = running.clone();
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(MOST / 10);
                let stuck = watched
                    .numbers()
                    .iter()
                    .find(|(_, since)| since.elapsed() > MOST)
                    .map(|(number, _)| *number);
                if let Some(number) = stuck {
                    let text = generate::scenario(seed_of(seed, number));
                    eprintln!("soak: scenario {number} of seed {seed} takes longer than {MOST:?}:\n\n{text}");
                    std::process::exit(1);
                }
            }
        });
        running
    }

    fn numbers(&self) -> MutexGuard<'_, BTreeMap<u64, Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<R>(&self, number: u64, act: impl FnOnce() -> R) -> R {
        self.numbers().insert(number, Instant::now());
        let done = act();
        self.numbers().remove(&number);
        done
    }
}

/// Shrinks the scenario with this number and writes it to the folder of failures.
fn report(options: &Options, number: u64, failure: &Failure) -> ExitCode {
    let text = generate::scenario(seed_of(options.seed, number));
    eprintln!("soak: scenario {number} of seed {}: {}: {}", options.seed, failure.kind, failure.what);
    let small = shrink(&text, 1, &failure.kind);
    let file = options.failures.join(format!("{}-{number}.toml", options.seed));
    let written = std::fs::create_dir_all(&options.failures).and_then(|()| std::fs::write(&file, &small));
    match written {
        Ok(()) => eprintln!(
            "soak: the smallest scenario that fails in this way is in {}:\n\n{small}",
            file.display()
        ),
        Err(error) => eprintln!(
            "soak: {}: {error}; the smallest scenario that fails in this way:\n\n{small}",
            file.display()
        ),
    }
    eprintln!(
        "soak: once the defect is mended, add the scenario to crates/soak/cases, which the tests check"
    );
    ExitCode::FAILURE
}

fn check_files(files: &[PathBuf]) -> ExitCode {
    let mut failed = false;
    for file in files {
        match check_file(file) {
            Ok(words) => println!("{}: {words}", file.display()),
            Err(words) => {
                failed = true;
                println!("{}: {words}", file.display());
            }
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn check_file(file: &Path) -> Result<&'static str, String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    match check(&text, 1) {
        Ok(Verdict::Ran) => Ok("ran under every observation"),
        Ok(Verdict::LeftOut) => Ok("left out: too large or too slow"),
        Ok(Verdict::Refused) => Err("refused".to_owned()),
        Err(failure) => Err(format!("{}: {}", failure.kind, failure.what)),
    }
}

/// Returns whether a scenario runs under every observation and expects less than 10,000 packets, so that
/// [`small`](ackclock_soak::small::small) would take little away.
fn is_small(text: &str) -> bool {
    const MOST_PACKETS: f64 = 10_000.0;
    let scenario = Scenario::parse(text, "random.toml", &Map::new());
    scenario.is_ok_and(|scenario| scenario.expected_packets() < MOST_PACKETS)
        && check(text, 1) == Ok(Verdict::Ran)
}

fn print(count: usize, seed: u64) -> ExitCode {
    let texts = (0..).map(|number| generate::scenario(seed_of(seed, number)));
    let good: Vec<String> = texts.filter(|text| is_small(text)).take(count).collect();
    println!("{}", serde_json::to_string(&good).unwrap_or_default());
    ExitCode::SUCCESS
}
