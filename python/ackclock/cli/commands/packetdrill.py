"""The command ``ackclock packetdrill``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ackclock.cli import packetdrill as packetdrill_command
from ackclock.cli.options import Json


def packetdrill(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="The packetdrill scripts (.pkt) to run.", show_default=False),
    ],
    control: Annotated[
        str | None,
        typer.Option(
            metavar="CONTROL",
            help="Congestion control of the host under test: a name from ackclock list controls, a TOML table such as "
            '{ name = "cubic", beta = 0.8 }, or FILE.py[:CLASS] for a control in Python. Default: the control '
            "that the script sets, or cubic.",
            show_default=False,
        ),
    ] = None,
    set: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DETAIL=VALUE",
            help='Set a TCP parameter of the host under test, e.g. min_rto="1 s"; ackclock list transports linux '
            "prints the parameters of the profile linux. May be given several times.",
            show_default=False,
        ),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The TCP implementation that the host imitates, with its defaults: linux, rfc or ns2. Default: the "
            "profile that a comment in the script names, or linux.",
            show_default=False,
        ),
    ] = None,
    timeline: Annotated[
        bool,
        typer.Option(
            "--timeline",
            help="Print every packet and system call of each script with its time, and the lines that were not "
            "compared. Without this option, the output for a single script has the lines that were not compared and, "
            "if there is a difference, the first one with the 12 packets and calls that precede it; the output for "
            "several scripts has none of these.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Run packetdrill scripts against ackclock's TCP in simulated time, and print the first difference of each.

    Exit code 0: all scripts pass. 1: ackclock's TCP behaves differently from what a script expects, or a run fails.
    2: a file is not a packetdrill script, or an option is wrong. 3: a script needs a feature that ackclock lacks. With
    several scripts, 2 takes precedence over 1, and 1 over 3.

    Example: [bold]ackclock packetdrill slow-start.pkt --set initial_window="4 packets"[/bold]
    """
    packetdrill_command.packetdrill(
        files,
        control=control,
        settings=set or [],
        profile=profile,
        timeline=timeline,
        as_json=json,
    )
