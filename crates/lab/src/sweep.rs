//! A sweep: values at dotted paths, and the points that they span. Lists of values span a grid; ranges are sampled, and
//! every point of the grid has the same samples.

mod samples;
mod units;

use crate::diagnostics::Diagnostic;
use crate::document::{Document, Node, Span, Value};
use crate::keys::{Key, Table};
use crate::limits::MAX_POINTS;
use serde::Serialize;
use serde_json::{Map, Value as Json};
use std::collections::HashMap;

/// A point: the overrides that make it.
pub type Point = Map<String, Json>;

/// The key beside the paths that says how ranges are sampled.
const SAMPLES: &str = "samples";

const EXPECTED: &str =
    "a list of the values to try, for a dotted path in quotes such as \"flows.tcp.count\" = [1, 2]";

/// The values to try.
pub static SWEEP: Table = Table::new(
    "sweep",
    "Values to try, by the dotted paths at which they are put",
    &[&[Key::new(SAMPLES, samples::SAMPLES_FORMS, "How the values of ranges are drawn")]],
)
.others(&[samples::VALUES_FORM, samples::RANGE_FORM]);

/// A path and what is put there.
#[derive(Clone, Debug)]
struct Axis {
    path: String,
    /// Where the path stands.
    key: Span,
    values: Vec<Node>,
    /// The values are those of the samples, one each.
    sampled: bool,
}

/// The points of a scenario; one without any override where it has no sweep.
#[derive(Clone, Debug, Default)]
pub struct Sweep {
    /// Alphabetical.
    axes: Vec<Axis>,
    /// How many samples each point of the grid has; `None` without ranges.
    samples: Option<usize>,
    /// Points of the grid.
    grid: usize,
}

/// An axis as results show it.
#[derive(Clone, Debug, Serialize)]
pub struct Column {
    /// The dotted path.
    pub path: String,
    /// Whether its values were drawn.
    pub sampled: bool,
    /// What the cells are in, as results name it (`s`, `bps`...); empty without a unit.
    pub unit: &'static str,
    /// The values as written.
    pub values: Vec<Json>,
    /// The values as cells: in `unit` where all are quantities of one kind.
    pub cells: Vec<Json>,
}

impl Sweep {
    /// The sweep of a document.
    pub fn of(document: &Document) -> Result<Self, Vec<Diagnostic>> {
        let none = Self { axes: Vec::new(), samples: None, grid: 1 };
        let Value::Table(root) = &document.root.value else { return Ok(none) };
        let Some(sweep) = root.get("sweep") else { return Ok(none) };
        let problem = |span: &Span, path: &str, found: &str, expected: &str| {
            Err(vec![document.problem(span, path, found, expected, None)])
        };
        let Value::Table(table) = &sweep.value else {
            return problem(&sweep.span, "sweep", &sweep.describe(), "a table of paths and lists of values");
        };
        let mut made = none;
        let mut ranges = Vec::new();
        let mut targets: HashMap<String, &str> = HashMap::new();
        for (path, key, node) in table.entries.iter().filter(|(path, _, _)| path != SAMPLES) {
            let place = format!("sweep.\"{path}\"");
            // They say which runs there are, and change none.
            if ["sweep", "replications", "precision"].contains(&Document::first_step(path)) {
                return problem(
                    key,
                    &place,
                    &format!("a sweep of `{path}`"),
                    "a path to what a run depends on",
                );
            }
            if let Some(other) = targets.insert(document.canonical(path), path) {
                let found = format!("a second path to what \"{other}\" sets");
                return problem(key, &place, &found, "each value of a scenario swept by one path");
            }
            let values = match &node.value {
                Value::List(values) if !values.is_empty() => values.clone(),
                Value::Table(range) if samples::is_range(range) => {
                    ranges.push((made.axes.len(), samples::Range::read(document, node, &place)?));
                    Vec::new()
                }
                _ => return problem(&node.span, &place, &node.describe(), EXPECTED),
            };
            if let Some((first, second)) = twins(&values) {
                let found = format!("{}, which is the value {} again", values[second].describe(), first + 1);
                return problem(
                    &values[second].span,
                    &place,
                    &found,
                    "every value once: equal points say nothing new",
                );
            }
            let sampled = values.is_empty();
            let grid = if sampled { made.grid } else { made.grid * values.len() };
            if grid > MAX_POINTS {
                let found = format!("a grid of {grid} points or more");
                return problem(&node.span, &place, &found, &format!("at most {MAX_POINTS} points"));
            }
            made.grid = grid;
            made.axes.push(Axis { path: path.clone(), key: key.clone(), values, sampled });
        }
        made.draw(document, sweep, table.get(SAMPLES), &ranges)?;
        Ok(made)
    }

