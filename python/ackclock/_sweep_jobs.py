"""The runs of a sweep: their list, the further runs for a wanted precision, and the command that repeats one."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, overload

from ackclock._names import nearest
from ackclock._numbers import number_of
from ackclock._overrides import merge
from ackclock._store import Job
from ackclock.errors import InputError

if TYPE_CHECKING:
    from ackclock._stacks import Stack
    from ackclock._sweep import Sweep
    from ackclock.run import Run

SEAT = "tested"
"""The name of the group of flows to which ``--control`` applies, also in search spaces and evaluations."""
Pair = tuple[int, int]
"""The index of a point of the sweep, from 0, and a seed."""


@dataclass(frozen=True)
class Plan:
    """The points to run, with their seeds."""

    points: range
    seeds: Sequence[int]
    precision: Mapping[str, Any] | None = None
    """The table [precision] of the scenario: ``within``, ``metrics`` and ``replications_most``; None if absent."""

    def __len__(self) -> int:
        return len(self.points) * len(self.seeds)

    def __str__(self) -> str:
        points, seeds = len(self.points), len(self.seeds)
        if points == 1:
            return f"{seeds:,} run{'s' if seeds != 1 else ''}"
        return f"{points:,} points x {seeds:,} replication{'s' if seeds != 1 else ''}, {len(self):,} runs"


class SweepJobs(Sequence[Job]):
    """The jobs of a sweep, created when they are needed, because there may be millions."""

    def __init__(
        self,
        text: str,
        file: str,
        overrides: Mapping[str, Any],
        sweep: Sweep,
        wanted: Plan | Sequence[Pair],
        series: bool,
        controls: Mapping[str, Any],
        queues: Mapping[str, Any],
        stacks: Sequence[Stack],
    ) -> None:
        self._text, self._file, self._series = text, file, series
        self._controls, self._queues, self._stacks = controls, queues, stacks
        self._wanted = wanted
        # Neighbouring jobs belong to the same point.
        self._overrides = lru_cache(maxsize=64)(lambda point: merge(overrides, sweep.overrides(point)))

    def pair(self, index: int) -> Pair:
        """Returns the point and the seed of a job; all seeds of a point are consecutive."""
        if not isinstance(self._wanted, Plan):
            return self._wanted[index]
        point, seed = divmod(index, len(self._wanted.seeds))
        return self._wanted.points[point], self._wanted.seeds[seed]

    def __len__(self) -> int:
        return len(self._wanted)

    @overload
    def __getitem__(self, index: int) -> Job: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Job]: ...
    def __getitem__(self, index: int | slice) -> Job | Sequence[Job]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        if not 0 <= index < len(self):
            raise IndexError(index)
        point, seed = self.pair(index)
        overrides = self._overrides(point)
        classes = self._controls, self._queues, self._stacks
        return Job(self._text, self._file, overrides, seed, self._series, *classes)


def repeating(
    file: str,
    overrides: Mapping[str, Any],
    point: int | None,
    seed: int,
    stacks: Sequence[Stack] = (),
    controls: Sequence[str] = (),
) -> str:
    """Returns the command line that repeats one run of a sweep. ``controls`` are the values of ``--control``."""
    words = ["ackclock", "run", "-" if file == "standard input" else file]
    for stack in stacks:
        words += ["--stack", stack.word]
    for control in controls:
        words += ["--control", control]
    for path, value in overrides.items():
        words += ["--set", f"{path}={_toml(value)}"]
    if point is not None:
        words += ["--point", str(point + 1)]
    return shlex.join([*words, "--seed", str(seed), "--replications", "1"])


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_toml(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)


@dataclass
class Rounds:
    """Adds replications until the wanted precision is reached.

    The first round is the plan. As long as a point is not precise enough, it gets more seeds: as many as its interval
    requires (it narrows with the root of their number), and at most as many again as it has.
    """

    plan: Plan
    _begun: bool = False
    _found: dict[int, dict[str, list[float]]] = field(default_factory=dict)
    _seeds: dict[int, int] = field(default_factory=dict)
    """The number of seeds requested so far for each point."""

    def next(self) -> Plan | list[Pair]:
        """Returns the runs to make now; an empty list when all is done."""
        if not self._begun:
            self._begun = True
            self._seeds = dict.fromkeys(self.plan.points, len(self.plan.seeds)) if self.plan.precision else {}
            return self.plan
        if not self.plan.precision:
            return []
        first, most = self.plan.seeds[0], int(self.plan.precision["replications_most"])
        pairs = []
        for point, had in self._seeds.items():
            wanted = min(self._wanted(point), 2 * had, most)
            pairs += [(point, int(first) + number) for number in range(had, wanted)]
            self._seeds[point] = max(had, wanted)
        return pairs

    def take(self, point: int, run: Run) -> None:
        """Adds a finished run."""
        if not self.plan.precision:
            return
        from ackclock._summary import (
            samples,  # tables and statistics, which checking a scenario does not need
        )

        found = samples(run.result)
        for metric in self.plan.precision["metrics"]:
            if metric not in found:
                raise InputError(f'precision.metrics: there is no metric "{metric}"{nearest(metric, found)}')
            value = found[metric]
            values = self._found.setdefault(point, {}).setdefault(metric, [])
            values.append(math.nan if value is None else value)

    def outcome(self) -> str:
        """Returns a sentence on the precision reached; empty if none was requested."""
        if not self.plan.precision:
            return ""
        within = 100 * self.plan.precision["within"]
        short = [point for point in self._seeds if self._worst(point) > self.plan.precision["within"]]
        if not short:
            return f"precision reached: all 95 % intervals are within ±{within:.3g} % of the mean"
        most = max(self._seeds.values())
        points = f"at {len(short)} of {number_of(len(self._seeds), 'point')}"
        return (
            f"precision not reached: {points} a 95 % interval is wider than ±{within:.3g} % of the mean "
            f"after {number_of(most, 'replication')}"
        )

    def _wanted(self, point: int) -> int:
        """Returns the number of replications that the point is expected to need."""
        if self.plan.precision is None:
            return 0
        had, worst = self._seeds[point], self._worst(point)
        if worst <= self.plan.precision["within"]:
            return had
        if not math.isfinite(worst):
            return 2 * max(had, 1)
        return max(had + 1, math.ceil(had * (worst / float(self.plan.precision["within"])) ** 2))

    def _worst(self, point: int) -> float:
        """Returns half the widest interval over its mean; infinite if there is none."""
        if self.plan.precision is None:
            return 0.0
        found = self._found.get(point, {})
        return max((_width(found.get(metric, [])) for metric in self.plan.precision["metrics"]), default=0.0)


def _width(values: Sequence[float]) -> float:
    """Returns half the interval over the mean; 0 if all samples are equal, infinite if there is no interval."""
    if len(values) > 1 and all(value == values[0] for value in values):
        return 0.0
    from ackclock.statistics import relative_precision

    width = relative_precision(values)
    return math.inf if width is None else width
