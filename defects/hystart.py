"""CUBIC with HyStart++ (RFC 9406)."""

import math

from ackclock.controls import Cubic


class Hystart(Cubic):
    """CUBIC with HyStart++, with a conservative slow start of eight rounds that grows by an eighth."""

    least_threshold: float = 0.004
    most_threshold: float = 0.016
    samples: int = 8
    divisor: float = 8.0
    rounds: int = 8

    def __init__(self, initial):
        super().__init__(initial)
        self._last = self._current = self._baseline = math.inf
        self._count = 0
        self._conservative = 0  # rounds of it so far; 0 outside

    def on_ack(self, ack, random):
        if self.cwnd < self.ssthresh:
            self._watch(ack)
        super().on_ack(ack, random)

    def slow_start(self, ack):
        self.cwnd += ack.credit / (self.divisor if self._conservative else 1.0)

    def _watch(self, ack):
        if ack.round_start:
            self._last, self._current, self._count = self._current, math.inf, 0
            if self._conservative:
                self._conservative += 1
                if self._conservative > self.rounds:
                    self.ssthresh = self.cwnd
                    return
        if ack.rtt is not None:
            self._current = min(self._current, ack.rtt)
            self._count += 1
        if self._count < self.samples or math.isinf(self._current):
            return
        if self._conservative:
            if self._current < self._baseline:
                self._conservative, self._baseline = 0, math.inf
        elif not math.isinf(self._last):
            threshold = max(self.least_threshold, min(self._last / 8, self.most_threshold))
            if self._current >= self._last + threshold:
                self._baseline, self._conservative = self._current, 1
