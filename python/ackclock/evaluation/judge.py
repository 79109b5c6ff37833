"""Judges the samples of a scenario: each condition in each of its settings, relative to each reference.

A condition is judged relative to one reference at a time, and the mildest verdict prevails: RFC 9743 section 5.2 names
RFC 5681, RFC 9002 and RFC 9438 alike, and a control that behaves as one of them is no concern. A limit that compares
with no other control is the same for each reference. If such a limit has ``beside`` and the reference is outside too,
a control is a concern only if it is significantly farther outside.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ackclock.evaluation.files import Loaded
from ackclock.evaluation.language import BEFORE, SOLO, TESTED, Condition
from ackclock.evaluation.limits import Limit
from ackclock.evaluation.measured import Measured
from ackclock.evaluation.words import (
    AS_STANDARD,
    CONCERN,
    MILDEST_FIRST,
    NO_LIMIT,
    OK,
    WORDS,
)
from ackclock.experiment.expression import Array, parsed
from ackclock.experiment.judge import judge_values
from ackclock.experiment.model import Criterion, Finding, Metric, Result, Setting
from ackclock.experiment.sample_words import SampleWords, samples_of
from ackclock.experiment.truth import ERROR
from ackclock.statistics import rate_interval, summarise, t_quantile

TOLERANCE = 0.1
"""If a control and a reference are both outside a limit, the verdict is ``as standard controls``, unless the control's
distance from the limit is larger than the reference's by significantly more than this fraction.
"""
EQUAL_SHARE = 0.9
"""Harm above the limit is allowed if the other flows keep at least this fraction of an equal share."""
ABOVE_ZERO = Criterion("surely above 0", low=0.0, low_open=True)
AT_LEAST_ZERO = Criterion("surely not below 0", low=0.0)


@dataclass(frozen=True)
class Beside:
    """What was found of a condition beside one reference."""

    reference: str
    finding: Finding
    word: str
    settled: bool
    """Whether the verdict is final: with the error probability at which it was judged, more seeds cannot change it."""
    reason: str = ""
    """An explanation that the numbers do not show, such as a missing sample; empty if there is none."""


@dataclass(frozen=True)
class Judged:
    """A condition in a setting, and what was found."""

    condition: Condition
    setting: Setting
    beside: Sequence[Beside]
    """The findings relative to the references, at least one."""
    means: Mapping[str, float | None]
    """The mean of the metric by control: the geometric mean for a ratio, the share of runs outside for a rate."""
    allowed: tuple[float | None, float | None] = (None, None)
    """The lowest and highest mean that the limit allows beside the deciding reference, in the metric's unit. None: no
    bound.
    """
    failed: bool = False
    """Whether any run of the control under test failed."""
    needs: frozenset[tuple[str, int]] = frozenset()
    """The contenders and settings of which more runs can change the verdict; empty if the verdict is final."""

    @property
    def decides(self) -> Beside:
        """Returns the finding beside the reference that gives the mildest word, of equals the first."""
        return min(self.beside, key=lambda one: MILDEST_FIRST.index(one.word))

    @property
    def metric(self) -> Metric:
        """Returns what is measured."""
        return self.condition.metric

    @property
    def finding(self) -> Finding:
        """Returns the finding that decides."""
        return self.decides.finding

    @property
    def verdict(self) -> str:
        """Returns the word for what was found."""
        return self.decides.word

    @property
    def reason(self) -> str:
        """Returns what the numbers do not say."""
        return self.decides.reason

    @property
    def open(self) -> bool:
        """Returns whether more seeds may change the word."""
        return bool(self.needs)


def findings(
    loaded: Loaded, measured: Measured, references: Sequence[str], error: float = ERROR
) -> list[Judged]:
    """Returns what was found of each condition in each setting that it is on.

    ``error`` is the largest one-sided p-value that decides.
    """
    found = []
    for condition in loaded.about.conditions:
        for index, setting in enumerate(measured.settings):
            place = _Place(condition, measured, index, references, error)
            if condition.concerns(setting) and (condition.measure != "change" or place.has_before):
                found.append(place.judged())
    return found


@dataclass(frozen=True)
class _Place:
    """A condition in a setting, by its index, with the samples of all contenders."""

    condition: Condition
    measured: Measured
    index: int
    references: Sequence[str]
    error: float

    def judged(self) -> Judged:
        """Returns what was found."""
        failures = self._failures()
        if self._limit is None:
            beside = [self._beside_no_limit()]
        elif failures:
            beside = [self._failed(failures)]
        elif self._limit.compares:
            beside = [self._beside(name) for name in self.references]
        else:
            beside = [self._beside(self.references[0])]
        means = {name: self._mean(name) for name in (TESTED, *self.references)}
        found = Judged(
            self.condition, self.measured.settings[self.index], beside, means, failed=bool(failures)
        )
        needs = frozenset() if _is_settled(found) else self._compared
        return replace(found, allowed=self._allowed(found.decides.reference, means), needs=needs)

    @property
    def _limit(self) -> Limit | None:
        return self.condition.limit

    def _beside_no_limit(self) -> Beside:
        finding = replace(self._finding(TESTED, self.references[0]), result=Result.NOT_JUDGED)
        return Beside(self.references[0], finding, NO_LIMIT, settled=True)

    def _failed(self, failures: Sequence[str]) -> Beside:
        finding = replace(self._finding(TESTED, self.references[0]), result=Result.NOT_MET)
        reason = f"{len(failures)} of {self._count} runs failed: {failures[0]}"
        return Beside(self.references[0], finding, CONCERN, settled=True, reason=reason)

    def _beside(self, name: str) -> Beside:
        """Returns what was found beside a reference."""
        finding = self._finding(TESTED, name)
        own, other = self.of(TESTED), self.of(name)
        absent = self._absent(own)
        lacking = absent & ~self._absent(other)
        if np.any(lacking):
            more = "one" if np.any(np.isnan(own[lacking])) else "a larger one"
            reason = self._nothing(lacking, f", whereas {name} has {more},")
            return Beside(name, replace(finding, result=Result.NOT_MET), CONCERN, settled=True, reason=reason)
        if np.any(absent):
            reason = f"{self._nothing(absent)}, as with {name}"
            return Beside(name, finding, AS_STANDARD, settled=True, reason=reason)
        if finding.result is Result.NOT_JUDGED:
            reason = f"no comparison possible: the value of {name} is missing or 0"
            return Beside(name, finding, NO_LIMIT, settled=True, reason=reason)
        if finding.met:
            return Beside(name, finding, OK, settled=not self._may_still_be_outside())
        if self._limit is not None and self._limit.compares and np.array_equal(own, other):
            return Beside(
                name,
                finding,
                AS_STANDARD,
                settled=True,
                reason=f"every run has the same value as with {name}",
            )
        if self.condition.measure == "harm" and self._keep_an_equal_share(name):
            kept = f"other flows keep at least {100 * EQUAL_SHARE:g} % of an equal share"
            return Beside(name, finding, OK, settled=True, reason=kept)
        if self._limit is not None and self._limit.beside:
            return self._beside_one_outside(name, finding)
        return Beside(name, finding, WORDS[finding.result], settled=finding.result is Result.NOT_MET)

    def _beside_one_outside(self, name: str, finding: Finding) -> Beside:
        """Returns what was found of a limit that a control does not surely keep, if the reference does not either."""
        of_reference = self._finding(name, name)
        if of_reference.estimate is None or of_reference.criterion.accepts(of_reference.estimate):
            return Beside(name, finding, WORDS[finding.result], settled=finding.result is Result.NOT_MET)
        own, other = (self._distance(one) for one in (finding, of_reference))
        farther = judge_values(ABOVE_ZERO, own - (1 + TOLERANCE) * other, self.error)
        word = CONCERN if farther.met else AS_STANDARD
        return Beside(
            name, finding, word, farther.result is not Result.UNDECIDED, f"{name} is outside the limit too"
        )

    def of(self, contender: str) -> Array:
        """Returns the samples of the metric that a contender has in the setting."""
        return self._samples(contender, self.index, self.condition.metric.id)

    def _samples(self, contender: str, setting: int, metric: str) -> Array:
        """Returns the samples for the seeds that are judged; nan for those that the contender does not have."""
        found = np.full(self._count, np.nan)
        values = self.measured.of(contender, setting, metric)[: self._count]
        found[: values.size] = values
        return found

    @cached_property
    def _count(self) -> int:
        """The number of seeds that are judged: those of all that are compared."""
        return min(self.measured.count(*seat) for seat in self._compared)

    @cached_property
    def _compared(self) -> frozenset[tuple[str, int]]:
        """What the condition compares, by contender and setting."""
        names = [TESTED]
        if self._limit is not None and self._limit.compares:
            names += self.references
        if self.condition.measure == "harm":
            names.append(SOLO)
        settings = [self.index] if self.before is None else [self.index, self.before]
        return frozenset((name, setting) for name in names for setting in settings)

    @cached_property
    def before(self) -> int | None:
        """The setting with which a change compares; None for another measure, or if there is none."""
        if self.condition.demand is None or self.condition.measure != "change":
            return None
        wanted = {**self.measured.settings[self.index].at, **self.condition.demand.against}
        return next((k for k, one in enumerate(self.measured.settings) if one.at == wanted), None)

    @property
    def has_before(self) -> bool:
        """Returns whether there is another setting to compare a change with."""
        return self.before is not None and self.before != self.index

    @cached_property
    def _words(self) -> SampleWords:
        """The words of expressions: controls are the settings of the core's language."""
        names = (TESTED, *self.references, SOLO)
        demand, metric = self.condition.demand, self.condition.metric.id
        ids = dict.fromkeys(filter(None, (metric, demand.equal if demand else "")))
        samples = {id: {name: self._samples(name, self.index, id) for name in names} for id in ids}
        if self.before is not None:
            samples[metric] |= {name + BEFORE: self._samples(name, self.before, metric) for name in names}
        return SampleWords(samples, [Setting(name) for name in samples[metric]])

    def _values(self, expression: str) -> Array:
        return samples_of(parsed(expression), self._words, self._count)

    def _finding(self, control: str, reference: str) -> Finding:
        """Returns the finding on a control beside a reference, without a look at what the reference itself does."""
        criterion = self.condition.criterion(control, reference)
        values = self._values(criterion.measured)
        if self._limit is not None and self._limit.measure == "rate":
            return self._rate(criterion, values)
        return judge_values(criterion, values, self.error)

    def _rate(self, criterion: Criterion, values: Array) -> Finding:
        """Returns the finding on the share of runs that are outside: not met if it is surely above the limit, met if
        the share itself is not above it.

        Whether it is surely below cannot be told from the runs of an evaluation: none of ten may be a quarter.
        """
        present = values[~np.isnan(values)]
        outside = np.array([not criterion.accepts(value) for value in present], dtype=np.float64)
        most = self._limit.runs if self._limit is not None else 0.0
        of_rate = replace(criterion, low=None, high=most)
        if not outside.size:
            return Finding(of_rate, Result.NOT_JUDGED, missing=values.size)
        share, interval = (
            float(np.mean(outside)),
            rate_interval(int(np.sum(outside)), outside.size, self.error),
        )
        result = Result.NOT_MET if interval[0] > most else Result.MET if share <= most else Result.UNDECIDED
        return Finding(
            of_rate,
            result,
            share,
            interval,
            seeds=outside.size,
            missing=values.size - outside.size,
            values=tuple(map(float, outside)),
        )

    def _may_still_be_outside(self) -> bool:
        """Returns whether one of the runs that are left may be outside a limit that all of these keep: whether the
        prediction limit for all of them is (G. J. Hahn, "Factors for calculating two-sided prediction intervals for
        samples from a normal distribution", Journal of the American Statistical Association 64, 1969; Bonferroni).
        """
        more = len(self.measured.seeds) - self._count
        if self.condition.measure != "rate" or not more:
            return False
        summary = summarise(self.of(TESTED))
        if summary.mean is None or summary.std is None:
            return True
        reach = t_quantile(summary.count - 1, 1 - 2 * ERROR / more) * summary.std
        reach *= math.sqrt(1 + 1 / summary.count)
        limits = self.condition.criterion(TESTED, self.references[0])
        return not all(map(limits.accepts, (summary.mean - reach, summary.mean + reach)))

    def _distance(self, finding: Finding) -> Array:
        """Returns how far each value is outside the limits, 0 inside; nan for a missing value."""
        values, (low, high) = np.array(finding.values), finding.criterion.range
        return np.maximum(np.maximum(low - values, values - high), 0.0)

    def _keep_an_equal_share(self, reference: str) -> bool:
        """Returns whether the others surely keep ``EQUAL_SHARE`` of an equal share: of what all flows have together,
        and of what they have with the reference, so that a path that collapses for all is no excuse.
        """
        equal = self.condition.demand.equal if self.condition.demand is not None else ""
        if not equal:
            return False
        share = f"max({equal}({TESTED!r}), {equal}({reference!r}))"
        kept = self._values(f"{self.condition.metric.id}({TESTED!r}) - {EQUAL_SHARE} * {share}")
        return judge_values(AT_LEAST_ZERO, kept, self.error).met

    def _nothing(self, where: npt.NDArray[np.bool_], contrast: str = "") -> str:
        """Returns in how many runs there is nothing to judge; ``contrast`` says what a reference has in them."""
        what = "no value" if np.any(np.isnan(self.of(TESTED)[where])) else "a value of 0"
        return f"{what}{contrast} in {np.sum(where)} of {where.size} runs"

    def _failures(self) -> list[str]:
        """Returns why runs of the control under test failed, those of the setting to compare with included."""
        failures = self.measured.failures
        return [
            why
            for (setting, seed), why in sorted(failures.items())
            if setting in (self.index, self.before)
            and (setting == self.index or (self.index, seed) not in failures)
        ]

    def _absent(self, values: Array) -> npt.NDArray[np.bool_]:
        """Returns which runs have nothing to judge: no value, or 0 where a ratio should be large and has no
        logarithm.
        """
        limit = self._limit
        if limit is None or limit.measure != "ratio" or limit.low is None:
            return np.isnan(values)
        return np.isnan(values) | (np.maximum(values, limit.floor) <= 0)

    def _mean(self, name: str) -> float | None:
        """Returns the mean of the metric: of a ratio the geometric one, of a rate the share of runs outside."""
        values = self.of(name)
        if self.condition.measure == "rate":
            return self._finding(name, name).estimate
        present = values[np.isfinite(values)]
        if self.condition.measure != "ratio" or not present.size or np.min(present) <= 0:
            return summarise(values).mean
        return float(np.exp(np.mean(np.log(present))))

    def _allowed(
        self, reference: str, means: Mapping[str, float | None]
    ) -> tuple[float | None, float | None]:
        """Returns the least and the largest mean that the limit allows beside a reference, in the metric's unit."""
        limit, other = self._limit, means[reference]
        if limit is None:
            return None, None
        low, high = (
            None if end is None else self._allowed_end(limit, end, other) for end in (limit.low, limit.high)
        )
        if limit.measure == "rate":
            return None, limit.runs
        # Harm has an upper limit, whichever of more and less is better.
        return (
            (high, None)
            if limit.measure == "harm" and self.condition.metric.better == "more"
            else (low, high)
        )

    def _allowed_end(self, limit: Limit, end: float, other: float | None) -> float | None:
        """Returns an end of a limit in the metric's unit; None without a value to compare with."""
        if limit.measure in ("value", "rate"):
            return end
        if limit.measure == "change":
            if self.before is None:
                return None
            before = summarise(self._samples(TESTED, self.before, self.condition.metric.id)).mean
            return None if before is None else end * before
        if other is None:
            return None
        if limit.measure == "ratio":
            return end * max(other, limit.floor)
        if limit.measure == "difference":
            return other + end
        solo = summarise(self.of(SOLO)).mean
        if solo is None or solo <= 0 or other <= 0:
            return None
        if self.condition.metric.better == "more":
            return max(other - end * solo, 0.0)
        harm = 1 - solo / other + end
        return solo / (1 - harm) if harm < 1 else None


def _is_settled(found: Judged) -> bool:
    """Returns whether more seeds cannot change the word: one beside a reference is surely the mildest, or all are
    settled.
    """
    mildest = MILDEST_FIRST.index(found.verdict)
    sure = [one for one in found.beside if one.settled]
    return len(sure) == len(found.beside) or any(
        MILDEST_FIRST.index(one.word) == mildest and one.word == OK for one in sure
    )
