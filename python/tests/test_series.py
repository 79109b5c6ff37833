"""Series and packet traces as they come from the core."""

from __future__ import annotations

import json
import re

import numpy as np
import polars as pl
import pytest
from conftest import SCENARIO, sender

from ackclock import Scenario, _core
from ackclock import _typed_core as core
from ackclock.series import Series

TWO = {
    "time_s": [0.0, 1.0, 2.0],
    "flows": {"tcp-1": {"cwnd_packets": [1.0, None, 3.0]}, "tcp-2": {"cwnd_packets": [4.0, 5.0, 6.0]}},
    "links": {"bottleneck": {"queue_packets": [0.0, 1.0, 0.0], "dropped_packets": [0.0, 0.0, 1.0]}},
}


def test_a_document_comes_back() -> None:
    assert Series.from_document(TWO).document() == TWO


def test_what_was_not_sampled_is_nan() -> None:
    series = Series.from_document(TWO)
    assert np.isnan(series.values("flows", "tcp-1", "cwnd_packets")).tolist() == [False, True, False]
    assert series.samples("flows", "tcp-1", "cwnd_packets") == [1.0, None, 3.0]


def test_chosen_series_are_a_copy() -> None:
    series = Series.from_document(TWO)
    chosen = series.chosen(
        ["flows.tcp-*.cwnd_packets", "links.bottleneck.queue_packets", "links.other.queue_packets"]
    )
    assert chosen.document() == {
        "time_s": TWO["time_s"],
        "flows": TWO["flows"],
        "links": {"bottleneck": {"queue_packets": [0.0, 1.0, 0.0]}},
    }
    for path in chosen.frame.columns:
        ours, theirs = chosen.frame[path].to_numpy(), series.frame[path].to_numpy()
        assert not np.shares_memory(ours, theirs)


def test_what_is_no_arrow_file_is_refused() -> None:
    with pytest.raises(ValueError, match=r"."):
        Series.from_bytes(b"no such file")
    series = Series.from_document(TWO)
    assert Series.from_bytes(series.to_bytes()).frame.equals(series.frame)


def test_the_core_hands_over_columns() -> None:
    text, columns = _core.run(SCENARIO, "small.toml", "{}", 1, True)
    assert json.loads(text)["series"] is None
    assert columns is not None
    series = Series.from_core(columns)
    assert len(columns) == series.time_s.size > 100
    assert set(series.frame.dtypes) == {pl.Float64}
    # Before the first acknowledgement there is no round trip.
    assert series.samples("flows", "tcp-1", "rtt_s")[0] is None
    # A reader may come twice, and the columns outlive what handed them over.
    again = Series.from_core(columns)
    del columns
    assert again.frame.equals(series.frame)
    assert _core.run(SCENARIO, "small.toml", "{}", 1, False)[1] is None


def test_an_array_that_nobody_reads_is_released() -> None:
    _, columns = _core.run(SCENARIO, "small.toml", "{}", 1, True)
    assert columns is not None
    schema, array = columns.__arrow_c_array__()
    assert "arrow_schema" in repr(schema)
    assert "arrow_array" in repr(array)
    del schema, array
    assert Series.from_core(columns).time_s.size > 100


def test_a_packet_trace_is_a_data_frame() -> None:
    scenario = Scenario.from_text(SCENARIO, overrides={"duration": "2 s", "warmup": "0 s"})
    trace = scenario.trace(seed=1)
    assert trace.columns == ["time_ns", "flow", "backward", "packet", "bytes", "event", "link"]
    assert trace["time_ns"].is_sorted()
    events = set(trace["event"].cast(pl.String))
    assert {"launched", "offered", "started", "sent", "arrived", "delivered"} <= events
    assert set(trace["flow"].cast(pl.String)) == {"tcp-1", "tcp-2"}
    at_endpoints = trace.filter(pl.col("event").cast(pl.String).is_in(["launched", "delivered"]))
    assert at_endpoints["link"].null_count() == len(at_endpoints) > 0
    assert trace.filter(pl.col("link").is_not_null())["link"].cast(pl.String).is_in(["bottleneck"]).any()
    # The trace and the counts of the run tell of the same packets.
    links = scenario.run(seed=1).links
    offered = trace.filter(
        (pl.col("event").cast(pl.String) == "offered") & (pl.col("link").cast(pl.String) == "bottleneck")
    )
    assert len(offered) == links.filter(name="bottleneck")["arrived_packets"][0]


def test_the_description_of_a_trace_names_its_events() -> None:
    # A packet that the wire loses is corrupted, in traces as in results.
    link = {"loss": {"name": "independent", "probability": 0.02}, "duplicate": 0.02}
    damaged = {f"dumbbell.bottleneck.{key}": value for key, value in link.items()}
    scenario = Scenario.from_text(SCENARIO, overrides={"duration": "5 s", "warmup": "0 s", **damaged})
    trace = scenario.trace(seed=1)
    events = set(trace["event"].cast(pl.String))
    assert {"dropped", "corrupted", "duplicated"} <= events
    words = set(re.findall(r"\w+", Scenario.trace.__doc__ or ""))
    assert events <= words
    assert "lost" not in words


def test_a_trace_of_a_wrong_scenario_is_refused() -> None:
    with pytest.raises(core.ScenarioError):
        core.trace("duratoin = 1", "mine.toml", {}, 1)


def test_what_is_published_is_known_before_anything_is_simulated() -> None:
    # Of every control, queue and discriminator: names do not come and go while a run goes on.
    def text(control: str, queue: str = "droptail", discriminator: str = "") -> str:
        path = f'rate = "2 Mbit/s", delay = "20 ms", queue = "{queue}"'
        loss = 'loss = { name = "independent", probability = 0.01 }'
        flows = f"{sender(control)}\ncount = 2\n{discriminator}"
        links = f'access = {{ rate = "1 Gbit/s", delay = "3 ms" }}\nbottleneck = {{ {path}, {loss} }}'
        return f'duration = "4 s"\n[dumbbell]\n{links}\n[[flows]]\n{flows}\n'

    def known(kind: str) -> list[str]:
        return [entry["name"] for entry in core.registry() if entry["kind"] == kind]

    texts = [text(control) for control in known("control")]
    texts += [text("newreno", queue=queue) for queue in known("queue")]
    texts += [text("newreno", discriminator=f'discriminator = "{name}"') for name in known("discriminator")]
    assert len(texts) > 80
    for scenario in texts:
        series = core.run(scenario, "x.toml", {}, 1, True)["series"]
        (outline,) = core.outlines(scenario, "x.toml", [({}, True)])
        assert isinstance(outline, dict), outline
        assert sorted(outline["series"]) == sorted(series.paths())
