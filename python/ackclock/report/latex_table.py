"""The summary of a sweep as a table for LaTeX: chosen columns, in units of choice, with their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from ackclock._numbers import mean_and_spread
from ackclock._summary import bound
from ackclock._sweep import Axis
from ackclock.report.sweep_figure import axis_title, in_readable_units
from ackclock.report.sweep_measures import Measure, measures

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


Columns = str | Sequence[str] | Mapping[str, str] | None
"""Columns as ``measures`` takes them; in a mapping each has a heading of the user's."""


def latex_table(table: pl.DataFrame, axes: Sequence[Axis], columns: Columns) -> str:
    """Returns the table of columns of ``Runs.summary``; of classes of sizes alone, with a row for each class."""
    labels = list(columns.values()) if isinstance(columns, Mapping) else []
    requests = measures(table, list(columns) if isinstance(columns, Mapping) else columns)
    table, axes = in_readable_units(table, axes)
    classes = _classes(requests)
    found: list[tuple[str, list[Measure | None]]] = []
    for request, label in zip(requests, labels or [""] * len(requests), strict=True):
        if classes:
            of = {measure.owner: measure for measure in request}
            found.append((_heading(request[0], label, owned=False), [of.get(one) for one in classes]))
        else:
            owned = len(request) > 1 or not label
            found += [(_heading(measure, label, owned=owned), [measure]) for measure in request]
    heads = [*map(axis_title, axes), *(["Transfers"] if classes else [])]
    lines = [
        rf"\begin{{tabular}}{{{'l' * len(heads)}{'r' * len(found)}}}",
        r"\toprule",
        " & ".join(map(_escaped, [*heads, *(head for head, _ in found)])) + r" \\",
        r"\midrule",
    ]
    for row in table.iter_rows(named=True):
        for place, words in enumerate(classes or [""]):
            cells = [_value(row[axis.column]) for axis in axes]
            cells += [_escaped(words)] if classes else []
            cells += [_number(row, drawn[place]) for _, drawn in found]
            lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _classes(requests: Sequence[Sequence[Measure]]) -> list[str]:
    """Returns the classes of sizes if every request is a field of several of them: each class has a row then.

    A class without a transfer has no times, but a number of transfers, so the requests may differ in their classes.
    """
    several = all(len(request) > 1 for request in requests)
    drawn = [measure for request in sorted(requests, key=len, reverse=True) for measure in request]
    if not several or not all(measure.metric.startswith("size_classes.") for measure in drawn):
        return []
    return list(dict.fromkeys(measure.owner for measure in drawn))


def _heading(measure: Measure, label: str, *, owned: bool) -> str:
    """Returns the heading of a column: the user's label, or the short name of the quantity, with owner and unit."""
    of = f" of {measure.owner}" if owned and measure.owner else ""
    return f"{label or measure.short}{of}" + (f" ({measure.unit})" if measure.unit else "")


def _value(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else _escaped(str(value))


def _number(row: Mapping[str, Any], measure: Measure | None) -> str:
    if measure is None:
        return "--"
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
