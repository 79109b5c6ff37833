"""Runs a search: samples, CMA-ES, replications of the best points, and shrinking."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ackclock._jobs import Local, Pool, run_jobs
from ackclock._libraries import missing
from ackclock._overrides import merge
from ackclock._search.objectives import Objective
from ackclock._search.space import Choice, Range, Space
from ackclock._store import Job, Store
from ackclock.errors import AckclockError, InputError, RunError
from ackclock.evaluation.contenders import Contender
from ackclock.evaluation.processes import LIMIT_S, Processes
from ackclock.experiment.expression import Expression, ExpressionError
from ackclock.experiment.judge import judge
from ackclock.experiment.model import Criterion, Finding, Setting
from ackclock.experiment.run_words import RunWords, measure, needs_series
from ackclock.experiment.sample_words import SampleWords

Values = Mapping[str, float]
FIRST = 0.4
"""The share of the runs that sample the whole space, before CMA-ES starts at the worst sample."""
FINALISTS = 5
"""Of the sampled points, this many with the worst objective are run again with several seeds."""
SEEDS = 5
"""The number of seeds with which the worst points are run, and simplified. The final point is judged with this many
other seeds.
"""
KEPT = 0.8
"""A simplified point must keep at least this share of the objective's value at the worst point."""
REFERENCE = Contender("cubic", {"control": "cubic"})
"""The default baseline: a relative objective is its value for the tested control minus its value for this control."""


@dataclass(frozen=True)
class SearchResult:
    """The result of a search: ``values`` that differ from the unchanged scenario, by path; ``badness``, the mean of the
    objective with these values; and ``harmless``, its mean in the unchanged scenario of the search space.
    """

    values: Values
    """The values that still differ from the unchanged scenario after the point was simplified, by dotted path."""
    badness: float
    """The mean of the objective over the seeds, at the simplified point."""
    first: Values
    """The values before shrinking."""
    first_badness: float
    harmless: float
    """The mean of the objective in the unchanged scenario of the search space."""
    finding: Finding
    """The objective at the simplified point minus the objective in the unchanged scenario. Both are measured with seeds
    that the search did not use, because a point can be the worst of many by the chance of its seeds.
    """
    runs: int
    samples: Sequence[float] = field(default_factory=list)
    """The objective at the simplified point, for each seed."""
    failed: int = 0
    """The number of seeds with which the control fails at the simplified point; the objective of a failed run is 1."""
    all_failed: int = 0
    """The number of runs of the whole search in which the control failed."""
    why: str = ""
    """The message of the first failed run at the simplified point; if none failed there, of the first failed run of the
    search; empty if no run failed.
    """

    @property
    def is_find(self) -> bool:
        """Returns whether the result is significantly worse than the unchanged scenario, or the control fails."""
        return self.finding.met or self.failed > 0


