"""The metrics of all runs of a study, filled in as the runs finish."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from ackclock.characterisation.distributions import Collected
from ackclock.errors import InputError
from ackclock.experiment.expression import Array, Expression, ExpressionError, parsed
from ackclock.experiment.run_words import RunWords, measure
from ackclock.experiment.sample_words import SampleWords
from ackclock.experiment.truth import ERROR
from ackclock.series import Series
from ackclock.statistics import summarise
from ackclock.study.claim import Claim
from ackclock.study.computed import Means
from ackclock.study.effect import cases_named
from ackclock.study.model import Metric, SweptCase, Verdict
from ackclock.study.plan import Plan, Planned, Reading
from ackclock.study.records import recorded_verdicts
from ackclock.study.result import CaseResult, ClaimResult, MetricValue, PrecisionResult
from ackclock.study.verdict import judge
from ackclock.study.verdict_status import about_baselines, outcome, rivals, status_of


class Measured:
    """The samples under every reading. The first ``replications`` are complete and count."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.replications = plan.replications
        self.replications_of_others = plan.replications
        """The replications of the other readings: if claims are undecided, only the reading taken gets more."""
        self.errors: dict[str, float] = {}
        """The error at which a claim is judged under the reading taken, if it is not the usual one."""
        self._expressions = [plan.metrics(reading) for reading in plan.readings]
        shape = (len(plan.readings), len(plan.runs), plan.replications_most)
        self._samples: dict[str, Array] = {metric.id: np.full(shape, np.nan) for metric in plan.study.metrics}
        self._drawn_series: dict[int, Series | None] = {}
        about = plan.study.characterisation
        self._wanted = about.distributions if about is not None else []
        self._distributions = [Collected() for _ in plan.runs]

    def take(self, planned: Planned, result: Mapping[str, Any]) -> None:
        """Computes the metrics of a finished job. InputError names the metric that cannot be computed."""
        known: dict[str, float] = {}
        words = RunWords(result)
        for use in planned.uses:
            for id, expression in self._expressions[use.reading].items():
                if expression.text not in known:
                    known[expression.text] = self._measure(id, expression, words)
                self._samples[id][use.reading, use.run, use.replication] = known[expression.text]
            if use.reading == 0:
                self._distributions[use.run].take(self._wanted, result)
            if use.reading == 0 and use.replication == 0:
                self._drawn_series[use.run] = self._drawn(self._plan.runs[use.run], result)

    def cases(self) -> Iterator[CaseResult]:
        """Returns the cases under the reading taken."""
        return (self._case(run, index) for index, run in enumerate(self._plan.runs))

    def means(self) -> Means:
        """Returns the mean of each metric in each run, under the reading taken."""
        return {
            metric.id: {
                run.name: summarise(self._samples_of(metric.id, 0, c)).mean
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
            seeds=self._plan.seeds(self.replications),
            values={metric.id: self._value(metric, run, index) for metric in self._plan.study.metrics},
            series=self._drawn_series[index],
            distributions=self._distributions[index].means(),
        )

    def claims(self, reading: Reading, only: Sequence[Claim] | None = None) -> tuple[ClaimResult, ...]:
        """Returns the claims, all or ``only`` these, judged under ``reading``. InputError names a claim that cannot be
        judged.
        """
        plan, index = self._plan, self._plan.readings.index(reading)
        replications = self.replications
        if reading is not None:
            replications = plan.made(reading, self.replications_of_others)
        words = SampleWords(
            {
                metric: {
                    run.name: self._samples_of(metric, index, c)[:replications]
                    for c, run in enumerate(plan.runs)
                }
                for metric in self._samples
            },
            [run.setting for run in plan.runs],
        )
        claims = plan.study.claims if only is None else only
        return tuple(self._judged(claims, words, replications, taken=reading is None))

    def touches(self, reading: Reading, claim: Claim) -> bool:
        """Returns whether the values that ``claim`` names differ under ``reading``, in the replications that both have.

        If they do not differ, the reading says nothing about the claim: it must not leave undecided what the reading
        taken decides, only because it has fewer replications.
        """
        plan, index = self._plan, self._plan.readings.index(reading)
        count = plan.made(reading, self.replications_of_others)
        texts = [text for text in (claim.measured, claim.direction) if text is not None]
        cases = cases_named(parsed(text) for text in texts)
        metrics = [id for id in self._samples if any(re.search(rf"\b{id}\(", text) for text in texts)]
        return any(
            not np.array_equal(
                self._samples[id][index, c, :count], self._samples[id][0, c, :count], equal_nan=True
            )
            for id in metrics
            for c, run in enumerate(plan.runs)
            if run.case.name in cases
        )

    def precision(self) -> PrecisionResult | None:
        """Returns how near the study is to the precision that it asks for; None when it asks for none."""
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
        summary = summarise(self._samples_of(metric, 0, run))
        half = summary.half_width
        if half == 0:
            return 0.0  # also of a mean of zero: all replications agree
        return abs(half / summary.mean) if half is not None and summary.mean else math.inf

    def _samples_of(self, metric: str, reading: int, run: int) -> Array:
        return self._samples[metric][reading, run, : self.replications]

    def _judged(
        self, claims: Sequence[Claim], words: SampleWords, replications: int, *, taken: bool
    ) -> Iterator[ClaimResult]:
        study, loaded = self._plan.study, self._plan.loaded
        errors = self.errors if taken else {}
        for claim in claims:
            try:
                error = errors.get(claim.id, ERROR)
                judged = judge(claim, words, replications, rivals=self._rivals, error=error)
            except ExpressionError as error:
                raise InputError(f'{loaded.file}: claim "{claim.id}": {error}') from None
            came_out = outcome(judged.verdict, claim, study)
            verdict = status_of(came_out, claim, study) if taken else came_out
            not_judged = claim.not_judged()
            yield replace(
                judged,
                verdict=verdict,
                outcome=None if came_out == verdict else came_out,
                detail=not_judged
                or (claim.setup_unknown if verdict == "set-up unknown" else "")
                or judged.detail,
                replications_needed=None if not_judged else judged.replications_needed,
                baselines=self._about_baselines[claim.id],
                recorded=self._recorded.get(claim.id),
            )

    # The same under every reading.
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
        samples = self._samples_of(metric.id, 0, index)
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
