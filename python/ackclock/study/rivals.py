"""Tells the systems that a publication proposes from the baselines that it compares them with."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ackclock.experiment.expression import parsed
from ackclock.study.claim import Claim
from ackclock.study.effect import cases_named
from ackclock.study.model import Study, SweptCase
from ackclock.study.result import Thesis


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
    named = cases_named(map(parsed, claim.texts))
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
                if isinstance(one, dict) and (chosen == "*" or one.get("name") in (chosen, None))
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
