"""Templates of criteria that compare two settings: what is measured, as an expression over their samples."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

from ackclock.experiment.model import Finding, Result

Comparison = Literal["value", "ratio", "difference", "allowance"]


def measured(
    comparison: str, own: str, other: str, *, floor: float = 0.0, factor: float = 1.0, least: float = 0.0
) -> str:
    """Returns the expression of a comparison of ``own`` with ``other``, which are expressions.

    ``value`` is ``own`` itself, ``ratio`` and ``difference`` compare seed by seed; in a ratio lower values count as
    ``floor``. ``allowance`` is ``own`` minus ``factor`` times ``other``, or minus ``least`` where that is more.
    KeyError for another comparison.
    """
    return {
        "value": own,
        "ratio": f"max({own}, {floor!r}) / max({other}, {floor!r})",
        "difference": f"{own} - {other}",
        "allowance": f"{own} - max({factor!r} * {other}, {least!r})",
    }[comparison]


def qualified_by(finding: Finding, wider: Finding) -> Finding:
    """Returns a finding that is not surely met, with what that over a wider range says of it.

    It is qualified if the wider range is surely met. Both are of the same samples.
    """
    reason = _beyond(finding, wider)
    if wider.met:
        return replace(finding, qualified=True, reason=reason)
    return replace(finding, reason=reason) if finding.result is Result.NOT_MET else finding


def _beyond(finding: Finding, wider: Finding) -> str:
    """Returns where the interval lies; empty if the wider range says nothing about it."""
    if finding.interval is None:
        return ""
    (low, high), (lowest, highest) = finding.criterion.range, wider.criterion.range
    above = finding.interval[1] > high
    side, limit, farther = ("above", high, highest) if above else ("below", low, lowest)
    first = f"{'' if finding.result is Result.NOT_MET else 'perhaps '}{side} {limit:g}"
    if farther == limit or math.isinf(farther):
        return first if wider.met else ""
    if wider.met:
        return f"{first}, but not {side} {farther:g}"
    beyond = finding.interval[0] > farther if above else finding.interval[1] < farther
    return "" if beyond else f"{first}, perhaps {side} {farther:g}"
