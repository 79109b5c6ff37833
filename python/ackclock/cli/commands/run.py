"""The command ``ackclock run``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ackclock.cli import run as run_command
from ackclock.cli.options import Dask, Figures, Json, Limit, ScenarioFile, Settings, Stacks, Threads
from ackclock.cli.stacks import offering


def run(
    file: ScenarioFile,
    set: Settings = None,
    control: Annotated[
        str | None,
        typer.Option(
            metavar="CONTROL",
            help='Control of the flows called "tested": a name, a table in TOML, or FILE.py or FILE.py:CLASS, as for '
            "what ackclock search found.",
            show_default=False,
        ),
    ] = None,
    duration: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help='Simulated time, e.g. "30 s"; default: that of the scenario.',
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=0, max=2**53 - 1, help="First seed; default: the scenario's.", show_default=False
        ),
    ] = None,
    replications: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Number of runs, with consecutive seeds; default: the scenario's.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
    html: Annotated[
        bool,
        typer.Option(
            "--html", help="Write a report: tables, figures over time, and the command that makes it."
        ),
    ] = False,
    series: Annotated[
        bool,
        typer.Option("--series", help="Also write the values of flows and links over time; needs --out DIR."),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Write the results to this folder as CSV and "
            "Parquet. Finished runs are cached in DIR/runs, where a second run "
            "finds them; without this option DIR is $ACKCLOCK_RESULTS, or else ackclock-results in the home folder.",
            show_default=False,
        ),
    ] = None,
    figures: Figures = None,
    plot: Annotated[
        list[str] | None,
        typer.Option(
            metavar="METRIC",
            help='Draw this metric of a sweep, in a unit of choice, e.g. "rtt_p95_s \\[ms]", in place of the figures '
            "that --figures draws by default; as pdf unless --figures names a format. May be given several times.",
            show_default=False,
        ),
    ] = None,
    place: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=PLACE",
            help="Where the figures of --plot have a swept axis, metric or group: x, rows, columns or colour, e.g. "
            "limit_bdp=x. May be given several times.",
            show_default=False,
        ),
    ] = None,
    latex: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Also write DIR/summary.tex, a table for a paper with this column of the summary, in a unit of "
            'choice, e.g. "rtt_p95_s \\[ms]"; needs --out DIR. May be given several times.',
            show_default=False,
        ),
    ] = None,
    label: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=TEXT",
            help="The name of an axis, a quantity, a value, a group, a link or a flow in figures, tables for LaTeX and "
            'the report; brackets at its end are its unit, e.g. "limit_bdp=Buffer (BDP)", sack=Reno. May be given '
            "several times.",
            show_default=False,
        ),
    ] = None,
    scale: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=SCALE",
            help="The scale of a swept axis or a quantity in figures: linear (from zero), log, fitted (to the values) "
            "or category (at equal distances), e.g. limit_bdp=log. May be given several times.",
            show_default=False,
        ),
    ] = None,
    export: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FORMAT[=WHERE]",
            help="Write the run into DIR/exports as pcapng, qlog, events, flent or mahimahi; needs --out DIR. May be "
            "given several times.",
            show_default=False,
        ),
    ] = None,
    payloads: Annotated[
        bool,
        typer.Option("--payloads", help="Put payloads (zeros) into exported captures, not only headers."),
    ] = False,
    threads: Threads = 0,
    point: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Run only this point of the sweep, counted from 1.", show_default=False
        ),
    ] = None,
    dask: Dask = None,
    stack: Stacks = None,
    limit: Limit = 300,
    expect: Annotated[
        list[str] | None,
        typer.Option(
            metavar="EXPECTATION",
            help='Exit with code 1 unless this holds, e.g. "flows.cubic.rtt_p95_s < 0.08": fairness, or a number of '
            "flows.NAME, groups.NAME or links.NAME, in the unit that its name ends in. With replications the whole "
            "95 % interval must satisfy it, in a sweep at every point. May be given several times.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Run one scenario file: every point of its sweep, every replication.

    Examples: [bold]ackclock run dumbbell.toml --replications 10 --out results[/bold],
    [bold]ackclock run dumbbell.toml --set dumbbell.bottleneck.rate="20 Mbit/s" --html[/bold]
    """
    with offering(stack, limit):
        run_command.run(
            file,
            settings=set or [],
            duration=duration,
            seed=seed,
            replications=replications,
            as_json=json,
            html=html,
            series=series,
            out=out,
            figures=figures or [],
            latex=latex or [],
            plots=plot or [],
            places=place or [],
            labels=label or [],
            scales=scale or [],
            exports=export or [],
            payloads=payloads,
            threads=threads,
            point=point,
            dask=dask,
            expect=expect or [],
            control=control,
        )
