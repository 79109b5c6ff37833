"""CUBIC that knows what the path can carry."""

from ackclock.controls import Cubic


class Remembering(Cubic):
    """CUBIC that returns to the window that the path has carried."""

    def lose(self, loss):
        known = self._w_max
        super().lose(loss)
        self._w_max = loss.window if known is None else max(known, loss.window)
