"""Writing to the terminal: tables and text on standard output, progress and complaints on standard error."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

if TYPE_CHECKING:
    from ackclock.jobs import Progress

_PATIENCE_S = 1.0
"""A bar appears only for what takes longer than this."""


def console() -> Console:
    """Standard output. Without a terminal (a pipe, a file) lines are long enough to hold any table unwrapped."""
    return Console(highlight=False) if sys.stdout.isatty() else Console(highlight=False, width=160)


def complain(message: str) -> None:
    """An error message on standard error."""
    errors = Console(stderr=True, highlight=False, soft_wrap=True)
    errors.print("error:", style="bold red", end=" ")
    errors.print(message, markup=False)


def warn(message: str) -> None:
    """A warning on standard error: what it is about is done all the same."""
    errors = Console(stderr=True, highlight=False, soft_wrap=True)
    errors.print("warning:", style="bold yellow", end=" ")
    errors.print(message, markup=False)


def note(message: str) -> None:
    """A remark on standard error, beside what the command is about."""
    Console(stderr=True, highlight=False, soft_wrap=True).print(message, markup=False, style="dim")


def shown(path: object) -> str:
    """A path as a user would write it: what lies in the home folder begins with ``~``. What is no path stays."""
    try:
        return f"~/{path.relative_to(Path.home())}" if isinstance(path, Path) else str(path)
    except (ValueError, RuntimeError):  # it lies elsewhere, or there is no such folder
        return str(path)


def print_json(document: Any) -> None:
    """One JSON document and nothing else on standard output."""
    sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


@contextmanager
def progress_bar(what: str) -> Iterator[Progress]:
    """A callback that draws a bar with the time left on standard error: only on a terminal, only after a second."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return

    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    from ackclock.numbers import duration

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[runs]} runs{task.fields[left]}"),
    )
    bar = Bar(*columns, console=Console(stderr=True), transient=True)
    began = time.monotonic()
    left = TimeLeft()
    task = None

    def advance(done: int, total: int, share: float) -> None:
        nonlocal task
        now = time.monotonic()
        seconds = left.at(now, share)
        fields: dict[str, Any] = {
            "runs": f"{done} of {total}",
            "left": "" if seconds is None else f", {duration(seconds)} left",
        }
        if task is None:
            if now - began < _PATIENCE_S:
                return
            bar.start()
            task = bar.add_task(what, total=1.0, **fields)
        bar.update(task, completed=share, **fields)

    try:
        yield advance
    finally:
        if task is not None:
            bar.stop()


class TimeLeft:
    """How long the rest will take, judged by the runs that were made: what was found on disk took no time."""

    def __init__(self) -> None:
        self._since: tuple[float, float] | None = None

    def at(self, now_s: float, share: float) -> float | None:
        """In seconds, when ``share`` of the work is done; None while that cannot be said."""
        if self._since is None:
            if share > 0:
                self._since = now_s, share
            return None
        began_s, before = self._since
        return (now_s - began_s) / (share - before) * (1 - share) if share > before else None