    /// Gives the ranges their values.
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
            (None, _) => return problem(&sweep.span, "ranges and no `samples`", samples::EXPECTED),
            (Some(node), []) => {
                return problem(
                    &node.span,
                    "`samples` and no range",
                    "a range such as \"flows.tcp.count\" = { from = 1, to = 9 }",
                );
            }
            (Some(node), _) => node,
        };
        let plan = samples::Plan::read(document, node)?;
        let points = self.grid * plan.count;
        if points > MAX_POINTS {
            let found = format!("{} samples at each of {} points, {points} points", plan.count, self.grid);
            return problem(&node.span, &found, &format!("at most {MAX_POINTS} points"));
        }
        let named: Vec<(&str, &samples::Range)> =
            ranges.iter().map(|(axis, range)| (self.axes[*axis].path.as_str(), range)).collect();
        let Some(drawn) = plan.draw(&named) else {
            let found = format!("{} samples of which some are equal", plan.count);
            return problem(&node.span, &found, "fewer samples, or ranges with more values");
        };
        for ((axis, range), values) in ranges.iter().zip(drawn) {
            let node = |value| Node { span: range.span.clone(), value };
            self.axes[*axis].values = values.into_iter().map(node).collect();
        }
        self.samples = Some(plan.count);
        Ok(())
    }

    /// Whether nothing is swept: there is one point, the scenario.
    pub fn is_none(&self) -> bool {
        self.axes.is_empty()
    }

    /// How many points there are.
    pub fn points(&self) -> usize {
        self.grid * self.samples.unwrap_or(1)
    }

    /// Of every axis, the index of its value at this point. The last path varies fastest, samples before all.
    fn indices(&self, point: usize) -> Vec<usize> {
        let samples = self.samples.unwrap_or(1);
        let (mut rest, sample) = (point / samples, point % samples);
        let mut indices = vec![sample; self.axes.len()];
        for (index, axis) in indices.iter_mut().zip(&self.axes).rev().filter(|(_, axis)| !axis.sampled) {
            (*index, rest) = (rest % axis.values.len(), rest / axis.values.len());
        }
        indices
    }

    /// Of every point, the index of each axis's value.
    pub fn places(&self) -> Vec<Vec<usize>> {
        (0..self.points()).map(|point| self.indices(point)).collect()
    }

    /// The overrides that make a point.
    pub fn point(&self, point: usize) -> Point {
        let set = self.axes.iter().zip(self.indices(point));
        set.map(|(axis, index)| (axis.path.clone(), axis.values[index].to_json())).collect()
    }

    /// Puts the values of a point into a document. A path or a value that is wrong is shown where it stands in the sweep.
    pub fn set(&self, document: &mut Document, point: usize) -> Result<(), Vec<Diagnostic>> {
        for (axis, index) in self.axes.iter().zip(self.indices(point)) {
            let set = document.set_node(&axis.path, axis.values[index].clone(), &axis.key);
            set.map_err(|problem| vec![*problem])?;
        }
        Ok(())
    }

    /// The axes as results show them.
    pub fn columns(&self) -> Vec<Column> {
        let column = |axis: &Axis| {
            let (unit, cells) = units::cells(&axis.values);
            let values = axis.values.iter().map(Node::to_json).collect();
            Column { path: axis.path.clone(), sampled: axis.sampled, unit, values, cells }
        };
        self.axes.iter().map(column).collect()
    }
}

/// Two values that mean the same.
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
    fn lists_are_a_grid() {
        let sweep = sweep("\"a.b\" = [1, 2]\n\"a.c\" = [\"x\", \"y\", \"z\"]\n");
        assert_eq!(sweep.points(), 6);
        assert_eq!(json!(sweep.point(1)), json!({"a.b": 1, "a.c": "y"}));
        assert_eq!(sweep.places()[5], [1, 2]);
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
    fn equal_points_are_refused_where_they_stand() {
        let again = |what: &str| format!("{what}, which is the value 1 again");
        assert_eq!(refused("a = [1, 2, 1]\n"), (Some(2), Some(12), again("1")));
        assert_eq!(refused("a = [1, 1.0]\n"), (Some(2), Some(9), again("1")));
        assert_eq!(refused("a = [\"1 s\", \"1000 ms\"]\n"), (Some(2), Some(13), again("\"1000 ms\"")));
        assert_eq!(refused("a = [{ x = 1 }, { x = 1 }]\n"), (Some(2), Some(17), again("a table")));
        // The first flow is called tcp.
        let text = "\"flows.0.count\" = [1]\n\"flows.tcp.count\" = [2]\n[[flows]]\nname = \"tcp\"\n";
        assert_eq!(
            refused(text),
            (Some(3), Some(1), "a second path to what \"flows.0.count\" sets".to_owned())
        );
    }
}
