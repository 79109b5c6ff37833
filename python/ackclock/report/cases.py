"""The cases that a figure shows, and their labels."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence

from ackclock.experiment.model import sweep_text
from ackclock.study.result import CaseResult, StudyResult


def selected(cases: Sequence[CaseResult], patterns: Sequence[str] | None) -> list[CaseResult]:
    """Returns the cases that any pattern names (``rbcc*``, ``rbcc``, ``rbcc[5]``); all without patterns."""
    if patterns is None:
        return list(cases)
    return [
        case
        for case in cases
        if any(
            pattern in (case.name, case.case) or fnmatch.fnmatchcase(case.case, pattern)
            for pattern in patterns
        )
    ]


def families(cases: Sequence[CaseResult]) -> dict[str, list[CaseResult]]:
    """Returns the runs of each case of the study file, in file order: one without a sweep, one per value with it."""
    result: dict[str, list[CaseResult]] = {}
    for case in cases:
        result.setdefault(case.case, []).append(case)
    return result


def shown(study: StudyResult) -> list[CaseResult]:
    """Returns the cases that any figure of the study shows, so that they can be numbered and get the first styles."""
    names = {case.name for figure in study.figures for case in selected(study.cases, figure.cases)}
    return [case for case in study.cases if case.name in names]


def full_label(case: CaseResult) -> str:
    """Returns the case's label with the sweep value, if it has one."""
    label = case.label or case.case
    return label if case.sweep_value is None else f"{label}, at {sweep_text(case.sweep_value)}"
