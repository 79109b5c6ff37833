"""The document of ``ackclock check-stack --json``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ackclock.schemas.run import Document


class LibraryRecord(Document):
    """The library of the stack."""

    path: str
    sha256: str


class DrillRecord(Document):
    """What one question found."""

    id: str
    clause: str = Field(description="the document and the section that demand it")
    force: Literal["MUST", "SHOULD", "MAY"] = Field(description="the word of the clause")
    demand: str = Field(description="what the clause demands")
    result: Literal["as demanded", "violated", "absent", "cannot be seen"] = Field(
        description="absent: the clause permits it and the stack does not do it; cannot be seen: neither datagrams nor "
        "the numbers that the stack tells show it"
    )
    allowed: bool = Field(description="whether it is violated and --allow names it")
    text: str = Field(description="what was measured, or why it cannot be seen")
    timeline: list[str] = Field(description="what happened before a violation, a line for each event")


class CheckStackDocument(Document):
    """A check of a stack with one of its controls."""

    control: str = Field(description="the control as scenarios name it")
    law: Literal["reno", "cubic", "bbr"] | None = Field(description="null: a law without drills of its own")
    version: str | None = Field(description="what a library says; null for a stack that is built in")
    licence: str | None
    library: LibraryRecord | None = Field(description="null for a stack that is built in")
    cpu_s: float = Field(description="the CPU time of all processes, in seconds")
    violated: list[str] = Field(
        description="the ids of what is violated and not allowed, what must be before what should be"
    )
    results: list[DrillRecord]
