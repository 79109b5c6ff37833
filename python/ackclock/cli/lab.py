"""``ackclock lab``."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Any

from ackclock._files import is_there
from ackclock.cli import terminal
from ackclock.cli.given import read_scenario


def lab(scenario: str | None, out: Path, show: bool) -> None:
    """Writes the page, which opens with a file, a lesson, or by default the first lesson, and opens it in a browser."""
    from ackclock.web.page import write_lab

    path = write_lab(out, _given(scenario))
    terminal.console().print(f"wrote {terminal.shown(path)}", soft_wrap=True)
    if show:
        webbrowser.open(path.resolve().as_uri())


def _given(scenario: str | None) -> dict[str, Any]:
    """Returns the scenario that the page opens with. A file takes precedence over a lesson of its name; a name with a
    dot or a slash is a file.
    """
    from ackclock.lessons import lesson

    if scenario is None:
        return {"scenario": None, "lesson": None}
    file = Path(scenario)
    if is_there(file) or file.suffix or len(file.parts) != 1:
        # Refuses a wrong scenario as `ackclock run` does, before anything is written or opened.
        return {"scenario": read_scenario(file, {}).text, "lesson": None}
    return {"scenario": lesson(scenario).scenario, "lesson": scenario}
