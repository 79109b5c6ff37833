"""The picture of a sweep: curves over one axis, small multiples of them over more, a heat map of many numbers.

Values that were drawn at random have no grid: they become points, over each of the ranges.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from ackclock._summary import bound
from ackclock._sweep import Axis
from ackclock.errors import InputError
from ackclock.report.chart import Chart
from ackclock.report.curves import Axis as Named
from ackclock.report.curves import Curve, Entry, Panel
from ackclock.report.quantities import title_and_scale
from ackclock.report.sweep_layout import Choice, Dimension, Layout, choices, layout, worded
from ackclock.report.sweep_measures import Measure, measures

ACROSS = 3
"""The largest number of panels side by side, if rows have no meaning."""
PANELS = 24
"""The largest number of panels; more would be too small to read."""
CURVES = 12
"""The largest number of curves over each other that can be told apart."""

Names = str | Sequence[str] | None


def sweep_figure(
    table: pl.DataFrame,
    axes: Sequence[Axis],
    metrics: Names = None,
    *,
    x: str | None = None,
    rows: Names = None,
    columns: Names = None,
    colour: Names = None,
) -> Chart:
    """Returns the figure of metrics of ``Runs.summary`` (see ``measures``), laid out as ``layout`` describes.

    InputError without a sweep, for an unknown name, and for more panels or curves than a figure can show.
    """
    if not axes:
        raise InputError("there is no sweep to draw: the scenario has no [sweep]")
    requests = measures(table, metrics)
    given = axes
    table, axes = in_readable_units(table, axes)
    if any(axis.sampled for axis in axes):
        if any((x, rows, columns, colour)):
            raise InputError("plot: values drawn from ranges have no grid, so no rows, columns or colour")
        return _points(table, axes, [measure for request in requests for measure in request])
    dimensions = [_swept(axis, old, table) for axis, old in zip(axes, given, strict=True)]
    dimensions += _of_measures(requests)
    found = layout(dimensions, x=x, rows=rows, columns=columns, colour=colour)
    return _Grid(table, requests, found).chart()


def _swept(axis: Axis, given: Axis, table: pl.DataFrame) -> Dimension:
    names = frozenset((axis.column, axis.quantity, given.column, axis.path))
    values = pl.Series(_ticks(table, axis))
    unit = _unit(axis)

    def label(value: Any) -> str:
        return f"{value:g}{unit}" if isinstance(value, float) else f"{value}{unit}"

    return Dimension(axis.column, names, tuple(values.to_list()), label, axis)


def _of_measures(requests: Sequence[Sequence[Measure]]) -> list[Dimension]:
    """Returns the dimensions of the metric, whose name is on the vertical axis, and of the group."""
    owners = list(
        dict.fromkeys(
            measure.owner for request in requests if len(request) > 1 for measure in request if measure.owner
        )
    )
    return [
        Dimension("metric", frozenset(("metric",)), tuple(range(len(requests))), lambda _: ""),
        Dimension("group", frozenset(("group", "link", "class")), tuple(owners), str),
    ]


class _Grid:
    """The panels of a figure over a grid of values."""

    def __init__(self, table: pl.DataFrame, requests: Sequence[Sequence[Measure]], places: Layout) -> None:
        self._table, self._requests, self._places = table, requests, places

    def chart(self) -> Chart:
        """Returns the figure."""
        places = self._places
        rows, columns = choices(places.rows), choices(places.columns)
        _refuse_many(len(rows) * len(columns), PANELS, "panels")
        panels = [self._panel({**row, **column}) for row in rows for column in columns]
        across = len(columns) if len(rows) > 1 else min(ACROSS, len(columns))
        title = next(panel.y.label for panel in panels if panel.curves) if places.up is None else panels[0].z
        legend = ", ".join(one.axis.quantity for one in places.colour if one.axis is not None)
        return Chart("grid", title, Named(axis_title(places.x)), panels, across, legend)

    def _panel(self, choice: Choice) -> Panel:
        places = self._places
        table = _chosen(self._table, choice, (*places.rows, *places.columns))
        title = worded((*places.rows, *places.columns), choice, keyed=True)
        if places.up is not None:
            (measure, *_) = self._measures(choice)
            return _heat_map(table, places.x, places.up, measure, title, self._scale(measure))
        curves = []
        y = ""
        colours = choices(places.colour)
        _refuse_many(len(colours), CURVES, "curves")
        for number, colour in enumerate(colours):
            part = _chosen(table, colour, places.colour)
            for measure in self._measures({**choice, **colour}):
                y = self._label(measure)
                label = worded(places.colour, colour, keyed=False) or measure.owner or measure.metric
                curves.append(_curve(part, places.x, measure, label, number))
        return Panel(title, Named(y), curves)

    def _measures(self, choice: Choice) -> list[Measure]:
        """Returns the only measure of the metric and the group that are chosen, or none. A metric of something else
        than the groups stands where the first of them does.
        """
        request = self._requests[choice.get("metric", 0)]
        if "group" not in choice:
            return list(request[:1])
        dimensions = (*self._places.rows, *self._places.columns, *self._places.colour)
        (groups,) = [one.values for one in dimensions if one.key == "group"]
        if request[0].owner not in groups:
            return list(request[:1]) if choice["group"] == groups[0] else []
        return [measure for measure in request if measure.owner == choice["group"]]

    def _label(self, measure: Measure) -> str:
        dimensions = (*self._places.rows, *self._places.columns, *self._places.colour)
        grouped = any(one.key == "group" for one in dimensions)
        return measure.title if grouped else measure.owned

    def _scale(self, measure: Measure) -> list[float]:
        """Returns the least and the largest value of all heat maps, so that they can be compared."""
        request = next(request for request in self._requests if measure in request)
        known = [value / one.scale for one in request for value in self._table[one.metric].drop_nulls()]
        return [min(known, default=0.0), max(known, default=1.0)]


def _chosen(table: pl.DataFrame, choice: Choice, dimensions: Sequence[Dimension]) -> pl.DataFrame:
    for one in dimensions:
        if one.axis is not None:
            table = table.filter(pl.col(one.key) == choice[one.key])
    return table


def in_readable_units(table: pl.DataFrame, axes: Sequence[Axis]) -> tuple[pl.DataFrame, list[Axis]]:
    """Returns the summary and its axes with rates in Mbit/s and the like."""
    for axis in axes:
        table = _in_readable_units(table, axis)
    return table, [_with_readable_unit(axis) for axis in axes]


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


def axis_title(axis: Axis) -> str:
    """Returns the quantity of an axis in words, with its unit."""
    words = axis.quantity.replace("_", " ")
    words = words[:1].upper() + words[1:]
    return f"{words} ({_units(axis)})" if axis.unit else words


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


def _heat_map(
    table: pl.DataFrame, across: Axis, up: Axis, measure: Measure, title: str, scale: Sequence[float]
) -> Panel:
    columns, rows = _ticks(table, across), _ticks(table, up)
    cells = {(row[across.column], row[up.column]): row for row in table.iter_rows(named=True)}
    data: dict[str, Any] = {"x": columns, "y": rows, "scale": scale}
    for key, column in (
        ("z", measure.metric),
        ("low", bound(measure.metric, "low")),
        ("high", bound(measure.metric, "high")),
    ):
        data[key] = [[_scaled(cells.get((x, y)), column, measure.scale) for x in columns] for y in rows]
    curves = [Curve(Entry(measure.owner or measure.metric, 0), data)]
    return Panel(title, Named(axis_title(up)), curves, z=measure.title if title else measure.owned)


def _ticks(table: pl.DataFrame, axis: Axis) -> list[Any]:
    found = table[axis.column].unique(maintain_order=True)
    return (found.sort() if axis.numeric else found).to_list()


def _scaled(row: Mapping[str, Any] | None, column: str, scale: float) -> float | None:
    value = None if row is None else row[column]
    return None if value is None or not math.isfinite(value) else value / scale


def _points(table: pl.DataFrame, axes: Sequence[Axis], drawn: Sequence[Measure]) -> Chart:
    """Returns a figure of samples: a panel for each range and measure, a colour for each point of the grid."""
    ranges = [axis for axis in axes if axis.sampled]
    grid = [axis.column for axis in axes if not axis.sampled and len(axis.cells) > 1]
    _refuse_many(len(ranges) * len(drawn), PANELS, "panels")
    groups = table.partition_by(grid, maintain_order=True) if grid else [table]
    _refuse_many(len(groups), CURVES, "curves")
    panels = []
    for measure in drawn:
        for axis in ranges:
            curves = []
            for number, group in enumerate(groups):
                name = ", ".join(str(group[column][0]) for column in grid) or measure.owner or measure.metric
                curve = _curve(group, axis, measure, name, number)
                curves.append(Curve(curve.entry, {**curve.data, "joined": False}))
            panels.append(Panel("", Named(measure.owned), curves, Named(axis_title(axis))))
    across = min(ACROSS, len(ranges))
    return Chart("grid", drawn[0].title, Named(axis_title(ranges[0])), panels, across)


def _refuse_many(count: int, most: int, what: str) -> None:
    if count > most:
        raise InputError(
            f"a figure of {count} {what} cannot be read: at most {most}; sweep fewer values, or draw a part"
        )
