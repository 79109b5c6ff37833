"""Distributions and elasticities of the characterisation, against numbers worked by hand."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

from ackclock.characterisation.distributions import Collected
from ackclock.characterisation.elasticity import sensitivities
from ackclock.report.distribution import drawn
from ackclock.series import Series
from ackclock.study.result import CaseResult, MetricValue, Source, StudyResult, Thesis


def run(wait: list[float], delays: list[list[float]], goodput: list[list[float]]) -> dict[str, Any]:
    """A run with three quantiles; the first interval of the series lies before the measured part."""
    return {
        "probabilities": [0.1, 0.5, 0.9],
        "measured_s": [1.0, 4.0],
        "links": [{"name": "other"}, {"name": "bottleneck", "wait_quantiles_s": wait}],
        "flows": [{"one_way_delay_min_s": 0.05, "one_way_delay_quantiles_s": flow} for flow in delays],
        "series": Series.from_document(
            {
                "time_s": [1.0, 2.0, 3.0, 4.0],
                "flows": {str(index): {"goodput_bps": flow} for index, flow in enumerate(goodput)},
                "links": {},
            }
        ),
    }


def test_quantiles_are_averaged_over_the_runs_and_the_flows() -> None:
    collected = Collected()
    goodput = [[9e9, 1e6, 1e6, 1e6], [9e9, 3e6, 3e6, 3e6]]
    collected.take(
        ["wait", "variation", "goodput"],
        run([0.0, 0.01, 0.02], [[0.05, 0.06, 0.07], [0.05, 0.08, 0.11]], goodput),
    )
    collected.take(["wait", "variation", "goodput"], run([0.0, 0.03, 0.04], [[0.05, 0.05, 0.05]], goodput))
    found = collected.means()
    assert found["wait"].probabilities == (0.1, 0.5, 0.9)
    assert found["wait"].quantiles == pytest.approx((0, 20, 30))
    # Above the least of 50 ms: 0, 20 and 40 ms as the mean of two flows in the first run, nothing in the second.
    assert found["variation"].quantiles == pytest.approx((0, 10, 20))
    # Half of the samples are 1 Mbit/s, half 3: the 9 Gbit/s come before measuring.
    assert found["goodput"].quantiles == pytest.approx((1, 2, 3))


def test_nothing_is_drawn_of_what_was_not_kept() -> None:
    collected = Collected()
    collected.take(["wait"], {"links": [], "flows": []})
    assert collected.means() == {}
    assert drawn("", [(0, "RED", case("red", {}))], "wait") is None


def test_a_curve_rises_and_has_its_mark_at_the_median() -> None:
    collected = Collected()
    collected.take(["wait"], run([0.001, 0.01, 0.02], [], []))
    one = dataclasses.replace(case("red", {}), distributions=collected.means())
    plane = drawn("6 flows", [(1, "RED", one)], "wait")
    assert plane is not None
    (mark,) = plane.marks
    stops = [tuple(map(float, stop.split(","))) for stop in mark.line.split()]
    assert [x for x, _ in stops] == sorted(x for x, _ in stops)
    # SVG counts downwards.
    assert [y for _, y in stops] == sorted((y for _, y in stops), reverse=True)
    assert mark.at == stops[1]
    assert mark.words == "RED: median 10.0 ms"


def case(name: str, samples: dict[str, list[float]]) -> CaseResult:
    values = {
        id: MetricValue(mean=float(np.mean(values)), std=None, interval=None, samples=tuple(values))
        for id, values in samples.items()
    }
    return CaseResult(
        name=f"{name}[6]", case=name, label="RED, x", sweep_value=6, overrides={}, seeds=(1, 2), values=values
    )


def test_elasticities_are_slopes_between_logarithms() -> None:
    # Delay goes with the square root of one parameter: 2 at half and 4 at twice is ln 2 / ln 4 = 0.5. Half of the other
    # parameter's default is out of range: from 3 to 6 over ln 2 is 1.
    found = sensitivities(
        result(
            [
                case("red+default", {"delay": [3.0, 3.0], "cycle": [1.0, 1.0]}),
                case("red+weight-x0.5", {"delay": [2.0, 2.0], "cycle": [10.0, 12.0]}),
                case("red+weight-x2", {"delay": [4.0, 4.0], "cycle": [60.0, 62.0]}),
                case("red+share-x2", {"delay": [6.0, 6.0], "cycle": [5.0, 5.0]}),
            ]
        ),
        ["delay"],
        "cycle",
    )
    assert [(one.discipline, one.parameter) for one in found] == [("red", "weight"), ("red", "share")]
    assert found[0].elasticities[0].summary.mean == pytest.approx(0.5)
    assert found[0].elasticities[0].sweep_value == "6"
    assert found[0].cycle == (61.0, "default × 2, 6")
    assert found[1].elasticities[0].summary.mean == pytest.approx(1)


def test_there_is_no_elasticity_of_nothing() -> None:
    (found,) = sensitivities(
        result(
            [
                case("red+default", {"delay": [3.0, 3.0]}),
                case("red+weight-x2", {"delay": [0.0, math.nan]}),
            ]
        ),
        ["delay"],
        "cycle",
    )
    assert found.elasticities[0].summary.mean is None
    assert found.cycle is None


def result(cases: list[CaseResult]) -> StudyResult:
    thesis = Thesis("aqm", "a", "t", "u", 2016, "d")
    return StudyResult(
        name="aqm/x",
        title="x",
        summary="",
        source=Source(thesis, "RFC 7928", "8.3"),
        file="x.toml",
        quick=False,
        replications=2,
        scenario_text="",
        metrics=(),
        cases=tuple(cases),
        sweep=None,
        claims=(),
        figures=(),
        assumptions=(),
        findings=(),
    )
