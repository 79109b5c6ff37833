"""The result of comparing two logs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ackclock.traces.log import LOSSES, QUANTITIES, STATES, TIMEOUTS, Align, Event, Log, Steps, Unit

STRETCHES = 8
"""The number of equal parts into which a comparison is divided. The largest difference in each part is reported."""
ROUNDING = 1e-9
"""The largest difference between equal numbers that rounding can cause in a division or in a subtraction of times."""
BEFORE = 5
"""The number of events of each log that are shown before the first difference."""
COMPARED = (*QUANTITIES, LOSSES, STATES, TIMEOUTS)
"""The names of the quantities and kinds of events that can be compared."""
SLACK: Mapping[Align, float] = {"time": 0.001, "packet": 2.0}
"""The default of ``Tolerance.slack``: in seconds for a comparison by time, in packets for a comparison by packet."""
Side = Literal["ours", "theirs"]
SIDES: tuple[Side, Side] = ("ours", "theirs")


def covers(end: float, other_end: float, at: float, slack: float) -> bool:
    """Returns whether a log that ends at ``end`` covers the place ``at`` of the other log.

    A log that ends before the other does not cover its own last place, because it may have been cut off there.
    """
    return at < end - slack or (at <= end + slack and end >= other_end - slack)


@dataclass(frozen=True)
class Tolerance:
    """The differences at which two values still count as equal."""

    share: float = 0.01
    """The largest difference between two values that count as equal, as a share of the larger value."""
    of: Mapping[str, float] = field(default_factory=dict)
    """The shares of individual quantities, in place of ``share``."""
    slack: float = SLACK["time"]
    """The distance along the axis, in seconds or packets, within which values and events of the two logs can match."""

    def share_of(self, quantity: str) -> float:
        """Returns the largest difference allowed for a quantity, as a share."""
        return self.of.get(quantity, self.share)


@dataclass(frozen=True)
class Parting:
    """The first place at which two logs differ."""

    what: str
    """One of ``COMPARED``."""
    at: float
    """The place of the first difference on the axis of the comparison, in seconds or packets."""
    since_s: float
    """The time of the difference since the origin, in seconds. Differences at the same place are ordered by it."""
    ours: str
    """The value or event of the first log at this place, in words."""
    theirs: str
    our_event: Event | None = None
    """The event of the first log that the second log lacks or has at another place; None if there is none."""
    their_event: Event | None = None


@dataclass(frozen=True)
class Difference:
    """The difference between the two logs in one quantity."""

    quantity: str
    largest: float
    """The largest difference between values that are matched within the slack, as a share of the larger value."""
    at: float
    """The place of the largest difference on the axis of the comparison, in seconds or packets."""
    ours: float
    theirs: float
    """The values of both logs at the largest difference, in the unit of the comparison."""
    first_beyond: float | None
    """The first place at which the difference exceeds the tolerance; None if there is none."""
    stretches: list[float | None]
    """The largest difference in each of ``STRETCHES`` equal parts of the comparison; None where a log has no value."""


@dataclass(frozen=True)
class Comparison:
    """Two logs compared."""

    ours: Log
    theirs: Log
    align: Align
    unit: Unit
    tolerance: Tolerance
    span: float
    """The end of the part that both logs cover, on the axis of the comparison, in seconds or packets."""
    parting: Parting | None
    differences: list[Difference]
    compared: list[str]
    """The quantities and kinds of events that were compared, in the order of ``COMPARED``."""
    not_compared: dict[str, str]
    """The reason why a quantity, a kind of event or an event was left out of the comparison, by its name."""
    steps: dict[str, tuple[Steps, Steps]]
    """The values of each quantity along the axis of the comparison, in the first and in the second log."""
    begins_s: tuple[float, float]
    """The time of the origin in the first and in the second log, each on the log's own clock, in seconds."""

    @property
    def origin(self) -> str:
        """Returns the origin of the time axis in words."""
        if self.ours.first_sent_s is not None and self.theirs.first_sent_s is not None:
            return "the first data packet"
        return "the first acknowledgement"

    def begin_s(self, side: Side) -> float:
        """Returns the origin of the time axis in a log, in the log's own time."""
        return self.begins_s[side == "theirs"]

    @property
    def agree(self) -> bool:
        """Returns whether the logs agree within the tolerance."""
        return self.parting is None

    def side(self, side: Side) -> Log:
        """Returns one of the logs."""
        return self.ours if side == "ours" else self.theirs

    def before(self, side: Side, count: int = BEFORE) -> list[Event]:
        """Returns the last events of a log before the parting, without the event that differs."""
        if self.parting is None:
            return []
        events, own = self.side(side).events, self.own(side)
        if own is not None:
            return events[: next(number for number, event in enumerate(events) if event is own)][-count:]
        return [event for event in events if self._precedes(event, self.begin_s(side))][-count:]

    def state(self, side: Side) -> str | None:
        """Returns a log's state at the parting; None if no state was logged before."""
        own = self.own(side)
        if own is not None and own.kind == "state":
            return own.words
        before = [
            event.words
            for event in self.side(side).of_kind("state")
            if self._precedes(event, self.begin_s(side))
        ]
        return before[-1] if before else None

    def own(self, side: Side) -> Event | None:
        """Returns the event of a log at which the logs first differ; None if there is none in this log."""
        if self.parting is None:
            return None
        return self.parting.our_event if side == "ours" else self.parting.their_event

    def _precedes(self, event: Event, begin_s: float) -> bool:
        """Returns whether an event comes before the parting; packets sent at its place leave after it."""
        if self.parting is None:
            return False
        along, at = event.place.along(self.align, begin_s), self.parting.at
        if along < at - ROUNDING or along > at + ROUNDING:
            return along < at
        return event.kind != "sent" and event.place.time_s - begin_s <= self.parting.since_s + ROUNDING
