"""The document that ``ackclock reproduce --json`` prints."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ackclock.characterisation.judge import rows
from ackclock.schemas.experiment import finding_record
from ackclock.study.result import ClaimResult, PrecisionResult, StudyResult
from ackclock.study.sentence import sentence
from ackclock.study.tally import by_thesis, verdicts_of


def as_document(results: Sequence[StudyResult], report: Path | None, wall_time_s: float) -> dict[str, Any]:
    """Returns the document of ``schemas.reproduce.ReproduceDocument``."""
    return {
        "schema_version": 2,
        "verdicts": verdicts_of(results),
        "theses": [
            {
                "thesis": tally.thesis.key,
                "about": tally.kind,
                "studies": tally.studies,
                "verdicts": tally.verdicts,
            }
            for tally in by_thesis([result for result in results if result.characterisation is None])
        ],
        "studies": [_study(result) for result in results],
        "wall_time_s": wall_time_s,
        "report": None if report is None else os.fspath(report),
    }


def _study(result: StudyResult) -> dict[str, Any]:
    thesis = result.source.thesis
    return {
        "name": result.name,
        "title": result.title,
        "sentence": sentence(result),
        "source": {
            "thesis": thesis.key,
            "author": thesis.author,
            "title": thesis.title,
            "where": thesis.where,
            "year": thesis.year,
            "item": result.source.item,
            "section": result.source.section,
            "asked_by": result.source.asked_by,
            "setup_unknown": result.source.setup_unknown,
        },
        "replications": result.replications,
        "precision": _precision(result.precision),
        "quick": result.quick,
        "claims": [_claim(claim) for claim in result.claims],
        "verdicts": result.verdicts(),
        "cases": [
            {
                "name": case.name,
                "label": case.label,
                "sweep_value": case.sweep_value,
                "overrides": dict(case.overrides),
                "seeds": list(case.seeds),
                "values": [
                    {
                        "metric": metric.id,
                        "unit": metric.unit,
                        "mean": value.mean,
                        "std": value.std,
                        "interval": value.interval,
                        "samples": [sample if math.isfinite(sample) else None for sample in value.samples],
                        "paper": value.paper,
                    }
                    for metric in result.metrics
                    for value in [case.values[metric.id]]
                ],
            }
            for case in result.cases
        ],
        "sensitivity": [
            {
                "assumption": item.assumption,
                "taken": assumption.taken,
                "taken_from": assumption.taken_from,
                "alternative": item.alternative,
                "changed": list(item.changed),
                "undecided": list(item.undecided),
                "replications": item.replications,
                "evidence": item.evidence,
                "against": item.against,
                "claims": [_claim(claim) for claim in item.claims],
            }
            for assumption in result.assumptions
            for item in assumption.sensitivity
        ],
        "characterisation": _characterisation(result),
        "versions": dict(result.versions),
        "runs": result.runs,
        "reused_runs": result.reused_runs,
        "cpu_time_s": result.cpu_time_s,
        "fingerprint": result.fingerprint,
    }


def _characterisation(result: StudyResult) -> dict[str, Any] | None:
    """Returns the verdicts on each discipline and the findings behind them; None for any other study."""
    about = result.characterisation
    if about is None:
        return None
    return {
        "section": about.section,
        "requirement": about.requirement,
        "disciplines": [
            {
                "discipline": row.discipline,
                "verdict": row.verdict,
                "findings": [
                    {
                        "criterion": one.condition.title,
                        "kind": one.condition.kind,
                        "metric": one.metric,
                        "setting": one.setting,
                        "verdict": one.verdict,
                        "mean": one.finding.estimate,
                        "interval": one.finding.interval,
                        "reason": one.finding.reason,
                        "finding": finding_record(one.finding),
                    }
                    for one in row.findings
                ],
            }
            for row in rows(result)
        ],
    }


def _precision(precision: PrecisionResult | None) -> dict[str, Any] | None:
    if precision is None:
        return None
    return {
        "wanted": precision.wanted,
        "metrics": list(precision.metrics),
        "reached": precision.reached,
        "widest": precision.widest,
        "where": precision.where,
    }


def _claim(claim: ClaimResult) -> dict[str, Any]:
    return {
        "id": claim.id,
        "text": claim.text,
        "paper": claim.paper,
        "measured": claim.measured,
        "interval": claim.interval,
        "unit": claim.unit,
        "tolerance": claim.tolerance,
        "accepted": claim.accepted,
        "verdict": claim.verdict,
        "detail": claim.detail,
        "findings": [finding_record(one) for one in claim.findings],
        "setup": claim.setup,
        "interpretations": [
            {
                "assumption": one.assumption,
                "alternative": one.alternative,
                "verdict": one.verdict,
                "evidence": one.evidence,
                "against": one.against,
                "reverses": one.reverses,
            }
            for one in claim.interpretations
        ],
        "error": claim.error,
        "alternative": claim.alternative,
        "written": claim.written,
        "baselines": claim.baselines,
        "replications_needed": claim.replications_needed,
        "recorded": claim.recorded,
        "samples": [sample if math.isfinite(sample) else None for sample in claim.samples],
        "finding": claim.finding,
    }
