"""The document of ``ackclock reproduce --json``."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

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
    asked_by: Literal["thesis", "us"] = Field(description="us: the publication never ran it")
    setup_unknown: str = Field(description="what of the set-up is lost; else empty")


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


class ReadingRecord(Document):
    """How the test of a claim comes out under another reading of the thesis."""

    assumption: str
    alternative: str
    verdict: Verdict
    against: str = Field(
        description="what in the thesis speaks against the reading, which then changes no verdict; else empty"
    )


class ClaimRecord(Document):
    """One claim of the thesis with what was measured."""

    id: str
    text: str
    paper: float | None
    measured: float | None
    interval: tuple[float, float] | None
    unit: str
    tolerance: float | None = Field(
        description="the distance from paper that is allowed, where that is the test"
    )
    accepted: tuple[float | None, float | None] | None = Field(
        description="lowest and highest value that the test accepts, null for an open end"
    )
    verdict: Verdict
    outcome: Verdict = Field(
        description="how the test came out as taken, which counts as another verdict where that hangs on a reading or "
        "the set-up is unknown"
    )
    detail: str
    readings: list[ReadingRecord] = Field(
        description="the other readings under which the test comes out otherwise, undecided ones included"
    )
    alternative: float | None = Field(
        description="what would be measured if the claim were false, where stated"
    )
    written: str = Field(
        description="when the test was written or changed, where that was after a run; else empty"
    )
    baselines: bool = Field(description="about rivals alone: no system of the thesis is in what is measured")
    replications_needed: int | None = Field(
        description="about how many would decide an undecided claim; null where it is decided or cannot be said"
    )
    recorded: Verdict | None = Field(description="of a quick run: the verdict of the recorded full one")
    samples: list[float | None] = Field(description="of measured, in the order of seeds")
    finding: str | None = Field(description="what is written of the claim under this verdict")


class SensitivityRecord(Document):
    """The verdicts under another reading of the thesis."""

    assumption: str
    taken: str
    alternative: str
    changed: list[str] = Field(
        description="ids of the claims whose test comes out otherwise and is not undecided"
    )
    undecided: list[str] = Field(
        description="ids of those that are decided as taken, and not under this reading"
    )
    replications: int = Field(description="of this reading; as taken there may be more")
    against: str = Field(
        description="what in the thesis speaks against it, so that it changes no verdict; else empty"
    )
    claims: list[ClaimRecord] = Field(description="their verdicts are outcomes of tests under this reading")


class PrecisionRecord(Document):
    """The relative precision that a study asks for."""

    wanted: float = Field(description="half the 95 % interval over the mean, e.g. 0.05")
    metrics: list[str]
    reached: bool
    widest: float | None = Field(description="of these metrics in all cases; null while one has no interval")
    where: str = Field(description="the metric and the case that have it")


class FindingRecord(Document):
    """A criterion of a discipline in one setting."""

    criterion: str
    kind: Literal["benefit", "safety", "info"]
    metric: str
    setting: str = Field(description="the variant or the sweep value; empty where there is one setting")
    outcome: Literal["holds", "near", "undecided", "broken", "info", "unknown"]
    mean: float | None
    interval: tuple[float, float] | None


class DisciplineRecord(Document):
    """A discipline in a scenario of the characterisation."""

    discipline: str
    verdict: Literal["pass", "caution", "undecided", "fail", "info", "baseline"]
    findings: list[FindingRecord]


class CharacterisationRecord(Document):
    """The verdicts of a scenario of RFC 7928."""

    section: str
    requirement: str
    disciplines: list[DisciplineRecord]


class StudyRecord(Document):
    """One study."""

    name: str
    title: str
    source: SourceRecord
    replications: int
    precision: PrecisionRecord | None
    quick: bool
    claims: list[ClaimRecord]
    verdicts: dict[Verdict, int]
    cases: list[CaseRecord]
    sensitivity: list[SensitivityRecord]
    characterisation: CharacterisationRecord | None = Field(
        description="for a scenario of RFC 7928, else null"
    )
    versions: dict[str, str]
    runs: int
    reused_runs: int
    cpu_time_s: float | None
    fingerprint: str = Field(description="hash of what the study's numbers depend on")


class ThesisRecord(Document):
    """The claims of one kind in all studies of a thesis, counted."""

    thesis: str = Field(description="key, e.g. rbcc")
    about: Literal["systems", "baselines", "ours"] = Field(
        description="its own systems; what it compares them with; questions that it never asked"
    )
    studies: int
    verdicts: dict[Verdict, int]


class ReproduceDocument(Document):
    """What ``reproduce --json`` prints."""

    schema_version: Literal[1] = 1
    verdicts: dict[Verdict, int]
    theses: list[ThesisRecord]
    studies: list[StudyRecord]
    wall_time_s: float
    report: str | None = Field(description="path of the HTML report")
