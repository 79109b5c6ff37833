"""CoDel (RFC 8289) as a queue discipline in Python: the same run as `codel` in Rust, byte for byte."""

from __future__ import annotations

import math

import ackclock
from ackclock.custom import Arrival, Backlog, Capacity, Draws, LinkRate, Verdict


class CoDel(ackclock.Discipline):
    """Drops or marks packets, increasingly often, once queueing delay has stayed above a target for an interval."""

    target: float = ackclock.parameter("5 ms", unit="time", above=0)
    interval: float = ackclock.parameter("100 ms", unit="time", above=0)
    max_packet: int = ackclock.parameter("1500 B", unit="size", at_least=0)
    ecn: bool = False

    def __init__(self, capacity: Capacity, link: LinkRate) -> None:
        self.capacity = capacity
        self.first_above: int | None = None
        self.drop_next = self.count = self.last_count = 0
        self.dropping = False

    def on_arrival(self, arrival: Arrival, backlog: Backlog, random: Draws) -> Verdict:
        return "admit" if self.capacity.admits(arrival, backlog) else "drop"

    def on_departure(self, now: float, random: Draws) -> Arrival | None:
        time = whole_ns(now)
        above = self.too_long(time)
        if self.dropping:
            while above and time >= self.drop_next:
                self.count += 1
                marked = self.drop_or_mark()
                above = marked or self.too_long(time)
                if above:
                    self.drop_next = self.after(self.drop_next)
                if marked:
                    break
            self.dropping = above
        elif above:
            if not self.drop_or_mark():
                self.too_long(time)
            # Section 5.5: what dropped often a short while ago begins where it left off.
            recently = time - self.drop_next < 16 * whole_ns(self.interval)
            delta = self.count - self.last_count
            self.count = self.last_count = delta if delta > 1 and recently else 1
            self.dropping, self.drop_next = True, self.after(time)
        return self.queue[0] if self.queue else None

    def too_long(self, time: int) -> bool:
        """Section 5.6: whether packets have waited too long for an interval, by the oldest."""
        behind = self.queue.bytes - self.queue[0].bytes if self.queue else 0
        if behind <= self.max_packet or time - whole_ns(self.queue[0].now) < whole_ns(self.target):
            self.first_above = None
            return False
        if self.first_above is None:
            self.first_above = time + whole_ns(self.interval)
        return time >= self.first_above

    def drop_or_mark(self) -> bool:
        """Whether the oldest is marked in place of the drop: then it goes."""
        marks = self.ecn and self.queue[0].ecn_capable
        (self.queue.mark if marks else self.queue.drop)(self.queue[0])
        return marks

    def after(self, time: int) -> int:
        """Section 5.6: the time of the next drop."""
        return time + int(whole_ns(self.interval) * (1 / math.sqrt(self.count)) + 0.5)

    def publish(self) -> dict[str, float]:
        return {"drops_in_a_row": self.count if self.dropping else 0}


def whole_ns(seconds: float) -> int:
    """The simulator counts whole nanoseconds."""
    return round(seconds * 1e9)
