"""The command ``ackclock migrate``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ackclock.cli import migrate as migrate_command


def migrate(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="The files to rewrite.", show_default=False)
    ],
) -> None:
    """Rewrite files of an earlier version in the current format.

    Studies and bases are rewritten; scenarios, lessons and records of evaluations have had only one. Comments and
    layout stay. If one of the files cannot be rewritten, none is.

    Example: [bold]ackclock migrate studies/*.toml[/bold]
    """
    migrate_command.main(files)