class Search:
    """A search. Equal arguments produce equal results, and stored runs are reused."""

    def __init__(
        self,
        tested: Contender,
        objective: Objective,
        space: Space,
        *,
        reference: Contender = REFERENCE,
        runs: int,
        seed: int = 1,
        store: Store | None = None,
        pool: Pool | None = None,
        threads: int = 0,
        limit_s: float = LIMIT_S,
        progress: Callable[[int, int, float], None] | None = None,
    ) -> None:
        self._tested, self._objective, self._space = tested, objective, space
        self._reference = reference
        self._budget, self._seed = runs, seed
        self._store, self._threads, self._limit_s = store or Store(None), threads, limit_s
        self._pool = pool or Local(threads)
        self._progress = progress
        self._expression = Expression(objective.metric.expr)
        self._series = needs_series(self._expression)
        self._known: dict[tuple[str, int], float] = {}
        self._failures: dict[tuple[str, int], str] = {}
        """The error messages of the runs in which the control failed, by point and seed."""
        self.runs = 0

    def find(self) -> SearchResult:
        """Returns the worst point after shrinking. RunError if the control fails with every seed in the unchanged
        scenario, or if a run of the reference fails.
        """
        try:
            from cmaes import CMA
        except ImportError:
            raise missing("a search needs", "cmaes") from None
        ranges = self._space.ranges
        random = np.random.default_rng(self._seed)
        tried: list[tuple[float, Values]] = []
        (harmless,) = self._mean([{}], SEEDS)
        failures = self._failures_at({})
        if len(failures) == SEEDS:
            raise RunError(
                f"{self._space.file}: the control {self._tested.name} fails in the unchanged scenario: {failures[0]}"
            )

        def judge(points: Sequence[npt.NDArray[np.float64]]) -> list[float]:
            values = [self._space.values(point[: len(ranges)]) for point in points]
            badness = self._mean(values, 1)
            tried.extend(zip(badness, values, strict=True))
            return badness

        spread = _spread(max(2, round(FIRST * self._budget)), len(ranges), random)
        first = judge(list(spread))
        # The optimiser wants two dimensions at least; a further one does nothing.
        dimensions = max(2, len(ranges))
        start = np.append(spread[int(np.argmax(first))], [0.5] * (dimensions - len(ranges)))
        optimiser = CMA(mean=start, sigma=0.2, bounds=np.array([[0.0, 1.0]] * dimensions), seed=self._seed)
        while len(tried) + optimiser.population_size <= self._budget and not optimiser.should_stop():
            points = [optimiser.ask() for _ in range(optimiser.population_size)]
            # It minimises.
            judged = judge(points)
            optimiser.tell([(point, -value) for point, value in zip(points, judged, strict=True)])
        tried.sort(key=lambda one: -one[0])
        finalists = list({str(values): values for _, values in tried[: 4 * FINALISTS]}.values())[:FINALISTS]
        means = self._mean(finalists, SEEDS)
        worst = finalists[int(np.argmax(means))]
        shrunk, badness = self._shrunk(worst, max(means))
        failures = self._failures_at(shrunk)
        finding = self._finding(shrunk)
        return SearchResult(
            shrunk,
            badness,
            worst,
            max(means),
            harmless,
            finding,
            self.runs,
            self._samples(shrunk, range(1, SEEDS + 1)),
            len(failures),
            len(self._failures),
            next(iter([*failures, *self._failures.values()]), ""),
        )

    def values_at(self, values: Values, seeds: Sequence[int]) -> list[float]:
        """Returns the objective at a point for each seed, without subtracting the value of the reference."""
        return self._objectives(self._tested, [(values, seed) for seed in seeds])

    def _shrunk(self, values: Values, badness: float) -> tuple[Values, float]:
        """Returns the fewest and roundest values that keep most of the objective's value: each range returns to the
        unchanged scenario's value if possible, and otherwise to fewer digits.
        """
        least = KEPT * badness
        (harmless,) = self._mean([{}], SEEDS)
        if harmless >= least:
            return {}, harmless
        for one in self._space.ranges:
            without = {path: value for path, value in values.items() if path != one.path}
            (mean,) = self._mean([without], SEEDS)
            if mean >= least:
                values, badness = without, mean
        for one in self._space.ranges:
            for simpler in _simpler(one, values[one.path]) if one.path in values else ():
                (mean,) = self._mean([{**values, one.path: simpler}], SEEDS)
                if mean >= least:
                    values, badness = {**values, one.path: simpler}, mean
                    break
        return values, badness

    def _mean(self, points: Sequence[Values], seeds: int) -> list[float]:
        """Returns the mean of the objective at each point. A failed run of the control counts as 1."""
        of = range(1, seeds + 1)
        self._make([(values, seed) for values in points for seed in of])
        return [float(np.mean(self._samples(values, of))) for values in points]

    def _samples(self, values: Values, seeds: Sequence[int]) -> list[float]:
        return [self._known[_key(values), seed] for seed in seeds]

    def _finding(self, values: Values) -> Finding:
        """Returns the finding on whether a point is worse than the unchanged scenario, with seeds that no other part of
        the search uses.
        """
        places: Mapping[str, Values] = {"found": values, "harmless": {}}
        new = range(SEEDS + 1, 2 * SEEDS + 1)
        self._make([(point, seed) for point in places.values() for seed in new])
        samples = {name: np.array(self._samples(point, new)) for name, point in places.items()}
        metric = self._objective.metric.id
        criterion = Criterion(
            f"the objective is larger than in the unchanged scenario ({self._objective.text})",
            f"{metric}('found') - {metric}('harmless')",
            low=0.0,
            low_open=True,
        )
        return judge(criterion, SampleWords({metric: samples}, [Setting(name) for name in places]), SEEDS)

    def _failures_at(self, values: Values) -> list[str]:
        """Returns the messages of the failures of the control at a point, by seed."""
        pairs = [(_key(values), seed) for seed in range(1, SEEDS + 1)]
        return [self._failures[pair] for pair in pairs if pair in self._failures]

    def _make(self, wanted: Sequence[tuple[Values, int]]) -> None:
        missing = [pair for pair in dict.fromkeys((_key(v), s) for v, s in wanted) if pair not in self._known]
        values = {_key(v): v for v, _ in wanted}
        own = self._objectives(self._tested, [(values[key], seed) for key, seed in missing])
        others = [0.0] * len(missing)
        if self._objective.relative:
            others = self._objectives(self._reference, [(values[key], seed) for key, seed in missing])
        for pair, mine, other in zip(missing, own, others, strict=True):
            self._known[pair] = mine - other
        if self._progress is not None:
            done = min(len(self._known), self._budget)
            self._progress(done, self._budget, done / self._budget)

    def _objectives(self, contender: Contender, wanted: Sequence[tuple[Values, int]]) -> list[float]:
        jobs = [
            Job(
                self._space.text,
                self._space.file,
                merge(self._space.overrides(values), contender.overrides(self._space.tested)),
                seed,
                self._series,
                contender.classes,
            )
            for values, seed in wanted
        ]
        # A control that fails has done its worst: 1 is the largest share, or a delay of 1 s.
        found = [1.0] * len(jobs)

        def take(index: int, result: Mapping[str, Any]) -> None:
            try:
                value = measure(self._expression, RunWords(result))
            except ExpressionError as error:
                raise InputError(
                    f'{self._space.file}: the objective "{self._objective.name}" cannot be computed from a run of '
                    f"this scenario: {error}"
                ) from None
            # Without a value, such as the loss of a flow that sent nothing, there is nothing to blame the control for.
            found[index] = value if np.isfinite(value) else 0.0

        def fail(index: int, error: AckclockError) -> None:
            if isinstance(error, InputError):
                raise error
            if contender is self._reference:
                raise RunError(f"{self._space.file}, {contender.name}: {error}") from error
            values, seed = wanted[index]
            self._failures[_key(values), seed] = str(error).splitlines()[0]

        file = contender.file
        # Only this pool ends a run of a control in Python that takes too long.
        pool = (
            self._pool
            if file is None
            else Processes(file, contender.class_name, self._threads, self._limit_s)
        )
        run_jobs(jobs, take, store=self._store, pool=pool, on_failure=fail)
        self.runs += len(jobs)
        return found


def _key(values: Values) -> str:
    return repr(sorted(values.items()))


def _spread(count: int, dimensions: int, random: np.random.Generator) -> npt.NDArray[np.float64]:
    """Returns a Latin hypercube: each of ``count`` equal parts of each range contains one sample."""
    places = np.array([random.permutation(count) for _ in range(dimensions)]).T
    return np.asarray((places + random.uniform(size=places.shape)) / count, dtype=np.float64)


def _simpler(one: Range | Choice, value: float) -> list[float]:
    """Returns values near ``value`` with fewer digits, the roundest first."""
    if isinstance(one, Choice) or one.whole or value == 0:
        return []
    found = [float(f"{value:.{digits - 1}e}") for digits in (1, 2)]
    return [near for near in dict.fromkeys(found) if one.low <= near <= one.high and near != value]
