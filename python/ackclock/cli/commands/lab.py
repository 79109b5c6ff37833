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
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="The page to write; default: lab.html in $ACKCLOCK_RESULTS, or else in ackclock-results in the home "
            "folder.",
            show_default=False,
        ),
    ] = None,
    show: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in a browser.")] = True,
) -> None:
    """Write the laboratory as one HTML page, and open it: scenarios run in the browser, with no server and no network.

    Examples: [bold]ackclock lab rtt-unfairness[/bold], [bold]ackclock lab dumbbell.toml[/bold]
    """
    lab_command.lab(scenario, out or results_folder(None) / "lab.html", show=show)
