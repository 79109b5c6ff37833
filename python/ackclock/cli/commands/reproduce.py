"""The command ``ackclock reproduce``."""

from __future__ import annotations

from typing import Annotated

import typer

from ackclock._store import results_folder
from ackclock.cli import reproduce as reproduce_command
from ackclock.cli.given import naming
from ackclock.cli.options import Figures, Json, OutDir, StackLimit, Stacks, Threads, Width
from ackclock.cli.stacks import offering
from ackclock.errors import InputError


def reproduce(
    studies: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[STUDY]...",
            help="A study, i.e. one published table or figure (rbcc/table-4.1), all studies of a publication (rbcc), "
            "or a study file (TOML). [bold]ackclock list studies[/bold] prints the names.",
            show_default=False,
        ),
    ] = None,
    all: Annotated[bool, typer.Option("--all", help="Reproduce all studies that ackclock contains.")] = False,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help="Use fewer seeds and shorter runs, and at most two seeds for alternative interpretations (see "
            "--sensitivity). Results can differ from those of a full run.",
        ),
    ] = False,
    json: Json = False,
    out: OutDir = None,
    figures: Figures = None,
    width: Width = None,
    sensitivity: Annotated[
        bool,
        typer.Option(
            help="Also run alternative interpretations of what the publication leaves open, such as an unknown buffer "
            "size, and count how many reverse a result."
        ),
    ] = True,
    threads: Threads = 0,
    judge: Annotated[
        bool,
        typer.Option(
            "--judge",
            help="Simulate nothing: derive the results from the recorded samples that ackclock contains, which takes "
            "seconds. A study without a record, such as your own file, is an error.",
            show_default=False,
        ),
    ] = False,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="For developers: repeat each recorded simulation with its first seed only, note in the records "
            "whether the results are equal, and exit with code 1 if they are not. Of the other options, only --threads "
            "has an effect.",
            show_default=False,
        ),
    ] = False,
    record: Annotated[
        bool,
        typer.Option(
            "--record",
            help="For developers: write the samples of this run into the package's records, which --judge reads.",
            show_default=False,
        ),
    ] = False,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RESULT",
            help='Exit with code 1 if a claim has this result, e.g. "not as printed". "changed" matches a claim '
            "whose result differs from that in the record of the study, if there is a record. In a full run, it also "
            "matches a claim with the recorded result if the interpretations that reverse this result differ from "
            "those in the record. May be given several times.",
            show_default=False,
        ),
    ] = None,
    control: Annotated[
        list[str] | None,
        typer.Option(
            "--control",
            metavar="FILE.py[:CLASS]",
            help="Allow your study files to run the congestion control in this Python file. A study refers to the "
            'control by the file, as in control = "mine.py". May be given several times.',
            show_default=False,
        ),
    ] = None,
    stack: Stacks = None,
    limit: StackLimit = 300,
) -> None:
    """Simulate published experiments, compare the results with the published claims, and write an HTML report.

    Each claim gets a result: as printed; right order, other size (an effect in the right direction, but not of the
    published size); not as printed; undecided (more seeds are needed); cannot tell (the test would also pass if the
    claim were false); or not a test (shown only). Questions that the publication does not ask get yes or no.
    The report counts other interpretations of the publication that reverse a result. A full run tests the claims after
    3, 5, 10, ... seeds, until they are decided or the study's largest number of seeds is reached. A result changes the
    exit code only with [bold]--fail-on[/bold].

    [bold]ackclock reproduce aqm[/bold] runs all queue disciplines through the scenarios of RFC 7928 and writes a page
    that compares them.

    Example: [bold]ackclock reproduce rbcc/table-4.1[/bold]
    """
    if all and studies:
        raise InputError("found --all and names of studies, expected only one of the two")
    if not all and not studies:
        raise InputError("found no study, expected names from `ackclock list studies`, or --all")
    if sum((judge, check, record, quick)) > 1:
        raise InputError(
            "--quick, --judge, --check and --record are mutually exclusive: give only one of them"
        )
    if check:
        reproduce_command.check(studies or [], threads=threads)
        return
    with offering(stack, limit), naming(control or [], studies or []):
        reproduce_command.reproduce(
            studies or [],
            quick=quick,
            as_json=json,
            out=results_folder(out),
            figures=figures or [],
            width=width,
            sensitivity=sensitivity,
            threads=threads,
            fail_on=fail_on or [],
            judge=judge,
            record=record,
        )
