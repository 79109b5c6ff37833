"""The tables of a study's scenario that no case uses, because every case replaces them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ackclock._names import listed
from ackclock._overrides import covers


def unused(scenario: Mapping[str, Any], overrides: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yields a warning for each table of the scenario whose values no case uses. ``overrides`` has those of each
    case.
    """
    for path in {path: None for case in overrides for path in case}:
        table = _at(scenario, path.split("."))
        keys = [f"`{key}`" for key in table if key != "name"] if isinstance(table, Mapping) else []
        if keys and all(any(covers(one, path) for one in case) for case in overrides):
            yield (
                f"`{path}`: every case replaces this table of [scenario], so that {listed(keys)} in [scenario] "
                f"{'has' if len(keys) == 1 else 'have'} no effect: change the tables in the cases"
            )


def _at(value: Any, steps: Sequence[str]) -> Any:
    """Returns the value at a path, where an item of a list is named by its ``name``; None if there is none."""
    for step in steps:
        items = value if isinstance(value, Mapping) else {}
        if isinstance(value, list):
            items = {item.get("name"): item for item in value if isinstance(item, Mapping)}
        value = items.get(step)
    return value
