"""The command ``ackclock lab``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ackclock._store import results_folder
from ackclock.cli import examples as examples_command
from ackclock.cli import lab as lab_command


def lab(
    scenario: Annotated[
        str | None,
        typer.Argument(
            metavar="[SCENARIO]",
            help="Scenario file (TOML) or lesson from [bold]ackclock examples[/bold] with which the page opens. "
            "Default: the first lesson. With --mark: the lesson whose answers are marked. With --mark and --lesson: "
            "the scenario file from which the students' page was made.",
            show_default=False,
            autocompletion=examples_command.complete,
        ),
    ] = None,
    lesson: Annotated[
        Path | None,
        typer.Option(
            "--lesson",
            metavar="FILE",
            help="Open the page with your own lesson: a file NAME.lesson.toml with the question, buttons and answers. "
            "Its scenario is SCENARIO if given, otherwise NAME.toml in the same folder.",
            show_default=False,
        ),
    ] = None,
    without_answers: Annotated[
        bool,
        typer.Option(
            "--without-answers",
            help="Leave the answers (what to look for) of all lessons out of the page, e.g. to give it to students.",
        ),
    ] = False,
    mark: Annotated[
        Path | None,
        typer.Option(
            "--mark",
            metavar="FOLDER",
            help="Instead of writing a page, print a table of the answers that students saved with their pages (the "
            "JSON files in this folder). It shows whether each statement of the lesson holds in the student's runs.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="The page to write. Default: lab.html in the folder that the environment variable ACKCLOCK_RESULTS "
            "names, or in ackclock-results in the home folder. With --mark, no page is written; the table that the "
            "command prints is also saved in FILE, as CSV.",
            show_default=False,
        ),
    ] = None,
    show: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the page in a browser once it is written.")
    ] = True,
) -> None:
    """Write and open an HTML page in which scenarios can be changed and simulated, without a server or a network.

    The page contains the simulator (WebAssembly) and all lessons.

    Examples: [bold]ackclock lab rtt-unfairness[/bold], [bold]ackclock lab dumbbell.toml[/bold],
    [bold]ackclock lab --lesson duel.lesson.toml --without-answers[/bold],
    [bold]ackclock lab rtt-unfairness --mark answers[/bold]
    """
    if mark is not None:
        lab_command.mark(scenario, lesson, mark, out)
        return
    page = out or results_folder(None) / "lab.html"
    lab_command.lab(scenario, lesson, page, answers=not without_answers, show=show)
