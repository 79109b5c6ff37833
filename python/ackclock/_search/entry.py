"""Searching from Python."""

from __future__ import annotations

from pathlib import Path

from ackclock._arguments import path, text, whole
from ackclock._jobs import Progress
from ackclock._search.objectives import objective as named
from ackclock._search.run import Search, SearchResult
from ackclock._search.space import load
from ackclock._store import Store
from ackclock.evaluation.contenders import contender
from ackclock.evaluation.entry import transport_keys


def search(
    control: str,
    objective: str = "utilisation",
    *,
    space: str | None = None,
    against: str | None = None,
    transport: str | None = None,
    runs: int = 500,
    seed: int = 1,
    out: str | Path | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> SearchResult:
    """Searches for the path on which a control does worst, as ``ackclock search`` does.

    ``objective`` says what is worse, ``space`` is a name or a file; by default each objective has its own. The same
    arguments find the same. InputError for an unknown name, RunError when the control fails in the scenario as it
    stands.

    >>> import ackclock
    >>> found = ackclock.search("newreno", "utilisation", runs=20)
    >>> 0 <= found.harmless < found.badness <= 1
    True
    """
    wanted, more = named(text("objective", objective)), transport_keys(transport)
    reference = contender(against or "cubic", more)
    return Search(
        contender(text("control", control), more),
        wanted if against is None else wanted.against(reference.name),
        load(space or wanted.space),
        reference=reference,
        runs=whole("runs", runs, 10, 1_000_000),
        seed=seed,
        store=Store(None if out is None else path("out", out)),
        threads=threads,
        progress=progress,
    ).find()
