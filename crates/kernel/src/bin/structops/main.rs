//! Offers congestion controls of ackclock to every socket of the machine.
//!
//! `ackclock-structops CONTROL... [--record FILE]` prints the names in the kernel as a line of JSON, then a report for each line
//! `report` on standard input, and a last one when the input ends or on SIGINT or SIGTERM. Everything in the kernel is held by
//! descriptors of this process, so that nothing is left behind however it ends.

mod loaded;
mod missing;
mod real_time;
mod serving;

use ackclock_kernel::offered::{ASK, Ready};
use ackclock_kernel::recording::{About, Recorder, Row};
use ackclock_kernel::{Host, Offer};
use loaded::Loaded;
use nix::sys::signal::{SigSet, Signal};
use serving::{Request, serve};
use std::fs::File;
use std::io::{self, BufRead, BufWriter, Write};
use std::process::ExitCode;
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let (offers, file) = read(arguments)?;
    if let Some(reason) = missing::reason(&offers) {
        return Err(reason);
    }
    let requests = listen()?; // first, since threads inherit which signals are blocked
    let record = file.map(|file| start_recording(&file, &offers)).transpose()?;
    let loaded = load(&offers)?;
    let names = loaded.iter().map(|loaded| loaded.name().to_owned()).collect();
    // Page faults while the kernel waits would make answers late.
    let _ = nix::sys::mman::mlockall(
        nix::sys::mman::MlockAllFlags::MCL_CURRENT | nix::sys::mman::MlockAllFlags::MCL_FUTURE,
    );
    let real_time = real_time::begin();
    say(&Ready { names, real_time })?;
    let hosts = offers.into_iter().map(Host::new).collect();
    let sender = record.as_ref().map(|(sender, _)| sender);
    serve(&loaded, hosts, real_time, sender, &requests, |reports| {
        // The reader may have gone; the end of the input tells.
        let _ = say(reports);
    })?;
    drop(loaded);
    match record {
        Some((sender, writer)) => {
            drop(sender);
            writer.join().map_err(|_| "the thread that writes the recording has failed".to_owned())?
        }
        None => Ok(()),
    }
}

/// Offers each control under the first of its names that the kernel does not have. Another program may take a name at any time, so
/// only the kernel can say which are free.
fn load(offers: &[Offer]) -> Result<Vec<Loaded>, String> {
    let (mut taken, mut loaded) = (Vec::new(), Vec::new());
    for offer in offers {
        let one = loop {
            let name = offer.kernel_name(&taken);
            taken.push(name.clone());
            if let Some(one) = Loaded::new(offer, name)? {
                break one;
            }
        };
        loaded.push(one);
    }
    Ok(loaded)
}

/// Reads the command line: controls, and the file of a recording.
fn read(arguments: impl Iterator<Item = String>) -> Result<(Vec<Offer>, Option<String>), String> {
    let (mut offers, mut file) = (Vec::new(), None);
    let mut arguments = arguments.peekable();
    while let Some(argument) = arguments.next() {
        if argument == "--record" {
            file = Some(arguments.next().ok_or("--record requires a file name")?);
        } else {
            offers.push(Offer::read(&argument).map_err(|refusal| refusal.to_string())?);
        }
    }
    if offers.is_empty() {
        return Err(
            "no congestion control is named, expected at least one; for example: ackclock-structops cubic"
                .to_owned(),
        );
    }
    Ok((offers, file))
}

/// Prints a line of JSON.
fn say(what: &impl serde::Serialize) -> Result<(), String> {
    let text = serde_json::to_string(what).map_err(|error| error.to_string())?;
    let mut output = io::stdout().lock();
    writeln!(output, "{text}")
        .and_then(|()| output.flush())
        .map_err(|error| format!("cannot write to standard output: {error}"))
}

/// Listens to standard input and to signals, each in a thread of its own.
fn listen() -> Result<mpsc::Receiver<Request>, String> {
    let signals: SigSet = [Signal::SIGINT, Signal::SIGTERM].into_iter().collect();
    // Threads inherit it, so that only the one that waits gets the signals.
    signals.thread_block().map_err(|error| format!("cannot block signals: {error}"))?;
    let (sender, receiver) = mpsc::channel();
    let ended = sender.clone();
    thread::spawn(move || {
        if signals.wait().is_ok() {
            let _ = ended.send(Request::End);
        }
    });
    thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            if line.is_ok_and(|line| line.trim() == ASK) && sender.send(Request::Report).is_err() {
                return;
            }
        }
        let _ = sender.send(Request::End);
    });
    Ok(receiver)
}

type Writer = (Sender<Row>, JoinHandle<Result<(), String>>);

/// Begins a recording, which a thread of its own writes.
fn start_recording(file: &str, offers: &[Offer]) -> Result<Writer, String> {
    let failed = |file: &str, error: io::Error| format!("{file}: {error}");
    let about = About {
        controls: offers.iter().map(|offer| offer.specification().to_owned()).collect(),
        kernel: missing::kernel(),
    };
    let output = File::create(file).map_err(|error| failed(file, error))?;
    let mut recorder = Recorder::new(BufWriter::new(output), &about).map_err(|error| failed(file, error))?;
    let (sender, rows) = mpsc::channel::<Row>();
    let file = file.to_owned();
    let writer = thread::spawn(move || {
        let written = rows.iter().try_for_each(|row| recorder.write(&row));
        written.and_then(|()| recorder.flush()).map_err(|error| failed(&file, error))
    });
    Ok((sender, writer))
}
