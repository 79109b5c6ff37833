"""``ackclock lab``."""

from __future__ import annotations

import webbrowser
from pathlib import Path

from ackclock.cli import terminal
from ackclock.files import read_text


def lab(file: Path | None, out: Path, show: bool) -> None:
    """Write the page, which begins with the scenario of ``file`` or else with the first lesson, and open it."""
    from ackclock.named_files import with_files
    from ackclock.web.page import write_lab

    given = {"scenario": None if file is None else with_files(read_text(file), str(file))}
    path = write_lab(out, given)
    terminal.console().print(f"wrote {terminal.shown(path)}", soft_wrap=True)
    if show:
        webbrowser.open(path.resolve().as_uri())
