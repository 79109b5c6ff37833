"""The lines of a log that is text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ackclock.errors import InputError
from ackclock.traces.records import PARTIAL


def lines(path: Path, partial: bool) -> Iterator[tuple[str, str]]:
    """Returns each line with its place for messages, ``FILE:LINE``.

    InputError for a last line without its end, which may lack digits; with ``partial`` it is left out.
    """
    with path.open(encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, start=1):
            if line.endswith("\n"):
                yield f"{path}:{number}", line
            elif not partial:
                raise InputError(
                    f"{path}:{number}: the last line has no line break at its end, so it may be incomplete; {PARTIAL}"
                )
