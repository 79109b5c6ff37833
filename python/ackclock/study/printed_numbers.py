"""The numbers that a publication prints, with the measured values. Each number is counted once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np

from ackclock._numbers import plain, significant
from ackclock.errors import InputError
from ackclock.experiment.expression import Expression
from ackclock.experiment.model import Setting, sweep_text
from ackclock.experiment.sample_words import SampleWords, samples_of
from ackclock.study.result import CaseResult, ClaimResult, StudyResult
from ackclock.study.verdict import distance as distance_in_words

NEAR, WIDE = 0.10, 0.25
"""The two relative distances from a printed number within which measured values are counted."""
ROUNDED = 0.01
"""The relative error within which a claim's number still follows from other printed numbers, which are rounded."""
Values = Mapping[tuple[str, str], tuple[float, float]]
"""The printed and the measured number by place: the id of the metric and the name of the case."""
Used = Mapping[str, Set[tuple[str, str]]]
"""The places (metric and case) that the expression of each claim uses, by the claim's id."""


@dataclass(frozen=True)
class Printed:
    """A number that the publication prints, with the measured value."""

    study: str
    what: str
    """The label of the metric, or the text of the claim."""
    where: str
    """The label of the case; empty for a number of a claim."""
    metric: str
    """The id of the metric; empty for a number of a claim."""
    printed: float
    measured: float
    unit: str = ""
    claim: str = ""
    """The id of the claim that tests the number, or else of the first claim that uses it; empty if there is neither."""
    setup: str = ""
    """The part of the set-up that the publication leaves out; empty if the set-up is printed."""

    @property
    def distance(self) -> float:
        """Returns the relative distance; 0 for equal numbers, infinite if only one is 0 or the signs differ."""
        if self.measured == self.printed:
            return 0.0
        return abs(self.measured / self.printed - 1) if self.measured * self.printed > 0 else math.inf

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        claim = f", claim {self.claim}" if self.claim else ""
        what = f"{self.what}, {self.where}" if self.where else self.what
        numbers = f"printed {plain(self.printed)}{unit}, measured {significant(self.measured)}{unit}"
        lost = "; the set-up is partly unknown" if self.setup else ""
        far = distance_in_words(self.measured, self.printed).removesuffix(" to")
        return f"{self.study}{claim}: {what}: {numbers}, {far}{lost}"


def within(numbers: Sequence[Printed]) -> tuple[int, int]:
    """Returns for how many numbers the measured value is within 10 %, and within 25 %, of the printed one."""
    near, wide = (sum(one.distance <= limit for one in numbers) for limit in (NEAR, WIDE))
    return near, wide


def not_judged(results: Sequence[StudyResult]) -> int:
    """Returns how many printed numbers were measured and are left out because no claim about them is judged."""
    return len(of_studies(results, judged=False)) - len(of_studies(results))


def of_studies(results: Sequence[StudyResult], *, judged: bool = True) -> list[Printed]:
    """Returns the printed numbers of several studies. A number shared with the study in ``numbers_of`` counts there.

    With ``judged``, only numbers about which a claim is judged.
    """
    shown = {
        (result.name, metric, printed)
        for result in results
        for (metric, _), (printed, _) in _values(result).items()
    }
    return [
        one
        for result in results
        for one in printed_numbers(result, judged=judged)
        if (result.source.numbers_of, one.metric, one.printed) not in shown
    ]


def printed_numbers(result: StudyResult, *, judged: bool = True) -> list[Printed]:
    """Returns the printed numbers of a study that were measured: those of the metrics by case, and those of claims that
    do not follow from them. A number that a question of the study's author predicts is not printed. What was measured
    is as in the claim that tests the number, if there is one.

    With ``judged``, a number is left out if all claims about it are "not a test".
    """
    values = _values(result)
    words = _words(result, values)
    used = {
        claim.id: _used(claim, words, {metric.id for metric in result.metrics}) for claim in result.claims
    }
    return [*_of_metrics(result, values, used, judged), *_of_claims(result, values, used, words, judged)]


def _values(result: StudyResult) -> Values:
    return {
        (metric.id, case.name): (value.paper, value.mean)
        for metric in result.metrics
        for case in result.cases
        for value in [case.values.get(metric.id)]
        if value is not None and value.paper is not None and value.mean is not None
    }


def _of_metrics(result: StudyResult, values: Values, used: Used, judged: bool) -> Iterator[Printed]:
    labels = {metric.id: (metric.label, metric.unit) for metric in result.metrics}
    cases = {case.name: _label(case) for case in result.cases}
    for place, (printed, measured) in values.items():
        about = [claim for claim in result.claims if place in used[claim.id]]
        tests = [claim for claim in about if used[claim.id] == {place} and claim.paper == printed]
        if judged and tests and not any(claim.tested for claim in tests):
            continue
        first = next((claim for claim in [*tests, *about] if claim.tested), next(iter(about), None))
        test = first if tests else None
        # A test may be decided by fewer seeds than were run.
        value = measured if test is None or test.measured is None else test.measured
        setup = result.source.setup_unknown if test is None else test.setup
        what, unit = labels[place[0]]
        id = "" if first is None else first.id
        yield Printed(result.name, what, cases[place[1]], place[0], printed, value, unit, id, setup)


def _of_claims(
    result: StudyResult, values: Values, used: Used, words: SampleWords, judged: bool
) -> Iterator[Printed]:
    for claim in result.claims:
        if (
            (judged and not claim.tested)
            or claim.ours
            or claim.paper is None
            or claim.tolerance is None
            or claim.measured is None
        ):
            continue
        if used[claim.id] and used[claim.id] <= values.keys() and _follows(claim, claim.paper, words):
            continue
        numbers = (claim.paper, claim.measured)
        yield Printed(result.name, claim.text, "", "", *numbers, claim.unit, claim.id, claim.setup)


def _label(case: CaseResult) -> str:
    at = "" if case.sweep_value is None else f" [{sweep_text(case.sweep_value)}]"
    return (case.label or case.case or case.name) + at


def _words(result: StudyResult, values: Values) -> SampleWords:
    """Returns the vocabulary of claims over the printed numbers of metrics; nan where none is printed."""
    unknown = (math.nan, math.nan)
    numbers = {
        metric.id: {
            case.name: np.array(values.get((metric.id, case.name), unknown)[:1]) for case in result.cases
        }
        for metric in result.metrics
    }
    return SampleWords(
        numbers, [Setting(case.name, {}, case.case, case.sweep_value) for case in result.cases]
    )


def _used(claim: ClaimResult, words: SampleWords, metrics: Set[str]) -> Set[tuple[str, str]]:
    """Returns what a claim's expression is about; nothing if it cannot be read."""
    try:
        expression = Expression(claim.expression)
        cases = [setting.name for setting in words.named(expression)]
    except (InputError, LookupError, ValueError):
        return frozenset()
    return frozenset((metric, case) for metric in expression.called & metrics for case in cases)


def _follows(claim: ClaimResult, printed: float, words: SampleWords) -> bool:
    """Returns whether the claim's ``printed`` number is what its expression gives over those of metrics."""
    try:
        (value,) = samples_of(Expression(claim.expression), words, 1)
    except InputError:
        return False  # such as one that chooses among replications
    return bool(abs(value - printed) <= ROUNDED * abs(printed))
