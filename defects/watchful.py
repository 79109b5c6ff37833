"""Reno that gives way before the queue is full."""

from ackclock.controls import NewReno


class Watchful(NewReno):
    """Reno that keeps 85 % of its window after a round trip with a long queue."""

    tolerance: float = 1.25

    def __init__(self, initial):
        super().__init__(initial)
        self._round_rtt = 0.0

    def on_ack(self, ack, random):
        if ack.rtt is not None:
            self._round_rtt = max(self._round_rtt, ack.rtt)
        if ack.round_start:
            if ack.min_rtt and self._round_rtt > self.tolerance * ack.min_rtt and not ack.in_recovery:
                self.cwnd *= 0.85
                self.ssthresh = self.cwnd
            self._round_rtt = 0.0
        super().on_ack(ack, random)
