"""The figure of a sweep: curves over one axis, small multiples over further axes, or a heat map of many numbers.

Random values have no grid: they are drawn as points over each range.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from ackclock._summary import bound
from ackclock._sweep import Axis
from ackclock.errors import InputError
from ackclock.report.chart import Chart
from ackclock.report.curves import Axis as Named
from ackclock.report.curves import Curve, Entry, Panel
from ackclock.report.quantities import Declared
from ackclock.report.sweep_axes import Swept, as_shown
from ackclock.report.sweep_layout import Choice, Dimension, Layout, choices, layout, worded
from ackclock.report.sweep_measures import Measure, measures

ACROSS = 3
"""The largest number of panels side by side if no dimension is assigned to rows."""
PANELS = 24
"""The largest number of panels; more would be too small to read."""
CURVES = 12
"""The largest number of curves in a panel that a reader can tell apart."""

Names = str | Sequence[str] | None


class UnreadableError(InputError):
    """A figure would have more panels or curves than a reader can tell apart."""


def sweep_figure(
    table: pl.DataFrame,
    axes: Sequence[Axis],
    metrics: Names = None,
    declared: Declared = Declared(),
    *,
    x: str | None = None,
    rows: Names = None,
    columns: Names = None,
    colour: Names = None,
) -> Chart:
    """Returns the figure of metrics of ``Runs.summary`` (see ``measures``), laid out as ``layout`` describes.

    InputError without a sweep, for an unknown name, for more panels or curves than a figure can show, and for a scale
    on which a value has no place.
    """
    if not axes:
        raise InputError("plot: there is no sweep to draw: the scenario has no [sweep]")
    requests = measures(table, metrics, declared)
    for measure in (measure for request in requests for measure in request):
        _check_scale(table, measure)
    table, swept = as_shown(table, axes, declared)
    if any(axis.sampled for axis in swept):
        if any((x, rows, columns, colour)):
            raise InputError(
                "plot: a sweep with ranges has random values instead of a grid: leave out x, rows, columns and colour"
            )
        return _points(table, swept, [measure for request in requests for measure in request])
    dimensions = [*map(of_axis, swept), *_of_measures(requests, declared)]
    found = layout(dimensions, x=x, rows=rows, columns=columns, colour=colour)
    return _Grid(table, requests, found, declared).chart()


def of_axis(axis: Swept) -> Dimension:
    """Returns a swept axis as a dimension of a figure."""
    return Dimension(axis.column, axis.names, tuple(axis.values), axis.label, axis)


def _check_scale(table: pl.DataFrame, measure: Measure) -> None:
    """Raises InputError for a value that a logarithmic axis cannot show."""
    least = table[measure.metric].min()
    if measure.shown.scale == "log" and isinstance(least, int | float) and least <= 0:
        raise InputError(
            f'scale: {measure.metric} = "log": found the value {least:g}, expected values above 0'
        )


def _of_measures(requests: Sequence[Sequence[Measure]], declared: Declared) -> list[Dimension]:
    """Returns the dimensions of the metric, whose name is on the vertical axis, and of the group."""
    owners = list(
        dict.fromkeys(
            measure.owner for request in requests if len(request) > 1 for measure in request if measure.owner
        )
    )
    return [
        Dimension("metric", frozenset(("metric",)), tuple(range(len(requests))), lambda _: ""),
        Dimension("group", frozenset(("group", "link", "class")), tuple(owners), declared.word),
    ]


class _Grid:
    """The panels of a figure over a grid of values."""

    def __init__(
        self, table: pl.DataFrame, requests: Sequence[Sequence[Measure]], places: Layout, declared: Declared
    ) -> None:
        self._table, self._requests, self._places, self._declared = table, requests, places, declared

    def chart(self) -> Chart:
        """Returns the figure."""
        places = self._places
        rows, columns = choices(places.rows), choices(places.columns)
        refuse_many(len(rows) * len(columns), PANELS, "panels")
        panels = [self._panel({**row, **column}) for row in rows for column in columns]
        across = len(columns) if len(rows) > 1 else min(ACROSS, len(columns))
        title = next(panel.y.label for panel in panels if panel.curves) if places.up is None else panels[0].z
        legend = ", ".join(one.axis.words for one in places.colour if one.axis is not None)
        # The squares of a heat map have one size, whatever the scales of its axes.
        x = places.x.shown.axis if places.up is None else Named(places.x.shown.title)
        return Chart("grid", title, x, panels, across, legend)

    def _panel(self, choice: Choice) -> Panel:
        places = self._places
        table = _chosen(self._table, choice, (*places.rows, *places.columns))
        title = worded((*places.rows, *places.columns), choice, keyed=True)
        if places.up is not None:
            (measure, *_) = self._measures(choice)
            return _heat_map(table, places.x, places.up, measure, title, self._scale(measure))
        curves = []
        y = Named("")
        colours = choices(places.colour)
        refuse_many(len(colours), CURVES, "curves")
        for number, colour in enumerate(colours):
            part = _chosen(table, colour, places.colour)
            for measure in self._measures({**choice, **colour}):
                y = self._axis(measure)
                owner = self._declared.word(measure.owner)
                label = worded(places.colour, colour, keyed=False) or owner or measure.metric
                curves.append(_curve(part, places.x, measure, label, number))
        return Panel(title, y, curves)

    def _measures(self, choice: Choice) -> list[Measure]:
        """Returns a list with the measure of the chosen metric and group, or an empty list. A metric that belongs to
        none of the groups is drawn with the first group.
        """
        request = self._requests[choice.get("metric", 0)]
        if "group" not in choice:
            return list(request[:1])
        dimensions = (*self._places.rows, *self._places.columns, *self._places.colour)
        (groups,) = [one.values for one in dimensions if one.key == "group"]
        if request[0].owner not in groups:
            return list(request[:1]) if choice["group"] == groups[0] else []
        return [measure for measure in request if measure.owner == choice["group"]]

    def _axis(self, measure: Measure) -> Named:
        dimensions = (*self._places.rows, *self._places.columns, *self._places.colour)
        grouped = any(one.key == "group" for one in dimensions)
        return measure.shown.axis if grouped else measure.owned.axis

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


def _curve(table: pl.DataFrame, axis: Swept, measure: Measure, name: str, number: int) -> Curve:
    if axis.numeric:
        table = table.sort(axis.column)
    data: dict[str, Any] = {
        "x": table[axis.column].to_list(),
        # Points over words are not joined.
        "joined": axis.joined,
    }
    for key, column in (("y", measure.metric), ("low", None), ("high", None)):
        found = table[column or bound(measure.metric, key)]
        data[key] = (found / measure.scale).to_list()
    return Curve(Entry(name, number), data)


def _heat_map(
    table: pl.DataFrame, across: Swept, up: Swept, measure: Measure, title: str, scale: Sequence[float]
) -> Panel:
    if measure.shown.scale == "log":
        raise InputError(
            f'scale: {measure.metric} = "log": the colours of a heat map always have a linear scale'
        )
    columns, rows = list(across.values), list(up.values)
    cells = {(row[across.column], row[up.column]): row for row in table.iter_rows(named=True)}
    data: dict[str, Any] = {"x": columns, "y": rows, "scale": scale}
    for key, column in (
        ("z", measure.metric),
        ("low", bound(measure.metric, "low")),
        ("high", bound(measure.metric, "high")),
    ):
        data[key] = [[_scaled(cells.get((x, y)), column, measure.scale) for x in columns] for y in rows]
    curves = [Curve(Entry(measure.owner or measure.metric, 0), data)]
    return Panel(title, Named(up.shown.title), curves, z=measure.title if title else measure.owned.title)


def _scaled(row: Mapping[str, Any] | None, column: str, scale: float) -> float | None:
    value = None if row is None else row[column]
    return None if value is None or not math.isfinite(value) else value / scale


def _points(table: pl.DataFrame, axes: Sequence[Swept], drawn: Sequence[Measure]) -> Chart:
    """Returns a figure of samples: a panel for each range and measure, a colour for each point of the grid."""
    ranges = [axis for axis in axes if axis.sampled]
    grid = [axis.column for axis in axes if not axis.sampled and len(axis.values) > 1]
    refuse_many(len(ranges) * len(drawn), PANELS, "panels")
    groups = table.partition_by(grid, maintain_order=True) if grid else [table]
    refuse_many(len(groups), CURVES, "curves")
    panels = []
    for measure in drawn:
        for axis in ranges:
            curves = []
            for number, group in enumerate(groups):
                name = ", ".join(str(group[column][0]) for column in grid) or measure.owner or measure.metric
                curve = _curve(group, axis, measure, name, number)
                curves.append(Curve(curve.entry, {**curve.data, "joined": False}))
            panels.append(Panel("", measure.owned.axis, curves, axis.shown.axis))
    across = min(ACROSS, len(ranges))
    return Chart("grid", drawn[0].title, ranges[0].shown.axis, panels, across)


def refuse_many(count: int, most: int, what: str) -> None:
    """Raises InputError for more panels or curves than a reader can tell apart."""
    if count > most:
        raise UnreadableError(
            f"a figure of {count} {what} is unreadable, expected at most {most}: sweep fewer values or draw part of "
            "the sweep"
        )
