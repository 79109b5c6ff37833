"""Derives a verdict on each discipline from the samples of a study. A verdict is a finding, never a test of the
program.
"""

from __future__ import annotations

import fnmatch
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
import numpy.typing as npt

from ackclock.characterisation.arms import BASELINE, OF_VARIANT, discipline_of, variant_of
from ackclock.characterisation.language import Characterisation, Criterion
from ackclock.statistics import Summary, summarise
from ackclock.study.result import CaseResult, StudyResult

Vector = npt.NDArray[np.float64]
DEFAULTS = "default"
"""The variant in which nothing is varied."""


class Verdict(Enum):
    """The result of a discipline in a scenario."""

    PASS = "pass"  # noqa: S105
    """Every criterion holds."""
    CAUTION = "caution"
    """The discipline is safe, but not better than drop-tail, or near a limit."""
    FAIL = "fail"
    """A safety criterion is broken."""
    UNDECIDED = "undecided"
    """No safety criterion is broken, but the interval of a criterion lies on both sides of its limit: more seeds
    would decide.
    """
    INFO = "info"
    """The scenario gives numbers without a verdict."""
    BASELINE = "baseline"
    """Drop-tail, the baseline of the others."""


class Outcome(Enum):
    """The outcome of a criterion."""

    HOLDS = "holds"
    NEAR = "near"
    """The value is outside, but by too little to count as a failure."""
    BROKEN = "broken"
    UNDECIDED = "undecided"
    """The interval that should lie inside lies on both sides of a limit, or there is no interval."""
    INFO = "info"
    UNKNOWN = "unknown"
    """There is no sample, or nothing to compare with."""


@dataclass(frozen=True)
class Finding:
    """A criterion of one discipline in one setting. ``low`` and ``high`` are the interval, None with one sample."""

    criterion: Criterion
    metric: str
    setting: str
    """The variant or the sweep value; empty if there is only one setting."""
    outcome: Outcome
    mean: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Row:
    """The results of a discipline in a scenario."""

    discipline: str
    label: str
    verdict: Verdict
    findings: Sequence[Finding]

    def reasons(self) -> list[Finding]:
        """Returns the findings that kept it from a pass."""
        kept = (Outcome.BROKEN, Outcome.UNDECIDED, Outcome.NEAR)
        return [one for one in self.findings if one.outcome in kept]


def rows(result: StudyResult) -> list[Row]:
    """Returns a row for each discipline of a study of the characterisation, drop-tail first."""
    about = result.characterisation
    if about is None:
        raise ValueError(f"{result.name} is not a study of the characterisation")
    by_discipline: dict[str, list[CaseResult]] = {}
    for case in result.cases:
        by_discipline.setdefault(discipline_of(case.case), []).append(case)
    found = []
    for discipline, cases in by_discipline.items():
        findings = [one for criterion in about.criteria for one in _findings(criterion, cases, result)]
        label = cases[0].label.partition(", ")[0] or discipline
        found.append(Row(discipline, label, _verdict(discipline, about, findings), findings))
    return found


def setting_of(case: CaseResult) -> str:
    """Returns what distinguishes the cases of a discipline: the variant and the sweep value."""
    value = "" if case.sweep_value is None else str(case.sweep_value)
    return ", ".join(part for part in (variant_of(case.case), value) if part)


def overall(verdicts: Sequence[Verdict]) -> Verdict:
    """Returns the worst of several verdicts."""
    for worst in (Verdict.FAIL, Verdict.UNDECIDED, Verdict.CAUTION, Verdict.PASS):
        if worst in verdicts:
            return worst
    return Verdict.INFO


def _verdict(discipline: str, about: Characterisation, findings: Sequence[Finding]) -> Verdict:
    if discipline == BASELINE:
        return Verdict.BASELINE
    judged = [one for one in findings if one.criterion.kind != "info" and one.outcome is not Outcome.UNKNOWN]
    if not judged or not about.counts:
        return Verdict.INFO
    broken = [one for one in judged if one.outcome is Outcome.BROKEN]
    if any(one.criterion.kind == "safety" for one in broken):
        return Verdict.FAIL
    if any(one.outcome is Outcome.UNDECIDED for one in judged):
        return Verdict.UNDECIDED
    near = any(one.outcome is Outcome.NEAR for one in judged)
    return Verdict.CAUTION if broken or near else Verdict.PASS


def _findings(criterion: Criterion, cases: Sequence[CaseResult], result: StudyResult) -> Iterator[Finding]:
    for case in cases:
        settings = (discipline_of(case.case), variant_of(case.case), str(case.sweep_value))
        wanted = criterion.only is None or any(
            fnmatch.fnmatchcase(setting, one) for one in criterion.only for setting in settings
        )
        baseline = _baseline(criterion, case, result)
        if not wanted or (criterion.against and baseline is case):
            continue
        for metric in criterion.metrics:
            if metric in case.values:
                yield _finding(criterion, metric, case, baseline)


