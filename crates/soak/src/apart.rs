//! Checks a scenario in a process of its own, with a limit of memory. Whatever a run does to its process (takes all memory,
//! overflows the stack, never returns) is a failure of that scenario and of no other.

use crate::check::{Failure, Verdict, check};
use crate::watch::ThreadTime;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

/// The most memory that a run may take, in kilobytes: 1 GB of data, which the operating system enforces.
const MOST_KB: u64 = 1_000_000;
/// The longest CPU time of a check. A run can be cancelled only between events, so a single event that does not end would go
/// unnoticed.
const MOST: Duration = Duration::from_secs(60);
/// The exit code of a process whose check took longer.
const STUCK: u8 = 3;

/// The option with which a program has to call [`answer`].
pub const OPTION: &str = "--check";

/// Checks the scenario in a text as [`check`] does, in a process of `program`.
pub fn check_apart(program: &Path, text: &str, seed: u64) -> Result<Verdict, Failure> {
    let failed = |what: String| Err(Failure::new("process", what));
    let limited = format!("ulimit -d {MOST_KB} && exec \"$0\" {OPTION} {seed}");
    let mut command = Command::new("sh");
    command.arg("-c").arg(limited).arg(program);
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => return failed(format!("the process of the check cannot be started: {error}")),
    };
    // A child that ends before it has read everything is judged by how it ends.
    let _ = child.stdin.take().map(|mut input| input.write_all(text.as_bytes()));
    let output = match child.wait_with_output() {
        Ok(output) => output,
        Err(error) => return failed(format!("the output of the check cannot be read: {error}")),
    };
    if let Ok(verdict) = serde_json::from_slice(&output.stdout) {
        return verdict;
    }
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("memory allocation of") {
        let which = said.lines().find(|line| line.contains("memory allocation of")).unwrap_or_default();
        return Err(Failure::new("memory", format!("more than {MOST_KB} kB: {which}")));
    }
    if output.status.code() == Some(i32::from(STUCK)) {
        return Err(Failure::new("stuck", format!("the check takes more than {MOST:?}")));
    }
    failed(format!("the check ends with {}: {}", output.status, said.trim()))
}

/// Checks the scenario that comes on standard input, and writes the outcome to standard output for [`check_apart`].
pub fn answer(seed: u64) -> ExitCode {
    let mut text = String::new();
    if let Err(error) = std::io::stdin().read_to_string(&mut text) {
        eprintln!("{error}");
        return ExitCode::from(2);
    }
    let time = ThreadTime::of_this_thread();
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            if time.elapsed() > MOST {
                std::process::exit(i32::from(STUCK));
            }
        }
    });
    let verdict = check(&text, seed);
    println!("{}", serde_json::to_string(&verdict).expect("a verdict can be written"));
    ExitCode::SUCCESS
}
