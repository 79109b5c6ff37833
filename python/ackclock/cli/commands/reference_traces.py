"""The command ``ackclock reference-traces``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ackclock._store import results_folder
from ackclock.cli import reference_traces as reference_traces_command


def reference_traces(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...", help="Write only these traces, e.g. cubic; default: all.", show_default=False
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Where to write the folder of traces and its zip archive. Default: the folder in the environment "
            "variable ACKCLOCK_RESULTS, or ackclock-results in the home folder.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Simulate one sender over known paths, and write its logs for comparison with your own implementation.

    The traces cover the test cases of the BBR draft that a scenario can express, CUBIC, HyStart++, PRR and RACK. Each
    consists of a scenario, a qlog, an event log (CSV) and a figure. They are written as a folder, which replaces the
    folder of an earlier run, and as a zip archive. The same version of ackclock always writes the same traces.

    Examples: [bold]ackclock reference-traces --out traces[/bold], [bold]ackclock reference-traces cubic[/bold]
    """
    reference_traces_command.reference_traces(names or [], results_folder(out))
