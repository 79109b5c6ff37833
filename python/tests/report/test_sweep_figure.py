"""The picture of a sweep: what is drawn for one, two and three axes, and for samples."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import SCENARIO, replaced

from ackclock.errors import InputError
from ackclock.run import Runs
from ackclock.scenario import Scenario

SHORT = replaced(SCENARIO, ('duration = "5 s"', 'duration = "0.5 s"'))
LIMIT = '"dumbbell.bottleneck.queue.limit" = ["20 packets", "5 packets"]\n'
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


def test_two_axes_of_numbers_are_a_heat_map() -> None:
    made, figure = drawn(LIMIT + COUNT)
    (heat,) = figure.data
    assert heat.type == "heatmap"
    assert (list(heat.x), list(heat.y)) == ([1, 2, 3], [5, 20])
    table = {
        (row["count"], row["limit_packets"]): row[METRIC] for row in made.summary().iter_rows(named=True)
    }
    largest = max(table.values())
    scale = 1e6 if largest >= 1e6 else 1e3
    assert heat.z[1][2] == pytest.approx(table[3, 20] / scale)
    assert heat.z[0][0] == pytest.approx(table[1, 5] / scale)
    assert "95 % interval" in heat.customdata[0][1]


def test_three_axes_are_small_multiples() -> None:
    _, figure = drawn(LIMIT + COUNT + CONTROL)
    assert [trace.type for trace in figure.data] == ["heatmap", "heatmap"]
    titles = [annotation.text for annotation in figure.layout.annotations]
    assert titles == ["tcp_control = reno", "tcp_control = cubic"]
    # One scale of colours, or the panels could not be compared.
    assert {trace.coloraxis for trace in figure.data} == {"coloraxis"}


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
            f'{LIMIT}{COUNT}{CONTROL}"dumbbell.bottleneck.delay" = ["1 ms", "2 ms"]\n',
            None,
            "a sweep over 4 axes has no picture: at most 3",
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
