//! Offering controls to the sockets of this machine, by a program that `make wire` builds.

use crate::report::Report;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The name of the program.
pub const PROGRAM: &str = "ackclock-structops";
/// The word by which the program is asked for a report, on a line.
pub const ASK: &str = "report";

/// The reason why controls cannot be offered: what is missing, and how to get it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing(pub String);

impl fmt::Display for Missing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Missing {}

/// What the program says when the controls are offered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ready {
    /// The names in the kernel, in the order in which the controls were asked for.
    pub names: Vec<String>,
    /// Whether the program has real-time priority. Without it, many decisions are late on a busy machine.
    pub real_time: bool,
}

/// What the program says when it is asked, and when it ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reports {
    /// A report for each control, in the order in which they were asked for.
    pub controls: Vec<Report>,
}

/// Controls that the kernel offers to every socket of the machine, for as long as this value lives.
///
/// The program behind it holds the controls by links, and ends when this process does, however it ends. Sockets that still have such
/// a control then go on under Reno.
pub struct Offered {
    names: Vec<String>,
    child: Child,
    ask: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Offered {
    /// Offers controls, each given as [`Offer::read`](crate::Offer::read) takes it, by the program on the `PATH`.
    ///
    /// # Errors
    /// When the program, a privilege or a feature of the kernel is missing, or a control cannot run under the kernel.
    pub fn new(specifications: &[&str]) -> Result<Self, Missing> {
        Self::by(Path::new(PROGRAM), specifications, None)
    }

    /// Offers controls as [`Self::new`] does, by this program. `record` is the file to which events and decisions are written.
    ///
    /// # Errors
    /// As those of [`Self::new`].
    pub fn by(program: &Path, specifications: &[&str], record: Option<&Path>) -> Result<Self, Missing> {
        let mut command = Command::new(program);
        command.args(specifications);
        if let Some(file) = record {
            command.arg("--record").arg(file);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| Missing(not_started(program, &error)))?;
        let (ask, output) = (child.stdin.take(), child.stdout.take());
        let mut offered = match output {
            Some(output) => Self { names: Vec::new(), child, ask, answers: BufReader::new(output) },
            None => return Err(Missing("the program has no standard output".to_owned())),
        };
        match offered.read::<Ready>() {
            Ok(ready) => offered.names = ready.names,
            Err(_) => return Err(Missing(offered.complaint())),
        }
        Ok(offered)
    }

    /// The name of the `index`-th control in the kernel, for `TCP_CONGESTION`: at most 15 characters. `None` if there are fewer.
    pub fn name(&self, index: usize) -> Option<&str> {
        self.names.get(index).map(String::as_str)
    }

    /// Returns what has been decided so far, for each control.
    ///
    /// # Errors
    /// When the program has ended.
    pub fn report(&mut self) -> Result<Vec<Report>, Missing> {
        let asked = match &mut self.ask {
            Some(ask) => writeln!(ask, "{ASK}"),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        };
        match asked.and_then(|()| self.read::<Reports>()) {
            Ok(reports) => Ok(reports.controls),
            Err(_) => Err(Missing(self.complaint())),
        }
    }

    fn read<Said: for<'a> Deserialize<'a>>(&mut self) -> io::Result<Said> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        Ok(serde_json::from_str(&line)?)
    }

    /// Waits for the end of the program, and returns what it says on standard error.
    fn complaint(&mut self) -> String {
        self.ask = None;
        let mut text = String::new();
        if let Some(errors) = &mut self.child.stderr {
            let _ = errors.read_to_string(&mut text); // what was read before an error is all there is to say
        }
        let text = text.trim().trim_start_matches("error: ");
        if text.is_empty() {
            "ackclock-structops, which offers congestion controls to the kernel, ended without an error message"
                .to_owned()
        } else {
            text.to_owned()
        }
    }
}

impl Drop for Offered {
    fn drop(&mut self) {
        self.ask = None; // the program ends with its input
        let _ = io::copy(&mut self.answers, &mut io::sink());
        let _ = self.child.wait();
    }
}

fn not_started(program: &Path, error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::NotFound {
        format!("the program {} is missing: `make wire` builds it", program.display())
    } else {
        format!("cannot start the program {}: {error}", program.display())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_names_what_builds_it() {
        let missing = Offered::by(Path::new("/no/such/program"), &["cubic"], None).err();
        let expected = "the program /no/such/program is missing: `make wire` builds it";
        assert_eq!(missing, Some(Missing(expected.to_owned())));
    }
}
