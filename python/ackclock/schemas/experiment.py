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
        description="expression over the samples whose value is judged; empty if only an order is judged"
    )
    low: float | None = Field(description="smallest accepted value; null without a lower limit")
    high: float | None = Field(description="largest accepted value; null without an upper limit")
    order: str = Field(
        description="comparison of measured quantities that has to hold; empty if limits are judged"
    )
    result: Literal["met", "not met", "undecided", "not judged"] = Field(
        description="result of the judgement; `not judged`: there is no limit, or no sample to judge"
    )
    estimate: float | None = Field(
        description="mean of the judged value over the seeds, geometric for a ratio that is judged by its "
        "logarithm; null without a sample"
    )
    interval: tuple[float, float] | None = Field(
        description="confidence interval of the judged value over the seeds that decided the result, at the level "
        "of the judgement, which may exceed 95 %; null with fewer than two samples or if an end is infinite"
    )
    seeds: int = Field(description="number of seeds with a sample")
    missing: int = Field(description="number of seeds without a sample")
    needed: int | None = Field(
        description="approximate number of seeds that would decide; null if decided already or unknown"
    )


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
