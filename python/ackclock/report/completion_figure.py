"""The distribution of completion times of observed transfers: a curve per class of sizes, or over a sweep a panel per
class and a curve per point.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ackclock._summary import class_name, class_words
from ackclock.report.chart import Chart
from ackclock.report.curves import Axis as Named
from ackclock.report.curves import Curve, Entry, Panel
from ackclock.run import Run, Runs

CURVES = 12
"""The largest number of points of a sweep with a curve."""
STEPS = 400
"""The largest number of points of a curve: with more transfers, those at equal distances of the share."""
ACROSS = 3

Times = dict[str, list[float]]
"""Completion times in seconds by the name of the class; those of transfers that were not complete are infinite."""


def completion_figure(runs: Runs) -> Chart | None:
    """Returns the figure of all replications together; None if no transfers were observed.

    The share counts all transfers that began in measured time, so that a curve ends below 1 if some were not complete.
    The legend of a single point has the number of transfers of each curve.
    """
    points = runs.by_point[:CURVES]
    found = [_times(group) for group in points]
    names = list(dict.fromkeys(name for times in found for name in times))
    if not names:
        return None
    label, share = "Completion time (s)", Named("Share of transfers", range=(0.0, 1.0))
    if len(points) == 1:
        curves = [
            Curve(Entry(f"{name}, n = {len(found[0][name]):,}", number), curve)
            for number, name in enumerate(names)
            if (curve := _cdf(found[0][name]))
        ]
        panels = [Panel("", share, curves)]
    else:
        # The quantities are the legend's title.
        varied = [axis for axis in runs.axes if len(axis.cells) > 1]
        labels = [", ".join(axis.label(group[0].point[axis.path]) for axis in varied) for group in points]
        panels = []
        for name in names:
            curves = [
                Curve(Entry(label, number), curve)
                for number, (label, times) in enumerate(zip(labels, found, strict=True))
                if (curve := _cdf(times.get(name, [])))
            ]
            panels.append(Panel(name, share, curves))
        panels = [panel for panel in panels if panel.curves]
    if not any(panel.curves for panel in panels):
        return None
    known = [x for panel in panels for curve in panel.curves for x in curve.data["x"]]
    log = min(known) > 0 and max(known) / min(known) > 20
    legend = ", ".join(axis.quantity for axis in runs.axes if len(axis.cells) > 1) if len(points) > 1 else ""
    return Chart(
        "distribution",
        "Completion times of transfers",
        Named(label, log=log),
        panels,
        min(ACROSS, len(panels)),
        legend.replace("_", " "),
    )


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
    """Returns the lower and the upper end of each class with its name, by group."""
    found: dict[str, dict[str, tuple[int, int | None, str]]] = {}
    for row in result.get("size_classes") or []:
        name = class_name(row)
        found.setdefault(groups[row["flow"]], {})[name] = (
            row["above_bytes"],
            row["up_to_bytes"],
            class_words(name),
        )
    return {group: list(classes.values()) for group, classes in found.items()}


def _cdf(times: Sequence[float]) -> dict[str, Any]:
    """Returns the steps of the cumulative distribution; empty without a complete transfer."""
    ordered = sorted(times)
    complete = [time for time in ordered if time != float("inf")]
    if not complete:
        return {}
    chosen = list(range(len(complete)))
    if len(complete) > STEPS:
        chosen = sorted({round(step * (len(complete) - 1) / (STEPS - 1)) for step in range(STEPS)})
    return {
        "x": [complete[index] for index in chosen],
        "y": [(index + 1) / len(ordered) for index in chosen],
        "joined": True,
        "steps": True,
    }
