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
            help="Documents that the schema describes: scenario or study (files), answer (a student's answer, which "
            "the page of ackclock lab saves), or the --json output of a command: run, reproduce, evaluate, search, "
            "list, compare-trace, check-stack or packetdrill.",
        ),
    ] = "scenario",
) -> None:
    """Print the JSON Schema of scenario files, which editors use to complete and check keys, or of other documents.

    Example: [bold]ackclock schema > scenario.schema.json[/bold]
    """
    schema_command.schema(of)
