"""How surely something holds over the replications: for the whole 95 % interval, against the whole of it, or undecided.

A :class:`Truth` is three-valued and joined by ``&``, ``|`` and ``~``. One that is undecided knows about how many
replications would decide it, and a comparison knows how large the difference is beside what is compared.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np

from ackclock.statistics import Summary, summarise, t_quantile
from ackclock.study.language import Array

NEGLIGIBLE = 1e-3
"""A difference of at most this share of what is compared is none: no experiment here means so little."""


class Holds(IntEnum):
    """Ordered, so that ``and`` is the least and ``or`` the greatest."""

    NO = 0
    UNDECIDED = 1
    SURELY = 2


@dataclass(frozen=True)
class Truth:
    """``holds`` with, where it is undecided, about how many replications would tell; infinite where none would.

    ``share`` is the larger end of the difference's interval over the larger side of the comparison, None where one
    side has no size of its own. Of several comparisons it is the greatest.
    """

    holds: Holds
    replications: float = 0
    share: float | None = None

    def __and__(self, other: Truth) -> Truth:
        return self._joined(other, min(self, other, key=_certainty))

    def __or__(self, other: Truth) -> Truth:
        return self._joined(other, max(self, other, key=_certainty))

    def __invert__(self) -> Truth:
        return replace(self, holds=Holds(Holds.SURELY - self.holds))

    @property
    def negligible(self) -> bool:
        """Whether every difference compared is known to be next to nothing."""
        return self.share is not None and self.share <= NEGLIGIBLE

    def _joined(self, other: Truth, chosen: Truth) -> Truth:
        shares = [share for share in (self.share, other.share) if share is not None]
        known = len(shares) == len((self, other))
        return replace(chosen, share=max(shares) if known else None)


def compared(comparison: str, difference: Array, size: float | None = None) -> Truth:
    """How surely ``difference comparison 0`` holds, by the interval of its mean; ``size`` is that of the sides."""
    if difference.ndim == 0:  # both sides are constants
        return Truth(Holds.SURELY if _satisfied(comparison, float(difference)) else Holds.NO)
    summary = summarise(difference)
    low, high = (-math.inf, 0.0) if comparison.startswith("<") else (0.0, math.inf)
    truth = within(summary, low, high, closed=comparison.endswith("="))
    return replace(truth, share=share_of(summary, size))


def within(summary: Summary, low: float, high: float, *, closed: bool = True) -> Truth:
    """How surely the mean lies between ``low`` and ``high``, which count as inside where ``closed``.

    A single replication decides nothing; without any there is nothing that could hold.
    """
    if summary.mean is None:
        return Truth(Holds.NO)
    if summary.interval is None:
        return Truth(Holds.UNDECIDED, math.inf)
    ends = [end for end in (low, high) if math.isfinite(end)]
    # Decimal fractions are not exact in binary: 0.3 - 0.2 would lie outside a tolerance of 0.1.
    slack = 1e-12 * max(abs(summary.mean), *map(abs, ends), 0.0) * (1 if closed else -1)
    inside = [_lies_inside(end, low - slack, high + slack, closed=closed) for end in summary.interval]
    if all(inside):
        return Truth(Holds.SURELY)
    first, last = summary.interval
    if not any(inside) and (last <= low or first >= high):
        return Truth(Holds.NO)
    return Truth(Holds.UNDECIDED, _deciding(summary, min(abs(summary.mean - end) for end in ends)))


def _lies_inside(value: float, low: float, high: float, *, closed: bool) -> bool:
    return low <= value <= high if closed else low < value < high


def share_of(summary: Summary, size: float | None) -> float | None:
    """The larger end of the interval over ``size``; None where either is not known."""
    if summary.interval is None or size is None or not math.isfinite(size):
        return None
    largest = max(map(abs, summary.interval))
    return 0.0 if largest == 0 else math.inf if size == 0 else largest / size


def size_of(*sides: Array) -> float | None:
    """The larger of the sides' mean magnitudes."""
    means = [float(np.nanmean(np.abs(side))) for side in sides if np.isfinite(side).any()]
    return max(means, default=None)


def _deciding(summary: Summary, distance: float) -> float:
    """About how many replications have an interval that ends ``distance`` from the mean, if mean and spread stay."""
    if distance == 0 or summary.std is None:
        return math.inf
    ratio = summary.std / distance
    count = max(summary.count + 1, 2)
    while count < 1e6 and t_quantile(int(count) - 1) * ratio > math.sqrt(count):
        count = max(count + 1, int(count * 1.05))
    return float(count)


def _certainty(truth: Truth) -> tuple[Holds, float]:
    return truth.holds, -truth.replications


def _satisfied(comparison: str, value: float) -> bool:
    return {"<": value < 0, "<=": value <= 0, ">": value > 0, ">=": value >= 0}[comparison]
