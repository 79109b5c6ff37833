"""Reno that keeps a window at which fast retransmit works."""

from ackclock.controls import NewReno


class Steadfast(NewReno):
    """Reno whose window is never too small for three duplicate acknowledgements."""

    def __init__(self, initial):
        self._floor = initial.window
        super().__init__(initial)

    def _clamp(self):
        super()._clamp()
        self.cwnd = max(self.cwnd, self._floor)
        self.ssthresh = max(self.ssthresh, self._floor)
