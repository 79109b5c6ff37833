"""Figures of sweeps as files for a paper: no text is cut, and none covers another, measured in the drawn file."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from conftest import SCENARIO, replaced

from ackclock import Figure, Scenario
from ackclock.errors import InputError
from ackclock.run import Runs

from .svg_texts import placed, size

TWO = (
    replaced(SCENARIO, ('duration = "5 s"', 'duration = "0.5 s"'))
    + '\n[[flows]]\nname = "a-group-with-a-long-name"\ncontrol = "cubic"\n'
)
LIMIT = '"dumbbell.bottleneck.queue.limit" = ["5 packets", "10 packets", "20 packets", "40 packets", "80 packets"]\n'
CONTROL = '"flows.tcp.control" = ["newreno", "cubic", "bbrv3", "vegas"]\n'
RATE = '"dumbbell.bottleneck.rate" = ["1 Mbit/s", "2 Mbit/s", "50 Mbit/s"]\n'
DELAY = '"dumbbell.bottleneck.delay" = ["1 ms", "2 ms", "5 ms", "10 ms", "20 ms"]\n'
QUEUE = """"dumbbell.bottleneck.queue" = [{ name = "droptail", limit = "20 packets" },
    { name = "fq-codel", limit = "0.5 bdp" }, { name = "fq-codel", limit = "2 bdp" }, "red"]\n"""

_MADE: dict[str, Runs] = {}


def runs(paths: str) -> Runs:
    if paths not in _MADE:
        _MADE[paths] = Scenario.from_text(f"{TWO}\n[sweep]\n{paths}").run_many(replications=2)
    return _MADE[paths]


def uncut(figure: Figure, path: Path, width_in: float | None = None) -> list[str]:
    """The texts of the figure's file, of which none is cut and none covers another."""
    svg = figure.save(path, width_in=width_in).read_text()
    width, height = size(svg)
    texts = placed(svg)
    for one in texts:
        left, top, right, bottom = one.box
        assert left >= 0, one.text
        assert top >= 0, one.text
        assert right <= width, one.text
        assert bottom <= height, one.text
    for one, other in combinations(texts, 2):
        assert not one.covers(other), f"{one.text!r} and {other.text!r}"
    return [one.text for one in texts]


@pytest.mark.slow
@pytest.mark.parametrize(
    "paths",
    [
        LIMIT,
        CONTROL,
        QUEUE,
        LIMIT + CONTROL,
        LIMIT + DELAY,
        QUEUE + CONTROL,
        LIMIT + CONTROL + RATE,
        LIMIT + DELAY + RATE,
    ],
    ids=["numbers", "words", "tables", "both", "numbers-2", "words-2", "three", "numbers-3"],
)
@pytest.mark.parametrize("width_in", [None, 3.5])
@pytest.mark.parametrize(
    "metrics", [None, ["goodput_bps [Mbit/s]", "rtt_p95_s [ms]", "fairness"]], ids=["one", "three"]
)
def test_no_text_is_cut_or_covered(
    tmp_path: Path, paths: str, metrics: list[str] | None, width_in: float | None
) -> None:
    if metrics and paths.count("\n") == 3 and CONTROL not in paths:
        pytest.skip("45 panels are refused")
    figure = runs(paths).plot(metrics)
    if width_in == 3.5 and figure.chart.across > 3:
        pytest.skip("more than three panels side by side are for the width of a page")
    found = uncut(figure, tmp_path / "x.svg", width_in)
    assert any("Goodput" in text for text in found)


def test_every_metric_and_every_group_is_drawn(tmp_path: Path) -> None:
    figure = runs(LIMIT + CONTROL).plot(["goodput_bps", "rtt_mean_s"])
    drawn = {(panel.title, panel.y.label) for panel in figure.chart.panels}
    assert drawn == {
        (group, label)
        for group in ("tcp", "a-group-with-a-long-name")
        for label in ("Goodput per flow (kbit/s)", "Mean round-trip time per flow (s)")
    }
    found = uncut(figure, tmp_path / "x.svg")
    # A column names its group once, and the legend every control.
    assert found.count("tcp") == 1
    assert {"newreno", "cubic", "bbrv3", "vegas", "tcp control"} <= set(found)


