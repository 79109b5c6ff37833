"""The numeric parameters of a discipline, and multiples of them that it accepts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ackclock import _typed_core as core
from ackclock.errors import ScenarioError

_SCENARIO = """\
duration = "1 s"
[dumbbell]
bottleneck = { rate = "10 Mbit/s", delay = "1 ms" }
access = { rate = "1 Gbit/s", delay = "1 ms" }
[[flows]]
control = "newreno"
"""
NOT_A_KNOB = ("limit",)
"""The parameters that are not varied: the buffer belongs to the link and is the same for all disciplines."""


@lru_cache(maxsize=64)
def numbers(queue: str) -> Mapping[str, str]:
    """Returns the parameters of a discipline whose default is a number with or without a unit, and these defaults."""
    entry = next(entry for entry in core.registry() if entry["kind"] == "queue" and entry["name"] == queue)
    return {
        parameter["name"]: str(parameter["default"])
        for parameter in entry["parameters"]
        if parameter["name"] not in NOT_A_KNOB and _number(str(parameter["default"])) is not None
    }


def scaled(queue: str, own: Mapping[str, Any], parameter: str, default: Any, factor: float) -> Any:
    """Returns the value of a parameter times ``factor`` as in a scenario; None if the discipline would refuse it."""
    found = _number(str(default))
    if found is None or found[0] == 0:
        return None
    number, unit = found[0] * factor, found[1]
    candidates: list[Any] = (
        [f"{number:.9g} {unit}", f"{round(number)} {unit}"] if unit else [number, round(number)]
    )
    for value in candidates:
        try:
            overrides = {"dumbbell.bottleneck.queue": {"name": queue, **own, parameter: value}}
            core.describe(_SCENARIO, "parameters", overrides)
        except ScenarioError:
            continue
        return value
    return None


def _number(text: str) -> tuple[float, str] | None:
    first, _, unit = text.partition(" ")
    try:
        return float(first), unit
    except ValueError:
        return None
