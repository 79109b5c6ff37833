"""How a verdict counts: whose question it answers, whether the set-up is known, and whether it is of rivals alone."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ackclock.study.claim import Claim
from ackclock.study.language import Expression
from ackclock.study.model import Study, SweptCase, Verdict
from ackclock.study.result import Thesis

_ANSWERED: Mapping[Verdict, Verdict] = {
    "reproduced": "yes",
    "direction only": "no",
    "not reproduced": "no",
}


def standing(verdict: Verdict, claim: Claim, study: Study) -> Verdict:
    """The verdict on ``claim`` as it counts in ``study``."""
    if claim.not_judged():
        return "not a test"
    if study.source.asked_by == "us":
        return _ANSWERED.get(verdict, verdict)
    if study.source.setup_unknown and verdict in ("direction only", "not reproduced"):
        return "set-up unknown"
    return verdict


def rivals(study: Study, thesis: Thesis) -> list[str]:
    """The cases that have no system of the thesis; none where it is not known what those are.

    A control that only displays what its law would do is standard TCP, unless that display is all that the study is of.
    """
    if not thesis.systems:
        return []
    runs = study.runs()
    with_system = {run.case.name for run in runs if _has_system(run, study, thesis, displayed=False)}
    if not with_system:
        with_system = {run.case.name for run in runs if _has_system(run, study, thesis, displayed=True)}
    return [case.name for case in study.cases if case.name not in with_system]


def about_baselines(claim: Claim, without_system: Collection[str], thesis: Thesis) -> bool:
    """Whether ``claim`` names cases ``without_system`` of the thesis alone; of a thesis without systems, never."""
    if not thesis.systems:
        return False
    expressions = [Expression(text) for text in (claim.measured, claim.direction) if text is not None]
    named = {text.partition("[")[0] for expression in expressions for text in expression.texts()}
    return bool(named) and named <= set(without_system)


def _has_system(run: SweptCase, study: Study, thesis: Thesis, *, displayed: bool) -> bool:
    scenario = dict(study.scenario)
    overrides = {**run.case.overrides, **({run.sweep.path: run.value} if run.sweep else {})}
    for path, value in overrides.items():
        scenario = _put(scenario, path.split("."), value)
    return any(text in thesis.systems for text in _texts(scenario, displayed=displayed))


def _put(table: Mapping[str, Any], path: list[str], value: Any) -> dict[str, Any]:
    """``table`` with ``value`` at ``path``; a flow or link in a list is found by its name."""
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
    # A control named by text alone is its name; its parameters are set beside it.
    result[key] = _put(inside if isinstance(inside, dict) else {"name": inside}, rest, value)
    return result


def _texts(value: Any, *, displayed: bool) -> Iterator[str]:
    """All texts in a scenario; without ``displayed`` those of controls that are ``display_only`` are left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        if value.get("display_only") is True and not displayed:
            return
        for inside in value.values():
            yield from _texts(inside, displayed=displayed)
    elif isinstance(value, list):
        for inside in value:
            # Flows and links have names of their own, which may be those of systems.
            text = {**inside, "name": None} if isinstance(inside, Mapping) else inside
            yield from _texts(text, displayed=displayed)
