//! Problems of a scenario file: where they are, what was found, what was expected, and the nearest valid
//! name.

use ackclock_base::Descriptor;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fmt;

/// A problem of a scenario file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// The name of the file as it was given.
    pub file: String,
    /// The line, from 1; `None` if the problem comes from an override.
    pub line: Option<usize>,
    /// The column in characters, from 1; `None` if the problem comes from an override.
    pub column: Option<usize>,
    /// The end of the problem; `None` if only its beginning is known.
    pub end: Option<End>,
    /// The dotted path of the key or value.
    pub path: String,
    /// What was found.
    pub found: String,
    /// What was expected.
    pub expected: String,
    /// The nearest valid name, if one is near.
    pub hint: Option<String>,
    /// The point of the sweep at which the problem arises, in words; `None` if it does not depend on the sweep, or if
    /// its location is in the sweep.
    #[serde(skip)]
    pub point: Option<String>,
    /// The source line, for display.
    #[serde(skip)]
    pub source: Option<String>,
}

/// The end of a problem: the position after its last character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct End {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl Diagnostic {
    /// Returns whether another problem has the same location, path and reason.
    pub fn is_alike(&self, other: &Self) -> bool {
        let of = |problem: &Self| (problem.line, problem.column);
        of(self) == of(other)
            && (&self.path, &self.found, &self.expected) == (&other.path, &other.found, &other.expected)
    }

    /// Returns the message of the problem, without its place in the file.
    pub fn message(&self) -> String {
        let (path, found, expected) = (visible(&self.path), visible(&self.found), &self.expected);
        let place = if path.is_empty() { String::new() } else { format!("`{path}`: ") };
        let hint = self.hint.as_ref().map(|hint| format!("; did you mean {hint}?")).unwrap_or_default();
        let point = self.point.as_ref().map(|point| format!(" (at sweep point {})", visible(point)));
        format!("{place}found {found}, expected {expected}{hint}{}", point.unwrap_or_default())
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, .. } = self;
        match (self.line, self.column) {
            (Some(line), Some(column)) => write!(formatter, "{file}:{line}:{column}: ")?,
            _ => write!(formatter, "{file} (override): ")?,
        }
        formatter.write_str(&self.message())?;
        if let (Some(source), Some(line), Some(column)) = (&self.source, self.line, self.column) {
            let margin = " ".repeat(line.to_string().len());
            let (source, pad) = excerpt(source, column);
            write!(formatter, "\n  {margin} |\n  {line} | {source}\n  {margin} | {pad}^")?;
        }
        Ok(())
    }
}

/// The maximum number of characters of a path, or of what was found, that a message repeats.
const LONGEST: usize = 200;

/// Returns whether a character is invisible and changes how the text around it is displayed: it controls a
/// terminal, reverses its neighbours or breaks a line (Unicode's categories Cc, Cf, Zl and Zp). U+200C and
/// U+200D, which join or separate letters, belong to words and return false.
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}' | '\u{8e2}'
            | '\u{180e}' | '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0001}' | '\u{e0020}'..='\u{e007f}')
}

/// Returns text from a file as a message repeats it: without characters that control a terminal, and
/// shortened.
fn visible(text: &str) -> String {
    let mut visible = String::new();
    for character in text.chars().take(LONGEST) {
        match is_hidden(character) {
            true => visible.extend(character.escape_unicode()),
            false => visible.push(character),
        }
    }
    if text.chars().nth(LONGEST).is_some() { visible + "..." } else { visible }
}

/// The maximum number of characters of a line that are shown.
const WIDEST: usize = 110;

/// Returns the part of a line around a column, and the padding that puts a mark under that column.
fn excerpt(line: &str, column: usize) -> (String, String) {
    let visible = |c: char| if is_hidden(c) && c != '\t' { char::REPLACEMENT_CHARACTER } else { c };
    let chars: Vec<char> = line.chars().map(visible).collect();
    let first = (column - 1).saturating_sub(WIDEST / 2).min(chars.len().saturating_sub(WIDEST));
    let last = chars.len().min(first + WIDEST);
    let cut = |missing: bool| if missing { "..." } else { "" };
    let shown: String = chars[first..last].iter().collect();
    let before = chars[first..].iter().take(column - 1 - first);
    // A tab is kept, so that the padding is as wide as the line above it.
    let pad: String = before.map(|c| if *c == '\t' { '\t' } else { ' ' }).collect();
    (format!("{}{shown}{}", cut(first > 0), cut(last < chars.len())), " ".repeat(cut(first > 0).len()) + &pad)
}

/// Returns problems in the order of the file; those of overrides come last.
pub fn in_order(mut problems: Vec<Diagnostic>) -> Vec<Diagnostic> {
    problems.sort_by_key(|problem| (problem.line.unwrap_or(usize::MAX), problem.column));
    problems
}

