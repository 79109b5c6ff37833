"""Claims, and their results under the other interpretations of the publication."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ackclock._numbers import interval_text, mean_alone, mean_and_spread, plain
from ackclock.report import strips
from ackclock.study.model import Finding, Verdict
from ackclock.study.result import AssumptionResult, ClaimResult, SensitivityResult, StudyResult


@dataclass(frozen=True)
class ClaimView:
    """One claim with its numbers as text."""

    claim: ClaimResult
    anchor: str
    paper: str
    measured: str
    interval: str
    accepted: str
    """The accepted range; empty for a claim without one."""
    alternative: str
    strip: strips.Strip | None

    @property
    def words(self) -> str:
        """Returns the text alternative of the strip."""
        unit = f" {self.claim.unit}" if self.claim.unit else ""
        parts = [f"measured {self.measured}{unit}"]
        parts += [f"{self.claim.number_word} {self.paper}{unit}"] if self.claim.paper is not None else []
        parts += [f"accepted {self.accepted}{unit}"] if self.accepted else []
        return ", ".join(parts).capitalize()


@dataclass(frozen=True)
class Outcome:
    """A claim under one interpretation of the publication."""

    verdict: Verdict | None
    measured: str
    changed: bool


@dataclass(frozen=True)
class Reading:
    """The interpretation taken, or an alternative to it, with the claims that any alternative changes."""

    label: str
    taken: bool
    outcomes: Sequence[Outcome]
    against: str = ""
    """The evidence in the publication against the interpretation."""
    evidence: str = ""
    """The evidence for the interpretation."""


@dataclass(frozen=True)
class AssumptionView:
    """An assumption and the claims that depend on it. Claims that no alternative changes are only counted."""

    assumption: AssumptionResult
    changed: Sequence[ClaimView]
    readings: Sequence[Reading]
    """The interpretation that the study uses, then the alternatives."""
    unchanged: int
    undecided: Sequence[str]
    """A sentence for each alternative that leaves claims undecided. The study's interpretation decides these claims."""


def views(study: StudyResult, anchor: str) -> list[ClaimView]:
    """Returns the claims in file order."""
    return [_view(claim, anchor_of(anchor, number)) for number, claim in enumerate(study.claims, start=1)]


def anchor_of(study: str, number: int) -> str:
    """Returns the HTML id of a study's claim, counted from 1."""
    return f"{study}-claim-{number}"


def fragment(study: StudyResult, claim: str, anchor: str) -> str:
    """Returns the link to a claim within the page of its study, or to the results without a claim."""
    number = next((number for number, one in enumerate(study.claims, start=1) if one.id == claim), None)
    return f"#{anchor}-results" if number is None else f"#{anchor_of(anchor, number)}"


def other_findings(study: StudyResult) -> list[Finding]:
    """Returns the findings that are not shown with their claim already. One that explains another verdict is left
    out.
    """
    said = {(claim.id, claim.finding) for claim in study.claims}
    verdicts = {claim.id: claim.verdict for claim in study.claims}
    return [
        finding
        for finding in study.findings
        if (finding.claim, finding.text) not in said and finding.explains(verdicts.get(finding.claim))
    ]


def assumptions(study: StudyResult, claims: Sequence[ClaimView]) -> list[AssumptionView]:
    """Returns the assumptions in file order."""
    return [_assumption(assumption, claims) for assumption in study.assumptions]


def _view(claim: ClaimResult, anchor: str) -> ClaimView:
    on = None
    if claim.paper is not None or claim.accepted is not None:
        ends = (*(claim.interval or ()), *(claim.accepted or ()))
        # Each claim has its own scale. The accepted range shows whether a difference is large or small;
        # without such a range, the scale begins at zero.
        zero = 0.0 if claim.accepted is None else None
        on = strips.scale([zero, claim.paper, claim.measured, *ends])
    return ClaimView(
        claim=claim,
        anchor=anchor,
        paper=plain(claim.paper),
        measured=mean_and_spread(claim.measured, claim.interval),
        interval=interval_text(claim.measured, claim.interval),
        accepted=_range_text(claim.accepted),
        alternative=plain(claim.alternative),
        strip=strips.strip(on, claim.measured, claim.interval, claim.paper, claim.accepted) if on else None,
    )


def _range_text(accepted: strips.Range | None) -> str:
    low, high = accepted or (None, None)
    if low is None:
        return "" if high is None else f"up to {plain(high)}"
    return f"from {plain(low)}" if high is None else f"{plain(low)} to {plain(high)}"


def _assumption(assumption: AssumptionResult, claims: Sequence[ClaimView]) -> AssumptionView:
    ids = {id for alternative in assumption.sensitivity for id in alternative.changed}
    changed = [view for view in claims if view.claim.id in ids]
    taken = Reading(assumption.taken, True, [_outcome(view.claim, False) for view in changed])
    alternatives = []
    for alternative in assumption.sensitivity:
        found = {claim.id: claim for claim in alternative.claims}
        outcomes = [_outcome(found.get(v.claim.id), v.claim.id in alternative.changed) for v in changed]
        alternatives.append(
            Reading(alternative.alternative, False, outcomes, alternative.against, alternative.evidence)
        )
    touched = ids.union(*(alternative.undecided for alternative in assumption.sensitivity))
    undecided = [_undecided(alternative) for alternative in assumption.sensitivity if alternative.undecided]
    return AssumptionView(assumption, changed, [taken, *alternatives], len(claims) - len(touched), undecided)


def _undecided(reading: SensitivityResult) -> str:
    count = len(reading.undecided)
    claims, are, they = (f"{count} claims", "are", "they are") if count > 1 else ("a claim", "is", "it is")
    return (
        f"With {reading.alternative}, {claims} {are} undecided after {reading.replications} seeds: "
        f"{', '.join(reading.undecided)}. With the study's interpretation, {they} decided."
    )


def _outcome(claim: ClaimResult | None, changed: bool) -> Outcome:
    if claim is None:
        return Outcome(None, plain(None), changed)
    return Outcome(claim.verdict, mean_alone(claim.measured, claim.interval), changed)
