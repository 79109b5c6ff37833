"""The command ``ackclock path``."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from ackclock.cli import path as path_command
from ackclock.cli.options import Json, ScenarioFile, Settings


class Device(str, Enum):
    """How packets pass between the hosts and the simulated links."""

    PACKET = "packet"
    TUN = "tun"


class Direction(str, Enum):
    """Which packets cross the links of the flow's forward path: those that the first host sends or receives."""

    UPLOAD = "upload"
    DOWNLOAD = "download"


def path(
    file: ScenarioFile,
    command: Annotated[
        list[str],
        typer.Argument(
            metavar="-- COMMAND...",
            help="Program to run on the first host, 10.78.0.1, with its arguments. The run ends when it exits.",
            show_default=False,
        ),
    ],
    serve: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help="Program to run on the second host, 10.78.0.2, e.g. a server. It starts before the program on the "
            "first host, and is killed when that program exits. Default: none.",
            show_default=False,
        ),
    ] = None,
    flow: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Group of flows whose path in the scenario connects the two hosts; default: the first group.",
            show_default=False,
        ),
    ] = None,
    direction: Annotated[
        Direction,
        typer.Option(
            help="Which packets cross the links of the flow's forward path: those that the first host sends (upload) "
            "or receives (download). Packets in the other direction cross the links of the flow's return path.",
        ),
    ] = Direction.UPLOAD,
    control: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Linux congestion control (sysctl tcp_congestion_control) of both hosts, e.g. bbr; default: this "
            "machine's.",
            show_default=False,
        ),
    ] = None,
    device: Annotated[
        Device,
        typer.Option(
            help="How packets get from the hosts to the simulated links and back: through packet sockets (packet), or "
            "through TUN devices (tun), which need root.",
        ),
    ] = Device.PACKET,
    set: Settings = None,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            max=2**53 - 1,
            help="Seed of the random numbers of the links (losses, queues); default: seed in the scenario file, or 1.",
            show_default=False,
        ),
    ] = None,
    compare: Annotated[
        bool,
        typer.Option(
            "--compare",
            help="Also simulate the scenario with the flows that it defines, in place of the programs' traffic, for as "
            "long as COMMAND ran, and print the counters of the simulated links. If COMMAND ends within the warm-up, "
            "nothing is simulated.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Run real programs over the network of a scenario, emulated in real time (Linux).

    The programs' packets cross simulated links in both directions, with the rates, delays, losses and queue disciplines
    of the scenario. The two hosts are network namespaces without other networks, and are removed at the end. Without
    root, the command uses a user namespace.

    The exit code is 1 if COMMAND fails, if the scenario has something that cannot run in real time, or if the run is
    invalid: packets left the links too late, or were lost outside the links.

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
