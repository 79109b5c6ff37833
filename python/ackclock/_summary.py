"""Summaries of each point of a sweep: means over the replications, with intervals."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ackclock import _typed_core as core
from ackclock.statistics import Summary, summarise, t_quantile

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

UNITS = ("_s", "_bps", "_packets", "_bytes")
"""The endings of the names of result fields that state the unit of the field."""


class Samples(Mapping[str, "float | None"]):
    """The numbers of one run: fairness, groups.GROUP.FIELD (the mean over its flows), links.LINK.FIELD, and
    size_classes.GROUP.CLASS.FIELD of observed transfers.

    The numbers of links stay in the records of the result: ten thousand flows have forty thousand links.
    """

    def __init__(self, fairness: float | None) -> None:
        self.owners: dict[str, tuple[str, Mapping[str, Any]]] = {"": ("run", {"fairness": fairness})}
        """For each owner of numbers, such as ``links.LINK``: the kind of its record, and the fields of this record."""

    def __getitem__(self, name: str) -> float | None:
        owner, _, field = name.rpartition(".")
        kind, record = self.owners[owner]
        if field not in numeric_fields(kind):
            raise KeyError(name)
        value: float | None = record[field]
        return value

    def __iter__(self) -> Iterator[str]:
        for owner in self.owners:
            yield from self.names(owner)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def names(self, owner: str) -> list[str]:
        """Returns the names of the numbers that belong to ``owner``."""
        kind, record = self.owners[owner]
        return [name for field, name in _numbers(kind, owner) if field in record]

    def numbers(self) -> list[float | None]:
        """Returns the numbers in the order of their names."""
        owners = self.owners.values()
        return [record[field] for kind, record in owners for field in numeric_fields(kind) if field in record]


def samples(result: Mapping[str, Any]) -> Samples:
    """Returns the numbers of one run that are averaged over runs."""
    found = Samples(result["fairness"])
    flows: dict[str, list[Mapping[str, Any]]] = {}
    for flow in result["flows"]:
        flows.setdefault(flow["group"], []).append(flow)
    for group in result["groups"]:
        if members := flows.get(group["name"]):
            found.owners[f"groups.{group['name']}"] = "flow", _mean_flow(members)
    for link in result["links"]:
        found.owners[f"links.{link['name']}"] = "link", link
    if result.get("size_classes"):
        found.owners |= _of_classes(result)
    return found


def _mean_flow(members: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Returns the numbers of the flows of a group: those of its first flow, each the mean over all."""
    if len(members) == 1:
        return members[0]
    fields = [field for field in numeric_fields("flow") if field in members[0]]
    return {field: _mean([flow[field] for flow in members]) for field in fields}


def _of_classes(result: Mapping[str, Any]) -> dict[str, tuple[str, Mapping[str, Any]]]:
    """Returns the numbers of the classes of sizes, the mean over the flows of each group."""
    groups = {flow["name"]: flow["group"] for flow in result["flows"]}
    values: dict[str, dict[str, list[float | None]]] = {}
    for row in result["size_classes"]:
        found = values.setdefault(f"size_classes.{groups[row['flow']]}.{class_name(row)}", {})
        for quantity in numeric_fields("size_class"):
            if not quantity.endswith("_bytes"):
                found.setdefault(quantity, []).append(row[quantity])
    return {
        owner: ("size_class", {quantity: _mean(found) for quantity, found in quantities.items()})
        for owner, quantities in values.items()
    }


def class_name(row: Mapping[str, Any]) -> str:
    """Returns the name of a class of sizes, without a space: ``up_to_100kB``, ``100kB_to_10MB``, ``above_10MB``."""
    above, up_to = row["above_bytes"], row["up_to_bytes"]
    if up_to is None:
        return f"above_{_size(above)}" if above else "all"
    return f"{_size(above)}_to_{_size(up_to)}" if above else f"up_to_{_size(up_to)}"


def class_words(name: str) -> str:
    """Returns the name of a class of sizes in words: ``100 kB to 10 MB``."""
    return re.sub(r"(\d)(?=[kMG]?B)", r"\1 ", name.replace("_", " "))


def _size(bytes: int) -> str:
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if bytes and bytes % size == 0:
            return f"{bytes // size}{unit}"
    return f"{bytes}B"


@lru_cache
def numeric_fields(record: str) -> Sequence[str]:
    """Returns the names of the numbers of a ``flow``, a ``link`` or a ``size_class``."""
    kinds = ("number", "share", "integer")
    return tuple(field["name"] for field in core.fields()[record] if field["kind"] in kinds)


@lru_cache(maxsize=1024)
def _numbers(record: str, owner: str) -> list[tuple[str, str]]:
    """Returns the numeric fields of a record, each with its name in ``Samples``. The runs of a sweep share them."""
    return [(field, f"{owner}.{field}" if owner else field) for field in numeric_fields(record)]


