"""A congestion control of a few lines: a little slower to grow than Reno, and gentler in its cut."""

from ackclock.controls import WindowControl


class Aimd(WindowControl):
    """Adds half a packet in a round trip, and keeps seven tenths of the window after a loss."""

    def avoid_congestion(self, ack):
        self.cwnd += 0.5 * ack.abc_increment / self.cwnd

    def decrease(self, window):
        return 0.7 * window
