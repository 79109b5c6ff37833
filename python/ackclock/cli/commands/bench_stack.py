"""The command ``ackclock bench-stack``."""

from __future__ import annotations

from typing import Annotated

import typer

from ackclock.cli import bench_stack as bench_stack_command
from ackclock.cli.options import Json, Limit, OutDir, Stacks, Threads
from ackclock.cli.stacks import offering


def bench_stack(
    controls: Annotated[
        list[str],
        typer.Argument(
            metavar="CONTROL...",
            help="Controls: of a stack ([bold]noq:bbr3[/bold]), of this laboratory ([bold]bbrv3[/bold]: over the first "
            "stack that is named, or else over its own QUIC), or over a named transport ([bold]bbrv3@quic[/bold]).",
            show_default=False,
        ),
    ],
    path: Annotated[
        list[str] | None,
        typer.Option(
            "--path",
            metavar="PATH",
            help="Measure on this path alone, such as shallow or idle. May be given several times.",
            show_default=False,
        ),
    ] = None,
    replications: Annotated[
        int,
        typer.Option(
            "--replications", metavar="N", min=1, help="Number of runs of each control on each path."
        ),
    ] = 5,
    html: Annotated[bool, typer.Option("--html", help="Also write a page, bench-stack.html.")] = False,
    out: OutDir = None,
    json: Json = False,
    threads: Threads = 0,
    stack: Stacks = None,
    limit: Limit = 300,
) -> None:
    """Measure congestion controls side by side on a set of hard paths: a deep and a shallow buffer, a policer, jitter,
    reordering, Wi-Fi, a cellular link, a competing flow of CUBIC, pauses, an application-limited sender.

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
