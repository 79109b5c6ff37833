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
    """The result of one test."""

    id: str = Field(description="id of the test")
    clause: str = Field(description="document and section with the requirement")
    force: Literal["MUST", "SHOULD", "MAY", "ackclock's limit"] = Field(
        description="requirement level of the clause (RFC 2119); `ackclock's limit` for the tests of --paths, whose "
        "limits ackclock sets itself"
    )
    demand: str = Field(description="requirement of the clause in one sentence")
    result: Literal["as demanded", "violated", "absent", "cannot be seen"] = Field(
        description="result of the test; `violated`: the stack violates the clause, or the run failed; `absent`: the "
        "stack lacks a behaviour that the clause only permits (MAY), or, for the test `repeats`, the stack declares "
        "that its bytes can differ between runs with one seed; "
        "`cannot be seen`: neither the stack's datagrams nor the numbers that it reports show the behaviour"
    )
    allowed: bool = Field(
        description="whether the result is `violated` but --allow names the test, so that the exit code ignores it"
    )
    text: str = Field(
        description="measured behaviour, or reason why the run failed or the behaviour cannot be seen"
    )
    timeline: list[str] = Field(
        description="evidence of the violation, as lines of text: first, for a violation over an interval of time, the "
        "reported window and number of lost packets at several times; then the last events up to the violation; empty "
        "without a violation, after a failed run, and for the tests `repeats`, `seed` and `path-...`"
    )


class CheckStackDocument(Document):
    """A check of a stack with one of its controls."""

    control: str = Field(description="name of the congestion control, as scenarios write it")
    law: Literal["reno", "cubic", "bbr"] | None = Field(
        description="window law of the control, from --law or the control's name; null if neither names a law, so "
        "that only the tests for all laws were run"
    )
    version: str | None = Field(description="version that the library reports; null for a built-in stack")
    licence: str | None = Field(description="licence that the library reports; null for a built-in stack")
    library: LibraryRecord | None = Field(
        description="file of the stack's library; null for a built-in stack"
    )
    cpu_s: float = Field(description="CPU time of all processes of the check, in seconds")
    violated: list[str] = Field(
        description="ids of the tests with the result `violated` that --allow does not name, MUST before SHOULD"
    )
    results: list[DrillRecord] = Field(
        description="one record for each test: tests of repeatability, of clauses of standards, and of the paths of "
        "bench-stack"
    )
