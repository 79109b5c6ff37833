"""How much a parameter changes a metric (RFC 7928 section 8.3): the elasticity d ln(metric) / d ln(parameter).

Between half and twice the default it is ln(metric at twice / metric at half) / ln 4, seed by seed; if one of the two
is outside the parameter's range, the default stands for it, and ln 2 for ln 4. From -1 to 1 the metric changes no more
than in proportion.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ackclock.characterisation.disciplines import OF_VARIANT, discipline_of, variant_of
from ackclock.characterisation.judge import DEFAULTS
from ackclock.statistics import Summary, log_ratios, summarise
from ackclock.study.result import CaseResult, StudyResult

FACTORS = (0.5, 2.0)


@dataclass(frozen=True)
class Elasticity:
    """The elasticity of one metric to one parameter of a discipline, at one value of the sweep."""

    metric: str
    sweep_value: str
    summary: Summary


@dataclass(frozen=True)
class Sensitivity:
    """A parameter of a discipline: its elasticities, and the strongest cycle of the queue at any setting of it."""

    discipline: str
    label: str
    parameter: str
    elasticities: Sequence[Elasticity]
    cycle: tuple[float, str] | None
    """The largest share of the variance of the queue length that one frequency has, in %, and the setting where it
    occurs.
    """


def sensitivities(result: StudyResult, metrics: Sequence[str], cycle: str) -> list[Sensitivity]:
    """Returns a record for each varied parameter of each discipline."""
    by_name: dict[tuple[str, str], CaseResult] = {
        (case.case, str(case.sweep_value)): case for case in result.cases
    }
    values = list(dict.fromkeys(str(case.sweep_value) for case in result.cases))
    found: dict[tuple[str, str], Sensitivity] = {}
    for case in result.cases:
        discipline, variant = discipline_of(case.case), variant_of(case.case)
        parameter, times, _ = variant.rpartition("-x")
        if not times or (discipline, parameter) in found:
            continue
        elasticities = [
            Elasticity(metric, value, _elasticity(by_name, discipline, parameter, metric, value))
            for metric in metrics
            for value in values
        ]
        found[discipline, parameter] = Sensitivity(
            discipline,
            case.label.partition(", ")[0],
            parameter,
            elasticities,
            _cycle(result, discipline, parameter, cycle),
        )
    return list(found.values())


def _elasticity(
    by_name: Mapping[tuple[str, str], CaseResult], discipline: str, parameter: str, metric: str, value: str
) -> Summary:
    default = by_name.get((f"{discipline}{OF_VARIANT}{DEFAULTS}", value))
    ends, span = [], 0.0
    for factor in FACTORS:
        case = by_name.get((f"{discipline}{OF_VARIANT}{parameter}-x{factor:g}", value))
        span += 0.0 if case is None else abs(math.log(factor))
        ends.append(case or default)
    low, high = ends
    if low is None or high is None or not span:
        return summarise(np.array([]))
    logs = log_ratios(np.array(high.values[metric].samples), np.array(low.values[metric].samples))
    return summarise(logs / span)


def _cycle(result: StudyResult, discipline: str, parameter: str, metric: str) -> tuple[float, str] | None:
    swings = [
        (mean, f"default × {variant_of(case.case).rpartition('-x')[2]}, {case.sweep_value}")
        for case in result.cases
        if discipline_of(case.case) == discipline
        and variant_of(case.case).rpartition("-x")[0] == parameter
        and metric in case.values
        for mean in [case.values[metric].mean]
        if mean is not None
    ]
    return max(swings, default=None)
