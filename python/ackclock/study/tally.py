"""Counts of verdicts over many studies: about a thesis's own systems, about its baselines alone, about our own
questions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ackclock.study.model import Verdict
from ackclock.study.result import ClaimResult, StudyResult, Thesis, counted

Kind = Literal["systems", "baselines", "ours"]
KINDS: Mapping[Kind, str] = {
    "systems": "",
    "baselines": "about baselines alone",
    "ours": "new questions",
}
"""The kinds of claims, with their labels in tables."""


@dataclass(frozen=True)
class Tally:
    """The claims of one kind in the studies of one thesis."""

    thesis: Thesis
    kind: Kind
    studies: int
    verdicts: Mapping[Verdict, int]

    def __str__(self) -> str:
        about = KINDS[self.kind]
        return self.thesis.cited + (f", {about}" if about else "")


def kind_of(claim: ClaimResult) -> Kind:
    """Returns the kind of a claim: by whose question it is, and whether it involves a system of the thesis."""
    if claim.ours:
        return "ours"
    return "baselines" if claim.baselines else "systems"


def verdicts_of(results: Iterable[StudyResult]) -> dict[Verdict, int]:
    """Returns the number of claims of all these studies with each verdict, in the usual order of verdicts."""
    return counted(claim.verdict for result in results for claim in result.claims)


def by_thesis(results: Iterable[StudyResult]) -> list[Tally]:
    """Returns a tally for each thesis and kind of claim, in the order of their first studies."""
    groups: dict[str, list[StudyResult]] = {}
    for result in results:
        groups.setdefault(result.source.thesis.key, []).append(result)
    return [tally for group in groups.values() for tally in _tallies(group)]


def _tallies(group: Sequence[StudyResult]) -> Iterable[Tally]:
    for kind in KINDS:
        claims = [
            (result.name, claim.verdict)
            for result in group
            for claim in result.claims
            if kind_of(claim) == kind
        ]
        if claims:
            studies = len({name for name, _ in claims})
            yield Tally(group[0].source.thesis, kind, studies, counted(verdict for _, verdict in claims))
