"""CUBIC that leaves slow start when the round trip grows, as HyStart does."""

from ackclock.controls import Cubic


class Careful(Cubic):
    """CUBIC with HyStart's delay test."""

    low_window: float = 16.0

    def slow_start(self, ack):
        if ack.rtt is not None and ack.min_rtt is not None and self.cwnd >= self.low_window:
            threshold_ms = min(max(ack.min_rtt * 1e3 / 8, 4.0), 16.0)
            if ack.rtt > ack.min_rtt + threshold_ms / 1e6:
                self.ssthresh = self.cwnd
                return
        super().slow_start(ack)
