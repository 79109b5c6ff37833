"""The document of ``ackclock evaluate --json``, which is also the record that ``--compare`` reads."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ackclock.schemas import experiment

VerdictWord = Literal[
    "OK", "CONCERN", "undecided", "as standard controls", "no limit", "EXEMPT", "not evaluated"
]
Samples = dict[str, list[float | None]]
"""The samples of each metric by its id, one per seed; fewer if the verdicts were final after fewer seeds."""


class Strict(BaseModel):
    """A record that permits no unknown fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class MetricRecord(Strict):
    """A metric of a scenario."""

    id: str = Field(description="id of the metric")
    label: str = Field(description="title of the metric in tables and figures")
    unit: str = Field(description="unit of the metric's samples")
    better: Literal["more", "less", "neither"] = Field(
        description="whether a larger value of the metric is better (more), a smaller value (less), or neither"
    )


class SettingRecord(Strict):
    """A setting of a scenario, with all samples."""

    name: str = Field(description="name of the setting within its scenario")
    tested: Samples = Field(
        description="samples of the congestion control under test: for each metric one value per seed, null if the "
        "run has no value; fewer values than `seeds` if the verdicts were final after fewer seeds"
    )
    references: dict[str, Samples] = Field(
        description="samples with each reference control in place of the control under test, by the "
        "reference's name"
    )
    solo: Samples = Field(
        default={},
        description="samples of metrics with a limit on harm, from runs in which the other flows run alone, beside "
        "neither the control under test nor a reference control",
    )


class ConditionRecord(Strict):
    """The outcome of a condition in a setting."""

    metric: str = Field(description="id of the metric that the condition limits")
    limit: str = Field(
        description="name of the predefined limit; empty if the scenario file defines the limit, or if the metric has "
        "none"
    )
    measure: Literal["value", "rate", "ratio", "difference", "harm", "change"] = Field(
        description="judged quantity. value: the metric itself; rate: the share of runs in which the metric is outside "
        "the limit; ratio, difference: the metric's ratio to, or difference from, its value with the reference; harm: "
        "the harm to other flows minus the harm that the reference does; change: the metric's ratio to its value in "
        "the undisturbed setting"
    )
    text: str = Field(description="condition in words")
    setting: str = Field(description="name of the setting in which the condition is judged")
    verdict: VerdictWord = Field(description="verdict of the condition: the best of the verdicts in `beside`")
    reference: str = Field(
        description="name of the reference control that decides `verdict`: the first one with the best verdict in "
        "`beside`"
    )
    tested: float | None = Field(
        description="mean of the metric over the seeds with the control under test (geometric if `measure` is ratio "
        "and all values are above 0); if `measure` is rate, the share of runs outside the limit; null without a sample"
    )
    references: dict[str, float | None] = Field(
        description="mean as in `tested`, but with each reference in place of the control under test, by the "
        "reference's name; null without a sample"
    )
    allowed: tuple[float | None, float | None] = Field(
        description="smallest and largest value of `tested` that meet the condition; for a condition relative to the "
        "control `reference`, these values are computed from the metric's mean with this control; null if there is no "
        "limit on this side, or if it cannot be computed"
    )
    reason: str = Field(
        description="reason for the verdict if the numbers do not show the reason, as after a failed run; otherwise "
        "empty"
    )
    beside: dict[str, VerdictWord] = Field(
        description="verdict of the condition against each reference, by the reference's name; it has "
        "an entry only for the main reference if the limit is not relative to a reference, or if a run failed"
    )
    finding: experiment.FindingRecord = Field(
        description="measured value, limits, confidence interval and number of seeds on which the verdict is based"
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
    settings: list[SettingRecord] = Field(
        description="one record for each setting, i.e. each combination of the scenario's varied values"
    )
    findings: list[ConditionRecord] = Field(description="one record for each condition in each setting")


class CriterionRecord(Strict):
    """A criterion of RFC 9743, or a set of scenarios."""

    id: str = Field(description="id of the criterion, such as N-03, or of the scenario set, such as flent")
    section: str = Field(description="section of RFC 9743 with the criterion; for a scenario set, its id")
    strength: str = Field(
        description='wording of RFC 9743 for the strength of the requirement, such as "MUST evaluate", "SHOULD" or '
        '"should"; "-" if RFC 9743 states no requirement'
    )
    title: str = Field(description="title of the criterion or scenario set")
    verdict: VerdictWord = Field(description="verdict of the criterion over all its scenarios")
    sentence: str = Field(description="explanation of the verdict in one sentence")
    lacks: list[str] = Field(
        description="limitations, one sentence each: parts of the criterion that are not covered, limits that are easy "
        "to meet, connections that a stack closed, and settings and scenarios that were left out"
    )
    scenarios: list[ScenarioRecord] = Field(description="one record for each scenario of the criterion")


class ItemRecord(Strict):
    """A requirement on the process, with the author's answer."""

    id: str = Field(description="id of the requirement")
    section: str = Field(description="section of RFC 9743 with the requirement")
    demand: str = Field(description="requirement in ackclock's words")
    answer: str | None = Field(
        description="answer of the control's author to this requirement, from the file that "
        "--answers names; null without an answer"
    )


class ComparisonRecord(Strict):
    """The comparison with an earlier record."""

    record: str = Field(
        description="file of the earlier record, or name of a control whose record ackclock includes"
    )
    worse: list[str] = Field(
        description="one sentence for each result that is worse than in the earlier record, and for each scenario with "
        "failed runs"
    )
    compared: int = Field(
        description="number of comparisons made: in each setting, one for each condition, and one for each metric "
        'whose `better` is "more" or "less"'
    )
    recorded: int = Field(
        description="value that `compared` would have if this evaluation covered all scenarios and metrics of the "
        "earlier record"
    )


class EvaluateDocument(Strict):
    """An evaluation of a congestion control."""

    kind: Literal["ackclock evaluate"] = Field(description="kind of this document")
    command: str = Field(description="command that reproduces this document")
    control: str = Field(description="name of the congestion control under test")
    references: list[str] = Field(
        description="names of the reference controls, each of which replaces the control under test in further runs; "
        "the first is the main reference"
    )
    recoveries: dict[str, str] = Field(
        description="loss recovery used with the control under test and each reference, by the control's name"
    )
    quick: bool = Field(description="whether this is a quick evaluation, without --full")
    seeds: list[int] = Field(
        description="seeds of the runs of each setting; if the verdicts in a setting were final after the first "
        "seeds of the list, the setting was not run with the other seeds"
    )
    most_packets: int | None = Field(
        default=None,
        description="limit on the packets of a run: settings whose links could carry more are left out; "
        "null without a limit",
    )
    runs: int = Field(description="number of simulation runs, including earlier runs that were reused")
    versions: dict[str, Any] = Field(
        description="versions of ackclock, Python, NumPy and SciPy, and a hash of ackclock's core"
    )
    criteria: list[CriterionRecord] = Field(
        description="one record for each criterion of RFC 9743, in the RFC's order, then for each evaluated scenario "
        "set"
    )
    process: list[ItemRecord] = Field(
        description="one record for each requirement of RFC 9743 on the specification of the control under "
        "test, or on the process of its publication"
    )
    beside: EvaluateDocument | None = Field(
        default=None, description="evaluation of the control that --beside names; null without --beside"
    )
    comparison: ComparisonRecord | None = Field(
        default=None,
        description="comparison with the earlier record that --compare names; null without --compare",
    )
