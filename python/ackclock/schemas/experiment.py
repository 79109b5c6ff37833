"""The record of a finding, which is the same in every document that judges something."""

from __future__ import annotations

import math
from typing import Any, Literal

from pydantic import Field

from ackclock.experiment.model import Finding
from ackclock.schemas.run import Document


class FindingRecord(Document):
    """The result of one criterion over samples."""

    measured: str = Field(
        description="the expression over samples that was measured; empty for an order alone"
    )
    low: float | None = Field(description="the lowest accepted value; null where there is no limit")
    high: float | None = Field(description="the highest accepted value; null where there is no limit")
    order: str = Field(description="the comparison that has to hold, instead of limits; else empty")
    result: Literal["met", "not met", "undecided", "not judged"] = Field(
        description="not judged: it has no limit"
    )
    estimate: float | None = Field(description="the mean of what was measured; null without a sample")
    interval: tuple[float, float] | None = Field(description="the interval that decided it, at its own error")
    seeds: int = Field(description="the number of seeds with a sample")
    missing: int = Field(description="the number of seeds without one")
    needed: int | None = Field(description="about how many seeds would decide it; null if decided or unknown")


def finding_record(finding: Finding) -> dict[str, Any]:
    """Returns the record of a finding."""
    criterion, interval = finding.criterion, finding.interval
    return FindingRecord.filled(
        finding,
        measured=criterion.measured,
        low=criterion.low,
        high=criterion.high,
        order=criterion.order,
        result=finding.result.value,
        interval=None if interval is None or not all(map(math.isfinite, interval)) else interval,
    )
