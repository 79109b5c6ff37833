"""Figures in which next to nothing varies are last, and say so; those that vary little have an axis that shows it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ackclock.report import narrow, render_page
from ackclock.report.curves import Axis, Curve, Entry, Panel
from ackclock.report.study_view import view
from ackclock.study.model import Figure, Metric
from ackclock.study.result import MetricValue, StudyResult

from .synthetic import sweep_study


def panels(*ys: float | None, axis: Axis | None = None) -> list[Panel]:
    return [
        Panel("", axis or Axis("y"), [Curve(Entry("one", 0), {"x": list(range(len(ys))), "y": list(ys)})])
    ]


@pytest.mark.parametrize(
    ("ys", "share", "note"),
    [
        ((1.0, 2.0), 0.5, ""),
        (
            (99.0, 100.0),
            0.01,
            "The vertical axis does not begin at zero: all values are between 99 and 100.",
        ),
        ((0.0, 0.0), 0.0, "The figure shows no variation: all values are 0."),
        ((99.95, 100.0), 0.0005, "The figure shows no variation: all values are between 99.95 and 100."),
        ((-1.0, None, 1.0), 2.0, ""),
    ],
)
def test_how_much_varies(ys: tuple[float | None, ...], share: float, note: str) -> None:
    found = narrow.spread(panels(*ys))
    assert found is not None
    assert found.share == pytest.approx(share)
    assert found.note == note


def test_the_axis_fits_what_varies_little() -> None:
    # A tenth of the distance at either end: 99 - 0.1 and 100 + 0.1.
    (fitted,) = narrow.fitted(panels(99.0, 100.0))
    assert fitted.y.range == pytest.approx((98.9, 100.1))
    for kept in (panels(1.0, 2.0), panels(5.0, 5.0), panels(99.0, 100.0, axis=Axis("y", range=(0, 100)))):
        assert narrow.fitted(kept) == kept
    assert narrow.spread(panels(3.0)) is None


def flat_study() -> StudyResult:
    """A study over a sweep with a figure of a metric that is 7 everywhere, before all others."""
    study = sweep_study()
    seven = MetricValue(mean=7.0, std=0.0, interval=(7.0, 7.0), samples=(7.0, 7.0))
    return replace(
        study,
        metrics=(*study.metrics, Metric(id="seven", label="Seven", expr="7")),
        cases=tuple(replace(case, values={**case.values, "seven": seven}) for case in study.cases),
        figures=(Figure(id="seven", kind="sweep", metric="seven", caption="Always."), *study.figures),
    )


def test_a_flat_figure_is_last_and_folded_where_another_is_not_flat() -> None:
    study = flat_study()
    figures = view(study, "study", "x").figures
    assert figures[-1].id == "study-figure-1"
    assert [one.level for one in figures] == [False] * (len(figures) - 1) + [True]
    assert figures[-1].folded
    text = render_page(study, "x")
    assert "<summary>Seven. The figure shows no variation: all values are 7.</summary>" in text
    alone = view(replace(study, figures=study.figures[:1]), "study", "x").figures
    assert [(one.level, one.folded) for one in alone] == [(True, False)]
