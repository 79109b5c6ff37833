"""What the page is told to draw."""

from __future__ import annotations

import dataclasses
from typing import Any

from ackclock.report import figures, style, time_figure
from ackclock.report.quantities import title_and_scale
from ackclock.series import Series
from ackclock.study.model import Figure
from ackclock.study.result import CaseResult, StudyResult

from .synthetic import sweep_study, table_study


def drawn(study: StudyResult, figure: Figure) -> figures.FigureView:
    return figures.view(dataclasses.replace(study, figures=(*study.figures, figure)), figure, "anchor")


def by_id(study: StudyResult, id: str) -> figures.FigureView:
    return drawn(study, next(figure for figure in study.figures if figure.id == id))


def test_cases_over_time_have_a_panel_each_on_a_shared_axis() -> None:
    view = by_id(table_study(), "queue")
    assert [panel["title"] for panel in view.drawing["panels"]] == [
        "Alpha, 5 flows",
        "Beta, 5 flows",
        "Gamma, 5 flows",
        "Delta, 5 flows",
    ]
    assert view.drawing["shared"]
    assert view.stackable
    assert view.single
    assert view.drawing["x"] == {"label": "Time (s)"}
    assert {panel["y"]["label"] for panel in view.drawing["panels"]} == {"Queue length (packets)"}


def test_figures_over_time_say_which_run_they_show() -> None:
    assert by_id(table_study(), "queue").seed == 1
    assert by_id(sweep_study(), "loss").seed is None


def test_quantities_over_time_have_a_panel_each_with_its_own_axis() -> None:
    view = by_id(table_study(), "flow")
    assert [panel["y"]["label"] for panel in view.drawing["panels"]] == [
        "Congestion window (packets)",
        "Round-trip time (s)",
        "Goodput (Mbit/s)",
    ]
    assert not view.stackable
    assert [entry.label for entry, _ in view.legend] == ["Beta, 5 flows"]


def test_evenly_spaced_samples_are_a_start_and_a_step() -> None:
    curve = by_id(table_study(), "flow").drawing["panels"][0]["curves"][0]
    assert (curve["x0"], curve["dx"]) == (0, 0.05)
    assert "x" not in curve
    assert len(curve["y"]) == 2000


def test_missing_samples_are_gaps() -> None:
    assert by_id(table_study(), "flow").drawing["panels"][1]["curves"][0]["y"][0] is None


def test_flows_of_one_case_are_told_apart_by_their_names() -> None:
    study = with_series({"tcp-1": {"cwnd_packets": [1, 2]}, "tcp-2": {"cwnd_packets": [3, 4]}})
    view = drawn(study, Figure(id="w", kind="time", series="flows.tcp-*.cwnd_packets", caption="c"))
    assert [entry.label for entry, _ in view.legend] == ["tcp-1", "tcp-2"]
    assert len(view.drawing["panels"]) == 1
    assert not view.single


def test_unevenly_spaced_samples_keep_their_times() -> None:
    study = with_series({"tcp-1": {"cwnd_packets": [1, 2, 3]}}, time_s=[0, 1, 5])
    view = drawn(study, Figure(id="w", kind="time", series="flows.tcp-1.cwnd_packets", caption="c"))
    assert view.drawing["panels"][0]["curves"][0]["x"] == [0, 1, 5]


def test_a_given_axis_title_stops_scaling() -> None:
    study = with_series({"tcp-1": {"goodput_bps": [2e6, 3e6]}})
    figure = Figure(id="g", kind="time", series="flows.tcp-1.goodput_bps", caption="c")
    assert drawn(study, figure).drawing["panels"][0]["curves"][0]["y"] == [2, 3]
    named = drawn(study, figure.model_copy(update={"y_label": "Goodput (bit/s)"}))
    assert named.drawing["panels"][0]["curves"][0]["y"] == [2000000, 3000000]


def test_what_was_not_recorded_is_said() -> None:
    view = by_id(table_study(), "none")
    assert view.empty
    assert view.missing == ["Beta, 5 flows: flows.tcp-9.rtt_s was not recorded"]
    assert view.title == "Round-trip time over time"


def test_swept_curves_have_intervals_and_the_thesis_where_known() -> None:
    view = by_id(sweep_study(), "loss")
    alpha, beta, gamma, ideal = view.drawing["panels"][0]["curves"]
    assert alpha["x"] == [5, 10, 15, 20, 25, 30, 35, 40]
    assert len(beta["low"]) == len(beta["high"]) == len(beta["paper"]) == 8
    assert "paper" not in alpha
    assert "paper" not in gamma
    assert set(ideal) == {"entry", "level", "low", "high"}
    assert view.has_paper
    assert view.has_bands
    assert view.drawing["panels"][0]["y"]["label"] == "Packet loss (%)"
    assert view.drawing["x"]["label"] == "Number of connections"


