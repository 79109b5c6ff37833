"""The command ``ackclock control``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from ackclock.cli import control as control_command
from ackclock.cli.options import Json

COMMAND = "ackclock.control.command"
"""The key of the context under which the words after ``--`` are stored."""


class TakesCommand(TyperCommand):
    """A command that accepts ``--`` and the command line of another program after its own arguments."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Stores the words after the first ``--`` in the context, and parses the words before it."""
        end = args.index("--") if "--" in args else len(args)
        ctx.meta[COMMAND] = args[end + 1 :]
        return super().parse_args(ctx, args[:end])


def control(
    context: typer.Context,
    controls: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME... [-- COMMAND...]",
            help="Names of congestion controls from [bold]ackclock list controls[/bold], optionally with parameters "
            "after commas ([bold]cubic,beta=0.8[/bold]). Sockets can use them while COMMAND runs or, without COMMAND, "
            "until Ctrl-C.",
            show_default=False,
        ),
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the events from the kernel (ACKs, losses) and the decisions of the controls (window, rate) "
            "into this file, for --replay.",
            show_default=False,
        ),
    ] = None,
    replay: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Feed the events in FILE, which --record wrote, to the recorded controls, or to the "
            "controls NAME... if given, and compare the decisions with the recorded ones. Needs no privileges.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Make ackclock's congestion controls available to every TCP socket of this machine (Linux).

    The control NAME is called [bold]ack_NAME[/bold] in the kernel: choose it with the socket option TCP_CONGESTION, or
    in iperf3 with -C. When ackclock ends, the control is removed from the kernel, and sockets that use it continue with
    Reno. This needs root, and the program ackclock-structops, which [bold]make wire[/bold] builds.

    The exit code is 1 if COMMAND fails, if a privilege, ackclock-structops or a kernel feature is missing, or if the
    decisions in a replay without NAME differ from the recorded ones.

    Example: [bold]ackclock control bbrv3 -- iperf3 -c server -C ack_bbrv3[/bold]
    """
    control_command.control(
        controls or [],
        context.meta[COMMAND],
        record=record,
        replay=replay,
        as_json=json,
    )
