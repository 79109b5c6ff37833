"""Built-in congestion controls in Python, to be changed in a constant or a method.

>>> class Gentle(Cubic):
...     '''CUBIC that reduces its window by a tenth at a loss.'''
...
...     beta: float = parameter(0.9, above=0, at_most=0.95, about="The window after a loss")

``Scenario.from_file(..., controls={"gentle": Gentle})`` then accepts ``control = "gentle"``. Each class follows the
built-in control of the same name, which a test checks. Unlike a built-in control, it does not use HyStart by default in
the profile ``linux``: set ``slow_start = "hystart"`` on the flow.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any, ClassVar, Literal

from ackclock.custom import Ack, Control, Decision, Draws, Initial, Loss, Recovered, Sent, Timeout, parameter

__all__ = ["Cubic", "NewReno", "WindowControl"]

_MIN_SSTHRESH = 2.0
"""The smallest slow start threshold that a loss or timeout sets, in packets (RFC 5681 equation 4)."""
_MAX_CWND = 1e9


class WindowControl(Control):
    """The base of controls with a window in packets: slow start, bounds, undo and pauses. A subclass defines how the
    window grows and shrinks.

    ``on_sent`` is called only for packets after a pause. A subclass that needs every packet sets ``follows_sending``
    to ``"everything"``.
    """

    follows_sending: ClassVar[Literal["everything", "restarts"]] = "restarts"

    def __init__(self, initial: Initial) -> None:
        self.cwnd, self.ssthresh = initial.window, initial.ssthresh
        self._ever = max(initial.loss_window, 1.0)
        self._after_loss = max(initial.min_window, self._ever)
        self._before: dict[str, Any] | None = None
        self._heard = 0.0
        self._paused = 0.0
        self._clamp()

    # What a subclass changes.

    @abstractmethod
    def avoid_congestion(self, ack: Ack) -> None:
        """Changes ``cwnd`` above the threshold by an acknowledgement that brings ``ack.abc_increment`` packets.

        If it lowers ``cwnd``, ``ssthresh`` follows. At a window of one packet, ``ack.rtt`` includes the receiver's
        delay of acknowledgements, so a control that follows delay should keep at least two packets.
        """

    @abstractmethod
    def decrease(self, window: float) -> float:
        """Returns the window in packets after a loss that began with ``window`` packets in flight."""

    def slow_start(self, ack: Ack) -> None:
        """Grows ``cwnd`` below the threshold, by what was acknowledged (RFC 5681 section 3.1)."""
        self.cwnd = min(self.cwnd + ack.abc_increment, max(self.ssthresh, self.cwnd + 1.0))

    def lose(self, loss: Loss) -> None:
        """Reduces the window when a recovery begins (RFC 5681 section 3.2)."""
        reduced = self.decrease(loss.window)
        if not isinstance(reduced, (int, float)):
            raise TypeError(
                f"{type(self).__name__}.decrease returned {reduced!r}, expected the window in packets after the loss"
            )
        self.ssthresh = max(reduced, _MIN_SSTHRESH)
        self.cwnd = reduced

    def start_over(self, timeout: Timeout) -> None:
        """Sets threshold and window after a timeout (RFC 5681 section 3.1)."""
        if not timeout.keeps_threshold:
            self.ssthresh = max(timeout.window / 2, _MIN_SSTHRESH)
        self.cwnd = 1.0

    def skip(self, pause: float) -> None:
        """Called after ``pause`` seconds in which the window was not used."""

    # What the simulator calls.

    def decision(self) -> Decision:
        """Returns window and threshold."""
        return Decision(self.cwnd, self.ssthresh)

    def on_sent(self, sent: Sent, random: Draws) -> None:  # noqa: ARG002  (for a subclass that draws)
        """Ends a pause when a packet is sent after one."""
        if sent.after_idle:  # always, unless a subclass follows every packet
            self._end_pause(sent.now)

    def on_ack(self, ack: Ack, random: Draws) -> None:  # noqa: ARG002  (for a subclass that draws)
        """Changes the window if it is fully used and no recovery is under way."""
        if ack.cwnd_limited:
            self._heard = ack.now
        else:
            self._end_pause(ack.now)
        if ack.fresh and not ack.in_recovery and ack.cwnd_limited:
            if self.cwnd < self.ssthresh:
                self.slow_start(ack)
            else:
                before = self.cwnd
                self.avoid_congestion(ack)
                if self.cwnd < before:
                    # Slow start would raise the window to the threshold again.
                    self.ssthresh = min(self.ssthresh, self.cwnd)
        self._clamp()

    def on_loss(self, loss: Loss, random: Draws) -> None:  # noqa: ARG002  (for a subclass that draws)
        """Saves the state, in case the loss proves spurious, and reduces the window."""
        self._heard = loss.now
        self._remember()
        self.lose(loss)
        self._clamp()
        self.cwnd = max(self.cwnd, self._after_loss)

    def on_timeout(self, timeout: Timeout, random: Draws) -> None:  # noqa: ARG002  (for a subclass that draws)
        """Saves the state at the first of consecutive timeouts, and starts over."""
        self._heard = timeout.now
        if timeout.in_a_row == 1:
            self._remember()
        self.start_over(timeout)
        self._clamp()

    def on_recovered(self, recovered: Recovered) -> None:
        """Restores the saved state if the loss was spurious."""
        self._heard = recovered.now
        if recovered.undone and self._before is not None:
            now, paused = self.cwnd, self._paused
            self.__dict__.update(self._before)
            self.cwnd, self._before, self._heard = max(now, self.cwnd), None, recovered.now
            pause, self._paused = paused - self._paused, paused
            self.skip(pause)

    def set_cwnd(self, cwnd: float) -> None:
        """Sets the window, for slow-start algorithms and loss discriminators."""
        self.cwnd = cwnd
        self._clamp()

    def set_ssthresh(self, ssthresh: float) -> None:
        """Sets the threshold."""
        self.ssthresh = ssthresh
        self._clamp()

    def _remember(self) -> None:
        self._before = {name: value for name, value in self.__dict__.items() if name != "_before"}

    def _end_pause(self, now: float) -> None:
        pause, self._heard = now - self._heard, now
        self._paused += pause
        self.skip(pause)

    def _clamp(self) -> None:
        self.cwnd = min(max(self.cwnd, self._ever), _MAX_CWND)
        self.ssthresh = max(self.ssthresh, 1.0)


class NewReno(WindowControl):
    """Additive increase, multiplicative decrease (RFC 5681), with the transport's own retransmission rule."""

    increase: float = parameter(
        1.0, above=0, at_most=1000, about="Packets added to the window per round trip"
    )
    beta: float = parameter(
        0.5, above=0, at_most=0.99, about="Fraction of the window that remains after a loss"
    )

    def avoid_congestion(self, ack: Ack) -> None:
        """Grows the window by ``increase`` packets per round trip (RFC 5681 equation 3)."""
        self.cwnd += self.increase * ack.abc_increment / self.cwnd

    def decrease(self, window: float) -> float:
        """Returns the window times ``beta`` (RFC 5681 section 3.2)."""
        return window * self.beta