def test_a_sweep_over_words_has_categories() -> None:
    study = sweep_study()
    words = ("droptail", "red")
    cases = tuple(
        dataclasses.replace(study.case(f"alpha[{load}]"), name=f"alpha[{word}]", sweep_value=word)
        for load, word in zip((5, 10), words, strict=True)
    )
    view = by_id(dataclasses.replace(study, cases=cases), "loss")
    assert view.drawing["panels"][0]["curves"][0]["x"] == ["droptail", "red"]


def test_values_with_units_stand_on_a_scale() -> None:
    study = sweep_study()
    case = dataclasses.replace(study.case("alpha[5]"), name="alpha[5 ms]", sweep_value="5 ms")
    view = by_id(dataclasses.replace(study, cases=(case,)), "loss")
    assert view.drawing["panels"][0]["curves"][0]["x"] == [5]


def test_a_case_without_any_value_is_not_drawn() -> None:
    study = sweep_study()
    gone = dataclasses.replace(study.case("alpha[5]").values["loss"], mean=None, interval=None)
    case = dataclasses.replace(study.case("alpha[5]"), values={"loss": gone})
    view = by_id(dataclasses.replace(study, cases=(case,)), "loss")
    assert view.empty
    assert view.missing == ["Alpha: no value"]


def test_a_case_looks_the_same_in_all_figures_of_a_study() -> None:
    study = sweep_study()
    looks = {entry.label: look for entry, look in by_id(study, "loss").legend}
    for entry, look in by_id(study, "utilisation").legend:
        assert looks[entry.label] == look


def test_looks_differ() -> None:
    looks = [style.style(index) for index in range(120)]
    assert len(set(looks)) == 120
    assert len({look.colour for look in style.choose([0, 6, 12])}) == 3


def test_axis_titles_name_the_unit() -> None:
    assert title_and_scale("queue_packets", 50) == ("Queue length (packets)", 1)
    assert title_and_scale("goodput_bps", 2.5e9) == ("Goodput (Gbit/s)", 1e9)
    assert title_and_scale("goodput_bps", 10) == ("Goodput (bit/s)", 1)
    assert title_and_scale("queue_delay_s", 1) == ("Queue delay (s)", 1)
    assert title_and_scale("alpha", 1) == ("Alpha", 1)


def with_series(flows: dict[str, Any], time_s: list[float] | None = None) -> StudyResult:
    """A study with one case that recorded ``flows``."""
    series = {"time_s": time_s or [0, 1], "flows": flows, "links": {}}
    case = CaseResult("base", "base", "", None, {}, (1,), {}, series=Series.from_document(series))
    return dataclasses.replace(table_study(), cases=(case,), figures=())


def test_long_series_keep_the_least_and_the_greatest_of_each_stretch() -> None:
    # 10 000 samples are 2.5 times as many as are drawn: stretches of 5, of which 2 stay.
    count = 10_000
    times = [0.01 * k for k in range(count)]
    values = [None if 500 <= k < 505 else float(k % 5 == 3) - (k % 5 == 1) for k in range(count)]
    kept_times, kept = time_figure.thinned(times, values)
    assert len(kept) == 2 * count // 5 - 1
    assert kept[:4] == [-1, 1, -1, 1]
    assert kept_times[:4] == [0.01, 0.03, times[6], times[8]]
    assert kept[200] is None
    assert kept_times[200] == times[500]
    assert kept_times == sorted(kept_times)


def test_short_series_are_drawn_whole() -> None:
    values = [float(k % 7) for k in range(time_figure.MOST_SAMPLES)]
    assert time_figure.thinned(values, values) == (values, values)


def test_figures_say_that_they_are_thinned() -> None:
    study = table_study()
    assert not by_id(study, "queue").thinned
    series = {
        "time_s": list(range(5000)),
        "flows": {},
        "links": {"bottleneck": {"queue_packets": [1.0] * 5000}},
    }
    long = dataclasses.replace(
        study,
        cases=tuple(dataclasses.replace(case, series=Series.from_document(series)) for case in study.cases),
    )
    view = by_id(long, "queue")
    assert view.thinned
    # All samples are equal: each stretch of three has one that is least and greatest.
    assert len(view.drawing["panels"][0]["curves"][0]["y"]) == 1667
