"""The results of a claim under the other interpretations of the publication."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ackclock.study.model import Verdict
from ackclock.study.result import AssumptionResult, ClaimResult, OtherResult

HOLDS: tuple[Verdict, ...] = ("as printed", "yes")
FAILS: tuple[Verdict, ...] = ("not as printed", "right order, other size", "no")


def with_interpretations(claim: ClaimResult, assumptions: Iterable[AssumptionResult]) -> ClaimResult:
    """Returns ``claim`` with its results under the other interpretations."""
    return replace(claim, interpretations=tuple(_of(claim, assumptions)))


def reverses(taken: Verdict, other: Verdict) -> bool:
    """Returns whether a claim holds under one of two interpretations and fails under the other.

    "undecided" and "cannot tell" are never part of a reversal. A claim with "right order, other size" fails, so this
    does not reverse "not as printed".
    """
    return (taken in HOLDS and other in FAILS) or (taken in FAILS and other in HOLDS)


def _of(claim: ClaimResult, assumptions: Iterable[AssumptionResult]) -> Iterator[OtherResult]:
    for assumption in assumptions:
        for one in assumption.sensitivity:
            for other in one.claims:
                if other.id == claim.id and claim.id not in one.untouched:
                    yield OtherResult(
                        assumption.what,
                        one.alternative,
                        other.verdict,
                        one.evidence,
                        one.against if claim.id in one.refuted_for else "",
                        None not in (claim.measured, other.measured)
                        and reverses(claim.verdict, other.verdict),
                    )