/// Returns all problems as a JSON list, each with its message.
pub fn listed(problems: &[Diagnostic]) -> Value {
    let listed = problems.iter().map(|problem| {
        let mut listed = json!(problem);
        listed["message"] = json!(problem.message());
        listed
    });
    listed.collect()
}

/// Returns all problems as one text.
pub fn render(problems: &[Diagnostic]) -> String {
    let blocks: Vec<String> = problems.iter().map(Diagnostic::to_string).collect();
    blocks.join("\n")
}

/// Returns the name among `names` that is nearest to `found`; `None` if none is near.
pub fn nearest<'a>(found: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    // "Mbps" is "Mbit/s", and not near "MB". "MBps" is in bytes, and no name for bits is near it.
    if found.len() <= 4 && found.ends_with("Bps") {
        return None;
    }
    let plain = |text: &str| text.to_lowercase().replace(['-', ' '], "_");
    let wanted = match plain(found).strip_suffix("bps") {
        Some(prefix) if prefix.len() <= 1 => format!("{prefix}bit/s"),
        _ => plain(found),
    };
    let score = |name: &str| strsim::jaro_winkler(&plain(name), &wanted);
    names
        .into_iter()
        .map(|name| (score(name), name))
        .filter(|(score, _)| *score > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| format!("`{name}`"))
}

/// Returns a count with its noun, such as "2 nodes".
pub fn counted(count: usize, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}

/// Returns names as a list in words.
pub fn one_of<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    match names.as_slice() {
        [only] => format!("`{only}`, the only valid name"),
        names => format!("one of {}", names.join(", ")),
    }
}

/// Returns the first of these names as a list in words, each once, with the number of names that are left out.
pub fn one_of_many<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    const MOST: usize = 12;
    let mut seen = HashSet::new();
    let each: Vec<&str> = names.into_iter().filter(|name| seen.insert(*name)).collect();
    let shown = one_of(each.iter().copied().take(MOST));
    match each.len().saturating_sub(MOST) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// The maximum number of names that a message lists.
pub const MAX_NAMES: usize = 24;

/// Returns the names to choose from, or where to find them if there are many.
pub fn one_of_these(candidates: &[&'static Descriptor]) -> String {
    if candidates.len() <= MAX_NAMES {
        return one_of(candidates.iter().map(|candidate| candidate.name));
    }
    let kind = candidates[0].kind.name();
    format!("a {kind}; `ackclock list {kind}s` lists them all")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let names = ["delay", "rate", "queue", "cwnd_floor"];
        assert_eq!(nearest("dely", names), Some("`delay`".to_owned()));
        assert_eq!(nearest("cwnd-floor", names), Some("`cwnd_floor`".to_owned()));
        assert_eq!(nearest("colour", names), None);
    }

    #[test]
    fn a_rate_written_another_way_is_near_a_rate_and_not_an_amount() {
        let units = ["bit/s", "kbit/s", "Mbit/s", "Gbit/s", "B", "kB", "MB"];
        for (found, wanted) in
            [("bps", "`bit/s`"), ("kbps", "`kbit/s`"), ("Mbps", "`Mbit/s`"), ("Gbps", "`Gbit/s`")]
        {
            assert_eq!(nearest(found, units), Some(wanted.to_owned()));
        }
        // Bytes per second are eight times as many bits.
        assert_eq!(nearest("MBps", units), None);
    }

    #[test]
    fn a_message_repeats_nothing_that_controls_a_terminal_or_fills_it() {
        assert_eq!(visible("a\u{1b}[31m\n"), "a\\u{1b}[31m\\u{a}");
        assert_eq!(visible("a\u{202e}b\u{2028}c\u{200d}d"), "a\\u{202e}b\\u{2028}c\u{200d}d");
        assert_eq!(excerpt("a\u{202e}b", 1).0, "a\u{fffd}b");
        assert_eq!(visible(&"x".repeat(LONGEST)), "x".repeat(LONGEST));
        assert_eq!(visible(&"x".repeat(1_000_000)), "x".repeat(LONGEST) + "...");
    }

    #[test]
    fn long_lines_are_cut_around_the_column() {
        let line = format!("{}x{}", "a".repeat(300), "b".repeat(300));
        let (shown, pad) = excerpt(&line, 301);
        assert_eq!(shown.len(), WIDEST + 6);
        assert_eq!(shown.chars().nth(pad.len()), Some('x'));
        assert_eq!(excerpt("\tkey = 1", 2), ("\tkey = 1".to_owned(), "\t".to_owned()));
        assert_eq!(excerpt("short", 6), ("short".to_owned(), "     ".to_owned()));
    }
}
