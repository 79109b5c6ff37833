"""RBCC (Dahal 2007, sections 3.3 and 4.1 to 4.3) as a congestion control in Python.

The same law as `rbcc` in Rust, event for event and operation for operation: the same run, byte for byte.
"""

from __future__ import annotations

from typing import Literal

import ackclock
from ackclock.custom import Ack, Draws, Initial, Loss, Recovered, Timeout


class Rbcc(ackclock.Control):
    """Moves the window at each acknowledgement by the relative distance of the round trip from a threshold."""

    recovery = "newreno"

    threshold_factor: float = ackclock.parameter(
        2.0, above=1, at_most=1000, about="F: threshold over least round trip"
    )
    rtt_min_mode: Literal["given", "measured"] = "given"
    rtt_min: float = ackclock.parameter(
        "62 ms", unit="time", above=0, at_most=3600, about="The least round trip"
    )
    cwnd_floor: float = ackclock.parameter("1 packet", unit="packets", at_least=1, about="The least window")
    window_cap: bool = ackclock.parameter(True, about="Whether the window stops at the connection's limit")

    def __init__(self, initial: Initial) -> None:
        self.cwnd, self.ssthresh = initial.window, initial.ssthresh
        self.cap = initial.limit if self.window_cap else float("inf")
        self.min_window, self.loss_window = initial.min_window, initial.loss_window
        self.before_loss: tuple[float, float] | None = None
        self.threshold = (
            0.0 if self.rtt_min_mode == "measured" else scaled(self.rtt_min, self.threshold_factor)
        )

    def decision(self) -> ackclock.Decision:
        return ackclock.Decision(self.cwnd, self.ssthresh)

    def on_ack(self, ack: Ack, random: Draws) -> None:
        if self.rtt_min_mode == "measured" and (least := ack.min_rtt) is not None:
            self.threshold = scaled(least, self.threshold_factor)
        rtt = ack.rtt
        if rtt is None or not ack.fresh or ack.in_recovery:
            return
        # Equations 3.4 and 3.5: a fraction of the shorter of the two.
        step = (self.threshold - rtt) / min(rtt, self.threshold)
        self.set_cwnd(max(min(self.cwnd + step, self.cap), self.cwnd_floor))

    def on_loss(self, loss: Loss, random: Draws) -> None:
        self.before_loss = self.cwnd, self.ssthresh
        reduced = max(loss.window / 2, self.cwnd_floor)
        self.set_ssthresh(max(reduced, 2.0))
        self.set_cwnd(max(reduced, self.min_window))

    def on_timeout(self, timeout: Timeout, random: Draws) -> None:
        if timeout.in_a_row == 1:
            self.before_loss = self.cwnd, self.ssthresh
        if not timeout.keeps_threshold:
            self.set_ssthresh(max(timeout.window / 2, 2.0))
        self.cwnd = self.loss_window

    def on_recovered(self, recovered: Recovered) -> None:
        if recovered.undone and self.before_loss is not None:
            before, self.ssthresh = self.before_loss
            self.cwnd, self.before_loss = max(self.cwnd, before), None

    def set_cwnd(self, cwnd: float) -> None:
        self.cwnd = min(max(cwnd, self.loss_window), 1e9)

    def set_ssthresh(self, ssthresh: float) -> None:
        self.ssthresh = max(ssthresh, 1.0)

    def publish(self) -> dict[str, float]:
        return {"rtt_threshold_s": self.threshold}


def scaled(seconds: float, factor: float) -> float:
    """A time times a factor, rounded to a nanosecond, as the simulator counts time."""
    return int(round(seconds * 1e9) * factor + 0.5) / 1e9
