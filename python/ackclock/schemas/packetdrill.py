"""The document of ``ackclock packetdrill --json``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ackclock.schemas.run import Document


class ComparedRecord(Document):
    """The numbers of compared events of a script."""

    segments: int = Field(
        description="number of compared data segments of the host, zero-window probes included"
    )
    acknowledgements: int = Field(description="number of compared acknowledgements of the host")
    assertions: int = Field(description="number of compared assertions on the state of the host's TCP")
    handshakes: int = Field(description="number of handshake segments whose flags were compared")


class LeftOutRecord(Document):
    """A part of a script that has no counterpart in ackclock's TCP."""

    line: int = Field(description="line of the script, from 1")
    what: str = Field(description="part of the line that has no counterpart in ackclock's TCP")


class TimelineRow(Document):
    """An event of a script beside that of the host."""

    line: int | None = Field(
        description="line of the script, from 1; null for an action of the host that no line mentions"
    )
    time_s: float = Field(description="time of the event in the script, in seconds")
    script: str = Field(description="event as the script has it; empty if the script has none")
    host: str = Field(
        description="event of the host beside the script's, in the notation of scripts; empty if the host "
        "did nothing"
    )
    differs: bool = Field(description="whether the host's event differs from the script's")


class ScriptRecord(Document):
    """The result of one script."""

    file: str = Field(description="file of the script")
    verdict: Literal["pass", "difference", "cannot be expressed", "wrong input"] = Field(
        description="verdict on the script"
    )
    line: int | None = Field(
        description="line of the script that decided the verdict, from 1; null if the script passes or is wrong "
        "input"
    )
    reason: str = Field(
        description="description of what differs, cannot be expressed or is wrong; empty if the script passes"
    )
    compared: ComparedRecord = Field(description="numbers of compared events of the script")
    not_compared: list[LeftOutRecord] = Field(
        description="one record for each part of the script that has no counterpart"
    )
    timeline: list[TimelineRow] = Field(description="events of the script beside those of the host")


class PacketdrillDocument(Document):
    """packetdrill scripts, run against ackclock's TCP."""

    scripts: list[ScriptRecord] = Field(description="one record for each script")
    totals: dict[str, int] = Field(description="number of scripts with each verdict")
