"""Reno for fast paths: the same time to recover at any rate."""

from ackclock.controls import WindowControl


class Elastic(WindowControl):
    """Adds a hundredth of what is acknowledged, and gives up an eighth after a loss."""

    def avoid_congestion(self, ack):
        self.cwnd += 0.01 * ack.credit

    def decrease(self, window):
        return 0.875 * window
