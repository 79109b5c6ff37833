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

    id: str = Field(description="id of the metric")
    label: str = Field(description="title of the metric in tables and figures")
    unit: str = Field(description="unit of the metric's samples")
    better: Literal["more", "less", "neither"] = Field(
        description="whether a larger value of the metric is better, a smaller one, or neither"
    )


class SettingRecord(Strict):
    """A setting of a scenario, with all samples."""

    name: str = Field(description="name of the setting within its scenario")
    tested: Samples = Field(
        description="samples of the control under test: for each metric one value per seed, null where a "
        "run has no value; fewer than `seeds` if fewer seeds decided the verdicts"
    )
    references: dict[str, Samples] = Field(
        description="samples of each reference control in place of the control under test, by the "
        "reference's name"
    )
    solo: Samples = Field(
        default={},
        description="samples of the runs without the control under test and without a reference, for the "
        "metrics that need such runs",
    )


class ConditionRecord(Strict):
    """The outcome of a condition in a setting."""

    metric: str = Field(description="id of the metric that the condition limits")
    limit: str = Field(
        description="name of the limit among ackclock's own; empty if the scenario file defines the limit, or "
        "the metric has none"
    )
    measure: Literal["value", "rate", "ratio", "difference", "harm", "change"] = Field(
        description="quantity that is judged: the metric's value, the share of runs outside the limit "
        "(rate), a ratio or a difference to the reference, the harm to other flows, or the "
        "change after an event"
    )
    text: str = Field(description="condition in words")
    setting: str = Field(description="name of the setting in which the condition is judged")
    verdict: VerdictWord = Field(description="verdict of the condition: the mildest one over all references")
    reference: str = Field(description="name of the reference for which the condition has this verdict")
    tested: float | None = Field(
        description="mean over the seeds with the control under test: arithmetic, geometric for a ratio, "
        "the share of runs outside the limit for a rate; null without a sample"
    )
    references: dict[str, float | None] = Field(
        description="mean over the seeds with each reference in place of the control under test, by "
        "the reference's name; null without a sample"
    )
    allowed: tuple[float | None, float | None] = Field(
        description="smallest and largest mean that the condition allows, given the mean of `reference`; "
        "null for an open end"
    )
    reason: str = Field(
        description="explanation of the verdict beyond the numbers; empty if the numbers suffice"
    )
    beside: dict[str, VerdictWord] = Field(
        description="verdict of the condition for each reference that it was judged against, by the "
        "reference's name; only the main reference if the limit does not compare with a reference"
    )
    finding: experiment.FindingRecord = Field(
        description="measured value, limits, interval and number of seeds behind the verdict"
    )


class ScenarioRecord(Strict):
    """A scenario of a criterion."""

    name: str = Field(description="name of the scenario")
    title: str = Field(description="title of the scenario")
    verdict: VerdictWord = Field(description="verdict of the scenario over all its conditions and settings")
    failed_runs: int = Field(default=0, description="number of runs of the control under test that failed")
    failure: str = Field(
        default="", description="error message of the first run that failed; empty if none failed"
    )
    metrics: list[MetricRecord] = Field(description="one record for each metric of the scenario")
    settings: list[SettingRecord] = Field(description="one record for each setting of the scenario")
    findings: list[ConditionRecord] = Field(description="one record for each condition in each setting")


class CriterionRecord(Strict):
    """A criterion of RFC 9743."""

    id: str = Field(description="id of the criterion, such as N-03")
    section: str = Field(description="section of RFC 9743 that has the criterion")
    strength: str = Field(
        description='RFC 9743\'s words for how strongly it demands the criterion, such as "MUST evaluate", '
        '"SHOULD" or "should"; "-" if it demands nothing'
    )
    title: str = Field(description="demand of the criterion in a few words")
    verdict: VerdictWord = Field(description="verdict of the criterion over all its scenarios")
    sentence: str = Field(description="explanation of the verdict in one sentence")
    lacks: list[str] = Field(
        description="parts of the RFC's demand that the scenarios do not cover, one sentence each"
    )
    scenarios: list[ScenarioRecord] = Field(description="one record for each scenario of the criterion")


class ItemRecord(Strict):
    """A demand on the process, with the author's answer."""

    id: str = Field(description="id of the demand")
    section: str = Field(description="section of RFC 9743 that has the demand")
    demand: str = Field(description="text of the demand")
    answer: str | None = Field(description="author's answer to the demand; null without an answer")


class ComparisonRecord(Strict):
    """The comparison with a record."""

    record: str = Field(description="file of the earlier record, or the name of a recorded control")
    worse: list[str] = Field(
        description="one sentence for each result that is worse than in the earlier record"
    )
    compared: int = Field(
        description="number of comparisons made: a condition in a setting, or a metric in a setting of "
        "which more or less is better"
    )
    recorded: int = Field(description="number of comparisons that the whole earlier record allows")


class EvaluateDocument(Strict):
    """An evaluation."""

    kind: Literal["ackclock evaluate"] = Field(description="kind of this document")
    command: str = Field(description="command that makes this document")
    control: str = Field(description="name of the control under test")
    references: list[str] = Field(
        description="names of the reference controls that replace the control under test; the first one "
        "is the main reference"
    )
    recoveries: dict[str, str] = Field(
        description="loss recovery of the flows of each tested or reference control, by the control's name"
    )
    quick: bool = Field(description="whether this is a quick evaluation, without --full")
    seeds: list[int] = Field(
        description="seeds of the runs of each setting; a setting whose verdicts fewer seeds decide ran with the "
        "first seeds of the list only"
    )
    most_packets: int | None = Field(
        default=None,
        description="limit on the packets of a run: settings whose links could carry more are left out; "
        "null without a limit",
    )
    runs: int = Field(description="number of simulations")
    versions: dict[str, Any] = Field(
        description="versions of ackclock, of its core (with a hash), of Python, NumPy and SciPy"
    )
    criteria: list[CriterionRecord] = Field(
        description="one record for each criterion of RFC 9743, in the RFC's order"
    )
    process: list[ItemRecord] = Field(
        description="one record for each demand of RFC 9743 on the document or the process"
    )
    beside: EvaluateDocument | None = Field(
        default=None, description="evaluation of the control that --beside names; null without --beside"
    )
    comparison: ComparisonRecord | None = Field(
        default=None,
        description="comparison with the earlier record that --compare names; null without --compare",
    )
