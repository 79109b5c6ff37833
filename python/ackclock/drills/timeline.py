"""The events of a connection around a time, in lines."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

from ackclock.drills.script import DATAGRAM

MOST_LINES = 12
"""The most lines of events in a timeline."""

SAMPLES = 9
"""The number of times at which an interval is sampled."""

_PASSAGES = {
    ("sent", True): "sent by the sender",
    ("dropped", True): "dropped on the way to the receiver",
    ("arrived", True): "received by the receiver",
    ("sent", False): "sent by the receiver",
    ("dropped", False): "dropped on the way to the sender",
    ("arrived", False): "received by the sender",
}
"""The words for what happened to a datagram, by the event, and by whether the datagram goes to the receiver."""


def timeline(at: Sequence[float], columns: Mapping[str, Any], at_s: float) -> list[str]:
    """Returns the last events up to 1 ms after a time. Like events of one moment share a line, and timers that
    changed nothing are left out. A moment ends at a gap of 1 ms, or after 10 ms. ``at`` has the time of each event in
    seconds, ``columns`` the core's record of a connection.
    """
    lines: list[_Line] = []
    moment: dict[str, _Line] = {}
    began = ended = 0.0
    shown = dict.fromkeys(("window", "in_flight", "lost", "probe_timeouts", "reductions"))
    for index, now in enumerate(at):
        if now > at_s + 0.001:
            break
        told = {name: columns[name][index] for name in shown}
        changes = {name: (shown[name], value) for name, value in told.items() if value != shown[name]}
        shown.update(told)
        what = columns["what"][index]
        if what == "timer" and not changes:
            continue
        if not moment or now - ended > 0.001 or now - began > 0.01:
            moment.clear()
            began = now
        ended = now
        forward = columns["forward"][index]
        event = "timer expired" if what == "timer" else _PASSAGES[what, forward]
        if what == "arrived" and columns["ecn"][index] == "ce":
            event += " with CE"
        if event not in moment:
            lines.append(moment.setdefault(event, _Line(event, now)))
        number = columns["number"][index] if forward and what != "timer" else None
        moment[event].add(now, number, columns["bytes"][index], changes)
    return [str(line) for line in lines[-MOST_LINES:]]


def interval(at: Sequence[float], columns: Mapping[str, Any], since_s: float, until_s: float) -> list[str]:
    """Returns a heading, and what the stack reported last at ``SAMPLES`` times that divide an interval evenly and
    include its ends, in lines. Empty if the stack reports no window.
    """
    if not any(value is not None for value in columns["window"]):
        return []
    lines = ["window and losses reported in the interval:"]
    for place in range(SAMPLES):
        now = since_s + (until_s - since_s) * place / (SAMPLES - 1)
        index = max(0, bisect_right(at, now + 1e-9) - 1)
        window, lost = columns["window"][index], columns["lost"][index]
        state = _changed("window", None, window)
        state += f" ({window / DATAGRAM:.1f} datagrams)" if window is not None else ""
        lines.append(
            f"{now:9.4f} s  {'; '.join([state] + ([] if lost is None else [_changed('lost', None, lost)]))}"
        )
    return [*lines, "last events of the interval:"]


class _Line:
    """Like events of one moment of a timeline."""

    def __init__(self, event: str, at_s: float) -> None:
        self.event = event
        self.first_s = self.last_s = at_s
        self._events = self._bytes = 0
        self._numbers: list[int] = []
        self._changes: dict[str, tuple[Any, Any]] = {}

    def add(self, at_s: float, number: int | None, size: int, changes: Mapping[str, tuple[Any, Any]]) -> None:
        """Adds an event: the number of its datagram if it carries data, its bytes, and what changed."""
        self.last_s = at_s
        self._events += 1
        self._bytes += size
        if number is not None:
            self._numbers.append(number)
        for name, (before, after) in changes.items():
            self._changes[name] = (self._changes.get(name, (before,))[0], after)

    def __str__(self) -> str:
        text = f"{self.first_s:9.4f} s  "
        if self._bytes:
            text += f"{self._datagrams()} {self.event}, {self._bytes:,} bytes"
        else:
            text += self.event
        if self._events > 1:
            text += f" within {(self.last_s - self.first_s) * 1e3:.1f} ms"
        return "; ".join([text, *(_changed(name, *values) for name, values in self._changes.items())])

    def _datagrams(self) -> str:
        if not self._numbers:
            return "a datagram" if self._events == 1 else f"{self._events} datagrams"
        first, last = min(self._numbers), max(self._numbers)
        if first == last:
            return f"datagram {first}"
        if last - first + 1 == len(set(self._numbers)):
            return f"datagrams {first} to {last}"
        return f"{len(self._numbers)} of the datagrams {first} to {last}"


def _changed(name: str, before: int | None, after: int | None) -> str:
    words = name.replace("_", " ")
    if after is None:
        return f"{words} unknown"
    return f"{words} {after:,}" if before is None else f"{words} from {before:,} to {after:,}"
