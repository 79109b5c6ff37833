"""The outcome of a script."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class Verdict(Enum):
    """How a script ended."""

    PASSED = "pass"
    DIFFERENCE = "difference"
    INEXPRESSIBLE = "cannot be expressed"
    WRONG_INPUT = "wrong input"


class Difference(Exception):  # noqa: N818  (it is no error, but a verdict)
    """The first difference between a script and the host."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line, self.message = line, message


@dataclass(frozen=True)
class Row:
    """A row of the timeline."""

    time: int
    """The virtual time, in nanoseconds."""
    script: str = ""
    host: str = ""
    line: int | None = None
    differs: bool = False


@dataclass
class Compared:
    """What was compared with the script."""

    segments: int = 0
    """The number of compared data segments of the host, including window probes."""
    acknowledgements: int = 0
    assertions: int = 0
    handshakes: int = 0
    """The number of handshake segments whose flags were compared."""

    @property
    def anything(self) -> bool:
        """Returns whether anything was compared."""
        return bool(self.segments or self.acknowledgements or self.assertions or self.handshakes)


@dataclass
class Outcome:
    """The outcome of a script."""

    file: str
    verdict: Verdict
    line: int | None = None
    """The line of the script that decided the verdict; None if the script passes or is invalid."""
    reason: str = ""
    """What differs, what ackclock cannot express, or what is invalid in the script; empty if the script passes."""
    compared: Compared = field(default_factory=Compared)
    not_compared: dict[int, str] = field(default_factory=dict)
    """The parts of the script that were not compared, by line."""
    not_expected: int = 0
    """The number of data segments that the host sent after those that the script expects."""
    rows: list[Row] = field(default_factory=list)
