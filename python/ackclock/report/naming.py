"""What a user may name in labels and scales: of runs that were made, and of a scenario before it is run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ackclock import _typed_core as core
from ackclock._expect import known_columns
from ackclock._summary import class_name, class_words, numeric_fields
from ackclock._sweep import Axis
from ackclock.report.quantities import Declared
from ackclock.report.sweep_axes import names_of, shown_axis
from ackclock.report.sweep_measures import names_of as names_of_column

if TYPE_CHECKING:
    from ackclock.run import Runs

COMPLETION, TIME = "completion_s", "time_s"
"""The quantity on the horizontal axis of a distribution of completion times, and that of a figure over time."""
OVER_TIME = ("cwnd_packets", "goodput_bps", "rtt_s", "queue_packets")
"""The quantities on the vertical axes of figures over time."""
SHARE = "share"
"""The quantity on the vertical axis of a distribution."""
_SIZES = re.compile(r"(up to|above) .*B|\S+ k?M?G?B to .*B|all")
"""Matches the names of size classes, which are known only after a run."""


def check(declared: Declared, runs: Runs) -> None:
    """Raises InputError for a label or a scale of nothing that the runs have, and for an impossible unit or scale."""
    if not declared.labels and not declared.scales:
        return
    found: list[str] = []
    for run in (group[0] for group in runs.by_point):
        for flow in run.result["flows"]:
            found += [flow["name"], flow["group"], flow["control"]]
        found += [link["name"] for link in run.result["links"]]
        found += [class_words(class_name(row)) for row in run.result.get("size_classes") or []]
    _check(declared, runs.axes, runs.summary().columns, found)


def check_before(declared: Declared, axes: Sequence[Axis], descriptions: Sequence[Mapping[str, Any]]) -> None:
    """Raises InputError, before anything is simulated, for what ``check`` would refuse of the scenarios that
    ``Scenario.describe`` describes.
    """
    if not declared.labels and not declared.scales:
        return
    found = [label for label in declared.labels if _SIZES.fullmatch(label)]
    columns: list[str] = []
    for one in descriptions:
        columns += known_columns(one)
        found += one["links"]
        for group in one["flows"]:
            found += [group["group"], group["control"], *group["names"]]
    _check(declared, axes, [column for column in columns if not column.startswith("flows.")], found)


def _check(declared: Declared, axes: Sequence[Axis], columns: Iterable[str], words: Iterable[str]) -> None:
    swept = [name for axis in axes for name in names_of(axis)]
    quantities = [*swept, *(name for column in columns for name in names_of_column(column))]
    quantities += [name for record in ("flow", "link", "size_class") for name in numeric_fields(record)]
    quantities += [*OVER_TIME, COMPLETION, TIME, SHARE]
    values = [part for axis in axes for label in axis.labels for part in (label, *label.split(", "))]
    # One dictionary may serve several results: whatever is registered has a name, also if it is not among these.
    registered = [entry["name"] for entry in core.registry()]
    declared.check(dict.fromkeys(quantities), dict.fromkeys((*words, *values, *registered)), swept=swept)
    for axis in axes:
        shown_axis(axis, declared)
