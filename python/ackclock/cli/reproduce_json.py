"""The document that ``ackclock reproduce --json`` prints: the records of ``schemas.reproduce``, filled from a result.

Fields of a record that the result lacks, or has in another form, are passed as keyword arguments.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ackclock.characterisation.judge import rows
from ackclock.schemas import reproduce
from ackclock.schemas.experiment import finding_record
from ackclock.study.result import ClaimResult, StudyResult
from ackclock.study.sentence import sentence
from ackclock.study.tally import by_thesis, verdicts_of


def as_document(results: Sequence[StudyResult], report: Path | None, wall_time_s: float) -> dict[str, Any]:
    """Returns the document of ``schemas.reproduce.ReproduceDocument``."""
    return {
        "schema_version": 2,
        "verdicts": verdicts_of(results),
        "theses": [
            reproduce.ThesisRecord.filled(tally, thesis=tally.thesis.key, about=tally.kind)
            for tally in by_thesis([result for result in results if result.characterisation is None])
        ],
        "studies": [_study(result) for result in results],
        "wall_time_s": wall_time_s,
        "report": None if report is None else os.fspath(report),
    }


def _study(result: StudyResult) -> dict[str, Any]:
    thesis, source = result.source.thesis, result.source
    return reproduce.StudyRecord.filled(
        result,
        sentence=sentence(result),
        source=reproduce.SourceRecord.filled(
            thesis,
            thesis=thesis.key,
            item=source.item,
            section=source.section,
            asked_by=source.asked_by,
            setup_unknown=source.setup_unknown,
        ),
        precision=None if result.precision is None else reproduce.PrecisionRecord.filled(result.precision),
        claims=[_claim(claim) for claim in result.claims],
        verdicts=result.verdicts(),
        cases=[
            reproduce.CaseRecord.filled(
                case,
                overrides=dict(case.overrides),
                values=[
                    reproduce.ValueRecord.filled(
                        value,
                        metric=metric.id,
                        unit=metric.unit,
                        samples=_samples(value.samples),
                    )
                    for metric in result.metrics
                    for value in [case.values[metric.id]]
                ],
            )
            for case in result.cases
        ],
        sensitivity=[
            reproduce.SensitivityRecord.filled(
                item,
                taken=assumption.taken,
                taken_from=assumption.taken_from,
                claims=[_claim(claim) for claim in item.claims],
            )
            for assumption in result.assumptions
            for item in assumption.sensitivity
        ],
        characterisation=_characterisation(result),
        versions=dict(result.versions),
    )


def _characterisation(result: StudyResult) -> dict[str, Any] | None:
    """Returns the verdicts on each discipline with their findings; None if the study is not a characterisation."""
    about = result.characterisation
    if about is None:
        return None
    disciplines = [
        reproduce.DisciplineRecord.filled(
            row,
            findings=[
                reproduce.CriterionRecord.filled(
                    one,
                    criterion=one.condition.title,
                    kind=one.condition.kind,
                    mean=one.finding.estimate,
                    interval=one.finding.interval,
                    reason=one.finding.reason,
                    finding=finding_record(one.finding),
                )
                for one in row.findings
            ],
        )
        for row in rows(result)
    ]
    return reproduce.CharacterisationRecord.filled(about, disciplines=disciplines)


def _claim(claim: ClaimResult) -> dict[str, Any]:
    return reproduce.ClaimRecord.filled(
        claim,
        findings=[finding_record(one) for one in claim.findings],
        interpretations=[reproduce.InterpretationRecord.filled(one) for one in claim.interpretations],
        samples=_samples(claim.samples),
    )


def _samples(values: Sequence[float]) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in values]
