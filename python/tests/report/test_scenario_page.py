"""The report of a scenario of one's own: what it says is what was simulated."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from ackclock import Scenario
from ackclock._numbers import significant
from ackclock.cli.app import app
from ackclock.report import scenario_figures
from ackclock.report.scenario_page import Origin, render
from ackclock.web.module import MODULE

from .synthetic import DUEL


def report(text: str = DUEL, **settings: object) -> str:
    scenario = Scenario.from_text(text, settings)
    runs = scenario.run_many(series=True)
    return render(runs, Origin("ackclock run duel.toml --html", text, settings))


def test_tables_hold_what_was_simulated() -> None:
    page = report()
    run = Scenario.from_text(DUEL).run()
    goodputs = run.flows["goodput_bps"].to_list()
    for goodput in goodputs:
        assert f"<span>{significant(goodput / 1e6)}</span>" in page
        assert f"<span>{significant(100 * goodput / sum(goodputs))}</span>" in page
    dropped = run.links.filter(run.links["name"] == "bottleneck")["dropped_packets"].item()
    assert dropped > 0
    assert f"<span>{dropped}</span>" in page, "counts are whole numbers"
    assert "access-1-left" not in page.split("Run it again")[0], "nothing happened there"


def test_the_page_has_its_origin_and_nothing_unescaped() -> None:
    page = report(duration="3 s")
    assert "A &lt;duel&gt; of two" in page
    assert "<duel>" not in page
    assert "ackclock run duel.toml --html" in page
    assert "duration = &#34;3 s&#34;" in page


def test_replications_have_intervals_and_groups_share_what_there_is() -> None:
    page = report(replications=3)
    assert "Mean over 3 replications ± half-width of the 95 % interval" in page
    assert re.search(r"<span>[\d.]+</span> <span>± [\d.]+</span>", page)


def test_a_sweep_has_a_part_for_each_point() -> None:
    page = report(DUEL + '[sweep]\n"flows.one.control" = ["reno", "bbrv3"]\n', duration="1 s")
    for number, control in ((1, "reno"), (2, "bbrv3")):
        assert f'id="point-{number}"><summary>one_control = {control}</summary>' in page
        assert f'<a href="#point-{number}">one_control = {control}</a>' in page


def test_the_largest_page_that_nobody_asks_to_sample_more_is_under_five_megabytes() -> None:
    # With everything inside: the library, the simulator, and of the most points and flows that are drawn four figures,
    # at the thousand samples that a run has.
    flows = "".join(f'[[flows]]\nname = "flow {k}"\ncontrol = "cubic"\n' for k in range(24))
    queue = 'queue = { name = "droptail" }'
    bottleneck = f'bottleneck = {{ rate = "5 Mbit/s", delay = "20 ms", {queue} }}'
    links = bottleneck + '\naccess = { rate = "100 Mbit/s", delay = "5 ms" }'
    limits = ", ".join(f'"{10 * k} packets"' for k in range(1, 14))
    swept = f'[sweep]\n"dumbbell.bottleneck.queue.limit" = [{limits}]\n'
    page = report(f'duration = "60 s"\n[dumbbell]\n{links}\n{flows}{swept}')
    assert page.count("data-packed") > 30
    assert 'id="plotly-packed"' in page
    assert ('id="module"' in page) == MODULE.exists()
    assert len(page.encode()) < 5e6


def test_rates_of_a_sweep_are_in_mbit_per_second() -> None:
    rates = '"dumbbell.bottleneck.rate" = ["5 Mbit/s", "20 Mbit/s"]'
    limits = '"dumbbell.bottleneck.queue.limit" = ["10 packets", "40 packets"]'
    scenario = Scenario.from_text(f"{DUEL}\n[sweep]\n{limits}\n{rates}\n", {"duration": "1 s"})
    figure = scenario.run_many().plot("fairness").plotly()
    assert figure.data[0].x == (5, 20)
    assert figure.layout.xaxis.title.text == "Bottleneck rate (Mbit/s)"


def test_goodput_over_time_is_that_of_the_run() -> None:
    run = Scenario.from_text(DUEL, {"duration": "6 s"}).run()
    figures = {figure.title: figure for figure in scenario_figures.figures_of(run, "x")}
    assert list(figures) == ["Congestion window", "Goodput", "Round-trip time", "Queue"]
    goodput = figures["Goodput"]
    assert goodput.overlaid
    assert goodput.stackable
    samples = run.series.filter(name="one").height
    each = samples // scenario_figures.STRETCHES
    assert each > 1, "otherwise nothing is averaged"
    assert f"the mean over {1000 * each * 6 / samples:.2g}" in goodput.caption
    for panel, expected in zip(goodput.drawing["panels"], run.flows["goodput_bps"], strict=True):
        (curve,) = panel["curves"]
        assert len(curve["y"]) == samples // each
        # The mean of means of equal stretches is the mean. A flow that starts later has no sample before that.
        mean = np.mean([value for value in curve["y"] if value is not None])
        assert mean == pytest.approx(expected / 1e6, rel=0.05)


def test_more_flows_than_fit_say_how_many_are_left_out() -> None:
    run = Scenario.from_text(DUEL, {"flows.one.count": 20, "duration": "1 s"}).run()
    window = scenario_figures.figures_of(run, "x")[0]
    assert window.panels == scenario_figures.MOST_CURVES
    assert window.missing == ["9 of 21 flows"]


def invoke(tmp_path: Path, *arguments: str, stdin: str | None = None) -> str:
    result = CliRunner().invoke(app, ["run", *arguments, "--out", str(tmp_path)], input=stdin)
    assert result.exit_code == 0, result.output
    return result.output


def test_the_command_line_reads_standard_input_and_sets_values(tmp_path: Path) -> None:
    settings = ["--set", "flows.two.control=bbrv3", "--set", "dumbbell.bottleneck.rate=20 Mbit/s"]
    out = invoke(tmp_path, "-", "--html", "--duration", "1 s", *settings, stdin=DUEL)
    assert "bbrv3" in out
    assert "standard-input.html" in out
    page = (tmp_path / "standard-input.html").read_text(encoding="utf-8")
    assert "<code>bbrv3</code>" in page
    assert "dumbbell.bottleneck.rate = &#34;20 Mbit/s&#34;" in page


def test_the_same_runs_give_the_same_page(tmp_path: Path) -> None:
    file = tmp_path / "duel.toml"
    file.write_text(DUEL, encoding="utf-8")
    invoke(tmp_path, str(file), "--html")
    first = (tmp_path / "duel.html").read_bytes()
    invoke(tmp_path, str(file), "--html")
    assert (tmp_path / "duel.html").read_bytes() == first
