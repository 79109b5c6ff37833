"""Measures congestion controls side by side on the :mod:`ackclock.hard_paths`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ackclock import _typed_core as core
from ackclock import hard_paths
from ackclock._names import nearest
from ackclock._numbers import mean_and_spread
from ackclock.errors import InputError
from ackclock.scenario import Scenario
from ackclock.statistics import Summary, summarise

OWN_TRANSPORT = "quic"
"""The transport of controls of this laboratory if no stack is named."""


@dataclass(frozen=True)
class Contender:
    """A control over a transport."""

    control: str
    transport: str

    def __str__(self) -> str:
        is_own = self.control.startswith(f"{self.transport}:")
        return self.control if is_own else f"{self.control}@{self.transport}"


@dataclass(frozen=True)
class Measured:
    """A control on one path: goodput in Mbit/s, the 95th percentile of the one-way delay in ms, lost packets in
    percent, over the replications; how often the stack closed the connection, and why the first time.
    """

    goodput: Summary
    delay: Summary
    lost: Summary
    closed: int
    reason: str | None


@dataclass(frozen=True)
class Bench:
    """The measurements of each path, by contender."""

    contenders: Sequence[Contender]
    replications: int
    paths: Mapping[str, Sequence[Measured]]
    unseeded: Sequence[Contender]
    """The contenders that draw random numbers which no seed sets: the same seeds give other numbers."""


def contenders(words: Sequence[str]) -> list[Contender]:
    """Returns what ``noq:bbr3``, ``bbrv3`` and ``bbrv3@quic`` name.

    A control of this laboratory without a transport runs over the first stack that is named, or over its own QUIC.
    InputError for a transport that does not exist.
    """
    stacks = [word.split(":")[0] for word in words if ":" in word]
    usual = stacks[0] if stacks else OWN_TRANSPORT
    return [_contender(word, usual) for word in words]


def _contender(word: str, usual: str) -> Contender:
    control, at, transport = word.partition("@")
    if not at:
        stack, colon, _ = word.partition(":")
        return Contender(word, stack if colon else usual)
    known = [entry["name"] for entry in core.registry() if entry["kind"] == "transport"]
    if transport not in known:
        raise InputError(f"{word}: no transport {transport!r}{nearest(transport, known)}")
    return Contender(control, transport)


def scenarios(who: Contender, names: Sequence[str]) -> Iterator[tuple[str, Scenario]]:
    """Returns the paths with a contender on them. ScenarioError for a control that the transport does not run."""
    overrides = {"flows.test.control": who.control, "flows.test.transport": who.transport}
    for name in names:
        yield name, Scenario.from_file(hard_paths.path(name), overrides)


def known_paths(names: Sequence[str]) -> Sequence[str]:
    """Returns the paths of these names, or all paths. InputError for a name that does not exist."""
    for name in names:
        if name not in hard_paths.NAMES:
            expected = f"expected one of {', '.join(hard_paths.NAMES)}{nearest(name, hard_paths.NAMES)}"
            own = "ackclock run with a [sweep] over controls compares them on a path of your own"
            raise InputError(f"no path {name!r}, {expected}; {own}")
    return names or hard_paths.NAMES


def bench(
    who: Sequence[Contender],
    names: Sequence[str],
    *,
    replications: int,
    threads: int = 0,
    out: Path | None = None,
) -> Bench:
    """Runs every contender on every path; all scenarios are read before the first run."""
    read = [dict(scenarios(one, names)) for one in who]
    unseeded = set()
    paths: dict[str, list[Measured]] = {}
    for name in names:
        for one, scenario in zip(who, read, strict=True):
            runs = scenario[name].run_many(replications=replications, threads=threads, out=out)
            flows = [next(flow for flow in run.result["flows"] if flow["name"] == "test") for run in runs]
            paths.setdefault(name, []).append(_measured(flows))
            if any(flow.get("randomness") == "not seeded" for flow in flows):
                unseeded.add(one)
    return Bench(who, replications, paths, [one for one in who if one in unseeded])


def _measured(flows: Sequence[Mapping[str, Any]]) -> Measured:
    reasons = [flow["closed_reason"] for flow in flows if flow.get("closed_reason") is not None]
    delays = [1e3 * flow["one_way_delay_p95_s"] for flow in flows if flow["one_way_delay_p95_s"] is not None]
    sent = [flow for flow in flows if flow["sent_packets"]]
    return Measured(
        goodput=summarise([flow["goodput_bps"] / 1e6 for flow in flows]),
        delay=summarise(delays),
        lost=summarise([100 * flow["lost_packets"] / flow["sent_packets"] for flow in sent]),
        closed=len(reasons),
        reason=reasons[0] if reasons else None,
    )


QUANTITIES = (
    ("goodput", "goodput", "Mbit/s"),
    ("delay", "p95 delay", "ms"),
    ("lost", "lost", "%"),
)
"""The measured quantities: the field of ``Measured``, its heading and its unit."""


def cell_text(cell: Measured, quantity: str) -> str:
    """Returns a mean with half of its interval."""
    summary: Summary = getattr(cell, quantity)
    return mean_and_spread(summary.mean, summary.interval)


def remarks(made: Bench) -> list[str]:
    """Returns a sentence for each connection that a stack closed, and one for each control whose runs differ."""
    closed = [
        f"{name}: {who}: the stack closed the connection in {cell.closed} of {made.replications} runs: {cell.reason}"
        for name, cells in made.paths.items()
        for who, cell in zip(made.contenders, cells, strict=True)
        if cell.closed
    ]
    return closed + [
        f"{who} draws random numbers that no seed sets: its runs are kept, and differ with another --out"
        for who in made.unseeded
    ]
