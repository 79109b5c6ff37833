"""The summary of a sweep as a table for LaTeX: chosen columns, in units of choice, with their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from ackclock.numbers import mean_and_spread
from ackclock.report.sweep_figure import axis_title, in_readable_units
from ackclock.report.sweep_measures import Measure, measures
from ackclock.summary import bound
from ackclock.sweep import Axis

_ESCAPED: Mapping[str, str] = {
    "\\": r"\textbackslash{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
_IN_MATHS: Mapping[str, str] = {
    "±": r"\pm",
    "\u2212": "-",
    "\u202f": r"\,",
    "∞": r"\infty",
    "–": r"\text{--}",
}


def latex_table(table: pl.DataFrame, axes: Sequence[Axis], columns: str | Sequence[str] | None) -> str:
    """Returns the table of columns of ``Runs.summary``, named as ``measures`` takes them."""
    drawn = [measure for request in measures(table, columns) for measure in request]
    table, axes = in_readable_units(table, axes)
    heads = [*map(axis_title, axes), *(measure.owned for measure in drawn)]
    lines = [
        rf"\begin{{tabular}}{{{'l' * len(axes)}{'r' * len(drawn)}}}",
        r"\toprule",
        " & ".join(map(_escaped, heads)) + r" \\",
        r"\midrule",
    ]
    for row in table.iter_rows(named=True):
        cells = [*(_value(row[axis.column]) for axis in axes), *(_number(row, measure) for measure in drawn)]
        lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _value(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else _escaped(str(value))


def _number(row: Mapping[str, Any], measure: Measure) -> str:
    mean, *ends = (
        None if row[column] is None else row[column] / measure.scale
        for column in (measure.metric, bound(measure.metric, "low"), bound(measure.metric, "high"))
    )
    if mean is None:
        return "--"
    low, high = ends
    text = mean_and_spread(mean, None if low is None or high is None else (low, high))
    for character, command in _IN_MATHS.items():
        text = text.replace(character, command)
    return f"${text}$"


def _escaped(text: str) -> str:
    return "".join(_ESCAPED.get(character, character) for character in text)
