"""Reno with appropriate byte counting (RFC 3465)."""

from ackclock.controls import WindowControl


class Counting(WindowControl):
    """Reno that grows by what is acknowledged: at most two packets for each acknowledgement in slow start (L = 2)."""

    def __init__(self, initial):
        super().__init__(initial)
        self._counted = 0.0

    def slow_start(self, ack):
        self.cwnd += min(ack.newly_acked, 2.0)

    def avoid_congestion(self, ack):
        self._counted += ack.newly_acked
        if self._counted >= self.cwnd:
            self._counted -= self.cwnd
            self.cwnd += 1.0

    def decrease(self, window):
        self._counted = 0.0
        return window / 2
