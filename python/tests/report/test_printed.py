"""Figures as files, without a browser: what they are, that a paper can take them, and the table of their numbers."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import ackclock
from ackclock import Figure, InputError, Scenario
from ackclock.figure import save_all
from ackclock.report.chart import COLOURS

from .synthetic import DUEL, sweep_study, table_study, trade_off_study

STARTS = {"pdf": b"%PDF", "svg": b"<?xml", "png": b"\x89PNG"}


def by_name() -> dict[str, Figure]:
    return {
        figure.name: figure
        for study in (table_study(), sweep_study(), trade_off_study())
        for figure in ackclock.figures(study)
    }


def test_all_figures_of_a_study_have_a_name_dot_plots_included() -> None:
    assert [figure.name for figure in ackclock.figures(table_study())] == [
        f"synthetic-table-1-{name}"
        for name in ("queue", "window", "flow", "loss", "rtt", "jitter", "utilisation", "fairness")
    ]


def test_a_metric_and_a_figure_of_one_id_are_two_files(tmp_path: Path) -> None:
    study = table_study()
    first = study.figures[0].model_copy(update={"id": "loss"})
    figures = ackclock.figures(replace(study, figures=(first, *study.figures[1:])))
    names = [figure.name for figure in figures]
    assert {"synthetic-table-1-loss", "synthetic-table-1-loss-means"} <= set(names)
    assert len(set(save_all(figures, tmp_path, ["csv"]))) == len(figures) == len([*tmp_path.glob("*.csv")])


@pytest.mark.parametrize("name", ["table-1-flow", "table-1-rtt", "figure-2-loss", "figure-3-plane"])
@pytest.mark.parametrize("format", STARTS)
def test_every_kind_is_written_in_every_format(tmp_path: Path, name: str, format: str) -> None:
    figure = by_name()[f"synthetic-{name}"]
    path = figure.save(tmp_path / "new" / f"x.{format}")
    assert path.read_bytes().startswith(STARTS[format])
    assert by_name()[figure.name].save(tmp_path / f"again.{format}").read_bytes() == path.read_bytes()


def test_a_paper_gets_its_width_and_fonts_that_it_may_embed(tmp_path: Path) -> None:
    content = by_name()["synthetic-figure-2-loss"].save(tmp_path / "x.pdf").read_bytes()
    # 3.5 inches are 252 points.
    assert re.search(rb"/MediaBox \[ 0 0 252 ", content)
    assert b"/Subtype /Type3" not in content
    assert b"/FontFile2" in content
    wide = by_name()["synthetic-figure-2-loss"].save(tmp_path / "wide.pdf", width_in=7).read_bytes()
    assert re.search(rb"/MediaBox \[ 0 0 504 ", wide)
    for wrong in (0, -1.0, float("nan"), "half"):
        with pytest.raises(InputError, match=f"width_in: found .?{wrong}.*, expected a"):
            by_name()["synthetic-figure-2-loss"].save(tmp_path / "x.pdf", width_in=wrong)
    assert not [*tmp_path.glob("*.tmp")]


def test_no_colour_vanishes_in_print() -> None:
    """At least 3:1 against white paper (WCAG 2.2, 1.4.11); the style sheet's own colours are held elsewhere."""
    for colour in COLOURS:
        channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        assert 1.05 / (luminance + 0.05) >= 3


def test_texts_of_an_svg_are_texts(tmp_path: Path) -> None:
    svg = by_name()["synthetic-table-1-rtt"].save(tmp_path / "x.svg").read_text()
    for text in ("Mean RTT (s)", "Alpha, 25 flows", "measured, 95 % interval", "published"):
        assert f">{text}</text>" in svg


def test_the_table_names_its_columns_after_the_axes_with_their_units() -> None:
    table = by_name()["synthetic-figure-2-loss"].frame
    assert table.columns == [
        "curve",
        "Number of connections",
        "Packet loss (%)",
        "Packet loss (%), low end of the 95 % interval",
        "Packet loss (%), high end of the 95 % interval",
        "Packet loss (%), published",
    ]
    # Three curves over eight loads, and a level.
    assert len(table) == 25
    beta = table.filter(pl.col("curve") == "Beta", pl.col("Number of connections") == 20)
    value = sweep_study().case("beta[20]").values["loss"]
    assert beta["Packet loss (%)"][0] == pytest.approx(value.mean, rel=1e-4)
    assert beta["Packet loss (%), published"][0] == value.paper


def test_quantities_over_time_have_a_column_each() -> None:
    table = by_name()["synthetic-table-1-flow"].frame
    assert table.columns == [
        "curve",
        "Time (s)",
        "Congestion window (packets)",
        "Round-trip time (s)",
        "Goodput (Mbit/s)",
    ]
    assert len(table) == 3 * 2000


def test_a_dot_plot_has_a_row_for_each_case() -> None:
    table = by_name()["synthetic-table-1-loss"].frame
    assert table["Case"].to_list()[:2] == ["Alpha, 5 flows", "Beta, 5 flows"]
    assert table["Packet loss (%), published"].to_list()[:3] == [0.0, 1.3, 0.0]


def test_a_trade_off_says_where_each_point_lies() -> None:
    table = by_name()["synthetic-figure-3-plane"].frame
    gamma = table.filter(pl.col("curve") == "Gamma")
    assert gamma["Buffer (packets)"].to_list() == ["20", "50"]
    assert gamma["Number of connections"].to_list() == [None, None]


def test_csv_is_the_table(tmp_path: Path) -> None:
    figure = by_name()["synthetic-table-1-rtt"]
    assert pl.read_csv(figure.save(tmp_path / "x.csv")).equals(figure.frame, null_equal=True)


def test_a_run_and_a_sweep_have_figures(tmp_path: Path) -> None:
    text = f'{DUEL}\n[sweep]\n"dumbbell.bottleneck.queue.limit" = ["10 packets", "40 packets"]\n'
    runs = Scenario.from_text(text, {"duration": "1 s"}).run_many([1], series=True)
    names = [figure.name for figure in ackclock.figures(runs[0])]
    assert names[0].endswith("-cwnd_packets")
    for figure in (*ackclock.figures(runs), runs.plot("fairness")):
        assert figure.save(tmp_path / "x.pdf").read_bytes().startswith(b"%PDF")
    assert runs.plot("fairness").frame.columns[:3] == ["curve", "Limit (packets)", "Fairness"]


def test_an_unknown_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"x\.docx: expected a file name that ends in one of \.pdf"):
        by_name()["synthetic-table-1-rtt"].save(tmp_path / "x.docx")


def test_without_matplotlib_the_way_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    figure = by_name()["synthetic-table-1-rtt"]
    with pytest.raises(InputError, match="-m pip install matplotlib"):
        figure.save(tmp_path / "x.pdf")
    # A table needs none.
    assert figure.save(tmp_path / "x.csv").exists()
