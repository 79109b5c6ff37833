"""The distribution of completion times of observed transfers: a curve per size class or, over a sweep, a panel per size
class and a curve per point.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from ackclock._summary import class_name, class_words
from ackclock.report.chart import Chart
from ackclock.report.curves import Axis as Named
from ackclock.report.curves import Curve, Entry, Panel
from ackclock.report.naming import COMPLETION, SHARE
from ackclock.report.quantities import Shown
from ackclock.report.sweep_axes import as_shown
from ackclock.report.sweep_figure import CURVES, PANELS, Names, of_axis, refuse_many
from ackclock.report.sweep_layout import Choice, Dimension, choices, placed, worded
from ackclock.run import Run, Runs

DECADES = 20
"""The ratio of the longest to the shortest completion time above which the axis is logarithmic by default."""
STEPS = 400
"""The largest number of points of a curve. A curve of more transfers has points only at evenly spaced shares of the
transfers.
"""
ACROSS = 3

Times = dict[str, list[float]]
"""Completion times in seconds by the name of the size class; infinite for incomplete transfers."""


def completion_figure(
    runs: Runs, *, rows: Names = None, columns: Names = None, colour: Names = None
) -> Chart | None:
    """Returns the figure of all replications together; None if no observed transfer was completed.

    ``rows``, ``columns`` and ``colour`` name swept axes or ``class``; by default, each size class has a panel, in
    columns, and each point a curve. The share counts all transfers that began in measured time: a curve ends below 1 if
    some were not completed. Without a sweep, the legend shows the number of transfers of each curve.

    InputError for an unknown name, and for more panels or curves than a figure can show.
    """
    declared = runs.declared
    placed = any((rows, columns, colour))
    points = runs.by_point if placed else runs.by_point[:CURVES]
    found = [_times(group) for group in points]
    names = list(dict.fromkeys(name for times in found for name in times))
    if not names:
        return None
    time = declared.shown(Shown("Completion time", "s"), COMPLETION, [COMPLETION])
    share = replace(declared.shown(Shown("Share of transfers"), SHARE, [SHARE]).axis, range=(0.0, 1.0))
    legend, across = "", 1
    if len(points) == 1:
        curves = [
            Curve(Entry(f"{declared.word(name)}, n = {len(found[0][name]):,}", number), curve)
            for number, name in enumerate(names)
            if (curve := _cdf(found[0][name], time.divisor))
        ]
        panels = [Panel("", share, curves)]
    else:
        table, swept = as_shown(pl.DataFrame([group[0].cells for group in points]), runs.axes, declared)
        classes = Dimension("class", frozenset(("class",)), tuple(names), declared.word)
        places = _places([*map(of_axis, swept), classes], rows=rows, columns=columns, colour=colour)
        cells = list(table.iter_rows(named=True))
        panels, across = _panels(cells, found, places, share, time.divisor)
        legend = ", ".join(one.axis.words for one in places["colour"] if one.axis is not None)
    known = [x for panel in panels for curve in panel.curves for x in curve.data["x"]]
    if not known:
        return None
    axis = time.axis
    if COMPLETION not in declared.scales:
        axis = replace(axis, log=min(known) > 0 and max(known) / min(known) > DECADES)
    title = "Completion times of transfers"
    return Chart("distribution", title, axis, panels, across, legend)


def _places(
    dimensions: Sequence[Dimension], *, rows: Names, columns: Names, colour: Names
) -> dict[str, list[Dimension]]:
    """Returns the dimensions in rows, columns and colours: first those that the caller names, then size classes as
    columns or rows, and swept axes as colours.
    """
    found = placed(dimensions, {"rows": rows, "columns": columns, "colour": colour})
    taken = [one for place in found.values() for one in place]
    for one in dimensions:
        if one in taken or len(one.values) < 2:
            continue
        free = "columns" if columns is None else "rows" if rows is None else "colour"
        found[free if one.axis is None else "colour"].append(one)
    return found


def _panels(
    cells: Sequence[Mapping[str, Any]],
    found: Sequence[Times],
    places: Mapping[str, Sequence[Dimension]],
    share: Named,
    divisor: float,
) -> tuple[list[Panel], int]:
    """Returns the panels and the number of panels side by side."""
    rows, columns, colours = (choices(places[place]) for place in ("rows", "columns", "colour"))
    refuse_many(len(rows) * len(columns), PANELS, "panels")
    refuse_many(len(colours), CURVES, "curves")
    around = (*places["rows"], *places["columns"])
    panels = []
    for row in rows:
        for column in columns:
            curves = []
            for number, colour in enumerate(colours):
                curve = _cdf(_chosen(cells, found, {**row, **column, **colour}), divisor)
                if curve:
                    label = worded(places["colour"], colour, keyed=False)
                    curves.append(Curve(Entry(label, number), curve))
            panels.append(Panel(worded(around, {**row, **column}, keyed=True), share, curves))
    if len(rows) == 1:
        panels = [panel for panel in panels if panel.curves]
        return panels, min(ACROSS, len(panels))
    # A size class of which no transfer completed would leave an empty row.
    across = len(columns)
    lines = [panels[at : at + across] for at in range(0, len(panels), across)]
    return [panel for line in lines if any(one.curves for one in line) for panel in line], across


def _chosen(cells: Sequence[Mapping[str, Any]], found: Sequence[Times], choice: Choice) -> list[float]:
    """Returns the completion times of all transfers with the chosen swept values and size class."""
    swept = {key: value for key, value in choice.items() if key != "class"}
    return [
        time
        for row, times in zip(cells, found, strict=True)
        if all(row[key] == value for key, value in swept.items())
        for name, some in times.items()
        if name == choice.get("class", name)
        for time in some
    ]


def _times(runs: Sequence[Run]) -> Times:
    found: Times = {}
    for run in runs:
        flows = run.result["flows"]
        groups = {flow["name"]: flow["group"] for flow in flows}
        classes = _classes(run.result, groups)
        several = len(classes) > 1
        for group, members in classes.items():
            for _, _, name in members:
                # Curves are in the order of the classes, whichever transfer began first.
                found.setdefault(f"{group}, {name}" if several else name, [])
        for transfer in run.result.get("transfers") or []:
            group, size = groups[transfer["flow"]], transfer["size_bytes"]
            name = next(
                name
                for above, up_to, name in classes[group]
                if size > above and (up_to is None or size <= up_to)
            )
            took = transfer["completion_s"]
            whose = f"{group}, {name}" if several else name
            found.setdefault(whose, []).append(float("inf") if took is None else took)
    return found


def _classes(
    result: Mapping[str, Any], groups: Mapping[str, str]
) -> dict[str, list[tuple[int, int | None, str]]]:
    """Returns the limits in bytes and the name of each size class, by group."""
    found: dict[str, dict[str, tuple[int, int | None, str]]] = {}
    for row in result.get("size_classes") or []:
        name = class_name(row)
        found.setdefault(groups[row["flow"]], {})[name] = (
            row["above_bytes"],
            row["up_to_bytes"],
            class_words(name),
        )
    return {group: list(classes.values()) for group, classes in found.items()}


def _cdf(times: Sequence[float], divisor: float) -> dict[str, Any]:
    """Returns the steps of the cumulative distribution, with times divided by ``divisor``; empty without a complete
    transfer.
    """
    ordered = sorted(times)
    complete = [time for time in ordered if time != float("inf")]
    if not complete:
        return {}
    chosen = list(range(len(complete)))
    if len(complete) > STEPS:
        chosen = sorted({round(step * (len(complete) - 1) / (STEPS - 1)) for step in range(STEPS)})
    return {
        "x": [complete[index] / divisor for index in chosen],
        "y": [(index + 1) / len(ordered) for index in chosen],
        "joined": True,
        "steps": True,
    }
