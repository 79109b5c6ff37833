"""Reads samples of ``ss -tin``, each after a line with its time in seconds, as ``date +%s.%N`` prints it.

The fields are those of iproute2's misc/ss.c (ee2a4a86), function tcp_stats_print. Of the rate, ``-n`` gives the digits;
without it three of them and a prefix.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ackclock.errors import InputError
from ackclock.traces.connections import Connection, choose
from ackclock.traces.log import Log
from ackclock.traces.samples import Samples
from ackclock.traces.text_lines import lines

TIME = re.compile(r"\d{9,}(?:\.\d+)?")
"""A line with the time of a sample."""
CONNECTION = re.compile(r"(?:tcp\s+)?(?:[A-Z][A-Z0-9-]+\s+)?\d+\s+\d+\s+(\S+:\S+)\s+(\S+:\S+)(.*)")
"""A connection. ss omits its state if a filter selects by state; with ``-O`` its numbers follow on the same line."""
HEADING = re.compile(r"(?:Netid\s+)?(?:State\s+)?Recv-Q")
PREFIXES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
EXPECTED = (
    "expected samples of `ss -tin`, each after a line with its time as `date +%s.%N` prints it, "
    "such as 1700000000.123456789"
)

# Without what comes before a number, rcv_ssthresh and minrtt would be found.
_FIELDS = {
    name: re.compile(rf"(?<!\S){pattern}")
    for name, pattern in {
        "cwnd": r"cwnd:(\d+)",
        "ssthresh": r"ssthresh:(\d+)",
        "rtt_ms": r"rtt:([\d.e+-]+)/",
        "pacing_rate": r"pacing_rate ([\d.e+]+)([kMGT]?)bps",
        "unacked": r"unacked:(\d+)",
        "retransmitting": r"retrans:(\d+)/",
        "retransmitted": r"retrans:\d+/(\d+)",
        "lost": r"lost:(\d+)",
        "sacked": r"sacked:(\d+)",
        "mss": r"mss:(\d+)",
        "bytes_acked": r"bytes_acked:(\d+)",
    }.items()
}


@dataclass
class _Row:
    """A connection in one sample."""

    where: str
    time_s: float
    connection: Connection
    text: str

    def number(self, name: str, otherwise: float | None = None) -> float | None:
        """Returns a field, or ``otherwise`` where ss leaves it out."""
        found = _FIELDS[name].search(self.text)
        if found is None:
            return otherwise
        prefix = found[2] if found.re.groups > 1 else ""
        return float(found[1]) * PREFIXES[prefix]


def recognises(begin: bytes) -> bool:
    """Returns whether a file begins as the output of ss, with the time of a sample or without."""
    first = begin.decode("utf-8", "replace").lstrip().partition("\n")[0].strip()
    return bool(TIME.fullmatch(first) or CONNECTION.match(first) or HEADING.match(first))


def read(path: Path, flow: str | None, partial: bool) -> Log:
    """Returns the log of a connection. InputError, with the line, for what is no output of ss."""
    rows = list(_rows(path, partial))
    if not rows:
        raise InputError(f"{path}: has no connection, {EXPECTED}")
    chosen = choose(path, flow, (row.connection for row in rows))
    samples, sizes = Samples(), Counter[float]()
    acked_s: float | None = None
    for row in rows:
        if row.connection != chosen:
            continue
        values = _values(row)
        samples.add(row.time_s, values)
        sizes[row.number("mss", 0.0) or 0.0] += 1
        if acked_s is None and row.number("bytes_acked"):
            acked_s = row.time_s
    size = sizes.most_common(1)[0][0]
    return samples.log(
        str(path) if flow is None else f"{path}#{flow}",
        "ss",
        "packets",
        first_report_s=samples.events[0].place.time_s if acked_s is None else acked_s,
        packet_bytes=size or None,
    )


def _values(row: _Row) -> dict[str, float]:
    """Returns the quantities of a row. InputError if it has no window."""
    window = row.number("cwnd")
    if window is None:
        raise InputError(
            f"{row.where}: the connection has no cwnd, expected the output of ss with the option -i"
        )
    # Linux's tcp_packets_in_flight. ss leaves out what is 0.
    flight = sum(
        sign * (row.number(name, 0.0) or 0.0)
        for name, sign in (("unacked", 1), ("sacked", -1), ("lost", -1), ("retransmitting", 1))
    )
    values = {
        "congestion_window": window,
        "ssthresh": row.number("ssthresh"),
        "bytes_in_flight": max(0.0, flight),
        "smoothed_rtt": _times(row.number("rtt_ms"), 1e-3),
        "pacing_rate": row.number("pacing_rate"),
        "retransmitted": row.number("retransmitted", 0.0),
    }
    return {name: value for name, value in values.items() if value is not None}


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


def _rows(path: Path, partial: bool) -> Iterator[_Row]:
    """Returns the connections of all samples. With ``partial`` the last one may lack its numbers, and is left out."""
    time_s: float | None = None
    row: _Row | None = None
    for where, line in lines(path, partial):
        text = line.strip()
        if TIME.fullmatch(text):
            if time_s is not None and float(text) < time_s:
                raise InputError(
                    f"{where}: the time {text} is before that of the previous sample, expected samples in "
                    "chronological order"
                )
            if row is not None:
                yield row
            time_s, row = float(text), None
        elif found := CONNECTION.match(text):
            if time_s is None:
                raise InputError(f"{where}: has a connection before the first line with a time, {EXPECTED}")
            if row is not None:
                yield row
            row = _Row(where, time_s, (found[1], found[2]), found[3])
        elif line[:1].isspace() and row is not None:
            row.text += f" {text}"
        elif text and not HEADING.match(text):
            raise InputError(f'{where}: found "{text[:40]}", {EXPECTED}')
    if row is not None and not (partial and row.number("cwnd") is None):
        yield row
