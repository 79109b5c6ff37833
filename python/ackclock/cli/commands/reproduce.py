"""The command ``ackclock reproduce``."""

from __future__ import annotations

from typing import Annotated

import typer

from ackclock._store import results_folder
from ackclock.cli import reproduce as reproduce_command
from ackclock.cli.options import Figures, Json, Limit, OutDir, Stacks, Threads
from ackclock.cli.stacks import offering
from ackclock.errors import InputError


def reproduce(
    studies: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[STUDY]...",
            help="A study (rbcc/table-4.1), a thesis (rbcc: all of its studies), or the path of a study file.",
            show_default=False,
        ),
    ] = None,
    all: Annotated[bool, typer.Option("--all", help="All studies of the package.")] = False,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help="Use fewer seeds and shorter runs, and at most two seeds for each other interpretation of the "
            "publication. Results may differ from those of a full run.",
        ),
    ] = False,
    json: Json = False,
    out: OutDir = None,
    figures: Figures = None,
    sensitivity: Annotated[
        bool,
        typer.Option(help="Also run other interpretations of what the publication leaves open."),
    ] = True,
    threads: Threads = 0,
    judge: Annotated[
        bool,
        typer.Option(
            "--judge",
            help="Run no simulation: judge the samples that the package has recorded, in seconds.",
            show_default=False,
        ),
    ] = False,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Run the first seed of each recorded study again, compare the results, and stamp the records.",
            show_default=False,
        ),
    ] = False,
    record: Annotated[
        bool,
        typer.Option(
            "--record", help="Write the samples into the records of the package.", show_default=False
        ),
    ] = False,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RESULT",
            help='Exit with code 1 if a claim has this result, e.g. "not as printed"; "changed" is any result '
            "other than that of the recorded full run. May be given several times.",
            show_default=False,
        ),
    ] = None,
    stack: Stacks = None,
    limit: Limit = 300,
) -> None:
    """Run published experiments, judge their claims, write an HTML report.

    Each claim of the publication gets a result: as printed; right order, other size; not as printed; undecided; or
    cannot tell, where the test cannot tell the claim from its denial. Beside it stand the number of other
    interpretations of the publication that reverse it, and the part of its set-up that is lost. Claims are judged at
    3, 5, 10, ... seeds, and only undecided ones get more. A result changes the exit code only with
    [bold]--fail-on[/bold].

    [bold]ackclock reproduce aqm[/bold] characterises all queue disciplines by RFC 7928 and writes one page that
    compares them.

    Example: [bold]ackclock reproduce rbcc/table-4.1[/bold]
    """
    if all and studies:
        raise InputError("--all selects all studies: name some studies, or give --all, not both")
    if not all and not studies:
        raise InputError("name the studies to reproduce (`ackclock list studies` shows them), or give --all")
    if sum((judge, check, record, quick)) > 1:
        raise InputError("--quick, --judge, --check and --record exclude each other")
    if check:
        reproduce_command.check(studies or [], threads=threads)
        return
    with offering(stack, limit):
        reproduce_command.reproduce(
            studies or [],
            quick=quick,
            as_json=json,
            out=results_folder(out),
            figures=figures or [],
            sensitivity=sensitivity,
            threads=threads,
            fail_on=fail_on or [],
            judge=judge,
            record=record,
        )
