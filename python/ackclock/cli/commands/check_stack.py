"""The command ``ackclock check-stack``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ackclock.cli import check_stack as check_stack_command
from ackclock.cli.options import Json


def check_stack(
    stack: Annotated[
        str,
        typer.Argument(
            metavar="STACK",
            help="A shared library with a QUIC stack, [bold]PATH[,KEY=VALUE][/bold]; or [bold]noq[/bold] or "
            "[bold]quinn[/bold], which are built in.",
            show_default=False,
        ),
    ],
    control: Annotated[
        str,
        typer.Option(
            "--control", metavar="NAME", help="A congestion control of the stack.", show_default=False
        ),
    ],
    law: Annotated[
        str | None,
        typer.Option(
            "--law",
            metavar="LAW",
            help="The law of the control: reno, cubic or bbr; default: the law that its name says. A control "
            "of any other law gets only the drills that apply to every control.",
            show_default=False,
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="NAME",
            help='Run only the drills whose id or clause begins with NAME, such as "RFC 9438"; or repeats, or paths. '
            "May be given several times.",
            show_default=False,
        ),
    ] = None,
    allow: Annotated[
        list[str] | None,
        typer.Option(
            "--allow",
            metavar="ID",
            help="Accept a violation of the drill with this id, a deviation on purpose. May be given several times.",
            show_default=False,
        ),
    ] = None,
    paths: Annotated[
        bool,
        typer.Option(
            "--paths/--no-paths",
            help="Compare goodput and delay too, on the ten network paths of bench-stack.",
        ),
    ] = True,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="The seed of all drills.")] = 1,
    junit: Annotated[
        Path | None,
        typer.Option(
            "--junit", metavar="FILE", help="Also write the results as JUnit XML.", show_default=False
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Check a QUIC stack and one of its congestion controls against standards, clause by clause.

    Drills lose, mark, delay or hold single datagrams, and compare what the sender does with RFC 9000, 9002, 9406, 9438,
    9743 and the cases of the BBR draft. The first violated sentence is shown with a timeline. The exit code is 1 if
    anything is violated that --allow does not name.

    Examples: [bold]ackclock check-stack ./libmine.so --control cubic --junit results.xml[/bold],
    [bold]ackclock check-stack quinn --control newreno[/bold]
    """
    check_stack_command.check_stack(
        stack,
        control,
        law=law,
        only=only or [],
        allow=allow or [],
        paths=paths,
        seed=seed,
        junit=junit,
        as_json=json,
    )
