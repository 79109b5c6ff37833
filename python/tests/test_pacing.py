"""Pacing: the rate of a control holds for everything that is sent, retransmissions included."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from ackclock import Control, Decision
from ackclock.scenario import Scenario


class FixedRate(Control):
    """Paces 200 packets a second, whatever happens."""

    def __init__(self, initial: Any) -> None:
        self.rate = 200 * initial.packet_bytes * 8

    def decision(self) -> Decision:
        return Decision(cwnd=5000.0, pacing_rate=self.rate)

    def on_ack(self, ack: Any, random: Any) -> None:
        pass

    def on_loss(self, loss: Any, random: Any) -> None:
        pass

    def on_timeout(self, timeout: Any, random: Any) -> None:
        pass


@pytest.mark.parametrize("transport", ["rfc", "linux", "quic"])
def test_a_rate_holds_with_retransmissions(transport: str) -> None:
    # 2 % of the packets are lost. Retransmissions leave within the 200 packets a second, including those that begin
    # recoveries: in the 59 s after the first, 11,800 packets, one more or less.
    scenario = Scenario.from_text(
        f"""
        duration = "60 s"
        [dumbbell]
        bottleneck = {{ rate = "10 Mbit/s", delay = "50 ms", loss = {{ name = "independent", probability = 0.02 }} }}
        access = {{ rate = "1 Gbit/s", delay = "0 s" }}
        [[flows]]
        control = "fixed-rate"
        transport = "{transport}"
        """,
        controls={"fixed-rate": FixedRate},
    )
    launched = (pl.col("event") == "launched") & ~pl.col("backward")
    times = scenario.trace(seed=1).filter(launched)["time_ns"].cast(pl.Int64)
    times = times.filter(times > 10**9)
    rate = (len(times) - 1) / ((times[-1] - times[0]) / 1e9)
    assert rate == pytest.approx(200.0, abs=0.05)
