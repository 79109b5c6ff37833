"""The command ``ackclock wire``."""

from __future__ import annotations

from typing import Annotated

import typer

from ackclock.cli import wire as wire_command
from ackclock.cli.options import Json, ScenarioFile, Settings


def wire(
    file: ScenarioFile,
    set: Settings = None,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            max=2**53 - 1,
            help="Seed of the random numbers (losses, queues, start times); default: seed in the scenario file, or 1.",
            show_default=False,
        ),
    ] = None,
    compare: Annotated[
        bool,
        typer.Option(
            "--compare",
            help="Also simulate the scenario. For each flow, and for each link with a utilisation of at least 50 % in "
            "either run, print how far metrics of the real run differ from the simulation, and the largest difference "
            "that counts as agreement. The exit code does not depend on this comparison.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Run the flows of a scenario on real TCP and QUIC stacks over its network, emulated in real time (Linux).

    Flows with transport = "linux" are kernel TCP sockets with the kernel's controls (linux:cubic, linux:reno,
    linux:bbr) or, as root and after [bold]make wire[/bold], with ackclock's. Flows with transport = "noq" or "quinn"
    are connections of that QUIC stack over UDP sockets, with its controls or ackclock's. The two hosts are network
    namespaces without other networks, and are removed at the end.

    The exit code is 1 if the scenario has something that cannot run in real time, or if the run is invalid: packets
    left the links or reached a QUIC stack too late, or were lost outside the links.

    Example: [bold]ackclock wire docs/examples/wire.toml --compare[/bold]
    """
    wire_command.wire(file, settings=set or [], seed=seed, compare=compare, as_json=json)
