"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

ScenarioFile = Annotated[
    Path,
    typer.Argument(
        metavar="FILE", help="A scenario file (TOML), or - for standard input.", show_default=False
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PATH=VALUE",
        help='Set a value of the scenario, e.g. dumbbell.bottleneck.rate="20 Mbit/s". May be given several times.',
        show_default=False,
    ),
]
OutDir = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="DIR",
        help="Folder for finished runs and for what the command writes; default: $ACKCLOCK_RESULTS, or else "
        "ackclock-results in the home folder.",
        show_default=False,
    ),
]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON document and nothing else on standard output.")
]
Threads = Annotated[
    int,
    typer.Option(
        "--threads", metavar="N", min=0, help="Number of runs at the same time; 0 means one per core."
    ),
]
Stacks = Annotated[
    list[str] | None,
    typer.Option(
        "--stack",
        metavar="PATH[,KEY=VALUE]",
        help="Load a QUIC stack from this shared library, for transports of its name; each run has a process "
        "of its own. KEY=VALUE after commas are the library's options. May be given several times.",
        show_default=False,
    ),
]
Limit = Annotated[
    float,
    typer.Option(
        metavar="SECONDS",
        min=1,
        help="The longest time that a run of a control in Python may take, or the longest CPU time of a run "
        "with --stack.",
    ),
]
Dask = Annotated[
    str | None,
    typer.Option(
        "--dask",
        metavar="ADDRESS",
        help="Run on the workers of the Dask scheduler at this address, e.g. tcp://host:8786.",
        show_default=False,
    ),
]
Figures = Annotated[
    list[str] | None,
    typer.Option(
        "--figures",
        metavar="FORMAT",
        help="Also write each figure as a separate file: pdf, svg, png or csv. May be given several times.",
        show_default=False,
    ),
]
