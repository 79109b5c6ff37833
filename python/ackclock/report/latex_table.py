"""The summary of a sweep as a table for LaTeX: chosen columns, in units of choice, with their intervals."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from ackclock._numbers import mean_and_spread
from ackclock._summary import bound
from ackclock._sweep import Axis
from ackclock.report.quantities import Declared
from ackclock.report.sweep_axes import Swept, as_shown
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
_EXPONENT = re.compile(r"e([+-]?\d+)")


def latex_table(
    table: pl.DataFrame,
    axes: Sequence[Axis],
    columns: str | Sequence[str] | None,
    declared: Declared = Declared(),
    warnings: Sequence[str] = (),
) -> str:
    """Returns the table of columns of ``Runs.summary``; of classes of sizes alone, with a row for each class. Warnings
    about the scenario are comments above it.
    """
    requests = measures(table, columns, declared)
    table, swept = as_shown(table, axes, declared)
    classes = _classes(requests)
    found: list[tuple[str, list[Measure | None]]] = []
    for request in requests:
        if classes:
            of = {measure.owner: measure for measure in request}
            found.append((_heading(request[0], ""), [of.get(one) for one in classes]))
        else:
            several = len(request) > 1 or not request[0].shown.declared
            owners = [declared.word(measure.owner) if several else "" for measure in request]
            found += [
                (_heading(measure, owner), [measure]) for measure, owner in zip(request, owners, strict=True)
            ]
    heads = [*(axis.shown.title for axis in swept), *(["Transfers"] if classes else [])]
    lines = [
        *(f"% {warning}" for warning in warnings),
        rf"\begin{{tabular}}{{{'l' * len(heads)}{'r' * len(found)}}}",
        r"\toprule",
        " & ".join(map(_escaped, [*heads, *(head for head, _ in found)])) + r" \\",
        r"\midrule",
    ]
    for row in table.iter_rows(named=True):
        for place, words in enumerate(classes or [""]):
            cells = [_value(axis, row[axis.column]) for axis in swept]
            cells += [_escaped(declared.word(words))] if classes else []
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


def _heading(measure: Measure, owner: str) -> str:
    """Returns the heading of a column: the short name of the quantity, with the owner if there is one, and the unit."""
    of = f" of {owner}" if owner else ""
    return f"{measure.short}{of}" + (f" ({measure.shown.unit})" if measure.shown.unit else "")


def _value(axis: Swept, value: Any) -> str:
    """Returns the value of an axis, whose unit is in the heading."""
    if value in axis.labels:
        return _escaped(axis.labels[value])
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
    # A "<" behind "\pm" would be read as a relation.
    text = mean_and_spread(mean, None if low is None or high is None else (low, high), bounded=True)
    for character, command in _IN_MATHS.items():
        text = text.replace(character, command)
    return f"${_EXPONENT.sub(_power, text)}$"


def _power(found: re.Match[str]) -> str:
    r"""Returns an exponent as mathematics has it: ``\times 10^{-7}`` for ``e-07``."""
    return rf"\times 10^{{{int(found[1])}}}"


def _escaped(text: str) -> str:
    return "".join(_ESCAPED.get(character, character) for character in text)
