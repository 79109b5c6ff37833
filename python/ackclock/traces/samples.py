"""Builds the log of a sender of which only samples are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ackclock.traces.log import LOSSES, QUANTITIES, STATES, TIMEOUTS, Course, Event, Log, Place, Unit

NO_EVENT = {what: f"samples do not record {what}" for what in (LOSSES, STATES, TIMEOUTS)}
"""The reasons why losses, states and timeouts of a log of samples cannot be compared."""


@dataclass
class Samples:
    """The samples of one connection."""

    courses: dict[str, Course] = field(default_factory=lambda: {name: Course() for name in QUANTITIES})
    events: list[Event] = field(default_factory=list)

    def add(self, time_s: float, values: Mapping[str, float]) -> None:
        """Adds the values that hold at a time, which is not before that of the last sample."""
        place = Place(time_s, 0)
        for name, value in values.items():
            self.courses[name].add(place, value)
        words = ", ".join(f"{name} {value:.9g}" for name, value in values.items())
        self.events.append(Event(place, "metrics", words=words))

    def log(
        self,
        file: str,
        format: str,
        counts: Unit,
        *,
        first_sent_s: float | None = None,
        first_report_s: float,
        packet_bytes: float | None = None,
        silent: Mapping[str, str] | None = None,
    ) -> Log:
        """Returns the log."""
        return Log(
            file,
            format,
            counts,
            {name: course for name, course in self.courses.items() if course.places},
            self.events,
            first_sent_s,
            first_report_s,
            packet_bytes,
            sampled=True,
            numbers_packets=False,
            silent=NO_EVENT | dict(silent or {}),
        )
