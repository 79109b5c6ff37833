"""The command ``ackclock path``."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from ackclock.cli import path as path_command
from ackclock.cli.options import Json, ScenarioFile, Settings


class Device(str, Enum):
    """What takes packets from the hosts to the links and back."""

    PACKET = "packet"
    TUN = "tun"


class Direction(str, Enum):
    """The direction of the first host's data that takes the path of the flow's data."""

    UPLOAD = "upload"
    DOWNLOAD = "download"


def path(
    file: ScenarioFile,
    command: Annotated[
        list[str],
        typer.Argument(
            metavar="-- COMMAND...",
            help="The program of the first host, 10.78.0.1, and its arguments. The run ends when it ends.",
            show_default=False,
        ),
    ],
    serve: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help="The program of the second host, 10.78.0.2, started first and killed at the end.",
            show_default=False,
        ),
    ] = None,
    flow: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The group of flows whose path lies between the hosts; default: the first.",
            show_default=False,
        ),
    ] = None,
    direction: Annotated[
        Direction,
        typer.Option(
            help="The traffic that takes the path of the flow's data: what the first host sends (upload), or what "
            "is sent to it (download). The other packets take the return path.",
        ),
    ] = Direction.UPLOAD,
    control: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The default congestion control of both hosts; default: the kernel's.",
            show_default=False,
        ),
    ] = None,
    device: Annotated[
        Device,
        typer.Option(
            help="The devices that take packets from the hosts to the links: packet sockets, or TUN devices, "
            "which need root.",
        ),
    ] = Device.PACKET,
    set: Settings = None,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            max=2**53 - 1,
            help="The seed of losses and queues; default: the scenario's.",
            show_default=False,
        ),
    ] = None,
    compare: Annotated[
        bool,
        typer.Option(
            "--compare",
            help="Also simulate the flows of the file, and show the counts of the simulated links.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Put the network of a scenario between two real hosts, in real time (Linux).

    The links of the simulator carry the packets of real programs: rate, delay, losses and every queue discipline, in
    both directions. The hosts are namespaces without any other network; nothing remains afterwards. Without root a user
    namespace is used.

    The exit code is 1 if the program fails, or if packets left so late that the run is invalid.

    Example: [bold]ackclock path dumbbell.toml --serve "iperf3 -s -1" -- iperf3 -c 10.78.0.2 -t 20[/bold]
    """
    path_command.path(
        file,
        command,
        serve=serve,
        flow=flow,
        direction=direction.value,
        control=control,
        device=device.value,
        settings=set or [],
        seed=seed,
        compare=compare,
        as_json=json,
    )
