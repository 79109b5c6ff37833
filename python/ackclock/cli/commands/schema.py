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
            help="The kind of document: scenario, study, or the --json output of run, reproduce, evaluate, search, "
            "list, compare-trace or packetdrill.",
        ),
    ] = "scenario",
) -> None:
    """Print a JSON Schema, by default that of scenario files, for completion in an editor.

    Example: [bold]ackclock schema > scenario.schema.json[/bold]
    """
    schema_command.schema(of)