def _baseline(criterion: Criterion, case: CaseResult, result: StudyResult) -> CaseResult | None:
    """Returns the baseline of ``case``: drop-tail in the same setting, or the same discipline in another variant."""
    variant = variant_of(case.case)
    if criterion.against:
        other = criterion.against.replace("*", variant.partition("-")[2])
        names = [f"{discipline_of(case.case)}{OF_VARIANT}{other}"]
    elif variant:
        # Variants of a discipline's own parameters have no counterpart of drop-tail: its defaults stand for all of
        # them.
        names = [f"{BASELINE}{OF_VARIANT}{variant}", f"{BASELINE}{OF_VARIANT}{DEFAULTS}"]
    else:
        names = [BASELINE]
    by_name = {one.case: one for one in result.cases if one.sweep_value == case.sweep_value}
    return next((by_name[name] for name in names if name in by_name), None)


def _finding(criterion: Criterion, metric: str, case: CaseResult, baseline: CaseResult | None) -> Finding:
    own = np.array(case.values[metric].samples)
    other = (
        None
        if baseline is None or metric not in baseline.values
        else np.array(baseline.values[metric].samples)
    )
    setting = setting_of(case)
    if criterion.measure == "loss":
        return _loss(criterion, metric, setting, own, other)
    if criterion.measure == "value":
        summary, samples = summarise(own), own
        mean, ends = summary.mean, summary.interval
    elif other is None:
        return Finding(criterion, metric, setting, Outcome.UNKNOWN, None, None, None)
    elif criterion.measure == "difference":
        samples = own - other
        summary = summarise(samples)
        mean, ends = summary.mean, summary.interval
    else:
        samples = _ratios(own, other, criterion.floor)
        mean, ends = _exponential(summarise(np.log(samples)))
    low, high = ends if ends is not None else (None, None)
    outcome = _outcome(criterion, mean, ends, samples)
    return Finding(criterion, metric, setting, outcome, mean, low, high)


def _ratios(own: Vector, other: Vector, floor: float) -> Vector:
    """Returns the ratios seed by seed; nan if there is none."""
    with np.errstate(all="ignore"):
        ratio = np.maximum(own, floor) / np.maximum(other, floor)
    return np.asarray(np.where((ratio > 0) & np.isfinite(ratio), ratio, np.nan), dtype=np.float64)


def _exponential(of_logarithms: Summary) -> tuple[float | None, tuple[float, float] | None]:
    mean = None if of_logarithms.mean is None else math.exp(of_logarithms.mean)
    ends = of_logarithms.interval
    return mean, None if ends is None else (math.exp(ends[0]), math.exp(ends[1]))


def _loss(criterion: Criterion, metric: str, setting: str, own: Vector, other: Vector | None) -> Finding:
    """Judges the mean loss ratio in per cent: at most twice drop-tail's or ``high``, whichever is more."""
    summary = summarise(own)
    low, high = summary.interval or (None, None)
    reference = None if other is None else summarise(other).mean
    if summary.mean is None or reference is None:
        return Finding(criterion, metric, setting, Outcome.UNKNOWN, summary.mean, low, high)
    holds = summary.mean <= max(2 * reference, criterion.high or 0.0)
    return Finding(
        criterion, metric, setting, Outcome.HOLDS if holds else Outcome.BROKEN, summary.mean, low, high
    )


def _outcome(
    criterion: Criterion, mean: float | None, ends: tuple[float, float] | None, samples: Vector
) -> Outcome:
    if mean is None:
        return Outcome.UNKNOWN
    if criterion.kind == "info" and criterion.low is None and criterion.high is None:
        return Outcome.INFO
    if _inside(criterion, criterion.low, criterion.high, mean, ends, samples):
        return Outcome.HOLDS
    low = criterion.low if criterion.caution_low is None else criterion.caution_low
    high = criterion.high if criterion.caution_high is None else criterion.caution_high
    wider = criterion.caution_low is not None or criterion.caution_high is not None
    if wider and _inside(criterion, low, high, mean, ends, samples):
        return Outcome.NEAR
    if criterion.by == "interval" and not _surely_outside(criterion, low, high, ends):
        return Outcome.UNDECIDED
    return Outcome.BROKEN


def _surely_outside(
    criterion: Criterion, low: float | None, high: float | None, ends: tuple[float, float] | None
) -> bool:
    """Returns whether no part of the interval lies in the range; False without an interval."""
    if ends is None:
        return False
    first, last = ends
    below = low is not None and (last <= low if criterion.strict else last < low)
    above = high is not None and (first >= high if criterion.strict else first > high)
    return below or above


def _inside(
    criterion: Criterion,
    low: float | None,
    high: float | None,
    mean: float,
    ends: tuple[float, float] | None,
    samples: Vector,
) -> bool:
    def within(value: float) -> bool:
        above = low is None or (value > low if criterion.strict else value >= low)
        below = high is None or (value < high if criterion.strict else value <= high)
        return above and below

    first, last = ends if ends is not None else (mean, mean)
    if criterion.by == "every":
        return all(within(value) for value in samples[np.isfinite(samples)])
    if criterion.by == "some":
        return (low is None or last >= low) and (high is None or first <= high)
    if criterion.by == "mean":
        return within(mean)
    return within(first) and within(last)
