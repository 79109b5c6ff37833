"""The command ``ackclock check``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ackclock.cli import check as check_command


def check(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A file of a scenario, a study or a lesson.", show_default=False),
    ],
) -> None:
    """Validate a file without running it: reports mistakes with line, column and the nearest correct name.

    All mistakes of a scenario are reported at once; those of a study step by step: its form, its expressions, the
    scenarios of its cases, its quick run.

    Example: [bold]ackclock check dumbbell.toml[/bold]
    """
    check_command.check(file)
