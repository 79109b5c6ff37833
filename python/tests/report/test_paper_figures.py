"""Twelve figures as a paper has them, each looked at in print; and broken ones, which the look finds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import pytest

import ackclock
from ackclock import Figure, Scenario
from ackclock.report import fitting, marks, printed, ticks
from ackclock.report.chart import Chart
from ackclock.report.curves import Panel
from ackclock.run import Runs

from .paper import faults
from .synthetic import sweep_study, table_study
from .test_printed_sweep import CONTROL, DELAY, LIMIT, QUEUE, TWO

COLUMN, PAGE = 3.5, 7.16
NAMES = {"newreno": "NewReno", "cubic": "CUBIC", "bbrv3": "BBRv3", "vegas": "Vegas", "tcp": "Tested"}
BUFFER = {"limit_packets": "Buffer (packets)", "tcp_control": "Control", **NAMES}
BACKGROUND = {"a-group-with-a-long-name": "Background"}
FEWER = """"dumbbell.bottleneck.queue.limit" = ["5 packets", "20 packets", "80 packets"]
"flows.tcp.control" = ["newreno", "cubic"]
"dumbbell.bottleneck.rate" = ["1 Mbit/s", "2 Mbit/s", "50 Mbit/s"]
"""
RANGES = """"dumbbell.bottleneck.delay" = { from = "1 ms", to = "50 ms" }
"dumbbell.bottleneck.queue.limit" = { from = "5 packets", to = "200 packets" }
samples = { count = 12 }
"""
MICE = """
name = "Small and large"
duration = "4 s"

[[links]]
between = ["a", "b"]
rate = "12 Mbit/s"
delay = "20 ms"
loss = { name = "independent", probability = 0.02 }

[[flows]]
name = "mice"
from = "a"
to = "b"
control = "newreno"
application = { name = "transfers", sizes = "sizes", count = 60, every = "50 ms" }

[observe]
transfers = true
size_classes = ["1448 B", "14480 B"]

[files.sizes]
text = "1448 50\\n14480 100\\n"

