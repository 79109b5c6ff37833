"""A dry run of a study: computes every expression once on synthetic numbers, so that mistakes show before any run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np

from ackclock.experiment.expression import Expression, ExpressionError
from ackclock.experiment.run_words import RunWords, measure, needs_series
from ackclock.experiment.sample_words import SampleWords
from ackclock.study.computed import filled, words_of_means
from ackclock.study.model import Assumption, Interpretation, Study, SweptCase
from ackclock.study.synthetic import Names, run_of, run_of_any_names
from ackclock.study.verdict import judge

REPLICATIONS = 2


def dry_run(study: Study) -> list[str]:
    """Returns a message for each expression that fails, beginning with its place in the file.

    Names of flows, links and series are checked later, when the core has listed those of each case.
    """
    problems = unmeasurable((_place(metric.id, None, ""), metric.expr) for metric in study.metrics)
    problems += dry_run_assumptions(study.assumptions)
    synthetic, runs = _synthetic_samples(study), study.runs()
    words = SampleWords(synthetic, [run.setting for run in runs])
    for claim in study.claims:
        try:
            judge(claim, words, REPLICATIONS)
        except ExpressionError as error:
            problems.append(f'claim "{claim.id}": {error}')
    means = {id: {run: float(found[0]) for run, found in of.items()} for id, of in synthetic.items()}
    words = words_of_means(means, runs)
    for number, finding in enumerate(study.findings, start=1):
        try:
            filled(finding.text, words)
        except ExpressionError as error:
            problems.append(f"findings[{number}]: text: {error}")
    return problems


def dry_run_assumptions(assumptions: Iterable[Assumption]) -> list[str]:
    """Returns a message for each metric expression of an interpretation that fails."""
    return unmeasurable(
        (_place(id, interpretation, assumption.what), text)
        for assumption in assumptions
        for interpretation in assumption.interpretations
        for id, text in interpretation.metrics.items()
    )


class MetricsDryRun:
    """The metrics of a study under one interpretation, computed on synthetic runs with the flows, links and series of
    its cases.
    """

    def __init__(self, study: Study, reading: Interpretation | None) -> None:
        other = reading.metrics if reading is not None else {}
        what = next((item.what for item in study.assumptions if reading in item.interpretations), "")
        self._metrics = [
            (
                metric,
                _place(metric.id, reading if metric.id in other else None, what),
                other.get(metric.id, metric.expr),
            )
            for metric in study.metrics
        ]
        self.need_series = any(needs_series(_read(text)) for *_, text in self._metrics)
        self._found: dict[tuple[Names, tuple[str, ...]], list[str]] = {}

    def problems(self, run: SweptCase, names: Names) -> list[str]:
        """Returns a message for each metric of ``run`` that names a flow, link or series that is not among
        ``names``.
        """
        wanted = [
            (metric.id, place, text) for metric, place, text in self._metrics if run.matches(metric.cases)
        ]
        key = (names, tuple(id for id, *_ in wanted))
        if key not in self._found:
            self._found[key] = unmeasurable(((place, text) for _, place, text in wanted), run_of(names))
        return self._found[key]


@cache
def _read(text: str) -> Expression:
    # Most interpretations in a study have the same metrics.
    return Expression(text)


def _place(metric: str, interpretation: Interpretation | None, what: str) -> str:
    """Returns the place of a metric's expression: the metric itself, or the interpretation that redefines it."""
    if interpretation is None:
        return f'metric "{metric}": expr'
    return f'assumption "{what}", interpretation "{interpretation.label}", metric "{metric}"'


def unmeasurable(metrics: Iterable[tuple[str, str]], run: Mapping[str, Any] | None = None) -> list[str]:
    """Returns a message for each of ``metrics`` (place and expression) that cannot be computed from the synthetic
    ``run``, by default one in which every name exists.
    """
    problems, words = [], RunWords(run or run_of_any_names())
    for place, text in metrics:
        try:
            measure(_read(text), words)
        except ExpressionError as error:
            problems.append(f"{place}: {error}")
    return problems


def _synthetic_samples(study: Study) -> dict[str, dict[str, Any]]:
    # Every vector differs from the others, so that no difference is zero and no comparison a tie.
    numbers = np.random.default_rng(1)
    return {
        metric.id: {
            run.name: numbers.uniform(1, 2, REPLICATIONS) for run in study.runs() if run.matches(metric.cases)
        }
        for metric in study.metrics
    }
