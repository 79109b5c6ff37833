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
        description="whether the log has only samples of the state, so that changes between two samples are unknown"
    )
    begin_s: float = Field(description="time of the event `origin` on the log's own clock, in seconds")
    end_s: float = Field(description="time of the last event or value of the log, in seconds after `begin_s`")
    events: int = Field(description="number of events in the log")


class TraceEvent(Document):
    """An event of a log."""

    time_s: float = Field(description="time of the event on the log's own clock, in seconds")
    since_begin_s: float = Field(description="time of the event in seconds after the log's `begin_s`")
    packets_sent: int = Field(description="number of data packets sent before the event")
    kind: str = Field(description="kind of the event")
    packet: int | None = Field(
        description="number of the packet that the event concerns; null if it concerns none"
    )
    text: str = Field(description="description of the event")


class PartingSide(Document):
    """What one of the logs contains at the first difference."""

    text: str = Field(
        description="content of this log at the first difference, in words: a value or an event"
    )
    time_s: float | None = Field(
        description="time of the first difference on this log's own clock, in seconds; null if `by` is packet"
    )
    event: TraceEvent | None = Field(
        description="event of this log at the first difference, which the other log lacks or has at another position; "
        "null if this log has no such event, or if the first difference is in a value"
    )
    state: str | None = Field(
        description="congestion state in this log at the first difference; null if the log has recorded no state "
        "by then"
    )
    values: dict[str, float | None] = Field(
        description="value of each compared quantity in this log at the first difference: windows in `unit`, times "
        "in seconds, rates in bit/s; null before the log's first value"
    )
    before: list[TraceEvent] = Field(
        description="events of this log before the first difference, at most the last five"
    )


class PartingRecord(Document):
    """The first difference beyond the tolerance."""

    what: str = Field(
        description="name of the first difference: that of a quantity, or `losses`, `states` or `timeouts`"
    )
    at: float = Field(
        description="position of the first difference: seconds after `origin` or, if `by` is packet, number of data "
        "packets sent"
    )
    ours: PartingSide = Field(description="content of the first log at the first difference")
    theirs: PartingSide = Field(description="content of the second log at the first difference")


class DifferenceRecord(Document):
    """The difference between the two logs in one quantity."""

    quantity: str = Field(description="name of the compared quantity")
    tolerance: float = Field(description="tolerated difference as a share of the larger of the two values")
    largest: float = Field(
        description="largest difference as a share of the larger of the two values; each value of one log is compared "
        "with the most similar value that the other log has within `slack`"
    )
    at: float = Field(
        description="position of the largest difference: seconds after `origin` or, if `by` is packet, number of data "
        "packets sent"
    )
    ours: float = Field(description="value in the first log at the largest difference")
    theirs: float = Field(description="value in the second log at the largest difference")
    first_beyond: float | None = Field(
        description="position of the first difference beyond the tolerance: seconds after `origin` or, if `by` is "
        "packet, number of data packets sent; null if there is none"
    )
    stretches: list[float | None] = Field(
        description="largest difference, as a share of the larger value, in each of eight equal parts of `span`; null "
        "where no values were compared"
    )


class CompareTraceDocument(Document):
    """A comparison of two logs of senders."""

    agree: bool = Field(description="whether all compared quantities and events agree within the tolerance")
    by: Literal["time", "packet"] = Field(
        description="axis of the comparison: seconds after `origin` (time) or number of data packets sent (packet)"
    )
    origin: str = Field(description="event from which times are counted in both logs")
    span: float = Field(
        description="end of the part that both logs cover: seconds after `origin` or, if `by` is packet, number of "
        "data packets sent"
    )
    unit: Literal["bytes", "packets"] = Field(description="unit of windows in this document")
    slack: float = Field(
        description="largest distance in position at which values or events of the two logs are matched: in seconds "
        "or, if `by` is packet, in data packets sent"
    )
    ours: TraceRecord = Field(description="the first log")
    theirs: TraceRecord = Field(description="the second log")
    compared: list[str] = Field(
        description="names of the compared quantities, and `losses`, `states` and `timeouts` if they were compared"
    )
    parting: PartingRecord | None = Field(
        description="first difference beyond the tolerance; null if there is none"
    )
    differences: list[DifferenceRecord] = Field(description="one record for each compared quantity")
    not_compared: dict[str, str] = Field(
        description="names of the quantities and kinds of events that were not compared, each with the reason"
    )
