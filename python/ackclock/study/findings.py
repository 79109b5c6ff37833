"""What is written of claims, with its computed numbers, and under which verdict it stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ackclock.study.claim_words import ClaimWords
from ackclock.study.computed import filled
from ackclock.study.model import Finding
from ackclock.study.result import ClaimResult


def with_numbers(findings: Iterable[Finding], words: ClaimWords | None) -> tuple[Finding, ...]:
    """The findings with their computed numbers, which say that they are not recorded where there are no ``words``."""
    return tuple(finding.model_copy(update={"text": filled(finding.text, words)}) for finding in findings)


def with_finding(claim: ClaimResult, findings: Sequence[Finding]) -> ClaimResult:
    """``claim`` with what is written of it under its verdict; first what names that verdict."""
    about = [one for one in findings if one.claim == claim.id and one.explains(claim.verdict, claim.came_out)]
    about.sort(key=lambda finding: finding.verdict != claim.verdict)
    return replace(claim, finding=about[0].text if about else None)
