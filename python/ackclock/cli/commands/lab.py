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
            help="The scenario that the page opens with: a file (TOML), or a lesson of [bold]ackclock examples[/bold].",
            show_default=False,
            autocompletion=examples_command.complete,
        ),
    ] = None,
    lesson: Annotated[
        Path | None,
        typer.Option(
            "--lesson",
            metavar="FILE",
            help="A lesson of your own, NAME.lesson.toml: its question, buttons and what to look for. Its scenario is "
            "SCENARIO, or else NAME.toml beside it.",
            show_default=False,
        ),
    ] = None,
    without_answers: Annotated[
        bool,
        typer.Option("--without-answers", help="Leave out what to look for, of every lesson of the page."),
    ] = False,
    mark: Annotated[
        Path | None,
        typer.Option(
            "--mark",
            metavar="FOLDER",
            help="Write no page: show the answers that students saved, the JSON files in this folder, in one table "
            "beside what the lesson's checks say.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="The page to write; default: lab.html in $ACKCLOCK_RESULTS, or else in ackclock-results in the home "
            "folder. With --mark, the table as CSV.",
            show_default=False,
        ),
    ] = None,
    show: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in a browser.")] = True,
) -> None:
    """Write the laboratory as one HTML page, and open it: scenarios run in the browser, with no server and no network.

    Examples: [bold]ackclock lab rtt-unfairness[/bold], [bold]ackclock lab dumbbell.toml[/bold],
    [bold]ackclock lab --lesson duel.lesson.toml --without-answers[/bold],
    [bold]ackclock lab rtt-unfairness --mark answers[/bold]
    """
    if mark is not None:
        lab_command.mark(scenario, lesson, mark, out)
        return
    page = out or results_folder(None) / "lab.html"
    lab_command.lab(scenario, lesson, page, answers=not without_answers, show=show)
