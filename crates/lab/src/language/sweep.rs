//! A sweep: values at dotted paths, and the points that they span. Lists of values span a grid. Ranges are
//! sampled, with the same samples at every point of the grid.

mod fixed;
mod samples;
mod units;

pub use fixed::fix;

use crate::language::diagnostics::Diagnostic;
use crate::language::document::{Document, EVERY, Node, Span, Value};
use crate::language::keys::{Key, Table};
use crate::language::limits::MAX_POINTS;
use serde::Serialize;
use serde_json::{Map, Value as Json};
use std::collections::HashMap;

/// The overrides of a point.
pub type Point = Map<String, Json>;

/// The key that says how ranges are sampled. It is beside the paths.
const SAMPLES: &str = "samples";

const EXPECTED: &str = "a list of the values to try, for a dotted path in quotes such as \"flows.tcp.count\" = [1, 2]; \
     or a range such as { from = 1, to = 9 }";

/// The keys of a sweep.
pub static SWEEP: Table = Table::new(
    "sweep",
    "The values to try for each key of the scenario, named by its dotted path",
    &[&[Key::new(
        SAMPLES,
        samples::SAMPLES_FORMS,
        "The number of values drawn from each range, and the sampling method",
    )]],
)
.others(&[samples::VALUES_FORM, samples::RANGE_FORM]);

/// A path and the values that it takes.
#[derive(Clone, Debug)]
struct Axis {
    path: String,
    /// The location of the path in the file.
    key: Span,
    values: Vec<Node>,
    /// Whether the values are drawn, one for each sample.
    sampled: bool,
}

/// The points of a scenario. Without a sweep there is one point, without overrides.
#[derive(Clone, Debug, Default)]
pub struct Sweep {
    /// The axes in alphabetical order of their paths.
    axes: Vec<Axis>,
    /// The number of samples at each point of the grid; `None` without ranges.
    samples: Option<usize>,
    /// The number of points of the grid.
    grid: usize,
}

/// An axis of a sweep as results show it.
#[derive(Clone, Debug, Serialize)]
pub struct Column {
    /// The dotted path.
    pub path: String,
    /// Whether the values were drawn.
    pub sampled: bool,
    /// The unit of the cells, as in names of results (`s`, `bps`...); empty without a unit.
    pub unit: &'static str,
    /// The values as the file or the draw gives them.
    pub values: Vec<Json>,
    /// The values as cells: in `unit` if all are quantities of one kind.
    pub cells: Vec<Json>,
}

