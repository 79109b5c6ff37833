"""The document of ``ackclock packetdrill --json``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ackclock.schemas.run import Document


class ComparedRecord(Document):
    """What was compared with a script."""

    segments: int = Field(description="data segments of the host, and its probes of a closed window")
    acknowledgements: int
    assertions: int
    handshakes: int = Field(description="segments of the handshake whose flags were compared")


class LeftOutRecord(Document):
    """What a line of a script says that has no counterpart."""

    line: int
    what: str


class TimelineRow(Document):
    """An event of a script, with what the host did."""

    line: int | None
    time_s: float
    script: str
    host: str
    differs: bool


class ScriptRecord(Document):
    """How a script ended."""

    file: str
    verdict: Literal["pass", "difference", "cannot be expressed", "wrong input"]
    line: int | None = Field(description="the line of the script that decided; null if it passes")
    reason: str = Field(description="what differs, cannot be expressed or is wrong; empty if it passes")
    compared: ComparedRecord
    not_compared: list[LeftOutRecord]
    timeline: list[TimelineRow]


class PacketdrillDocument(Document):
    """Scripts of packetdrill, run over ackclock's TCP."""

    scripts: list[ScriptRecord]
    totals: dict[str, int] = Field(description="the number of scripts with each verdict")
