"""The space of a search: a scenario whose ``[sweep]`` has ranges, and lists of which one value is chosen. The scenario
without them is its harmless point.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ackclock import _toml as toml
from ackclock import _typed_core as core
from ackclock._files import read_text
from ackclock._names import nearest
from ackclock.errors import InputError

TESTED = "tested"
"""The tested control runs in the group of flows with this name, and in groups whose names begin with ``tested-``."""
_QUANTITY = re.compile(r"([-+0-9.eE]+)\s*(\S*)")
Point: TypeAlias = Sequence[float] | npt.NDArray[np.float64]
"""A point of the space, with coordinates from 0 to 1."""


@dataclass(frozen=True)
class Range:
    """A value that the search varies."""

    path: str
    low: float
    high: float
    unit: str
    """The unit of the value; empty for a number without a unit."""
    log: bool
    whole: bool

    def at(self, share: float) -> float:
        """Returns the value at a place from 0 to 1, rounded to three digits, or to a whole number."""
        share = min(max(share, 0.0), 1.0)
        ratio = (self.high / self.low) ** share if self.log else 1.0
        value = self.low * ratio if self.log else self.low + (self.high - self.low) * share
        return float(round(value)) if self.whole else float(f"{value:.3g}")

    def written(self, value: float) -> Any:
        """Returns a value as a scenario has it."""
        if self.unit:
            return f"{value:.6g} {self.unit}"
        return int(value) if self.whole else value


@dataclass(frozen=True)
class Choice:
    """A place for which the search chooses one of several values, each as likely as the others.

    Its value in the search is the index of the chosen one.
    """

    path: str
    options: tuple[Any, ...]

    def at(self, share: float) -> float:
        """Returns the index at a place from 0 to 1."""
        return float(min(int(min(max(share, 0.0), 1.0) * len(self.options)), len(self.options) - 1))

    def written(self, value: float) -> Any:
        """Returns the chosen value as a scenario has it."""
        return self.options[int(value)]


@dataclass(frozen=True)
class Space:
    """A scenario and its ranges."""

    file: str
    text: str
    """The text of the scenario without its sweep."""
    document: Mapping[str, Any]
    ranges: tuple[Range | Choice, ...]

    @property
    def tested(self) -> list[str]:
        """Returns the names of the groups of flows that get the control."""
        names = [str(flow.get("name")) for flow in self.document.get("flows", ())]
        return [name for name in names if name == TESTED or name.startswith(f"{TESTED}-")]

    def overrides(self, values: Mapping[str, float]) -> dict[str, Any]:
        """Returns the values to put into the scenario; a range without a value keeps what the scenario has."""
        return {one.path: one.written(values[one.path]) for one in self.ranges if one.path in values}

    def values(self, point: Point) -> dict[str, float]:
        """Returns the value of each range at a point."""
        return {one.path: one.at(share) for one, share in zip(self.ranges, point, strict=True)}


def folder() -> Path:
    """Returns the folder of the spaces inside the installed package."""
    return Path(str(resources.files("ackclock"))) / "_search" / "spaces"


def names() -> list[str]:
    """Returns the names of the spaces of the package."""
    return sorted(path.stem for path in folder().glob("*.toml"))


def load(name: str) -> Space:
    """Returns the space called ``name``, or that in a file. InputError if there is none, or if it is wrong."""
    import tomli_w

    if not name.endswith(".toml") and name not in names():
        raise InputError(
            f'there is no search space "{name}"{nearest(name, names())}\n'
            f"expected the path of a scenario (*.toml), or one of the search spaces {', '.join(names())}"
        )
    path = Path(name) if name.endswith(".toml") else folder() / f"{name}.toml"
    text = read_text(path)
    file = name if name.endswith(".toml") else f"{name}.toml"
    core.check(text, file, {})
    document = toml.loads(text)
    sweep = document.pop("sweep", {})
    ranges = tuple(_range(path, value) for path, value in sweep.items() if path != "samples")
    if not ranges:
        raise InputError(
            f"{file}: found no values to vary, expected a [sweep] with ranges such as "
            '{ from = "1 Mbit/s", to = "20 Mbit/s" }'
        )
    flows = [flow.get("name") for flow in document.get("flows", ())]
    if TESTED not in flows:
        raise InputError(
            f'{file}: no group of flows is called "{TESTED}"; use this name for the flows whose control is tested'
        )
    return Space(file, tomli_w.dumps(document), document, ranges)


def _range(path: str, value: Any) -> Range | Choice:
    if not isinstance(value, Mapping):
        return Choice(path, tuple(value))
    (low, unit), (high, _) = (_number(value[end]) for end in ("from", "to"))
    whole = all(isinstance(value[end], int) for end in ("from", "to")) or unit in ("packets", "packet", "B")
    log = value.get("scale") == "log"
    return Range(path, low, high, unit, log, whole)


def _number(given: Any) -> tuple[float, str]:
    found = _QUANTITY.fullmatch(str(given))
    if found is None or not math.isfinite(float(found[1])):
        raise InputError(f"found {given!r}, expected a number with or without a unit")
    return float(found[1]), found[2]
