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
    """Nanoseconds."""
    script: str = ""
    host: str = ""
    line: int | None = None
    differs: bool = False


@dataclass
class Compared:
    """What was compared with the script."""

    segments: int = 0
    """Data segments of the host, and its probes of a closed window."""
    acknowledgements: int = 0
    assertions: int = 0
    handshakes: int = 0
    """Segments of the handshake whose flags were compared."""

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
    """The line of the script at which the verdict was reached; None if it passes."""
    reason: str = ""
    """What differs, cannot be expressed or is wrong."""
    compared: Compared = field(default_factory=Compared)
    not_compared: dict[int, str] = field(default_factory=dict)
    """What else the script says at these lines, which has no counterpart."""
    rows: list[Row] = field(default_factory=list)