class Cubic(WindowControl):
    """CUBIC (RFC 9438) with its Reno-friendly region and fast convergence, without Linux's variant. With the transport
    ``linux``, the built-in ``cubic`` starts with HyStart, and this one with plain slow start, unless the flow sets
    ``slow_start``.
    """

    c: float = parameter(0.4, above=0, at_most=1000, about="Growth constant C, in packets per second cubed")
    beta: float = parameter(
        0.7, at_least=0.1, at_most=0.95, about="Fraction of the window that remains after a loss"
    )
    fast_convergence: bool = parameter(True, about="Whether to use fast convergence (RFC 9438 section 4.7)")

    def __init__(self, initial: Initial) -> None:
        super().__init__(initial)
        self._w_max: float | None = None
        self._cwnd_prior = 0.0
        self._start: float | None = None  # of the epoch of congestion avoidance
        self._k = self._origin = self._w_est = 0.0

    def curve(self, seconds: float) -> float:
        """Returns the window at ``seconds`` into the epoch (section 4.2, equation 1), in packets."""
        distance = seconds - self._k
        return self.c * distance * distance * distance + self._origin

    def alpha(self) -> float:
        """Returns the additive increase that gives Reno's average window (section 4.3)."""
        return 1.0 if self._w_est >= self._cwnd_prior else 3 * (1 - self.beta) / (1 + self.beta)

    def avoid_congestion(self, ack: Ack) -> None:
        """Grows the window to the larger of Reno's and the curve one round trip ahead (sections 4.3 to 4.5)."""
        if self._start is None:
            self._begin(ack.now)
        now = ack.now - (self._start or 0.0)
        self._w_est += self.alpha() * ack.abc_increment / self.cwnd
        if self.curve(now) < self._w_est:
            self.cwnd = max(self.cwnd, self._w_est)
        else:
            target = min(max(self.curve(now + ack.smoothed_rtt), self.cwnd), 1.5 * self.cwnd)
            self.cwnd += (target - self.cwnd) / self.cwnd * ack.abc_increment

    def decrease(self, window: float) -> float:
        """Returns the window times ``beta`` (section 4.6)."""
        return window * self.beta

    def lose(self, loss: Loss) -> None:
        """Remembers the window (section 4.7) and reduces it."""
        shrinking = self.fast_convergence and self._w_max is not None and loss.window < self._w_max
        self._w_max = loss.window * (1 + self.beta) / 2 if shrinking else loss.window
        self._cwnd_prior = loss.window
        self._start = None
        super().lose(loss)

    def start_over(self, timeout: Timeout) -> None:
        """Multiplies the threshold by beta; the next plateau is where slow start ends (section 4.8)."""
        if not timeout.keeps_threshold:
            self._cwnd_prior = timeout.window
            self.ssthresh = max(timeout.window * self.beta, _MIN_SSTHRESH)
        self.cwnd = 1.0
        self._w_max = self._start = None

    def skip(self, pause: float) -> None:
        """Excludes time in which the application limited the sender from the curve (section 4.2)."""
        if self._start is not None:
            self._start += pause

    def publish(self) -> dict[str, float]:
        """Returns W_max and K."""
        return {"w_max_packets": math.nan if self._w_max is None else self._w_max, "k_s": self._k}

    def _begin(self, now: float) -> None:
        if self._w_max is None:
            self._w_max = self.cwnd
        self._origin = max(self._w_max, self.cwnd)
        self._k = ((self._origin - self.cwnd) / self.c) ** (1 / 3)
        self._start, self._w_est = now, self.cwnd
