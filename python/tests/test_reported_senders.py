"""What people who run transports have reported of senders: each scenario with the right value."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pytest
import tomli_w
from conftest import Command

from ackclock import Control, Decision, Scenario
from ackclock.cli.limits import delivered_late
from ackclock.run import Run


def document(duration: str, flow: Mapping[str, Any], **bottleneck: Any) -> dict[str, Any]:
    """One flow over a dumbbell with a round trip of 80 ms."""
    link = {"rate": "50 Mbit/s", "delay": "38 ms", "queue": {"name": "droptail", "limit": "1000 packets"}}
    return {
        "duration": duration,
        "dumbbell": {"bottleneck": {**link, **bottleneck}, "access": {"rate": "1 Gbit/s", "delay": "1 ms"}},
        "flows": [{"name": "f", "control": "newreno", **flow}],
    }


def dumbbell(duration: str, flow: Mapping[str, Any], **bottleneck: Any) -> Scenario:
    return Scenario.from_dict(document(duration, flow, **bottleneck))


def windows(scenario: Scenario) -> tuple[np.ndarray, np.ndarray]:
    """The times of the acknowledgements, and the congestion window after each."""
    events = scenario.events().filter(pl.col("event") == "ack")
    return events["time_s"].to_numpy(), events["cwnd_packets"].to_numpy()


def flow(run: Run) -> dict[str, Any]:
    return dict(run.result["flows"][0])


@pytest.mark.parametrize("transport", ["quic", {"name": "rfc", "pacing": True}])
def test_slow_start_of_a_paced_sender_doubles_in_each_round_trip(transport: Any) -> None:
    # From 10 packets to 320 are five round trips, each of 80 ms and the transmission of what is in flight (320 packets
    # take 77 ms at 50 Mbit/s), after one for the handshake: unpaced 0.52 s. RFC 9002 section 7.8: what waits for the
    # pacer is no lack of data. A sender that takes it for one doubles in every second round trip, and takes 0.92 s.
    times, cwnd = windows(dumbbell("1 s", {"transport": transport}))
    assert times[np.argmax(cwnd >= 320)] < 0.60


def test_a_megabyte_over_quic() -> None:
    # 1 MB are 160 ms at 50 Mbit/s. Slow start sends 10, 20, ... 320 of its some 720 packets in six round trips of 80
    # ms.
    application = {"name": "transfers", "size": "1 MB", "count": 10, "every": "5 s"}
    run = dumbbell("60 s", {"transport": "quic", "application": application}).run(series=False)
    assert flow(run)["completed_connections"] == 10
    assert flow(run)["completion_mean_s"] < 0.70


@pytest.mark.parametrize(("transport", "most"), [("quic", 10), ("rfc", 16)])
def test_a_paced_sender_that_has_little_to_send_hardly_grows(transport: str, most: int) -> None:
    # A fifth of a second of 400 kbit/s, 10 kB, is seven packets: less than the window of ten, which never is full
    # (RFC 9002 section 7.8). RFC 7661 section 4.3 counts a window as used if half of it is: seven of 14 packets are,
    # and an acknowledgement of two packets makes it 16, of which seven are too few.
    video = {
        "name": "adaptive-video",
        "lowest": "400 kbit/s",
        "rungs": 1,
        "segment": "200 ms",
        "buffer": "2 s",
    }
    paced = transport if transport == "quic" else {"name": transport, "pacing": True, "after_idle": "keep"}
    chosen = {"control": "cubic", "transport": paced, "application": video}
    scenario = dumbbell("20 s", chosen)
    result = flow(scenario.run(series=False))
    assert result["segments"] > 50
    assert result["application_limited_share"] > 0.5
    assert windows(scenario)[1].max() == most


def test_what_arrives_twice_after_a_timeout_for_nothing_starts_no_recovery() -> None:
    # The link stands still for 1.5 s and loses nothing. RFC 6675 section 2: a duplicate acknowledgement is one that
    # carries new SACK information, which those of 59 packets that arrive a second time do not.
    details = {"recovery": "sack", "timestamps": False, "dsack": True, "window": "60 packets"}
    outage = {"from": "8 s", "lasts": "1.5 s"}
    scenario = dumbbell("15 s", {"transport": {"name": "rfc", **details}}, rate="5 Mbit/s", outage=outage)
    result = flow(scenario.run(series=False))
    assert (result["timeouts"], result["lost_packets"], result["fast_retransmits"]) == (1, 0, 0)
    assert result["retransmitted_packets"] > 50


def test_the_tuned_receive_window_opens_for_jumbo_frames() -> None:
    # 65,536 bytes are seven packets of 8,948: 10.5 Mbit/s if the window stays. A fixed window of 10,000 packets gives
    # 99.4.
    details = {"name": "linux", "packet": "8948 B"}
    queue = {"name": "droptail", "limit": "40 ms"}
    chosen = {"control": "cubic", "transport": details}
    scenario = dumbbell("20 s", chosen, rate="100 Mbit/s", delay="18 ms", queue=queue)
    result = flow(scenario.with_overrides({"warmup": "5 s"}).run(series=False))
    assert result["goodput_bps"] > 95e6
    assert result["receive_window_limited_share"] < 0.05


@pytest.mark.parametrize(("rule", "restarts"), [("keep", False), ("halve", True), ("initial-window", True)])
def test_a_window_restarts_after_a_pause(rule: str, restarts: bool) -> None:
    # Segments of 2 s of 1 Mbit/s, 250 kB or 173 packets, one every two seconds: slow start goes to a window of 80
    # packets and on from there. Between two of them are some 1.4 s, in which a timeout of 300 ms has room for three
    # halvings and more. RFC 5681 section 4.1: the next segment begins with the initial window of ten.
    video = {"name": "adaptive-video", "lowest": "1 Mbit/s", "rungs": 1, "segment": "2 s", "buffer": "4 s"}
    transport = {"name": "rfc", "after_idle": rule, "min_rto": "200 ms", "initial_ssthresh": "80 packets"}
    times, cwnd = windows(dumbbell("20 s", {"transport": transport, "application": video}))
    starts = (
        np.flatnonzero(np.diff(times) > 1.0) + 1
    )  # the first acknowledgement of a segment that follows a pause
    assert starts.size >= 4
    assert all((value <= 12) == restarts for value in cwnd[starts]), cwnd[starts]


class Ears(Control):
    """Halves at a loss, and adds up what it hears of losses."""

    heard: ClassVar[dict[str, float]] = {}

    def __init__(self, initial: Any) -> None:
        self.window = initial.window
        Ears.heard = {"newly_lost": 0.0, "lost": 0.0, "total": 0.0}

    def decision(self) -> Decision:
        return Decision(self.window)

    def on_ack(self, ack: Any, random: Any) -> None:
        Ears.heard["newly_lost"] += ack.newly_lost
        Ears.heard["total"] = ack.lost
        self.window += 1 / self.window

    def on_lost(self, lost: Any, random: Any) -> None:
        Ears.heard["lost"] += lost.size

    def on_loss(self, loss: Any, random: Any) -> None:
        self.window = max(self.window / 2, 2.0)

    def on_timeout(self, timeout: Any, random: Any) -> None:
        self.window = 1.0


@pytest.mark.parametrize("recovery", ["sack", "newreno", "reno", "rack", "vegas", "mda"])
def test_a_control_hears_of_every_loss(recovery: str) -> None:
    # A control also hears of packets that a rule takes for lost and that are not; some losses show after the end.
    chosen = {"control": "ears", "transport": {"name": "rfc", "recovery": recovery}}
    scenario = document("20 s", chosen, loss={"name": "independent", "probability": 0.02})
    result = flow(Scenario.from_dict(scenario, controls={"ears": Ears}).run(series=False))
    assert Ears.heard["lost"] == Ears.heard["total"] >= result["lost_packets"] - 2 > 15
    if result["timeouts"] == 0 and recovery != "rack":
        assert Ears.heard["newly_lost"] == Ears.heard["lost"]


def test_the_least_round_trip_is_the_newest_one_after_persistent_congestion() -> None:
    # For three seconds everything is lost, and the way is 200 ms longer from then on (RFC 9002 section 5.2).
    delay = {"steps": [["0 s", "20 ms"], ["5 s", "120 ms"]]}
    outage = {"name": "outage", "from": "5 s", "until": "8 s"}
    link = {"rate": "10 Mbit/s", "queue": {"name": "droptail", "limit": "100 packets"}}
    scenario = dumbbell("20 s", {"transport": "quic"}, delay=delay, loss=outage, **link)
    events = scenario.events().filter(pl.col("event") == "ack")
    assert events.filter(pl.col("time_s") < 5)["min_rtt_s"].min() < 0.05
    assert events.filter(pl.col("time_s") > 12)["min_rtt_s"].min() > 0.240


def test_a_flow_that_its_receiver_held_back_is_told_of(ackclock: Command, tmp_path: Path) -> None:
    # 20 packets of 1448 B in 80 ms are 2.9 Mbit/s of 50: the window of the receiver is full but for two round trips
    # of ten seconds.
    path = tmp_path / "short-window.toml"
    transport = {"name": "rfc", "window": "20 packets"}
    path.write_text(tomli_w.dumps(document("10 s", {"transport": transport})))
    outcome = ackclock("run", path)
    assert outcome.code == 0
    assert "its receive window of 29 kB limits it" in outcome.err
    assert (
        "flow f: its receiver's window kept it from sending for 98% of its active time (highest value of all runs)"
        in outcome.err
    )


def test_a_connection_that_its_stack_closed_is_told_of(ackclock: Command, tmp_path: Path) -> None:
    # noq's receiver takes 1024 gaps; slow start overshoots two products of 100 Mbit/s and 100 ms by more.
    path = tmp_path / "closed.toml"
    link = {"rate": "100 Mbit/s", "queue": {"name": "droptail", "limit": "2 bdp"}}
    flow = {"control": "noq:newreno", "transport": "noq"}
    path.write_text(tomli_w.dumps(document("5 s", flow, delay="50 ms", **link)))
    outcome = ackclock("run", path)
    assert outcome.code == 0
    assert "flow f: the stack closed the connection at" in outcome.err
    assert "too many gaps in stream buffer (seed 1)" in outcome.err


def test_a_stack_whose_packets_bring_no_data_is_told_of(ackclock: Command, tmp_path: Path) -> None:
    path = tmp_path / "silent.toml"
    flow = {"control": "quinn:cubic", "transport": "quinn"}
    lost = {"name": "independent", "probability": 1.0}
    path.write_text(tomli_w.dumps(document("3 s", flow, loss=lost)))
    outcome = ackclock("run", path)
    assert outcome.code == 0
    assert (
        "packets, but none of its data arrived (seed 1); the handshake may not have completed" in outcome.err
    )
    path.write_text(tomli_w.dumps(document("3 s", flow)))
    assert "of its data arrived" not in ackclock("run", path).err


def test_data_of_the_warm_up_that_counts_as_goodput_is_told_of() -> None:
    def run(goodput: float, throughput: float | None) -> Any:
        flow = {"name": "f", "goodput_bps": goodput, "throughput_bps": throughput}
        return SimpleNamespace(result={"flows": [flow]})

    runs = [run(101.0, 100.0), run(112.0, 100.0), run(5.0, 0.0), run(5.0, None)]
    (sentence,) = delivered_late(runs)
    assert sentence.startswith("flow f: its goodput is 12% above its throughput (highest value of all runs)")
    assert not list(delivered_late([run(101.0, 100.0)]))
