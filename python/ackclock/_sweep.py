"""The points of a scenario's sweep, as the core reads them from the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ackclock import _typed_core as core
from ackclock._labels import labels

OWN_COLUMNS = frozenset(
    {"seed", "runs", "point", "name", "kind", "time_s", "flow", "group", "link", "metric", "fairness"}
)
"""Names of columns, and of dimensions and axes of figures, that are not fields of a record of the core."""
ROOT = "scenario"
"""The first step of every path. It distinguishes a top-level key of the scenario, such as ``name``, from a column."""


@dataclass(frozen=True)
class Axis:
    """A path of the sweep and its values."""

    path: str
    column: str
    """The name of the column in data frames and files: the shortest unambiguous end of the path, and the unit."""
    unit: str
    """The unit at the end of ``column``; empty without a unit."""
    sampled: bool
    """Whether the values were drawn from a range."""
    values: Sequence[Any]
    """The values as written in the scenario."""
    cells: Sequence[Any]
    """The values as they appear in the column: numbers in ``unit`` if all are quantities of one kind. A TOML table
    appears as its label.
    """
    labels: Sequence[str]
    """A label for each value: the text in the scenario. The label of a TOML table lists only the keys that differ."""

    @property
    def numeric(self) -> bool:
        """Returns whether its values have a place on a scale."""
        return all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in self.cells)

    @property
    def quantity(self) -> str:
        """Returns the varied quantity, without its unit."""
        return self.column.removesuffix(f"_{self.unit}") if self.unit else self.column

    def label(self, value: Any) -> str:
        """Returns the label of a value as written."""
        return self.labels[list(self.values).index(value)]


class Sweep:
    """The points of a sweep; without a sweep, a single point without overrides."""

    def __init__(self, checked: Mapping[str, Any]) -> None:
        columns = column_names([(axis["path"], axis["unit"]) for axis in checked["axes"]])
        self.axes = tuple(_axis(axis, column) for axis, column in zip(checked["axes"], columns, strict=True))
        self._points: Sequence[Sequence[int]] = checked["points"]
        self._packets: Sequence[float] = checked["packets"]
        self._every = int(checked["every"])
        self.warnings: Sequence[str] = checked["warnings"]
        """Warnings, as sentences, about points that are valid but probably not intended."""

    def __len__(self) -> int:
        return len(self._points)

    def overrides(self, point: int) -> dict[str, Any]:
        """Returns the overrides of the point: the values as written, by dotted path."""
        return {
            axis.path: axis.values[index] for axis, index in zip(self.axes, self._points[point], strict=True)
        }

    def cells(self, point: int) -> dict[str, Any]:
        """Returns the values of the point by the names of their columns."""
        return {
            axis.column: axis.cells[index] for axis, index in zip(self.axes, self._points[point], strict=True)
        }

    def labels(self, point: int) -> dict[str, str]:
        """Returns the values of the point as text, by the names of the varied quantities."""
        return {
            axis.quantity: axis.labels[index]
            for axis, index in zip(self.axes, self._points[point], strict=True)
        }

    def packets(self, point: int) -> float:
        """Returns the largest number of data packets that a run of the point can send at its links' rates."""
        return self._packets[point // self._every]


def labelled(axes: Sequence[Axis], point: Mapping[str, Any]) -> str:
    """Returns the values of a point, given as written by dotted path, in words: ``control = reno, limit = 10 packets``;
    empty without a sweep.
    """
    return ", ".join(f"{axis.quantity} = {axis.label(point[axis.path])}" for axis in axes)


def _axis(axis: Mapping[str, Any], column: str) -> Axis:
    shown, cells = labels(axis["values"]), axis["cells"]
    if any(isinstance(cell, Mapping) for cell in cells):
        cells = shown
    return Axis(axis["path"], column, axis["unit"], axis["sampled"], axis["values"], cells, shown)


def column_names(axes: Sequence[tuple[str, str]]) -> list[str]:
    """Returns a name for each (path, unit): the last steps of the path that distinguish it from the others and from
    the columns of results, and the unit.

    >>> column_names([("dumbbell.bottleneck.queue.limit", "packets"), ("flows.tcp.control", "")])
    ['limit_packets', 'tcp_control']
    >>> column_names([("flows.*.control", "")])
    ['flows_control']
    """
    taken = _declared() | OWN_COLUMNS

    def name(path: str, unit: str, steps: int) -> str:
        words = [ROOT, *(step.replace('"', "") for step in path.split(".") if step != "*")][-steps:]
        return "_".join([*words, unit] if unit else words)

    def is_free(found: str, steps: int, position: int) -> bool:
        # Without their units, because reports name an axis by its quantity.
        quantity = name(axes[position][0], "", steps)
        others = (other for index, (other, _) in enumerate(axes) if index != position)
        return not (
            found in taken
            or found in names
            or found[0].isdigit()
            or any(quantity == name(other, "", steps) for other in others)
        )

    names: list[str] = []
    for position, (path, unit) in enumerate(axes):
        tried = ((name(path, unit, steps), steps) for steps in range(1, len(path.split(".")) + 2))
        names.append(next((found for found, steps in tried if is_free(found, steps, position)), path))
    return names


@lru_cache(maxsize=1)
def _declared() -> frozenset[str]:
    """Returns the names of the fields in the rows of tables; the fields of a whole run are not among them."""
    records = core.fields()
    return frozenset(field["name"] for record in records if record != "run" for field in records[record])
