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
        typer.Argument(metavar="FILE...", help="Scripts of packetdrill (.pkt).", show_default=False),
    ],
    control: Annotated[
        str | None,
        typer.Option(
            metavar="CONTROL",
            help="The control of the host: a name, a table in TOML, or FILE.py or FILE.py:CLASS for one in Python; "
            "default: the one that the script sets, or else cubic.",
            show_default=False,
        ),
    ] = None,
    set: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DETAIL=VALUE",
            help='Set a detail of the profile, e.g. min_rto="1 s". May be given several times.',
            show_default=False,
        ),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The profile of the host's TCP: linux, rfc or ns2; default: the one that the script names, or else "
            "linux.",
            show_default=False,
        ),
    ] = None,
    timeline: Annotated[
        bool,
        typer.Option("--timeline", help="Print the timeline of every script, and what was not compared."),
    ] = False,
    json: Json = False,
) -> None:
    """Run scripts of packetdrill over ackclock's TCP in virtual time, and report the first difference.

    Exit code 0: all scripts pass. 1: a script differs. 2: a file is no script, or an option is wrong. 3: nothing
    differs, but a script asks for something that ackclock cannot express.

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
