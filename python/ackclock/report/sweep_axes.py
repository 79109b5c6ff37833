"""The axes of a sweep as figures and tables show them: names, units, scales and values, by default or as declared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from ackclock._sweep import Axis
from ackclock.errors import InputError
from ackclock.report.quantities import Declared, Shown
from ackclock.report.quantities import shown as shown_by_default


@dataclass(frozen=True)
class Swept:
    """An axis of a sweep as it is shown."""

    column: str
    """The column of the axis in the table of ``as_shown``."""
    quantity: str
    """The name of the varied quantity in results, such as ``limit``."""
    names: frozenset[str]
    """The names by which a caller can refer to the axis."""
    shown: Shown
    values: Sequence[Any]
    """The values in the table: numbers in ascending order, words in the order of the file."""
    numeric: bool
    """Whether the values are placed on a numeric scale, and not as categories."""
    joined: bool
    """Whether a line can join the points, because the values are numbers, even if they are drawn as categories."""
    sampled: bool
    labels: Mapping[Any, str]
    """The user's labels, by the value that they replace."""

    def label(self, value: Any) -> str:
        """Returns a value with its unit: ``10 packets``."""
        if value in self.labels or not self.joined:
            return self.labels.get(value, str(value))
        number = f"{value:g}" if isinstance(value, float) else str(value)
        return f"{number} {self.shown.unit}".rstrip()

    @property
    def words(self) -> str:
        """Returns the name in the titles of panels and of the legend: its column's, or the user's."""
        return self.shown.words if self.shown.declared else self.quantity.replace("_", " ")


def names_of(axis: Axis) -> list[str]:
    """Returns what a user may call an axis, the most specific first."""
    return [axis.path, axis.column, axis.quantity]


def point_words(axes: Sequence[Axis], point: Mapping[str, Any], declared: Declared) -> str:
    """Returns the values of a point, given as written by dotted path, in words: ``control = reno, limit = 10 packets``;
    empty without a sweep.
    """
    found = []
    for axis in axes:
        shown = shown_axis(axis, declared)
        words = shown.words if shown.declared else axis.quantity
        found.append(f"{words} = {declared.word(axis.label(point[axis.path]))}")
    return ", ".join(found)


def as_shown(
    table: pl.DataFrame, axes: Sequence[Axis], declared: Declared
) -> tuple[pl.DataFrame, list[Swept]]:
    """Returns the summary with the values of its axes as they are shown, and the axes.

    InputError for a logarithmic axis with a value that has no logarithm.
    """
    found = []
    for axis in axes:
        table, swept = _as_shown(table, axis, declared)
        found.append(swept)
    return table, found


def shown_axis(axis: Axis, declared: Declared) -> Shown:
    """Returns the name, the unit and the scale of an axis: rates are in Mbit/s and the like. InputError for a scale on
    which its values have no place.
    """
    words = axis.quantity.replace("_", " ")
    words = words[:1].upper() + words[1:]
    default = Shown(words)
    if axis.unit:
        largest = max(axis.cells) if axis.numeric else 0.0
        of_unit = shown_by_default(f"value_{axis.unit}", largest)
        default = Shown(words, of_unit.unit, of_unit.divisor)
    shown = declared.shown(default, axis.column, names_of(axis))
    _check(axis, shown)
    return shown


def _as_shown(table: pl.DataFrame, axis: Axis, declared: Declared) -> tuple[pl.DataFrame, Swept]:
    shown = shown_axis(axis, declared)
    category = shown.scale == "category"
    numeric = axis.numeric and not category
    texts = {
        cell: declared.labels[label]
        for cell, label in zip(axis.cells, axis.labels, strict=True)
        if label in declared.labels
    }
    column = table[axis.column]
    if not axis.numeric:
        column = pl.Series(axis.column, [declared.word(str(cell)) for cell in column], dtype=pl.String)
        texts = {}
    elif category:
        column = pl.Series(axis.column, [texts.get(cell) or _number(cell, shown) for cell in column])
        texts = {}
    elif shown.divisor != 1.0:
        column = column / shown.divisor
        texts = {cell / shown.divisor: text for cell, text in texts.items()}
    values = column.unique(maintain_order=True)
    if len(values) < table[axis.column].n_unique():
        raise InputError(
            f"label: two values of {axis.column} have the same label: {', '.join(map(str, values))}"
        )
    swept = Swept(
        axis.column,
        axis.quantity,
        frozenset(names_of(axis)),
        shown,
        (values.sort() if numeric else values).to_list(),
        numeric,
        axis.numeric,
        axis.sampled,
        texts,
    )
    return table.with_columns(column), swept


def _check(axis: Axis, shown: Shown) -> None:
    if shown.scale == "linear" or (axis.numeric and shown.scale == "category"):
        return
    if not axis.numeric:
        if shown.scale == "category":
            return
        raise InputError(
            f'scale: {axis.column} = "{shown.scale}": the values are words, expected no scale or "category"'
        )
    if shown.scale == "log" and min(axis.cells) <= 0:
        raise InputError(
            f'scale: {axis.column} = "log": found the value {min(axis.cells):g}, expected values above 0'
        )


def _number(cell: Any, shown: Shown) -> str:
    return f"{cell / shown.divisor:g}"
