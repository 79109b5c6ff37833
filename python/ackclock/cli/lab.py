"""``ackclock lab``."""

from __future__ import annotations

import webbrowser
from pathlib import Path

from ackclock.cli import terminal
from ackclock.files import read_text


def lab(file: Path | None, out: Path, show: bool) -> None:
    """Write the page, with the scenario of ``file`` in it, and open it."""
    from ackclock.named_files import with_files
    from ackclock.web.page import write_lab

    given = {"scenario": BEGINNING if file is None else with_files(read_text(file), str(file))}
    path = write_lab(out, given)
    terminal.console().print(f"wrote {path}", soft_wrap=True)
    if show:
        webbrowser.open(path.resolve().as_uri())


BEGINNING = """\
# Two flows share one bottleneck. Who gets how much?
name = "CUBIC against NewReno"
duration = "60 s"

[dumbbell]
bottleneck = { rate = "10 Mbit/s", delay = "20 ms", queue = { name = "droptail", limit = "100 packets" } }
access = { rate = "100 Mbit/s", delay = "5 ms" }

[[flows]]
control = "cubic"

[[flows]]
control = "newreno"
start = "1 s"
"""
"""What the page begins with where no scenario is named."""
