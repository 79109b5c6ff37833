"""The record of what a stack did in a drill, and its queries."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ackclock.drills.script import DATAGRAM
from ackclock.drills.timeline import interval, timeline

NUMBERS = {
    "window": "its congestion window",
    "in_flight": "the bytes in flight",
    "rtt_ns": "its smoothed RTT",
    "least_rtt_ns": "its minimum RTT",
    "pacing_bps": "its pacing rate",
    "lost": "the packets that it declared lost",
    "spurious": "its spurious losses",
    "probe_timeouts": "its probe timeouts",
    "reductions": "the reductions of its window",
}
"""The values that a stack can report, in words, by the name of their column."""


class CannotTell(Exception):  # noqa: N818  (a result, not an error)
    """Why a drill cannot tell from outside what the stack did."""


class Violation(Exception):  # noqa: N818  (a result, not an error)
    """What a stack did against a standard, and when. ``since_s`` is the beginning of the interval that the sentence is
    about; None if it is about one time.
    """

    def __init__(self, sentence: str, at_s: float, since_s: float | None = None) -> None:
        super().__init__(sentence)
        self.at_s = at_s
        self.since_s = since_s


@dataclass(frozen=True)
class Datagram:
    """A datagram as it was sent, dropped or received."""

    at_s: float
    number: int
    bytes: int
    ecn: str

    @property
    def is_full(self) -> bool:
        """Whether it carries data of the stream, and not only acknowledgements."""
        return self.bytes > 500


class Record:
    """What a stack did. Times are in seconds after the data began, windows in datagrams of 1200 bytes."""

    def __init__(self, columns: Mapping[str, Any]) -> None:
        """Takes the columns of the core. CannotTell if no data began."""
        self._columns = columns
        if columns["began_ns"] is None:
            raise CannotTell(
                f"the stack accepted no data: {columns['closed'] or 'its handshake did not complete'}"
            )
        began = columns["began_ns"]
        self._at: Sequence[float] = [(at - began) / 1e9 for at in columns["at_ns"]]

    @property
    def closed(self) -> str | None:
        """Why the stack closed the connection."""
        closed: str | None = self._columns["closed"]
        return closed

    @property
    def delivered_s(self) -> float | None:
        """When everything was acknowledged; None if it was not, or if the stream did not end."""
        at: int | None = self._columns["delivered_ns"]
        return None if at is None else at / 1e9

    @property
    def hashes(self) -> tuple[int, int]:
        """Hashes of the times and lengths of all datagrams, and of their content."""
        return self._columns["shape"], self._columns["content"]

    def datagrams(
        self, what: str, first_s: float = 0.0, last_s: float = float("inf"), *, forward: bool = True
    ) -> list[Datagram]:
        """Returns the datagrams that were ``sent``, ``dropped`` or ``arrived`` in a time, both ends included."""
        return [self._datagram(index) for index in self._indices(what, first_s, last_s, forward)]

    def _indices(self, what: str, first_s: float, last_s: float, forward: bool) -> Iterator[int]:
        columns = zip(self._at, self._columns["what"], self._columns["forward"], strict=True)
        for index, (at, kind, goes) in enumerate(columns):
            if kind == what and goes == forward and first_s - 1e-9 <= at <= last_s + 1e-9:
                yield index

    def _datagram(self, index: int) -> Datagram:
        columns = self._columns
        return Datagram(
            self._at[index], columns["number"][index], columns["bytes"][index], columns["ecn"][index]
        )

    def the(self, what: str, number: int, *, forward: bool = True) -> Datagram:
        """Returns the datagram with a number. CannotTell if the stack never sent it."""
        for one in self.datagrams(what, forward=forward):
            if one.number == number:
                return one
        raise CannotTell(f"no datagram with number {number} {what if what == 'arrived' else f'was {what}'}")

    def series(
        self, name: str, first_s: float = 0.0, last_s: float = float("inf")
    ) -> list[tuple[float, float]]:
        """Returns what the stack told at each event in a time. CannotTell if it does not tell it."""
        column = self._columns[name]
        found = [
            (at, value)
            for at, value in zip(self._at, column, strict=True)
            if value is not None and first_s - 1e-9 <= at <= last_s + 1e-9
        ]
        if not found and all(value is None for value in column):
            raise CannotTell(f"the stack does not report {NUMBERS[name]}")
        return found

    def value(self, name: str, at_s: float) -> float:
        """Returns what the stack told last at a time. CannotTell if it does not tell it."""
        told = self.series(name, -float("inf"), at_s)
        if not told:
            raise CannotTell(f"the stack had not yet reported {NUMBERS[name]} at {at_s:g} s")
        return told[-1][1]

    def last(self, name: str) -> float:
        """Returns what the stack told last. CannotTell if it does not tell it."""
        return self.value(name, float("inf"))

    def window(self, at_s: float) -> float:
        """Returns the window at a time, in datagrams."""
        return self.value("window", at_s) / DATAGRAM

    def least_window(self, first_s: float, last_s: float) -> float:
        """Returns the least window in a time, in datagrams."""
        told = self.series("window", first_s, last_s)
        return min(value for _, value in told) / DATAGRAM if told else self.window(first_s)

    def most_window(self, first_s: float, last_s: float) -> float:
        """Returns the greatest window in a time, in datagrams."""
        told = self.series("window", first_s, last_s)
        return max(value for _, value in told) / DATAGRAM if told else self.window(first_s)

    def changed(self, name: str, first_s: float = 0.0) -> float | None:
        """Returns when a number that the stack tells changed first after a time; None if it did not."""
        before = self.value(name, first_s)
        return next((at for at, value in self.series(name, first_s) if value != before), None)

    def reduction(self, first_s: float = 0.0) -> tuple[float, float, float] | None:
        """Returns the first reduction of the window after a time: when it began, and the window before and a round trip
        later, in datagrams. None if the window never became smaller.
        """
        told = self.series("window", first_s)
        for (_, before), (at, after) in itertools.pairwise(told):
            if after < before - DATAGRAM / 4:
                return at, before / DATAGRAM, self.least_window(at, at + 0.15)
        return None

    def timeline(self, violation: Violation) -> list[str]:
        """Returns the last events up to 1 ms after a violation, in lines, after samples of the interval that it is
        about.
        """
        began, ended = violation.since_s, violation.at_s
        samples = [] if began is None else interval(self._at, self._columns, began, ended)
        return [*samples, *timeline(self._at, self._columns, ended)]
