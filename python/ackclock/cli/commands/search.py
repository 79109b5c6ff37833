"""The command ``ackclock search``."""

from __future__ import annotations

from typing import Annotated

import typer

from ackclock._store import results_folder
from ackclock.cli import search as search_command
from ackclock.cli.options import DaskWithoutPython, Json, Limit, OutDir, StacksOfControl, Threads
from ackclock.cli.stacks import offering


def search(
    control: Annotated[
        str,
        typer.Argument(
            metavar="CONTROL",
            help="The congestion control whose worst path is searched for: a name from [bold]ackclock list "
            'controls[/bold], a TOML table such as { name = "cubic", beta = 0.8 }, or FILE.py[:CLASS] for a control in '
            "Python.",
            show_default=False,
        ),
    ],
    objective: Annotated[
        str,
        typer.Option(
            "--for",
            metavar="OBJECTIVE",
            help="Fault to search for. utilisation: an idle link. loss: dropped packets. delay: a long queue. "
            "starvation: another flow gets less than an equal share for 5 s. self-starvation: a flow of CONTROL gets "
            "less than an equal share for 5 s. share: the flows of CONTROL get less than an equal share on average. "
            "harm: the other flows have a low goodput.",
        ),
    ] = "utilisation",
    space: Annotated[
        str | None,
        typer.Option(
            metavar="SPACE",
            help="The family of paths to search: bursts, fades, pauses, paths, mixes, jitters, dualq, changes, routes, "
            "or a scenario file whose \\[sweep] has ranges. Default: bursts for utilisation, paths for loss and delay, "
            "mixes for starvation, self-starvation, share and harm.",
            show_default=False,
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="CONTROL",
            help="Baseline: each path is also run with this control instead of CONTROL, and the search maximises how "
            "much worse CONTROL is. Default: cubic for loss, delay and harm, none for utilisation, starvation, "
            "self-starvation and share.",
            show_default=False,
        ),
    ] = None,
    transport: Annotated[
        str | None,
        typer.Option(
            metavar="TRANSPORT",
            help="Transport of CONTROL and of the control of --against: a name from ackclock list transports, e.g. "
            'quic, or a TOML table such as { name = "rfc", recovery = "sack" }. Default: the transport in the scenario '
            "that is searched.",
            show_default=False,
        ),
    ] = None,
    runs: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=10,
            max=1_000_000,
            help="Largest number of paths that the optimiser tries, each in one run. Further runs, which N does not "
            "count, test the worst paths with more seeds and simplify the worst one.",
        ),
    ] = search_command.RUNS,
    seed: Annotated[
        int,
        typer.Option(
            metavar="N", min=0, max=2**32 - 1, help="Seed with which the optimiser chooses paths at random."
        ),
    ] = search_command.SEED,
    json: Json = False,
    html: Annotated[
        bool,
        typer.Option(
            "--html",
            help="Also simulate the path that was found and write an HTML report with time-series figures into the "
            "folder of --out, as ackclock run --html does.",
        ),
    ] = False,
    stack: StacksOfControl = None,
    limit: Limit = 300,
    out: OutDir = None,
    threads: Threads = 0,
    dask: DaskWithoutPython = None,
) -> None:
    """Find the path on which a congestion control does worst, and write it as a scenario file.

    An optimiser (CMA-ES) varies parameters of a scenario within ranges. The worst paths run again with several seeds,
    and the worst of them is simplified: each parameter that does not matter returns to its value in the scenario that
    is searched. The file is written only if the path is significantly worse than that unchanged scenario, or the
    control fails on the path. Repeating the command gives the same result.

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
