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
            help="What to list: controls, queues, losses, applications, transports, studies or another heading of the "
            "full list; keys (the keys of scenario files); or one entry by its name. Default: everything but the keys.",
            show_default=False,
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="Print this entry in full: summary, source, and every parameter with unit, default and range. With "
            "keys: a table of the scenario language, such as flows.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """List the controls, queues, losses, transports and other parts that a scenario can use, its keys, and the studies.

    Examples: [bold]ackclock list[/bold], [bold]ackclock list queues red[/bold], [bold]ackclock list keys flows[/bold],
    [bold]ackclock list studies[/bold]
    """
    list_command.list_entries(kind, name, as_json=json)
