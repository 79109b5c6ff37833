//! Benchmarks of the cost of a packet.
//!
//! `bench [--repeat N] FILE...` runs scenario files and prints `bench NAME VALUE packets/cpu-s` for each.
//! `bench [--repeat N] --queues` prints `bench queue-NAME VALUE ns/packet` for each queue discipline.
//! `bench [--repeat N] --scale` prints `bench scale-N VALUE packets/cpu-s` for ten to ten thousand flows, and
//! `bench idle-flow VALUE bytes`.
//! `bench --count SECONDS FILE` runs a scenario file once, for SECONDS simulated seconds, and prints `packets
//! N`.

mod cpu;
mod queues;
mod scale;
mod scenarios;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut repeat = 3;
    let (mut queues, mut scale, mut count) = (false, false, None);
    let mut files = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--repeat" => {
                repeat = arguments.next().and_then(|number| number.parse().ok()).unwrap_or(repeat).max(1)
            }
            "--queues" => queues = true,
            "--scale" => scale = true,
            "--count" => count = arguments.next(),
            _ => files.push(argument),
        }
    }
    let done = match count {
        Some(seconds) => files.iter().try_for_each(|file| scenarios::count(file, &seconds)),
        None => files.iter().try_for_each(|file| scenarios::bench(file, repeat)),
    };
    let done = done.and_then(|()| if queues { queues::bench(repeat) } else { Ok(()) });
    match done.and_then(|()| if scale { scale::bench(repeat) } else { Ok(()) }) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
