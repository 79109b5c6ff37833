"""The command ``ackclock study copy``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ackclock.cli import study as study_command


def study_copy(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A study, e.g. rbcc/table-4.1.", show_default=False)
    ],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write.", show_default=False)],
) -> None:
    """Write a study as one file that needs no other, to change and run it."""
    study_command.copy(name, file)
