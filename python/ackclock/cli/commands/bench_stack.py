"""The command ``ackclock bench-stack``."""

from __future__ import annotations

from typing import Annotated

import typer

from ackclock.cli import bench_stack as bench_stack_command
from ackclock.cli.options import Json, OutDir, StackLimit, StacksOfControls, Threads
from ackclock.cli.stacks import offering


def bench_stack(
    controls: Annotated[
        list[str],
        typer.Argument(
            metavar="CONTROL...",
            help="Congestion controls; each is compared with the first. A control of a QUIC stack "
            "([bold]noq:bbr3[/bold]) runs over that stack. A control of ackclock runs over the transport after @ "
            "([bold]bbrv3@quic[/bold]). Without @ it runs over the first stack that a CONTROL names, or over "
            "ackclock's QUIC if none does.",
            show_default=False,
        ),
    ],
    path: Annotated[
        list[str] | None,
        typer.Option(
            "--path",
            metavar="PATH",
            help="Measure only on this path: bufferbloat, shallow, policer, jitter, reordering, wifi, cellular, "
            "beside-cubic, idle or app-limited. May be given several times. Default: all ten.",
            show_default=False,
        ),
    ] = None,
    replications: Annotated[
        int,
        typer.Option(
            "--replications",
            metavar="N",
            min=1,
            help="Number of runs of each control on each path, with consecutive seeds. A single run gives no intervals "
            "and no comparison.",
        ),
    ] = 5,
    html: Annotated[
        bool,
        typer.Option(
            "--html",
            help="Also write the tables and a figure as an HTML page, bench-stack.html in the folder of --out.",
        ),
    ] = False,
    out: OutDir = None,
    json: Json = False,
    threads: Threads = 0,
    stack: StacksOfControls = None,
    limit: StackLimit = 300,
) -> None:
    """Compare congestion controls on ten simulated paths on which controls often fail.

    The tables show the goodput, the 95th percentile of the one-way delay, and the share of sent packets that were lost.

    Each path has one of these difficulties: a deep buffer, a shallow buffer, a policer, jitter, reordering, Wi-Fi, a
    cellular link, a competing CUBIC flow, pauses of the application, or an application that limits the rate.

    Examples: [bold]ackclock bench-stack noq:bbr3 bbrv3[/bold], [bold]ackclock bench-stack quinn:cubic cubic
    --path shallow[/bold]
    """
    with offering(stack, limit):
        bench_stack_command.bench_stack(
            controls,
            paths=path or [],
            replications=replications,
            as_json=json,
            html=html,
            out=out,
            threads=threads,
        )
