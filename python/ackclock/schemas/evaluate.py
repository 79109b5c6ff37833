"""The document of ``ackclock evaluate --json``, which is also the record that ``--compare`` reads."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ackclock.schemas import experiment

VerdictWord = Literal[
    "OK", "CONCERN", "undecided", "as standard controls", "no limit", "EXEMPT", "not evaluated"
]
Samples = dict[str, list[float | None]]
"""The values of each metric, one for each seed; fewer than there are seeds where fewer decided."""


class Strict(BaseModel):
    """A record that has these fields and no others."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class MetricRecord(Strict):
    """A metric of a scenario."""

    id: str
    label: str
    unit: str
    better: Literal["more", "less", "neither"]


class SettingRecord(Strict):
    """A setting of a scenario, with all samples."""

    name: str
    tested: Samples
    references: dict[str, Samples]
    solo: Samples = Field(default={}, description="without the control and those that take its seat")


class ConditionRecord(Strict):
    """The outcome of a condition in a setting."""

    metric: str
    limit: str = Field(
        description="the name of the limit; empty for numbers, and for a limit of the file's own"
    )
    measure: Literal["value", "rate", "ratio", "difference", "harm", "change"]
    text: str
    setting: str
    verdict: VerdictWord = Field(description="the mildest of the words beside the references")
    reference: str = Field(description="the reference beside which it has this word")
    tested: float | None = Field(
        description="the mean of the metric with the control; of a ratio geometric, of a rate the share of runs outside"
    )
    references: dict[str, float | None] = Field(description="the same with each reference in its place")
    allowed: tuple[float | None, float | None] = Field(
        description="the least and the largest mean that are allowed beside that reference; null without an end"
    )
    reason: str
    beside: dict[str, VerdictWord] = Field(description="the word beside each reference")
    finding: experiment.FindingRecord = Field(description="what was judged, as in every document")


class ScenarioRecord(Strict):
    """A scenario of a criterion."""

    name: str
    title: str
    verdict: VerdictWord
    failed_runs: int = Field(default=0, description="the runs of the control under test that failed")
    failure: str = Field(default="", description="why the first of them failed")
    metrics: list[MetricRecord]
    settings: list[SettingRecord]
    findings: list[ConditionRecord]


class CriterionRecord(Strict):
    """A criterion of RFC 9743."""

    id: str
    section: str
    strength: str
    title: str
    verdict: VerdictWord
    sentence: str
    lacks: list[str]
    scenarios: list[ScenarioRecord]


class ItemRecord(Strict):
    """A demand on the process, with the author's answer."""

    id: str
    section: str
    demand: str
    answer: str | None


class ComparisonRecord(Strict):
    """The comparison with a record."""

    record: str = Field(description="the file of the record, or the name of a recorded control")
    worse: list[str] = Field(description="a sentence for everything that is worse")
    compared: int = Field(
        description="conditions, and metrics of which more or less is better, each in a setting"
    )
    recorded: int = Field(description="the comparisons that the whole record allows")


class EvaluateDocument(Strict):
    """An evaluation."""

    kind: Literal["ackclock evaluate"]
    command: str = Field(description="the command that makes it")
    control: str
    references: list[str]
    recoveries: dict[str, str] = Field(
        description="how the flows of each control in the seat recover from losses"
    )
    quick: bool
    seeds: list[int]
    most_packets: int | None = Field(
        default=None, description="settings whose links could carry more packets in a run are left out"
    )
    runs: int
    versions: dict[str, Any]
    criteria: list[CriterionRecord]
    process: list[ItemRecord]
    beside: EvaluateDocument | None = Field(
        default=None, description="the evaluation of another control, with --beside"
    )
    comparison: ComparisonRecord | None = Field(
        default=None, description="the comparison with a record, with --compare"
    )
