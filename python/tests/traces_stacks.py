"""One short connection, written by hand, in the form in which each stack logs it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Line:
    """An event: times in ms, windows and flight in packets, round trips in ms, rates in Mbit/s."""

    ms: float
    kind: str
    packet: int | None = None
    cwnd: float | None = None
    ssthresh: float | None = None
    flight: float | None = None
    srtt: float | None = None
    state: str = ""


CONNECTION = (
    Line(0, "sent", 0),
    Line(0, "sent", 1),
    Line(0, "sent", 2),
    Line(0, "sent", 3),
    Line(40, "ack", 1),
    Line(40, "metrics", cwnd=6, flight=2, srtt=40),
    Line(40, "sent", 4),
    Line(40, "sent", 5),
    Line(40, "sent", 6),
    Line(40, "sent", 7),
    Line(80, "ack", 5),
    Line(80, "lost", 2),
    Line(80, "state", state="recovery"),
    Line(80, "metrics", cwnd=3, ssthresh=3, flight=2, srtt=41),
    Line(80, "sent", 8),
    Line(120, "ack", 8),
    Line(120, "state", state="congestion_avoidance"),
    Line(120, "metrics", cwnd=4, flight=0, srtt=42),
    Line(120, "sent", 9),
    Line(160, "ack", 9),
    Line(160, "metrics", cwnd=5, srtt=43),
)
"""Four packets, a window's growth, the loss of packet 2, its reduction, and growth again."""
SIZE = 1200
RS = "\x1e"


def changed(index: int, **values: Any) -> tuple[Line, ...]:
    """Returns the connection with other values in one event."""
    return tuple(
        replace(line, **values) if number == index else line for number, line in enumerate(CONNECTION)
    )


def metrics(line: Line, rtt: float = 1.0, cwnd: str = "congestion_window") -> dict[str, float]:
    """Returns the metrics of a line, with windows in bytes."""
    found = {
        cwnd: line.cwnd and line.cwnd * SIZE,
        "ssthresh": line.ssthresh and line.ssthresh * SIZE,
        "bytes_in_flight": None if line.flight is None else line.flight * SIZE,
        "smoothed_rtt": line.srtt and line.srtt * rtt,
    }
    return {key: value for key, value in found.items() if value is not None}


def sequence(header: dict[str, Any], events: Iterable[dict[str, Any]], separator: str = RS) -> str:
    return "".join(f"{separator}{json.dumps(record)}\n" for record in (header, *events))


def packet_data(line: Line, number: int | None, size: str) -> dict[str, Any]:
    stream = {"frame_type": "stream", "stream_id": 4, "offset": 0, "length": 1100}
    if size == "raw":
        return {
            "header": {"packet_type": "1RTT", "packet_number": number},
            "raw": {"length": SIZE},
            "frames": [stream],
        }
    return {
        "header": {"packet_type": "1RTT", "packet_number": number, "length": SIZE},
        "frames": [stream],
    }


def named(
    lines: Sequence[Line], names: dict[str, str], first: int, offset: float, size: str
) -> list[dict[str, Any]]:
    """Returns the events as objects. Packets are numbered from ``first``; times begin at ``offset`` ms."""
    found: list[dict[str, Any]] = []
    for line in lines:
        number = None if line.packet is None else line.packet + first
        data: dict[str, Any]
        if line.kind == "sent":
            data = packet_data(line, number, size)
        elif line.kind == "ack":
            ack = {"frame_type": "ack", "acked_ranges": [[first, number]]}
            data = {"header": {"packet_type": "1RTT", "packet_number": 7}, "frames": [ack]}
        elif line.kind == "lost":
            header = {"packet_type": "1RTT", "packet_number": number}
            data = {"header": header, "trigger": "reordering_threshold"}
        elif line.kind == "state":
            data = {"new": line.state}
        else:
            data = metrics(line)
        if line.kind in names:
            found.append({"time": line.ms + offset, "name": names[line.kind], "data": data})
    return found


V3 = {
    "sent": "transport:packet_sent",
    "ack": "transport:packet_received",
    "lost": "recovery:packet_lost",
    "state": "recovery:congestion_state_updated",
    "metrics": "recovery:metrics_updated",
}
QUIC = {
    "sent": "quic:packet_sent",
    "ack": "quic:packet_received",
    "lost": "quic:packet_lost",
    "metrics": "quic:recovery_metrics_updated",
}


