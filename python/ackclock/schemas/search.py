"""The document of ``ackclock search --json``."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from ackclock.schemas.experiment import FindingRecord
from ackclock.schemas.run import Document


class SearchDocument(Document):
    """The result of a search."""

    kind: Literal["ackclock search"] = Field(description="kind of this document")
    command: str = Field(description="command that produces this document")
    control: str = Field(
        description="name of the congestion control for which the search looks for a scenario with a bad (large) value "
        "of the objective"
    )
    objective: str = Field(description="name of the quantity that the search drives to its worst value")
    against: str | None = Field(
        description="name of the baseline, the congestion control given by --against, whose value of the objective is "
        "subtracted from that of `control`. Null without --against: then CUBIC is the baseline of the objectives "
        "`loss`, `delay` and `harm`, and the other objectives have no baseline"
    )
    space: str = Field(description="file of the search space")
    badness: float = Field(
        description="mean of the objective in the scenario that was found, over the seeds of the search"
    )
    samples: list[float] = Field(
        description="objective in the scenario that was found, one value for each seed of the search"
    )
    before_shrinking: float = Field(
        description="mean of the objective in the worst scenario, before the search undid changes that have little "
        "effect on the objective"
    )
    harmless: float = Field(
        description="mean of the objective in the unchanged scenario: the file of the search space (`space`) without "
        "its `[sweep]`"
    )
    finding: FindingRecord = Field(
        description="test of how much worse the objective is in the found scenario than in the unchanged "
        "scenario, over seeds that the search did not use"
    )
    failed: int = Field(
        description="number of runs with an error of the congestion control (failed runs) among the runs of the found "
        "scenario with the seeds of the search; the objective of a failed run is 1 (a fraction of 1, or a delay of "
        "1 s), minus the value of the baseline if there is one (see `against`)"
    )
    all_failed: int = Field(
        description="number of runs in the whole search with an error of the congestion control, such as an exception"
    )
    why_failed: str | None = Field(
        description="error message of a run in which the congestion control failed, preferably a run of the "
        "found scenario; null if the control never failed"
    )
    values: dict[str, Any] = Field(
        description="values of the found scenario that differ from those of the unchanged scenario (see `harmless`); "
        "the keys are dotted paths. Changes that have little effect on the objective were undone"
    )
    runs: int = Field(description="number of simulations, including those with the baseline (see `against`)")
    scenario: str | None = Field(description="file of the scenario that was found; null if none was found")
    report: str | None = Field(description="file of the HTML page; null without --html")
