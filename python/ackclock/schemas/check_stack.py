"""The document of ``ackclock check-stack --json``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ackclock.schemas.run import Document


class LibraryRecord(Document):
    """The library of the stack."""

    path: str = Field(description="file of the stack's library")
    sha256: str = Field(description="SHA-256 of the library's file, in hexadecimal digits")


class DrillRecord(Document):
    """The result of one drill."""

    id: str = Field(description="id of the drill")
    clause: str = Field(description="document and section that make the demand")
    force: Literal["MUST", "SHOULD", "MAY"] = Field(description="requirement word of the clause")
    demand: str = Field(description="demand of the clause in one sentence")
    result: Literal["as demanded", "violated", "absent", "cannot be seen"] = Field(
        description="result of the drill; `absent`: the clause permits a behaviour that the stack does "
        "not have; `cannot be seen`: neither datagrams nor the numbers that the stack reports "
        "show it"
    )
    allowed: bool = Field(
        description="whether --allow names the drill although the stack violates its clause"
    )
    text: str = Field(description="measured behaviour, or the reason why it cannot be seen")
    timeline: list[str] = Field(
        description="events before a violation, one line each; empty without a violation"
    )


class CheckStackDocument(Document):
    """A check of a stack with one of its controls."""

    control: str = Field(description="name of the control, as scenarios write it")
    law: Literal["reno", "cubic", "bbr"] | None = Field(
        description="window law whose drills were run; null if the control has a law without drills of its "
        "own"
    )
    version: str | None = Field(description="version that the library reports; null for a built-in stack")
    licence: str | None = Field(description="licence that the library reports; null for a built-in stack")
    library: LibraryRecord | None = Field(
        description="file of the stack's library; null for a built-in stack"
    )
    cpu_s: float = Field(description="CPU time of all processes, in seconds")
    violated: list[str] = Field(
        description="ids of the drills that are violated and not allowed: those of a MUST first, then those "
        "of a SHOULD"
    )
    results: list[DrillRecord] = Field(description="one record for each drill")