class OfOneRun(Mapping[str, "Summary"]):
    """The statistics over a single run. Each is made when it is asked for: a run of ten thousand flows has a million
    numbers, of which a table shows ten.
    """

    def __init__(self, samples: Samples) -> None:
        self.samples = samples

    def __getitem__(self, name: str) -> Summary:
        value = self.samples[name]
        return NOTHING if value is None or not math.isfinite(value) else Summary(float(value), None, None, 1)

    def __contains__(self, name: object) -> bool:
        return name in self.samples

    def __iter__(self) -> Iterator[str]:
        return iter(self.samples)

    def __len__(self) -> int:
        return len(self.samples)


def summarised(runs: Iterable[Mapping[str, Any]]) -> Mapping[str, Summary]:
    """Returns statistics over the results of replications, by the names of ``samples``."""
    return over(map(samples, runs))


def over(replications: Iterable[Samples]) -> Mapping[str, Summary]:
    """Returns statistics over the output of ``samples`` for each replication."""
    found = list(replications)
    if len(found) == 1:
        return OfOneRun(found[0])
    import numpy as np

    names = list(found[0]) if found else []
    if all(list(one) == names for one in found):
        # The common case, in which every number has a sample in every run; a sweep has millions of numbers.
        table = np.array([one.numbers() for one in found], dtype=np.float64).T
    else:
        names = list(dict.fromkeys(name for one in found for name in one))
        table = np.array([[one.get(name) for one in found] for name in names], dtype=np.float64)
    if not names:
        return {}
    return dict(zip(names, _rows(table), strict=True))


_TASKS = ("connections", "pages", "segments", "requests")
"""The kinds of tasks whose completion times a flow can have."""


def completions(groups: Iterable[str], values: Mapping[str, Summary]) -> list[tuple[str, dict[str, Summary]]]:
    """Returns the completion times in the output of ``summarised``: for each of the groups that completes anything, and
    for each of its classes of sizes, its name and statistics by the names of the fields, and of what was ``begun`` and
    ``done``.
    """
    found = []
    for group in groups:
        whose = f"groups.{group}"
        if f"{whose}.completion_mean_s" not in values:
            continue
        tasks = next((task for task in _TASKS if f"{whose}.{task}" in values), "")
        found.append((group, _completion(values, whose, tasks)))
        classes = {
            name.rpartition(".")[0]: None for name in values if name.startswith(f"size_classes.{group}.")
        }
        if len(classes) > 1:
            for one in classes:
                sizes = class_words(one.rpartition(".")[2])
                found.append((f"{group}, {sizes}", _completion(values, one, "transfers")))
    return found


def _completion(values: Mapping[str, Summary], whose: str, tasks: str) -> dict[str, Summary]:
    begun, done = f"{whose}.{tasks}", f"{whose}.completed_{tasks}"
    found = {
        name.rpartition(".")[2]: summary
        for name, summary in values.items()
        if name.startswith(f"{whose}.completion_")
    }
    for word, name in (("begun", begun), ("done", done)):
        if name in values:
            found[word] = values[name]
    return found


def _rows(table: npt.NDArray[np.float64]) -> list[Summary]:
    """Applies ``summarise`` to all rows at once, because a sweep may have millions."""
    import numpy as np

    count = table.shape[1]
    whole = np.isfinite(table).all(axis=1)
    equal = whole & (table == table[:, :1]).all(axis=1)
    spread = whole & ~equal
    means = stds = halves = np.full(len(table), math.nan)
    if spread.any():
        means, stds = table.mean(axis=1), table.std(axis=1, ddof=1)
        halves = t_quantile(count - 1) * stds / math.sqrt(count)

    def row(index: int) -> Summary:
        if spread[index]:
            mean, half = float(means[index]), float(halves[index])
            return Summary(mean, float(stds[index]), (mean - half, mean + half), count)
        if equal[index]:
            value = float(table[index, 0])
            return Summary(value, 0.0, (value, value), count)
        return summarise(table[index]) if np.isfinite(table[index]).any() else NOTHING

    return [row(index) for index in range(len(table))]


NOTHING = Summary(None, None, None, 0)
"""The summary of a quantity for which no run has a value."""
FEW = 8
"""Fewer values than this are summed in Python: NumPy would add them in the same order, but with more overhead."""


def _mean(values: Sequence[float | None]) -> float | None:
    present = [value for value in values if value is not None]
    if not present:
        return None
    if len(present) < FEW:
        return sum(present) / len(present)
    import numpy as np

    return float(np.mean(present))


@dataclass(frozen=True)
class PointSummary:
    """A point of a sweep."""

    cells: Mapping[str, Any]
    """The values of the swept parameters at the point, by column; empty without a sweep."""
    runs: int
    values: Mapping[str, Summary]


def bound(name: str, which: str) -> str:
    """Returns the column of an end of an interval: its word comes before the unit.

    >>> bound("groups.tcp.goodput_bps", "low")
    'groups.tcp.goodput_low_bps'
    """
    unit = next((unit for unit in UNITS if name.endswith(unit)), "")
    return f"{name.removesuffix(unit)}_{which}{unit}"
