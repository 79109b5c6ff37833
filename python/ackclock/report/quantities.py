"""Names, units and scales of quantities, for the axes of figures and the heads of tables: by default, and as declared.

Every figure of a run or of a sweep, its page and its table for LaTeX get them from here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar, get_args

from ackclock import _units as units
from ackclock._names import nearest
from ackclock.errors import InputError
from ackclock.report.curves import Axis

Scale = Literal["linear", "log", "category", "fitted"]
"""The scale of an axis: linear from zero, logarithmic, equally spaced values, or linear over the values' range."""
SCALES: Sequence[Scale] = get_args(Scale)

_NAMES = {
    "cwnd": "Congestion window",
    "ssthresh": "Slow start threshold",
    "rtt": "Round-trip time",
    "srtt": "Smoothed round-trip time",
    "rto": "Retransmission timeout",
    "queue": "Queue length",
    "goodput": "Goodput",
    "throughput": "Throughput",
    "inflight": "Data in flight",
    "rtt_mean": "Mean round-trip time",
    "rtt_p50": "Median round-trip time",
    "rtt_p95": "95th percentile of the round-trip time",
    "rtt_p99": "99th percentile of the round-trip time",
    "cwnd_mean": "Mean congestion window",
    "completion_mean": "Mean completion time",
    "completion_p50": "Median completion time",
    "completion_p95": "95th percentile of the completion time",
    "completion_p99": "99th percentile of the completion time",
    "queue_mean": "Mean queue length",
    "wait_mean": "Mean queueing delay",
    "wait_p50": "Median queueing delay",
    "wait_p95": "95th percentile of the queueing delay",
    "wait_p99": "99th percentile of the queueing delay",
    "pacing_rate": "Pacing rate",
}
_SHORT = {
    "rtt_mean": "Mean RTT",
    "rtt_p50": "RTT p50",
    "rtt_p95": "RTT p95",
    "rtt_p99": "RTT p99",
    "cwnd_mean": "Mean window",
    "completion_mean": "Mean completion",
    "completion_p50": "Completion p50",
    "completion_p95": "Completion p95",
    "completion_p99": "Completion p99",
    "wait_p50": "Queueing delay p50",
    "wait_p95": "Queueing delay p95",
    "wait_p99": "Queueing delay p99",
}
"""Short names for headings of tables, which are too narrow for axis titles."""
_UNITS = {"packets": "packets", "bytes": "bytes", "s": "s", "ms": "ms", "bps": "bit/s", "bdp": "BDP"}
_RATES = ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"))


_BRACKETS = re.compile(r"(?P<words>.*\S)\s*\((?P<unit>[^()]+)\)\s*")
"""Matches a label that ends with a unit in brackets."""


@dataclass(frozen=True)
class Shown:
    """A quantity as axes, legends and tables show it."""

    words: str
    """The name of the quantity, such as ``Goodput per flow``."""
    unit: str = ""
    """The unit of the quantity; empty without one."""
    divisor: float = 1.0
    """The divisor that converts values in the unit of results to ``unit``."""
    scale: Scale = "linear"
    declared: bool = False
    """Whether the user chose the name of the quantity."""
    most: float | None = None
    """The largest possible value of the quantity in the unit of results; None without a bound."""

    @property
    def title(self) -> str:
        """Returns the name with the unit: ``Goodput per flow (Mbit/s)``."""
        return f"{self.words} ({self.unit})" if self.unit else self.words

    @property
    def axis(self) -> Axis:
        """Returns an axis of the quantity."""
        most = None if self.most is None else self.most / self.divisor
        return Axis(self.title, self.scale == "log", None, self.scale == "fitted", most)


