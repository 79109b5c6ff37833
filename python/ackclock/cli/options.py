"""Options that several commands share."""

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
        help="Override a value of the scenario file, named by its dotted path, e.g. flows.tcp.count=8. A key that the "
        "scenario's sweep varies then has only this value. May be given several times.",
        show_default=False,
    ),
]
OutDir = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="DIR",
        help="Folder for the files that the command writes. Finished runs, except those of a control in Python, are "
        "cached in DIR/runs and reused. Default: the folder in the environment variable ACKCLOCK_RESULTS, or "
        "ackclock-results in the home folder.",
        show_default=False,
    ),
]
Json = Annotated[
    bool,
    typer.Option(
        "--json", help="Print the results as one JSON document, and nothing else, on standard output."
    ),
]
Threads = Annotated[
    int,
    typer.Option(
        "--threads",
        metavar="N",
        min=0,
        help="Number of runs that this machine simulates in parallel; 0: one per CPU core.",
    ),
]
Stacks = Annotated[
    list[str] | None,
    typer.Option(
        "--stack",
        metavar="PATH[,KEY=VALUE]",
        help="Load a QUIC stack from the shared library PATH (Linux). Flows select the stack by its name, as their "
        "transport. KEY=VALUE passes an option to the library. May be given several times.",
        show_default=False,
    ),
]
StacksOfControl = Annotated[
    list[str] | None,
    typer.Option(
        "--stack",
        metavar="PATH[,KEY=VALUE]",
        help="Load a QUIC stack NAME from the shared library PATH (Linux). Its controls, e.g. NAME:cubic, require "
        "--transport NAME. With --transport NAME, controls that are not from this stack run over ackclock's QUIC. "
        "KEY=VALUE passes an option to the library. May be given several times.",
        show_default=False,
    ),
]
StacksOfControls = Annotated[
    list[str] | None,
    typer.Option(
        "--stack",
        metavar="PATH[,KEY=VALUE]",
        help="Load a QUIC stack NAME from the shared library PATH (Linux), to compare its controls, e.g. NAME:cubic. "
        "The stack runs no other controls; ackclock's controls require a transport, e.g. bbrv3@quic. KEY=VALUE "
        "passes an option to the library. May be given several times.",
        show_default=False,
    ),
]
TestedControls = Annotated[
    list[str] | None,
    typer.Option(
        "--control",
        metavar="CONTROL",
        help='Congestion control of the flows named "tested" in a scenario: a name from ackclock list controls, a TOML '
        'table such as { name = "cubic", beta = 0.8 }, or FILE.py[:CLASS] for a control in Python. A file that '
        'the scenario names, as in control = "mine.py", runs only with --control mine.py. May be given several times. '
        "Default: the controls in the scenario file.",
        show_default=False,
    ),
]
StackLimit = Annotated[
    float,
    typer.Option(
        metavar="SECONDS",
        min=1,
        help="Longest CPU time of a run with a stack loaded by --stack. A run that needs more, or ten times as much "
        "wall-clock time, fails. Other runs have no limit.",
    ),
]
Limit = Annotated[
    float,
    typer.Option(
        metavar="SECONDS",
        min=1,
        help="Longest time of a run: wall-clock time with a control in Python, CPU time with a stack loaded by "
        "--stack. A run that needs more counts as failed. Other runs have no limit.",
    ),
]
Dask = Annotated[
    str | None,
    typer.Option(
        "--dask",
        metavar="ADDRESS",
        help="Simulate on the workers of the Dask scheduler at this address, e.g. tcp://host:8786, instead of on this "
        "machine. Runs with a stack loaded by --stack are refused.",
        show_default=False,
    ),
]
DaskWithoutPython = Annotated[
    str | None,
    typer.Option(
        "--dask",
        metavar="ADDRESS",
        help="Simulate on the workers of the Dask scheduler at this address, e.g. tcp://host:8786; only runs of a "
        "control in Python stay on this machine. Runs with a stack loaded by --stack are refused.",
        show_default=False,
    ),
]
Width = Annotated[
    str | None,
    typer.Option(
        "--width",
        metavar="WIDTH",
        help="Width of the figure files: a number of inches, or column (3.5 inches) or page (7.16 inches) for one or "
        "both columns of a two-column paper. Default: column for figures with up to two panels side by side, page for "
        "those with more.",
        show_default=False,
    ),
]
Figures = Annotated[
    list[str] | None,
    typer.Option(
        "--figures",
        metavar="FORMAT",
        help="Also write each figure in this format (pdf, svg, png or csv), into the subfolder figures of the --out "
        "folder. May be given several times.",
        show_default=False,
    ),
]
