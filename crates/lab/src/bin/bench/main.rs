//! What a packet costs.
//!
//! `bench [--repeat N] FILE...` runs scenario files and prints for each `bench NAME VALUE packets/cpu-s`.
//! `bench [--repeat N] --queues` prints for each queue discipline `bench queue-NAME VALUE ns/packet`.

mod cpu;
mod queues;
mod scenarios;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut repeat = 3;
    let mut queues = false;
    let mut files = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--repeat" => {
                repeat = arguments.next().and_then(|number| number.parse().ok()).unwrap_or(repeat).max(1)
            }
            "--queues" => queues = true,
            _ => files.push(argument),
        }
    }
    let scenarios = files.iter().try_for_each(|file| scenarios::bench(file, repeat));
    match scenarios.and_then(|()| if queues { queues::bench(repeat) } else { Ok(()) }) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
