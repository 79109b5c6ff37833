"""The document of ``ackclock compare-trace --json``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ackclock.schemas.run import Document


class TraceRecord(Document):
    """One of the two logs."""

    file: str
    format: str
    counts: Literal["bytes", "packets"] = Field(description="what the log counts windows in")
    packet_bytes: float | None = Field(description="what a full packet adds to the bytes in flight")
    sampled: bool = Field(description="whether nothing is known between its values")
    begin_s: float = Field(description="where times count from, in the log's own time")
    end_s: float = Field(description="the last event, in seconds from begin_s")
    events: int


class TraceEvent(Document):
    """An event of a log."""

    time_s: float = Field(description="in the log's own time")
    since_begin_s: float
    packets_sent: int = Field(description="the number of data packets sent before")
    kind: str
    packet: int | None
    text: str


class PartingSide(Document):
    """What one log says where the two part."""

    text: str
    time_s: float | None = Field(description="in the log's own time; null if the place counts packets")
    event: TraceEvent | None = Field(description="the event that the other log has not, or has elsewhere")
    state: str | None
    values: dict[str, float | None] = Field(
        description="of each quantity that is compared: windows in `unit`, times in s, rates in bit/s"
    )
    before: list[TraceEvent] = Field(description="the last events before")


class PartingRecord(Document):
    """The first difference beyond the tolerance."""

    what: str = Field(description="a quantity, or losses, states, timeouts")
    at: float = Field(description="seconds, or data packets sent")
    ours: PartingSide
    theirs: PartingSide


class DifferenceRecord(Document):
    """How far the two courses of a quantity are apart."""

    quantity: str
    tolerance: float = Field(description="as a share of the larger value")
    largest: float = Field(description="as a share of the larger value")
    at: float = Field(description="the place of the largest difference")
    ours: float
    theirs: float
    first_beyond: float | None = Field(
        description="the first place beyond the tolerance; null if there is none"
    )
    stretches: list[float | None] = Field(
        description="the largest difference in equal stretches of the span; null where a log has no value"
    )


class CompareTraceDocument(Document):
    """Two logs of a sender, compared."""

    agree: bool = Field(description="whether what was compared is within the tolerance")
    by: Literal["time", "packet"] = Field(description="what places are compared")
    origin: str = Field(description="what times count from")
    span: float = Field(description="the end of what both logs cover: seconds, or data packets sent")
    unit: Literal["bytes", "packets"] = Field(description="the unit of windows")
    slack: float = Field(
        description="the distance, in seconds or packets, within which values are looked for"
    )
    ours: TraceRecord
    theirs: TraceRecord
    compared: list[str] = Field(
        description="what was compared: quantities, and losses, states, timeouts where both logs tell of them"
    )
    parting: PartingRecord | None
    differences: list[DifferenceRecord]
    not_compared: dict[str, str] = Field(description="what was left out, and why")