[sweep]
"flows.mice.control" = ["newreno", "cubic"]
"links.0.delay" = ["5 ms", "40 ms"]
"""


@lru_cache
def swept(text: str, paths: str) -> Runs:
    return Scenario.from_text(f"{text}\n[sweep]\n{paths}").run_many(replications=2)


@lru_cache
def mice() -> Runs:
    return Scenario.from_text(MICE).run_many(replications=2)


def buffers(**scales: Any) -> Runs:
    labels = {
        **BUFFER,
        **BACKGROUND,
        "rtt_p95_s": "Delay, 95th percentile (ms)",
        "utilisation": "Utilisation (%)",
    }
    return swept(TWO, LIMIT + CONTROL).with_labels(labels, scales=scales)


def over_time() -> Figure:
    return ackclock.figures(Scenario.from_text(TWO, {"duration": "4 s"}).run(seed=1, series=True))[0]


def of_study(number: int, study: Any) -> Figure:
    return ackclock.figures(study)[number]


TWELVE: Mapping[str, tuple[Callable[[], Figure], float]] = {
    "logarithmic": (lambda: buffers(limit_packets="log").plot("utilisation"), COLUMN),
    "categories": (lambda: buffers(limit_packets="category").plot("rtt_p95_s"), COLUMN),
    "fitted": (lambda: buffers(utilisation="fitted").plot("utilisation"), COLUMN),
    "both logarithmic": (
        lambda: buffers(limit_packets="log", rtt_p95_s="log").plot(["rtt_p95_s", "goodput_bps [Mbps]"]),
        PAGE,
    ),
    "words": (
        lambda: swept(TWO, QUEUE + CONTROL).with_labels({"fq-codel": "FQ-CoDel", **NAMES}).plot("fairness"),
        COLUMN,
    ),
    "heat map": (
        lambda: swept(TWO, LIMIT + DELAY).with_labels({"delay": "Delay (ms)"}).plot("fairness"),
        COLUMN,
    ),
    "rows and columns": (
        lambda: (
            swept(TWO, FEWER)
            .with_labels(
                {**BUFFER, **BACKGROUND, "bottleneck_rate": "Rate (Mbps)"}, scales={"limit_packets": "log"}
            )
            .plot(["goodput_bps", "rtt_mean_s [ms]"], rows=["metric", "group"], columns="bottleneck_rate_bps")
        ),
        PAGE,
    ),
    "distribution": (lambda: mice().plot_completions(), PAGE),
    "distributions in rows and columns": (
        lambda: (
            mice()
            .with_labels(
                {"completion_s": "Completion time (ms)", "delay": "Delay (ms)"},
                scales={"completion_s": "log"},
            )
            .plot_completions(rows="class", columns="delay", colour="mice_control")
        ),
        COLUMN,
    ),
    "over time": (over_time, COLUMN),
    "samples": (
        lambda: (
            swept(TWO, RANGES)
            .with_labels(
                {"delay": "Delay (ms)", "limit_packets": "Buffer (packets)"}, scales={"limit_packets": "log"}
            )
            .plot("fairness")
        ),
        COLUMN,
    ),
    "published values": (lambda: of_study(0, sweep_study()), COLUMN),
}


def test_there_are_twelve() -> None:
    assert len(TWELVE) == 12


@pytest.mark.parametrize("name", TWELVE)
def test_a_figure_is_good_in_print(name: str) -> None:
    make, width_in = TWELVE[name]
    assert faults(make(), width_in) == []


def test_a_dot_plot_is_good_in_print() -> None:
    assert faults(of_study(3, table_study()), COLUMN) == []


def broken(name: str) -> list[str]:
    make, width_in = TWELVE[name]
    return faults(make(), width_in)


def test_small_text_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printed, "_LOOK", {**printed._LOOK, "xtick.labelsize": 4})
    assert any("has 4.0 points" in fault for fault in broken("logarithmic"))


def test_texts_over_each_other_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitting, "fit", lambda figure, rows: None)
    found = faults(swept(TWO, QUEUE).plot("fairness"), COLUMN)
    assert any(" covers " in fault for fault in found)


def test_a_figure_that_is_too_narrow_for_its_texts_is_found() -> None:
    make, _ = TWELVE["rows and columns"]
    assert any("cut" in fault or "covers" in fault for fault in faults(make(), 2.0))


def test_cut_marks_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = marks._line
    monkeypatch.setattr(marks, "_line", lambda *line, **how: whole(*line, **{**how, "clipped": True}))
    assert any("is cut by the frame" in fault for fault in broken("published values"))


def test_a_cut_cap_of_an_interval_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def clipped(ax: Any) -> None:
        for line in ax.get_lines():
            if line.get_gid() == marks.CAP:
                line.set_data(line.get_xdata(), [ax.get_ylim()[1]] * len(line.get_ydata()))

    monkeypatch.setattr(marks, "whole", clipped)
    assert any("is cut by the frame" in fault for fault in broken("logarithmic"))


def test_a_number_at_the_wrong_tick_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ticks, "text", lambda value: f"{value + 1:g}")
    assert any(fault.startswith("the tick at") for fault in broken("logarithmic"))


def test_a_label_of_another_category_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def thinned(axis: Any, words: Any) -> None:
        axis.set_ticks(range(0, len(words), 2), words[: len(range(0, len(words), 2))])

    monkeypatch.setattr(marks, "_name_ticks", thinned)
    assert any(fault.startswith("the tick at") for fault in broken("categories"))


def test_a_heat_map_whose_ticks_are_thinned_names_the_right_ones() -> None:
    figure = TWELVE["heat map"][0]()
    (panel,) = figure.chart.panels
    (curve,) = panel.curves
    columns = [100_000 + number for number in range(24)]
    many = {
        key: [[row[0]] * len(columns) for row in curve.data[key]]
        if key in ("z", "low", "high")
        else curve.data[key]
        for key in curve.data
    }
    wide: Panel = replace(panel, curves=[replace(curve, data={**many, "x": columns})])
    chart: Chart = replace(figure.chart, panels=[wide])
    assert faults(Figure(chart, "many"), COLUMN) == []
