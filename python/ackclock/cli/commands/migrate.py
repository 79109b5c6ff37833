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
            help="Study files (.toml), or bases that several studies share (.base.toml), in an earlier format.",
            show_default=False,
        ),
    ],
) -> None:
    """Convert study files of an earlier version of ackclock to the current format.

    The command rewrites studies (.toml) and their bases (.base.toml) in place, and keeps comments and layout. Other
    files, such as scenarios, need no conversion. If one file cannot be converted, none is rewritten.

    Example: [bold]ackclock migrate studies/*.toml[/bold]
    """
    migrate_command.main(files)
