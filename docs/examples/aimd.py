"""A congestion control of twenty lines: a little slower to grow than Reno, and gentler in its cut."""

import ackclock


class Aimd(ackclock.Control):
    """Adds half a packet in a round trip, and keeps seven tenths of the window after a loss."""

    def __init__(self, initial):
        self.cwnd, self.ssthresh = initial.window, initial.ssthresh

    def decision(self):
        return ackclock.Decision(self.cwnd, self.ssthresh)

    def on_ack(self, ack, random):
        if ack.cwnd_limited and not ack.in_recovery:
            slow_start = self.cwnd < self.ssthresh
            self.cwnd += ack.credit if slow_start else 0.5 * ack.credit / self.cwnd

    def on_loss(self, loss, random):
        self.cwnd = self.ssthresh = max(0.7 * loss.window, 2)

    def on_timeout(self, timeout, random):
        self.ssthresh, self.cwnd = max(0.7 * timeout.window, 2), 1
