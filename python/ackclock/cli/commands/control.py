"""The command ``ackclock control``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from ackclock.cli import control as control_command
from ackclock.cli.options import Json

COMMAND = "ackclock.control.command"
"""The key under which the context keeps what follows ``--``."""


class TakesCommand(TyperCommand):
    """A command whose arguments are followed by ``--`` and a command of another program."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Keeps what follows the first ``--``, and reads the rest."""
        end = args.index("--") if "--" in args else len(args)
        ctx.meta[COMMAND] = args[end + 1 :]
        return super().parse_args(ctx, args[:end])


def control(
    context: typer.Context,
    controls: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME... [-- COMMAND...]",
            help="Controls of this laboratory, with parameters after commas ([bold]cubic,beta=0.8[/bold]). They are "
            "offered while COMMAND runs, or until Ctrl-C.",
            show_default=False,
        ),
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Record the kernel's events and the controls' decisions in a file.",
            show_default=False,
        ),
    ] = None,
    replay: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Feed a recording to its controls, or to those named, and compare the decisions. Needs no privilege.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Offer congestion controls of this laboratory to every TCP socket of this machine (Linux).

    The kernel calls NAME [bold]ack_NAME[/bold]: choose it as TCP_CONGESTION, in iperf3 with -C. When the command ends,
    the kernel no longer has NAME, and sockets under it continue under Reno. It needs root, and the program that
    [bold]make wire[/bold] builds.

    The exit code is 1 if COMMAND fails, or if decisions in a replay differ from the recording.

    Example: [bold]ackclock control bbrv3 -- iperf3 -c server -C ack_bbrv3[/bold]
    """
    control_command.control(
        controls or [],
        context.meta[COMMAND],
        record=record,
        replay=replay,
        as_json=json,
    )
