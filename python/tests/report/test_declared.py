"""Names, units and scales of a user's own: one declaration for figures, commands, pages and tables for LaTeX."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import Command

from ackclock import InputError, Scenario
from ackclock.report.scenario_page import Origin, render
from ackclock.run import Runs

from .svg_texts import size
from .test_sweep_figure import CONTROL, SHORT

BUFFERS = '"dumbbell.bottleneck.queue.limit" = ["0.5 bdp", "1 bdp", "4 bdp"]\n'
LABELS = {
    "limit_bdp": "Buffer (BDP)",
    "tcp_control": "Control",
    "reno": "Reno",
    "cubic": "CUBIC",
    "rtt_p95_s": "Delay (ms)",
    "goodput_bps": "Goodput (Mbps)",
    "bottleneck": "Uplink",
}
_MADE: dict[str, Runs] = {}


def runs(paths: str = BUFFERS + CONTROL) -> Runs:
    if paths not in _MADE:
        text = f"{SHORT}\n[sweep]\n{paths}"
        _MADE[paths] = Scenario.from_text(text).run_many(replications=2)
    return _MADE[paths]


def test_a_figure_has_the_names_and_units() -> None:
    chart = runs().with_labels(LABELS).plot("rtt_p95_s").chart
    assert (chart.x.label, chart.panels[0].y.label, chart.legend) == ("Buffer (BDP)", "Delay (ms)", "Control")
    assert [entry.label for entry in chart.entries] == ["Reno", "CUBIC"]
    before = runs().plot("rtt_p95_s").chart
    assert (before.x.label, before.legend) == ("Limit (BDP)", "tcp control")
    for now, then in zip(chart.panels[0].curves, before.panels[0].curves, strict=True):
        assert now.data["x"] == then.data["x"]
        for key in ("y", "low", "high"):
            assert now.data[key] == pytest.approx([1e3 * value for value in then.data[key]])


def test_a_table_for_latex_has_them() -> None:
    lines = runs().with_labels(LABELS).to_latex(["rtt_p95_s", "goodput_bps"]).splitlines()
    head = next(line for line in lines if line.startswith("Buffer"))
    assert head == r"Buffer (BDP) & Control & Delay (ms) & Goodput (Mbps) \\"
    assert sum(line.startswith("0.5 & Reno & $") for line in lines) == 1


def test_a_page_has_them() -> None:
    declared = runs().with_labels(LABELS)
    page = render(declared, Origin("ackclock run x.toml", "", {}))
    for text in ("Buffer (BDP)", "Buffer = 0.5 bdp, Control = Reno", "Mean RTT of tcp", "Queue of Uplink"):
        assert text in page, text
    assert re.search(r"Goodput( of \w+)? <span class=\"unit\">\(Mbps\)", page)
    assert "Limit (" not in page
    assert "limit = " not in page


def test_the_command_has_them(ackclock: Command, tmp_path: Path) -> None:
    path = tmp_path / "swept.toml"
    path.write_text(f"{SHORT}\n[sweep]\n{BUFFERS}{CONTROL}")
    labels = [word for name, text in LABELS.items() for word in ("--label", f"{name}={text}")]
    options = ("--plot", "rtt_p95_s", "--place", "tcp_control=columns", "--scale", "limit_bdp=log")
    outcome = ackclock(
        "run",
        path,
        "--out",
        "results",
        "--figures",
        "csv",
        "--html",
        "--latex",
        "rtt_p95_s",
        *options,
        *labels,
    )
    assert outcome.code == 0, outcome.err
    (drawn,) = (tmp_path / "results/figures").glob("*.csv")
    table = pl.read_csv(drawn)
    assert table.columns[:4] == ["panel", "curve", "Buffer (BDP)", "Delay (ms)"]
    assert table["panel"].unique(maintain_order=True).to_list() == ["Control = Reno", "Control = CUBIC"]
    assert r"Buffer (BDP) & Control & Delay (ms) \\" in (tmp_path / "results/summary.tex").read_text()
    page = (tmp_path / "results/swept.html").read_text()
    assert "Buffer (BDP)" in page
    assert '"type":"log"' in page or '"type": "log"' in page


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ("--label", "limt_bdp=Buffer"),
            'label: no swept parameter, metric or value is called "limt_bdp"; did you mean "limit_bdp"',
        ),
        (
            ("--label", "bdp=Buffer"),
            'label: no swept parameter, metric or value is called "bdp"; did you mean "limit_bdp"',
        ),
        (
            ("--label", "limit_bdp"),
            '--label "limit_bdp": expected NAME=VALUE, as in "limit_bdp=Buffer (BDP)"',
        ),
        (("--label", "rtt_p95_s=Delay (m)"), "brackets at the end of a label must contain a unit"),
        (
            ("--scale", "limit_bdp=logarithmic"),
            'scale: limit_bdp = "logarithmic": there is no such scale; available: linear, log',
        ),
        (("--scale", "rtt_p95_s=category"), "only a swept parameter can have categories"),
        (("--scale", "tcp_control=log"), "the values are words"),
        (("--place", "limit_bdp=x"), "needs --plot METRIC"),
        (("--plot", "fairness", "--place", "limit_bdp=across"), '--place limit_bdp: found "across"'),
    ],
)
def test_a_wrong_declaration_is_told_before_anything_runs(
    ackclock: Command, tmp_path: Path, options: tuple[str, ...], words: str
) -> None:
    path = tmp_path / "swept.toml"
    path.write_text(f"{SHORT}\n[sweep]\n{BUFFERS}{CONTROL}")
    outcome = ackclock("run", path, "--out", "results", *options)
    assert (outcome.code, outcome.out) == (2, "")
    assert words in " ".join(outcome.err.split()), outcome.err
    assert not (tmp_path / "results").exists()


def test_what_was_declared_before_stays() -> None:
    declared = (
        runs().with_labels({"limit_bdp": "Buffer"}).with_labels({"cubic": "CUBIC"}, scales={"limit": "log"})
    )
    assert declared.plot().chart.x.label == "Buffer (BDP)"
    assert declared.plot().chart.x.log
    assert declared[:4].plot().chart.x.label == "Buffer (BDP)"
    assert runs().plot().chart.x.label == "Limit (BDP)"


def test_a_label_in_one_unit_does_not_hide_values_in_another() -> None:
    with pytest.raises(
        InputError,
        match=r'label "Delay \(h\)": brackets at the end of a label must contain a unit; .* available: s, ms',
    ):
        runs().with_labels({"rtt_p95_s": "Delay (h)"}).plot("rtt_p95_s")
    # A quantity without a unit may have a remark.
    assert (
        runs().with_labels({"fairness": "Fairness (Jain)"}).plot("fairness").chart.title == "Fairness (Jain)"
    )
    share = runs().with_labels({"utilisation": "Load (%)"}).plot("utilisation").chart.panels[0]
    assert max(share.curves[0].data["y"]) > 1


def test_two_values_with_one_label_are_refused() -> None:
    same = runs().with_labels({"reno": "TCP", "cubic": "TCP"})
    with pytest.raises(InputError, match="two values of tcp_control have the same label"):
        same.plot()


def drawn_figure(figure: Any) -> Any:
    from ackclock.report.printed import drawn

    return drawn(figure.chart, 3.5)


def drawn_axes(figure: Any) -> Any:
    return drawn_figure(figure).axes[0]


def test_a_logarithmic_axis() -> None:
    figure = runs().with_labels(scales={"limit_bdp": "log", "rtt_p95_s": "log"}).plot("rtt_p95_s")
    ax = drawn_axes(figure)
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0.5", "1", "4"]
    page = figure.plotly().layout
    assert (page.xaxis.type, page.yaxis.type) == ("log", "log")
    assert list(page.xaxis.ticktext) == ["0.5", "1", "4"]


@pytest.mark.parametrize(("width", "points"), [(None, 252), ("column", 252), ("page", 515.52), ("5", 360)])
def test_the_command_sets_the_width(
    ackclock: Command, tmp_path: Path, width: str | None, points: float
) -> None:
    """A column of 3.5 inches has 3.5 * 72 = 252 points, both columns of 7.16 inches have 515.52."""
    (tmp_path / "x.toml").write_text(f"{SHORT}\n[sweep]\n{BUFFERS}")
    words = ("run", tmp_path / "x.toml", "--replications", "1", "--out", tmp_path, "--plot", "goodput_bps")
    chosen = ("--width", width) if width else ()
    done = ackclock(*words, "--figures", "svg", *chosen)
    assert done.code == 0, done.err
    (path,) = (tmp_path / "figures").glob("*.svg")
    assert size(path.read_text())[0] == pytest.approx(points)


def test_the_figures_of_a_study_have_the_width(ackclock: Command, tmp_path: Path, study_file: Path) -> None:
    words = ("reproduce", study_file, "--quick", "--out", tmp_path / "o")
    assert ackclock(*words, "--figures", "svg", "--width", "5").code == 0
    paths = [*(tmp_path / "o/figures").glob("*.svg")]
    assert {size(path.read_text())[0] for path in paths} == {360.0}
    refused = ackclock(*words, "--width", "5")
    assert "--width: needs --figures FORMAT" in refused.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--plot", "goodput_bps", "--width", "pages"),
            '--width: found "pages", expected a number of inches',
        ),
        (
            ("--figures", "pdf", "--width", "-1"),
            "--width: found -1.0, expected a number of inches from 1 to 50",
        ),
        (("--width", "page"), "--width: needs --figures FORMAT or --plot METRIC"),
    ],
)
def test_a_wrong_width_is_refused_before_anything_runs(
    ackclock: Command, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    (tmp_path / "x.toml").write_text(f"{SHORT}\n[sweep]\n{BUFFERS}")
    done = ackclock("run", tmp_path / "x.toml", "--out", tmp_path / "o", *options)
    assert done.code == 2
    assert message in " ".join(done.err.split())
    assert not (tmp_path / "o").exists()


def test_panels_that_share_a_logarithmic_axis_have_the_ticks_of_all() -> None:
    """Each panel has values within one decade, which alone would give other ticks."""
    figure = runs().with_labels(scales={"rtt_p95_s": "log"}).plot("rtt_p95_s", columns="tcp_control")
    panels = []
    for panel, factor in zip(figure.chart.panels, (1.0, 1000.0), strict=True):
        (curve,) = panel.curves
        heights = [factor, 2 * factor, 3 * factor]
        data = {**curve.data, "y": heights, "low": heights, "high": heights}
        panels.append(replace(panel, curves=[replace(curve, data=data)]))
    figure.chart = replace(figure.chart, panels=panels)
    assert figure.chart.shared
    left, right = drawn_figure(figure).axes
    ticks = list(left.get_yticks())
    assert ticks == list(right.get_yticks())
    assert min(ticks) <= 3
    assert max(ticks) >= 1000


def test_categories_are_at_equal_distances_and_joined() -> None:
    figure = runs().with_labels(scales={"limit_bdp": "category"}).plot()
    (reno, _) = figure.chart.panels[0].curves
    assert reno.data["x"] == ["0.5", "1", "4"]
    assert reno.data["joined"]
    assert figure.chart.x.label == "Limit (BDP)"
    assert list(drawn_axes(figure).get_xticks()) == [0, 1, 2]
    assert figure.plotly().layout.xaxis.type == "category"


def test_a_fitted_axis_need_not_begin_at_zero() -> None:
    made = runs(BUFFERS)
    fitted = made.with_labels(scales={"rtt_mean_s": "fitted"})
    for known, scaled in ((made, False), (fitted, True)):
        for low, least in ((9.5, 9.0), (-1.0, 0.0)):
            figure = known.plot("rtt_mean_s")
            (panel,) = figure.chart.panels
            (curve,) = panel.curves
            data = {
                **curve.data,
                "y": [10.0, 10.5, 11.0],
                "low": [low, 10.4, 10.9],
                "high": [10.5, 10.6, 11.5],
            }
            figure.chart = replace(figure.chart, panels=[replace(panel, curves=[replace(curve, data=data)])])
            bottom, top = drawn_axes(figure).get_ylim()
            # Intervals may reach below zero, but the quantity cannot.
            assert (least if scaled else 0.0) <= bottom <= max(0.0, low) if scaled else bottom == 0
            assert 11.5 <= top <= 13
            drawn = figure.plotly().layout.yaxis
            assert drawn.range is None if scaled and low > 0 else drawn.range[0] == 0


def test_a_value_without_a_logarithm_is_refused() -> None:
    zero = runs().with_labels(scales={"timeouts": "log"})
    with pytest.raises(InputError, match=r'"log": found the value 0, expected values above 0'):
        zero.plot("timeouts")
    several = '["5 packets", "6 packets", "7 packets", "8 packets", "9 packets"]'
    delays = '["1 ms", "2 ms", "3 ms", "4 ms", "5 ms"]'
    heat = runs(f'"dumbbell.bottleneck.queue.limit" = {several}\n"dumbbell.bottleneck.delay" = {delays}\n')
    logarithmic = heat.with_labels(scales={"fairness": "log"})
    with pytest.raises(InputError, match="the colours of a heat map always have a linear scale"):
        logarithmic.plot("fairness")


def test_an_interval_above_what_a_share_can_be_does_not_stretch_the_axis() -> None:
    for figure in (
        runs().plot("fairness"),
        runs().with_labels({"utilisation": "Load (%)"}).plot("utilisation"),
    ):
        most = 1.0 if figure.chart.title == "Fairness" else 100.0
        assert drawn_axes(figure).get_ylim()[1] <= 1.12 * most
        assert figure.plotly().layout.yaxis.range[1] <= 1.06 * most