impl Sweep {
    /// Reads the sweep of a document.
    pub fn of(document: &Document) -> Result<Self, Vec<Diagnostic>> {
        let none = Self { axes: Vec::new(), samples: None, grid: 1 };
        let Value::Table(root) = &document.root.value else { return Ok(none) };
        let Some(sweep) = root.get("sweep") else { return Ok(none) };
        let problem = |span: &Span, path: &str, found: &str, expected: &str| {
            document.problem(span, path, found, expected, None)
        };
        let Value::Table(table) = &sweep.value else {
            return Err(vec![problem(
                &sweep.span,
                "sweep",
                &sweep.describe(),
                "a table of dotted paths, each with a list of values or a range",
            )]);
        };
        let mut problems = Vec::new();
        let mut made = none;
        let mut ranges = Vec::new();
        let mut targets: Vec<(String, &str)> = Vec::new();
        for (path, key, node) in table.entries.iter().filter(|(path, _, _)| path != SAMPLES) {
            let place = format!("sweep.\"{path}\"");
            // These keys determine the set of runs, not a run: every point has the same seeds.
            let expected = match Document::first_step(path) {
                "sweep" | "replications" | "precision" => {
                    Some("a path to a key that changes what a run simulates")
                }
                "seed" => Some("`replications`, which gives each point consecutive seeds from `seed` on"),
                _ => None,
            };
            if let Some(expected) = expected {
                problems.push(problem(key, &place, &format!("a sweep of `{path}`"), expected));
                continue;
            }
            let target = document.canonical(path);
            let other = targets.iter().find(|(other, _)| overlap(other, &target)).map(|(_, other)| *other);
            targets.push((target, path));
            if let Some(other) = other {
                let found = format!("a path to a key that \"{other}\" also sets");
                problems.push(problem(key, &place, &found, "each key of the scenario once in a sweep"));
                continue;
            }
            let values = match &node.value {
                Value::List(values) if !values.is_empty() => values.clone(),
                Value::Table(range) if samples::is_range(range) => {
                    match samples::Range::read(document, node, &place) {
                        Ok(range) => ranges.push((made.axes.len(), range)),
                        Err(found) => {
                            problems.extend(found);
                            continue;
                        }
                    }
                    Vec::new()
                }
                _ => {
                    problems.push(problem(&node.span, &place, &node.describe(), EXPECTED));
                    continue;
                }
            };
            if let Some((first, second)) = twins(&values) {
                let found =
                    format!("{}, which equals value {} of the list", values[second].describe(), first + 1);
                let expected = "every value once: a repeated point adds nothing";
                problems.push(problem(&values[second].span, &place, &found, expected));
                continue;
            }
            let sampled = values.is_empty();
            let grid = if sampled { made.grid } else { made.grid * values.len() };
            if grid > MAX_POINTS {
                let found = format!("a grid of {grid} points or more");
                problems.push(problem(&node.span, &place, &found, &format!("at most {MAX_POINTS} points")));
                break;
            }
            made.grid = grid;
            made.axes.push(Axis { path: path.clone(), key: key.clone(), values, sampled });
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        made.draw(document, sweep, table.get(SAMPLES), &ranges)?;
        Ok(made)
    }

    /// Draws the values of the ranges.
    fn draw(
        &mut self,
        document: &Document,
        sweep: &Node,
        node: Option<&Node>,
        ranges: &[(usize, samples::Range)],
    ) -> Result<(), Vec<Diagnostic>> {
        let problem = |span: &Span, found: &str, expected: &str| {
            Err(vec![document.problem(span, "sweep.samples", found, expected, None)])
        };
        let node = match (node, ranges) {
            (None, []) => return Ok(()),
            (None, _) => return problem(&sweep.span, "ranges without `samples`", samples::EXPECTED),
            (Some(node), []) => {
                return problem(
                    &node.span,
                    "`samples` without a range",
                    "a range such as \"flows.tcp.count\" = { from = 1, to = 9 }",
                );
            }
            (Some(node), _) => node,
        };
        let plan = samples::SamplePlan::read(document, node)?;
        let points = self.grid * plan.count;
        if points > MAX_POINTS {
            let found = format!(
                "{} samples at each of {} points of the grid, {points} points in all",
                plan.count, self.grid
            );
            return problem(&node.span, &found, &format!("at most {MAX_POINTS} points"));
        }
        let named: Vec<(&str, &samples::Range)> =
            ranges.iter().map(|(axis, range)| (self.axes[*axis].path.as_str(), range)).collect();
        let Some(drawn) = plan.draw(&named) else {
            let found = format!("{} samples, some of which are equal", plan.count);
            return problem(&node.span, &found, "fewer samples, or ranges with more values");
        };
        for ((axis, range), values) in ranges.iter().zip(drawn) {
            let node = |value| Node { span: range.span.clone(), value };
            self.axes[*axis].values = values.into_iter().map(node).collect();
        }
        self.samples = Some(plan.count);
        Ok(())
    }

    /// Returns whether nothing is swept, so that the scenario is the only point.
    pub fn is_none(&self) -> bool {
        self.axes.is_empty()
    }

    /// Returns the number of points.
    pub fn points(&self) -> usize {
        self.grid * self.samples.unwrap_or(1)
    }

    /// Returns the index of every axis's value at this point. Samples vary fastest, then the last path.
    fn indices(&self, point: usize) -> Vec<usize> {
        let samples = self.samples.unwrap_or(1);
        let (mut rest, sample) = (point / samples, point % samples);
        let mut indices = vec![sample; self.axes.len()];
        for (index, axis) in indices.iter_mut().zip(&self.axes).rev().filter(|(_, axis)| !axis.sampled) {
            (*index, rest) = (rest % axis.values.len(), rest / axis.values.len());
        }
        indices
    }

    /// Returns for every point the index of each axis's value.
    pub fn places(&self) -> Vec<Vec<usize>> {
        (0..self.points()).map(|point| self.indices(point)).collect()
    }

    /// Returns the overrides of a point.
    pub fn point(&self, point: usize) -> Point {
        let set = self.axes.iter().zip(self.indices(point));
        set.map(|(axis, index)| (axis.path.clone(), axis.values[index].to_json())).collect()
    }

    /// Sets the values of a point in a document. Returns the paths that do not exist, as problems with their location
    /// in the sweep.
    pub fn set(&self, document: &mut Document, point: usize) -> Vec<Diagnostic> {
        let set = self.axes.iter().zip(self.indices(point));
        document.set_all(set.map(|(axis, index)| (axis.path.as_str(), axis.values[index].clone(), &axis.key)))
    }

    /// Adds the point to problems whose location is not in the sweep, because the user may look for the cause there.
    pub fn explain(&self, document: &Document, point: usize, problems: &mut [Diagnostic]) {
        let mut words = Vec::new();
        let mut places = Vec::new();
        for (axis, index) in self.axes.iter().zip(self.indices(point)) {
            let value = &axis.values[index];
            words.push(format!("\"{}\" = {}", axis.path, value.describe()));
            let spans = [&axis.key, &value.span].into_iter().flatten();
            places.extend(spans.map(|span| document.lines_and_columns(span)));
        }
        for problem in problems {
            let is_inside = problem
                .line
                .zip(problem.column)
                .is_some_and(|place| places.iter().any(|[start, end]| *start <= place && place <= *end));
            if !is_inside {
                problem.point = Some(words.join(", "));
            }
        }
    }

    /// Returns the axes as results show them.
    pub fn columns(&self) -> Vec<Column> {
        let column = |axis: &Axis| {
            let (unit, cells) = units::cells(&axis.values);
            let values = axis.values.iter().map(Node::to_json).collect();
            Column { path: axis.path.clone(), sampled: axis.sampled, unit, values, cells }
        };
        self.axes.iter().map(column).collect()
    }
}

/// Returns whether two canonical paths lead to a common key, or where one has `*`, which stands for every item of a list,
/// whether one leads to a key inside the other's.
fn overlap(one: &str, other: &str) -> bool {
    let steps = |path: &str| path.matches('\n').count();
    let is_every = |path: &str| path.split('\n').any(|step| step == EVERY);
    (steps(one) == steps(other) || is_every(one) || is_every(other)) && is_alike(one, other)
}

/// Returns whether two canonical paths have equal steps as far as the shorter one goes, where `*` is equal to every step.
fn is_alike(one: &str, other: &str) -> bool {
    one.split('\n').zip(other.split('\n')).all(|(one, other)| one == other || one == EVERY || other == EVERY)
}

/// Returns the indices of two values with the same meaning, if there are any.
fn twins(values: &[Node]) -> Option<(usize, usize)> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut all = values.iter().enumerate();
    all.find_map(|(index, node)| seen.insert(units::meaning(node), index).map(|first| (first, index)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn sweep(text: &str) -> Sweep {
        Sweep::of(&Document::parse(&format!("[sweep]\n{text}"), "f").unwrap()).unwrap()
    }

    fn refused(text: &str) -> (Option<usize>, Option<usize>, String) {
        let document = Document::parse(&format!("[sweep]\n{text}"), "f").unwrap();
        let problem = Sweep::of(&document).unwrap_err().remove(0);
        (problem.line, problem.column, problem.found)
    }

    #[test]
    fn lists_span_a_grid() {
        let sweep = sweep("\"a.b\" = [1, 2]\n\"a.c\" = [\"x\", \"y\", \"z\"]\n");
        assert_eq!(sweep.points(), 6);
        assert_eq!(json!(sweep.point(1)), json!({"a.b": 1, "a.c": "y"}));
        assert_eq!(sweep.places()[5], [1, 2]);
    }

    #[test]
    fn what_determines_the_set_of_runs_is_not_swept() {
        for key in ["seed", "replications", "precision", "sweep"] {
            let (line, column, found) = refused(&format!("\"{key}\" = [1, 2, 3]\n"));
            assert_eq!((line, column, found), (Some(2), Some(1), format!("a sweep of `{key}`")));
        }
        assert!(refused("seed = { from = 1, to = 9 }\nsamples = { count = 3 }\n").2.contains("`seed`"));
    }

    #[test]
    fn without_a_sweep_there_is_one_point() {
        let sweep = Sweep::of(&Document::parse("a = 1\n", "f").unwrap()).unwrap();
        assert_eq!((sweep.points(), sweep.point(0).len()), (1, 0));
    }

    #[test]
    fn every_point_of_the_grid_has_the_same_samples() {
        let text = "\"a\" = [\"x\", \"y\"]\n\"b\" = { from = 0.0, to = 1.0 }\nsamples = { count = 3 }\n";
        let sweep = sweep(text);
        assert_eq!(sweep.points(), 6);
        let drawn = |point| sweep.point(point)["b"].as_f64().unwrap();
        assert_eq!([drawn(0), drawn(1), drawn(2)], [drawn(3), drawn(4), drawn(5)]);
        assert_eq!((&sweep.point(2)["a"], &sweep.point(3)["a"]), (&json!("x"), &json!("y")));
    }

    #[test]
    fn equal_points_are_refused_at_their_location() {
        let again = |what: &str| format!("{what}, which equals value 1 of the list");
        assert_eq!(refused("a = [1, 2, 1]\n"), (Some(2), Some(12), again("1")));
        assert_eq!(refused("a = [1, 1.0]\n"), (Some(2), Some(9), again("1")));
        assert_eq!(refused("a = [\"1 s\", \"1000 ms\"]\n"), (Some(2), Some(13), again("\"1000 ms\"")));
        assert_eq!(refused("a = [{ x = 1 }, { x = 1 }]\n"), (Some(2), Some(17), again("a table")));
        let every = "\"flows.*.count\" = [1]\n\"flows.tcp.count\" = [2]\n[[flows]]\nname = \"tcp\"\n[[flows]]\nname = \"b\"\n";
        assert!(refused(every).2.starts_with("a path to a key that"));
        let inside = every.replace("flows.tcp.count\" = [2]", "flows.0\" = [{ count = 2 }]");
        assert!(refused(&inside).2.starts_with("a path to a key that"));
        // The first flow is called `tcp`, so both paths lead to it.
        let text = "\"flows.0.count\" = [1]\n\"flows.tcp.count\" = [2]\n[[flows]]\nname = \"tcp\"\n";
        assert_eq!(
            refused(text),
            (Some(3), Some(1), "a path to a key that \"flows.0.count\" also sets".to_owned())
        );
    }
}
