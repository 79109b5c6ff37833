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
            help="The seed of losses, queues and starts; default: the scenario's.",
            show_default=False,
        ),
    ] = None,
    compare: Annotated[
        bool,
        typer.Option(
            "--compare",
            help="Also simulate the file, and show the difference of each metric with its bound.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Run the flows of a scenario on real stacks over its network, in real time (Linux).

    Flows with transport = "linux" are sockets of the kernel, under its own controls (linux:cubic, linux:reno,
    linux:bbr) or, as root and after [bold]make wire[/bold], under those of this laboratory. Flows with transport =
    "noq" or "quinn" are those stacks over UDP sockets, under their own controls or those of this laboratory. The links
    of the simulator lie between two hosts without any other network; nothing remains afterwards.

    The exit code is 1 if packets left so late that the run is invalid, or if real time cannot do what the file says.

    Example: [bold]ackclock wire docs/examples/wire.toml --compare[/bold]
    """
    wire_command.wire(file, settings=set or [], seed=seed, compare=compare, as_json=json)
