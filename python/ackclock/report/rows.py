"""The numbers of a figure as a table: a row for each point of each curve, columns named after axes with their units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from ackclock._csv_cells import inert
from ackclock.report.chart import Chart
from ackclock.report.curves import Curve, Panel

LOW, HIGH, PUBLISHED = "low end of the 95 % interval", "high end of the 95 % interval", "published"


def rows(chart: Chart) -> pl.DataFrame:
    """Returns the table of a figure. A column without any number is left out."""
    found = [row for panel in chart.panels for curve in panel.curves for row in _of(chart, panel, curve)]
    names = list(dict.fromkeys(name for row in found for name in row))
    # The columns that identify a point come before the measured values.
    first = [name for name in ("panel", "curve") if name in names]
    names = [*first, *(name for name in names if name not in first)]
    columns = {name: [row.get(name) for row in found] for name in names}
    return pl.DataFrame([_column(name, values) for name, values in columns.items()])


def csv(chart: Chart) -> str:
    """Returns the table as CSV (RFC 4180)."""
    return inert(rows(chart)).write_csv(line_terminator="\r\n")


def _column(name: str, values: Sequence[Any]) -> pl.Series:
    numbers = all(value is None or isinstance(value, int | float) for value in values)
    if numbers:
        return pl.Series(name, values, dtype=pl.Float64, strict=False)
    return pl.Series(name, [None if value is None else str(value) for value in values], dtype=pl.String)


def _of(chart: Chart, panel: Panel, curve: Curve) -> Iterator[dict[str, Any]]:
    data = curve.data
    across, up = (panel.x or chart.x).label, panel.y.label
    head = {"panel": panel.title} if panel.title else {}
    head["curve"] = curve.entry.label
    if "z" in data:
        yield from _cells(head, across, up, panel, data)
        return
    if "level" in data:
        yield {**head, up: data["level"], **_ends(up, data.get("low"), data.get("high"))}
        return
    for index, (x, y) in enumerate(zip(xs(data), data["y"], strict=True)):
        row = {**head, **_lines(data, index), across: x}
        row |= _ends(across, *(_at(data, key, index) for key in ("x_low", "x_high")))
        row[up] = y
        row |= _ends(up, *(_at(data, key, index) for key in ("low", "high")))
        if "paper" in data:
            row[f"{up}, {PUBLISHED}"] = data["paper"][index]
        yield row


def _cells(
    head: Mapping[str, Any], across: str, up: str, panel: Panel, data: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yields the cells of a heat map."""
    for row, y in enumerate(data["y"]):
        for column, x in enumerate(data["x"]):
            ends = (_at(data, key, row, column) for key in ("low", "high"))
            yield {**head, across: x, up: y, panel.z: data["z"][row][column], **_ends(panel.z, *ends)}


def _lines(data: Mapping[str, Any], index: int) -> dict[str, Any]:
    """Returns the further columns of a curve's points: their position along the curve."""
    return {name: values[index] for name, values in data.get("at", {}).items()}


def _ends(label: str, low: Any, high: Any) -> dict[str, Any]:
    return {} if low is None and high is None else {f"{label}, {LOW}": low, f"{label}, {HIGH}": high}


def _at(data: Mapping[str, Any], key: str, *indices: int) -> Any:
    found = data.get(key)
    for index in indices:
        found = None if found is None else found[index]
    return found


def xs(data: Mapping[str, Any]) -> Sequence[Any]:
    """Returns the horizontal positions of a curve, which may be given as start and step."""
    if "x" in data:
        found: Sequence[Any] = data["x"]
        return found
    return [float(f"{data['x0'] + index * data['dx']:.9g}") for index in range(len(data["y"]))]
