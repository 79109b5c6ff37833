"""Searching from Python."""

from __future__ import annotations

import shlex
from pathlib import Path

from ackclock._arguments import path, text, whole
from ackclock._jobs import Progress
from ackclock._search.objectives import Objective
from ackclock._search.objectives import objective as objective_called
from ackclock._search.run import Search, SearchResult
from ackclock._search.space import Space, load
from ackclock._stacks import option_words
from ackclock._store import Store
from ackclock.evaluation.contenders import Contender, contender
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

    ``objective`` names the quantity to make worse. ``space`` is a name or a file; by default each objective has its own
    space. Equal arguments give equal results. InputError for an unknown name, RunError if the control fails in the
    unchanged scenario.

    >>> import ackclock
    >>> found = ackclock.search("newreno", "utilisation", runs=20)
    >>> 0 <= found.harmless < found.badness <= 1
    True
    """
    tested, wanted, chosen, reference = named(
        text("control", control), text("objective", objective), space, against, transport
    )
    return Search(
        tested,
        wanted,
        chosen,
        reference=reference,
        runs=whole("runs", runs, 10, 1_000_000),
        seed=seed,
        store=Store(None if out is None else path("out", out)),
        threads=threads,
        progress=progress,
    ).find()


def named(
    control: str, objective: str, space: str | None, against: str | None, transport: str | None
) -> tuple[Contender, Objective, Space, Contender]:
    """Returns the control, what to look for, where, and the control to compare with. InputError for an unknown name."""
    wanted, more = objective_called(objective), transport_keys(transport)
    tested, reference = contender(control, more), contender(against or "cubic", more)
    if against is not None:
        wanted = wanted.against(reference.name)
    return tested, wanted, load(space or wanted.space), reference


def command(
    control: str,
    objective: str,
    space: str | None,
    against: str | None,
    transport: str | None,
    *,
    runs: int,
    seed: int,
) -> str:
    """Returns the command that makes a search."""
    words = ["ackclock", "search", control, "--for", objective]
    for option, value in (("--space", space), ("--against", against), ("--transport", transport)):
        words += [] if value is None else [option, value]
    return shlex.join([*words, "--runs", str(runs), "--seed", str(seed), *option_words()])
