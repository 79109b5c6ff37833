"""From the samples of a scenario to findings: each condition in each of its settings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ackclock.evaluation.files import Loaded
from ackclock.evaluation.language import BEFORE, SOLO, TESTED, Condition
from ackclock.evaluation.words import CONCERN, INFO, OK, word
from ackclock.experiment.comparison import qualified_by
from ackclock.experiment.expression import Array, parsed
from ackclock.experiment.judge import judge_values
from ackclock.experiment.model import Criterion, Finding, Metric, Result, Setting
from ackclock.experiment.sample_words import SampleWords, samples_of
from ackclock.experiment.truth import ERROR
from ackclock.statistics import summarise, t_quantile

TOLERANCE = 0.1
"""How much farther outside a limit than a reference a control may be and still be excused by it, as a share of the
reference's distance.
"""
FAIR_SHARE = 0.9
"""The part of an equal share that the others must keep for more harm than the reference's to be no concern."""
ABOVE_ZERO = Criterion("surely above 0", low=0.0, low_open=True)
AT_LEAST_ZERO = Criterion("surely not below 0", low=0.0)


@dataclass
class Measured:
    """What the runs of a scenario gave."""

    settings: Sequence[Setting]
    seeds: Sequence[int]
    values: dict[tuple[str, int, str], Array] = field(default_factory=dict)
    """By contender, setting and metric, a value for each seed, nan if a run had none."""
    failures: dict[tuple[int, int], str] = field(default_factory=dict)
    """Why runs of the control under test failed, by setting and seed."""
    closed: dict[tuple[str, int, int], str] = field(default_factory=dict)
    """Why a stack closed a connection, by contender, setting and seed."""
    fewer: dict[tuple[str, int], int] = field(default_factory=dict)
    """The number of seeds of a contender in a setting, where that was enough to decide."""

    def count(self, contender: str, setting: int) -> int:
        """Returns the number of seeds of a contender in a setting."""
        return self.fewer.get((contender, setting), len(self.seeds))

    def runs(self, contender: str) -> int:
        """Returns the number of runs of a contender."""
        return sum(self.count(contender, setting) for setting in range(len(self.settings)))

    def of(self, contender: str, setting: int, metric: str) -> Array:
        """Returns the samples, one for each seed of the contender in the setting; all nan if there are none."""
        found = self.values.get((contender, setting, metric), np.full(len(self.seeds), np.nan))
        return found[: self.count(contender, setting)]


@dataclass(frozen=True)
class Judged:
    """A condition in a setting, and what was found."""

    condition: Condition
    metric: Metric
    setting: Setting
    finding: Finding
    means: Mapping[str, float | None]
    """The mean of the metric itself, or its worst value where any run decides, by control."""
    failed: bool = False
    """Whether runs of the control under test failed."""
    lacking: bool = False
    """Whether they had nothing to judge, such as no goodput at all, though those of the reference had."""
    open_to: str = ""
    """The worst word that more seeds may give, at the error at which it was judged; empty if its word is settled."""
    needs: frozenset[tuple[str, int]] = frozenset()
    """The runs that may give it, by contender and setting."""

    @property
    def verdict(self) -> str:
        """Returns the word for what was found."""
        return word(self.finding)

    @property
    def reason(self) -> str:
        """Returns what the numbers do not say, such as a missing sample."""
        return self.finding.reason


def findings(
    loaded: Loaded, measured: Measured, references: Sequence[str], error: float = ERROR
) -> list[Judged]:
    """Returns what was found of each condition in each setting to which it applies.

    ``error`` is the largest one-sided p-value that decides. The first of the ``references`` decides, but what is not
    surely met against it, and is surely met against another one, is no concern: the RFC asks to compare with standard
    controls, and names RFC 5681, RFC 9002 and RFC 9438 alike (section 5.2).
    """
    found: list[Judged] = []
    for condition in loaded.about.criteria:
        metric = loaded.about.metric(condition.metric)
        places = [
            _Place(condition, metric, measured, index, references, error)
            for index, setting in enumerate(measured.settings)
            if within(setting, condition.only)
        ]
        own = [place.judged() for place in places if condition.measure != "change" or place.has_before]
        found += enough(condition, own)
    return found


def within(setting: Setting, only: Mapping[str, list[str]]) -> bool:
    """Returns whether a setting is among the points of ``only``."""
    return all(setting.at.get(axis) in points for axis, points in only.items())


