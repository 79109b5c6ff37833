"""What a comparison of two logs finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ackclock.traces.log import LOSSES, QUANTITIES, STATES, TIMEOUTS, Align, Event, Log, Steps, Unit

STRETCHES = 8
"""The number of equal stretches for which the largest difference is given."""
ROUNDING = 1e-9
"""What equal numbers may differ by: after a division, or a subtraction of times."""
BEFORE = 5
"""The number of the last events before the parting that are shown of each log."""
COMPARED = (*QUANTITIES, LOSSES, STATES, TIMEOUTS)
"""What can be compared."""
SLACK: Mapping[Align, float] = {"time": 0.001, "packet": 2.0}
"""The slack by default, in seconds or packets."""
Side = Literal["ours", "theirs"]
SIDES: tuple[Side, Side] = ("ours", "theirs")


def covers(end: float, other_end: float, at: float, slack: float) -> bool:
    """Returns whether a log that ends at ``end`` says what happened at a place of the other one.

    A log that ends before the other says nothing of its own last place: it may have been cut off within it.
    """
    return at < end - slack or (at <= end + slack and end >= other_end - slack)


@dataclass(frozen=True)
class Tolerance:
    """What counts as equal."""

    share: float = 0.01
    """The largest difference of a value, as a share of the larger one."""
    of: Mapping[str, float] = field(default_factory=dict)
    """Other shares of single quantities."""
    slack: float = SLACK["time"]
    """The distance along the axis (seconds, or packets) within which a value may be found, or an event happen."""

    def share_of(self, quantity: str) -> float:
        """Returns the largest difference of a quantity."""
        return self.of.get(quantity, self.share)


@dataclass(frozen=True)
class Parting:
    """The first place at which two logs differ."""

    what: str
    """One of ``COMPARED``."""
    at: float
    """The place on the axis of the comparison."""
    since_s: float
    """The time since the beginning, which orders what happens at one place."""
    ours: str
    """What our log says there, in words."""
    theirs: str
    our_event: Event | None = None
    """The event of our log that has no equal in the other, or whose equal is elsewhere."""
    their_event: Event | None = None


@dataclass(frozen=True)
class Difference:
    """How far the two courses of a quantity are apart."""

    quantity: str
    largest: float
    """The largest difference beyond the slack, as a share of the larger value."""
    at: float
    """The place of the largest difference."""
    ours: float
    theirs: float
    """The values there, in the unit of the comparison."""
    first_beyond: float | None
    """The first place beyond the tolerance; None if there is none."""
    stretches: list[float | None]
    """The largest difference in each of ``STRETCHES`` equal stretches; None where a log has no value."""


@dataclass(frozen=True)
class Comparison:
    """Two logs compared."""

    ours: Log
    theirs: Log
    align: Align
    unit: Unit
    tolerance: Tolerance
    span: float
    """The end of what both logs cover, on the axis of the comparison."""
    parting: Parting | None
    differences: list[Difference]
    compared: list[str]
    """What was compared, of ``COMPARED`` and in its order."""
    not_compared: dict[str, str]
    """What was left out, and why."""
    steps: dict[str, tuple[Steps, Steps]]
    """The courses of each quantity, ours and theirs."""
    begins_s: tuple[float, float]
    """Where times count from, in the own times of our log and theirs."""

    @property
    def origin(self) -> str:
        """Returns what times count from, in words."""
        if self.ours.first_sent_s is not None and self.theirs.first_sent_s is not None:
            return "the first data packet"
        return "the first acknowledgement"

    def begin_s(self, side: Side) -> float:
        """Returns where times of a log count from, in its own time."""
        return self.begins_s[side == "theirs"]

    @property
    def agree(self) -> bool:
        """Returns whether the logs agree within the tolerance."""
        return self.parting is None

    def side(self, side: Side) -> Log:
        """Returns one of the logs."""
        return self.ours if side == "ours" else self.theirs

    def before(self, side: Side, count: int = BEFORE) -> list[Event]:
        """Returns the last events of a log up to the parting, without the one that parts it."""
        if self.parting is None:
            return []
        events, own = self.side(side).events, self.own(side)
        if own is not None:
            return events[: next(number for number, event in enumerate(events) if event is own)][-count:]
        return [event for event in events if self._precedes(event, self.begin_s(side))][-count:]

    def state(self, side: Side) -> str | None:
        """Returns a log's state at the parting; None if it logs none until then."""
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
        """Returns the event of a log that parts it from the other."""
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
