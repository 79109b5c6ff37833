"""Completion times of transfers: on the terminal, in summaries and tables, as a distribution."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from conftest import Command

import ackclock
from ackclock import InputError, Scenario
from ackclock._summary import class_name, class_words
from ackclock.report.scenario_page import Origin, render
from ackclock.report.sweep_view import figures_of, views_of

# A SYN and its answer take 40.053 ms, a packet of 1500 B and its acknowledgement 41.027 ms: 81.080 ms.
ONE_PACKET_S = 0.081_080
TRANSFERS = """
name = "Small and large"
duration = "10 s"

[[links]]
between = ["a", "b"]
rate = "12 Mbit/s"
delay = "20 ms"

[[flows]]
name = "mice"
from = "a"
to = "b"
control = "newreno"
application = { name = "transfers", sizes = "sizes", count = 40, every = "200 ms" }

[observe]
transfers = true
size_classes = ["1448 B", "14480 B"]

[files.sizes]
text = "1448 50\\n14480 100\\n"
"""


def test_classes_of_sizes_have_names() -> None:
    ends = [(0, 100_000), (100_000, 10_000_000), (10_000_000, None), (0, 1448), (0, None)]
    names = [class_name({"above_bytes": above, "up_to_bytes": up_to}) for above, up_to in ends]
    assert names == ["up_to_100kB", "100kB_to_10MB", "above_10MB", "up_to_1448B", "all"]
    assert class_words("100kB_to_10MB") == "100 kB to 10 MB"


def test_the_summary_has_the_percentiles_of_each_class() -> None:
    (point,) = Scenario.from_text(TRANSFERS).run_many(replications=2).summaries()
    whole, small = "groups.mice.completion", "size_classes.mice.up_to_1448B.completion"
    for quantile in ("p50", "p95", "p99"):
        # The histogram of a flow has bins; a class is exact.
        assert point.values[f"{small}_{quantile}_s"].mean == pytest.approx(ONE_PACKET_S, abs=2e-6)
        assert point.values[f"{whole}_{quantile}_s"].mean is not None
    begun = [
        point.values[f"size_classes.mice.{name}.transfers"].mean
        for name in ("up_to_1448B", "1448B_to_14480B", "above_14480B")
    ]
    assert sum(filter(None, begun)) == 40
    assert begun[2] == 0


def test_a_transfer_says_how_often_it_sent_again() -> None:
    lossy = TRANSFERS.replace(
        'delay = "20 ms"', 'delay = "20 ms"\nloss = { name = "independent", probability = 0.05 }'
    )
    runs = Scenario.from_text(lossy).run_many([1, 2])
    for run in runs:
        retransmitted = run.transfers["retransmitted_packets"].sum()
        assert retransmitted == run.flows["retransmitted_packets"][0]
        assert retransmitted > 0
    assert runs.transfers.columns == [
        "seed",
        "flow",
        "size_bytes",
        "start_s",
        "completion_s",
        "retransmitted_packets",
    ]


def test_the_distribution_counts_the_transfers_that_were_never_complete() -> None:
    # The last of four begins 41 ms before the end, before its SYN is answered and its packet acknowledged.
    text = TRANSFERS.replace('count = 40, every = "200 ms"', 'count = 4, every = "1653 ms", start = "5 s"')
    text = (
        text.replace('sizes = "sizes"', 'size = "1448 B"').replace('start = "5 s"', "").replace(", }", " }")
    )
    runs = Scenario.from_text(text, {"duration": "5 s"}).run_many([1])
    table = runs.plot_completions().frame
    assert table.columns == ["curve", "Completion time (s)", "Share of transfers"]
    assert table["curve"].unique().to_list() == ["up to 1448 B, n = 4"]
    steps = runs.plot_completions()
    assert all(curve.data["steps"] for panel in steps.chart.panels for curve in panel.curves)
    assert {trace.line.shape for trace in steps.plotly().data} == {"hv"}
    assert table["Share of transfers"].to_list() == [0.25, 0.5, 0.75]
    assert table["Completion time (s)"].to_list() == pytest.approx([ONE_PACKET_S] * 3, abs=2e-6)


def test_curves_are_in_the_order_of_the_classes_whichever_began_first() -> None:
    run = Scenario.from_text(TRANSFERS.replace("1448 50", "1448 10")).run_many([1])
    assert run.transfers["size_bytes"][0] > 1448
    labels = [entry.label.partition(", n = ")[0] for entry in run.plot_completions().chart.entries]
    assert labels == ["up to 1448 B", "1448 B to 14480 B"]


def test_a_sweep_has_a_panel_for_each_class_and_a_curve_for_each_point() -> None:
    text = TRANSFERS + '\n[sweep]\n"flows.mice.control" = ["newreno", "cubic"]\n'
    runs = Scenario.from_text(text).run_many([1])
    chart = runs.plot_completions().chart
    assert [panel.title for panel in chart.panels] == ["up to 1448 B", "1448 B to 14480 B"]
    assert [entry.label for entry in chart.entries] == ["newreno", "cubic"]
    assert chart.legend == "mice control"
    assert len(runs.plot_completions().plotly().data) == 4
    assert "Completion times of transfers" in [figure.chart.title for figure in ackclock.figures(runs)]


def test_a_page_says_how_many_points_of_a_sweep_it_leaves_out() -> None:
    captions = {}
    for count in (12, 13):
        text = f'{TRANSFERS}\n[sweep]\n"flows.mice.application.count" = {list(range(20, 20 + count))}\n'
        (figure,) = [
            one for one in views_of(Scenario.from_text(text).run_many([1])) if "ompletion" in one.title
        ]
        captions[count] = figure.caption
    assert "Drawn" not in captions[12]
    assert captions[13].endswith("Drawn: the first 12 of 13 points of the sweep.")


def test_a_figure_of_single_runs_claims_no_intervals() -> None:
    text = TRANSFERS + '\n[sweep]\n"flows.mice.control" = ["newreno", "cubic"]\n'
    for seeds, words in ([1], "without confidence intervals"), ([1, 2], "with 95 % confidence intervals"):
        figures = figures_of(Scenario.from_text(text).run_many(seeds))
        assert figures
        assert all(words in one.caption for one in figures)


def test_the_p99_of_few_transfers_is_called_the_longest(ackclock: Command, tmp_path: Path) -> None:
    path = tmp_path / "mice.toml"
    path.write_text(TRANSFERS)
    # A summary of 40 transfers, and one of 120.
    for count, told in ((40, True), (120, False)):
        outcome = ackclock(
            "run",
            path,
            "--replications",
            "2",
            "--set",
            f"flows.mice.application.count={count}",
            "--set",
            "flows.mice.application.every=50 ms",
            "--set",
            "observe.size_classes=[]",
        )
        assert outcome.code == 0, outcome.err
        assert (
            "fewer than 100 transfers in a run, so the p99 is the longest completion time: mice"
            in outcome.out
        ) == told
    assert "per run" in outcome.out


def test_without_transfers_there_is_nothing_to_draw() -> None:
    text, _, rest = TRANSFERS.partition("[observe]")
    runs = Scenario.from_text(text + rest[rest.index("[files") :]).run_many([1])
    with pytest.raises(InputError, match="transfers = true"):
        runs.plot_completions()


def test_the_terminal_the_page_and_the_files_have_them(ackclock: Command, tmp_path: Path) -> None:
    path = tmp_path / "mice.toml"
    path.write_text(TRANSFERS)
    outcome = ackclock("run", path, "--out", "results")
    lines = outcome.out.splitlines()
    (row,) = [line.split() for line in lines if line.startswith("mice, up to 1448 B")]
    assert row[-4:] == ["81.08"] * 4
    found = pl.read_parquet(tmp_path / "results/transfers.parquet")
    assert len(found) == 40
    assert (tmp_path / "results/transfers.csv").exists()
    assert "mice, up to 1448 B" in ackclock("run", path, "--replications", "2").out
    page = render(
        Scenario.from_text(TRANSFERS).run_many([1]), Origin("ackclock run mice.toml", TRANSFERS, {})
    )
    assert "<caption>Completion times</caption>" in page
    assert "Completion times of transfers" in page
