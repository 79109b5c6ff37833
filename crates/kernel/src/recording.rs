//! Recordings: the events of real connections with the decisions about them, as text.
//!
//! The first line names the format, the second is a JSON object with the controls, the third names the columns. Each further line is
//! an event: the place of its control in the list, the fields of [`Event`] and those of the [`Answer`] to it.

use crate::answer::Answer;
use crate::event::Event;
use crate::host::Host;
use crate::offer::Offer;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::io;

/// The first line of a recording.
pub const FORMAT: &str = "# ackclock kernel events 1";

/// What a recording is of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// The controls, as they were asked for.
    pub controls: Vec<String>,
    /// The release of the kernel.
    pub kernel: String,
}

/// An event with its decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The place of the control in the list.
    pub control: usize,
    /// What happened.
    pub event: Event,
    /// What was decided; zeros for the end of a connection.
    pub answer: Answer,
}

/// Writes a recording.
pub struct Recorder<Output: io::Write>(Output);

impl<Output: io::Write> Recorder<Output> {
    /// Writes the head of a recording.
    ///
    /// # Errors
    /// When writing fails.
    pub fn new(mut output: Output, about: &About) -> io::Result<Self> {
        let columns: Vec<&str> =
            std::iter::once("control").chain(Event::FIELDS.iter().copied()).chain(Answer::FIELDS).collect();
        writeln!(output, "{FORMAT}\n{}\n{}", serde_json::to_string(about)?, columns.join(","))?;
        Ok(Self(output))
    }

    /// Writes an event with its decision.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write(&mut self, row: &Row) -> io::Result<()> {
        let mut line = row.control.to_string();
        for field in row.event.fields().chain(row.answer.fields()) {
            // Writing to a string cannot fail.
            let _ = write!(line, ",{field}");
        }
        writeln!(self.0, "{line}")
    }

    /// Writes out what is buffered.
    ///
    /// # Errors
    /// When writing fails.
    pub fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// What it is of.
    pub about: About,
    /// The events in the order in which the program heard of them.
    pub rows: Vec<Row>,
}

/// A decision of a replay that is not the recorded one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The line of the recording, from 1.
    pub line: usize,
    /// The number of the connection.
    pub connection: u64,
    /// The recorded decision.
    pub recorded: Answer,
    /// The decision of the replay.
    pub decided: Answer,
}

/// The lines before the first event.
const HEAD: usize = 3;

impl Recording {
    /// Reads a recording.
    ///
    /// # Errors
    /// Returns the number of the line and what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut lines = text.lines();
        let first = lines.next().unwrap_or_default();
        if first != FORMAT {
            return Err(format!("line 1: found {first:?}, expected {FORMAT:?}: not a recording of events"));
        }
        let about: About = serde_json::from_str(lines.next().unwrap_or_default())
            .map_err(|error| format!("line 2: expected the controls as JSON: {error}"))?;
        let rows = lines.skip(1).enumerate().map(|(number, line)| {
            let row = Self::row(line).filter(|row| row.control < about.controls.len());
            row.ok_or_else(|| {
                let (line, controls) = (number + HEAD + 1, about.controls.len());
                format!(
                    "line {line}: expected a whole number for each column named in line {HEAD}, with a first number \
                     (the index of the control) below {controls}"
                )
            })
        });
        let rows = rows.collect::<Result<_, _>>()?;
        Ok(Self { about, rows })
    }

    fn row(line: &str) -> Option<Row> {
        let mut fields = Vec::new();
        for field in line.split(',') {
            fields.push(field.parse::<i64>().ok()?);
        }
        let mut fields = fields.into_iter();
        let control = usize::try_from(fields.next()?).ok()?;
        let (event, answer) = (Event::from_fields(&mut fields)?, Answer::from_fields(&mut fields)?);
        fields.next().is_none().then_some(Row { control, event, answer })
    }

    /// Feeds the events to the controls of the recording, or to others in their places, and returns the decision about each.
    pub fn replay(&self, offers: Vec<Offer>) -> Vec<Answer> {
        let mut hosts: Vec<Host> = offers.into_iter().map(Host::new).collect();
        let decide = |row: &Row| {
            let mut decided = Answer::default();
            if let Some(host) = hosts.get_mut(row.control) {
                host.on_event(&row.event, |connection, _, answer| {
                    if connection == row.event.connection {
                        decided = answer;
                    }
                });
            }
            decided
        };
        self.rows.iter().map(decide).collect()
    }

    /// Returns the decisions of a replay that are not the recorded ones.
    pub fn differences(&self, decided: &[Answer]) -> Vec<Difference> {
        let pairs = self.rows.iter().zip(decided).enumerate();
        pairs
            .filter(|(_, (row, decided))| row.answer != **decided)
            .map(|(place, (row, decided))| Difference {
                line: place + HEAD + 1,
                connection: row.event.connection,
                recorded: row.answer,
                decided: *decided,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_is_read_as_it_was_written() {
        let about = About { controls: vec!["reno".to_owned()], kernel: "6.18".to_owned() };
        let event = Event { now_ns: 1 << 50, connection: 1, rtt_us: -1, ..Event::default() };
        let row = Row { control: 0, event, answer: Answer { cwnd: 10, ..Answer::default() } };
        let mut bytes = Vec::new();
        let mut recorder = Recorder::new(&mut bytes, &about).expect("a head");
        recorder.write(&row).expect("a row");
        let text = String::from_utf8(bytes).expect("text");
        assert_eq!(Recording::parse(&text), Ok(Recording { about, rows: vec![row] }));

        let wrong = |from: &str, to: &str| Recording::parse(&text.replace(from, to)).unwrap_err();
        assert!(wrong("events 1", "events 2").starts_with("line 1: found \"# ackclock kernel events 2\""));
        assert!(wrong("{", "").starts_with("line 2: expected the controls as JSON"));
        for (from, to) in [("\n0,", "\n1,"), (",10,", ",ten,"), (",10,", ","), (",10,", ",10,0,")] {
            assert_eq!(
                wrong(from, to),
                "line 4: expected a whole number for each column named in line 3, with a first number (the index of \
                 the control) below 1"
            );
        }
    }
}
