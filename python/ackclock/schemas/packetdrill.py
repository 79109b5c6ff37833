"""The document of ``ackclock packetdrill --json``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ackclock.schemas.run import Document


class ComparedRecord(Document):
    """The number of compared events of a script, by kind."""

    segments: int = Field(
        description="number of compared data segments that the host sent, zero-window probes included"
    )
    acknowledgements: int = Field(description="number of compared acknowledgements that the host sent")
    assertions: int = Field(description="number of checked assertions on the state of the host's TCP")
    handshakes: int = Field(description="number of handshake segments whose flags were compared")


class LeftOutRecord(Document):
    """A line of a script that was not fully compared."""

    line: int = Field(description="line of the script, counted from 1")
    what: str = Field(
        description="parts of the line that were not compared, because ackclock's TCP has no counterpart"
    )


class TimelineRow(Document):
    """An event of a script next to the host's event."""

    line: int | None = Field(
        description="line of the script, counted from 1; for a segment that the host sent and the script does not "
        "contain, the line at which the script and the host differ, or null if they do not differ"
    )
    time_s: float = Field(description="simulated time of the event, in seconds")
    script: str = Field(
        description="event in the notation of the script; empty if the script has no such event"
    )
    host: str = Field(
        description="corresponding event of the host, in the notation of scripts; empty if the host did nothing"
    )
    differs: bool = Field(description="whether the host's event differs from the script's")


class ScriptRecord(Document):
    """The result of one script."""

    file: str = Field(description="file of the script")
    verdict: Literal["pass", "difference", "cannot be expressed", "wrong input"] = Field(
        description="verdict on the script"
    )
    line: int | None = Field(
        description="line of the script, counted from 1, that decided the verdict; null for `pass` and `wrong input`"
    )
    reason: str = Field(
        description="description of the difference, of what the script needs and ackclock lacks, or of the mistake in "
        "the script; empty for `pass`"
    )
    compared: ComparedRecord = Field(description="number of compared events, by kind")
    not_expected: int = Field(
        description="number of data segments that the host sent after the last one that the script expects; 0 if the "
        "script does not pass"
    )
    not_compared: list[LeftOutRecord] = Field(
        description="one record for each line of the script that was not fully compared"
    )
    timeline: list[TimelineRow] = Field(
        description="events of the script, each with the corresponding event of the host"
    )


class PacketdrillDocument(Document):
    """The results of packetdrill scripts with ackclock's TCP."""

    scripts: list[ScriptRecord] = Field(description="one record for each script")
    totals: dict[str, int] = Field(description="number of scripts with each verdict")
