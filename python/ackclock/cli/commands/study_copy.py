"""The command ``ackclock study copy``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ackclock.cli import study as study_command


def study_copy(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="The study to copy, e.g. rbcc/table-4.1; ackclock list studies prints all names.",
            show_default=False,
        ),
    ],
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="The file to write (.toml), which must not exist yet.", show_default=False
        ),
    ],
) -> None:
    """Copy a study, i.e. a published experiment that ackclock contains, into one file that you can change and run."""
    study_command.copy(name, file)
