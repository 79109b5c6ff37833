"""Series in flent's format: a result of its test ``tcp_nup``, one upload for each connection, and a ping.

Flent's plots find data sets by their names, so a connection over QUIC or SCTP is a ``TCP upload`` too. A flow over
UDP is a ``UDP upload``, as in flent's test ``udp_flood``, which is the test of a run with only such flows.

Version 4 of the format, as flent's ``resultset.py`` reads it: ``x_values`` and, under the name of each data set,
``results`` at these; ``raw_values`` with the times themselves, and further numbers of a TCP socket that flent plots.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Collection
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock._files import replacing
from ackclock.errors import RunError

if TYPE_CHECKING:
    from ackclock.run import Run
    from ackclock.series import Series

VERSION = 4
TEST = "tcp_nup"
UDP_TEST = "udp_flood"
PING = "Ping (ms) ICMP"
"""The name of the ping data set in both tests."""
STEP = "200 ms"
"""Flent's own interval."""
START = datetime(1970, 1, 1, tzinfo=timezone.utc)
"""The date in all files, fixed so that exporting a run again gives an identical file."""
SOCKET = {
    "tcp_rtt": ("rtt_s", 1e3),
    "tcp_cwnd": ("cwnd_packets", 1.0),
    "tcp_pacing_rate": ("pacing_rate_bps", 1e-6),
}
"""Flent's socket statistics in ms, packets and Mbit/s: for each, our quantity and the conversion factor."""


def write(run: Run, path: Path, over_udp: Collection[str]) -> int:
    """Writes the series of the flows, of which the named ones go over UDP; returns the number of sampling times.

    RunError for a run without any.
    """
    series: Series | None = run.result.get("series")
    if series is None or not series.owners("flows") or not len(series.time_s):
        raise RunError(
            f"--export flent: the run is shorter than {STEP}, the sampling interval; expected a longer `duration`"
        )
    text = json.dumps(document(run, series, over_udp), indent=1, sort_keys=True)
    with (
        replacing(path) as file,
        file.open("wb") as binary,
        gzip.GzipFile("", "wb", fileobj=binary, mtime=0) as out,
    ):
        out.write(text.encode())
    return len(series.time_s)


def document(run: Run, series: Series, over_udp: Collection[str]) -> dict[str, Any]:
    """Returns the contents of the file."""
    time = series.time_s
    step = float(time[0]) if len(time) else 0.0
    sampled = series.owners("flows")
    flows = [flow["name"] for flow in run.result["flows"] if flow["name"] in sampled]
    goodput = {flow: series.values("flows", flow, "goodput_bps") / 1e6 for flow in flows}
    connections = [flow for flow in flows if flow not in over_udp]
    datagrams = [flow for flow in flows if flow in over_udp]
    streams = {flow: f"TCP upload::{number}" for number, flow in enumerate(connections, 1)}
    streams |= {flow: f"UDP upload::{number}" for number, flow in enumerate(datagrams, 1)}
    pings = _pings(series, connections, datagrams)
    results = {streams[flow]: _numbers(values) for flow, values in goodput.items()}
    results |= {ping: _numbers(_round_trips(series, flow)) for ping, flow in pings.items()}
    if connections:
        everyone = np.array([goodput[flow] for flow in connections])
        results["TCP upload sum"] = _numbers(everyone.sum(axis=0))
        results["TCP upload avg"] = _numbers(everyone.mean(axis=0))
        squares = len(connections) * (everyone**2).sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            results["TCP upload fairness"] = _numbers(everyone.sum(axis=0) ** 2 / squares)
    else:
        results["UDP upload"] = _numbers(np.array([goodput[flow] for flow in datagrams]).sum(axis=0))
    length = float(time[-1]) if len(time) else 0.0
    named = [f"{stream}: {flow}" for flow, stream in streams.items()]
    named += [f"{ping}: {flow}" for ping, flow in pings.items()]
    return {
        "version": VERSION,
        "x_values": _numbers(time),
        "results": results,
        "raw_values": {stream: _raw(series, flow, goodput[flow], step) for flow, stream in streams.items()}
        | {ping: _raw_ping(series, flow) for ping, flow in pings.items()},
        "metadata": {
            "NAME": TEST if connections else UDP_TEST,
            "TITLE": f"{run.scenario}, seed {run.seed}",
            "NOTE": "; ".join(named),
            "HOST": "simulated",
            "HOSTS": ["simulated"],
            "LOCAL_HOST": "ackclock",
            "TIME": _time(START),
            "T0": _time(START),
            "LENGTH": length,
            "TOTAL_LENGTH": length,
            "STEP_SIZE": step,
            "IP_VERSION": 4,
            "TEST_PARAMETERS": {"upload_streams": len(connections)} if connections else {},
            "SERIES_META": {
                stream: {"UNITS": "Mbits/s", "MEAN_VALUE": _mean(goodput[flow]), "NAME": flow}
                for flow, stream in streams.items()
            }
            | {
                ping: {"UNITS": "ms", "MEAN_VALUE": _mean(_round_trips(series, flow)), "NAME": flow}
                for ping, flow in pings.items()
            },
        },
    }


def _pings(series: Series, connections: list[str], datagrams: list[str]) -> dict[str, str]:
    """Returns the flows that represent a ping, under the names of its data sets.

    They are the requests over UDP, which work like a ping. Without any, the connections' own round
    trips replace them, which differ from a ping's if flows have their own queues.
    """
    timed = [flow for flow in datagrams if "rtt_s" in series.quantities("flows", flow)]
    kind = "UDP" if timed else "TCP"
    timed = timed or [flow for flow in connections if "rtt_s" in series.quantities("flows", flow)]
    return {
        PING if not number else f"Ping (ms) {kind}::{number + 1}": flow for number, flow in enumerate(timed)
    }


def _round_trips(series: Series, flow: str) -> Any:
    return series.values("flows", flow, "rtt_s") * 1e3


def _raw_ping(series: Series, flow: str) -> list[dict[str, float]]:
    samples = zip(series.time_s, _round_trips(series, flow), strict=True)
    return [{"t": float(time), "val": float(rtt)} for time, rtt in samples if np.isfinite(rtt)]


def _raw(series: Series, flow: str, goodput: Any, step: float) -> list[dict[str, float]]:
    """Returns the samples of a flow with their times.

    The first time is as far from the beginning as from the second.
    """
    columns = {"val": goodput, "dur": np.full(len(goodput), step)}
    for name, (quantity, factor) in SOCKET.items():
        if quantity in series.quantities("flows", flow):
            columns[name] = series.values("flows", flow, quantity) * factor
    return [
        {"t": float(time)}
        | {name: float(values[row]) for name, values in columns.items() if np.isfinite(values[row])}
        for row, time in enumerate(series.time_s)
    ]


def _numbers(values: Any) -> list[float | None]:
    return [float(value) if np.isfinite(value) else None for value in values]


def _mean(values: Any) -> float | None:
    return float(np.nanmean(values)) if np.isfinite(values).any() else None


def _time(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
