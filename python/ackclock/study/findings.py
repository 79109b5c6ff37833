"""Findings: the study's texts about claims, with computed numbers, each for a verdict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ackclock.experiment.sample_words import SampleWords
from ackclock.study.computed import filled
from ackclock.study.model import Finding
from ackclock.study.result import ClaimResult


def with_numbers(findings: Iterable[Finding], words: SampleWords | None) -> tuple[Finding, ...]:
    """Returns the findings with their computed numbers; without ``words`` each number says that it is not recorded."""
    return tuple(finding.model_copy(update={"text": filled(finding.text, words)}) for finding in findings)


def with_finding(claim: ClaimResult, findings: Sequence[Finding]) -> ClaimResult:
    """Returns ``claim`` with the finding for its verdict, preferring a finding that names the verdict."""
    about = [one for one in findings if one.claim == claim.id and one.explains(claim.verdict)]
    about.sort(key=lambda finding: finding.verdict != claim.verdict)
    return replace(claim, finding=about[0].text if about else None)
