"""The command ``ackclock migrate``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ackclock.cli import migrate as migrate_command


def migrate(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Study files (.toml) or bases of studies (.base.toml) of an earlier version, to be rewritten in "
            "place.",
            show_default=False,
        ),
    ],
) -> None:
    """Convert study files of an earlier version of ackclock to the current format.

    The files, studies (.toml) or bases of studies (.base.toml), are rewritten in place, and keep their comments and
    layout. Other kinds of files never changed their format. If one file cannot be converted, none is rewritten.

    Example: [bold]ackclock migrate studies/*.toml[/bold]
    """
    migrate_command.main(files)
