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
            help="The QUIC stack to check: a shared library (Linux), [bold]PATH[,KEY=VALUE][/bold] with options of the "
            "library after commas, or one of the built-in stacks [bold]noq[/bold] and [bold]quinn[/bold].",
            show_default=False,
        ),
    ],
    control: Annotated[
        str,
        typer.Option(
            "--control",
            metavar="NAME",
            help="The congestion control of the stack to check, by its name in the stack, e.g. cubic.",
            show_default=False,
        ),
    ],
    law: Annotated[
        str | None,
        typer.Option(
            "--law",
            metavar="LAW",
            help="The algorithm that the control implements: reno, cubic or bbr. The tests of this algorithm run "
            "in addition to those that apply to every algorithm. Default: the algorithm named in the control's name; "
            "if it names none, only the tests that apply to every algorithm run.",
            show_default=False,
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="NAME",
            help='Run only the test with this id, or the tests whose clause begins with NAME, e.g. "RFC 9438". '
            '"repeats" selects the tests of determinism, "paths" all comparisons of --paths, and "path-idle" the '
            "comparison on the path idle. The results name the ids. May be given several times.",
            show_default=False,
        ),
    ] = None,
    allow: Annotated[
        list[str] | None,
        typer.Option(
            "--allow",
            metavar="ID",
            help="Accept a violation found by the test with this id, e.g. initial-window, so that it does not set the "
            "exit code to 1. May be given several times.",
            show_default=False,
        ),
    ] = None,
    paths: Annotated[
        bool,
        typer.Option(
            "--paths/--no-paths",
            help="Whether to also compare the control with ackclock's control of the same algorithm (newreno, cubic or "
            "bbrv3; cubic if the algorithm is unknown) on each of the ten paths of ackclock bench-stack. The result on "
            "a path is a violation if the goodput is less than half that of ackclock's control, or if the p95 one-way "
            "delay is more than twice as long while the goodput is at most 1.25 times as high.",
        ),
    ] = True,
    seed: Annotated[
        int,
        typer.Option(
            "--seed",
            metavar="N",
            min=0,
            help="Seed of the stack's random numbers. The comparisons of --paths always use seed 1.",
        ),
    ] = 1,
    junit: Annotated[
        Path | None,
        typer.Option(
            "--junit",
            metavar="FILE",
            help="Also write the results into this file as JUnit XML, for continuous integration.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Test whether a QUIC stack and one of its congestion controls follow RFCs and the BBR draft, clause by clause.

    Most tests drop, mark, delay or hold back certain datagrams of one connection, and compare what the stack does with
    a clause of RFC 9000, 9002, 9406, 9438 or 9743, or with a case of the BBR draft. Other tests compare runs with equal
    and with different seeds, or the control with ackclock's own (--paths). The first violation (of a MUST, if any) is
    printed with a timeline. The exit code is 1 if a test finds a violation that --allow does not name.

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
