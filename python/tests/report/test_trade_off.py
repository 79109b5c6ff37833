"""Figures of one metric against another."""

from __future__ import annotations

import dataclasses

from ackclock.report import figures, render_page, study_view
from ackclock.study.model import Figure
from ackclock.study.result import StudyResult

from .synthetic import trade_off_study


def drawn(study: StudyResult, figure: Figure | None = None) -> figures.FigureView:
    return figures.view(study, figure or study.figures[0], "anchor")


def test_a_point_stands_where_its_metrics_are() -> None:
    study = trade_off_study()
    view = drawn(study)
    assert view.drawing["x"]["label"] == "Utilisation of the bottleneck (%)"
    (panel,) = view.drawing["panels"]
    assert panel["y"]["label"] == "Packet loss (%)"
    beta = panel["curves"][1]
    values = study.case("beta[40]").values
    measured = (
        beta["x"][-1],
        beta["y"][-1],
        beta["x_low"][-1],
        beta["x_high"][-1],
        beta["low"][-1],
        beta["high"][-1],
    )
    across, up = values["utilisation"], values["loss"]
    assert across.interval is not None
    assert up.interval is not None
    for found, expected in zip(measured, (across.mean, up.mean, *across.interval, *up.interval), strict=True):
        assert expected is not None
        assert abs(found - expected) < 1e-4 * abs(expected)


def test_each_point_has_the_parameters_of_its_own_sweep() -> None:
    alpha, _, gamma, delta = drawn(trade_off_study()).drawing["panels"][0]["curves"]
    assert [words[0] for words in alpha["words"]][:2] == [
        "Number of connections: 5",
        "Number of connections: 10",
    ]
    assert [words[0] for words in gamma["words"]] == ["Buffer (packets): 20", "Buffer (packets): 50"]
    assert len(delta["words"][0]) == 2, "a case outside any sweep has no parameter, only what was measured"


def test_it_names_itself_and_what_its_bars_are() -> None:
    view = drawn(trade_off_study())
    assert view.title == "Packet loss against utilisation of the bottleneck"
    assert view.has_crosses
    assert not view.has_bands
    assert "bars: 95 % intervals" in render_page(trade_off_study(), "ackclock reproduce synthetic")


def test_what_has_no_sample_is_no_point() -> None:
    study = trade_off_study()
    cases = tuple(
        dataclasses.replace(
            case,
            values={
                **case.values,
                "loss": dataclasses.replace(case.values["loss"], mean=None, interval=None),
            },
        )
        if case.name in ("alpha[5]", "delta")
        else case
        for case in study.cases
    )
    view = drawn(dataclasses.replace(study, cases=cases))
    assert len(view.drawing["panels"][0]["curves"][0]["x"]) == 7
    assert view.missing == ["Delta: no point has values of both metrics"]


def test_the_settings_list_the_values_of_a_sweep_of_one_case() -> None:
    view = study_view.view(trade_off_study(), "anchor", "command")
    by_name = {row.name: dict(row.values) for row in view.settings}
    assert by_name["gamma"]["dumbbell.bottleneck.queue.limit"] == "20, 50"
    assert by_name["sweep"]["flows.tcp.count"].startswith("5, 10")
    assert "flows.tcp.count" not in by_name["alpha"]
