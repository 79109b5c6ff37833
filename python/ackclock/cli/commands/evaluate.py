"""The command ``ackclock evaluate``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ackclock._store import results_folder
from ackclock.cli import evaluate as evaluate_command
from ackclock.cli import evaluate_files, evaluate_queue
from ackclock.cli.options import Dask, Json, Limit, OutDir, Stacks, Threads
from ackclock.cli.stacks import offering
from ackclock.errors import InputError


def evaluate(
    control: Annotated[
        str,
        typer.Argument(
            metavar="CONTROL",
            help="A control of the registry, its table in TOML, or FILE.py[:CLASS] for one in Python; or "
            "[bold]list[/bold] [NAME], [bold]copy[/bold] NAME FILE, or [bold]queue[/bold] DISCIPLINE.",
            show_default=False,
        ),
    ],
    more: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME FILE]",
            help="The NAME for [bold]list[/bold], the NAME and FILE for [bold]copy[/bold], or the DISCIPLINE "
            "for [bold]queue[/bold].",
            show_default=False,
        ),
    ] = None,
    against: Annotated[
        str,
        typer.Option(
            metavar="CONTROLS",
            help="The reference controls, separated by commas, that replace the control under test; the first "
            "is the main reference.",
        ),
    ] = "cubic,sack",
    beside: Annotated[
        str | None,
        typer.Option(
            metavar="CONTROL",
            help="Another control, evaluated in the same scenarios and shown next to the first.",
            show_default=False,
        ),
    ] = None,
    full: Annotated[
        bool,
        typer.Option(
            "--full/--quick",
            help="The full grid with up to 10 seeds, which takes an hour of CPU time, or the quick one with 5.",
        ),
    ] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SCENARIO",
            help="Run only this: a scenario of the list, a section of the RFC, a set, or a file. May be given "
            "several times.",
            show_default=False,
        ),
    ] = None,
    sets: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="SET",
            help="Run this set of scenarios as well: common-tcp, flent, teacup or picoquic. May be given several "
            "times.",
            show_default=False,
        ),
    ] = None,
    transport: Annotated[
        str | None,
        typer.Option(
            metavar="TRANSPORT",
            help="The transport of the control and of its references: a name, or a table in TOML.",
            show_default=False,
        ),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=2,
            max=1000,
            help="The largest number of seeds of each setting.",
            show_default=False,
        ),
    ] = None,
    most_packets: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Leave out settings whose links could carry more packets in a run, for stacks that take long; the "
            "report counts them.",
            show_default=False,
        ),
    ] = None,
    answers: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The author's answers (TOML): special cases that the control is not meant for, and the RFC's "
            "questions about the document and the process.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
    html: Annotated[bool, typer.Option("--html", help="Write a report too, as one HTML file.")] = False,
    plan: Annotated[
        bool, typer.Option("--plan", help="Print what would run and its cost, and stop.")
    ] = False,
    compare: Annotated[
        Path | None,
        typer.Option(
            metavar="RECORD",
            help="Exit with 1 if the control is worse, beyond noise, than in this output of --json, or than a recorded "
            "control such as cubic (of --full).",
            show_default=False,
        ),
    ] = None,
    thresholds: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The file of thresholds that say which change counts as worse (TOML); needs --compare.",
            show_default=False,
        ),
    ] = None,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            metavar="VERDICT",
            help="Exit with 1 if a criterion has this verdict, such as CONCERN. May be given several times.",
            show_default=False,
        ),
    ] = None,
    stack: Stacks = None,
    limit: Limit = 300,
    control_of_copy: Annotated[
        str, typer.Option("--control", metavar="CONTROL", help="The control that copy writes into the file.")
    ] = "cubic",
    out: OutDir = None,
    threads: Threads = 0,
    dask: Dask = None,
) -> None:
    """Evaluate a congestion control by RFC 9743: is it safe to deploy?

    The control runs in scenarios for the criteria of the RFC, and standard controls take its place with the same random
    numbers. Each criterion gets a verdict: OK, CONCERN (not met, which needs an explanation), undecided, as
    standard controls, no limit, EXEMPT. A verdict changes the exit code only with --fail-on. Finished runs of
    registered controls are kept, and the same command continues from them.

    Examples: [bold]ackclock evaluate bbrv3 --html[/bold], [bold]ackclock evaluate mine.py --only 5.1.3[/bold],
    [bold]ackclock evaluate bbrv3 --beside cubic --html[/bold],
    [bold]ackclock evaluate list[/bold], [bold]ackclock evaluate copy N-03 loss.toml[/bold]

    [bold]ackclock evaluate queue codel[/bold] evaluates a queue discipline by RFC 7928; --only takes its sections.
    """
    words = more or []
    if control == evaluate_files.COPY:
        if len(words) != 2:
            raise InputError(
                "copy needs the name of a scenario and a file: `ackclock evaluate copy N-03 loss.toml`"
            )
        evaluate_files.copy(words[0], Path(words[1]), control_of_copy)
        return
    if control == evaluate_files.LIST and words:
        for name in words:
            evaluate_files.show_scenario(name)
        return
    if control == evaluate_queue.QUEUE:
        if len(words) != 1:
            raise InputError("queue needs a discipline: `ackclock evaluate queue codel`")
        evaluate_queue.evaluate(
            words[0],
            full=full,
            only=only or [],
            as_json=json,
            html=html,
            threads=threads,
            out=results_folder(out),
        )
        return
    if words:
        raise InputError(f'found "{words[0]}" after {control}, expected only options')
    if control == evaluate_files.LIST:
        evaluate_files.show_list()
        return
    with offering(stack, limit):
        no_worse = evaluate_command.evaluate(
            control,
            against=against,
            beside=beside,
            full=full,
            only=only or [],
            sets=sets or [],
            transport=transport,
            seeds=seeds,
            most_packets=most_packets,
            answers=answers,
            as_json=json,
            html=html,
            plan_only=plan,
            compare=compare,
            thresholds=thresholds,
            fail_on=fail_on or [],
            limit_s=limit,
            threads=threads,
            dask=dask,
            out=results_folder(out),
        )
    if not no_worse:
        raise typer.Exit(1)
