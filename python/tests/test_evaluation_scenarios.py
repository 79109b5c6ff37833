"""The scenarios of an evaluation, and the criteria of RFC 9743 that they are for."""

from __future__ import annotations

from itertools import pairwise

import pytest

from ackclock.evaluation import contenders, files, rfc, run
from ackclock.evaluation.language import Criterion, Grid


def test_the_criteria_have_the_order_of_the_rfc() -> None:
    sections = [tuple(map(int, family.section.split("."))) for family in rfc.FAMILIES]
    assert sections == sorted(sections)
    assert len({family.id for family in rfc.FAMILIES}) == 25


def test_every_criterion_has_scenarios_or_a_reason() -> None:
    have = {files.load(name).about.family for name in files.names()}
    for family in rfc.FAMILIES:
        assert (family.id in have) != bool(family.not_evaluated or family.id == "N-10"), family.id


@pytest.mark.parametrize("name", files.names())
def test_a_scenario_of_the_package_is_right_in_full(name: str) -> None:
    loaded = files.load(name)
    plan = run.Plan(
        contenders.contender("bbrv3", {"transport": {"name": "rfc", "ecn": True}}),
        [contenders.contender("cubic")],
        [loaded],
        quick=False,
        seeds=1,
    )
    assert len(plan.runs) >= len(list(loaded.about.settings(quick=False)))


def test_the_quick_settings_are_among_the_full_ones() -> None:
    for name in files.names():
        about = files.load(name).about
        full = {setting.name for setting in about.settings(quick=False)}
        # The grid's quick buffers are others than the full ones.
        if about.grid is None:
            assert {setting.name for setting in about.settings(quick=True)} <= full, name


@pytest.mark.parametrize("name", ["N-05", "N-09-long", "N-09-short"])
def test_short_flows_offer_the_load_that_is_said(name: str) -> None:
    about = files.load(name).about
    lines = about.scenario["files"]["sizes.txt"]["text"].split("\n")
    steps = [tuple(map(float, line.split())) for line in lines if line]
    # Sizes are spread evenly between two lines.
    mean = sum((b[1] - a[1]) * (a[0] + b[0]) / 2 for a, b in pairwise(steps))
    assert mean == pytest.approx(81, abs=0.5)
    for point in about.axes[0].all_points():
        every_ms = float(point.set["flows.short.application.every"].removesuffix(" ms"))
        assert 8 * mean / every_ms / 50 == pytest.approx(float(point.name), rel=0.02)


def test_the_grid_has_125_paths_whose_buffers_hold_ten_packets() -> None:
    cells = list(Grid().cells(quick=False))
    assert len(cells) == 125
    assert len(list(Grid().cells(quick=True))) == 12
    limits = {cell.name: cell.overrides["dumbbell.bottleneck.queue.limit"] for cell in cells}
    assert limits["rate 1 Mbit/s, round trip 5 ms, buffer 8 BDP"] == "10 packets"
    # 50 Mbit/s times 50 ms are 312500 bytes.
    assert limits["rate 50 Mbit/s, round trip 50 ms, buffer 1 BDP"] == "209 packets"


def test_a_criterion_says_something() -> None:
    with pytest.raises(ValueError, match="no condition"):
        Criterion(metric="m", text="so")
    with pytest.raises(ValueError, match="belong together"):
        Criterion(metric="m", text="so", low=1, measure="change")
