"""The document that ``ackclock reproduce --json`` prints: the records of ``schemas.reproduce``, filled from a result.

A field of a record that is none of the result's own attributes, or has another form there, is given beside it.
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
from ackclock.schemas.run import Document
from ackclock.study.result import ClaimResult, StudyResult
from ackclock.study.sentence import sentence
from ackclock.study.tally import by_thesis, verdicts_of


def as_document(results: Sequence[StudyResult], report: Path | None, wall_time_s: float) -> dict[str, Any]:
    """Returns the document of ``schemas.reproduce.ReproduceDocument``."""
    return {
        "schema_version": 2,
        "verdicts": verdicts_of(results),
        "theses": [
            _record(reproduce.ThesisRecord, tally, thesis=tally.thesis.key, about=tally.kind)
            for tally in by_thesis([result for result in results if result.characterisation is None])
        ],
        "studies": [_study(result) for result in results],
        "wall_time_s": wall_time_s,
        "report": None if report is None else os.fspath(report),
    }


def _record(kind: type[Document], source: object, /, **others: Any) -> dict[str, Any]:
    """Returns a record of this kind: each field is an attribute of ``source``, except those in ``others``."""
    return {
        field: others[field] if field in others else getattr(source, field) for field in kind.model_fields
    }


def _study(result: StudyResult) -> dict[str, Any]:
    thesis, source = result.source.thesis, result.source
    return _record(
        reproduce.StudyRecord,
        result,
        sentence=sentence(result),
        source=_record(
            reproduce.SourceRecord,
            thesis,
            thesis=thesis.key,
            item=source.item,
            section=source.section,
            asked_by=source.asked_by,
            setup_unknown=source.setup_unknown,
        ),
        precision=None if result.precision is None else _record(reproduce.PrecisionRecord, result.precision),
        claims=[_claim(claim) for claim in result.claims],
        verdicts=result.verdicts(),
        cases=[
            _record(
                reproduce.CaseRecord,
                case,
                overrides=dict(case.overrides),
                values=[
                    _record(
                        reproduce.ValueRecord,
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
            _record(
                reproduce.SensitivityRecord,
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
    """Returns the verdicts on each discipline and the findings behind them; None for any other study."""
    about = result.characterisation
    if about is None:
        return None
    disciplines = [
        _record(
            reproduce.DisciplineRecord,
            row,
            findings=[
                _record(
                    reproduce.CriterionRecord,
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
    return _record(reproduce.CharacterisationRecord, about, disciplines=disciplines)


def _claim(claim: ClaimResult) -> dict[str, Any]:
    return _record(
        reproduce.ClaimRecord,
        claim,
        findings=[finding_record(one) for one in claim.findings],
        interpretations=[_record(reproduce.InterpretationRecord, one) for one in claim.interpretations],
        samples=_samples(claim.samples),
    )


def _samples(values: Sequence[float]) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in values]
