//! `soak [--minutes M | --scenarios N] [--seed S] [--from N] [--failures FOLDER] [--on]` checks random scenarios on
//! all cores, each in a process of its own with a limit of memory. It prints the seed, by default that of the day, and how
//! many scenarios ran. It ends at the first scenario that fails, or with `--on` goes on after it: it shrinks the scenario,
//! writes it to the folder and exits with 1.
//!
//! `soak --print N [--seed S]` prints the texts of N scenarios that ran under every observation and are small
//! without changes, as a JSON list. `soak --case FILE...` checks scenario files. `soak --check S` checks the scenario on
//! standard input with seed S, in this process.

use ackclock_lab::Scenario;
use ackclock_soak::apart::{self, check_apart};
use ackclock_soak::check::{Failure, Verdict, check};
use ackclock_soak::generate;
use ackclock_soak::shrink::shrink;
use rayon::prelude::*;
use serde_json::Map;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The number of scenarios for each core between two looks at the clock.
const BATCH: u64 = 64;

/// The longest time for making a scenario smaller that fails. Each attempt may take until the memory is full.
const MOST_SHRINKING: Duration = Duration::from_secs(300);

struct Options {
    seed: u64,
    minutes: Option<f64>,
    scenarios: u64,
    print: Option<usize>,
    cases: Vec<PathBuf>,
    /// The number of the first scenario.
    from: u64,
    failures: PathBuf,
    /// Whether to go on after a scenario that fails.
    goes_on: bool,
    /// The seed with which the scenario on standard input is checked; `None` to check random ones.
    check: Option<u64>,
    /// This program.
    program: PathBuf,
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
    if let Some(seed) = options.check {
        return apart::answer(seed);
    }
    if let Some(count) = options.print {
        return print(count, options.seed);
    }
    if !options.cases.is_empty() {
        return check_files(&options);
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
        from: 0,
        failures: PathBuf::from("target/soak"),
        goes_on: false,
        check: None,
        program: std::env::current_exe().map_err(|error| format!("this program: {error}"))?,
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
            "--from" => {
                let text = value()?;
                options.from = text.parse().map_err(|_| wrong(&text, "a whole number"))?;
            }
            apart::OPTION => {
                let text = value()?;
                options.check = Some(text.parse().map_err(|_| wrong(&text, "a seed"))?);
            }
            "--on" => options.goes_on = true,
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
    let [mut ran, mut refused, mut left_out, mut failed, mut next] = [0, 0, 0, 0, options.from];
    let mut minutes = 0;
    println!("soak: seed {}", options.seed);
    loop {
        let enough = most.map_or(ran >= options.scenarios, |most| began.elapsed() >= most);
        if enough || failed > 0 && !options.goes_on {
            println!(
                "soak: {} scenarios of seed {} from number {} on: {ran} ran under every observation without a difference or a \
                 violation, within 1 GB and 10 s of computing time per simulated second; {refused} were refused, {left_out} left out as \
                 too large or too slow; {failed} failed; {:.0} s",
                next - options.from,
                options.seed,
                options.from,
                began.elapsed().as_secs_f64()
            );
            return if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE };
        }
        let checked: Vec<(u64, Result<Verdict, Failure>)> = (next..next + batch)
            .into_par_iter()
            .map(|number| (number, check_number(options, number)))
            .collect();
        next += batch;
        for (number, verdict) in checked {
            match verdict {
                Ok(Verdict::Ran) => ran += 1,
                Ok(Verdict::Refused) => refused += 1,
                Ok(Verdict::LeftOut) => left_out += 1,
                Err(failure) => {
                    failed += 1;
                    report(options, number, &failure);
                }
            }
        }
        if began.elapsed().as_secs() / 60 > minutes {
            minutes = began.elapsed().as_secs() / 60;
            println!("soak: up to scenario {}: {ran} ran, {failed} failed, {minutes} minutes", next - 1);
        }
    }
}

fn check_number(options: &Options, number: u64) -> Result<Verdict, Failure> {
    check_apart(&options.program, &generate::scenario(seed_of(options.seed, number)), 1)
}

/// Shrinks the scenario with this number and writes it to the folder of failures.
fn report(options: &Options, number: u64, failure: &Failure) {
    let text = generate::scenario(seed_of(options.seed, number));
    eprintln!(
        "soak: scenario {number} of seed {}: {}: {}\n\n{text}",
        options.seed, failure.kind, failure.what
    );
    let began = Instant::now();
    let small = shrink(&text, &failure.kind, |text| {
        // Once the time for it is over, no smaller scenario fails.
        if began.elapsed() > MOST_SHRINKING {
            Ok(Verdict::LeftOut)
        } else {
            check_apart(&options.program, text, 1)
        }
    });
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
    eprintln!("soak: once the defect is fixed, add the scenario to crates/soak/cases, which the tests check");
}

fn check_files(options: &Options) -> ExitCode {
    let mut failed = false;
    for file in &options.cases {
        match check_file(&options.program, file) {
            Ok(words) => println!("{}: {words}", file.display()),
            Err(words) => {
                failed = true;
                println!("{}: {words}", file.display());
            }
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn check_file(program: &Path, file: &Path) -> Result<&'static str, String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    match check_apart(program, &text, 1) {
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
