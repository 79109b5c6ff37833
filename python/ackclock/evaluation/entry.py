"""Evaluating a control from Python, and what the command line takes in the same way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ackclock import _toml as toml
from ackclock._arguments import path, text
from ackclock._jobs import Progress
from ackclock._store import Store
from ackclock.errors import InputError
from ackclock.evaluation import contenders, run
from ackclock.evaluation.files import Loaded, find, load, of_set
from ackclock.evaluation.result import Evaluation
from ackclock.experiment.model import Setting


def evaluate(
    control: str,
    *,
    against: Sequence[str] = contenders.REFERENCES,
    full: bool = False,
    only: Sequence[str] = (),
    sets: Sequence[str] = (),
    transport: str | None = None,
    seeds: int | None = None,
    out: str | Path | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> Evaluation:
    """Evaluates a control by the criteria of RFC 9743, as ``ackclock evaluate`` does.

    ``control`` is a name, a TOML table, or ``FILE.py`` for a control in Python. ``only`` and ``sets`` choose scenarios.
    With ``out``, finished runs are stored in that folder and reused the next time. InputError for an unknown
    name, RunError when a run of a control of ``against`` fails, Interrupted on Ctrl-C.

    >>> import ackclock
    >>> evaluation = ackclock.evaluate("cubic", only=["5.1.2"], seeds=2)
    >>> evaluation.family("N-02").verdict
    'OK'
    """
    (plan,) = plans(
        [text("control", control)],
        against,
        transport_keys(transport),
        chosen(only, sets),
        full=full,
        seeds=seeds,
    )
    store = Store(None if out is None else path("out", out))
    return run.evaluate(plan, store=store, threads=threads, progress=progress)


def chosen(only: Sequence[str], sets: Sequence[str]) -> list[Loaded]:
    """Returns the scenarios to run. InputError for an unknown one, and for two of one name."""
    names = dict.fromkeys([*find(list(only)), *(name for one in sets for name in of_set(one))])
    found: dict[str, Loaded] = {}
    for loaded in map(load, names):
        if loaded.name in found:
            raise InputError(
                f"{loaded.name}: two scenarios have this name, expected unique names: rename one of the files"
            )
        found[loaded.name] = loaded
    return list(found.values())


def plans(
    controls: Sequence[str],
    against: Sequence[str],
    more: Mapping[str, Any],
    scenarios: Sequence[Loaded],
    *,
    full: bool,
    seeds: int | None,
    most_packets: int | None = None,
) -> list[run.Plan]:
    """Returns the runs of each control. InputError for an unknown control, and for one control twice."""
    tested = [contenders.contender(one, more) for one in controls]
    references = [contenders.contender(name, more) for name in against]
    if any(contender.classes for contender in references):
        raise InputError("against: found a control in Python, expected names from `ackclock list controls`")
    if len({(one.name, one.file) for one in tested}) < len(tested):
        raise InputError(
            f"beside: found {tested[1].name}, the tested control itself, expected another control"
        )
    if len({one.name for one in tested}) < len(tested):
        # Two files have a class of one name.
        tested = [replace(one, name=given) for one, given in zip(tested, controls, strict=True)]
    count = seeds or (run.FULL_SEEDS if full else run.QUICK_SEEDS)
    made = [
        run.Plan(one, references, scenarios, quick=not full, seeds=count, most_packets=most_packets)
        for one in tested
    ]
    known: dict[str, list[Setting]] = {}
    for plan in made:
        for loaded, settings in zip(plan.scenarios, plan.settings, strict=True):
            if known.setdefault(loaded.name, settings) != settings:
                raise AssertionError(
                    f"{loaded.name}: found different settings to run for the controls, expected equal settings"
                )
    return made


def transport_keys(given: str | None) -> dict[str, Any]:
    """Returns the keys that a transport gives to flows: a name, or a table in TOML. InputError for other text."""
    if given is None:
        return {}
    if not given.strip().startswith("{"):
        return {"transport": {"name": given.strip()}}
    try:
        return {"transport": toml.loads(f"value = {given}")["value"]}
    except toml.TOMLDecodeError as error:
        raise InputError(f"transport: {given}: not a valid TOML table: {error}") from None
