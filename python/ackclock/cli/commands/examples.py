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
            help="Show only this lesson, in full.",
            show_default=False,
            autocompletion=examples_command.complete,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="Write the lesson's scenario to this file; - for standard output.",
            show_default=False,
        ),
    ] = None,
    notebooks: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Write the lesson, or every lesson, as a Jupyter notebook into this folder.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Show lessons: each is a scenario with a question, what to change and what to look for.

    Examples: [bold]ackclock examples[/bold], [bold]ackclock examples incast --out incast.toml[/bold],
    [bold]ackclock examples --notebooks lessons[/bold]
    """
    examples_command.examples(name, out, notebooks)
