"""Reads the events tcp:tcp_probe of Linux, as ftrace, trace-cmd and perf script print them.

The fields are those of include/trace/events/tcp.h (0d3001e2). The kernel logs them when a segment arrives, before it
takes its acknowledgement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ackclock._names import alike
from ackclock.errors import InputError
from ackclock.traces.connections import Connection, choose
from ackclock.traces.log import Log
from ackclock.traces.samples import Samples
from ackclock.traces.text_lines import lines

EVENT = re.compile(r"(\d+\.\d+):\s+(?:tcp:)?tcp_probe:\s+(.*)")
"""An event with its time in seconds and its fields."""
BEGIN = re.compile(rb"# tracer:|[ \t:]tcp_probe: ")
UNSET = 0x7FFFFFFF
"""The slow start threshold of a connection that has none yet (TCP_INFINITE_SSTHRESH)."""
NEEDED = ("src", "dest", "snd_nxt", "snd_una", "snd_cwnd", "ssthresh", "srtt")
SILENT = {
    "bytes_in_flight": "tcp_probe records only snd_nxt - snd_una, which includes SACKed and lost data",
    "retransmitted": "tcp_probe does not count retransmissions",
    "pacing_rate": "tcp_probe does not record the pacing rate",
}


@dataclass(frozen=True)
class _Probe:
    time_s: float
    connection: Connection
    outstanding: int
    window: int
    threshold: int
    srtt_us: int


def recognises(begin: bytes) -> bool:
    """Returns whether a file begins as a trace of the kernel."""
    return BEGIN.search(begin) is not None


def read(path: Path, flow: str | None, partial: bool) -> Log:
    """Returns the log of a connection. InputError, with the line, for an event without a field that is needed."""
    probes = list(_probes(path, partial))
    if not probes:
        raise InputError(
            f"{path}: has no tcp_probe event; to make the kernel record them, run "
            "`echo 1 > /sys/kernel/tracing/events/tcp/tcp_probe/enable`"
        )
    chosen = choose(path, flow, (probe.connection for probe in probes))
    samples = Samples()
    first_report_s: float | None = None
    for probe in probes:
        if probe.connection != chosen:
            continue
        if first_report_s is None and probe.outstanding:
            first_report_s = probe.time_s
        values = {"congestion_window": float(probe.window)}
        if probe.threshold < UNSET and probe.threshold != _least_threshold(probe.window):
            values["ssthresh"] = float(probe.threshold)
        if probe.srtt_us:
            values["smoothed_rtt"] = probe.srtt_us * 1e-6
        samples.add(probe.time_s, values)
    if first_report_s is None:
        raise InputError(
            f"{path}: the connection {'-'.join(chosen)} never has unacknowledged data, "
            "expected the trace of the sending host"
        )
    name = str(path) if flow is None else f"{path}#{flow}"
    return samples.log(name, "tcp_probe", "packets", first_report_s=first_report_s, silent=SILENT)


def _least_threshold(window: int) -> int:
    """Returns what the event shows in place of any smaller threshold while no window is being reduced.

    This is Linux's tcp_current_ssthresh: three quarters of the window.
    """
    return (window >> 1) + (window >> 2)


def _probes(path: Path, partial: bool) -> Iterator[_Probe]:
    last_s = 0.0
    for where, line in lines(path, partial):
        found = EVENT.search(line)
        if found is None:
            continue
        fields = dict(part.split("=", 1) for part in found[2].split() if "=" in part)
        missing = [name for name in NEEDED if name not in fields]
        if missing:
            close = alike(missing[0], fields)
            hint = "" if close is None else f', but "{close}"'
            raise InputError(
                f"{where}: the event has no {missing[0]}{hint}; expected a tcp_probe event of Linux 4.16 or later"
            )
        numbers = {name: _whole(where, name, fields[name]) for name in NEEDED[2:]}
        time_s = float(found[1])
        if time_s < last_s:
            raise InputError(
                f"{where}: the time {found[1]} is before that of the previous event, "
                "expected events in chronological order"
            )
        last_s = time_s
        yield _Probe(
            time_s,
            (fields["src"], fields["dest"]),
            (numbers["snd_nxt"] - numbers["snd_una"]) % 2**32,
            numbers["snd_cwnd"],
            numbers["ssthresh"],
            numbers["srtt"],
        )


def _whole(where: str, name: str, text: str) -> int:
    try:
        return int(text, 0)
    except ValueError:
        raise InputError(f'{where}: {name}: found "{text}", expected a whole number') from None