@dataclass(frozen=True)
class Declared:
    """What a user declares of the figures and tables of a result; by default nothing."""

    labels: Mapping[str, str] = field(default_factory=dict)
    """The user's names for swept parameters, metrics, groups, links, flows and values, such as
    ``{"limit_bdp": "Buffer (BDP)"}``.
    """
    scales: Mapping[str, Scale] = field(default_factory=dict)
    """The user's scales for swept parameters and metrics, by name."""

    def shown(self, default: Shown, column: str, names: Sequence[str], unit: str = "") -> Shown:
        """Returns a quantity as declared.

        ``column`` is its column, whose ending says which units it may have; ``names`` are what a user may call it,
        the most specific first; ``unit`` is one that a request names. Brackets at the end of a label are its unit.
        InputError for a unit that the quantity cannot have.
        """
        label = _first(self.labels, names)
        words, scale = default.words, _first(self.scales, names) or default.scale
        if label is not None:
            words, found = _split(label, column)
            unit = unit or found
        if not unit:
            return replace(default, words=words, scale=scale, declared=label is not None)
        divisor = units.divisor(column, unit)
        return Shown(words, unit, divisor, scale, label is not None, default.most)

    def unit(self, column: str, names: Sequence[str]) -> str:
        """Returns the unit at the end of the label of a quantity; empty without one."""
        label = _first(self.labels, names)
        return "" if label is None else _split(label, column)[1]

    def word(self, text: str) -> str:
        """Returns a value, or the name of a group, link or flow, as declared; several values with commas one by one."""
        if text in self.labels:
            return self.labels[text]
        return ", ".join(self.labels.get(part, part) for part in text.split(", "))

    def check(self, quantities: Iterable[str], words: Iterable[str], *, swept: Iterable[str]) -> None:
        """Raises InputError for a label or a scale of something that is neither a quantity nor, for labels, a word; and
        for a scale that is none, or none of this quantity.
        """
        quantities, swept = list(quantities), set(swept)
        known = [*quantities, *words]
        for name in self.labels:
            if name not in known:
                # The key of a file is the end of a parameter's name: `name` of a queue is swept as queue_name.
                ends = sorted(one for one in swept if one.endswith(f"_{name}"))
                hint = f'; did you mean "{ends[0]}"?' if ends else nearest(name, known)
                raise InputError(f'label: no swept parameter, metric or value is called "{name}"{hint}')
            if name in quantities:
                _split(self.labels[name], name)
        for name, scale in self.scales.items():
            if name not in quantities:
                raise InputError(
                    f'scale: no swept parameter or metric is called "{name}"{nearest(name, quantities)}'
                )
            if scale not in SCALES:
                raise InputError(f'scale: {name} = "{scale}": there is no such scale{nearest(scale, SCALES)}')
            if scale == "category" and name not in swept:
                raise InputError(f'scale: {name} = "category": only a swept parameter can have categories')


Value = TypeVar("Value")


def _first(found: Mapping[str, Value], names: Sequence[str]) -> Value | None:
    return next((found[name] for name in names if name in found), None)


def _split(label: str, column: str) -> tuple[str, str]:
    """Returns a label without the unit in brackets at its end, and the unit; empty if the column has none to choose."""
    brackets = _BRACKETS.fullmatch(label)
    if brackets is None or not units.of(column):
        return label, ""
    unit = brackets["unit"].strip()
    try:
        units.divisor(column, unit)
    except InputError as error:
        raise InputError(
            f'label "{label}": brackets at the end of a label must contain a unit; {error}'
        ) from None
    return brackets["words"], unit


def shown(quantity: str, largest: float) -> Shown:
    """Returns the name and the unit of a quantity such as ``cwnd_packets`` by default.

    Only bit rates are scaled: packets and seconds stay comparable with a thesis's figure.
    """
    stem, _, last = quantity.rpartition("_")
    unit = _UNITS.get(last)
    if unit is None or not stem:
        return Shown(_words(quantity), most=1.0 if _is_share(quantity) else None)
    divisor = 1.0
    if last == "bps":
        divisor, unit = next((rate for rate in _RATES if largest >= rate[0]), (1.0, unit))
    return Shown(_words(stem), unit, divisor)


def _is_share(quantity: str) -> bool:
    return quantity in ("fairness", "utilisation") or quantity.endswith("_share")


def title_and_scale(quantity: str, largest: float) -> tuple[str, float]:
    """Returns the axis title of a series such as ``cwnd_packets``, and the divisor of its values, by default."""
    found = shown(quantity, largest)
    return found.title, found.divisor


def short_name(quantity: str) -> str:
    """Returns a quantity such as ``rtt_p95_s`` in few words, without its unit: ``RTT p95``."""
    stem, _, last = quantity.rpartition("_")
    return _SHORT.get(stem) or _words(stem if last in _UNITS and stem else quantity)


def _words(name: str) -> str:
    return _NAMES.get(name) or (name[:1].upper() + name[1:]).replace("_", " ")
