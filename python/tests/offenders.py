"""Controls with one fault each, by which the scenarios of an evaluation are tested.

``Reno`` is NewReno's window law (RFC 5681) in a few lines, and ``ackclock.controls.Cubic`` is CUBIC (RFC 9438); each
other class breaks a rule of one of them.
"""

from __future__ import annotations

import os
import sys
import time

import ackclock
from ackclock.controls import Cubic
from ackclock.custom import Ack, Draws, Initial, Loss, Timeout


class Reno(ackclock.Control):
    """Additive increase, multiplicative decrease, slow start: no fault."""

    def __init__(self, initial: Initial) -> None:
        self.cwnd, self.ssthresh = initial.window, initial.ssthresh

    def decision(self) -> ackclock.Decision:
        return ackclock.Decision(self.cwnd, self.ssthresh)

    def on_ack(self, ack: Ack, random: Draws) -> None:
        if ack.in_recovery or not ack.cwnd_limited:
            return
        grown = ack.abc_increment
        self.cwnd += grown if self.cwnd < self.ssthresh else self.increase() * grown / self.cwnd

    def increase(self) -> float:
        return 1.0

    def on_loss(self, loss: Loss, random: Draws) -> None:
        self.ssthresh = max(loss.window / 2, 2.0)
        self.cwnd = self.ssthresh

    def on_timeout(self, timeout: Timeout, random: Draws) -> None:
        if timeout.in_a_row == 1:
            self.ssthresh = max(timeout.window / 2, 2.0)
        self.cwnd = 1.0

    def set_cwnd(self, cwnd: float) -> None:
        self.cwnd = max(cwnd, 1.0)

    def set_ssthresh(self, ssthresh: float) -> None:
        self.ssthresh = max(ssthresh, 1.0)


class IgnoresLoss(Reno):
    """Losses do not reduce the window."""

    def on_loss(self, loss: Loss, random: Draws) -> None:
        self.ssthresh = self.cwnd


class IgnoresEverything(Reno):
    """Neither losses nor timeouts reduce the window."""

    def on_loss(self, loss: Loss, random: Draws) -> None:
        self.ssthresh = self.cwnd

    def on_timeout(self, timeout: Timeout, random: Draws) -> None:
        self.cwnd = max(self.cwnd, 50.0)


class NeverEndsSlowStart(Reno):
    """A loss takes a tenth of the window, and slow start goes on."""

    def on_loss(self, loss: Loss, random: Draws) -> None:
        self.cwnd = max(loss.window * 0.9, 2.0)


class CountsAcks(Reno):
    """Grows with each acknowledgement, whatever that acknowledges."""

    def on_ack(self, ack: Ack, random: Draws) -> None:
        if ack.fresh and not ack.in_recovery and ack.cwnd_limited:
            self.cwnd += 1.0 if self.cwnd < self.ssthresh else 1.0 / self.cwnd


class GrowsTenfold(Reno):
    """Grows by ten packets in a round trip."""

    def increase(self) -> float:
        return 10.0


class CutsTooLittle(Reno):
    """A loss takes a twentieth of the window."""

    def on_loss(self, loss: Loss, random: Draws) -> None:
        self.ssthresh = max(loss.window * 0.95, 2.0)
        self.cwnd = self.ssthresh


class GrowsByShare(Reno):
    """Grows and shrinks by a share of the window, and so gives nothing to a flow that joins."""

    def increase(self) -> float:
        return self.cwnd * 0.01

    def on_loss(self, loss: Loss, random: Draws) -> None:
        self.cwnd = self.ssthresh = max(loss.window * 0.875, 2.0)


class FearsDelay(Reno):
    """Falls to two packets as soon as the round trip rises by a tenth."""

    def on_ack(self, ack: Ack, random: Draws) -> None:
        super().on_ack(ack, random)
        if ack.rtt is not None and ack.min_rtt is not None and ack.rtt > 1.1 * ack.min_rtt:
            self.cwnd = self.ssthresh = 2.0


