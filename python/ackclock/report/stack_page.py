"""The page of ``ackclock bench-stack``: a table for each quantity, with a row per path and a column per control."""

from __future__ import annotations

from pathlib import Path

from ackclock import hard_paths
from ackclock._stack_bench import METRICS, Bench, cell_text, remarks
from ackclock.report.page import rendered, written
from ackclock.study.run import versions


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
    about = {name: hard_paths.path(name).read_text(encoding="utf-8") for name in made.paths}
    page = rendered(
        "bench_stack.html.j2",
        title=" and ".join(map(str, made.contenders)) + " on hard paths",
        figures=False,
        tables=tables,
        contenders=[str(who) for who in made.contenders],
        replications=made.replications,
        remarks=remarks(made),
        about=about,
        command=command,
        versions=versions(),
    )
    return written(page, path)
