"""Judges the samples of a study: findings on each discipline, with the verdicts of an evaluation.

A finding does not test the program.
"""

from __future__ import annotations

import fnmatch
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ackclock._numbers import number_of
from ackclock.characterisation.disciplines import BASELINE, OF_VARIANT, discipline_of, variant_of
from ackclock.characterisation.language import By, Characterisation, Condition
from ackclock.characterisation.words import BEGINNINGS, INFO, word, worst
from ackclock.evaluation.words import OK
from ackclock.experiment.comparison import qualified_by
from ackclock.experiment.expression import Array, parsed
from ackclock.experiment.judge import judge_values
from ackclock.experiment.model import Criterion, Finding, Result, Setting
from ackclock.experiment.sample_words import SampleWords, samples_of
from ackclock.experiment.truth import ERROR
from ackclock.study.result import CaseResult, StudyResult

DEFAULTS = "default"
"""The name of the variant in which every parameter has its default."""
REFERENCE = "reference"
"""The verdict on drop-tail, because the other disciplines are compared with it."""
DOUBT: dict[By, float] = {"interval": ERROR, "mean": 0.5, "some": 1 - ERROR, "every": ERROR}
"""The largest one-sided p-value at which a condition counts as met, for each value of its key ``by``.

With 0.5, the mean alone decides. With ``1 - ERROR``, a condition is met unless it is significantly violated.
"""


@dataclass(frozen=True)
class Judged:
    """A condition on a discipline in a setting, and what was found."""

    condition: Condition
    metric: str
    setting: str
    """The variant and the sweep value; empty if there is only one setting."""
    finding: Finding

    @property
    def verdict(self) -> str:
        """Returns the verdict of the finding."""
        return word(self.finding)


@dataclass(frozen=True)
class Row:
    """The results of a discipline in a scenario."""

    discipline: str
    label: str
    verdict: str
    findings: Sequence[Judged]

    def reasons(self) -> list[Judged]:
        """Returns the findings that decide the verdict, if it is not OK."""
        return [one for one in self.findings if OK != one.verdict == self.verdict and _limited(one)]

    @property
    def sentence(self) -> str:
        """Returns the sentence that explains the verdict: the conditions that decide it, and in how many settings."""
        limited = [one for one in self.findings if _limited(one)]
        if not limited:
            return "Numbers without a limit."
        if self.verdict == OK:
            conditions = len({one.condition.title for one in limited})
            tests = number_of(len(limited), "test")
            return f"{number_of(conditions, 'condition')} met ({len(limited)} of {tests})."
        all_of = Counter(one.condition.title for one in limited)
        reasons = Counter(one.condition.title for one in self.reasons())
        text = {one.condition.title: one.condition.text or one.condition.title for one in limited}
        parts = [
            f"{text[title]}: {count} of {number_of(all_of[title], 'test')}"
            for title, count in reasons.items()
        ]
        return f"{BEGINNINGS[self.verdict]}: {'; '.join(parts)}."


def rows(result: StudyResult) -> list[Row]:
    """Returns a row for each discipline of a study of the characterisation, drop-tail first."""
    about = result.characterisation
    if about is None:
        raise ValueError(
            f"{result.name}: found no [characterisation], expected a study that runs a scenario of RFC 7928"
        )
    samples = {
        metric.id: {
            case.name: np.array(case.values[metric.id].samples, dtype=np.float64)
            for case in result.cases
            if metric.id in case.values
        }
        for metric in result.metrics
    }
    words = SampleWords(samples, [Setting(case.name) for case in result.cases])
    by_discipline: dict[str, list[CaseResult]] = {}
    for case in result.cases:
        by_discipline.setdefault(discipline_of(case.case), []).append(case)
    found = []
    for discipline, cases in by_discipline.items():
        own = [one for condition in about.criteria for one in _judged(condition, cases, result, words)]
        label = cases[0].label.partition(", ")[0] or discipline
        found.append(Row(discipline, label, _verdict(discipline, about, own), own))
    return found


