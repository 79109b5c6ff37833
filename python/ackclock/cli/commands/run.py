"""The command ``ackclock run``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ackclock.cli import run as run_command
from ackclock.cli.options import (
    Dask,
    Figures,
    Json,
    ScenarioFile,
    Settings,
    StackLimit,
    Stacks,
    TestedControls,
    Threads,
    Width,
)
from ackclock.cli.stacks import offering


def run(
    file: ScenarioFile,
    set: Settings = None,
    control: TestedControls = None,
    duration: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help='Simulated time, e.g. "30 s"; default: duration in the scenario file.',
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            max=2**53 - 1,
            help="Seed of the first run; default: seed in the scenario file, or 1.",
            show_default=False,
        ),
    ] = None,
    replications: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Number of runs of each point of the sweep, with consecutive seeds; \\[precision] in the scenario "
            "file is then ignored. Default: replications in the scenario file, or 1.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
    html: Annotated[
        bool,
        typer.Option(
            "--html",
            help="Write an HTML report into the folder of --out: tables, time-series figures, and the command that "
            "writes this report.",
        ),
    ] = False,
    series: Annotated[
        bool,
        typer.Option(
            "--series",
            help="Also write time series of each flow and link, such as congestion window and queue length, as "
            "Parquet; needs --out DIR.",
        ),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Write the results into this folder as CSV and Parquet. Finished runs, except those of a control in "
            "Python, are cached in DIR/runs and reused. Default: no tables are written, and runs are cached below "
            "the folder in the environment variable ACKCLOCK_RESULTS, or below ackclock-results in the home folder.",
            show_default=False,
        ),
    ] = None,
    figures: Figures = None,
    width: Width = None,
    plot: Annotated[
        list[str] | None,
        typer.Option(
            metavar="METRIC",
            help='Plot this metric, with an optional unit, e.g. "rtt_p95_s \\[ms]", versus a swept parameter instead '
            'of drawing the default figures. The metric "completions" plots the distribution of completion times, and '
            "needs no sweep. The file is a PDF unless --figures names another format. May be given several times.",
            show_default=False,
        ),
    ] = None,
    place: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=PLACE",
            help="Choose where a figure of --plot shows NAME. PLACE is x (the horizontal axis), rows or columns (of "
            "panels), or colour, e.g. limit_bdp=x. NAME is a swept parameter or one of the words metric, group "
            "(groups of flows) and class (classes of transfer sizes). May be given several times.",
            show_default=False,
        ),
    ] = None,
    latex: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Also write summary.tex into the folder of --out: a LaTeX table with a row for each point of the "
            'sweep and this metric as a column, with an optional unit, e.g. "rtt_p95_s \\[ms]". Needs --out DIR. May '
            "be given several times.",
            show_default=False,
        ),
    ] = None,
    label: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=TEXT",
            help="Show TEXT for NAME in figures, LaTeX tables and the report. NAME is a swept parameter, a metric, a "
            "value, or the name of a flow, group or link; brackets at the end of TEXT are its unit, e.g. "
            '"limit_bdp=Buffer (BDP)", sack=Reno. May be given several times.',
            show_default=False,
        ),
    ] = None,
    scale: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=SCALE",
            help="Scale of the axis of a swept parameter or metric in figures: linear (begins at zero), log, fitted "
            "(spans the values) or category (values at equal distances), e.g. limit_bdp=log. May be given several "
            "times.",
            show_default=False,
        ),
    ] = None,
    export: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FORMAT[=WHERE]",
            help="Export the run for other tools into DIR/exports, whose previous contents are deleted; needs --out "
            "DIR and a scenario with a single run. FORMAT is pcapng (WHERE: senders, receivers, LINK for packets after "
            "its queue, or before:LINK), qlog (WHERE: a flow; default: all), events (the input of the congestion "
            "controls, as Parquet; events=csv for CSV), flent, or mahimahi (WHERE: a link or a flow). May be given "
            "several times.",
            show_default=False,
        ),
    ] = None,
    payloads: Annotated[
        bool,
        typer.Option(
            "--payloads",
            help="Write payloads, all zeros, into the captures of --export pcapng; default: headers only.",
        ),
    ] = False,
    threads: Threads = 0,
    point: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Run only the Nth point of the sweep, counted from 1; default: all points.",
            show_default=False,
        ),
    ] = None,
    dask: Dask = None,
    stack: Stacks = None,
    limit: StackLimit = 300,
    expect: Annotated[
        list[str] | None,
        typer.Option(
            metavar="EXPECTATION",
            help="Exit with code 1 unless this comparison holds, e.g. "
            '"flows.cubic.rtt_p95_s < 0.08" (in s, as the name ends in _s). It compares fairness or a field of '
            "flows.NAME, groups.NAME or links.NAME with a number; groups.NAME.goodput_bps is the total of the group's "
            "flows. With replications, the whole 95 % interval of the "
            "mean must satisfy it; in a sweep, it must hold at every point. It fails if a run has no value. May be "
            "given several times.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Simulate a scenario file, with all points of a sweep and all replications, and print metrics of flows and links.

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
            width=width,
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
            controls=control or [],
        )
