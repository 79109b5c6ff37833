"""The command ``ackclock examples``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ackclock.cli import examples as examples_command


def examples(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="Print this lesson in full: question, what to change, what to look for, scenario. Either a built-in "
            "lesson, or a file *.lesson.toml with its scenario beside it. Default: list the built-in lessons.",
            show_default=False,
            autocompletion=examples_command.complete,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="Write the scenario of lesson NAME into this file (- for standard output) instead of printing the "
            "lesson.",
            show_default=False,
        ),
    ] = None,
    notebooks: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Write lesson NAME, or without NAME each lesson, as a Jupyter notebook into this folder.",
            show_default=False,
        ),
    ] = None,
    without_answers: Annotated[
        bool,
        typer.Option(
            "--without-answers",
            help='With --notebooks: leave "What to look for" out, for students.',
            show_default=False,
        ),
    ] = False,
) -> None:
    """List lessons on congestion control, or print one: a scenario, and a question to answer by experimenting with it.

    Examples: [bold]ackclock examples[/bold], [bold]ackclock examples incast --out incast.toml[/bold],
    [bold]ackclock examples --notebooks lessons[/bold]
    """
    examples_command.examples(name, out, notebooks, answers=not without_answers)
