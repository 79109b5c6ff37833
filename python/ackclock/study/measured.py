"""The metrics of all runs of a study, filled in as the runs finish or from a record."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from ackclock.characterisation.distributions import Collected
from ackclock.errors import InputError
from ackclock.experiment.expression import Array, Expression, ExpressionError, parsed
from ackclock.experiment.run_words import RunWords, measure
from ackclock.experiment.sample_words import SampleWords
from ackclock.series import Series
from ackclock.statistics import summarise
from ackclock.study.claim import Claim
from ackclock.study.computed import Means
from ackclock.study.digest import digest, fields_of
from ackclock.study.effect import cases_named, renaming
from ackclock.study.interpretations import reverses
from ackclock.study.model import Metric, SweptCase, Verdict
from ackclock.study.plan import Plan, Planned
from ackclock.study.records import recorded_verdicts, rounded
from ackclock.study.result import CaseResult, ClaimResult, MetricValue, PrecisionResult
from ackclock.study.rivals import about_baselines, rivals
from ackclock.study.verdict import asked_by_us, in_words, judge, set_up

HOPELESS = 2
"""A claim with at least ``FORESEEN`` seeds gets no further seeds if the number of seeds needed to decide it exceeds the
largest number allowed by more than this factor.
"""
FORESEEN = 20
"""The smallest number of seeds with which the number needed to decide a claim is estimated. With fewer seeds, the
distance of the mean from a limit is too uncertain, and the estimate can be far too high by chance.
"""
RARE = 10
"""The smallest number of seeds with which a claim can be decided if at most one sample exists, or if all samples are 0
or equal to the same limit of the test. An event that occurs in one of four runs on average, such as a timeout, occurs
in none of 3 runs with a probability of 42 %, and in none of 10 runs with 6 %.
"""


class Measured:
    """The samples of each metric under each interpretation, in each run, by seed."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._expressions = [plan.metrics(reading) for reading in plan.readings]
        shape = (len(plan.readings), len(plan.runs), plan.replications_most)
        self._samples: dict[str, Array] = {metric.id: np.full(shape, np.nan) for metric in plan.study.metrics}
        self._there = np.zeros(shape, dtype=bool)
        self._cases = {metric.id: metric.cases for metric in plan.study.metrics}
        self._settings = [run.setting for run in plan.runs]
        self._drawn_series: dict[int, Series | None] = {}
        self.digests: dict[tuple[int, int], str] = {}
        """The digest of the first seed's result, by interpretation and run."""
        self.fields: set[str] = set()
        """The fields of a result that the digests cover."""
        self._named: dict[str, Sequence[int]] = {}
        self._with_rivals: dict[str, Sequence[int]] = {}
        self._results: dict[tuple[int, str, int], ClaimResult] = {}
        """The cached results by interpretation, claim and number of seeds; further seeds do not change them."""
        about = plan.study.characterisation
        self._wanted = about.distributions if about is not None else []
        self._distributions = [Collected() for _ in plan.runs]

    def take(self, planned: Planned, result: Mapping[str, Any]) -> None:
        """Computes the metrics of a finished job. InputError names the metric that cannot be computed."""
        known: dict[str, float] = {}
        words = RunWords(result)
        for use in planned.uses:
            for id, expression in self._expressions[use.reading].items():
                if not self._is_measured(id, use.run):
                    continue
                if expression.text not in known:
                    known[expression.text] = self._measure(id, expression, words)
                self._samples[id][use.reading, use.run, use.replication] = rounded(known[expression.text])
            self._there[use.reading, use.run, use.replication] = True
            if use.replication == 0 and (use.reading == 0 or self._plan.changes(use.reading, use.run)):
                self.digests[use.reading, use.run] = digest(result)
                self.fields |= fields_of(result).keys()
            if use.reading == 0:
                self._distributions[use.run].take(self._wanted, result)
            if use.reading == 0 and use.replication == 0:
                self._drawn_series[use.run] = self._drawn(self._plan.runs[use.run], result)

    def fill(self, reading: int, run: int, samples: Mapping[str, Sequence[float | None]]) -> None:
        """Stores recorded samples, by metric, also for all interpretations that run the same scenario."""
        for id, values in samples.items():
            kept = values[: self._plan.replications_most]
            for i in self._plan.sharing(reading, run):
                self._samples[id][i, run, : len(kept)] = [np.nan if v is None else v for v in kept]
                self._there[i, run, : len(kept)] = True

    def made(self, reading: int, run: int) -> int:
        """Returns the number of seeds, from the first on, that a run has."""
        there = self._there[reading, run]
        return int(there.size if there.all() else np.argmin(there))

    @property
    def most(self) -> int:
        """Returns the largest number of seeds of any run under the interpretation taken."""
        return max((self.made(0, c) for c in range(len(self._plan.runs))), default=0)

    def most_of(self, reading: int) -> int:
        """Returns the largest number of seeds of a run that an interpretation changes."""
        changed = [c for c in range(len(self._plan.runs)) if self._plan.changes(reading, c)]
        made = [self.made(reading, c) for c in changed]
        return max(made) if made else self.most

    def samples(self, reading: int, run: int) -> dict[str, Array]:
        """Returns the samples of each metric in a run, by seed."""
        made = self.made(reading, run)
        return {id: values[reading, run, :made] for id, values in self._samples.items()}

    def cases(self) -> Iterator[CaseResult]:
        """Returns the cases under the interpretation taken."""
        return (self._case(run, index) for index, run in enumerate(self._plan.runs))

    def means(self) -> Means:
        """Returns the mean of each metric in each run, under the interpretation taken."""
        return {
            metric.id: {
                run.name: summarise(self.samples(0, c)[metric.id]).mean
                for c, run in enumerate(self._plan.runs)
            }
            for metric in self._plan.study.metrics
        }

    def _case(self, run: SweptCase, index: int) -> CaseResult:
        return CaseResult(
            name=run.name,
            case=run.case.name,
            label=run.case.title,
            sweep_value=run.value,
            own_sweep=run.case.sweep,
            overrides=self._plan.overrides(run),
            seeds=self._plan.seeds(self.made(0, index)),
            values={metric.id: self._value(metric, run, index) for metric in self._plan.study.metrics},
            series=self._drawn_series.get(index),
            distributions=self._distributions[index].means(),
        )

    def named(self, claim: Claim) -> Sequence[int]:
        """Returns the runs that a claim names. InputError for a claim that cannot be read."""
        if claim.id not in self._named:
            with self._about(claim):
                self._named[claim.id] = self._selected(map(parsed, claim.texts))
        return self._named[claim.id]

    def runs_of(self, reading: int, claim: Claim) -> Sequence[int]:
        """Returns the runs over which a claim is judged: those that it names, and under the interpretation taken those
        of the rivals to which its test applies as well.
        """
        if reading:
            return self.named(claim)
        if claim.id not in self._with_rivals:
            self._with_rivals[claim.id] = sorted({*self.named(claim), *self._of_rivals(claim)})
        return self._with_rivals[claim.id]

    def seeds_of(self, reading: int, claim: Claim) -> int:
        """Returns the number of seeds with which a claim can be judged: the smallest number among its runs."""
        made = [self.made(reading, run) for run in self.runs_of(reading, claim)]
        return min(made) if made else self.most

    def most_seeds_of(self, claim: Claim) -> int:
        """Returns the most seeds of any run over which a claim is judged, under the interpretation taken."""
        return max((self.made(0, run) for run in self.runs_of(0, claim)), default=0)

    def judged(self, reading: int, claim: Claim) -> ClaimResult:
        """Returns a claim's result under an interpretation, at the last look for which there are seeds.

        Seeds that were added for other claims count as well, even if the claim was already decided or given up: the
        error that each look may spend also covers unplanned looks. InputError for a claim that cannot be judged.
        """
        looks, seeds = self._plan.looks_at(reading), self.seeds_of(reading, claim)
        return self._judged(
            reading, claim, max((look for look in looks.seeds if look <= seeds), default=seeds)
        )

    def goes_on(self, reading: int, claim: Claim, found: ClaimResult) -> bool:
        """Returns whether a claim needs a look after that at which it was judged: it is open, and has a prospect of
        being decided.
        """
        looks = self._plan.looks_at(reading)
        if looks.after(len(found.samples)) is None or not self._is_open(reading, claim, found):
            return False
        if found.verdict != "undecided" or len(found.samples) < FORESEEN:
            return True
        needed = found.replications_needed
        return needed is not None and needed <= HOPELESS * looks.seeds[-1]

    def _is_open(self, reading: int, claim: Claim, found: ClaimResult) -> bool:
        """Returns whether a look left a claim undecided. An interpretation that reverses the result at its first look
        gets another look.
        """
        looks = self._plan.looks_at(reading)
        if found.verdict == "undecided" or _misses_what_is_rare(found):
            return True
        is_first = reading > 0 and len(found.samples) == looks.first < looks.seeds[-1]
        return is_first and reverses(self.judged(0, claim).verdict, found.verdict)

    def _judged(self, reading: int, claim: Claim, seeds: int) -> ClaimResult:
        key = (reading, claim.id, seeds)
        if key not in self._results:
            self._results[key] = self._judged_anew(reading, claim, seeds)
        return self._results[key]

    def _judged_anew(self, reading: int, claim: Claim, seeds: int) -> ClaimResult:
        plan, study = self._plan, self._plan.study
        with self._about(claim):
            judged = judge(
                claim,
                self._words(reading, seeds),
                seeds,
                # Whether a test can tell is asked under the interpretation taken, for which the rivals are run.
                rivals=() if reading else self._rivals,
                error=plan.looks_at(reading).error(seeds),
                ours=asked_by_us(claim, study),
            )
        not_judged = claim.not_judged()
        return replace(
            judged,
            verdict=in_words(judged.verdict, claim, study),
            detail=not_judged or judged.detail,
            setup=set_up(claim, study),
            replications_needed=None if not_judged else judged.replications_needed,
            baselines=self._about_baselines[claim.id],
            recorded=self._recorded.get(claim.id),
        )

    def _selected(self, expressions: Iterable[Expression]) -> list[int]:
        names = {one.name for one in self._words(0, 0).named(*expressions)}
        return [c for c, run in enumerate(self._plan.runs) if run.name in names]

    def _of_rivals(self, claim: Claim) -> Iterator[int]:
        """Yields the runs of the rivals to which the test of a claim about one case applies as well."""
        expressions = list(map(parsed, claim.texts))
        cases = cases_named(expressions)
        if len(cases) != 1 or cases & set(self._rivals):
            return
        (own,) = cases
        for rival in self._rivals:
            rewritten = renaming(own, rival)
            try:
                yield from self._selected(parsed(rewritten(one.text)) for one in expressions)
            except LookupError:
                continue  # a value of the sweep that this rival does not have

    def touched(self, reading: int, claim: Claim) -> bool:
        """Returns whether an interpretation changes the scenario of a run that the claim names, or a metric of it."""
        alternative = self._plan.readings[reading]
        metrics = alternative.metrics if alternative is not None else {}
        return bool(claim.metrics_named(metrics)) or any(
            self._plan.changes(reading, run) for run in self.named(claim)
        )

    def differs(self, reading: int, claim: Claim) -> bool:
        """Returns whether the values that a claim names differ under an interpretation, in the seeds that both have.

        If they do not differ, the interpretation says nothing about the claim.
        """
        count = min(self.seeds_of(reading, claim), self.seeds_of(0, claim))
        return any(
            not np.array_equal(
                self._samples[id][reading, c, :count], self._samples[id][0, c, :count], equal_nan=True
            )
            for id in claim.metrics_named(self._samples)
            for c in self.named(claim)
        )

    def wide(self) -> list[int]:
        """Returns the runs whose intervals are wider than the precision that the study requests."""
        wanted = self._plan.precision
        return [
            c
            for c in range(len(self._plan.runs))
            if wanted is not None and any(self._relative_width(id, c) > wanted.share for id in wanted.metrics)
        ]

    def precision(self) -> PrecisionResult | None:
        """Returns the precision that the study requests and the one that it reached; None if it requests none."""
        wanted = self._plan.precision
        if wanted is None:
            return None
        widths = [
            (self._relative_width(id, c), f"{id}('{run.name}')")
            for id in wanted.metrics
            for c, run in enumerate(self._plan.runs)
        ]
        widest, where = max(widths)
        return PrecisionResult(
            wanted=wanted.share,
            metrics=tuple(wanted.metrics),
            reached=widest <= wanted.share,
            widest=widest if math.isfinite(widest) else None,
            where=where,
        )

    def _drawn(self, run: SweptCase, result: Mapping[str, Any]) -> Series | None:
        """Returns the series of a run that a figure shows; all of them would be large."""
        figures = [figure for figure in self._plan.study.figures if figure.kind == "time"]
        wanted = [path for figure in figures if run.matches(figure.cases) for path in figure.series_paths]
        series: Series | None = result.get("series")
        return series.chosen(wanted) if wanted and series is not None else None

    def _relative_width(self, metric: str, run: int) -> float:
        """Returns half the interval over the mean; infinite while there is no interval."""
        summary = summarise(self.samples(0, run)[metric])
        half = summary.half_width
        if half == 0:
            return 0.0  # also of a mean of zero: all replications agree
        return abs(half / summary.mean) if half is not None and summary.mean else math.inf

    def _words(self, reading: int, seeds: int) -> SampleWords:
        """Returns the vocabulary over the first seeds."""
        return SampleWords(
            {
                id: {
                    run.name: values[reading, c, :seeds]
                    for c, run in enumerate(self._plan.runs)
                    if self._is_measured(id, c)
                }
                for id, values in self._samples.items()
            },
            self._settings,
        )

    def _is_measured(self, metric: str, run: int) -> bool:
        return self._plan.runs[run].matches(self._cases[metric])

    @contextmanager
    def _about(self, claim: Claim) -> Iterator[None]:
        try:
            yield
        except ExpressionError as error:
            raise InputError(f'{self._plan.loaded.file}: claim "{claim.id}": {error}') from None

    # The same under every interpretation.
    @cached_property
    def _rivals(self) -> list[str]:
        return rivals(self._plan.study, self._plan.loaded.thesis)

    @cached_property
    def _about_baselines(self) -> dict[str, bool]:
        study, thesis = self._plan.study, self._plan.loaded.thesis
        return {claim.id: about_baselines(claim, self._rivals, thesis) for claim in study.claims}

    @cached_property
    def _recorded(self) -> Mapping[str, Verdict]:
        return recorded_verdicts(self._plan.loaded.name, self._plan.study) if self._plan.quick else {}

    def _value(self, metric: Metric, run: SweptCase, index: int) -> MetricValue:
        samples = self.samples(0, index)[metric.id]
        summary = summarise(samples)
        return MetricValue(
            mean=summary.mean,
            std=summary.std,
            interval=summary.interval,
            samples=tuple(map(float, samples)),
            paper=metric.paper.get(run.name),
        )

    def _measure(self, id: str, expression: Expression, words: RunWords) -> float:
        try:
            return measure(expression, words)
        except ExpressionError as error:
            raise InputError(f'{self._plan.loaded.file}: metric "{id}": {error}') from None


def _misses_what_is_rare(judged: ClaimResult) -> bool:
    """Returns whether a look may have missed a rare event: fewer than two finite samples, or all are 0 or one limit."""
    if len(judged.samples) >= RARE:
        return False
    known = [value for value in judged.samples if math.isfinite(value)]
    return len(known) < 2 or (len(set(known)) == 1 and known[0] in (0.0, *(judged.accepted or ())))
