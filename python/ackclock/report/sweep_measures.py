"""The numbers of a summary that a figure of a sweep shows: which columns, their titles and units."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from ackclock import _units as units
from ackclock._expect import known_columns
from ackclock._names import nearest
from ackclock._summary import class_words, numeric_fields
from ackclock.errors import InputError
from ackclock.report.quantities import Declared, Shown, short_name, shown

_KINDS = ("groups", "links", "size_classes")
"""The kinds of columns of the summary: the part of a column's name before the first dot."""
_BOUND = re.compile(r"_(low|high)(_[a-z]+)?$")
"""Matches the end of the name of a column with a bound of a confidence interval."""
LISTED = 8
"""The largest number of metrics that an error message lists."""
_WHOSE = {"groups": " per flow"}
"""The addition to the title of a group's quantity, which is the mean over the group's flows."""


@dataclass(frozen=True)
class Measure:
    """A column of the summary."""

    metric: str
    owner: str
    """The group, link or size class that the column describes; empty for a quantity of the whole run."""
    shown: Shown
    """The quantity without its owner: ``Goodput per flow (Mbit/s)``."""
    of: str
    """The quantity with its owner, ``Goodput per flow of tcp``, or the user's label."""
    short: str
    """A short name of the quantity for a table heading, without owner and unit: ``RTT p95``."""

    @property
    def title(self) -> str:
        """Returns the quantity with its unit, without the owner."""
        return self.shown.title

    @property
    def owned(self) -> Shown:
        """Returns the quantity of the owner: ``Goodput per flow of tcp (Mbit/s)``."""
        return replace(self.shown, words=self.of)

    @property
    def scale(self) -> float:
        """Returns the divisor that converts values of the column to the unit in the title."""
        return self.shown.divisor


def measures(
    table: pl.DataFrame, metrics: str | Sequence[str] | None, declared: Declared
) -> list[list[Measure]]:
    """Returns, for each metric, its columns in ``Runs.summary``.

    A metric is a column (``groups.tcp.rtt_mean_s``) or the field of every group, link or class of sizes
    (``rtt_mean_s``, ``size_classes.completion_p95_s``), and may have a unit (``rtt_mean_s [ms]``). By default it is the
    goodput of each group. InputError for an unknown one.
    """
    if metrics is None:
        found = _columns(table, "goodput_bps")
        return [_of_one_kind(table, found or ["fairness"], "", declared)]
    wanted = [metrics] if isinstance(metrics, str) else list(metrics)
    if not wanted:
        raise InputError("found an empty list of metrics, expected at least one metric")
    requests = []
    for text in wanted:
        name, unit = units.split(text)
        found = [name] if name in table.columns else _columns(table, name)
        if not found:
            raise _unknown(
                name, [column for column in table.columns if column == "fairness" or "." in column]
            )
        requests.append(_of_one_kind(table, found, unit, declared))
    return requests


def check(metrics: Sequence[str], descriptions: Sequence[Mapping[str, Any]]) -> None:
    """Raises InputError, before anything is simulated, for a metric that no run can have of the scenarios that
    ``Scenario.describe`` describes, and for a unit that it cannot have.
    """
    columns = list(dict.fromkeys(column for one in descriptions for column in known_columns(one)))
    columns = [column for column in columns if not column.startswith("flows.")]
    classes = set(numeric_fields("size_class"))
    fields = {*numeric_fields("flow"), *numeric_fields("link"), *classes}
    for text in metrics:
        name, unit = units.split(text)
        kind, _, rest = name.partition(".")
        # The names of the classes are those of the sizes of each point.
        of_class = kind == "size_classes" and rest.rpartition(".")[2] in classes
        if not (name in columns or name in fields or of_class or (kind in _KINDS and rest in fields)):
            raise _unknown(name, columns)
        if unit:
            units.divisor(name, unit)


def _unknown(name: str, known: Sequence[str]) -> InputError:
    """Returns the error for an unknown metric, with the nearest name, or else with the fields that contain the name."""
    close = nearest(name, known)
    fields = dict.fromkeys(column.rpartition(".")[2] for column in known if not _BOUND.search(column))
    parts = [field for field in fields if name.lower() in field]
    if not close and parts:
        close = f"; available: {', '.join(parts[:LISTED])}"
    return InputError(
        f'no metric "{name}"'
        f"{close or '; expected a column of summary.csv, or the last part of its name, such as rtt_p95_s'}"
    )


def names_of(metric: str) -> list[str]:
    """Returns the names that a user can use for a column of the summary, the most specific first."""
    kind, _, rest = metric.partition(".")
    field = rest.rpartition(".")[2]
    return [metric, f"{kind}.{field}", field] if field else [metric]


def _columns(table: pl.DataFrame, field: str) -> list[str]:
    """Returns the columns of this field: those of groups, or else of links, or else of classes of sizes.

    A kind before the field chooses: ``size_classes.completion_p95_s``.
    """
    named, _, rest = field.partition(".")
    kinds, field = ([named], rest) if named in _KINDS else (_KINDS, field)
    for kind in kinds:
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


def _of_one_kind(table: pl.DataFrame, columns: Sequence[str], unit: str, declared: Declared) -> list[Measure]:
    """Returns measures in one unit: the given one, or that of a label of the user's, or that of the largest value."""
    kind, _, rest = columns[0].partition(".")
    quantity = rest.rpartition(".")[2] or kind
    found = [table[column].max() for column in columns]
    default = shown(quantity, max((float(one) for one in found if isinstance(one, int | float)), default=0.0))
    whose = _WHOSE.get(kind, "")
    # Several columns share an axis, so that only what is declared of all can hold.
    names = names_of(columns[0])[0 if len(columns) == 1 else 1 :]
    default = replace(default, words=default.words + whose)
    quantities = declared.shown(default, quantity, names, unit)
    short = short_name(quantity) + (whose if quantity.endswith("_bps") else "")
    return [_measure(column, quantities, short, declared) for column in columns]


def _measure(column: str, quantity: Shown, short: str, declared: Declared) -> Measure:
    owner = class_words(column.partition(".")[2].rpartition(".")[0].replace(".", ", "))
    if quantity.declared:
        return Measure(column, owner, quantity, quantity.words, quantity.words)
    of = f"{quantity.words} of {declared.word(owner)}" if owner else quantity.words
    return Measure(column, owner, quantity, of, short)