def quic_go(lines: Sequence[Line]) -> str:
    """0.3 in a text sequence. A handshake of its own numbers precedes; packets of data begin at 3."""
    header = {
        "qlog_format": "JSON-SEQ",
        "qlog_version": "0.3",
        "title": "quic-go qlog",
        "trace": {
            "vantage_point": {"type": "server"},
            "common_fields": {"protocol_type": ["QUIC"], "reference_time": 1.7e12, "time_format": "relative"},
        },
    }
    handshake = [
        {
            "time": 0.1,
            "name": "transport:packet_sent",
            "data": {
                "header": {"packet_type": "initial", "packet_number": 0},
                "raw": {"length": 1252},
                "frames": [{"frame_type": "crypto", "offset": 0, "length": 90}],
            },
        },
        {"time": 0.2, "name": V3["state"], "data": {"new": "slow_start"}},
        {"time": 0.2, "name": V3["metrics"], "data": {"smoothed_rtt": 0, "bytes_in_flight": 1252}},
        {"time": 9.5, "name": V3["metrics"], "data": {"pto_count": 0}},
        # An acknowledgement of its own packet 0, which carries no data.
        {
            "time": 9.8,
            "name": V3["ack"],
            "data": {
                "header": {"packet_type": "1RTT"},
                "frames": [{"frame_type": "ack", "acked_ranges": [[0]]}],
            },
        },
        {
            "time": 10,
            "name": "transport:packet_sent",
            "data": {
                "header": {"packet_type": "1RTT", "packet_number": 0},
                "raw": {"length": 40},
                "frames": [{"frame_type": "ack", "acked_ranges": [[0]]}],
            },
        },
    ]
    events = named(lines, V3, 3, 21.5, "raw")
    # quic-go logs the flight at each packet that it sends, too, and a state of its own while the window has room.
    with_flights: list[dict[str, Any]] = []
    for event in events:
        with_flights.append(event)
        if event["data"].get("new") == "recovery":
            with_flights += [
                {**event, "data": {"new": state}} for state in ("application_limited", "recovery")
            ]
        if event["name"] == V3["sent"]:
            flight = {"bytes_in_flight": 99 * SIZE, "packets_in_flight": 99}
            with_flights.append({**event, "name": V3["metrics"], "data": flight})
    return sequence(header, [*handshake, *with_flights])


def noq(lines: Sequence[Line]) -> str:
    """The schema of 2025: names of ``quic``, the size in the header, no states."""
    header = {
        "file_schema": "urn:ietf:params:qlog:file:sequential",
        "serialization_format": "application/qlog+json-seq",
        "trace": {
            "vantage_point": {"type": "client"},
            "common_fields": {"group_id": "c0ffee"},
            "event_schemas": [],
        },
    }
    return sequence(header, named(lines, QUIC, 12, 3.25, "header"))


def metrics_only(lines: Sequence[Line]) -> str:
    """Metrics and losses only, each with its connection: quinn before version 0.11.19."""
    header = {
        "qlog_version": "0.3",
        "qlog_format": "JSON-SEQ",
        "trace": {"vantage_point": {"type": "unknown"}, "configuration": {"time_offset": 0.0}},
    }
    names = {"lost": V3["lost"], "metrics": V3["metrics"]}
    return sequence(header, ({**event, "group_id": "beef"} for event in named(lines, names, 0, 7, "raw")))


def quinn(lines: Sequence[Line]) -> str:
    """Version 0.11.19, from a log of its own: no frames, round trips in seconds, another name after the handshake."""
    header = {
        "qlog_version": "0.3",
        "qlog_format": "JSON-SEQ",
        "title": "quinn",
        "trace": {
            "vantage_point": {"type": "unknown"},
            "title": "quinn",
            "configuration": {"time_offset": 0.0},
        },
    }
    initial = {"packet_type": "initial", "packet_number": 0, "length": 1200}
    begun = {"smoothed_rtt": 0.333, "rtt_variance": 0.1665, "bytes_in_flight": 1200, "ssthresh": 2**64 - 1}
    events: list[dict[str, Any]] = [
        {"time": 0.8, "name": V3["sent"], "data": {"header": initial}, "group_id": "beef"},
        {"time": 0.8, "name": V3["metrics"], "data": begun, "group_id": "beef"},
        {"time": 2.5, "name": V3["ack"], "data": {"header": {**initial, "length": None}}, "group_id": "f00d"},
        # What it sends before the data: an acknowledgement.
        {
            "time": 2.6,
            "name": V3["sent"],
            "data": {"header": {"packet_type": "1RTT", "packet_number": 0, "length": 40}},
            "group_id": "f00d",
        },
    ]
    for event in named(lines, V3, 5, 8, "header"):
        data = {key: value for key, value in event["data"].items() if key != "frames"}
        if "smoothed_rtt" in data:
            data["smoothed_rtt"] /= 1000
        if event["name"] != V3["state"]:
            events.append({**event, "data": data, "group_id": "f00d"})
    return sequence(header, events)


