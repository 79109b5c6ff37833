"""The contents of a sender's log in any format: windows, RTTs, losses and other events."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

Align = Literal["time", "packet"]
"""How the places of two logs are matched: by the time since the connection's first data packet, or by the number of
data packets sent.
"""
Unit = Literal["packets", "bytes"]


@dataclass(frozen=True)
class Quantity:
    """A number that a sender logs over time."""

    name: str
    """The name in qlog."""
    label: str
    unit: str
    """The unit in which values are shown: ``ms``, ``Mbit/s``, ``packets`` for a total, or empty for windows, which are
    shown in the unit of the comparison.
    """
    factor: float = 1.0
    """The factor from the unit of a log in memory (seconds, bit/s) to the unit in which values are shown."""


QUANTITIES: Mapping[str, Quantity] = {
    quantity.name: quantity
    for quantity in (
        Quantity("congestion_window", "congestion window", ""),
        Quantity("ssthresh", "slow start threshold", ""),
        Quantity("bytes_in_flight", "in flight", ""),
        Quantity("smoothed_rtt", "smoothed RTT", "ms", 1e3),
        Quantity("pacing_rate", "pacing rate", "Mbit/s", 1e-6),
        Quantity("retransmitted", "retransmitted", "packets"),
    )
}
"""The quantities that are compared, in the order of the tables."""


@dataclass(frozen=True)
class Place:
    """A place in a log."""

    time_s: float
    """The time on the log's own clock, in seconds. ``Comparison.begin_s`` is time 0 of a comparison on this clock."""
    sent: int
    """The number of data packets sent before this place, including retransmissions."""

    def along(self, align: Align, begin_s: float) -> float:
        """Returns the place on the axis of the comparison: seconds since the first data packet, or packets."""
        return self.time_s - begin_s if align == "time" else float(self.sent)


LOSSES, STATES, TIMEOUTS = "losses", "states", "timeouts"
"""The kinds of events that are compared one by one."""
EventKind = Literal["sent", "acknowledged", "lost", "timeout", "state", "metrics"]


@dataclass(frozen=True)
class Event:
    """An event that the sender logged."""

    place: Place
    kind: EventKind
    packet: int | None = None
    """The packet number in the log; None for an event without a packet."""
    nth: int | None = None
    """The index, from 0, of a lost packet among all data packets sent; None if the log does not record sent packets."""
    words: str = ""
    """The name of a state; for other events, details to show."""

    def __str__(self) -> str:
        which = "" if self.packet is None else f" {self.packet}"
        return {
            "sent": f"packet{which} sent",
            "acknowledged": f"packets up to{which} acknowledged" if which else "packet received",
            "lost": f"packet{which} lost",
            "timeout": "timeout",
            "state": f"state {self.words}",
            "metrics": self.words,
        }[self.kind] + (f" ({self.words})" if self.words and self.kind in ("sent", "lost", "timeout") else "")


@dataclass
class Course:
    """The values of a quantity: each holds until the next."""

    places: list[Place] = field(default_factory=list)
    values: list[float] = field(default_factory=list)

    def add(self, place: Place, value: float) -> None:
        """Adds a value that holds from ``place`` on."""
        self.places.append(place)
        self.values.append(value)


@dataclass(frozen=True)
class Steps:
    """A quantity along the axis of a comparison: ``values[i]`` holds from ``at[i]`` on."""

    at: list[float]
    values: list[float]
    since_s: list[float]
    """The time of each value, in seconds since the origin of the comparison."""
    sampled: bool = False
    """Whether the quantity is unknown between two values; see ``Log.sampled``."""

    @classmethod
    def of(cls, course: Course, align: Align, begin_s: float, scale: float, sampled: bool = False) -> Steps:
        """Returns the course along an axis, divided by ``scale``. The last of several values at one place holds.

        A value logged before the beginning, in a handshake, holds from the beginning on. A repeated value is not a
        step, but it is a sample.
        """
        at: list[float] = []
        values: list[float] = []
        since_s: list[float] = []
        for place, value in zip(course.places, course.values, strict=True):
            along = max(0.0, place.along(align, begin_s))
            if values and value / scale == values[-1] and not sampled:
                continue
            if not at or along > at[-1]:
                at.append(along)
                values.append(0.0)
                since_s.append(0.0)
            values[-1], since_s[-1] = value / scale, place.time_s - begin_s
        return cls(at, values, since_s, sampled)

    def held(self, first: float, last: float) -> list[float]:
        """Returns the values held from ``first`` to ``last``; none before the first value.

        Between two samples, either can hold.
        """
        begin, end = max(0, bisect_right(self.at, first) - 1), bisect_right(self.at, last)
        return self.values[begin : end + (self.sampled and end > 0)]

    def value(self, along: float) -> float | None:
        """Returns the value at a place; None before the first."""
        index = bisect_right(self.at, along) - 1
        return self.values[index] if index >= 0 else None

    def __iter__(self) -> Iterator[tuple[float, float, float]]:
        return zip(self.at, self.values, self.since_s, strict=True)


@dataclass
class Log:
    """The log of one connection, written by the end that sends the data."""

    file: str
    """The path of the file, with ``#`` and the flow if the user chose one."""
    format: str
    counts: Unit
    """The unit of windows in the log."""
    courses: dict[str, Course]
    events: list[Event]
    first_sent_s: float | None
    """When the first data packet was sent, in the log's own time; None if the log does not record it."""
    first_report_s: float
    """When the first acknowledgement of data arrived, or the first metrics were logged, in the log's own time."""
    packet_bytes: float | None = None
    """The number of bytes that a full packet adds to the bytes in flight; None if the log does not record it."""
    sampled: bool = False
    """Whether the log only samples the values, and does not record what happened between samples.

    The other log is compared with it only at the times of the samples.
    """
    numbers_packets: bool = True
    """Whether a log that records when data was first sent also records which packets were sent."""
    always_tells: frozenset[str] = frozenset()
    """The kinds of events (losses, states, timeouts) of which the log records every occurrence."""
    silent: Mapping[str, str] = field(default_factory=dict)
    """The reason why the log does not record a quantity, losses, states or timeouts, by name."""
    not_understood: Mapping[str, int] = field(default_factory=dict)
    """The number of events, by name, that are not understood and could affect the comparison."""

    @property
    def logs_packets(self) -> bool:
        """Returns whether the log records which packets were sent."""
        return self.first_sent_s is not None and self.numbers_packets

    @property
    def end(self) -> Place:
        """Returns the last place in the log with a value or an event."""
        places = [course.places[-1] for course in self.courses.values() if course.places]
        places += [event.place for event in self.events[-1:]]
        return max(places, key=lambda place: (place.time_s, place.sent))

    def of_kind(self, kind: EventKind) -> list[Event]:
        """Returns the events of a kind, in their order."""
        return [event for event in self.events if event.kind == kind]

    def tells(self, what: str, kind: EventKind) -> bool:
        """Returns whether the log reports losses, states or timeouts, which are events of ``kind``."""
        return what in self.always_tells or any(event.kind == kind for event in self.events)