class StaysDown(Reno):
    """A loss leaves two packets, and nothing grows from there."""

    def increase(self) -> float:
        return 0.0

    def on_loss(self, loss: Loss, random: Draws) -> None:
        self.cwnd = self.ssthresh = 2.0


class IgnoresMarks(Reno):
    """An echo of a mark does not reduce the window."""

    def on_loss(self, loss: Loss, random: Draws) -> None:
        if loss.signal != "ecn":
            super().on_loss(loss, random)


class TakesJitterForCongestion(Reno):
    """Halves the window when a round trip is much longer than the one before."""

    def __init__(self, initial: Initial) -> None:
        super().__init__(initial)
        self.last, self.rests_until = 0.0, 0.0

    def on_ack(self, ack: Ack, random: Draws) -> None:
        super().on_ack(ack, random)
        if ack.rtt is not None:
            if self.last and ack.rtt > self.last + 0.004 and ack.now > self.rests_until:
                self.cwnd = self.ssthresh = max(self.cwnd / 2, 2.0)
                self.rests_until = ack.now + ack.rtt
            self.last = ack.rtt


class HalfPackets(Reno):
    """Has its window in packets of half the size: it begins with half as much, and adds half as much."""

    def decision(self) -> ackclock.Decision:
        return ackclock.Decision(self.cwnd / 2, self.ssthresh / 2)

    def on_ack(self, ack: Ack, random: Draws) -> None:
        if ack.in_recovery or not ack.cwnd_limited:
            return
        grown = 2 * ack.abc_increment
        self.cwnd += grown if self.cwnd < self.ssthresh else grown / self.cwnd

    def on_loss(self, loss: Loss, random: Draws) -> None:
        self.cwnd = self.ssthresh = max(2 * loss.window * 0.5, 2.0)

    def on_timeout(self, timeout: Timeout, random: Draws) -> None:
        if timeout.in_a_row == 1:
            self.ssthresh = max(2 * timeout.window * 0.5, 2.0)
        self.cwnd = 1.0


class StarvesItsSibling(Reno):
    """Grows by a share of the window, of which a loss takes the less the larger it is: who has gets more."""

    def increase(self) -> float:
        return self.cwnd * 0.02

    def on_loss(self, loss: Loss, random: Draws) -> None:
        self.cwnd = self.ssthresh = max(loss.window * min(loss.window / 50, 0.9), 2.0)


class FearsMarks(Reno):
    """The first echo of a mark leaves two packets, and from then on nothing grows."""

    marked = False

    def increase(self) -> float:
        return 0.0 if self.marked else 1.0

    def on_loss(self, loss: Loss, random: Draws) -> None:
        super().on_loss(loss, random)
        if loss.signal == "ecn":
            self.cwnd = self.ssthresh = 2.0
            self.marked = True


class BeginsWithAll(Reno):
    """Has a window of a thousand packets from the beginning, whatever happens: more than a short flow has."""

    def __init__(self, initial: Initial) -> None:
        super().__init__(initial)
        self.cwnd = self.ssthresh = 1000.0

    def on_loss(self, loss: Loss, random: Draws) -> None:
        pass

    def on_timeout(self, timeout: Timeout, random: Draws) -> None:
        pass


class KeepsItsBestWindow(Reno):
    """After a pause the window is the largest one that it has had."""

    def set_cwnd(self, cwnd: float) -> None:
        self.best = max(getattr(self, "best", 0.0), self.cwnd)
        self.cwnd = self.best


class GrowsUnused(Reno):
    """Grows although the window is not used."""

    def on_ack(self, ack: Ack, random: Draws) -> None:
        if not ack.in_recovery:
            self.cwnd += ack.abc_increment


class CountsWithSixteenBits(Reno):
    """Counts what it delivered in 16 bits, and takes a count that fell for a loss of everything."""

    def __init__(self, initial: Initial) -> None:
        super().__init__(initial)
        self.counted = 0

    def on_ack(self, ack: Ack, random: Draws) -> None:
        before, self.counted = self.counted, (self.counted + ack.delivered) % 65536
        if self.counted < before:
            self.ssthresh = self.cwnd = 2.0
        super().on_ack(ack, random)