@dataclass(frozen=True)
class _Place:
    """A condition in a setting, by its index, with the samples of all contenders."""

    condition: Condition
    metric: Metric
    measured: Measured
    index: int
    references: Sequence[str]
    error: float
    consulted: list[Finding] = field(default_factory=list)
    """All findings on which the word depends."""

    def judged(self) -> Judged:
        """Returns what was found."""
        condition, failures, open_to = self.condition, self._failures(), ""
        lacking = self._lacking(self.references[0])
        finding = self._finding(TESTED)
        if failures:
            reason = f"{len(failures)} of {self._count} runs failed: {failures[0]}"
            finding = replace(finding, result=Result.NOT_MET, reason=reason)
        elif np.any(lacking) and (not condition.info or self.metric.better == "less"):
            # A time that is never reached; of what better comes late, or never, the lack is no fault.
            result = Result.NOT_JUDGED if condition.info else Result.NOT_MET
            reason = f"{self._nothing(lacking)}, where the reference has {self._some()}"
            finding = replace(finding, result=result, reason=reason)
        elif self._is_itself(self.references[0]):
            finding = replace(finding, result=Result.MET)
        elif not condition.info:
            finding = self._qualified(finding)
            open_to = self._may_become(finding)
        if condition.any_run and not failures and word(finding) in (CONCERN, INFO):
            reasons = (self._runs_outside(finding.criterion), finding.reason)
            finding = replace(finding, reason=", ".join(filter(None, reasons)))
        means = {name: self._mean(self.of(name)) for name in (TESTED, *self.references)}
        return Judged(
            condition,
            self.metric,
            self.measured.settings[self.index],
            finding,
            means,
            bool(failures),
            bool(np.any(lacking)) and not condition.info,
            open_to,
            self._needs(finding) if open_to else frozenset(),
        )

    def of(self, contender: str) -> Array:
        """Returns the samples of the metric that a contender has in the setting."""
        return self._samples(contender, self.index, self.metric.id)

    def _samples(self, contender: str, setting: int, metric: str) -> Array:
        """Returns the samples for the seeds that are judged; nan for those that the contender does not have."""
        found = np.full(self._count, np.nan)
        values = self.measured.of(contender, setting, metric)[: self._count]
        found[: values.size] = values
        return found

    @cached_property
    def _count(self) -> int:
        """The number of seeds that are judged: those of all that the condition compares, but for further references."""
        return min(self.measured.count(*seat) for seat in self._compared)

    @cached_property
    def _compared(self) -> frozenset[tuple[str, int]]:
        """What the condition compares, by contender and setting."""
        measure, names = self.condition.measure, [TESTED]
        if measure not in ("value", "change"):
            names.append(self.references[0])
        if measure == "harm":
            names.append(SOLO)
        settings = [self.index] if self.before is None else [self.index, self.before]
        return frozenset((name, setting) for name in names for setting in settings)

    def _needs(self, finding: Finding) -> frozenset[tuple[str, int]]:
        """Returns the runs on which the word depends: those of the references that may excuse it too."""
        alone = self.condition.measure in ("value", "change")
        if not self.condition.excused if alone else finding.met:
            return self._compared
        settings = {setting for _, setting in self._compared}
        return self._compared | {(name, setting) for name in self.references for setting in settings}

    @cached_property
    def before(self) -> int | None:
        """The setting with which a change compares; None for another measure, or if there is none."""
        if self.condition.measure != "change":
            return None
        wanted = {**self.measured.settings[self.index].at, **self.condition.against}
        return next((k for k, one in enumerate(self.measured.settings) if one.at == wanted), None)

    @property
    def has_before(self) -> bool:
        """Returns whether there is another setting to compare a change with."""
        return self.before is not None and self.before != self.index

    @cached_property
    def _words(self) -> SampleWords:
        """The words of expressions: controls are the settings of the core's language."""
        names = (TESTED, *self.references, SOLO)
        samples = {
            metric: {name: self._samples(name, self.index, metric) for name in names}
            for metric in filter(None, dict.fromkeys((self.metric.id, self.condition.fair)))
        }
        if self.before is not None:
            of_metric = samples[self.metric.id]
            of_metric |= {name + BEFORE: self._samples(name, self.before, self.metric.id) for name in names}
        return SampleWords(samples, [Setting(name) for name in samples[self.metric.id]])

    def _values(self, expression: str) -> Array:
        return samples_of(parsed(expression), self._words, self._count)

    def _judge(self, criterion: Criterion, values: Array) -> Finding:
        finding = judge_values(criterion, values, self.error)
        self.consulted.append(finding)
        return finding

    def _may_become(self, finding: Finding) -> str:
        """Returns the worst word that more seeds may give, because something on which the word depends is undecided, or
        because the worst of more runs may be beyond a limit that these keep. Empty if the word is settled.
        """
        more = len(self.measured.seeds) - self._count
        if finding.result is Result.NOT_JUDGED:
            return "" if finding.qualified else CONCERN
        undecided = any(one.result is Result.UNDECIDED for one in self.consulted)
        if not undecided and not (self.condition.any_run and self._may_be_worse(finding.criterion, more)):
            return ""
        # What is surely excused stays so, and what has a second limit without an end is never a concern.
        excused = finding.qualified and not self._references_outside
        return INFO if excused or self.condition.never_a_concern else CONCERN

    def _may_be_worse(self, criterion: Criterion, more: int) -> bool:
        """Returns whether the worst of ``more`` runs may be beyond a limit that all of these keep: whether the
        prediction limit for all of them is (G. J. Hahn, "Factors for calculating two-sided prediction intervals for
        samples from a normal distribution", Journal of the American Statistical Association 64, 1969; Bonferroni).
        """
        summary = summarise(self.of(TESTED))
        if not more or summary.mean is None or summary.std is None:
            return more > 0
        quantile = t_quantile(summary.count - 1, 1 - 2 * ERROR / more)
        reach = quantile * summary.std * math.sqrt(1 + 1 / summary.count)
        ends = summary.mean - reach, summary.mean + reach
        return criterion.accepts(summary.mean) and not all(map(criterion.accepts, ends))

    def _finding(self, control: str, reference: str | None = None, *, second: bool = False) -> Finding:
        """Returns the finding on a control, compared with the reference that decides if none is named."""
        reference = self.references[0] if reference is None else reference
        criterion = self.condition.criterion(self.metric, control, reference, second=second)
        values = self._values(criterion.measured)
        return self._judge(criterion, self._worst(values) if self.condition.any_run else values)

    def _qualified(self, finding: Finding) -> Finding:
        """Returns the finding with what takes the weight from its result."""
        if finding.result in (Result.MET, Result.NOT_JUDGED):
            absent = self._absent(self.of(TESTED))
            if np.any(absent):
                return replace(
                    finding, qualified=True, reason=f"{self._nothing(absent)}, as with the reference"
                )
            nothing = "nothing to compare: a value is missing, or 0"
            return finding if finding.result is Result.MET else replace(finding, reason=nothing)
        if self.condition.has_second:
            finding = qualified_by(finding, self._finding(TESTED, second=True))
        excuse = "" if finding.qualified else self._excuse(finding)
        if excuse:
            return replace(finding, qualified=True, reason=excuse)
        if finding.result is Result.NOT_MET:
            return replace(finding, reason=self._farther() or finding.reason)
        return finding

    @cached_property
    def _references_outside(self) -> list[str]:
        """The references that are themselves outside the limits in the mean, where they can excuse."""
        if not self.condition.excused:
            return []
        found = {name: self._finding(name) for name in self.references}
        return [
            name
            for name, one in found.items()
            if one.estimate is not None and not one.criterion.accepts(one.estimate)
        ]

    def _excuse(self, finding: Finding) -> str:
        """Returns why a criterion that is not surely met is no concern: a standard control, or an equal share of the
        others; empty if nothing excuses it.
        """
        for name in self._references_outside:
            if not self._surely_farther(name):
                return f"{name} does not meet the limit either"
        if self.condition.excused and finding.result is Result.UNDECIDED:
            alike = [name for name in self.references if np.array_equal(self.of(TESTED), self.of(name))]
            return f"{alike[0]} is not surely within it either" if alike else ""
        if self.condition.measure in ("value", "change"):
            return ""
        for name in self.references[1:]:
            met = self._finding(TESTED, name).met or self._is_itself(name)
            if met and not np.any(self._lacking(name)):
                return f"it is met against {name}"
        return "the others keep an equal share" if self.condition.fair and self._is_fair() else ""

    def _farther(self) -> str:
        """Returns which references are outside too, though not as far."""
        outside = " and ".join(self._references_outside)
        return f"farther outside than {outside}, not within the limit either" if outside else ""

    def _surely_farther(self, reference: str) -> bool:
        """Returns whether the control under test is surely farther outside the limits than a reference by more than
        ``TOLERANCE``, seed by seed.
        """
        own, other = (
            self._distance(self._finding(name).values, self._finding(name).criterion)
            for name in (TESTED, reference)
        )
        return self._judge(ABOVE_ZERO, own - (1 + TOLERANCE) * other).met

    def _distance(self, values: Sequence[float], criterion: Criterion) -> Array:
        """Returns how far each value is outside the limits, 0 inside; nan for a missing value."""
        measured, (low, high) = np.array(values), criterion.range
        return np.maximum(np.maximum(low - measured, measured - high), 0.0)

    def _is_fair(self) -> bool:
        """Returns whether the others surely keep ``FAIR_SHARE`` of an equal share: of what all flows have together, and
        of what they have with the reference, so that a path that collapses for all is no excuse.
        """
        metric, fair, reference = self.metric.id, self.condition.fair, self.references[0]
        equal = f"max({fair}({TESTED!r}), {fair}({reference!r}))"
        kept = self._values(f"{metric}({TESTED!r}) - {FAIR_SHARE} * {equal}")
        return self._judge(AT_LEAST_ZERO, kept).met

    def _is_itself(self, reference: str) -> bool:
        """Returns whether a control has an allowance of itself, or of what is the same in every run: it is within,
        however much runs differ from each other.
        """
        allowed = self.condition.measure == "allowance" and self.condition.factor >= 1
        return allowed and not self.condition.info and np.array_equal(self.of(TESTED), self.of(reference))

    def _nothing(self, where: npt.NDArray[np.bool_]) -> str:
        """Returns in how many runs there is nothing to judge."""
        what = "no value" if np.any(np.isnan(self.of(TESTED))) else "0"
        return f"{what} in {np.sum(where)} of {where.size} runs"

    def _some(self) -> str:
        """Returns what the reference has where the control under test has nothing."""
        return "one" if np.any(np.isnan(self.of(TESTED))) else "more"

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
        if self.condition.measure != "ratio" or self.condition.low is None:
            return np.isnan(values)
        return np.isnan(values) | (np.maximum(values, self.condition.floor) <= 0)

    def _lacking(self, reference: str) -> npt.NDArray[np.bool_]:
        """Returns in which runs the control under test has nothing to judge though the reference has."""
        return self._absent(self.of(TESTED)) & ~self._absent(self.of(reference))

    def _mean(self, values: Array) -> float | None:
        """Returns the mean of the metric, for a ratio the geometric one, of which the judged quantity is the ratio; the
        worst value where any run decides.
        """
        present = values[np.isfinite(values)]
        if self.condition.any_run:
            values = self._worst(values)
        if self.condition.measure != "ratio" or not present.size or np.min(present) <= 0:
            return summarise(values).mean
        return float(np.exp(np.mean(np.log(present))))

    def _worst(self, values: Array) -> Array:
        """Returns the worst value for each seed: what happens in one run is judged as if it happened in all."""
        present = values[np.isfinite(values)]
        if not present.size:
            return values
        return np.full_like(values, np.min(present) if self.condition.low is not None else np.max(present))

    def _runs_outside(self, criterion: Criterion) -> str:
        """Returns in how many runs a value is outside the limits; nothing if it is in none."""
        values = self.of(TESTED)
        outside = sum(not criterion.accepts(value) for value in values[~np.isnan(values)])
        return f"in {outside} of {values.size} runs" if outside else ""


def enough(condition: Condition, own: Sequence[Judged]) -> list[Judged]:
    """Returns the findings; those outside are qualified if the condition holds in enough of the settings. Those that
    failed, or had nothing to judge, stay.
    """
    if condition.cells == 1:
        return list(own)
    held = sum(one.verdict in (OK, INFO) for one in own)
    # The nearest whole number, halves upwards: 11 of 12 and 119 of 125 for 95 %, and all of a few.
    if held < math.floor(condition.cells * len(own) + 0.5):
        return list(own)
    reason = f"it holds in {held} of {len(own)} settings, which is enough"
    return list(_forgiven(own, reason))


def _forgiven(own: Sequence[Judged], reason: str) -> Iterator[Judged]:
    for one in own:
        stays = one.failed or one.lacking or one.verdict in (OK, INFO)
        yield one if stays else replace(one, finding=replace(one.finding, qualified=True, reason=reason))
