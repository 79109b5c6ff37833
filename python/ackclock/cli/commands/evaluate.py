"""The command ``ackclock evaluate``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ackclock._store import results_folder
from ackclock.cli import evaluate as evaluate_command
from ackclock.cli import evaluate_files, evaluate_queue
from ackclock.cli.options import DaskWithoutPython, Json, Limit, OutDir, StacksOfControl, Threads
from ackclock.cli.stacks import offering
from ackclock.errors import InputError


def evaluate(
    context: typer.Context,
    control: Annotated[
        str,
        typer.Argument(
            metavar="CONTROL",
            help="The congestion control to evaluate: a name from [bold]ackclock list controls[/bold], a TOML table "
            'such as { name = "cubic", beta = 0.8 }, or FILE.py[:CLASS] for a control in Python. Instead of a control: '
            "[bold]list[/bold] prints the scenarios, [bold]copy[/bold] writes a scenario into a file, and "
            "[bold]queue[/bold] evaluates a queue discipline.",
            show_default=False,
        ),
    ],
    more: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME FILE]",
            help="Arguments of list, copy or queue, if CONTROL is one of these words. [bold]list[/bold] NAME prints "
            "the scenario NAME in full. [bold]copy[/bold] NAME FILE writes the scenario NAME into FILE; with "
            "NAME/SETTING, it writes only that setting, as a scenario for ackclock run. [bold]queue[/bold] DISCIPLINE "
            "evaluates a queue discipline, such as codel.",
            show_default=False,
        ),
    ] = None,
    against: Annotated[
        str,
        typer.Option(
            metavar="CONTROLS",
            help="The reference controls, separated by commas: each runs instead of CONTROL in the same scenarios, "
            "and CONTROL is compared with each of them. For each condition in each setting, the most favourable "
            "verdict of these comparisons counts.",
        ),
    ] = "cubic,sack",
    beside: Annotated[
        str | None,
        typer.Option(
            metavar="CONTROL",
            help="Evaluate a second control in the same scenarios, and print its verdicts next to those of CONTROL. "
            "--answers, --compare and --fail-on apply to CONTROL only.",
            show_default=False,
        ),
    ] = None,
    full: Annotated[
        bool,
        typer.Option(
            "--full/--quick",
            help="--full: all settings (paths, numbers of flows) of each scenario, with up to 10 seeds; the whole "
            "evaluation takes about an hour of CPU time. --quick: fewer settings, shorter runs and 5 seeds.",
        ),
    ] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SCENARIO",
            help="Evaluate only this: a scenario (N-01-outage), a section of RFC 9743 (5.1.1), a set of scenarios "
            "(flent), or a scenario file (TOML); ackclock evaluate list prints the names. May be given several times.",
            show_default=False,
        ),
    ] = None,
    sets: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="SET",
            help="Also run this published set of scenarios: common-tcp, flent, teacup or picoquic. The set "
            "gets a separate verdict, which does not affect those on RFC 9743. May be given several times.",
            show_default=False,
        ),
    ] = None,
    transport: Annotated[
        str | None,
        typer.Option(
            metavar="TRANSPORT",
            help="Transport of CONTROL and of the reference controls: a name from ackclock list transports, e.g. quic, "
            'or a TOML table such as { name = "rfc", recovery = "sack" }. Default: the transport in each scenario.',
            show_default=False,
        ),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=2,
            max=1000,
            help="Number of seeds per setting (path, number of flows); default: 5. With --full, the largest number of "
            "seeds per setting; default: 10. A full evaluation adds seeds to a setting only while more seeds could "
            "change the verdict.",
            show_default=False,
        ),
    ] = None,
    most_packets: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Leave out settings in which the links could carry more than N packets in a run, to save time; the "
            "report gives the number of settings left out. Default: no limit.",
            show_default=False,
        ),
    ] = None,
    answers: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="TOML file with the answers of the control's author. \\[exempt] gives the reason why a criterion of "
            'section 7 of RFC 9743 does not apply to CONTROL, e.g. N-17 = "not for constrained nodes"; \\[process] '
            "states how the requirements of RFC 9743 on the specification and the standards process are met, "
            'e.g. PR-8 = "...".',
            show_default=False,
        ),
    ] = None,
    json: Json = False,
    html: Annotated[
        bool, typer.Option("--html", help="Also write a report as one HTML file into the folder of --out.")
    ] = False,
    plan: Annotated[
        bool,
        typer.Option(
            "--plan",
            help="Print the number of runs and the CPU time that they are expected to take, and exit. A few short "
            "runs measure the speed of this machine.",
        ),
    ] = False,
    compare: Annotated[
        Path | None,
        typer.Option(
            metavar="RECORD",
            help="Compare with an earlier evaluation, and exit with code 1 if CONTROL is worse: a run fails, a "
            "condition has a worse verdict, or a metric is significantly worse or lacks a value in more runs. RECORD "
            "is a file with the output of --json, or the name of a control whose evaluation ackclock contains, e.g. "
            "cubic. Both evaluations need the same --against, --full or --quick, --seeds and --most-packets; most "
            "evaluations that ackclock contains were made with --full.",
            show_default=False,
        ),
    ] = None,
    thresholds: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="TOML file with options of --compare. tolerance: a metric counts as worse only if it is worse "
            "by more than this fraction; default: 0.05. \\[metrics]: tolerances for individual metrics. ignore: "
            "scenarios and metrics that are not compared.",
            show_default=False,
        ),
    ] = None,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            metavar="VERDICT",
            help="Exit with code 1 if a criterion of RFC 9743, or a set of scenarios chosen with --set, has this "
            "verdict, e.g. CONCERN. May be given several times.",
            show_default=False,
        ),
    ] = None,
    stack: StacksOfControl = None,
    limit: Limit = 300,
    control_of_copy: Annotated[
        str,
        typer.Option(
            "--control",
            metavar="CONTROL",
            help="Only for ackclock evaluate copy NAME/SETTING FILE: the congestion control of the flows under test in "
            "the scenario that is written into FILE.",
        ),
    ] = "cubic",
    out: OutDir = None,
    threads: Threads = 0,
    dask: DaskWithoutPython = None,
) -> None:
    """Evaluate by the criteria of RFC 9743 whether a congestion control is safe to deploy.

    The control runs in scenarios for the criteria, and the reference controls run in its place with the same random
    numbers. Each criterion gets one of these verdicts. "OK": within all limits. "CONCERN": outside a limit, or a run of
    the control failed; this needs an explanation. "as standard controls": outside a limit, but not significantly
    farther than a reference control. "undecided": more seeds are needed. "no limit": the measured numbers have no
    limit. "EXEMPT": --answers excludes the criterion, or it is only for multipath controls. "not evaluated": nothing
    was run. A verdict changes the exit code only with --fail-on. Repeat an interrupted command to resume it (not with
    controls in Python).

    Examples: [bold]ackclock evaluate bbrv3 --html[/bold], [bold]ackclock evaluate mine.py --only 5.1.3[/bold],
    [bold]ackclock evaluate bbrv3 --beside cubic --html[/bold],
    [bold]ackclock evaluate list[/bold], [bold]ackclock evaluate copy N-03 loss.toml[/bold]

    To evaluate a queue discipline by RFC 7928: [bold]ackclock evaluate queue codel[/bold]. --only then selects a
    section of RFC 7928, e.g. 5.2; the other options are --full, --json, --html, --out and --threads.
    """
    words = more or []
    if control == evaluate_files.COPY:
        if len(words) != 2:
            raise InputError(
                "copy: expected the name of a scenario and a file, as in `ackclock evaluate copy N-03 loss.toml`"
            )
        evaluate_files.copy(words[0], Path(words[1]), control_of_copy)
        return
    if control == evaluate_files.LIST and words:
        for name in words:
            evaluate_files.show_scenario(name)
        return
    if control == evaluate_queue.QUEUE:
        if len(words) != 1:
            raise InputError("queue: expected one queue discipline, as in `ackclock evaluate queue codel`")
        _only_of_queues(context)
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


OF_QUEUES = ("control", "more", "full", "only", "json", "html", "out", "threads")
"""The parameters that ``ackclock evaluate queue`` accepts."""


def _only_of_queues(context: typer.Context) -> None:
    """Raises InputError for an option that ``ackclock evaluate queue`` does not accept."""
    params = context.command.params
    taken = [one.opts[0] for one in params if one.name in OF_QUEUES and one.opts[0].startswith("--")]
    for one in params:
        source = context.get_parameter_source(one.name or "")
        if source is not None and source.name == "COMMANDLINE" and one.name not in OF_QUEUES:
            raise InputError(f"{one.opts[0]}: `ackclock evaluate queue` accepts only {', '.join(taken)}")
