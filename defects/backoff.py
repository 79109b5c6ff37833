"""CUBIC with Alternative Backoff with ECN (RFC 8511)."""

from ackclock.controls import Cubic


class Backoff(Cubic):
    """CUBIC that gives up less after a mark than after a loss."""

    beta_ecn: float = 0.85

    def lose(self, loss):
        if loss.signal == "ecn":
            self.ssthresh = max(loss.window * self.beta_ecn, 2.0)
            return
        super().lose(loss)
