"""The status of a verdict: whose question it answers, whether the set-up is known, and how other readings decide."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ackclock.experiment.expression import parsed
from ackclock.study.claim import Claim
from ackclock.study.model import Study, SweptCase, Verdict
from ackclock.study.result import AssumptionResult, ClaimResult, ReadingVerdict, Thesis

_ANSWERED: Mapping[Verdict, Verdict] = {
    "reproduced": "yes",
    "direction only": "no",
    "not reproduced": "no",
}
_REFUTED: Collection[Verdict] = ("direction only", "not reproduced")
_DECIDED: Collection[Verdict] = ("reproduced", *_REFUTED)


def outcome(judged: Verdict, claim: Claim, study: Study) -> Verdict:
    """Returns the outcome of the test: ``judged``, the answer to a question of our own, or "not a test"."""
    if claim.not_judged():
        return "not a test"
    return _ANSWERED.get(judged, judged) if study.source.asked_by == "us" else judged


def status_of(outcome: Verdict, claim: Claim, study: Study) -> Verdict:
    """Returns the verdict that ``outcome`` counts as in ``study``, before other readings are considered."""
    lost = claim.setup_unknown or (study.source.setup_unknown and not claim.holds_whatever)
    return "set-up unknown" if lost and outcome in _DECIDED else outcome


def with_readings(claim: ClaimResult, assumptions: Iterable[AssumptionResult]) -> ClaimResult:
    """Returns ``claim`` with the readings under which its test has another outcome, and with the resulting verdict."""
    readings = tuple(_otherwise(claim, assumptions))
    if not hangs(claim.came_out, [reading.verdict for reading in readings if not reading.against]):
        return replace(claim, readings=readings)
    told = "; ".join(f"{one.verdict} with {one}" for one in readings if not one.against)
    return replace(
        claim,
        verdict="hangs on the reading",
        outcome=claim.came_out,
        detail=f"{claim.came_out} as taken, {told}. As taken: {claim.detail}",
        readings=readings,
    )


def hangs(outcome: Verdict, others: Collection[Verdict]) -> bool:
    """Returns whether a claim with this ``outcome`` hangs on the reading.

    ``others`` are the outcomes under the other readings that the publication does not rule out. A refutation hangs on a
    reading that leaves it undecided as well: a publication is refuted only if all that it can mean is refuted. The
    right direction does not make the claim right, so "direction only" and "not reproduced" do not hang on each other.
    Questions of our own never hang: their alternatives are variants of the question.
    """
    if outcome == "reproduced":
        return any(other in _REFUTED for other in others)
    return outcome in _REFUTED and any(other not in _REFUTED for other in others)


def _otherwise(claim: ClaimResult, assumptions: Iterable[AssumptionResult]) -> Iterator[ReadingVerdict]:
    for assumption in assumptions:
        for reading in assumption.sensitivity:
            for other in reading.claims:
                if other.id == claim.id and other.verdict != claim.came_out:
                    yield ReadingVerdict(assumption.what, reading.alternative, other.verdict, reading.against)


def rivals(study: Study, thesis: Thesis) -> list[str]:
    """Returns the cases without a system of the thesis; none if the systems are unknown.

    A control that only displays what its law would do is standard TCP, unless the study is only about that display.
    """
    if not thesis.systems:
        return []
    runs = study.runs()
    with_system = {run.case.name for run in runs if _has_system(run, study, thesis, displayed=False)}
    if not with_system:
        with_system = {run.case.name for run in runs if _has_system(run, study, thesis, displayed=True)}
    return [case.name for case in study.cases if case.name not in with_system]


def about_baselines(claim: Claim, without_system: Collection[str], thesis: Thesis) -> bool:
    """Returns whether ``claim`` names only cases ``without_system`` of the thesis; false for a thesis without
    systems.
    """
    if not thesis.systems:
        return False
    expressions = [parsed(text) for text in (claim.measured, claim.direction) if text is not None]
    named = {text.partition("[")[0] for expression in expressions for text in expression.texts()}
    return bool(named) and named <= set(without_system)


def _has_system(run: SweptCase, study: Study, thesis: Thesis, *, displayed: bool) -> bool:
    scenario = dict(study.scenario)
    overrides = {**run.case.overrides, **({run.sweep.path: run.value} if run.sweep else {})}
    for path, value in overrides.items():
        scenario = _put(scenario, path.split("."), value)
    return any(text in thesis.systems for text in _texts(scenario, displayed=displayed))


def _put(table: Mapping[str, Any], path: list[str], value: Any) -> dict[str, Any]:
    """Returns ``table`` with ``value`` at ``path``; a flow or link in a list is found by its name."""
    key, rest = path[0], path[1:]
    result = dict(table)
    if not rest:
        result[key] = value
        return result
    inside = result.get(key, {})
    if isinstance(inside, list):
        chosen = rest[0]
        if rest[1:]:
            result[key] = [
                _put(one, rest[1:], value)
                if isinstance(one, dict) and one.get("name") in (chosen, None)
                else one
                for one in inside
            ]
        return result
    # A control given as text is its name; its parameters are set beside the name.
    result[key] = _put(inside if isinstance(inside, dict) else {"name": inside}, rest, value)
    return result


def _texts(value: Any, *, displayed: bool) -> Iterator[str]:
    """Yields all texts in a scenario; without ``displayed``, texts of ``display_only`` controls are left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        if value.get("display_only") is True and not displayed:
            return
        for inside in value.values():
            yield from _texts(inside, displayed=displayed)
    elif isinstance(value, list):
        for inside in value:
            # Flows and links have their own names, which may equal those of systems.
            text = {**inside, "name": None} if isinstance(inside, Mapping) else inside
            yield from _texts(text, displayed=displayed)
