"""CUBIC that tolerates the odd loss of a radio."""

from ackclock.controls import Cubic


class Tolerant(Cubic):
    """CUBIC that reduces its window if a round trip loses more than two per cent."""

    threshold: float = 0.02

    def __init__(self, initial):
        super().__init__(initial)
        self._acked = self._lost = 0.0

    def on_ack(self, ack, random):
        if ack.round_start:
            self._acked = self._lost = 0.0
        self._acked += ack.newly_acked
        self._lost += ack.newly_lost
        super().on_ack(ack, random)

    def lose(self, loss):
        share = max(self._lost, 1.0) / max(loss.window, 1.0)
        self._acked = self._lost = 0.0
        if share < self.threshold and self.cwnd >= self.ssthresh and loss.signal != "ecn":
            return
        super().lose(loss)
