"""Collects the runs of a sweep as they finish, and summarises each point as soon as possible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ackclock._summary import PointSummary, Samples, over, samples
from ackclock.run import Failure, Run, Runs

if TYPE_CHECKING:
    import polars as pl

    from ackclock._sweep import Sweep
    from ackclock._sweep_jobs import Plan
    from ackclock.report.quantities import Declared


class Collector:
    """The results of a sweep; with ``keep`` also the runs themselves, which may be too many for memory."""

    def __init__(self, sweep: Sweep, plan: Plan, *, keep: bool) -> None:
        self._sweep, self._plan, self._keep = sweep, plan, keep
        self._samples: dict[int, dict[int, Samples]] = {}
        self._complete: dict[int, PointSummary] = {}
        self._runs: dict[tuple[int, int], Run] = {}

    def take(self, point: int, run: Run) -> None:
        """Adds a finished run."""
        if self._keep:
            self._runs[point, run.seed] = run
            return
        found = self._samples.setdefault(point, {})
        found[run.seed] = samples(run.result)
        # The numbers of a million runs do not fit into memory either.
        if len(found) == len(self._plan.seeds) and not self._plan.precision:
            self._complete[point] = self._summary(point, found)
            del self._samples[point]

    def runs(self, failures: Sequence[Failure], declared: Declared | None = None) -> Runs:
        """Returns the runs in the order of the sweep and of the plan's seeds, whichever finished first, with the labels
        and scales of ``Runs.with_labels``. InputError for a label or a scale of nothing.
        """
        order = {seed: number for number, seed in enumerate(self._plan.seeds)}
        # Seeds beyond the plan, for precision, follow in their own order.
        keys = sorted(self._runs, key=lambda key: (key[0], order.get(key[1], key[1])))
        runs = Runs((self._runs[key] for key in keys), self._sweep.axes, failures, self._sweep.warnings)
        if declared is None or not self._keep:
            return runs
        return runs.with_labels(declared.labels, scales=declared.scales)

    def points(self) -> list[int]:
        """Returns the points that have a run, in the order of the sweep."""
        return sorted({*self._complete, *self._samples, *(point for point, _ in self._runs)})

    def summaries(self) -> list[PointSummary]:
        """Returns the summaries of the points."""
        found = self._samples
        if self._keep:
            found = {}
            for (point, seed), run in self._runs.items():
                found.setdefault(point, {})[seed] = samples(run.result)
        return [self._complete.get(point) or self._summary(point, found[point]) for point in self.points()]

    def _summary(self, point: int, found: Mapping[int, Samples]) -> PointSummary:
        # Sums in the order of seeds, because a sum of floats depends on its order in the last digit.
        values = over(found[seed] for seed in sorted(found))
        return PointSummary(self._sweep.cells(point), len(found), values)

    def table(self) -> pl.DataFrame:
        """Returns the summaries as a data frame, one row per point."""
        from ackclock._tables import summary_of

        return summary_of(self.summaries(), self._sweep.axes)