def setting_of(case: CaseResult) -> str:
    """Returns what distinguishes the cases of a discipline: the variant and the sweep value."""
    value = "" if case.sweep_value is None else str(case.sweep_value)
    return ", ".join(part for part in (variant_of(case.case), value) if part)


def _verdict(discipline: str, about: Characterisation, findings: Sequence[Judged]) -> str:
    """Returns the verdict on a discipline from its findings; numbers without a limit do not count."""
    if discipline == BASELINE:
        return REFERENCE
    limited = [one.verdict for one in findings if _limited(one)]
    return worst(limited) if limited and about.counts else INFO


def _limited(one: Judged) -> bool:
    return one.condition.kind != "info" and one.finding.result is not Result.NOT_JUDGED


def _judged(
    condition: Condition, cases: Sequence[CaseResult], result: StudyResult, words: SampleWords
) -> Iterator[Judged]:
    for case in cases:
        settings = (discipline_of(case.case), variant_of(case.case), str(case.sweep_value))
        wanted = condition.only is None or any(
            fnmatch.fnmatchcase(setting, one) for one in condition.only for setting in settings
        )
        baseline = _baseline(condition, case, result)
        if not wanted or (condition.against and baseline is case):
            continue
        for metric in condition.metrics:
            if metric in case.values:
                finding = _finding(condition, metric, case, baseline, words)
                yield Judged(condition, metric, setting_of(case), finding)


def _baseline(condition: Condition, case: CaseResult, result: StudyResult) -> CaseResult | None:
    """Returns the baseline of ``case``: drop-tail in the same setting, or the same discipline in another variant."""
    variant = variant_of(case.case)
    if condition.against:
        other = condition.against.replace("*", variant.partition("-")[2])
        names = [f"{discipline_of(case.case)}{OF_VARIANT}{other}"]
    elif variant:
        # Variants of a discipline's own parameters have no counterpart of drop-tail: its defaults stand for all of
        # them.
        names = [f"{BASELINE}{OF_VARIANT}{variant}", f"{BASELINE}{OF_VARIANT}{DEFAULTS}"]
    else:
        names = [BASELINE]
    by_name = {one.case: one for one in result.cases if one.sweep_value == case.sweep_value}
    return next((by_name[name] for name in names if name in by_name), None)


def _finding(
    condition: Condition, metric: str, case: CaseResult, baseline: CaseResult | None, words: SampleWords
) -> Finding:
    other = "" if baseline is None or metric not in baseline.values else baseline.name
    criterion = condition.criterion(metric, case.name, other)
    if condition.measure != "value" and not other:
        return Finding(criterion, Result.NOT_JUDGED, reason="there is no case to compare with")
    values = samples_of(parsed(criterion.measured), words, len(case.values[metric].samples))
    if condition.by == "every":
        values = _worst(values, criterion)
    finding = _decided(condition, criterion, values)
    if finding.met or finding.result is Result.NOT_JUDGED:
        return finding
    if condition.kind == "info":
        return replace(finding, qualified=True, reason="for information")
    if condition.has_second:
        finding = qualified_by(
            finding, _decided(condition, condition.criterion(metric, case.name, other, second=True), values)
        )
    if condition.kind == "benefit" and finding.result is Result.NOT_MET:
        return replace(finding, qualified=True, reason="no better than drop-tail")
    return finding


def _decided(condition: Condition, criterion: Criterion, values: Array) -> Finding:
    """Returns the finding, with the error of the condition."""
    finding = judge_values(criterion, values)
    if finding.truth is None:
        return finding
    truth = replace(finding.truth, error=DOUBT[condition.by])
    return replace(finding, result=truth.result, truth=truth)


def _worst(values: Array, criterion: Criterion) -> Array:
    """Returns the worst value for each seed: what happens with one seed is judged as if it happened with all."""
    present = values[np.isfinite(values)]
    if not present.size:
        return values
    return np.full_like(values, np.min(present) if criterion.low is not None else np.max(present))
