"""Reads our own event log (``ackclock run --export events``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from ackclock._names import alike, nearest
from ackclock.errors import InputError
from ackclock.traces.log import LOSSES, TIMEOUTS, Course, Event, Log, Place
from ackclock.traces.states import BBR, BBRV3

COLUMNS = {
    "congestion_window": "cwnd_packets",
    "ssthresh": "ssthresh_packets",
    "bytes_in_flight": "inflight_packets",
    "smoothed_rtt": "smoothed_rtt_s",
    "pacing_rate": "pacing_rate_bps",
}
"""The column of the event log for each quantity of qlog."""
NEEDED = ("time_s", "flow", "event", "delivered_packets", "lost_so_far_packets", "rtt_s", *COLUMNS.values())
AT_ACKNOWLEDGEMENTS = ("bytes_in_flight", "smoothed_rtt")
"""The quantities that are read only at acknowledgements, as in our qlog, so that the formats are comparable."""
STATES_AFTER = {
    "reduction": "recovery",
    "mark": "congestion_avoidance",
    "timeout": "slow_start",
    "persistent-congestion": "slow_start",
}
"""The state after each of these events, as named in our qlog."""


def read(path: Path, flow: str | None) -> Log:
    """Returns the log of a flow. InputError for a table that is not an event log, or several flows without a choice."""
    table = _table(path)
    missing = [name for name in NEEDED if name not in table.columns]
    if missing:
        near = alike(missing[0], table.columns)
        hint = "" if near is None else f', only "{near}"'
        raise InputError(
            f'{path}:1: has no column "{missing[0]}"{hint}; '
            "expected the event log of `ackclock run --export events`"
        )
    flows = table["flow"].unique(maintain_order=True).to_list()
    if flow is None and len(flows) > 1:
        raise InputError(
            f"{path}: has several flows ({', '.join(flows)}), expected {path}#FLOW, such as {path}#{flows[0]}"
        )
    if not flows:
        raise InputError(f"{path}: has no events, expected the events of a flow")
    if flow is not None and flow not in flows:
        raise InputError(f'{path}: there is no flow "{flow}"{nearest(flow, flows)}')
    rows = table.filter(pl.col("flow") == (flow or flows[0]))
    if "path" in rows.columns and rows["path"].n_unique() > 1:
        raise InputError(
            f"{path}: the flow {flow or flows[0]} has several paths, expected a flow with one path"
        )
    return _log(str(path) if flow is None else f"{path}#{flow}", rows)


def _table(path: Path) -> pl.DataFrame:
    try:
        if path.suffix == ".csv":
            return pl.read_csv(path, infer_schema_length=None)
        return pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(
            f"{path}: is not a table ({str(error).splitlines()[0]}), expected an event log in CSV or Parquet"
        ) from None


def _log(file: str, rows: pl.DataFrame) -> Log:
    courses = {name: Course() for name in COLUMNS}
    events: list[Event] = []
    state = "slow_start"
    records = rows.to_dicts()
    for row, sent in zip(records, _sent(records), strict=True):
        place = Place(row["time_s"], sent)
        for name, column in COLUMNS.items():
            if row[column] is not None and (row["event"] == "ack" or name not in AT_ACKNOWLEDGEMENTS):
                courses[name].add(place, row[column])
        events.append(_event(row, place))
        before, state = state, _state(row, state)
        if state != before:
            events.append(Event(place, "state", words=state))
    return Log(
        file,
        "event log",
        "packets",
        {name: course for name, course in courses.items() if course.places},
        events,
        None,
        records[0]["time_s"],
        always_tells=frozenset((LOSSES, TIMEOUTS)),
    )


def _sent(records: Sequence[Mapping[str, Any]]) -> list[int]:
    """Returns the number of packets sent before each event: those that have arrived, were lost, or are in flight.

    Only rows of acknowledgements have all three counts. An event that an acknowledgement causes, such as a loss,
    precedes it at the same time.
    """
    counts: list[int | None] = []
    for row in records:
        parts = [row[name] for name in ("delivered_packets", "lost_so_far_packets", "inflight_packets")]
        counts.append(None if None in parts else round(sum(parts)))
    for index in range(len(records) - 2, -1, -1):
        if counts[index] is None and records[index]["time_s"] == records[index + 1]["time_s"]:
            counts[index] = counts[index + 1]
    sent, latest = [], 0
    for count in counts:
        latest = latest if count is None else count
        sent.append(latest)
    return sent


def _event(row: Mapping[str, Any], place: Place) -> Event:
    if row["event"] == "ack":
        return Event(place, "acknowledged", row.get("acked_to_packet"))
    if row["event"] == "lost":
        return Event(place, "lost", row["packet"])
    if row["event"] in ("timeout", "probe"):
        return Event(place, "timeout", words=row["event"])
    return Event(place, "metrics", row.get("packet"), words=row["event"])


def _state(row: Mapping[str, Any], before: str) -> str:
    """Returns the state after an event: that of BBR, or else as the qlog export has it."""
    if row.get("bbr_state") is not None:
        states = BBRV3 if row.get("bbr_phase") is None else BBR
        return states[int(row["bbr_state"])]
    if row["event"] in STATES_AFTER:
        return STATES_AFTER[row["event"]]
    if row["event"] not in ("ack", "recovered") or (row["event"] == "ack" and before == "recovery"):
        return before
    threshold = row["ssthresh_packets"]
    return "slow_start" if threshold is None or row["cwnd_packets"] < threshold else "congestion_avoidance"
