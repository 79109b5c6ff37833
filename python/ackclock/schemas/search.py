"""The document of ``ackclock search --json``."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from ackclock.schemas.experiment import FindingRecord
from ackclock.schemas.run import Document


class SearchDocument(Document):
    """What a search found."""

    kind: Literal["ackclock search"]
    command: str = Field(description="the command that makes it")
    control: str
    objective: str
    against: str | None = Field(description="the control of --against; null without it")
    space: str = Field(description="the file of the space")
    badness: float = Field(description="the mean of samples")
    samples: list[float] = Field(description="the objective for each seed of the search, after shrinking")
    before_shrinking: float = Field(description="the mean of the worst point, before shrinking")
    harmless: float = Field(description="the mean in the scenario of the space as it stands")
    finding: FindingRecord = Field(
        description="how much worse it is there than in the scenario as it stands, over seeds that chose nothing"
    )
    failed: int = Field(description="the number of runs of samples in which the control failed")
    all_failed: int = Field(description="that number over the whole search")
    why_failed: str | None
    values: dict[str, Any] = Field(description="the values that matter, by their paths in the scenario")
    runs: int = Field(description="the number of simulations, those of the reference included")
    scenario: str | None = Field(description="the file of what was found; null if nothing was")
    report: str | None = Field(description="the page of --html; null without one")
