"""The controls and queue disciplines that a study runs, for the search of the index."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ackclock import _toml as toml
from ackclock.study.result import StudyResult

KEYS = frozenset({"control", "queue"})
"""The scenario keys whose values name a congestion control or a queue discipline."""


def systems_of(result: StudyResult) -> list[str]:
    """Returns the registered names, in alphabetical order."""
    found = set(_named(toml.loads(result.scenario_text)))
    for case in result.cases:
        for path, value in case.overrides.items():
            steps = path.removesuffix(".name").split(".")
            found.update(_name(value) if steps[-1] in KEYS else _named(value))
    return sorted(found)


def _named(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _name(inner) if key in KEYS else _named(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _named(inner)


def _name(value: Any) -> Iterator[str]:
    """Returns the name of an entry written as text, or as a table with its parameters."""
    name = value.get("name") if isinstance(value, dict) else value
    if isinstance(name, str):
        yield name
