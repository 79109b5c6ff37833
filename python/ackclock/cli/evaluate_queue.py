"""``ackclock evaluate queue``: a queue discipline by RFC 7928, printed as an evaluation."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from ackclock._files import writable
from ackclock.cli.terminal import console, print_json, progress_bar, show_files

if TYPE_CHECKING:
    from ackclock.study.result import StudyResult

QUEUE = "queue"


def evaluate(
    discipline: str, *, full: bool, only: Sequence[str], as_json: bool, html: bool, threads: int, out: Path
) -> None:
    """Runs a queue discipline and drop-tail, and prints a verdict on each scenario of RFC 7928."""
    from ackclock._store import Store
    from ackclock.characterisation.entry import evaluate_queue, scenarios
    from ackclock.cli.reproduce_json import as_document
    from ackclock.report.characterisation import write_characterisation

    scenarios(discipline, only)
    writable(out)
    began = time.monotonic()
    with progress_bar(f"evaluate {QUEUE} {discipline}") as progress:
        results = evaluate_queue(
            discipline, only=only, full=full, store=Store(out), threads=threads, progress=progress
        )
    words = ["ackclock", "evaluate", QUEUE, discipline, "--full" if full else "--quick"]
    words += [word for section in only for word in ("--only", section)]
    page = None
    if html:
        file = out / f"evaluate-{QUEUE}-{discipline}{'-full' if full else ''}.html"
        page = write_characterisation(results, file, " ".join([*words, "--html"]))
    if as_json:
        print_json(as_document(results, page, time.monotonic() - began))
        return
    _show(discipline, results, full=full)
    show_files([] if page is None else [page])


def _show(discipline: str, results: Sequence[StudyResult], *, full: bool) -> None:
    from ackclock.characterisation.entry import judged
    from ackclock.characterisation.words import INFO
    from ackclock.evaluation.words import CONCERN, OK, UNDECIDED

    styles = {OK: "green", CONCERN: "red", UNDECIDED: "magenta", INFO: "cyan"}
    out, found = console(), judged(results, discipline)
    out.print(Text(f"{discipline}: evaluation by RFC 7928, {'full' if full else 'quick'}", style="bold"))
    out.print(Text("compared with drop-tail, with the same buffer and the same random numbers", style="dim"))
    out.print()
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    for head in ("section", "the RFC says", "verdict"):
        table.add_column(head, no_wrap=True)
    table.add_column("scenario", overflow="fold")
    for about, title, row in found:
        words = Text(title).append(f"\n{row.sentence}", style="dim")
        table.add_row(about.section, about.requirement, Text(row.verdict, style=styles[row.verdict]), words)
    out.print(table)
    out.print()
    counts = Counter(row.verdict for _, _, row in found)
    out.print(Text(", ".join(f"{counts[word]} {word}" for word in styles if counts[word])))
    out.print(Text("RFC 7928 sets no thresholds: verdicts follow ackclock's own criteria.", style="dim"))