def test_each_column_names_its_metric(tmp_path: Path) -> None:
    figure = runs(LIMIT).plot(["goodput_bps [Mbit/s]", "rtt_p95_s [ms]"], rows="group", columns="metric")
    found = " ".join(uncut(figure, tmp_path / "x.svg", 7.16))
    assert found.count("(Mbit/s)") == found.count("(ms)") == 2
    titles = [axis.title.text for axis in figure.plotly().select_yaxes()]
    assert [title and title.partition(" (")[2] for title in titles] == ["Mbit/s)", "ms)"] * 2


def test_no_marker_is_at_the_upper_edge() -> None:
    from ackclock.report.printed import drawn

    figure = drawn(runs(LIMIT).plot("links.bottleneck.queue_mean_packets").chart, 3.5)
    for ax in figure.axes:
        highest = max(float(max(line.get_ydata())) for line in ax.get_lines() if len(line.get_ydata()))
        assert ax.get_ylim()[1] >= 1.1 * highest


def test_words_are_labelled_by_what_differs(tmp_path: Path) -> None:
    found = " ".join(uncut(runs(QUEUE).plot("fairness"), tmp_path / "x.svg", 7.16))
    for label in ("droptail, 20 packets", "fq-codel, 0.5 bdp", "fq-codel, 2 bdp", "red"):
        assert label in found


def test_a_heat_map_has_its_intervals_in_the_squares(tmp_path: Path) -> None:
    figure = runs(LIMIT + DELAY).plot("fairness")
    assert "z" in figure.chart.panels[0].curves[0].data
    found = uncut(figure, tmp_path / "x.svg")
    assert sum(text.startswith("±") for text in found) == 25


def test_points_over_one_word_lie_beside_each_other(tmp_path: Path) -> None:
    import re

    svg = runs(QUEUE + CONTROL).plot("fairness").save(tmp_path / "x.svg").read_text()
    # Each of the four controls has its own place over each of the four queues.
    places = {use[:6] for use in re.findall(r'<use xlink:href="#m\w+" x="([\d.]+)"', svg)}
    assert len(places) >= 16


def test_the_widths_of_a_paper_have_names(tmp_path: Path) -> None:
    figure = runs(LIMIT).plot("fairness")
    assert size(figure.save(tmp_path / "x.svg").read_text())[0] == 252
    assert size(figure.save(tmp_path / "x.svg", width_in="page").read_text())[0] == pytest.approx(515.52)
    with pytest.raises(InputError, match=r'width_in: found "pages", expected .*; did you mean "page"'):
        figure.save(tmp_path / "x.svg", width_in="pages")  # type: ignore[arg-type]  # it is wrong
    wide = runs(LIMIT + CONTROL + RATE).plot("fairness")
    assert wide.chart.across == 3
    assert size(wide.save(tmp_path / "x.svg").read_text())[0] == pytest.approx(515.52)


def test_a_legend_of_labels_wider_than_the_figure_is_wrapped(tmp_path: Path) -> None:
    flow = {"control": "cubic", "transport": {"name": "rfc", "delayed_ack": False, "min_rto": "1 s"}}
    whole = [[{**flow, "name": f"a-flow-with-a-long-name-{n}", "count": n}, flow] for n in (1, 2)]
    document = {
        "duration": "1 s",
        "links": [{"between": ["a", "b"], "rate": "10 Mbit/s", "delay": "10 ms"}],
        "flows": [{"control": "cubic", "from": "a", "to": "b"}],
        "sweep": {
            "links.0.queue": [{"name": "droptail", "limit": f"{n} packets"} for n in (10, 20)],
            "flows": [[{**one, "from": "a", "to": "b"} for one in points] for points in whole],
        },
    }
    figure = Scenario.from_dict(document).run_many([1]).plot("utilisation")
    svg = figure.save(tmp_path / "x.svg").read_text()
    assert "a-flow-with-a-long-name-1" in svg.replace("\n", "")
