"""Reno that reacts with the third duplicate acknowledgement."""

from ackclock.controls import NewReno


class Prompt(NewReno):
    """Reno that does not wait for its host to declare a loss."""

    def __init__(self, initial):
        super().__init__(initial)
        self._duplicates = 0
        self._cut = float("-inf")
        self._srtt = 0.0

    def on_ack(self, ack, random):
        self._srtt = ack.smoothed_rtt
        self._duplicates = 0 if ack.fresh else self._duplicates + 1
        if self._duplicates == 3 and not ack.in_recovery and ack.now - self._cut > self._srtt:
            self._cut = ack.now
            self.ssthresh = max(self.decrease(self.cwnd), 2.0)
            self.cwnd = self.ssthresh
        super().on_ack(ack, random)

    def lose(self, loss):
        if loss.now - self._cut <= self._srtt:  # this loss has been reacted to
            return
        self._cut = loss.now
        super().lose(loss)
