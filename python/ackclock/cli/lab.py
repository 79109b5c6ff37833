"""``ackclock lab``."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Any

from ackclock.cli import terminal
from ackclock.cli.given import read_scenario
from ackclock.files import is_there


def lab(scenario: str | None, out: Path, show: bool) -> None:
    """Write the page, which begins with a file, or a lesson, or else with the first of them, and open it."""
    from ackclock.web.page import write_lab

    path = write_lab(out, _given(scenario))
    terminal.console().print(f"wrote {terminal.shown(path)}", soft_wrap=True)
    if show:
        webbrowser.open(path.resolve().as_uri())


def _given(scenario: str | None) -> dict[str, Any]:
    """What the page begins with. A file goes before a lesson of its name; what has a dot or a slash is no lesson."""
    from ackclock.lessons import lesson

    if scenario is None:
        return {"scenario": None, "lesson": None}
    file = Path(scenario)
    if is_there(file) or file.suffix or len(file.parts) != 1:
        # A wrong one is refused here as by `ackclock run`, before anything is written or opened.
        return {"scenario": read_scenario(file, {}).text, "lesson": None}
    return {"scenario": lesson(scenario).scenario, "lesson": scenario}
