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
        description="result of the drill; `violated`: includes a run that failed; `absent`: the stack lacks a "
        "behaviour that the clause only permits (MAY), or declares that its bytes are random (`repeats`); "
        "`cannot be seen`: neither its datagrams nor the numbers that it reports show the behaviour"
    )
    allowed: bool = Field(
        description="whether the result is `violated` and --allow names the drill, so that it does not fail the "
        "check"
    )
    text: str = Field(
        description="measured behaviour, or the reason why the run failed or the behaviour cannot be seen"
    )
    timeline: list[str] = Field(
        description="events before a violation, one line each; empty without a violation, after a failed run and "
        "for the tests of repetition and of the hard paths"
    )


class CheckStackDocument(Document):
    """A check of a stack with one of its controls."""

    control: str = Field(description="name of the control, as scenarios write it")
    law: Literal["reno", "cubic", "bbr"] | None = Field(
        description="window law whose drills were run, as --law or the name of the control says; null if neither "
        "names one, so that only drills for all laws were run"
    )
    version: str | None = Field(description="version that the library reports; null for a built-in stack")
    licence: str | None = Field(description="licence that the library reports; null for a built-in stack")
    library: LibraryRecord | None = Field(
        description="file of the stack's library; null for a built-in stack"
    )
    cpu_s: float = Field(description="CPU time of all processes of the check, in seconds")
    violated: list[str] = Field(
        description="ids of the drills that are violated and not allowed: those of a MUST first, then those "
        "of a SHOULD"
    )
    results: list[DrillRecord] = Field(
        description="one record for each test: repetition, the drills and the hard paths"
    )
