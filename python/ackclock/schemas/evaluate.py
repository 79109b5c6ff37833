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

    id: str = Field(description="the id of the metric")
    label: str = Field(description="its title")
    unit: str = Field(description="its unit")
    better: Literal["more", "less", "neither"] = Field(description="whether more or less of it is better")


class SettingRecord(Strict):
    """A setting of a scenario, with all samples."""

    name: str = Field(description="the name of the setting")
    tested: Samples = Field(
        description="every sample of every metric of the control under test; null without a value, and fewer than "
        "seeds where fewer decided"
    )
    references: dict[str, Samples] = Field(description="the samples of the references, by their names")
    solo: Samples = Field(default={}, description="without the control and those that take its seat")


class ConditionRecord(Strict):
    """The outcome of a condition in a setting."""

    metric: str = Field(description="the id of the metric")
    limit: str = Field(
        description="the name of the limit; empty for numbers, and for a limit of the file's own"
    )
    measure: Literal["value", "rate", "ratio", "difference", "harm", "change"] = Field(
        description="the judged quantity"
    )
    text: str = Field(description="the condition in words")
    setting: str = Field(description="the name of the setting")
    verdict: VerdictWord = Field(description="the mildest of the words beside the references")
    reference: str = Field(description="the reference beside which it has this word")
    tested: float | None = Field(
        description="the mean of the metric with the control; of a ratio geometric, of a rate the share of runs outside"
    )
    references: dict[str, float | None] = Field(description="the same with each reference in its place")
    allowed: tuple[float | None, float | None] = Field(
        description="the least and the largest mean that are allowed beside that reference; null without an end"
    )
    reason: str = Field(description="what the numbers do not say")
    beside: dict[str, VerdictWord] = Field(description="the word beside each reference")
    finding: experiment.FindingRecord = Field(description="what was judged, as in every document")


class ScenarioRecord(Strict):
    """A scenario of a criterion."""

    name: str = Field(description="the name of the scenario")
    title: str = Field(description="its title")
    verdict: VerdictWord = Field(description="its verdict")
    failed_runs: int = Field(default=0, description="the runs of the control under test that failed")
    failure: str = Field(default="", description="why the first of them failed")
    metrics: list[MetricRecord] = Field(description="a record for each metric")
    settings: list[SettingRecord] = Field(description="a record for each setting")
    findings: list[ConditionRecord] = Field(description="a record for each condition in each setting")


class CriterionRecord(Strict):
    """A criterion of RFC 9743."""

    id: str = Field(description="such as N-03")
    section: str = Field(description="the section of RFC 9743")
    strength: str = Field(description="the RFC's word")
    title: str = Field(description="what is asked")
    verdict: VerdictWord = Field(description="its verdict")
    sentence: str = Field(description="explains the verdict")
    lacks: list[str] = Field(description="what its scenarios leave out")
    scenarios: list[ScenarioRecord] = Field(description="a record for each scenario")


class ItemRecord(Strict):
    """A demand on the process, with the author's answer."""

    id: str = Field(description="the id of the demand")
    section: str = Field(description="the section of RFC 9743")
    demand: str = Field(description="what is asked")
    answer: str | None = Field(description="the author's answer; null without one")


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

    kind: Literal["ackclock evaluate"] = Field(description="the kind of this document")
    command: str = Field(description="the command that makes it")
    control: str = Field(description="the control under test")
    references: list[str] = Field(
        description="the controls that take its seat; verdicts compare with the first"
    )
    recoveries: dict[str, str] = Field(
        description="how the flows of each control in the seat recover from losses"
    )
    quick: bool = Field(description="whether --full was not given")
    seeds: list[int] = Field(description="the seeds of each setting")
    most_packets: int | None = Field(
        default=None, description="settings whose links could carry more packets in a run are left out"
    )
    runs: int = Field(description="the number of simulations")
    versions: dict[str, Any] = Field(
        description="of ackclock, its core (with a hash), Python, NumPy and SciPy"
    )
    criteria: list[CriterionRecord] = Field(
        description="a record for each criterion of RFC 9743, in its order"
    )
    process: list[ItemRecord] = Field(description="a record for each demand on the document or the process")
    beside: EvaluateDocument | None = Field(
        default=None, description="the evaluation of another control, with --beside"
    )
    comparison: ComparisonRecord | None = Field(
        default=None, description="the comparison with a record, with --compare"
    )
