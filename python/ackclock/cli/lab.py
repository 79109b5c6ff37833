"""``ackclock lab``."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

from ackclock._files import is_there
from ackclock.cli import terminal
from ackclock.cli.given import read_scenario
from ackclock.errors import InputError

if TYPE_CHECKING:
    from ackclock.lessons import Lesson
    from ackclock.web.page import Opening


def lab(scenario: str | None, declared: Path | None, out: Path, *, answers: bool, show: bool) -> None:
    """Writes the laboratory as a page, and opens it in a browser if ``show``.

    The page begins with ``scenario``, which is a file or the name of a lesson, or by default with the first lesson.
    ``declared`` is the file of a user's own lesson. Without ``answers`` the lessons do not say what to look for.
    """
    from ackclock.web.page import write_lab

    path = write_lab(out, _opening(scenario, declared), answers=answers)
    terminal.console().print(f"wrote {terminal.shown(path)}", soft_wrap=True)
    if show:
        webbrowser.open(path.resolve().as_uri())


def mark(scenario: str | None, declared: Path | None, folder: Path, out: Path | None) -> None:
    """Prints a table of the students' answers in ``folder`` with the results of the lesson's checks, and writes it as
    CSV to ``out``.
    """
    from ackclock.cli.marks_text import show, write
    from ackclock.lessons.marking import mark as marks_of

    if declared is None and scenario is None:
        raise InputError(
            f"--mark: expected a lesson: its name, as in `ackclock lab NAME --mark {folder}`, or its file with --lesson"
        )
    marks = marks_of(_lesson(scenario, declared), folder)
    show(marks, folder)
    if out is not None:
        write(marks, out)
        terminal.console().print(f"wrote {terminal.shown(out)}", soft_wrap=True)


def _lesson(scenario: str | None, declared: Path | None) -> Lesson:
    """Returns the lesson that the command names, from the package or from a file."""
    if declared is not None:
        from ackclock.lessons.files import read_lesson

        return read_lesson(declared, None if scenario is None else Path(scenario))
    from ackclock.lessons import lesson

    return lesson(str(scenario))


def _opening(scenario: str | None, declared: Path | None) -> Opening:
    """Returns what the page shows first. An existing file takes precedence over a lesson of the same name; a name with
    a dot or a slash is a file.
    """
    from ackclock.study.kind import LESSON
    from ackclock.web.page import Opening

    if declared is not None:
        return Opening(lesson=_lesson(scenario, declared))
    if scenario is None:
        return Opening()
    file = Path(scenario)
    if file.name.endswith(LESSON):
        raise InputError(f"{file}: is a lesson file, not a scenario; `ackclock lab --lesson {file}` opens it")
    if is_there(file) or file.suffix or len(file.parts) != 1:
        # Refuses a wrong scenario as `ackclock run` does, before anything is written or opened.
        return Opening(scenario=read_scenario(file, {}).text)
    return Opening(lesson=_lesson(scenario, None))
