"""The parts of a packetdrill script, as the parser returns them. Times are whole nanoseconds.

The language is that of https://github.com/google/packetdrill: events with a time, each a segment that arrives
(``<``), a segment that the host is expected to send (``>``), a system call, a shell command in backquotes, or Python
code in ``%{ }%``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ackclock.errors import InputError


class ScriptError(InputError):
    """A file that is not a script, or a script with a mistake."""

    def __init__(self, file: str, line: int | None, message: str) -> None:
        super().__init__(f"{file}: {message}" if line is None else f"{file}:{line}: {message}")


class Inexpressible(Exception):  # noqa: N818  (it is no error, but a verdict)
    """Raised if a script requires something that ackclock does not support."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line, self.reason = line, reason


def whole_number(text: str) -> int | None:
    """Returns the number that ``text`` writes in decimal digits, at most 18; None for any other text."""
    return int(text) if re.fullmatch("[0-9]{1,18}", text) else None


@dataclass(frozen=True)
class When:
    """The time of an event."""

    kind: Literal["absolute", "relative", "any"]
    start: int = 0
    end: int | None = None
    """The end of a range (``~``); None for a single time."""


@dataclass(frozen=True)
class Options:
    """The TCP options of a segment."""

    unchecked: bool = False
    """Whether the script writes ``<...>`` for the options, so that they are not compared."""
    mss: int | None = None
    window_scale: int | None = None
    sack_permitted: bool = False
    sack: tuple[tuple[int, int], ...] = ()
    stamp: tuple[int, int] | None = None
    """TS val and TS ecr of the timestamps option."""
    accurate: Mapping[str, int] | None = None
    """The byte counters of the AccECN option by name: e0b, ceb, e1b."""


@dataclass(frozen=True)
class Segment:
    """A segment that arrives or is expected."""

    arrives: bool
    text: str
    """The segment as the script writes it, with single spaces."""
    flags: str
    start: int
    end: int
    acknowledgement: int | None = None
    window: int | None = None
    ecn: str | None = None
    """The ECN field of the IP header: noecn, ect0, ect1 or ce; None if the script gives none."""
    options: Options = field(default_factory=Options)

    @property
    def length(self) -> int:
        """Returns the bytes of data."""
        return self.end - self.start if self.has_data else 0

    @property
    def has_data(self) -> bool:
        """Returns whether the segment has data: a SYN or a FIN counts for no byte in ``end``."""
        return self.end > self.start

    def has(self, flag: str) -> bool:
        """Returns whether the segment has a flag, a letter such as S, or the dot of ACK."""
        return flag in self.flags

    @property
    def field(self) -> int:
        """Returns the flags AE, CWR and ECE as the three bits of RFC 9768, which may be written as a digit."""
        digit = next((int(one) for one in self.flags if one.isdigit()), None)
        return 4 * self.has("A") + 2 * self.has("W") + self.has("E") if digit is None else digit


@dataclass(frozen=True)
class Call:
    """A system call."""

    name: str
    arguments: tuple[str, ...]
    result: str
    error: str | None = None
    ends: int | None = None
    """How long a blocking call takes to return; None for a call that does not block."""

    @property
    def number(self) -> int | None:
        """Returns the result as a number; None for ``...``."""
        try:
            return int(self.result, 0)
        except ValueError:
            return None

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.arguments)}) = {self.result}"


@dataclass(frozen=True)
class Command:
    """A shell command."""

    text: str


@dataclass(frozen=True)
class Code:
    """Python code with assertions."""

    text: str


Action = Segment | Call | Command | Code


@dataclass(frozen=True)
class Event:
    """An event of a script."""

    line: int
    when: When
    action: Action


@dataclass(frozen=True)
class Script:
    """A script."""

    file: str
    options: Mapping[str, tuple[int, str]]
    """The packetdrill options that the script sets, each with its line and value."""
    arguments: Sequence[str]
    """The options of ``ackclock packetdrill`` in comments that begin with ``// ackclock:``."""
    setup: Sequence[tuple[int, Command]]
    """The shell commands before the first event, each with its line."""
    events: Sequence[Event]

    @property
    def segments(self) -> list[tuple[int, Segment]]:
        """Returns the segments with their lines."""
        return [(one.line, one.action) for one in self.events if isinstance(one.action, Segment)]
