"""``ackclock bench-stack``."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from ackclock._files import writable
from ackclock._stacks import option_words
from ackclock._store import results_folder
from ackclock.cli.tables import Column, fitting
from ackclock.cli.terminal import console, note, print_json, shown, warn

if TYPE_CHECKING:
    from ackclock._stack_bench import Bench, Cell


def bench_stack(
    controls: Sequence[str],
    *,
    paths: Sequence[str],
    replications: int,
    as_json: bool,
    html: bool,
    out: Path | None,
    threads: int,
) -> None:
    """Prints the controls side by side on the hard paths; with ``html`` also writes a page."""
    from ackclock._stack_bench import bench, contenders, known_paths, remarks

    who, names = contenders(controls), known_paths(paths)
    place = results_folder(out)
    writable(place)
    made = bench(who, names, replications=replications, threads=threads, out=place)
    for sentence in remarks(made):
        warn(sentence)
    if as_json:
        print_json(document(made))
    else:
        _show(made)
    if html:
        from ackclock.report.stack_page import write_stack_page

        again = ["ackclock bench-stack", *controls, *(f"--path {name}" for name in paths)]
        again += [shlex.join(option_words())] if option_words() else []
        page = write_stack_page(
            made, place / "bench-stack.html", " ".join([*again, f"--replications {replications}"])
        )
        note(f"wrote {shown(page)}")


def document(made: Bench) -> dict[str, Any]:
    """Returns the measurements as one JSON document."""
    return {
        "controls": [asdict(who) for who in made.contenders],
        "replications": made.replications,
        "paths": {name: [_record(cell) for cell in cells] for name, cells in made.paths.items()},
        "not_seeded": [str(who) for who in made.unseeded],
    }


def _record(cell: Cell) -> dict[str, Any]:
    summaries = {id: asdict(summary) for id, summary in cell.summaries.items()}
    return {**summaries, "closed": cell.closed, "reason": cell.reason}


def _show(made: Bench) -> None:
    from ackclock._stack_bench import METRICS, cell_text, comparisons

    columns = [
        Column(
            f"{who}\n{metric.label}\n{metric.unit}",
            [Text(cell_text(cells[place], metric)) for cells in made.paths.values()],
        )
        for metric in METRICS
        for place, who in enumerate(made.contenders)
    ]
    label = Column("path", [Text(name) for name in made.paths])
    for table in fitting(label, columns, console().width):
        console().print(table)
    if made.replications > 1:
        note(f"means over {made.replications} replications ± half-width of the 95 % interval")
    for sentence in comparisons(made):
        console().print(
            f"{sentence} (a path counts only if the two 95 % confidence intervals of the quantity do not overlap)"
        )
