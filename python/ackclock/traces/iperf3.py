"""Reads the JSON of iperf3 (``iperf3 -J``, or ``--json-stream`` with an event in each line).

The keys are those of src/iperf_api.c (c9b74229). The window and the round trip of an interval hold at its end, where
iperf3 asks for TCP_INFO (src/tcp_info.c). The test begins with the first data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ackclock._names import alike
from ackclock.errors import InputError
from ackclock.traces.log import Log
from ackclock.traces.qlog_file import json_array, json_object, number
from ackclock.traces.records import document, records
from ackclock.traces.samples import Samples

BEGIN = re.compile(rb'\s*\{\s*"(?:start|event)"\s*:')
QUANTITIES = {"snd_cwnd": ("congestion_window", 1.0), "rtt": ("smoothed_rtt", 1e-6)}
"""The quantity of each key of a stream in an interval, and its unit. A value that the system lacks is 0 or -1."""
SIZES = ("tcp_mss", "tcp_mss_default")
"""The keys that can have the payload of a full segment, in bytes."""
SILENT = dict.fromkeys(("ssthresh", "bytes_in_flight", "pacing_rate"), "iperf3 does not record this quantity")


def recognises(begin: bytes) -> bool:
    """Returns whether a file begins as JSON of iperf3."""
    return BEGIN.match(begin) is not None


def read(path: Path, flow: str | None, partial: bool) -> Log:
    """Returns the log of the stream with socket number ``flow``. InputError for a file that no TCP sender wrote."""
    start, intervals, error = _opened(path, partial)
    streams = list(_streams(intervals))
    names = list(dict.fromkeys(name for _, name, _ in streams))
    if not names:
        raise InputError(
            f"{path}: has no intervals{f' ({error})' if error else ''}, expected the intervals of a test"
        )
    if flow not in names and (flow is not None or len(names) > 1):
        expected = " or ".join(f"{path}#{name}" for name in names)
        close = None if flow is None else alike(flow, names)
        hint = "" if close is None else f'; did you mean "{close}"?'
        raise InputError(
            f"{path}: found the streams (by socket) {', '.join(names)}, expected {expected}{hint}"
        )
    chosen = names[0] if flow is None else flow
    samples = Samples()
    total, before_s, end_s = 0.0, 0.0, 0.0
    for where, name, stream in streams:
        if name != chosen:
            continue
        if stream.get("sender") is False:
            raise InputError(
                f"{where}: found the JSON of the receiver, expected that of the sender; "
                "with -R, the server sends: use the output of `iperf3 -s -J`"
            )
        begins_s, ends_s = (number(where, key, stream.get(key)) for key in ("start", "end"))
        if begins_s < end_s - 1e-3:  # after the intervals of --omit, times begin again
            before_s += end_s
        end_s = ends_s
        total += max(0.0, _value(where, "retransmits", stream))
        values = {
            quantity: _value(where, key, stream) * unit
            for key, (quantity, unit) in QUANTITIES.items()
            if _value(where, key, stream) > 0
        }
        if not values:
            raise InputError(
                f"{where}: has neither snd_cwnd nor rtt, expected the intervals of a TCP sender on Linux or FreeBSD"
            )
        if _value(where, "retransmits", stream) >= 0:
            values["retransmitted"] = total
        samples.add(before_s + ends_s, values)
    return samples.log(
        str(path) if flow is None else f"{path}#{flow}",
        "iperf3",
        "bytes",
        first_sent_s=0.0,
        first_report_s=0.0,
        packet_bytes=_segment(start, samples),
        silent=SILENT,
    )


def _value(where: str, key: str, stream: Mapping[str, Any]) -> float:
    """Returns a number of a stream; -1 if the system does not report it."""
    value = stream.get(key, -1)
    return -1.0 if value == -1 else number(where, key, value)


def _segment(start: Mapping[str, Any], samples: Samples) -> float | None:
    """Returns the payload of a full segment in bytes; None unless every window is a multiple of it."""
    size = next((start[key] for key in SIZES if isinstance(start.get(key), int) and start[key] > 0), None)
    windows = samples.courses["congestion_window"].values
    return float(size) if size and all(window % size == 0 for window in windows) else None


def _streams(intervals: list[tuple[str, Any]]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Returns each stream of each interval with its place and the number of its socket."""
    for where, interval in intervals:
        for stream in json_array(where, "streams", json_object(where, "interval", interval).get("streams")):
            table = json_object(where, "stream", stream)
            yield where, str(table.get("socket", "")), table


def _opened(path: Path, partial: bool) -> tuple[dict[str, Any], list[tuple[str, Any]], str]:
    """Returns the beginning of a test, its intervals with their places, and its error, empty without one."""
    lines = records(path, partial)
    try:
        where, first = next(lines)
    except InputError:  # a document over many lines
        where, first = f"{path}:1", document(path)
    if not isinstance(first, dict):
        raise InputError(f"{where}: found {type(first).__name__}, expected a JSON object of iperf3")
    if "event" not in first:
        found = json_array(path, "intervals", first.get("intervals"))
        places = [(f"{path}: intervals[{index}]", interval) for index, interval in enumerate(found)]
        return json_object(path, "start", first.get("start")), places, str(first.get("error", ""))
    start: dict[str, Any] = {}
    intervals, error = [], ""
    for place, record in [(where, first), *lines]:
        table = json_object(place, "event", record)
        if table.get("event") == "start":
            start = json_object(place, "data", table.get("data"))
        elif table.get("event") == "interval":
            intervals.append((place, table.get("data")))
        elif table.get("event") == "error":
            error = str(table.get("data"))
    return start, intervals, error
