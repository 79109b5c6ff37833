"""CUBIC with its own Reno-friendly region."""

from ackclock.controls import Cubic


class Friendly(Cubic):
    """CUBIC whose Reno-friendly increase follows its back-off."""

    def alpha(self):
        return 3 * (1 + self.beta) / (1 - self.beta)
