"""The numbers of a summary that a figure of a sweep shows: which columns, their titles and units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from ackclock import units
from ackclock.errors import InputError
from ackclock.names import nearest
from ackclock.report.quantities import title_and_scale
from ackclock.summary import class_words

_WHOSE = {"groups": " per flow"}
"""What a title says of a number of a group: it is the mean over its flows."""


@dataclass(frozen=True)
class Measure:
    """A column of the summary."""

    metric: str
    owner: str
    """The group, link or class of sizes that it is of; empty for a number of the whole run."""
    title: str
    """The quantity with its unit, without the owner: ``Goodput per flow (Mbit/s)``."""
    owned: str
    """The quantity of the owner with its unit: ``Goodput per flow of tcp (Mbit/s)``."""
    scale: float
    """The number by which values of the column are divided to have the unit of the titles."""


def measures(table: pl.DataFrame, metrics: str | Sequence[str] | None) -> list[list[Measure]]:
    """Returns, for each metric, its columns in ``Runs.summary``.

    A metric is a column (``groups.tcp.rtt_mean_s``) or the field of every group, link or class of sizes
    (``rtt_mean_s``), and may have a unit (``rtt_mean_s [ms]``). By default it is the goodput of each group. InputError
    for an unknown one.
    """
    if metrics is None:
        found = _columns(table, "goodput_bps")
        return [_of_one_kind(table, found or ["fairness"], "")]
    wanted = [metrics] if isinstance(metrics, str) else list(metrics)
    if not wanted:
        raise InputError("there are no metrics to draw: the list is empty")
    requests = []
    for text in wanted:
        name, unit = units.split(text)
        found = [name] if name in table.columns else _columns(table, name)
        if not found:
            known = [column for column in table.columns if column == "fairness" or "." in column]
            raise InputError(f'no metric "{name}" in the summary{nearest(name, known)}')
        requests.append(_of_one_kind(table, found, unit))
    return requests


def _columns(table: pl.DataFrame, field: str) -> list[str]:
    """Returns the columns of this field: those of groups, or else of links, or else of classes of sizes."""
    for kind in ("groups", "links", "size_classes"):
        found = [
            name for name in table.columns if name.startswith(f"{kind}.") and name.rpartition(".")[2] == field
        ]
        if found and kind == "links":
            # Access links only forward packets.
            return [name for name in found if _busy(table, name.rpartition(".")[0])] or found
        if found:
            return found
    return []


def _busy(table: pl.DataFrame, link: str) -> bool:
    """Returns whether anything happens at a link at some point: a queue, or losses."""
    bounds = ((f"{link}.utilisation", 0.5), (f"{link}.lost_packets", 0.0))
    return any((table[name] > least).any() for name, least in bounds if name in table.columns)


def _of_one_kind(table: pl.DataFrame, columns: Sequence[str], unit: str) -> list[Measure]:
    """Returns measures in one unit: the given one, or that of the largest value."""
    kind, _, rest = columns[0].partition(".")
    quantity = rest.rpartition(".")[2] or kind
    largest = [table[column].max() for column in columns]
    title, scale = title_and_scale(
        quantity, max((float(one) for one in largest if isinstance(one, int | float)), default=0.0)
    )
    head, bracket, shown = title.partition(" (")
    if unit:
        scale = units.divisor(quantity, unit)
        bracket, shown = " (", f"{unit})"
    whose = _WHOSE.get(kind, "")
    found = []
    for column in columns:
        owner = class_words(column.partition(".")[2].rpartition(".")[0].replace(".", ", "))
        of = f" of {owner}" if owner else ""
        found.append(
            Measure(
                column, owner, f"{head}{whose}{bracket}{shown}", f"{head}{whose}{of}{bracket}{shown}", scale
            )
        )
    return found
