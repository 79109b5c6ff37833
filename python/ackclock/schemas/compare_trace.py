"""The document of ``ackclock compare-trace --json``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ackclock.schemas.run import Document


class TraceRecord(Document):
    """One of the two logs."""

    file: str = Field(description="file of the log")
    format: str = Field(description="format of the log")
    counts: Literal["bytes", "packets"] = Field(description="unit in which the log counts windows")
    packet_bytes: float | None = Field(
        description="bytes that a full packet adds to the bytes in flight, from --packet-bytes or the log; null "
        "if neither gives it"
    )
    sampled: bool = Field(
        description="whether the log has only samples of the state, with nothing known between two samples"
    )
    begin_s: float = Field(description="origin of this document's times, in seconds of the log's own clock")
    end_s: float = Field(description="time of the last event of the log, in seconds from `begin_s`")
    events: int = Field(description="number of events in the log")


class TraceEvent(Document):
    """An event of a log."""

    time_s: float = Field(description="time of the event in seconds of the log's own clock")
    since_begin_s: float = Field(description="time of the event in seconds from the log's `begin_s`")
    packets_sent: int = Field(description="number of data packets sent before the event")
    kind: str = Field(description="kind of the event")
    packet: int | None = Field(
        description="number of the packet that the event concerns; null if it concerns none"
    )
    text: str = Field(description="description of the event")


class PartingSide(Document):
    """The first difference as one of the logs shows it."""

    text: str = Field(description="description of this log at the first difference")
    time_s: float | None = Field(
        description="time of the first difference in seconds of the log's own clock; null if places are "
        "counted in packets"
    )
    event: TraceEvent | None = Field(
        description="event that the other log lacks, or has at another place; null if the difference is one "
        "of values"
    )
    state: str | None = Field(
        description="congestion state in this log at the first difference; null if the log records none before it"
    )
    values: dict[str, float | None] = Field(
        description="value of each compared quantity at the first difference: windows in `unit`, times in "
        "seconds, rates in bit/s; null where the log has no value"
    )
    before: list[TraceEvent] = Field(
        description="last five events, or fewer, of this log before the first difference"
    )


class PartingRecord(Document):
    """The first difference beyond the tolerance."""

    what: str = Field(
        description="kind of the first difference: the name of a quantity, or losses, states or timeouts"
    )
    at: float = Field(
        description="place of the first difference: seconds, or the number of data packets sent"
    )
    ours: PartingSide = Field(description="first difference as the first log shows it")
    theirs: PartingSide = Field(description="first difference as the second log shows it")


class DifferenceRecord(Document):
    """The difference between the two logs in one quantity."""

    quantity: str = Field(description="name of the compared quantity")
    tolerance: float = Field(description="tolerated difference as a share of the larger of the two values")
    largest: float = Field(
        description="largest difference as a share of the larger of the two values; a value of one log is compared "
        "with the nearest value of the other within `slack`"
    )
    at: float = Field(
        description="place of the largest difference: seconds, or the number of data packets sent"
    )
    ours: float = Field(description="value in the first log at the largest difference")
    theirs: float = Field(description="value in the second log at the largest difference")
    first_beyond: float | None = Field(
        description="first place where the difference exceeds the tolerance; null if it never does"
    )
    stretches: list[float | None] = Field(
        description="largest difference, as a share of the larger value, in each of eight equal parts of the span; "
        "null where a log has no value"
    )


class CompareTraceDocument(Document):
    """Two logs of a sender, compared."""

    agree: bool = Field(description="whether all compared quantities and events agree within the tolerance")
    by: Literal["time", "packet"] = Field(
        description="meaning of places: seconds, or the number of data packets sent"
    )
    origin: str = Field(description="event at which both logs' times start")
    span: float = Field(
        description="end of the part that both logs cover: seconds, or the number of data packets sent"
    )
    unit: Literal["bytes", "packets"] = Field(description="unit of windows in this document")
    slack: float = Field(
        description="distance within which a value of one log is searched for in the other, in seconds or "
        "packets"
    )
    ours: TraceRecord = Field(description="record of the first log")
    theirs: TraceRecord = Field(description="record of the second log")
    compared: list[str] = Field(
        description="names of what was compared: quantities, and losses, states, timeouts where both logs "
        "have them"
    )
    parting: PartingRecord | None = Field(
        description="first difference beyond the tolerance; null if there is none"
    )
    differences: list[DifferenceRecord] = Field(description="one record for each compared quantity")
    not_compared: dict[str, str] = Field(
        description="reason for each quantity or kind of event that was left out, by its name"
    )
