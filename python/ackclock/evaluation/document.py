"""The JSON document of an evaluation, which is also the record that a later evaluation is compared with."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from ackclock.evaluation.judge import Judged
from ackclock.evaluation.language import SOLO, TESTED
from ackclock.evaluation.result import Evaluation, FamilyResult, ScenarioResult
from ackclock.evaluation.rfc import PROCESS
from ackclock.schemas.experiment import finding_record

KIND = "ackclock evaluate"


def as_document(evaluation: Evaluation, command: str, beside: Evaluation | None = None) -> dict[str, Any]:
    """Returns the document; it holds every sample. With ``beside``, the evaluation of another control, it also holds
    the document of that one. Its comparison with a record is empty.
    """
    return {
        "kind": KIND,
        "command": command,
        "control": evaluation.control,
        "references": list(evaluation.references),
        "recoveries": dict(evaluation.recoveries),
        "quick": evaluation.quick,
        "seeds": list(evaluation.seeds),
        "most_packets": evaluation.most_packets,
        "runs": evaluation.runs,
        "versions": dict(evaluation.versions),
        "criteria": [_family(one, evaluation.references) for one in evaluation.families],
        "process": [
            {
                "id": item.id,
                "section": item.section,
                "demand": item.demand,
                "answer": evaluation.answers.process.get(item.id),
            }
            for item in PROCESS
        ],
        "beside": None if beside is None else as_document(beside, command),
        "comparison": None,
    }


def _family(one: FamilyResult, references: Sequence[str]) -> dict[str, Any]:
    return {
        "id": one.family.id,
        "section": one.family.section,
        "strength": one.family.strength,
        "title": one.family.title,
        "verdict": one.verdict,
        "sentence": one.sentence,
        "lacks": one.lacks,
        "scenarios": [scenario_document(result, references) for result in one.scenarios],
    }


def scenario_document(result: ScenarioResult, references: Sequence[str]) -> dict[str, Any]:
    """Returns the part of the document that is about a scenario."""
    about, samples = result.loaded.about, result.samples
    return {
        "name": result.loaded.name,
        "title": about.title,
        "verdict": result.verdict,
        "failed_runs": len(samples.failures),
        "failure": next(iter(samples.failures.values()), ""),
        "metrics": [
            {"id": metric.id, "label": metric.label, "unit": metric.unit, "better": metric.better}
            for metric in about.metrics
        ],
        "settings": [
            {
                "name": setting.name,
                "tested": {m.id: _numbers(samples.of(TESTED, index, m.id)) for m in about.metrics},
                "references": {
                    name: {m.id: _numbers(samples.of(name, index, m.id)) for m in about.metrics}
                    for name in references
                },
                "solo": {
                    m.id: _numbers(samples.of(SOLO, index, m.id))
                    for m in about.metrics
                    if (SOLO, index, m.id) in samples.values
                },
            }
            for index, setting in enumerate(samples.settings)
        ],
        "findings": [_finding(finding) for finding in result.findings],
    }


def _finding(one: Judged) -> dict[str, Any]:
    return {
        "metric": one.metric.id,
        "limit": "" if one.condition.demand is None else one.condition.demand.name,
        "measure": one.condition.measure,
        "text": one.condition.text,
        "setting": one.setting.name,
        "verdict": one.verdict,
        "reference": one.decides.reference,
        "tested": _number(one.means[TESTED]),
        "references": {name: _number(mean) for name, mean in one.means.items() if name != TESTED},
        "allowed": [_number(end) for end in one.allowed],
        "reason": one.reason,
        "beside": {of.reference: of.word for of in one.beside},
        "finding": finding_record(one.finding),
    }


def _numbers(values: Iterable[float]) -> list[float | None]:
    return [_number(float(value)) for value in values]


def _number(value: float | None) -> float | None:
    """Returns a number with the digits that it deserves, None if it is none."""
    return None if value is None or not math.isfinite(value) else float(f"{value:.10g}")