def neqo(lines: Sequence[Line]) -> str:
    """Its own name of the first state of recovery, and acknowledgements as ``packets_acked``; a record in each line."""
    header = {
        "qlog_version": "0.3",
        "qlog_format": "JSON-SEQ",
        "trace": {
            "vantage_point": {"name": "neqo-client", "type": "client"},
            "common_fields": {"reference_time": 0.0},
        },
    }
    events = []
    for event in named(lines, V3, 0, 0, "raw"):
        data = event["data"]
        if event["name"] == V3["ack"]:
            numbers = {
                "packet_number_space": "application_data",
                "packet_numbers": data["frames"][0]["acked_ranges"][0],
            }
            events.append({**event, "name": "transport:packets_acked", "data": numbers})
        elif event["name"] == V3["state"] and data["new"] == "recovery":
            events.append({**event, "data": {"old": "slow_start", "new": "recovery_start"}})
            events.append({**event, "data": {"old": "recovery_start", "new": "recovery"}})
        else:
            events.append(event)
    return sequence(header, events, separator="")


def picoquic(lines: Sequence[Line]) -> str:
    """draft-00: one document, arrays, microseconds, ``cwnd``, categories in capitals."""
    events: list[list[Any]] = [
        [0, "transport", "datagram_sent", {"byte_length": 1252}],
        [
            0,
            "transport",
            "packet_sent",
            {"packet_type": "initial", "header": {"packet_size": 1252, "packet_number": 0}},
        ],
    ]
    for line in lines:
        time = round(1000 * line.ms) + 15000
        if line.kind in ("sent", "ack"):
            sent = line.kind == "sent"
            header = {
                "packet_size": SIZE if sent else 50,
                "packet_number": line.packet if sent else 3,
                "dcid": "ab",
            }
            stream = {"frame_type": "stream", "id": 4, "offset": 0, "length": 1100}
            ack = {"frame_type": "ack", "ack_delay": 1, "acked_ranges": [[0, line.packet]]}
            data = {"packet_type": "1RTT", "header": header, "frames": [stream if sent else ack]}
            events.append([time, "transport", "packet_sent" if sent else "packet_received", data])
        elif line.kind == "lost":
            data = {"packet_type": "1RTT", "packet_number": line.packet, "trigger": "repeat"}
            events.append([time, "recovery", "packet_lost", data])
        elif line.kind == "metrics":
            events.append([time, "recovery", "metrics_updated", metrics(line, rtt=1000, cwnd="cwnd")])
    trace = {
        "vantage_point": {"name": "backend-67", "type": "server"},
        "title": "picoquic",
        "event_fields": ["relative_time", "CATEGORY", "EVENT_TYPE", "DATA"],
        "configuration": {"time_units": "us"},
        "common_fields": {"protocol_type": "QUIC_HTTP3", "reference_time": "11001"},
        "events": events,
    }
    return json.dumps({"qlog_version": "draft-00", "title": "picoquic", "traces": [trace]}, indent=1)


def mvfst(lines: Sequence[Line]) -> str:
    """draft-00 with names of its own: the window and the state in one event, lost packets by their number."""
    events: list[Any] = []
    state = "Hystart"
    names = {"recovery": "FastRecovery", "congestion_avoidance": "Steady"}
    for line in lines:
        time = str(round(1000 * line.ms) + 1000)
        if line.kind in ("sent", "ack"):
            sent = line.kind == "sent"
            header = {"packet_size": SIZE if sent else 50, "packet_number": line.packet if sent else 3}
            stream = {"frame_type": "stream", "id": 4, "offset": 0, "length": 1100}
            ack = {"frame_type": "ack", "acked_ranges": [[0, line.packet]]}
            data: dict[str, Any] = {"packet_type": "1RTT", "header": header}
            data["frames"] = [stream if sent else ack]
            events.append([time, "transport", "packet_sent" if sent else "packet_received", data])
        elif line.kind == "lost":
            data = {"largest_lost_packet_num": line.packet, "lost_bytes": SIZE, "lost_packets": 1}
            events.append([time, "loss", "packets_lost", data])
        elif line.kind == "state":
            state = names[line.state]
        elif line.kind == "metrics":
            found = metrics(line, rtt=1000, cwnd="current_cwnd")
            rtt = {"latest_rtt": 1, "smoothed_rtt": found.pop("smoothed_rtt")}
            events.append([time, "recovery", "metric_update", rtt])
            found.pop("ssthresh", None)
            if found:
                events.append([time, "metric_update", "congestion_metric_update", {**found, "state": state}])
    trace = {
        "vantage_point": {"type": "server"},
        "configuration": {"time_units": "us"},
        "event_fields": ["relative_time", "category", "event", "data"],
        "events": [*events, []],
    }
    return json.dumps({"qlog_version": "draft-00", "traces": [trace]})


STACKS: dict[str, Callable[[Sequence[Line]], str]] = {
    stack.__name__: stack for stack in (quic_go, noq, quinn, metrics_only, neqo, picoquic, mvfst)
}
