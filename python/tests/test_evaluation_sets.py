"""The sets of scenarios beside those for RFC 9743: their files, their numbers, and short runs of each."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from conftest import Command

from ackclock import _typed_core as core
from ackclock._overrides import merge
from ackclock.errors import InputError
from ackclock.evaluation import contenders, files, run, sets
from ackclock.evaluation.words import NOT_EVALUATED

NAMES = files.names_of_sets()
PAYLOAD = 1448 / 1500
"""The share of payload in a full packet of TCP."""
PRODUCT = 100e6 * 0.1 / 12000
"""Of 100 Mbit/s and 100 ms, in packets."""

WHOLE = (
    "picoquic",
    "common-tcp-ramp-up",
    "common-tcp-transients",
    "teacup-staggered",
    "flent-tcp-4up-squarewave",
)
"""The scenarios whose metrics name times, so that they are run in their length."""
SLOWER: Mapping[str, Mapping[str, Any]] = {
    "common-tcp-transients": {
        "dumbbell.bottleneck.rate": "5 Mbit/s",
        "flows.crossing.application.rate": "125 kbit/s",
    },
    "common-tcp-trans-oceanic": {"duration": "3 s", "warmup": "1 s"},
    "common-tcp-data-center": {"duration": "1 s", "warmup": "0 s"},
    "common-tcp-dial-up": {"duration": "900 s", "warmup": "100 s"},
}


def measured(name: str) -> dict[str, float]:
    """The metrics of a short run of the first quick setting, with CUBIC."""
    loaded = files.load(name)
    setting = next(iter(loaded.about.settings(quick=True)))
    short = {} if name.startswith(WHOLE) else {"duration": "12 s", "warmup": "6 s"}
    seated = contenders.contender("cubic").seated(loaded.about, setting.overrides)
    overrides = merge(seated, short, SLOWER.get(name, {}))
    made = core.make(loaded.scenario.text, loaded.scenario.file, overrides, 1, loaded.needs_series)
    return run._measured(loaded, made.result())


@pytest.mark.parametrize("name", NAMES)
def test_a_scenario_of_a_set_is_right_in_full_and_says_where_it_is_from(name: str) -> None:
    loaded = files.load(name)
    more = {"transport": {"name": "quic", "ecn": True}} if loaded.about.marks else {}
    plan = run.Plan(
        contenders.contender("bbrv3", more),
        [contenders.contender("cubic", more)],
        [loaded],
        quick=False,
        seeds=1,
    )
    assert len(plan.runs) >= len(list(loaded.about.settings(quick=False)))
    assert loaded.about.source.lstrip().startswith(
        ("Read in the source: ", "From picoquic's source code: ", "Taken from notes")
    )
    assert sets.of_scenario(name).id == loaded.about.family
    # Only picoquic states targets.
    if loaded.about.family != "picoquic":
        assert loaded.about.criteria == []


@pytest.mark.parametrize("name", NAMES)
def test_a_scenario_of_a_set_gives_numbers_within_what_its_path_allows(name: str) -> None:
    found = measured(name)
    bounds = {
        "utilisation": (0, 100.001),
        "throughput": (0, 100.001),
        "drops": (0, 60),
        # Flent's and TEACUP's paths have 20 ms at least, and 10 Mbit/s at most, in their quick form.
        "latency": (10 if name == "flent-rtt-fair4be" else 20, 2500),
        "latency_ef": (20, 2500),
        "down": (0, 10 * PAYLOAD),
        "up": (0, 10 * PAYLOAD),
        "goodput": (0.01, 10 * PAYLOAD),
        "jain": (0.1, 1.0),
        "rtt": (50, 2000),
        # 4 MB at 10 or 20 Mbit/s, and 20 MB at 50 Mbit/s.
        "time": (1.6, 60),
    }
    known = {metric: value for metric, value in found.items() if metric in bounds}
    for metric, value in known.items():
        low, high = bounds[metric]
        assert low <= value <= high * 1.001, (metric, value)
    assert any(math.isfinite(value) for value in found.values()), found


def test_the_loads_of_the_common_suite_are_those_that_are_said() -> None:
    loaded = [(name, files.load(name).about) for name in files.of_set("common-tcp")]
    of_load = [(name, about, axis) for name, about in loaded for axis in about.axes if axis.name == "load"]
    assert len(of_load) == 7
    for name, about, axis in of_load:
        mean = _mean_size(about.scenario["files"]["sizes.txt"]["text"])
        for point in axis.all_points():
            every = {path.split(".")[1]: _seconds(value) for path, value in point.set.items()}
            for flow in about.scenario["flows"]:
                every.setdefault(flow["name"], _seconds(flow["application"]["every"]))
            load = {flow: 8e3 * mean / PAYLOAD / time for flow, time in every.items()}
            wanted = float(point.name.removesuffix(" %")) / 100
            rate = _rate(about.scenario)
            if "left-1" in load:
                assert sum(load[f"left-{k}"] for k in (1, 2, 3)) / rate == pytest.approx(wanted, rel=0.01)
                back = rate / 10 if "geostationary" in name else rate
                assert load["back"] / back == pytest.approx(0.4 * wanted, rel=0.01)
            elif "long" in load:
                # Each hop has the traffic of two paths.
                assert (load["long"] + load["second"]) / rate == pytest.approx(wanted, rel=0.01)
            else:
                assert sum(load.values()) / rate == pytest.approx(wanted, rel=0.01)


@pytest.mark.parametrize("name", ["common-tcp-ramp-up", "common-tcp-fairness"])
def test_the_background_of_the_common_suite_is_half_of_the_rate(name: str) -> None:
    scenario = files.load(name).about.scenario
    mean = _mean_size(scenario["files"]["sizes.txt"]["text"])
    (background,) = [one for one in scenario["flows"] if one["name"] == "background"]
    load = 8e3 * mean / PAYLOAD / _seconds(background["application"]["every"])
    assert load / _rate(scenario) == pytest.approx(0.5, rel=0.01)


def test_the_buffers_of_the_common_suite_are_shares_of_a_product() -> None:
    for name, product in (("common-tcp-buffers", PRODUCT), ("common-tcp-fairness", PRODUCT / 10)):
        (axis,) = [axis for axis in files.load(name).about.axes if axis.name == "buffer"]
        for point in axis.all_points():
            packets = int(point.set["dumbbell.bottleneck.queue.limit"].removesuffix(" packets"))
            assert packets == round(float(point.name.removesuffix(" %")) / 100 * product)
    levels = dict(
        re.findall(
            r'(time\d*)"\nlabel.*?cwnd_packets", (\d+)', files.load("common-tcp-transients").text, re.DOTALL
        )
    )
    assert {one: int(level) for one, level in levels.items()} == {
        "time60": round(0.6 * PRODUCT),
        "time": round(0.8 * PRODUCT),
        "time90": round(0.9 * PRODUCT),
    }


def test_all_round_trips_over_the_hops_are_60_ms() -> None:
    scenario = files.load("common-tcp-hops").about.scenario
    delay = {
        frozenset(link["between"]): float(link["delay"].removesuffix(" ms")) for link in scenario["links"]
    }
    routers = {node: next(iter(link - {node})) for link in delay for node in link if node.startswith("node")}
    for flow in scenario["flows"]:
        ends = [flow["from"], flow["to"]]
        first, last = (int(routers[end].removeprefix("router-")) for end in ends)
        hops = sum(delay[frozenset((f"router-{k}", f"router-{k + 1}"))] for k in range(first, last))
        assert 2 * (hops + sum(delay[frozenset((end, routers[end]))] for end in ends)) == 60, flow["name"]


def test_a_transfer_of_picoquic_takes_as_long_as_its_bytes_at_least() -> None:
    # 4 MB are 3.2 s at 10 Mbit/s without headers; of the 40 % that are lost to the outage none come back.
    found = measured("picoquic-black-hole")
    assert found["time"] > 3.2 + 2
    assert found["share"] == pytest.approx(100 * 3.2 / found["time"])


def test_a_set_runs_beside_the_criteria(ackclock: Command) -> None:
    chosen = ("--only", "N-17", "--set", "picoquic", "--seeds", "2")
    plan = ackclock("evaluate", "cubic", *chosen, "--plan")
    settings = [name for name in files.of_set("picoquic") if not files.load(name).about.marks]
    assert len(settings) == len(files.of_set("picoquic")) - 1
    assert plan.code == 0, plan.err
    done = ackclock("evaluate", "cubic", "--only", "picoquic-low-and-up", "--seeds", "2", "--json", "--html")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    (row,) = [one for one in document["criteria"] if one["scenarios"]]
    assert (row["id"], row["section"], row["strength"]) == ("picoquic", "picoquic", "-")
    assert document["command"].endswith("--only picoquic-low-and-up --seeds 2")
    page = Path("ackclock-results/evaluate-cubic-only-picoquic-low-and-up-seeds-2.html").read_text(
        encoding="utf-8"
    )
    title = "Picoquic's competing transfers and changing links"
    assert title in page or title.replace("'", "&#39;") in page
    assert "cc_ns_low_and_up_test in cc_compete_test.c" in page


def test_a_set_that_was_not_asked_for_has_no_row() -> None:
    plan = run.Plan(
        contenders.contender("sack"),
        [contenders.contender("cubic")],
        [files.load("N-17")],
        quick=True,
        seeds=1,
    )
    found = run.evaluate(plan)
    assert not {one.family.id for one in found.families} & {one.id for one in sets.SETS}
    assert found.family("N-17").verdict != NOT_EVALUATED


def test_a_set_is_named_rightly() -> None:
    assert [one.id for one in sets.SETS] == ["common-tcp", "flent", "teacup", "picoquic"]
    assert files.of_set("teacup") == [name for name in NAMES if name.startswith("teacup-")]
    with pytest.raises(InputError, match='there is no set of scenarios "common"; did you mean "common-tcp"'):
        files.of_set("common")
    with pytest.raises(LookupError):
        sets.of_scenario("N-99-none")


def _mean_size(text: str) -> float:
    """The mean of a distribution of sizes, in its unit: between two lines they are spread evenly."""
    steps = [tuple(map(float, line.split())) for line in text.split("\n") if line]
    first = steps[0][0] * steps[0][1]
    return first + sum((b[1] - a[1]) * (a[0] + b[0]) / 2 for a, b in pairwise(steps))


def _seconds(text: str) -> float:
    number, unit = text.split()
    return float(number) * {"s": 1.0, "ms": 1e-3}[unit]


def _rate(scenario: Mapping[str, Any]) -> float:
    """The rate of the bottleneck, or of the first link, in bit/s."""
    table = scenario["dumbbell"]["bottleneck"] if "dumbbell" in scenario else scenario["links"][0]
    number, unit = table["rate"].split()
    return float(number) * {"kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9}[unit]
