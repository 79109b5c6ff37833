"""The document of ``ackclock reproduce --json``."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from ackclock.schemas.experiment import FindingRecord
from ackclock.schemas.run import Document
from ackclock.study.model import Verdict


class SourceRecord(Document):
    """Where the experiment was published."""

    thesis: str = Field(description="key, e.g. rbcc")
    author: str = Field(description="the author of the publication")
    title: str = Field(description="the title of the publication")
    where: str = Field(description="university, journal or series")
    year: int = Field(description="the year of the publication")
    item: str = Field(description='e.g. "Table 4.1"')
    section: str = Field(description="the section that discusses the item")
    asked_by: Literal["thesis", "us"] = Field(description="us: a question that the publication never ran")
    setup_unknown: str = Field(description="the unknown part of the set-up; empty if there is none")


class ValueRecord(Document):
    """One metric of one case over the replications."""

    metric: str = Field(description="id of the metric")
    unit: str = Field(description="unit of all these numbers")
    mean: float | None = Field(description="mean over the replications")
    std: float | None = Field(description="standard deviation, n - 1")
    interval: tuple[float, float] | None = Field(description="95 %, Student t")
    samples: list[float | None] = Field(
        description="in the order of seeds; null where a replication has no sample"
    )
    paper: float | None = Field(description="the published number")


class CaseRecord(Document):
    """One row of the table, or one point of a curve."""

    name: str = Field(description="in a sweep it ends in the value in brackets")
    label: str = Field(description="the title of the case")
    sweep_value: int | float | str | None = Field(description="null outside a sweep")
    overrides: dict[str, Any] = Field(description="what the case sets in the scenario, by dotted paths")
    seeds: list[int] = Field(description="the seeds of its replications")
    values: list[ValueRecord] = Field(description="a record for each metric")


class InterpretationRecord(Document):
    """The result of a claim under another interpretation of the publication that touches it."""

    assumption: str = Field(description="what the publication leaves open")
    alternative: str = Field(description="the interpretation that is tried instead")
    verdict: Verdict = Field(description="the result under this interpretation")
    evidence: str = Field(description="the evidence for it; empty for a robustness check of ours")
    against: str = Field(description="the publication's own evidence against it; empty without any")
    reverses: bool = Field(
        description="whether it reverses the result: there is evidence for it, none against it, and the claim holds "
        "under one of this interpretation and the one taken, and fails under the other"
    )


class ClaimRecord(Document):
    """One claim of the thesis with what was measured."""

    id: str = Field(description="the id of the claim")
    text: str = Field(description="the sentence of the claim")
    paper: float | None = Field(description="the published number")
    measured: float | None = Field(description="mean over the replications of the claim's expression")
    interval: tuple[float, float] | None = Field(description="95 % interval of measured")
    unit: str = Field(description="unit of all these numbers")
    tolerance: float | None = Field(description="the allowed distance from paper, if that is the test")
    accepted: tuple[float | None, float | None] | None = Field(
        description="the lowest and the highest value that the test accepts, null for an open end"
    )
    verdict: Verdict = Field(description="its result; the last two answer questions of our own")
    detail: str = Field(description="the reason for the result, in one line")
    findings: list[FindingRecord] = Field(description="of its size and of its order, as far as it has them")
    setup: str = Field(
        description="the part of the set-up that is lost for the claim; empty if it is printed"
    )
    interpretations: list[InterpretationRecord] = Field(
        description="a record for each other interpretation that touches it"
    )
    error: float = Field(description="the largest one-sided p-value that decided it")
    alternative: float | None = Field(description="the value to expect if the claim were false, if stated")
    written: str = Field(
        description="when the test was written or changed, if that was after a run; else empty"
    )
    baselines: bool = Field(
        description="whether the claim is about baselines alone, so that no system of the thesis enters the "
        "measured value"
    )
    replications_needed: int | None = Field(
        description="about how many replications would decide an undecided claim; null if it is decided or the "
        "number is unknown"
    )
    recorded: Verdict | None = Field(description="for a quick run, the result of the recorded full run")
    samples: list[float | None] = Field(description="the samples of measured, in the order of seeds")
    finding: str | None = Field(description="the study's text on the claim under this verdict")


class SensitivityRecord(Document):
    """The results under another interpretation of the publication."""

    assumption: str = Field(description="what the publication leaves open")
    taken: str = Field(description="the interpretation that the study takes")
    taken_from: Literal["text", "simulator", "ours"] = Field(
        description="text: the literal interpretation; simulator: the default of the version that the publication "
        "names; ours: neither says it"
    )
    alternative: str = Field(description="the interpretation that is tried instead")
    changed: list[str] = Field(description="ids of the claims with another result, other than undecided")
    undecided: list[str] = Field(
        description="ids of the claims that are undecided under this interpretation and decided under the one taken"
    )
    replications: int = Field(description="the largest number of its seeds")
    evidence: str = Field(description="the evidence for it; empty for a robustness check of ours")
    against: str = Field(description="the publication's own evidence against it; empty without any")
    claims: list[ClaimRecord] = Field(description="all claims under this interpretation")


class PrecisionRecord(Document):
    """The relative precision that a study asks for."""

    wanted: float = Field(description="half the 95 % interval over the mean, e.g. 0.05")
    metrics: list[str] = Field(description="the metrics that it is about")
    reached: bool = Field(description="whether every interval is narrow enough")
    widest: float | None = Field(
        description="half the widest interval over its mean, over these metrics in all cases; null while one "
        "has no interval"
    )
    where: str = Field(description="the metric and the case that have it")


class CriterionRecord(Document):
    """A criterion of a discipline in one setting."""

    criterion: str = Field(description="the condition")
    kind: Literal["benefit", "safety", "info"] = Field(description="what the condition is about")
    metric: str = Field(description="the metric that was measured")
    setting: str = Field(description="the variant or the sweep value; empty if there is only one setting")
    verdict: Literal["OK", "CONCERN", "undecided", "INFO"] = Field(
        description="INFO: no concern, or without a limit or a sample"
    )
    mean: float | None = Field(
        description="of the ratio to drop-tail, of the difference, of what is above an allowance, or of the metric "
        "itself"
    )
    interval: tuple[float, float] | None = Field(description="95 % interval of mean")
    reason: str = Field(description="what the numbers do not say; of INFO, why it is no concern")
    finding: FindingRecord = Field(description="what was judged")


class DisciplineRecord(Document):
    """A discipline in a scenario of the characterisation."""

    discipline: str = Field(description="the name of the discipline")
    verdict: Literal["OK", "CONCERN", "undecided", "INFO", "reference"] = Field(
        description="its verdict in this scenario"
    )
    findings: list[CriterionRecord] = Field(description="a record for each criterion in each setting")


class CharacterisationRecord(Document):
    """The verdicts of a scenario of RFC 7928."""

    section: str = Field(description="the section of the RFC")
    requirement: str = Field(description="the RFC's word")
    disciplines: list[DisciplineRecord] = Field(description="a record for each discipline")


class StudyRecord(Document):
    """One study."""

    name: str = Field(description="the name of the study")
    title: str = Field(description="its title")
    sentence: str = Field(description="whether the study comes out as printed, in a sentence")
    source: SourceRecord = Field(description="where the experiment was published")
    replications: int = Field(description="the largest number of seeds of a case")
    precision: PrecisionRecord | None = Field(description="null where the study asks for none")
    quick: bool = Field(description="whether --quick was given")
    claims: list[ClaimRecord] = Field(description="a record for each claim")
    verdicts: dict[Verdict, int] = Field(description="the number of claims with each result")
    cases: list[CaseRecord] = Field(description="a record for each row of the table or point of a curve")
    sensitivity: list[SensitivityRecord] = Field(description="a record for each other interpretation")
    characterisation: CharacterisationRecord | None = Field(
        description="for a scenario of RFC 7928; null for other studies"
    )
    versions: dict[str, str] = Field(
        description="of ackclock, its core (with a hash), Python, NumPy and SciPy"
    )
    runs: int = Field(description="the number of simulations behind the result")
    reused_runs: int = Field(description="how many of them were found on disk")
    cpu_time_s: float | None = Field(
        description="of its simulations, with those shared with other studies; null where some were found on disk"
    )
    fingerprint: str = Field(description="a hash of what the samples depend on")


class ThesisRecord(Document):
    """The number of claims of one kind in all studies of a thesis."""

    thesis: str = Field(description="key, e.g. rbcc")
    about: Literal["systems", "baselines", "ours"] = Field(
        description="about its own systems; about its baselines alone; questions that it never asked"
    )
    studies: int = Field(description="the number of its studies that have such claims")
    verdicts: dict[Verdict, int] = Field(description="the number of claims with each result")


class ReproduceDocument(Document):
    """The document that ``reproduce --json`` prints."""

    schema_version: Literal[2] = Field(default=2, description="the version of this document")
    verdicts: dict[Verdict, int] = Field(
        description="the number of claims with each result, over all studies"
    )
    theses: list[ThesisRecord] = Field(description="a record for each thesis and kind of claim")
    studies: list[StudyRecord] = Field(description="a record for each study")
    wall_time_s: float = Field(description="how long the command took")
    report: str | None = Field(description="path of the HTML report")
