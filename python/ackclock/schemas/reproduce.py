"""The document of ``ackclock reproduce --json``."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from ackclock.schemas.experiment import FindingRecord
from ackclock.schemas.run import Document
from ackclock.study.model import Verdict


class SourceRecord(Document):
    """The publication of the experiment."""

    thesis: str = Field(description="key of the thesis, e.g. rbcc")
    author: str = Field(description="author of the publication")
    title: str = Field(description="title of the publication")
    where: str = Field(description="university, journal or series of the publication")
    year: int | None = Field(description="year of the publication; null for a study of your own questions")
    item: str = Field(description='published table, figure or section, e.g. "Table 4.1"')
    section: str = Field(description="section of the publication that discusses `item`")
    asked_by: Literal["thesis", "us"] = Field(
        description="origin of the question: `thesis`, or `us` (the authors of the study) for an experiment "
        "that is not in the publication"
    )
    setup_unknown: str = Field(
        description="part of the experiment's set-up that the publication leaves out; empty if it leaves "
        "nothing out"
    )


class ValueRecord(Document):
    """One metric of one case over the replications."""

    metric: str = Field(description="id of the metric")
    unit: str = Field(description="unit of the mean, the samples and the published number")
    mean: float | None = Field(description="mean over the replications; null without a sample")
    std: float | None = Field(
        description="sample standard deviation over the replications; null with fewer than two samples"
    )
    interval: tuple[float, float] | None = Field(
        description="95 % confidence interval of the mean (Student's t); null with fewer than two samples"
    )
    samples: list[float | None] = Field(
        description="value of each replication in the order of `seeds`; null where a replication has none"
    )
    paper: float | None = Field(description="published number; null if none was published")


class CaseRecord(Document):
    """One case of the study, at one value of the sweep if it is swept."""

    name: str = Field(description="name of the case; in a sweep it ends in the swept value in brackets")
    label: str = Field(description="title of the case")
    sweep_value: int | float | str | None = Field(
        description="value of the swept parameter; null outside a sweep"
    )
    overrides: dict[str, Any] = Field(
        description="values that the case sets in the scenario, by their dotted paths"
    )
    seeds: list[int] = Field(description="seeds of the replications of the case")
    values: list[ValueRecord] = Field(description="one record for each metric")


class InterpretationRecord(Document):
    """The verdict on a claim under another interpretation of the publication that affects it."""

    assumption: str = Field(description="question that the publication leaves open")
    alternative: str = Field(description="alternative interpretation, tried in place of the study's")
    verdict: Verdict = Field(description="verdict on the claim under the alternative")
    evidence: str = Field(
        description="evidence in the publication for the alternative; empty if there is none, as for a robustness check"
    )
    against: str = Field(
        description="evidence in the publication against the alternative; empty if there is none"
    )
    reverses: bool = Field(
        description="whether the alternative reverses the result: the claim holds under the study's interpretation and "
        "fails under the alternative, or the reverse, and there is `evidence` for the alternative and none `against` "
        "it"
    )


class ClaimRecord(Document):
    """One claim of the publication with the measured result."""

    id: str = Field(description="id of the claim")
    text: str = Field(description="the claim, as a sentence")
    paper: float | None = Field(description="published number; null if the claim has none")
    measured: float | None = Field(
        description="mean of the claim's expression over the replications; null without a sample"
    )
    interval: tuple[float, float] | None = Field(
        description="95 % confidence interval of `measured`; null with fewer than two samples"
    )
    unit: str = Field(description="unit of the claim's measured and published numbers")
    tolerance: float | None = Field(
        description="largest difference between the measured and the published number that the test allows, in `unit`; "
        "null if the test does not limit this difference"
    )
    accepted: tuple[float | None, float | None] | None = Field(
        description="smallest and largest value that the test accepts, null for an open end; null if the test "
        "has no limits, such as a comparison of measured values"
    )
    verdict: Verdict = Field(
        description="verdict on the claim; `yes` and `no` answer questions that ackclock asks"
    )
    detail: str = Field(description="reason for the verdict, in one line")
    findings: list[FindingRecord] = Field(
        description="results of the claim's tests: one record if the claim limits the measured value, and one if "
        "it compares measured values"
    )
    setup: str = Field(
        description="part of the set-up on which the claim depends but which the publication omits; empty if "
        "nothing is missing"
    )
    interpretations: list[InterpretationRecord] = Field(
        description="one record for each alternative interpretation that affects the claim"
    )
    error: float = Field(
        description="largest one-sided p-value with which the claim gets a verdict other than `undecided`; it depends "
        "on the number of seeds"
    )
    alternative: float | None = Field(
        description="value to expect if the claim were false; null if the study does not state one"
    )
    written: str = Field(
        description="time at which the test was written or changed, with the reason, if that was after the results of "
        "a run were known; otherwise empty"
    )
    baselines: bool = Field(
        description="whether the claim is about baselines alone: its measured value involves no system that "
        "the thesis proposes"
    )
    replications_needed: int | None = Field(
        description="approximate number of replications that would decide an undecided claim; null if it "
        "is decided or the number is unknown"
    )
    recorded: Verdict | None = Field(
        description="verdict on the claim in the recorded full run, if this is a quick run; otherwise null"
    )
    samples: list[float | None] = Field(
        description="value of the claim's expression for each seed, in the order of the seeds"
    )
    finding: str | None = Field(
        description="the study's conclusion about the claim, written for this verdict; null if the study has "
        "none"
    )


class SensitivityRecord(Document):
    """The results under another interpretation of the publication."""

    assumption: str = Field(description="question that the publication leaves open")
    taken: str = Field(description="interpretation that the study uses")
    taken_from: Literal["text", "simulator", "ours"] = Field(
        description="origin of the interpretation that the study uses; text: the literal sense of the "
        "publication; simulator: the default of the simulator version that the publication names; ours: "
        "ackclock's choice, because neither the text nor the simulator settles the question"
    )
    alternative: str = Field(description="alternative interpretation, tried in place of the study's")
    changed: list[str] = Field(
        description="ids of the claims whose verdict under the alternative differs from the verdict under the "
        "study's interpretation and is not `undecided`"
    )
    undecided: list[str] = Field(
        description="ids of the claims that are decided under the study's interpretation, and undecided under the "
        "alternative"
    )
    replications: int = Field(description="largest number of seeds of a case that the alternative changes")
    evidence: str = Field(
        description="evidence in the publication for the alternative; empty if there is none, as for a robustness check"
    )
    against: str = Field(
        description="evidence in the publication against the alternative; empty if there is none"
    )
    claims: list[ClaimRecord] = Field(description="one record for each claim under the alternative")


class PrecisionRecord(Document):
    """The relative precision that a study requires, and whether it was reached."""

    wanted: float = Field(
        description="largest accepted half-width of a 95 % confidence interval as a share of the mean, e.g. 0.05"
    )
    metrics: list[str] = Field(
        description="ids of the metrics whose confidence intervals must satisfy `wanted`"
    )
    reached: bool = Field(
        description="whether the half-width of the confidence interval of each of `metrics`, as a share of the mean, "
        "is at most `wanted` in all cases"
    )
    widest: float | None = Field(
        description="largest half-width of a 95 % confidence interval as a share of its mean, over all of `metrics` "
        "and all cases; null if a mean has no interval"
    )
    where: str = Field(description="metric and case with the widest interval")


class CriterionRecord(Document):
    """A criterion of a discipline in one setting."""

    criterion: str = Field(description="condition in words")
    kind: Literal["benefit", "safety", "info"] = Field(
        description="type of the condition: `benefit` (a gain over drop-tail), `safety` (no harm), or `info` "
        "(for information only)"
    )
    metric: str = Field(description="id of the metric that was measured")
    setting: str = Field(
        description="variant or swept value in which the condition is tested; empty if there is only one "
        "setting"
    )
    verdict: Literal["OK", "CONCERN", "undecided", "INFO"] = Field(
        description="verdict on the condition; `INFO`: the condition is not judged (it has no limit, no sample or no "
        "case to compare with), or it is not met or undecided without being a concern (it is for information only, is "
        "met with wider limits, or is a benefit that is not met)"
    )
    mean: float | None = Field(
        description="mean of the tested value over the seeds (geometric for a ratio), or the worst value if every seed "
        "must meet the condition; null without a sample. The tested value is the metric, its ratio to or difference "
        "from the metric with drop-tail, or its excess over an allowance"
    )
    interval: tuple[float, float] | None = Field(
        description="95 % confidence interval of the tested value; null if there is none"
    )
    reason: str = Field(
        description="explanation of the verdict beyond the numbers; empty if the numbers suffice"
    )
    finding: FindingRecord = Field(
        description="measured value, limits, interval and number of seeds behind the verdict"
    )


class DisciplineRecord(Document):
    """A discipline in a scenario of the characterisation."""

    discipline: str = Field(description="name of the queue discipline")
    verdict: Literal["OK", "CONCERN", "undecided", "INFO", "reference"] = Field(
        description="verdict on the discipline in the scenario; `reference` for drop-tail, with which the others "
        "are compared"
    )
    findings: list[CriterionRecord] = Field(description="one record for each criterion in each setting")


class CharacterisationRecord(Document):
    """The verdicts of a scenario of RFC 7928."""

    section: str = Field(description='section of RFC 7928 that describes the scenario, e.g. "8.2.2"')
    requirement: str = Field(description="requirement level of the section in RFC 7928")
    disciplines: list[DisciplineRecord] = Field(description="one record for each queue discipline")


class StudyRecord(Document):
    """One study."""

    name: str = Field(description="name of the study")
    title: str = Field(description="title of the study")
    sentence: str = Field(
        description="summary of whether the study reproduces the published results, in one sentence"
    )
    source: SourceRecord = Field(description="publication of the experiment")
    replications: int = Field(description="largest number of seeds of a case")
    precision: PrecisionRecord | None = Field(
        description="precision that the study requires of its metrics, and whether it was reached; null if it requires "
        "none, and for a quick run"
    )
    quick: bool = Field(description="whether this is a quick run, made with --quick")
    claims: list[ClaimRecord] = Field(description="one record for each claim of the study")
    verdicts: dict[Verdict, int] = Field(description="number of claims of the study with each verdict")
    cases: list[CaseRecord] = Field(
        description="one record for each case of the study; for a swept case, one for each value of the sweep"
    )
    sensitivity: list[SensitivityRecord] = Field(
        description="one record for each alternative interpretation that is tried in place of the study's"
    )
    characterisation: CharacterisationRecord | None = Field(
        description="verdicts on queue disciplines, for a scenario of RFC 7928; null for other studies"
    )
    versions: dict[str, str] = Field(
        description="versions of ackclock, of its core (with a hash of the compiled module), of Python, NumPy "
        "and SciPy"
    )
    runs: int = Field(description="number of simulations behind the study's results")
    reused_runs: int = Field(
        description="number of simulations that were not run because their results were cached on disk"
    )
    cpu_time_s: float | None = Field(
        description="CPU time in seconds of the study's simulations, including those that it shares with "
        "other studies; null if some results were cached on disk"
    )
    fingerprint: str = Field(description="hash of everything on which the samples depend")


class ThesisRecord(Document):
    """The number of claims of one kind in all studies of a thesis."""

    thesis: str = Field(description="key of the thesis, e.g. rbcc")
    about: Literal["systems", "baselines", "ours"] = Field(
        description="subject of the counted claims. systems: the thesis's own systems; baselines: baselines alone; "
        "ours: questions that the thesis does not ask and ackclock adds"
    )
    studies: int = Field(description="number of the thesis's studies that have claims on the subject")
    verdicts: dict[Verdict, int] = Field(description="number of claims on the subject with each verdict")


class ReproduceDocument(Document):
    """The document that ``reproduce --json`` prints."""

    schema_version: Literal[2] = Field(default=2, description="version of this document's format")
    verdicts: dict[Verdict, int] = Field(description="number of claims with each verdict, over all studies")
    theses: list[ThesisRecord] = Field(
        description="one record for each thesis and each subject (`about`) of its claims"
    )
    studies: list[StudyRecord] = Field(description="one record for each study")
    wall_time_s: float = Field(description="elapsed time of the command in seconds")
    report: str | None = Field(description="file of the HTML report; null without one")
