"""The picture of a sweep: lines over one axis, a heat map over two, small multiples over three.

An axis of words, such as controls, becomes curves rather than a direction if the other one has numbers. Values that
were drawn at random have no grid: they become points, over each of the ranges.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from ackclock.errors import InputError
from ackclock.names import nearest
from ackclock.report.chart import Chart
from ackclock.report.curves import Axis as Named
from ackclock.report.curves import Curve, Entry, Panel
from ackclock.report.quantities import title_and_scale
from ackclock.summary import bound
from ackclock.sweep import Axis

ACROSS = 3
"""The largest number of panels side by side."""
PANELS = 24
"""The largest number of panels; more would be too small to read."""
CURVES = 12
"""The largest number of curves over each other that can be told apart."""


@dataclass(frozen=True)
class Measure:
    """The drawn quantity: a number of the summary."""

    metric: str
    label: str
    title: str
    scale: float


@dataclass(frozen=True)
class Part:
    """The rows of a panel or of a curve."""

    label: str
    table: pl.DataFrame


def sweep_figure(table: pl.DataFrame, axes: Sequence[Axis], metric: str | None = None) -> Chart:
    """Returns the figure of a metric of ``Runs.summary``; by default the goodput of each group of flows.

    InputError without a sweep, for an unknown metric, and for more axes than a figure can show.
    """
    if not axes:
        raise InputError("there is no sweep to draw: the scenario has no [sweep]")
    measures = [_measure(table, name) for name in _metrics(table, metric)]
    for axis in axes:
        table = _in_readable_units(table, axis)
    axes = [_with_readable_unit(axis) for axis in axes]
    if any(axis.sampled for axis in axes):
        return _points(table, axes, measures[0])
    axes = [axis for axis in axes if len(axis.cells) > 1] or axes[:1]
    if len(axes) > 3:
        raise InputError(
            f"a sweep over {len(axes)} axes has no picture: at most 3; `Runs.summary()` is its table"
        )
    if len(axes) == 1 and len(measures) > 1:
        return _lines(table, axes[0], measures)
    # Panels are for words, or for the axis with the fewest values.
    inner = sorted(axes, key=lambda axis: (axis.numeric, len(axis.cells)))
    outer = inner.pop(0) if len(axes) == 3 else None
    panels = _parts(table, outer)
    _refuse_many(len(panels), PANELS, "panels")
    if len(inner) == 2 and all(axis.numeric == inner[0].numeric for axis in inner):
        # The axis of the file's last path is horizontal.
        inner = [axis for axis in axes if axis in inner]
        return _heat_maps(panels, inner[1], inner[0], measures[0])
    across = next((axis for axis in inner if axis.numeric), inner[0])
    by = next((axis for axis in inner if axis is not across), None)
    return _curves(panels, across, by, measures[0])


def _metrics(table: pl.DataFrame, metric: str | None) -> list[str]:
    if metric is None:
        goodputs = [
            name for name in table.columns if name.startswith("groups.") and name.endswith(".goodput_bps")
        ]
        return goodputs or ["fairness"]
    if metric not in table.columns:
        known = [name for name in table.columns if name == "fairness" or "." in name]
        raise InputError(f'no metric "{metric}" in the summary{nearest(metric, known)}')
    return [metric]


def _measure(table: pl.DataFrame, metric: str) -> Measure:
    kind, _, rest = metric.partition(".")
    name, _, quantity = rest.rpartition(".")
    largest = table[metric].max()
    title, scale = title_and_scale(
        quantity or metric, float(largest) if isinstance(largest, int | float) else 0.0
    )
    # A group's value is the mean over its flows.
    whose = {"groups": f" per flow of {name}", "links": f" of {name}"}.get(kind, "")
    head, bracket, unit = title.partition(" (")
    return Measure(metric, name or metric, f"{head}{whose}{bracket}{unit}", scale)


def _parts(table: pl.DataFrame, axis: Axis | None) -> list[Part]:
    if axis is None:
        return [Part("", table)]
    named = _unit(axis)
    return [
        Part(f"{axis.quantity} = {cell}{named}", table.filter(pl.col(axis.column) == cell))
        for cell in table[axis.column].unique(maintain_order=True)
    ]


def _readable(axis: Axis) -> tuple[str, float]:
    """Returns the unit in which the values of an axis are shown, and their divisor: rates in Mbit/s and the like."""
    if axis.unit != "bps" or not axis.numeric:
        return axis.unit, 1.0
    title, scale = title_and_scale("rate_bps", max(axis.cells))
    return title.partition("(")[2].removesuffix(")"), scale


def _in_readable_units(table: pl.DataFrame, axis: Axis) -> pl.DataFrame:
    scale = _readable(axis)[1]
    if scale == 1.0:
        return table
    return table.with_columns(pl.col(axis.column) / scale).rename(
        {axis.column: _with_readable_unit(axis).column}
    )


def _with_readable_unit(axis: Axis) -> Axis:
    unit, scale = _readable(axis)
    if scale == 1.0:
        return axis
    return replace(
        axis, column=f"{axis.quantity}_{unit}", unit=unit, cells=[cell / scale for cell in axis.cells]
    )


def _unit(axis: Axis) -> str:
    return f" {_units(axis)}" if axis.unit else ""


def _units(axis: Axis) -> str:
    return {"bps": "bit/s"}.get(axis.unit, axis.unit)


def _title(axis: Axis) -> str:
    words = axis.quantity.replace("_", " ")
    words = words[:1].upper() + words[1:]
    return f"{words} ({_units(axis)})" if axis.unit else words


def _lines(table: pl.DataFrame, axis: Axis, measures: Sequence[Measure]) -> Chart:
    """Returns a figure of several metrics of one kind over one axis."""
    _refuse_many(len(measures), CURVES, "curves")
    # All metrics use the scale of the largest.
    largest = max(measures, key=lambda measure: measure.scale)
    curves = [
        _curve(table, axis, replace(measure, scale=largest.scale), measure.label, number)
        for number, measure in enumerate(measures)
    ]
    # The shared part is the quantity, which comes before the name of each.
    shared = largest.title.replace(f" of {largest.label}", "")
    return _chart(shared, axis, [Panel("", Named(shared), curves)])


def _curves(panels: Sequence[Part], across: Axis, by: Axis | None, measure: Measure) -> Chart:
    drawn = []
    for panel in panels:
        parts = _parts(panel.table, by)
        _refuse_many(len(parts), CURVES, "curves")
        curves = [
            _curve(part.table, across, measure, part.label.partition(" = ")[2] or measure.label, number)
            for number, part in enumerate(parts)
        ]
        drawn.append(Panel(panel.label if len(panels) > 1 else "", Named(measure.title), curves))
    return _chart(measure.title, across, drawn, "" if by is None else by.quantity)


def _chart(title: str, across: Axis, panels: Sequence[Panel], legend: str = "") -> Chart:
    return Chart("grid", title, Named(_title(across)), panels, min(ACROSS, len(panels)), legend)


def _curve(table: pl.DataFrame, axis: Axis, measure: Measure, name: str, number: int) -> Curve:
    if axis.numeric:
        table = table.sort(axis.column)
    data: dict[str, Any] = {
        "x": table[axis.column].to_list(),
        # Points over words are not joined.
        "joined": axis.numeric,
    }
    for key, column in (("y", measure.metric), ("low", None), ("high", None)):
        found = table[column or bound(measure.metric, key)]
        data[key] = (found / measure.scale).to_list()
    return Curve(Entry(name, number), data)


def _heat_maps(panels: Sequence[Part], across: Axis, up: Axis, measure: Measure) -> Chart:
    """Returns heat maps, all on one scale of colours so that they can be compared."""
    drawn = []
    known = [value / measure.scale for part in panels for value in part.table[measure.metric].drop_nulls()]
    scale = [min(known, default=0.0), max(known, default=1.0)]
    for panel in panels:
        columns, rows = _ticks(panel.table, across), _ticks(panel.table, up)
        cells = {(row[across.column], row[up.column]): row for row in panel.table.iter_rows(named=True)}
        data: dict[str, Any] = {"x": columns, "y": rows, "scale": scale}
        for key, column in (
            ("z", measure.metric),
            ("low", bound(measure.metric, "low")),
            ("high", bound(measure.metric, "high")),
        ):
            data[key] = [[_scaled(cells.get((x, y)), column, measure.scale) for x in columns] for y in rows]
        curves = [Curve(Entry(measure.label, 0), data)]
        label = panel.label if len(panels) > 1 else ""
        drawn.append(Panel(label, Named(_title(up)), curves, z=measure.title))
    return _chart(measure.title, across, drawn)


def _ticks(table: pl.DataFrame, axis: Axis) -> list[Any]:
    found = table[axis.column].unique(maintain_order=True)
    return (found.sort() if axis.numeric else found).to_list()


def _scaled(row: Mapping[str, Any] | None, column: str, scale: float) -> float | None:
    value = None if row is None else row[column]
    return None if value is None or not math.isfinite(value) else value / scale


def _points(table: pl.DataFrame, axes: Sequence[Axis], measure: Measure) -> Chart:
    """Returns a figure of samples: a panel for each range, a colour for each point of the grid."""
    ranges = [axis for axis in axes if axis.sampled]
    grid = [axis.column for axis in axes if not axis.sampled and len(axis.cells) > 1]
    _refuse_many(len(ranges), PANELS, "panels")
    groups = table.partition_by(grid, maintain_order=True) if grid else [table]
    _refuse_many(len(groups), CURVES, "curves")
    panels = []
    for axis in ranges:
        curves = []
        for number, group in enumerate(groups):
            name = ", ".join(str(group[column][0]) for column in grid) or measure.label
            curve = _curve(group, axis, measure, name, number)
            curves.append(Curve(curve.entry, {**curve.data, "joined": False}))
        panels.append(Panel("", Named(measure.title), curves, Named(_title(axis))))
    return _chart(measure.title, ranges[0], panels)


def _refuse_many(count: int, most: int, what: str) -> None:
    if count > most:
        raise InputError(
            f"a figure of {count} {what} cannot be read: at most {most}; sweep fewer values, or draw a part"
        )
