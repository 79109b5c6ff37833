"""The command ``ackclock search``."""

from __future__ import annotations

from typing import Annotated

import typer

from ackclock._store import results_folder
from ackclock.cli import search as search_command
from ackclock.cli.options import Dask, Json, Limit, OutDir, Stacks, Threads
from ackclock.cli.stacks import offering


def search(
    control: Annotated[
        str,
        typer.Argument(
            metavar="CONTROL",
            help="A control of the registry, its table in TOML, or FILE.py[:CLASS] for one in Python.",
            show_default=False,
        ),
    ],
    objective: Annotated[
        str,
        typer.Option(
            "--for",
            metavar="OBJECTIVE",
            help="What to look for: utilisation, loss, delay, starvation, self-starvation or harm.",
        ),
    ] = "utilisation",
    space: Annotated[
        str | None,
        typer.Option(
            metavar="SPACE",
            help="Where to look: bursts, fades, pauses, paths, mixes, jitters, dualq, changes, routes, or a scenario "
            "file whose sweep has ranges; default: what suits the objective.",
            show_default=False,
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="CONTROL",
            help="Subtract the result of this control in the place of the control under search; default: "
            "CUBIC's result, or nothing.",
            show_default=False,
        ),
    ] = None,
    transport: Annotated[
        str | None,
        typer.Option(
            metavar="TRANSPORT",
            help="The transport of the control, and of CUBIC in its place: a name, or a table in TOML.",
            show_default=False,
        ),
    ] = None,
    runs: Annotated[
        int, typer.Option(metavar="N", min=10, max=1_000_000, help="Number of points to try.")
    ] = 500,
    seed: Annotated[int, typer.Option(metavar="N", min=0, max=2**32 - 1, help="Seed of the search.")] = 1,
    json: Json = False,
    html: Annotated[
        bool,
        typer.Option(
            "--html",
            help="Also write a report of what was found, as `ackclock run --html` does: figures over time.",
        ),
    ] = False,
    stack: Stacks = None,
    limit: Limit = 300,
    out: OutDir = None,
    threads: Threads = 0,
    dask: Dask = None,
) -> None:
    """Find the path on which a congestion control does worst, and write it as a scenario.

    An optimiser (CMA-ES) varies the ranges of a space. The worst points run again with several seeds, and the worst of
    them is shrunk: what does not matter goes back to the space's own values. The same command gives the same result;
    finished runs are kept.

    Examples: [bold]ackclock search newreno --for utilisation[/bold], [bold]ackclock search bbrv3 --for harm[/bold]
    """
    with offering(stack, limit):
        search_command.search(
            control,
            objective=objective,
            space=space,
            against=against,
            transport=transport,
            runs=runs,
            seed=seed,
            as_json=json,
            html=html,
            limit_s=limit,
            threads=threads,
            dask=dask,
            out=results_folder(out),
        )
