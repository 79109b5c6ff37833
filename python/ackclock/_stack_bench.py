"""Measures congestion controls side by side on the :mod:`ackclock.hard_paths`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ackclock import _typed_core as core
from ackclock import hard_paths
from ackclock._names import nearest
from ackclock._numbers import mean_and_spread, number_of
from ackclock.errors import InputError
from ackclock.experiment.expression import parsed
from ackclock.experiment.model import Metric
from ackclock.experiment.run_words import RunWords, measure
from ackclock.scenario import Scenario
from ackclock.statistics import Summary, summarise

METRICS = (
    Metric(
        id="goodput",
        label="goodput",
        unit="Mbit/s",
        expr='flow("test").goodput_bps / 1e6',
        better="more",
    ),
    Metric(
        id="delay",
        label="p95 one-way delay",
        unit="ms",
        expr='1e3 * flow("test").one_way_delay_p95_s',
        better="less",
    ),
    Metric(
        id="lost",
        label="loss",
        unit="%",
        expr='100 * flow("test").lost_packets / flow("test").sent_packets',
        better="less",
    ),
)
OWN_TRANSPORT = "quic"
"""The transport of ackclock's own controls if no stack is named."""


@dataclass(frozen=True)
class Contender:
    """A control over a transport."""

    control: str
    transport: str

    def __str__(self) -> str:
        is_own = self.control.startswith(f"{self.transport}:")
        return self.control if is_own else f"{self.control}@{self.transport}"


@dataclass(frozen=True)
class Cell:
    """A control on one path: each of ``METRICS`` by its id, over the replications; how often the stack closed the
    connection, and why the first time.
    """

    summaries: Mapping[str, Summary]
    closed: int
    reason: str | None


@dataclass(frozen=True)
class Bench:
    """The measurements of each path, by contender."""

    contenders: Sequence[Contender]
    replications: int
    paths: Mapping[str, Sequence[Cell]]
    unseeded: Sequence[Contender]
    """The contenders whose random numbers the seed does not determine, so that runs with equal seeds differ."""


def contenders(words: Sequence[str]) -> list[Contender]:
    """Returns what ``noq:bbr3``, ``bbrv3`` and ``bbrv3@quic`` name.

    A control of ackclock without a transport runs over the first stack that is named, or over ackclock's own QUIC.
    InputError for a control or a transport that does not exist.
    """
    stacks = [word.split(":")[0] for word in words if ":" in word]
    usual = stacks[0] if stacks else OWN_TRANSPORT
    return [_contender(word, usual) for word in words]


def _contender(word: str, usual: str) -> Contender:
    control, at, transport = word.partition("@")
    controls = [entry["name"] for entry in core.registry() if entry["kind"] == "control"]
    if control not in controls:
        if of_stack := [name for name in controls if name.startswith(f"{control}:")]:
            raise InputError(f"{word}: found a stack, expected one of its controls: {', '.join(of_stack)}")
        raise InputError(
            f'there is no control "{control}"{nearest(control, controls)}\n`ackclock list controls` lists all controls'
        )
    if not at:
        stack, colon, _ = word.partition(":")
        return Contender(word, stack if colon else usual)
    known = [entry["name"] for entry in core.registry() if entry["kind"] == "transport"]
    if transport not in known:
        raise InputError(f"{word}: there is no transport {transport!r}{nearest(transport, known)}")
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
            raise InputError(
                f"there is no path {name!r}{nearest(name, hard_paths.NAMES)}\n"
                f"expected one of {', '.join(hard_paths.NAMES)}\n"
                "to compare controls on another path, use `ackclock run` and a scenario with a [sweep] over controls"
            )
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
    paths: dict[str, list[Cell]] = {}
    for name in names:
        for one, scenario in zip(who, read, strict=True):
            runs = scenario[name].run_many(replications=replications, threads=threads, out=out)
            results = [run.result for run in runs]
            flows = [next(flow for flow in result["flows"] if flow["name"] == "test") for result in results]
            reasons = [flow["closed_reason"] for flow in flows if flow.get("closed_reason") is not None]
            words = [RunWords(result) for result in results]
            summaries = {
                metric.id: summarise([measure(parsed(metric.expr), one) for one in words])
                for metric in METRICS
            }
            paths.setdefault(name, []).append(Cell(summaries, len(reasons), next(iter(reasons), None)))
            if any(flow.get("randomness") == "not seeded" for flow in flows):
                unseeded.add(one)
    return Bench(who, replications, paths, [one for one in who if one in unseeded])


def cell_text(cell: Cell, metric: Metric) -> str:
    """Returns a mean with half of its interval."""
    summary = cell.summaries[metric.id]
    return mean_and_spread(summary.mean, summary.interval)


def comparisons(made: Bench) -> list[str]:
    """Returns a sentence for each contender but the first: on how many paths each metric is larger and smaller than
    that of the first. Only paths on which the two 95 % intervals do not overlap count; none does with one replication.
    """
    first, *others = made.contenders
    if made.replications == 1:
        return []
    found = []
    for place, who in enumerate(others, start=1):
        counts = []
        for metric in METRICS:
            pairs = [
                (cells[0].summaries[metric.id], cells[place].summaries[metric.id])
                for cells in made.paths.values()
            ]
            more = sum(_above(own, of_first) for of_first, own in pairs)
            less = sum(_above(of_first, own) for of_first, own in pairs)
            counts.append(f"{metric.label} larger on {more} and smaller on {less}")
        found.append(
            f"{who} compared with {first} on {number_of(len(made.paths), 'path')}: {', '.join(counts)}"
        )
    return found


def _above(one: Summary, other: Summary) -> bool:
    """Returns whether the whole interval of ``one`` is above that of ``other``."""
    return one.interval is not None and other.interval is not None and one.interval[0] > other.interval[1]


def remarks(made: Bench) -> list[str]:
    """Returns a sentence for each connection that a stack closed, and one for each control whose runs differ."""
    closed = [
        f"path {name}, {who}: the stack closed the connection in {cell.closed} of "
        f"{number_of(made.replications, 'run')}, first with the reason: {cell.reason}"
        for name, cells in made.paths.items()
        for who, cell in zip(made.contenders, cells, strict=True)
        if cell.closed
    ]
    return closed + [
        f"{who} draws random numbers that the seed does not determine: the results of runs with the "
        "same seed differ, unless ackclock reuses a cached result"
        for who in made.unseeded
    ]
