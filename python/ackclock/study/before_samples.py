"""Reads records that were made before samples were kept: they have the claims as they were judged then.

A claim of a size alone is judged again from the samples of what it measures. That of an order keeps the result that it
had, in the words of today. Recording a study anew replaces such a record.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ackclock.experiment.judge import judge_values
from ackclock.experiment.looks import Looks
from ackclock.study.interpretations import reverses
from ackclock.study.load import LoadedStudy
from ackclock.study.model import Interpretation, Verdict
from ackclock.study.result import CaseResult, ClaimResult, MetricValue, OtherResult, Source, StudyResult
from ackclock.study.verdict import WORDS, in_words, set_up

_WORDS: Mapping[str, Verdict] = {
    "reproduced": "as printed",
    "direction only": "right order, other size",
    "not reproduced": "not as printed",
    "not discriminating": "cannot tell",
    "undecided": "undecided",
    "not a test": "not a test",
    "yes": "yes",
    "no": "no",
}


def result(document: Mapping[str, Any], loaded: LoadedStudy) -> StudyResult:
    """Returns the result of a study from a record of this form. Claims that the study no longer has are left out."""
    study = loaded.study
    tests = {claim.id: claim for claim in study.claims}
    metrics = {metric.id: metric for metric in study.metrics}
    runs = {run.name: run for run in study.runs()}
    cases = [
        CaseResult(
            name=name,
            case=runs[name].case.name,
            label=runs[name].case.title,
            sweep_value=runs[name].value,
            overrides={},
            seeds=(),
            values={
                id: MetricValue(
                    numbers[0],
                    None,
                    None if None in numbers[:2] else (numbers[0] - numbers[1], numbers[0] + numbers[1]),
                    (),
                    metrics[id].paper.get(name),
                )
                for id, numbers in values.items()
                if id in metrics
            },
        )
        for name, values in document.get("values", {}).items()
        if name in runs
    ]
    return StudyResult(
        name=loaded.name,
        title=study.title,
        summary=study.summary,
        source=Source(
            thesis=loaded.thesis,
            item=study.source.item,
            section=study.source.section,
            asked_by=study.source.asked_by,
            setup_unknown=study.source.setup_unknown,
            numbers_of=study.source.numbers_of,
        ),
        file=loaded.file,
        quick=False,
        replications=document["replications"],
        scenario_text=loaded.scenario.text,
        metrics=tuple(study.metrics),
        cases=tuple(case for case in cases if len(case.values) == len(metrics)),
        sweep=study.sweep,
        claims=tuple(_claim(one, loaded) for one in document["claims"] if one["id"] in tests),
        figures=tuple(study.figures),
        assumptions=(),
        findings=tuple(study.findings),
        runs=document["simulations"],
        cpu_time_s=document["cpu_time_s"],
        fingerprint=document["fingerprint"],
    )


def _claim(one: Mapping[str, Any], loaded: LoadedStudy) -> ClaimResult:
    study = loaded.study
    claim = next(claim for claim in study.claims if claim.id == one["id"])
    verdict = _WORDS.get(one.get("outcome") or one["verdict"], "undecided")
    values = np.array([np.nan if value is None else value for value in one.get("samples", [])])
    if claim.direction is None and values.size and verdict not in ("cannot tell", "not a test"):
        error = Looks.until(max(study.replications, values.size)).error(values.size)
        verdict = WORDS[judge_values(claim.size(), values, error).result]
    verdict = in_words(verdict, claim, study)
    return ClaimResult(
        id=claim.id,
        text=claim.text,
        paper=claim.paper,
        measured=one["measured"],
        interval=None if one["interval"] is None else tuple(one["interval"]),
        verdict=verdict,
        detail=claim.not_judged(),
        unit=claim.unit,
        expression=claim.measured,
        tolerance=claim.allowed_error(),
        accepted=claim.accepted(),
        baselines=one.get("baselines", False),
        setup=set_up(claim, study),
        interpretations=tuple(_interpretations(one, verdict, loaded)),
        samples=tuple(map(float, values)),
    )


def _interpretations(one: Mapping[str, Any], verdict: Verdict, loaded: LoadedStudy) -> Iterator[OtherResult]:
    """Yields the interpretations that are named in the record: those under which the claim came out otherwise."""
    known: dict[str, tuple[str, Interpretation]] = {
        f"{item.what}: {alternative.label}": (item.what, alternative)
        for item in loaded.study.assumptions
        for alternative in item.interpretations
    }
    for reading in one.get("readings", []):
        if reading["reading"] in known:
            what, alternative = known[reading["reading"]]
            other = _WORDS.get(reading["verdict"], "undecided")
            yield OtherResult(
                what,
                alternative.label,
                other,
                alternative.evidence,
                alternative.against if alternative.refuted_for(one["id"]) else "",
                reverses(verdict, other),
            )
