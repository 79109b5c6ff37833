"""Writing to the terminal: tables and text on standard output, progress, warnings and errors on standard error."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from ackclock._files import replacing
from ackclock._names import is_hidden, visible

if TYPE_CHECKING:
    from ackclock._jobs import Progress

_PATIENCE_S = 1.0
"""The time in seconds after which a progress bar appears."""
LINE_EVERY_S = 60.0
"""The time in seconds between the lines that report progress if the output is not a terminal."""


class Terminal(Console):
    """A console that prints every text as it is.

    Markup and names of emoji are not interpreted. Characters that control the terminal or reverse text are escaped.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, emoji=False, highlight=False, **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """Returns the segments to print, with their invisible characters escaped."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control else Segment(visible(text), style)


def console() -> Console:
    """Returns standard output. Without a terminal (a pipe, a file) lines are long enough to hold
    any table unwrapped.
    """
    return Terminal() if sys.stdout.isatty() else Terminal(width=160)


def complain(message: str) -> None:
    """Writes an error message on standard error."""
    errors = _errors()
    errors.print("error:", style="bold red", end=" ")
    errors.print(visible(message))


def warn(message: str) -> None:
    """Writes a warning on standard error. The command continues."""
    errors = _errors()
    errors.print("warning:", style="bold yellow", end=" ")
    errors.print(visible(message))


def note(message: str) -> None:
    """Writes a remark on standard error, in addition to the command's output."""
    _errors().print(visible(message), style="dim")


def _errors() -> Console:
    """Returns standard error, whose lines the terminal wraps."""
    return Terminal(stderr=True, soft_wrap=True)


def shown(path: object) -> str:
    """Returns a path as a user would write it: in the home folder it begins with ``~``. Other text is returned
    unchanged.
    """
    try:
        return f"~/{path.relative_to(Path.home())}" if isinstance(path, Path) else str(path)
    except (ValueError, RuntimeError):  # the path is elsewhere, or there is no home folder
        return str(path)


def print_json(document: Any) -> None:
    """Writes one JSON document and nothing else on standard output."""
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    if not text.isascii():
        # Hidden characters occur only in strings, where JSON can escape them.
        text = "".join(json.dumps(one)[1:-1] if one != "\n" and is_hidden(one) else one for one in text)
    sys.stdout.write(text + "\n")


def write_json(document: Any, path: Path) -> None:
    """Writes one JSON document into a file piece by piece, so that its text is never in memory as a whole."""
    with replacing(path) as file, file.open("w", encoding="utf-8") as stream:
        json.dump(document, stream, indent=1, ensure_ascii=False, allow_nan=False)
        stream.write("\n")


def show_files(pages: Iterable[Path], data: Path | None = None) -> None:
    """Prints the pages that were written, and the file with their data if there is one."""
    for page in pages:
        console().print(Text.assemble("report  ", (shown(page), "bold")))
    if data is not None:
        console().print(Text.assemble("data    ", shown(data)))


@contextmanager
def progress_bar(what: str) -> Iterator[Progress]:
    """Yields a callback that shows on standard error how many runs are done and how much time is left: as a bar that
    appears after a second on a terminal, as a line each minute elsewhere.
    """
    if not sys.stderr.isatty():
        yield _progress_lines(what)
        return

    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[runs]} runs{task.fields[left]}", markup=False),
    )
    bar = Bar(*columns, console=Terminal(stderr=True), transient=True)
    began = time.monotonic()
    left = TimeLeft()
    task = None

    def advance(done: int, total: int, share: float) -> None:
        nonlocal task
        now = time.monotonic()
        fields: dict[str, Any] = {"runs": f"{done} of {total}", "left": left.words(now, share)}
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


def _progress_lines(what: str) -> Progress:
    """Returns a callback that writes a line each minute."""
    left = TimeLeft()
    written = time.monotonic()

    def advance(done: int, total: int, share: float) -> None:
        nonlocal written
        now = time.monotonic()
        words = left.words(now, share)
        if now - written >= LINE_EVERY_S:
            written = now
            note(f"{what}: {done} of {total} runs{words}")

    return advance


class TimeLeft:
    """Estimates the time left from the progress since the first report, which may include cached runs."""

    def __init__(self) -> None:
        self._since: tuple[float, float] | None = None

    def at(self, now_s: float, share: float) -> float | None:
        """Returns the time left in seconds when ``share`` of the work is done; None while it is unknown."""
        if self._since is None:
            if share > 0:
                self._since = now_s, share
            return None
        began_s, before = self._since
        return (now_s - began_s) / (share - before) * (1 - share) if share > before else None

    def words(self, now_s: float, share: float) -> str:
        """Returns the time left as text, such as ", 3 min left"; an empty text while it is unknown."""
        from ackclock._numbers import duration

        seconds = self.at(now_s, share)
        return "" if seconds is None else f", {duration(seconds)} left"
