"""The command ``ackclock schema``."""

from __future__ import annotations

from typing import Annotated

import typer

from ackclock.cli import schema as schema_command


def schema(
    of: Annotated[
        str,
        typer.Option(
            metavar="KIND",
            help="What the schema describes: a scenario or study file, an answer that the laboratory saves, or the "
            "output of --json of the command run, reproduce, evaluate, search, list, compare-trace, check-stack or "
            "packetdrill.",
        ),
    ] = "scenario",
) -> None:
    """Print the JSON Schema of scenario files, with which editors complete and check them, or of another document.

    Example: [bold]ackclock schema > scenario.schema.json[/bold]
    """
    schema_command.schema(of)
