"""``ackclock search``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from ackclock._files import replacing, writable
from ackclock.cli.evaluate import plain, stem_of
from ackclock.cli.terminal import console, print_json, progress_bar, shown, warn

if TYPE_CHECKING:
    from ackclock._search.run import SearchResult
    from ackclock._search.space import Space
    from ackclock.evaluation.contenders import Contender

RUNS = 500
"""The default number of points that the optimiser tries."""

SEED = 1
"""The default seed of the optimiser."""

BAD = 0.5
"""If the objective has at least this value in the unchanged scenario, the search says that a path can hardly be worse.
The largest value of most objectives is 1.
"""


def search(
    control: str,
    *,
    objective: str,
    space: str | None,
    against: str | None,
    transport: str | None,
    runs: int,
    seed: int,
    as_json: bool,
    html: bool,
    limit_s: float,
    threads: int,
    dask: str | None,
    out: Path,
) -> None:
    """Runs a search, prints the worst path that it found, and writes that path as a scenario file."""
    from ackclock._cluster import workers_at
    from ackclock._numbers import number_of, significant, with_ends
    from ackclock._search.entry import command, named
    from ackclock._search.report import as_document, scenario_of
    from ackclock._search.run import Search
    from ackclock._store import Store

    tested, wanted, chosen, reference = named(control, objective, space, against, transport)
    writable(out)
    with workers_at(dask, threads) as pool, progress_bar(f"search {control}") as progress:
        found = Search(
            tested,
            wanted,
            chosen,
            reference=reference,
            runs=runs,
            seed=seed,
            store=Store(out),
            pool=pool,
            threads=threads,
            limit_s=limit_s,
            progress=progress,
        ).find()
    made_by = command(control, objective, space, against, transport, runs=runs, seed=seed)
    parts = ["search", stem_of(control), objective]
    parts += [] if space in (None, wanted.space) else [Path(space).stem]
    parts += [] if against is None else ["against", stem_of(against)]
    parts += [] if transport is None else [transport]
    # Another budget or seed is another search: its scenario and its report do not replace those of the first.
    parts += [] if runs == RUNS else ["runs", str(runs)]
    parts += [] if seed == SEED else ["seed", str(seed)]
    path = out / f"{'-'.join(map(plain, parts))}.toml" if found.is_find else None
    report = None
    if path is not None:
        with replacing(path) as unfinished:
            unfinished.write_text(scenario_of(found, chosen, tested, wanted, made_by), encoding="utf-8")
        report = _report(path, found, chosen, tested, threads) if html else None
    if as_json:
        print_json(
            as_document(
                found,
                chosen,
                command=made_by,
                control=control,
                objective=objective,
                against=against,
                scenario=None if path is None else str(path),
                report=None if report is None else str(report),
            )
        )
        return
    say, finding = console(), found.finding
    say.print(Text(f"{control}, {objective}: {wanted.text}", style="bold"))
    over = f"mean of the objective over {len(found.samples)} seeds"
    say.print(f"worst path {significant(found.badness, 3)}: {over}")
    say.print(
        f"unchanged  {significant(found.harmless, 3)}: {over} in the unchanged scenario of {chosen.file}"
    )
    more = with_ends(finding.estimate, finding.interval)
    say.print(
        f"difference {more}: worst path minus unchanged scenario, "
        f"mean over {finding.seeds} seeds not used in the search"
    )
    if path is None:
        say.print(
            Text(
                f"none of the paths tried (at most {runs:,}) is significantly worse than the unchanged scenario: no "
                "file is written"
            )
        )
        if found.harmless >= BAD:
            say.print(
                Text(
                    f"The objective is already {significant(found.harmless, 3)} in the unchanged scenario, which "
                    "leaves little room for a worse path."
                )
            )
        return
    values = chosen.overrides(found.values)
    for place, (name, value) in enumerate(values.items()):
        say.print(f"{'' if place else 'with':<10} {name} = {value}")
    if not values:
        say.print(
            "with       no changes: in the unchanged scenario, the objective is about as large as on the worst path"
        )
    if found.all_failed:
        here = (
            f"in {found.failed} of {len(found.samples)} runs of this scenario and in "
            f"{number_of(found.all_failed, 'run')} of the whole search"
        )
        say.print(
            Text(
                f"failed     {here}; for each failed run, the control's value of the objective is set to 1, the worst. "
                f"First failure: {found.why}"
            )
        )
    say.print(f"scenario   {shown(path)}")
    if tested.classes:
        say.print(Text(f"repeat     ackclock run {shown(path)} --control {control}"))
    if report is not None:
        say.print(f"report     {shown(report)}")


def _report(file: Path, found: SearchResult, space: Space, tested: Contender, threads: int) -> Path | None:
    """Writes the report of the scenario found. Returns its path; None, after a warning, if the control failed in that
    scenario.
    """
    from ackclock.cli.run import page
    from ackclock.scenario import Scenario

    if found.failed:
        warn(
            f"{file.name}: no report, because the control fails in {found.failed} of {len(found.samples)} "
            f"runs"
        )
        return None
    # The file has a control in Python only by what the space has in its seat.
    own = tested.overrides(space.tested) if tested.classes else {}
    return page(Scenario.from_file(file, own, controls=tested.classes), file.parent, threads=threads)
