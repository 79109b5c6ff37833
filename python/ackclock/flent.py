"""Series in flent's format: a result of its test ``tcp_nup``, one upload for each flow.

Version 4 of the format, as flent's ``resultset.py`` reads it: ``x_values`` and, under the name of each data set,
``results`` at these; ``raw_values`` with the times themselves, and further numbers of a TCP socket that flent plots.
"""

from __future__ import annotations

import gzip
import json
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.errors import RunError
from ackclock.files import replacing

if TYPE_CHECKING:
    from ackclock.run import Run
    from ackclock.series import Series

VERSION = 4
TEST = "tcp_nup"
STEP = "200 ms"
"""Flent's own interval."""
START = datetime(1970, 1, 1, tzinfo=timezone.utc)
"""Runs have no place in time; a file that is made again should be the same."""
SOCKET = {
    "tcp_rtt": ("rtt_s", 1e3),
    "tcp_cwnd": ("cwnd_packets", 1.0),
    "tcp_pacing_rate": ("pacing_rate_bps", 1e-6),
}
"""Of flent's numbers of a socket, in ms, packets and Mbit/s: our quantity, and the factor."""


def write(run: Run, path: Path) -> int:
    """Write the series of the flows; returns how many instants they have. RunError for a run without any."""
    series: Series | None = run.result.get("series")
    if series is None or not series.owners("flows") or not len(series.time_s):
        raise RunError(f"the run is shorter than {STEP}: it has no series of flows for flent")
    text = json.dumps(document(run, series), indent=1, sort_keys=True)
    with (
        replacing(path) as file,
        file.open("wb") as binary,
        gzip.GzipFile("", "wb", fileobj=binary, mtime=0) as out,
    ):
        out.write(text.encode())
    return len(series.time_s)


def document(run: Run, series: Series) -> dict[str, Any]:
    """What the file holds."""
    time = series.time_s
    step = float(time[0]) if len(time) else 0.0
    sampled = series.owners("flows")
    flows = [flow["name"] for flow in run.result["flows"] if flow["name"] in sampled]
    goodput = {flow: series.values("flows", flow, "goodput_bps") / 1e6 for flow in flows}
    streams = {flow: f"TCP upload::{number}" for number, flow in enumerate(flows, 1)}
    everyone = np.array(list(goodput.values()))
    results = {streams[flow]: _numbers(values) for flow, values in goodput.items()}
    results["TCP upload sum"] = _numbers(everyone.sum(axis=0))
    results["TCP upload avg"] = _numbers(everyone.mean(axis=0))
    squares = len(flows) * (everyone**2).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        results["TCP upload fairness"] = _numbers(everyone.sum(axis=0) ** 2 / squares)
    length = float(time[-1]) if len(time) else 0.0
    return {
        "version": VERSION,
        "x_values": _numbers(time),
        "results": results,
        "raw_values": {stream: _raw(series, flow, goodput[flow], step) for flow, stream in streams.items()},
        "metadata": {
            "NAME": TEST,
            "TITLE": f"{run.scenario}, seed {run.seed}",
            "NOTE": "; ".join(f"{number}: {flow}" for number, flow in enumerate(flows, 1)),
            "HOST": "simulated",
            "HOSTS": ["simulated"],
            "LOCAL_HOST": "ackclock",
            "TIME": _time(START),
            "T0": _time(START),
            "LENGTH": length,
            "TOTAL_LENGTH": length,
            "STEP_SIZE": step,
            "IP_VERSION": 4,
            "TEST_PARAMETERS": {"upload_streams": len(flows)},
            "SERIES_META": {
                stream: {"UNITS": "Mbits/s", "MEAN_VALUE": _mean(goodput[flow]), "NAME": flow}
                for flow, stream in streams.items()
            },
        },
    }


def _raw(series: Series, flow: str, goodput: Any, step: float) -> list[dict[str, float]]:
    """The samples of a flow with their instants. The first of them is as far from the beginning as from the second."""
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
