"""A delay-based window that looks for more capacity now and then."""

from ackclock import Decision
from ackclock.controls import WindowControl


class Prober(WindowControl):
    """Keeps two to four packets in the queue, and doubles its window for one round trip every five seconds."""

    every: float = 5.0
    lasts: float = 1.0

    def __init__(self, initial):
        super().__init__(initial)
        self._next = self.every
        self._until = 0.0
        self._probing = False

    def decision(self):
        return Decision(2 * self.cwnd if self._probing else self.cwnd, self.ssthresh)

    def on_ack(self, ack, random):
        if ack.now >= self._next:
            self._next = ack.now + self.every
            self._until = ack.now + self.lasts
        self._probing = ack.now < self._until and self.cwnd >= self.ssthresh
        super().on_ack(ack, random)

    def avoid_congestion(self, ack):
        if ack.rtt is None or not ack.min_rtt or self._probing:
            return
        queued = self.cwnd * (1 - ack.min_rtt / ack.rtt)
        if queued < 2:
            self.cwnd += ack.credit / self.cwnd
        elif queued > 4:
            self.cwnd -= ack.credit / self.cwnd

    def lose(self, loss):
        if self._probing:  # what the probe loses was to be expected
            return
        super().lose(loss)

    def decrease(self, window):
        return window / 2
