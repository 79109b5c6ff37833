"""The figures of a sweep as the page needs them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from ackclock.report.chart import COLOURS, Chart
from ackclock.report.completion_figure import completion_figure
from ackclock.report.figures import file_stem
from ackclock.report.plotly_figure import plotly_figure
from ackclock.report.quantities import Shown
from ackclock.report.rows import csv
from ackclock.report.scenario_tables import worth_showing
from ackclock.report.sweep_figure import CURVES, UnreadableError, sweep_figure
from ackclock.report.sweep_measures import names_of
from ackclock.run import Runs


@dataclass(frozen=True)
class SweepFigureView:
    """A figure of a sweep, made by Plotly's Python library."""

    id: str
    file: str
    """The name of the figure's files, without the extension."""
    title: str
    caption: str
    rows: int
    """The number of rows of panels on a wide page."""
    panels: int
    """The number of panels with curves, which is the number of rows on a narrow page."""
    drawing: Mapping[str, Any]
    chart: Chart


def views_of(runs: Runs) -> list[SweepFigureView]:
    """Returns the figures of a scenario's page that are not figures over time: those of a sweep, and of completion
    times.
    """
    found = figures_of(runs) if len(runs.by_point) > 1 else []
    chart = completion_figure(runs)
    if chart is not None:
        seeds = "over all replications" if len(runs) > len(runs.by_point) else "in one run"
        caption = (
            f"The share of transfers whose completion time is at most the value on the horizontal axis, {seeds}. "
            "The share is relative to all transfers, including those that did not complete in the run."
        )
        if (count := len(runs.by_point)) > CURVES:
            caption += f" Drawn: the first {CURVES} of {count} points of the sweep."
        found.append(_view(runs, chart, len(found) + 1, "completion", chart.title, caption))
    return found


def figures_of(runs: Runs) -> list[SweepFigureView]:
    """Returns the figures of a sweep's means; none for a sweep over more axes than a figure can show."""
    if not runs.axes:
        return []
    table = runs.summary()
    found: list[SweepFigureView] = []
    for title, metric in _drawn(runs, table):
        try:
            chart = sweep_figure(table, runs.axes, metric, runs.declared)
        except UnreadableError:
            continue
        several = len(runs) > len(runs.by_point)
        caption = (
            "Means over the replications, with 95 % confidence intervals."
            if several
            else "One run at each point, without confidence intervals."
        )
        name = (metric or "goodput").partition(" [")[0]
        found.append(_view(runs, chart, len(found) + 1, name, title, caption))
    return found


def _view(runs: Runs, chart: Chart, number: int, name: str, title: str, caption: str) -> SweepFigureView:
    plain = json.loads(plotly_figure(chart).to_json())
    plain["layout"].pop("template", None)
    return SweepFigureView(
        id=f"sweep-figure-{number}",
        file=file_stem(runs[0].scenario, name),
        title=title,
        caption=caption,
        rows=-(-len(chart.panels) // chart.across),
        panels=sum(bool(panel.curves) for panel in chart.panels),
        drawing={
            "kind": "sweep-figure",
            "data": plain["data"],
            "layout": plain["layout"],
            "colours": COLOURS,
            "across": chart.across,
            "panels": [
                {
                    "title": panel.title,
                    "x": (panel.x or chart.x).label,
                    "y": panel.y.label,
                    "empty": not panel.curves,
                }
                for panel in chart.panels
            ],
            "entries": [entry.label for entry in chart.entries] if len(chart.entries) > 1 else [],
            "csv": csv(chart),
        },
        chart=chart,
    )


def _drawn(runs: Runs, table: pl.DataFrame) -> Iterator[tuple[str, str | None]]:
    """Returns titles and metrics: goodput of the groups, their round trips, the queues of the links that matter,
    fairness.
    """
    declared = runs.declared

    def drawn(kind: str, name: str, quantity: str, title: str, unit: str = "") -> tuple[str, str]:
        metric = f"{kind}.{name}.{quantity}"
        names = names_of(metric)
        label = declared.shown(Shown(title), quantity, names).words
        shown = "" if declared.unit(quantity, names) else unit
        return f"{label} of {declared.word(name)}", f"{metric} {shown}".rstrip()

    yield declared.shown(Shown("Goodput"), "goodput_bps", ["groups.goodput_bps", "goodput_bps"]).words, None
    groups = [group["name"] for group in runs[0].document["groups"]]
    metrics = [drawn("groups", name, "rtt_mean_s", "Mean RTT", "[ms]") for name in groups[:3]]
    busy = [link["name"] for link in runs[0].document["links"] if worth_showing(link)]
    metrics += [drawn("links", name, "queue_mean_packets", "Queue") for name in busy[:2]]
    if len(runs[0].document["flows"]) > 1:
        metrics.append((declared.shown(Shown("Fairness"), "fairness", ["fairness"]).words, "fairness"))
    yield from ((title, metric) for title, metric in metrics if metric.partition(" [")[0] in table.columns)
