"""The path and the application of a drill.

Times begin when the stack accepts the first bytes of the application. The first datagram of more than 500 bytes after
that has number 1. Smaller datagrams, which carry acknowledgements, have no number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

DATAGRAM = 1200
"""The size of a full datagram in bytes. Every path of QUIC must carry datagrams of this size (RFC 9000 section 14)."""
RTT_S = 0.1
"""The default round-trip time of a path, in seconds."""
GREEDY = 1 << 40
"""The bytes that a greedy application writes: more than any drill can send."""

Action = Literal["drop", "mark", "bleach", "delay", "hold"]


@dataclass(frozen=True)
class Rule:
    """A rule that drops, marks, delays or holds some datagrams, or clears their ECN field."""

    forward: bool
    """Whether the rule applies to datagrams of the client, which sends the data; if not, to those of the server."""
    kind: Literal["numbers", "times", "first"]
    """The meaning of ``first`` and ``last``: a range of datagram numbers, or a range of sending times in seconds. With
    ``"first"``, the rule applies to ``last`` datagrams: those sent first from the time ``first`` on, in seconds.
    """
    first: float
    last: float
    action: Action
    """``bleach`` clears the ECN field; ``hold`` keeps datagrams at the end of the path until ``time_s``."""
    time_s: float = 0.0
    """The added delay of ``delay``, or the time until which ``hold`` keeps datagrams, in seconds."""


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
    """A path, the rules for its datagrams, and an application."""

    end_s: float
    """The end of the drill, in seconds."""
    rules: Sequence[Rule] = ()
    """The rules that drop, mark, delay or hold datagrams."""
    writes: Sequence[tuple[float, int]] = ((0.0, GREEDY),)
    """The writes of the application: the time in seconds and the number of bytes."""
    finishes: bool = False
    """Whether the application ends the stream after its last bytes."""
    rtt_s: float = RTT_S
    """The round-trip time of the path without queueing, in seconds."""
    rates: Sequence[tuple[float, float]] = ((0.0, 100e6),)
    """The rates of the forward path: the time in seconds from which a rate applies, and the rate in bit/s. The default
    is far above what the drills need. It limits a control whose rate would grow without end if there were no losses."""
    queue_bytes: int = 10_000_000
    """The size of the queue at the bottleneck, in bytes."""

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
