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
            help="Kind to list: controls, queues, losses, applications, transports, studies, drills (the tests of "
            "check-stack) or another heading of the full list; or keys, the keys of scenario files; or the name of one "
            "entry. Default: all but the keys.",
            show_default=False,
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="Name of the entry to print in full: summary, source, and every parameter with unit, default and "
            "range. If KIND is keys: name of the table of scenario files whose keys are printed, e.g. flows.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """List the controls, queues, losses and other parts that a scenario can use, the studies, the tests of
    check-stack, or the scenario keys.

    Examples: [bold]ackclock list[/bold], [bold]ackclock list queues red[/bold], [bold]ackclock list keys flows[/bold],
    [bold]ackclock list studies[/bold]
    """
    list_command.list_entries(kind, name, as_json=json)
