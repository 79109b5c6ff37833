"""The picture of a sweep: what is drawn for one, two and three axes, and for samples."""

from __future__ import annotations

import re
from typing import Any

import pytest
from conftest import SCENARIO, replaced

from ackclock.errors import InputError
from ackclock.run import Runs
from ackclock.scenario import Scenario

SHORT = replaced(SCENARIO, ('duration = "5 s"', 'duration = "0.5 s"'))
LIMIT = '"dumbbell.bottleneck.queue.limit" = ["20 packets", "5 packets"]\n'
DELAY = '"dumbbell.bottleneck.delay" = ["1 ms", "2 ms", "5 ms", "10 ms", "20 ms"]\n'
LIMITS = (
    '"dumbbell.bottleneck.queue.limit" = ["20 packets", "5 packets", "6 packets", "7 packets", "8 packets"]\n'
)
RATE = '"dumbbell.bottleneck.rate" = ["1 Mbit/s", "2 Mbit/s"]\n'
COUNT = '"flows.tcp.count" = [1, 2, 3]\n'
CONTROL = '"flows.tcp.control" = ["reno", "cubic"]\n'
METRIC = "groups.tcp.goodput_bps"


def runs(paths: str, seeds: int = 2) -> Runs:
    return Scenario.from_text(f"{SHORT}\n[sweep]\n{paths}").run_many(replications=seeds)


def drawn(paths: str, metric: str | None = None) -> tuple[Runs, Any]:
    made = runs(paths)
    return made, made.plot(metric).plotly()


def test_one_axis_is_a_line_with_intervals() -> None:
    made, figure = drawn(LIMIT)
    (line,) = figure.data
    table = made.summary().sort("limit_packets")
    # In the order of the numbers, which is not that of the file.
    assert list(line.x) == [5, 20]
    assert list(line.y) == pytest.approx([value / 1e3 for value in table[METRIC]])
    above = [
        (high - mean) / 1e3
        for high, mean in zip(table["groups.tcp.goodput_high_bps"], table[METRIC], strict=True)
    ]
    assert list(line.error_y.array) == pytest.approx(above)
    assert figure.layout.xaxis.title.text == "Limit (packets)"
    assert figure.layout.yaxis.title.text == "Goodput per flow of tcp (kbit/s)"
    assert figure.layout.yaxis.rangemode == "tozero"


def test_words_are_joined_by_no_line() -> None:
    _, figure = drawn(CONTROL)
    assert figure.data[0].mode == "markers"
    assert list(figure.data[0].x) == ["reno", "cubic"]


def test_numbers_and_words_are_a_curve_for_each_word() -> None:
    made, figure = drawn(LIMIT + CONTROL, "links.bottleneck.utilisation")
    assert [curve.name for curve in figure.data] == ["reno", "cubic"]
    assert [list(curve.x) for curve in figure.data] == [[5, 20], [5, 20]]
    assert figure.data[0].line.color != figure.data[1].line.color
    assert figure.data[0].marker.symbol != figure.data[1].marker.symbol
    table = {(row["tcp_control"], row["limit_packets"]): row for row in made.summary().iter_rows(named=True)}
    assert figure.data[1].y[0] == table["cubic", 5]["links.bottleneck.utilisation"]


def test_few_numbers_are_a_curve_each_with_intervals() -> None:
    made, figure = drawn(LIMIT + COUNT)
    assert [curve.name for curve in figure.data] == ["5 packets", "20 packets"]
    assert [list(curve.x) for curve in figure.data] == [[1, 2, 3]] * 2
    assert all(None not in curve.error_y.array for curve in figure.data)
    assert len(made) == 12


def test_two_axes_of_many_numbers_are_a_heat_map() -> None:
    made, figure = drawn(LIMITS + DELAY)
    (heat,) = figure.data
    assert heat.type == "heatmap"
    # Of two axes with as many values, the last is horizontal.
    assert list(heat.x) == [5, 6, 7, 8, 20]
    assert list(heat.y) == [0.001, 0.002, 0.005, 0.01, 0.02]
    table = {
        (row["delay_s"], row["limit_packets"]): row[METRIC] for row in made.summary().iter_rows(named=True)
    }
    largest = max(table.values())
    scale = 1e6 if largest >= 1e6 else 1e3
    assert heat.z[1][4] == pytest.approx(table[0.002, 20] / scale)
    assert heat.z[0][0] == pytest.approx(table[0.001, 5] / scale)
    assert "95 % interval" in heat.customdata[0][1]
    # The squares say it too.
    assert "±" in heat.text[0][0]


def test_three_axes_are_small_multiples() -> None:
    _, figure = drawn(LIMIT + COUNT + CONTROL)
    # The words are colours, the fewer numbers are panels.
    assert [curve.name for curve in figure.data] == ["reno", "cubic"] * 2
    titles = [annotation.text for annotation in figure.layout.annotations]
    assert titles == ["limit = 5 packets", "limit = 20 packets"]


def test_four_axes_are_rows_and_columns() -> None:
    chart = (
        runs(f'{LIMIT}{COUNT}{CONTROL}"dumbbell.bottleneck.delay" = ["1 ms", "2 ms"]\n', seeds=1).plot().chart
    )
    assert len(chart.panels) == 4
    assert chart.across == 2
    assert chart.panels[0].title == "limit = 5 packets, delay = 0.001 s"


