"""The record of a finding, in the form common to all documents with judged criteria."""

from __future__ import annotations

import math
from typing import Any, Literal

from pydantic import Field

from ackclock.experiment.model import Finding
from ackclock.schemas.run import Document


class FindingRecord(Document):
    """The result of one criterion over samples."""

    measured: str = Field(
        description="expression with one value per seed; its mean over the seeds is judged if `order` is empty, and "
        "otherwise only reported; empty if the criterion has only an `order`"
    )
    low: float | None = Field(description="smallest accepted value; null without a lower limit")
    high: float | None = Field(description="largest accepted value; null without an upper limit")
    order: str = Field(
        description="comparison of measured quantities that must hold; empty if "
        "the measured value must lie between `low` and `high` instead"
    )
    result: Literal["met", "not met", "undecided", "not judged"] = Field(
        description="result for the criterion; `not judged`: there is no limit, or no sample"
    )
    estimate: float | None = Field(
        description="mean of `measured` over the seeds (geometric for a ratio that is judged by its logarithm); null "
        "without a sample"
    )
    interval: tuple[float, float] | None = Field(
        description="confidence interval of `estimate`, at the confidence level of the decision, which can exceed "
        "95 %; null if it cannot be computed (a mean of fewer than two samples) or has an infinite bound"
    )
    seeds: int = Field(description="number of seeds with a sample")
    missing: int = Field(description="number of seeds without a sample")
    needed: int | None = Field(
        description="approximate number of seeds that would decide an `undecided` result; null for other results, "
        "and if unknown"
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
