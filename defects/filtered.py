"""CUBIC that is not misled by round trips that were measured wrongly."""

from ackclock.controls import Cubic


class Filtered(Cubic):
    """CUBIC that leaves out samples that no path has, such as those of a delayed acknowledgement."""

    longest: float = 0.5

    def on_ack(self, ack, random):
        if ack.rtt is not None and ack.rtt > self.longest:
            return
        super().on_ack(ack, random)
