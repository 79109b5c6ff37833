"""The page of ``ackclock bench-stack``: a table for each quantity, with a row per path and a column per control."""

from __future__ import annotations

from pathlib import Path

from ackclock import hard_paths
from ackclock._stack_bench import METRICS, Bench, cell_text, comparisons, remarks
from ackclock.experiment.model import Metric
from ackclock.report import svg_chart
from ackclock.report.page import rendered, written
from ackclock.report.svg_chart import Axis, Line, Point
from ackclock.study.run import versions


def _picture(made: Bench, metric: Metric) -> str:
    """Returns the drawing of a metric: a row for each path and contender, with its mean and its interval."""
    rows = []
    for path, cells in made.paths.items():
        for who, cell in zip(made.contenders, cells, strict=True):
            summary = cell.summaries[metric.id]
            if summary.mean is not None:
                low, high = summary.interval or (summary.mean, summary.mean)
                rows.append(Line(f"{path}, {who}", [Point(0.0, summary.mean, low, high)]))
    title = f"{metric.label.capitalize()} by congestion control and path, mean and 95 % confidence interval"
    return svg_chart.rows(title, Axis(f"{metric.label.capitalize()} ({metric.unit})"), rows)


def write_stack_page(made: Bench, path: Path, command: str) -> Path:
    """Writes the page, one file that needs no network, and returns its path. ``command`` makes it again."""
    tables = [
        (
            metric.label,
            metric.unit,
            [(name, [cell_text(cell, metric) for cell in cells]) for name, cells in made.paths.items()],
        )
        for metric in METRICS
    ]
    pictures = [_picture(made, metric) for metric in METRICS]
    about = {name: hard_paths.path(name).read_text(encoding="utf-8") for name in made.paths}
    page = rendered(
        "bench_stack.html.j2",
        title=" and ".join(map(str, made.contenders)) + " on hard paths",
        figures=False,
        tables=tables,
        comparisons=comparisons(made),
        pictures=pictures,
        contenders=[str(who) for who in made.contenders],
        replications=made.replications,
        remarks=remarks(made),
        about=about,
        command=command,
        versions=versions(),
    )
    return written(page, path)
