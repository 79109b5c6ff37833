"""The command ``ackclock reference-traces``."""

from __future__ import annotations

from typing import Annotated

import typer

from ackclock._store import results_folder
from ackclock.cli import reference_traces as reference_traces_command
from ackclock.cli.options import OutDir


def reference_traces(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Make only these traces; default: all.", show_default=False),
    ] = None,
    out: OutDir = None,
) -> None:
    """Make reference traces of congestion control, for comparison with other implementations.

    Each is a scenario, its qlog, its event log and a figure: the test cases of BBR's draft that a scenario can express,
    CUBIC, HyStart++, PRR and RACK. They are written as a folder and as one archive; equal versions give equal archives.

    Examples: [bold]ackclock reference-traces --out traces[/bold], [bold]ackclock reference-traces cubic[/bold]
    """
    reference_traces_command.reference_traces(names or [], results_folder(out))
