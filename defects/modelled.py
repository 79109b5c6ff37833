"""A window of a little more than the bandwidth-delay product."""

from collections import deque

from ackclock.controls import WindowControl


class Modelled(WindowControl):
    """Moves the window to five quarters of the measured bandwidth-delay product."""

    gain: float = 1.25
    beta: float = 0.7

    def __init__(self, initial):
        super().__init__(initial)
        self._rates = deque(maxlen=10)
        self._best = 0.0

    def on_ack(self, ack, random):
        if ack.rate is not None and ack.rate.interval > 0:
            self._best = max(self._best, ack.rate.delivered / ack.rate.interval)
        if ack.round_start and self._best > 0:
            self._rates.append(self._best)
            self._best = 0.0
        super().on_ack(ack, random)

    def avoid_congestion(self, ack):
        if not self._rates or not ack.smoothed_rtt:
            return
        target = self.gain * max(self._rates) * ack.smoothed_rtt
        step = (target - self.cwnd) / self.cwnd * ack.credit
        self.cwnd += max(min(step, ack.credit), -ack.credit)

    def decrease(self, window):
        return self.beta * window
