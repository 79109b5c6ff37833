"""The path and the application of a drill.

Datagrams and times count from the moment at which the stack took the first bytes of its application: the first datagram
of more than 500 bytes after that has number 1. Smaller ones, which carry acknowledgements, have none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

DATAGRAM = 1200
"""The bytes of a full datagram of all drills: the least that every path of QUIC must carry (RFC 9000 section 14)."""
RTT_S = 0.1
"""The round trip of a path that says no other."""
GREEDY = 1 << 40
"""The bytes of an application that always has more."""

Action = Literal["drop", "mark", "bleach", "delay", "hold"]


@dataclass(frozen=True)
class Rule:
    """What happens to some datagrams."""

    forward: bool
    """Whether they are the client's, which has the data; or else the server's."""
    kind: Literal["numbers", "times", "first"]
    """Whether the range is one of numbers, or of seconds in which they are sent; or whether it is the first ones from a
    time on, and how many.
    """
    first: float
    last: float
    action: Action
    """``bleach`` clears the ECN field, ``hold`` keeps them at the end of the path until a time."""
    time_s: float = 0.0
    """The added delay, or the time until which they are held."""


def drop(*numbers: int) -> list[Rule]:
    """Drops datagrams of the client with these numbers."""
    return [Rule(True, "numbers", number, number, "drop") for number in numbers]


def first(from_s: float, count: int = 1, action: Action = "drop") -> list[Rule]:
    """Drops the first datagrams of the client from a time on."""
    return [Rule(True, "first", from_s, count, action)]


def mark(*numbers: int) -> list[Rule]:
    """Marks datagrams of the client with these numbers as having experienced congestion."""
    return [Rule(True, "numbers", number, number, "mark") for number in numbers]


def delay(by_s: float, numbers: Iterable[int]) -> list[Rule]:
    """Delays datagrams of the client with these numbers."""
    return [Rule(True, "numbers", number, number, "delay", by_s) for number in numbers]


def outage(first_s: float, last_s: float) -> list[Rule]:
    """Drops everything in both directions."""
    return [Rule(forward, "times", first_s, last_s, "drop") for forward in (True, False)]


def loss_of_all(first_s: float, last_s: float) -> list[Rule]:
    """Drops everything in both directions, except what the server sends in the first three round trips.

    That time is enough for a window that fills a queue. Without it the first acknowledgement after the outage would be
    the first one of many datagrams that arrived before, and the window would grow by them at once.
    """
    return [
        Rule(True, "times", first_s, last_s, "drop"),
        Rule(False, "times", first_s + 3 * RTT_S, last_s, "drop"),
    ]


def hold(first_s: float, last_s: float) -> list[Rule]:
    """Keeps what the server sends in this time until its end."""
    return [Rule(False, "times", first_s, last_s, "hold", last_s + RTT_S / 2)]


def batches(every_s: float, last_s: float, *, forward: bool, rtt_s: float = RTT_S) -> list[Rule]:
    """Lets datagrams of a direction arrive only at multiples of a time, in their order."""
    return [
        Rule(forward, "times", k * every_s, (k + 1) * every_s - 1e-9, "hold", (k + 1) * every_s + rtt_s / 2)
        for k in range(round(last_s / every_s))
    ]


@dataclass(frozen=True)
class Script:
    """A path, an application, and what happens."""

    end_s: float
    """The end."""
    rules: Sequence[Rule] = ()
    """What happens to some datagrams."""
    writes: Sequence[tuple[float, int]] = ((0.0, GREEDY),)
    """The application writes these bytes at these times."""
    finishes: bool = False
    """Whether the application ends the stream after its last bytes."""
    rtt_s: float = RTT_S
    """The round trip of the path without a queue."""
    rates: Sequence[tuple[float, float]] = ((0.0, 100e6),)
    """The rate of the path forward in bit/s, each from a time on. The usual one is far above what drills need, and ends
    the growth of a control that no loss stops."""
    queue_bytes: int = 10_000_000
    """The most that waits before the path."""

    def arguments(self) -> dict[str, Any]:
        """Returns it as the core takes it."""
        rates = [(_ns(at), round(rate)) for at, rate in self.rates]
        return {
            "delay_ns": _ns(self.rtt_s / 2),
            "bottleneck": (rates, self.queue_bytes),
            "rules": [_rule(one) for one in self.rules],
            "writes": [(_ns(at), size) for at, size in self.writes],
            "finishes": self.finishes,
            "end_ns": _ns(self.end_s),
            "datagram": DATAGRAM,
        }


def trickle(first_s: float, last_s: float, every_s: float, size: int = 1000) -> list[tuple[float, int]]:
    """Returns the writes of an application that has one datagram's bytes at regular times."""
    count = round((last_s - first_s) / every_s)
    return [(first_s + index * every_s, size) for index in range(count)]


def _rule(one: Rule) -> tuple[bool, str, int, int, str, int]:
    begins = round(one.first) if one.kind == "numbers" else _ns(one.first)
    ends = _ns(one.last) if one.kind == "times" else round(one.last)
    return one.forward, one.kind, begins, ends, one.action, _ns(one.time_s)


def _ns(seconds: float) -> int:
    return round(seconds * 1e9)
