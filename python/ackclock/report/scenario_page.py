"""The report of a user's scenario: tables with intervals, figures over time, and the command that makes it again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ackclock import _numbers as numbers
from ackclock._fairness import sentences
from ackclock._summary import summarised
from ackclock.report import alive, scenario_figures, sweep_view
from ackclock.report.figures import FigureView
from ackclock.report.page import rendered, written
from ackclock.report.quantities import Declared
from ackclock.report.scenario_tables import Table, completion_table, flow_table, link_table, points_table
from ackclock.report.sweep_axes import point_words
from ackclock.run import Run, Runs
from ackclock.study.run import versions

MOST_POINTS = 12
"""The largest number of points of a sweep with their own tables and figures; further points are only in the sweep's
table.
"""


UNFOLDED = 2
"""The number of figures of a sweep that are not folded."""


@dataclass(frozen=True)
class PointView:
    """A point of the sweep, or the scenario itself without one."""

    anchor: str
    label: str
    """The values that the sweep sets at this point; empty without a sweep."""
    tables: Sequence[Table]
    fairness: Sequence[str]
    """A line on the fairness, and a warning if the demands of the flows differ; empty for a single flow."""
    figures: Sequence[FigureView]


@dataclass(frozen=True)
class Origin:
    """The origin of a report: the command, the scenario's text, and the values set on top of it."""

    command: str
    text: str
    overrides: Mapping[str, Any]
    whole: str = ""
    """The scenario text, with the contents of the files that it names; empty if it names no file."""


def write_scenario_report(
    runs: Runs, path: Path, origin: Origin, *, drawn: Sequence[Run] = (), warnings: Sequence[str] = ()
) -> Path:
    """Writes the report of ``runs`` to ``path``, one file that needs no network, and returns the path.

    The figures show, of each of the first points, the run in ``drawn``, which has series; without it the point's first
    run, if that has any. The same runs give the same bytes.
    """
    return written(render(runs, origin, drawn=drawn, warnings=warnings), path)


def render(runs: Runs, origin: Origin, *, drawn: Sequence[Run] = (), warnings: Sequence[str] = ()) -> str:
    """Returns the report as HTML text."""
    groups = runs.by_point
    drawn = drawn or [group[0] for group in groups[:MOST_POINTS]]
    points = [
        _point(index, group, run, point_words(runs.axes, group[0].point, runs.declared), runs.declared)
        for index, (group, run) in enumerate(zip(groups, drawn, strict=False), start=1)
    ]
    first = runs[0]
    sweep = sweep_view.views_of(runs)
    seeds = sorted({run.seed for run in runs})
    return rendered(
        "scenario.html.j2",
        title=first.scenario,
        figures=bool(sweep) or any(point.figures for point in points),
        sweep=sweep,
        alive=alive.of_runs(
            origin.whole or origin.text,
            origin.overrides,
            drawn[:MOST_POINTS],
            [point.label for point in points],
            len(seeds),
        ),
        points=points,
        every=points_table(runs) if len(groups) > 1 else None,
        unfolded=UNFOLDED,
        more=len(groups) - len(points),
        seeds=numbers.ranges(seeds),
        replications=len(seeds),
        runs=len(runs),
        origin=origin,
        settings=[(path, json.dumps(value, ensure_ascii=False)) for path, value in origin.overrides.items()],
        warnings=warnings,
        versions=versions(),
    )


def _point(index: int, runs: Sequence[Run], drawn: Run, label: str, declared: Declared) -> PointView:
    anchor = f"point-{index}"
    summary = summarised(run.result for run in runs)
    return PointView(
        anchor=anchor,
        label=label,
        tables=[table(runs, summary, declared) for table in (flow_table, link_table, completion_table)],
        fairness=[sentence.strip() for sentence in sentences([run.result for run in runs])],
        figures=scenario_figures.figures_of(drawn, anchor, declared),
    )
