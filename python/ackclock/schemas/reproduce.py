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
    author: str
    title: str
    where: str = Field(description="university, journal or series")
    year: int
    item: str = Field(description='e.g. "Table 4.1"')
    section: str
    asked_by: Literal["thesis", "us"] = Field(description="us: a question that the publication never ran")
    setup_unknown: str = Field(description="the unknown part of the set-up; empty if there is none")


class ValueRecord(Document):
    """One metric of one case over the replications."""

    metric: str
    unit: str
    mean: float | None
    std: float | None
    interval: tuple[float, float] | None = Field(description="95 %, Student t")
    samples: list[float | None] = Field(
        description="in the order of seeds; null where a replication has no sample"
    )
    paper: float | None


class CaseRecord(Document):
    """One row of the table, or one point of a curve."""

    name: str
    label: str
    sweep_value: int | float | str | None
    overrides: dict[str, Any]
    seeds: list[int]
    values: list[ValueRecord]


class InterpretationRecord(Document):
    """The result of a claim under another interpretation of the publication that touches it."""

    assumption: str
    alternative: str
    verdict: Verdict
    evidence: str = Field(description="the evidence for it; empty for a robustness check of ours")
    against: str = Field(description="the publication's own evidence against it; empty without any")
    reverses: bool = Field(
        description="whether it reverses the result: there is evidence for it, none against it, and the claim holds "
        "under one of this interpretation and the one taken, and fails under the other"
    )


class ClaimRecord(Document):
    """One claim of the thesis with what was measured."""

    id: str
    text: str
    paper: float | None
    measured: float | None
    interval: tuple[float, float] | None
    unit: str
    tolerance: float | None = Field(description="the allowed distance from paper, if that is the test")
    accepted: tuple[float | None, float | None] | None = Field(
        description="the lowest and the highest value that the test accepts, null for an open end"
    )
    verdict: Verdict
    detail: str
    findings: list[FindingRecord] = Field(description="of its size and of its order, as far as it has them")
    setup: str = Field(
        description="the part of the set-up that is lost for the claim; empty if it is printed"
    )
    interpretations: list[InterpretationRecord]
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

    assumption: str
    taken: str
    taken_from: Literal["text", "simulator", "ours"] = Field(
        description="text: the literal interpretation; simulator: the default of the version that the publication "
        "names; ours: neither says it"
    )
    alternative: str
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
    metrics: list[str]
    reached: bool
    widest: float | None = Field(
        description="half the widest interval over its mean, over these metrics in all cases; null while one "
        "has no interval"
    )
    where: str = Field(description="the metric and the case that have it")


class CriterionRecord(Document):
    """A criterion of a discipline in one setting."""

    criterion: str
    kind: Literal["benefit", "safety", "info"]
    metric: str
    setting: str = Field(description="the variant or the sweep value; empty if there is only one setting")
    verdict: Literal["OK", "CONCERN", "undecided", "INFO"]
    mean: float | None
    interval: tuple[float, float] | None
    reason: str = Field(description="what the numbers do not say; of INFO, why it is no concern")
    finding: FindingRecord


class DisciplineRecord(Document):
    """A discipline in a scenario of the characterisation."""

    discipline: str
    verdict: Literal["OK", "CONCERN", "undecided", "INFO", "reference"]
    findings: list[CriterionRecord]


class CharacterisationRecord(Document):
    """The verdicts of a scenario of RFC 7928."""

    section: str
    requirement: str
    disciplines: list[DisciplineRecord]


class StudyRecord(Document):
    """One study."""

    name: str
    title: str
    sentence: str = Field(description="whether the study comes out as printed, in a sentence")
    source: SourceRecord
    replications: int
    precision: PrecisionRecord | None
    quick: bool
    claims: list[ClaimRecord]
    verdicts: dict[Verdict, int]
    cases: list[CaseRecord]
    sensitivity: list[SensitivityRecord]
    characterisation: CharacterisationRecord | None = Field(
        description="for a scenario of RFC 7928; null for other studies"
    )
    versions: dict[str, str]
    runs: int
    reused_runs: int
    cpu_time_s: float | None
    fingerprint: str = Field(description="a hash of what the samples depend on")


class ThesisRecord(Document):
    """The number of claims of one kind in all studies of a thesis."""

    thesis: str = Field(description="key, e.g. rbcc")
    about: Literal["systems", "baselines", "ours"] = Field(
        description="about its own systems; about its baselines alone; questions that it never asked"
    )
    studies: int
    verdicts: dict[Verdict, int]


class ReproduceDocument(Document):
    """The document that ``reproduce --json`` prints."""

    schema_version: Literal[2] = 2
    verdicts: dict[Verdict, int]
    theses: list[ThesisRecord]
    studies: list[StudyRecord]
    wall_time_s: float
    report: str | None = Field(description="path of the HTML report")
