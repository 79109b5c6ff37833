"""The scenarios of an evaluation, and the criteria of RFC 9743 that they are for."""

from __future__ import annotations

from itertools import pairwise

import pytest

from ackclock import _typed_core as core
from ackclock._overrides import merge
from ackclock.evaluation import contenders, files, rfc, run
from ackclock.evaluation.language import OF_WINDOW, WINDOW, Grid


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


def test_the_grid_has_paths_whose_buffers_hold_ten_packets() -> None:
    cells = list(Grid().cells(quick=False))
    limits = {cell.name: cell.overrides["dumbbell.bottleneck.queue.limit"] for cell in cells}
    # Of 125 paths those are alike, but for the first, whose buffers would have fewer than ten packets: a product of
    # 1 Mbit/s and 5, 20, 50, 100 and 200 ms is 0.4, 1.7, 4.2, 8.3 and 16.7 packets, of 10 Mbit/s and 5 and 20 ms
    # 4.2 and 16.7. Five, four, four, three, two, four and two buffers of the five are too short.
    assert len(limits) == 125 - (4 + 3 + 3 + 2 + 1 + 3 + 1)
    assert len(list(Grid().cells(quick=True))) == 12
    assert limits["rate 1 Mbit/s, round trip 5 ms, buffer 10 packets"] == "10 packets"
    assert limits["rate 1 Mbit/s, round trip 20 ms, buffer 8 BDP"] == "14 packets"
    # 50 Mbit/s times 50 ms are 312500 bytes.
    assert limits["rate 50 Mbit/s, round trip 50 ms, buffer 1 BDP"] == "209 packets"


def test_no_receive_window_limits_the_grid() -> None:
    for name in ("N-07-grid", "N-12"):
        loaded = files.load(name)
        for setting in loaded.about.settings(quick=False):
            # A product of 1000 Mbit/s and 200 ms is 16667 packets, and 8 of them fit into the longest buffer.
            path = setting.overrides["dumbbell.bottleneck.rate"], setting.overrides["dumbbell.rtt"]
            needed = float(path[0].split()[0]) * float(path[1].split()[0]) / 12
            needed += float(setting.overrides["dumbbell.bottleneck.queue.limit"].split()[0])
            assert float(setting.overrides.get(OF_WINDOW, f"{WINDOW} packets").split()[0]) >= needed, (
                setting.name
            )
    (default,) = [
        one["default"]
        for entry in core.registry()
        if (entry["kind"], entry["name"]) == ("transport", "rfc")
        for one in entry["parameters"]
        if one["name"] == "window"
    ]
    assert default == f"{WINDOW} packets"
    # All flows have it, also those over a QUIC stack.
    names = [one["name"] for one in files.load("N-07-grid").about.scenario["flows"]]
    window = {OF_WINDOW: "20000 packets"}
    windows = {f"flows.{name}.transport.window": "20000 packets" for name in names}
    about = files.load("N-07-grid").about
    assert windows.items() <= contenders.contender("cubic").seated(about, window).items()
    over_noq = contenders.contender("noq:bbr3", {"transport": {"name": "noq"}}).seated(about, window)
    assert windows.items() <= over_noq.items()
    own = contenders.contender("cubic", {"transport": {"name": "rfc", "window": "9 packets"}})
    assert own.seated(about, window)["flows.tested.transport.window"] == "9 packets"


def test_a_window_of_the_grid_is_used_by_a_run() -> None:
    """A flow at 1 Gbit/s and 200 ms with 10,000 packets in flight has 10,000 x 1448 B / 0.2 s = 579 Mbit/s at most."""
    loaded = files.load("N-12")
    (setting,) = [
        one
        for one in loaded.about.settings(quick=False)
        if one.name == "rate 1000 Mbit/s, round trip 200 ms, buffer 8 BDP"
    ]
    overrides = contenders.contender("cubic").seated(loaded.about, setting.overrides)
    short = {"duration": "6 s", "warmup": "3 s"}
    made = core.make(loaded.scenario.text, loaded.scenario.file, merge(overrides, short), 1, False).result()
    assert made["flows"][0]["goodput_bps"] > 0.6e9
