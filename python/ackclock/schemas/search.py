"""The document of ``ackclock search --json``."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from ackclock.schemas.experiment import FindingRecord
from ackclock.schemas.run import Document


class SearchDocument(Document):
    """The result of a search."""

    kind: Literal["ackclock search"] = Field(description="kind of this document")
    command: str = Field(description="command that makes this document")
    control: str = Field(description="name of the control under search")
    objective: str = Field(description="name of the quantity that the search drives to its worst value")
    against: str | None = Field(
        description="name of the control that --against names, whose result is subtracted; null without "
        "--against"
    )
    space: str = Field(description="file of the search space")
    badness: float = Field(
        description="mean of the objective over the seeds of the search, in the scenario that was found"
    )
    samples: list[float] = Field(
        description="objective in the scenario that was found, one value for each seed of the search"
    )
    before_shrinking: float = Field(
        description="mean of the objective at the worst point, before values that do not matter were reset"
    )
    harmless: float = Field(
        description="mean of the objective in the search space's own scenario, before anything was varied"
    )
    finding: FindingRecord = Field(
        description="judgement of how much worse the objective is in the found scenario than in the search "
        "space's own scenario, over seeds that the search did not use"
    )
    failed: int = Field(
        description="number of runs behind `samples` in which the control failed; each has 1 as its sample (the "
        "largest share, or a delay of 1 s)"
    )
    all_failed: int = Field(description="number of runs of the whole search in which the control failed")
    why_failed: str | None = Field(
        description="error message of a run in which the control failed, of one behind `samples` if there is "
        "one; null if the control never failed"
    )
    values: dict[str, Any] = Field(
        description="values that the found scenario sets differently from the search space's own scenario, by their "
        "paths; values that do not matter were reset"
    )
    runs: int = Field(
        description="number of simulations, including those of the control that --against names"
    )
    scenario: str | None = Field(description="file of the scenario that was found; null if none was found")
    report: str | None = Field(description="file of the page that --html asks for; null without --html")