def test_the_caller_says_what_is_where() -> None:
    made = runs(LIMIT + COUNT + CONTROL)
    metrics = ["goodput_bps [kbit/s]", "fairness"]
    chart = made.plot(
        metrics, x="count", rows="tcp_control", columns="metric", colour="dumbbell.bottleneck.queue.limit"
    ).chart
    assert chart.x.label == "Count"
    assert [(panel.title, panel.y.label) for panel in chart.panels] == [
        (f"tcp control = {control}", label)
        for control in ("reno", "cubic")
        for label in ("Goodput per flow of tcp (kbit/s)", "Fairness")
    ]
    assert [curve.entry.label for curve in chart.panels[0].curves] == ["5 packets", "20 packets"]
    table = {
        (row["tcp_control"], row["limit_packets"], row["count"]): row
        for row in made.summary().iter_rows(named=True)
    }
    curve = chart.panels[3].curves[1].data
    assert curve["y"] == [table["cubic", 20, count]["fairness"] for count in (1, 2, 3)]
    assert curve["low"] == [table["cubic", 20, count]["fairness_low"] for count in (1, 2, 3)]


@pytest.mark.parametrize(
    ("places", "words"),
    [
        (
            {"rows": "contorl"},
            'rows = "contorl": the figure has no such dimension; did you mean "tcp_control"?',
        ),
        ({"rows": "count", "columns": "count"}, '"count" is named 2 times in x, rows, columns and colour'),
        ({"x": "metric"}, 'x = "metric" is not a swept parameter'),
        (
            {"rows": "metric", "columns": "group", "colour": "tcp_control"},
            '"limit_packets" has no place in the figure: name this key in rows, columns or colour',
        ),
    ],
)
def test_a_place_that_cannot_be(places: dict[str, str], words: str) -> None:
    with pytest.raises(InputError, match=re.escape(words)):
        runs(LIMIT + COUNT + CONTROL, seeds=1).plot(**places)


def test_metrics_are_refused_where_the_caller_names_rows_and_columns_without_them() -> None:
    made, metrics = runs(LIMIT + COUNT + CONTROL, seeds=1), ["goodput_bps", "fairness"]
    with pytest.raises(InputError, match='"metric" has no place'):
        made.plot(metrics, rows="count", columns="tcp_control")
    chart = made.plot(metrics, rows=["metric", "count"], columns="tcp_control").chart
    assert (len(chart.panels), chart.across) == (12, 2)


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ("rtt_mean_s [min]", 'the column rtt_mean_s has no unit "min"; available: s, ms, us, µs'),
        ("fairness [%]", "found a unit, expected none: this column has a fixed unit, or no unit"),
        ("rtt_mean_s [ms", 'expected a column, or a column and a unit such as "rtt_p95_s [ms]"'),
    ],
)
def test_a_wrong_unit(metric: str, words: str) -> None:
    with pytest.raises(InputError, match=re.escape(words)):
        runs(LIMIT, seeds=1).plot(metric)


def test_a_unit_of_choice_divides_values_and_intervals() -> None:
    made = runs(LIMIT)
    (curve,) = made.plot("rtt_mean_s [ms]").chart.panels[0].curves
    table = made.summary().sort("limit_packets")
    for key, column in (("y", "rtt_mean_s"), ("low", "rtt_mean_low_s"), ("high", "rtt_mean_high_s")):
        assert curve.data[key] == pytest.approx([1e3 * value for value in table[f"groups.tcp.{column}"]])


def test_samples_are_points_over_each_range() -> None:
    _, figure = drawn(
        CONTROL + '"dumbbell.bottleneck.delay" = { from = "1 ms", to = "9 ms" }\n'
        '"dumbbell.bottleneck.queue.limit" = { from = "2 packets", to = "40 packets" }\nsamples = { count = 4 }\n'
    )
    # Two ranges, each with two controls.
    assert [trace.mode for trace in figure.data] == ["markers"] * 4
    assert [len(trace.x) for trace in figure.data] == [4] * 4
    assert {figure.layout.xaxis.title.text, figure.layout.xaxis2.title.text} == {
        "Delay (s)",
        "Limit (packets)",
    }


def test_several_groups_are_a_curve_each() -> None:
    two = SHORT + '\n[[flows]]\nname = "other"\ncontrol = "cubic"\n'
    made = Scenario.from_text(f"{two}\n[sweep]\n{LIMIT}").run_many([1])
    figure = made.plot().plotly()
    assert [curve.name for curve in figure.data] == ["tcp", "other"]
    scales = [
        made.summary().sort("limit_packets")[f"groups.{curve.name}.goodput_bps"][0] / curve.y[0]
        for curve in figure.data
    ]
    assert scales[0] == pytest.approx(scales[1])
    assert figure.layout.yaxis.title.text == "Goodput per flow (kbit/s)"


@pytest.mark.parametrize(
    ("paths", "metric", "words"),
    [
        (LIMIT, "groups.tcp.godput_bps", 'did you mean "groups.tcp.goodput_bps"?'),
        (
            LIMITS + DELAY + COUNT + RATE + CONTROL,
            None,
            "a figure of 30 panels is unreadable, expected at most 24",
        ),
    ],
)
def test_what_cannot_be_drawn(paths: str, metric: str | None, words: str) -> None:
    made = runs(paths, seeds=1)
    with pytest.raises(InputError, match=words.replace("?", r"\?")):
        made.plot(metric)


def test_without_a_sweep_there_is_nothing_to_draw() -> None:
    with pytest.raises(InputError, match=r"the scenario has no \[sweep\]"):
        Scenario.from_text(SHORT).run_many([1]).plot()


def test_the_same_sweep_gives_the_same_figure() -> None:
    made = runs(LIMIT)
    assert made.plot().plotly().to_json() == made.plot().plotly().to_json()
