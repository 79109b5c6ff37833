"""A sender's log, read: what it says of windows, round trips and losses, whatever its format."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

Align = Literal["time", "packet"]
"""What places of two logs are compared: at the same time since the connection's first data packet, or when the same
number of data packets has been sent.
"""
Unit = Literal["packets", "bytes"]


@dataclass(frozen=True)
class Quantity:
    """A number that a sender logs over time."""

    name: str
    """The name in qlog."""
    label: str
    unit: str
    """The unit for reading: ``ms``, ``Mbit/s``, ``packets`` of a total, or empty for windows, which are in the unit of
    the comparison.
    """
    factor: float = 1.0
    """From the unit of a log that was read (seconds, bit/s) to the unit for reading."""


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
"""What is compared, in the order of the tables."""


@dataclass(frozen=True)
class Place:
    """A place in a log."""

    time_s: float
    """The time in the log, in seconds; see ``Comparison.begin_s``."""
    sent: int
    """The number of data packets sent before, counting retransmissions."""

    def along(self, align: Align, begin_s: float) -> float:
        """Returns the place on the axis of the comparison: seconds since the first data packet, or packets."""
        return self.time_s - begin_s if align == "time" else float(self.sent)


LOSSES, STATES, TIMEOUTS = "losses", "states", "timeouts"
"""What is compared event by event."""
EventKind = Literal["sent", "acknowledged", "lost", "timeout", "state", "metrics"]


@dataclass(frozen=True)
class Event:
    """Something that the sender logged."""

    place: Place
    kind: EventKind
    packet: int | None = None
    """The number of the packet in the log."""
    nth: int | None = None
    """Of a lost packet: which of the data packets it was, from 0; None in a log that does not say what was sent."""
    words: str = ""
    """Of a state its name; else what the event says besides, for reading."""

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
    """When each value was logged, in seconds since the beginning."""
    sampled: bool = False
    """Whether nothing is known between two values; see ``Log.sampled``."""

    @classmethod
    def of(cls, course: Course, align: Align, begin_s: float, scale: float, sampled: bool = False) -> Steps:
        """Returns the course along an axis, divided by ``scale``. Of several values at one place the last holds.

        What was logged before the beginning, in a handshake, holds from the beginning on. A value that is logged again
        is no step, but it is a sample.
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

        Between two samples either of them may hold.
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
    """The file, with the name of the flow if it was chosen."""
    format: str
    counts: Unit
    """What windows are counted in."""
    courses: dict[str, Course]
    events: list[Event]
    first_sent_s: float | None
    """When the first data packet was sent, in the log's own time; None if the log does not say."""
    first_report_s: float
    """When the first acknowledgement of data arrived, or the first metrics were logged."""
    packet_bytes: float | None = None
    """What a full packet adds to the bytes in flight; None if the log does not say."""
    sampled: bool = False
    """Whether the log has the values at some times, and says nothing of what happened between them.

    The other log is compared with it at these times only.
    """
    numbers_packets: bool = True
    """Whether a log that says when data was sent first also says which packets were sent."""
    always_tells: frozenset[str] = frozenset()
    """Of losses, states and timeouts, those that the log would have if they had happened."""
    silent: Mapping[str, str] = field(default_factory=dict)
    """Why the log cannot tell of a quantity, of losses, states or timeouts, in words."""
    not_understood: Mapping[str, int] = field(default_factory=dict)
    """How many events of which names may say something of what is compared, and are not understood."""

    @property
    def logs_packets(self) -> bool:
        """Returns whether the log says which packets were sent."""
        return self.first_sent_s is not None and self.numbers_packets

    @property
    def end(self) -> Place:
        """Returns the last place of which the log says anything."""
        places = [course.places[-1] for course in self.courses.values() if course.places]
        places += [event.place for event in self.events[-1:]]
        return max(places, key=lambda place: (place.time_s, place.sent))

    def of_kind(self, kind: EventKind) -> list[Event]:
        """Returns the events of a kind, in their order."""
        return [event for event in self.events if event.kind == kind]

    def tells(self, what: str, kind: EventKind) -> bool:
        """Returns whether the log reports losses, states or timeouts, which are events of ``kind``."""
        return what in self.always_tells or any(event.kind == kind for event in self.events)
