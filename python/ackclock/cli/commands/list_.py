"""The command ``ackclock list``."""

from __future__ import annotations

from typing import Annotated

import typer

from ackclock.cli import listing as list_command
from ackclock.cli.options import Json


def list_(
    kind: Annotated[
        str | None,
        typer.Argument(
            metavar="[KIND]",
            help="controls, queues, losses, applications, transports... or studies; default: all.",
            show_default=False,
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="Show only this entry, in full.", show_default=False),
    ] = None,
    json: Json = False,
) -> None:
    """Show everything that a scenario can name, with parameters, units, defaults, ranges and source.

    Examples: [bold]ackclock list[/bold], [bold]ackclock list queues red[/bold], [bold]ackclock list studies[/bold]
    """
    list_command.list_entries(kind, name, as_json=json)