class StartsTwiceAsFast(Reno):
    """In slow start each packet that arrives lets four go."""

    def on_ack(self, ack: Ack, random: Draws) -> None:
        if ack.in_recovery or not ack.cwnd_limited:
            return
        grown = ack.abc_increment
        self.cwnd += 3 * grown if self.cwnd < self.ssthresh else self.increase() * grown / self.cwnd


class FaultlessCubic(Cubic):
    """CUBIC: no fault."""


class CubicWithoutMarks(Cubic):
    """An echo of a mark does not reduce the window."""

    def on_loss(self, loss: Loss, random: Draws) -> None:
        if loss.signal != "ecn":
            super().on_loss(loss, random)


class CubicWithoutConcave(Cubic):
    """Has K = 0, and so returns to W_max at once and grows from there, without the concave region."""

    def _begin(self, now: float) -> None:
        super()._begin(now)
        self._k = 0.0


class CubicWithoutDecrease(Cubic):
    """A loss does not reduce the window."""

    def decrease(self, window: float) -> float:
        return window


class CubicInTenths(Cubic):
    """Takes tenths of a second for seconds, so that its curve is a thousand times as steep."""

    def curve(self, seconds: float) -> float:
        return super().curve(seconds * 10)


class CubicWithItsBestWindow(Cubic):
    """Remembers the largest window at which it ever lost, and not the last one: its curve aims at a former path."""

    def lose(self, loss: Loss) -> None:
        best = self._w_max
        super().lose(loss)
        self._w_max = max(loss.window, best or 0.0)


class Raises(Reno):
    """Fails at its first loss."""

    def on_loss(self, loss: Loss, random: Draws) -> None:
        raise ZeroDivisionError("the rate was zero")


class FailsAtATimeout(Reno):
    """Has not been tried where a retransmission timeout occurs."""

    def on_timeout(self, timeout: Timeout, random: Draws) -> None:
        raise NotImplementedError("what to do after a timeout")


class LeavesItsTime(Reno):
    """Keeps the time in its class, where the next run would find it."""

    latest = 0.0

    def on_ack(self, ack: Ack, random: Draws) -> None:
        super().on_ack(ack, random)
        if ack.now < LeavesItsTime.latest:
            raise RuntimeError("another run came before")
        LeavesItsTime.latest = ack.now


class NeverReturns(Reno):
    """Waits for ever at its first loss."""

    def on_loss(self, loss: Loss, random: Draws) -> None:
        while True:
            time.sleep(1)


class EndsTheProcess(Reno):
    """Takes its process with it at its first loss."""

    def on_loss(self, loss: Loss, random: Draws) -> None:
        os._exit(1)


class Exits(Reno):
    """Asks the program to end at its first loss, with the exit code of success."""

    def on_loss(self, loss: Loss, random: Draws) -> None:
        sys.exit(0)


class TakesMemory(Reno):
    """Takes 64 GB of memory at its first loss, which it never uses."""

    def on_loss(self, loss: Loss, random: Draws) -> None:
        self.kept = bytearray(64 * 2**30)
        super().on_loss(loss, random)


class NeverBegins(Reno):
    """Waits for ever as it begins."""

    def __init__(self, initial: Initial) -> None:
        while True:
            time.sleep(1)


class EndsAtOnce(Reno):
    """Takes its process with it as it begins."""

    def __init__(self, initial: Initial) -> None:
        os._exit(1)


class WastesTime(Reno):
    """Takes a second for each acknowledgement."""

    def on_ack(self, ack: Ack, random: Draws) -> None:
        time.sleep(1)


class SendsNothing(Reno):
    """Has a window of nothing."""

    def decision(self) -> ackclock.Decision:
        return ackclock.Decision(0.0)
