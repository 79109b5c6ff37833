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
    """qlog/trace.go and qlog/event.go, d1f9af4c: 0.3 in a text sequence. A handshake of its own numbers precedes."""
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
    """neqo-transport/src/qlog.rs: its own name of the first state of recovery (before 80ca01ee), acknowledgements as
    ``packets_acked``; a record in each line.
    """
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
    """loglib/qlog.c, d199d45b: draft-00 in one document, arrays, microseconds, ``cwnd``, numbers for states."""
    events: list[list[Any]] = [
        [0, "transport", "datagram_sent", {"byte_length": 1252}],
        [
            0,
            "transport",
            "packet_sent",
            {"packet_type": "initial", "header": {"packet_size": 1252, "packet_number": 0}},
        ],
        [0, "recovery", "metrics_updated", {"smoothed_rtt": 250_000}],  # before it has a sample
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
        elif line.kind == "state":
            states = {"old": "0", "new": "1" if line.state == "recovery" else "2", "cc_param": 0}
            events.append([time, "recovery", "congestion_state_updated", states])
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
    """quic/logging/QLoggerTypes.cpp before 88a8b48c: draft-00 with names of its own, window and state in one event."""
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


def aioquic(lines: Sequence[Line]) -> str:
    """src/aioquic/quic/logger.py and recovery.py, 6d36838: 0.3 in one document, absolute times, ``cwnd``, ``type``."""
    events: list[dict[str, Any]] = [
        {"time": 1.7e12, "name": "transport:version_information", "data": {"chosen_version": 1}},
        {"time": 1.7e12 + 1, "name": V3["metrics"], "data": {"cwnd": 4 * SIZE, "bytes_in_flight": SIZE}},
        {"time": 1.7e12 + 2, "name": V3["lost"], "data": {"type": "initial", "packet_number": 2}},
    ]
    for event in named(lines, V3, 3, 1.7e12 + 3, "raw"):
        data = event["data"]
        if "congestion_window" in data:
            data["cwnd"] = data.pop("congestion_window")
        if event["name"] == V3["lost"]:
            data = {"type": "1RTT", "packet_number": data["header"]["packet_number"]}
        if event["name"] != V3["state"]:
            events.append({**event, "data": data})
    trace = {
        "common_fields": {"ODCID": "aa01"},
        "events": events,
        "vantage_point": {"name": "aioquic", "type": "server"},
    }
    return json.dumps({"qlog_format": "JSON", "qlog_version": "0.3", "traces": [trace]})


def ngtcp2(lines: Sequence[Line]) -> str:
    """lib/ngtcp2_qlog.c, f3af8b14: all metrics at once, from the first packet on, before there is a sample."""
    header = {
        "qlog_format": "JSON-SEQ",
        "qlog_version": "0.3",
        "trace": {
            "vantage_point": {"name": "ngtcp2", "type": "server"},
            "common_fields": {"protocol_type": ["QUIC"], "time_format": "relative", "reference_time": 0},
        },
    }
    first = {"smoothed_rtt": 333, "latest_rtt": 0, "rtt_variance": 166, "pto_count": 0, "bytes_in_flight": 0}
    events = [event for event in named(lines, V3, 0, 5, "raw") if event["name"] != V3["state"]]
    return sequence(header, [{"time": 1, "name": V3["metrics"], "data": first}, *events])


def quic_go_2025(lines: Sequence[Line]) -> str:
    """qlogwriter/trace.go and qlog/event.go, 2cfe6ee0: the header of later drafts, the names of 0.3, mtu_updated."""
    header = {
        "file_schema": "urn:ietf:params:qlog:file:sequential",
        "serialization_format": "application/qlog+json-seq",
        "title": "quic-go qlog",
        "trace": {
            "event_schemas": ["urn:ietf:params:qlog:events:quic-12"],
            "vantage_point": {"type": "server"},
            "common_fields": {
                "group_id": "c0ffee",
                "reference_time": {"clock_type": "monotonic", "epoch": "unknown"},
            },
        },
        "qlog_format": "JSON-SEQ",
        "qlog_version": "0.3",
    }
    mtu = {"time": 3, "name": "recovery:mtu_updated", "data": {"mtu": 1404, "done": False}}
    return sequence(header, [mtu, *named(lines, V3, 2, 4, "raw")])


def quic_go_draft_02(lines: Sequence[Line]) -> str:
    """qlog/qlog.go after dd93d964: a record in each line, with the packet of a loss in the event itself."""
    header = {
        "qlog_format": "NDJSON",
        "qlog_version": "draft-02",
        "title": "quic-go qlog",
        "trace": {"vantage_point": {"type": "server"}, "common_fields": {"time_format": "relative"}},
    }
    events = []
    for event in named(lines, V3, 1, 2, "header"):
        lost = event["name"] == V3["lost"]
        header_of_lost = event["data"].get("header", {})
        events.append({**event, "data": {**header_of_lost, "trigger": "time_threshold"}} if lost else event)
    return sequence(header, events, separator="")


def columns(
    lines: Sequence[Line], names: dict[str, tuple[str, str]], fields: list[str], unit: int, cwnd: str
) -> list[list[Any]]:
    """Returns the events of the drafts 00 to 02 as arrays, with numbers as text. ``unit``: units of time in a ms."""
    found: list[list[Any]] = []
    last = 0.0
    for event in named(lines, {kind: kind for kind in names}, 4, 6, "header"):
        data, kind = event["data"], event["name"]
        if kind == "metrics":
            data = metrics_of(data, cwnd, unit)
        elif kind == "lost":
            data = {"packet_type": "1RTT", "packet_number": str(data["header"]["packet_number"])}
        elif kind in ("sent", "ack"):
            header = data["header"]
            size = {"packet_size": header["length"]} if "length" in header else {}
            data = {
                "packet_type": "1RTT",
                "header": {"packet_number": str(header["packet_number"]), **size},
                "frames": [upper(frame) if names[kind][1].isupper() else frame for frame in data["frames"]],
            }
        time = event["time"] * unit
        values = {
            "relative_time": f"{time:.0f}",
            "delta_time": f"{time - last:.0f}",
            "category": names[kind][0],
            "event_type": names[kind][1],
            "event": names[kind][1],
            "trigger": "default",
            "data": data,
        }
        last = time
        found.append([values[name.lower()] for name in fields])
    return found


def metrics_of(data: dict[str, Any], cwnd: str, unit: int) -> dict[str, Any]:
    """Returns metrics with another key of the window, and round trips in another unit."""
    found = {cwnd if key == "congestion_window" else key: value for key, value in data.items()}
    if "smoothed_rtt" in found:
        found["smoothed_rtt"] *= unit
    return found


def upper(frame: dict[str, Any]) -> dict[str, Any]:
    ranges = frame.get("acked_ranges")
    texts = {} if ranges is None else {"acked_ranges": [[str(end) for end in span] for span in ranges]}
    return {**frame, "frame_type": frame["frame_type"].upper(), **texts}


OLD = {
    "sent": ("transport", "packet_sent"),
    "ack": ("transport", "packet_received"),
    "lost": ("recovery", "packet_lost"),
    "metrics": ("recovery", "metrics_updated"),
}


def in_columns(
    version: str, fields: list[str], events: list[list[Any]], configuration: dict[str, str]
) -> str:
    trace = {
        "vantage_point": {"type": "server"},
        "configuration": configuration,
        "common_fields": {"reference_time": "1553986553572"},
        "event_fields": fields,
        # ngtcp2 ends its list with an empty event (lib/ngtcp2_qlog.c before ebb1d7e2).
        "events": [*events, []],
    }
    return json.dumps({"qlog_version": version, "traces": [trace]})


def aioquic_draft_01(lines: Sequence[Line]) -> str:
    """src/aioquic/quic/logger.py before 65b534a: microseconds as text."""
    fields = ["relative_time", "category", "event_type", "data"]
    events = columns(lines, OLD, fields, 1000, "cwnd")
    return in_columns("draft-01", fields, events, {"time_units": "us"})


def ngtcp2_draft_01(lines: Sequence[Line]) -> str:
    """lib/ngtcp2_qlog.c before ebb1d7e2: milliseconds, times from event to event as the draft allows."""
    fields = ["delta_time", "category", "event", "data"]
    return in_columns("draft-01", fields, columns(lines, OLD, fields, 1, "congestion_window"), {})


def draft_00(lines: Sequence[Line]) -> str:
    """draft-marx-qlog-event-definitions-quic-h3-00: names in capitals, a trigger before the data."""
    names = {kind: (category.upper(), name.upper()) for kind, (category, name) in OLD.items()}
    names |= {"metrics": ("RECOVERY", "METRIC_UPDATE"), "state": ("RECOVERY", "CC_STATE_UPDATE")}
    fields = ["relative_time", "CATEGORY", "EVENT_TYPE", "TRIGGER", "DATA"]
    return in_columns("draft-00", fields, columns(lines, names, fields, 1000, "cwnd"), {"time_units": "us"})


LATER = {
    "file_schema": "urn:ietf:params:qlog:file:sequential",
    "serialization_format": "application/qlog+json-seq",
}


def quiche(lines: Sequence[Line]) -> str:
    """quiche/src/recovery/mod.rs, e97798e1: no lost packet but their number, the pacing rate in bytes/s."""
    header = {
        **LATER,
        "title": "quiche-server qlog",
        "trace": {"vantage_point": {"type": "server"}, "event_schemas": []},
    }
    first = {"smoothed_rtt": 333.0, "bytes_in_flight": 0, "ssthresh": 2**64 - 1, "cf_delivery_rate": 0}
    first |= {"pacing_rate": 125_000, "cf_lost_packets": {"total": 0, "delta": 0}}
    names = {**QUIC, "state": "quic:congestion_state_updated"}
    events: list[dict[str, Any]] = [{"time": 1, "name": QUIC["metrics"], "data": first}]
    for event in named(lines, names, 0, 4, "raw"):
        total = {"cf_lost_packets": {"total": 1, "delta": 1}}
        lost = event["name"] == QUIC["lost"]
        events.append({**event, "name": QUIC["metrics"], "data": total} if lost else event)
    return sequence(header, events)


def quinn_2026(lines: Sequence[Line]) -> str:
    """quinn-proto/src/connection/paths.rs since c9b40f10 with qlog 0.18: round trips in milliseconds, no frames."""
    header = {**LATER, "title": "quinn", "trace": {"vantage_point": {"type": "unknown"}, "event_schemas": []}}
    begun = {"smoothed_rtt": 333.0, "rtt_variance": 166.5, "bytes_in_flight": 1200}
    initial = {"packet_type": "initial", "packet_number": 0, "length": 1200}
    events: list[dict[str, Any]] = [
        {"time": 0.8, "name": QUIC["sent"], "data": {"header": initial}},
        {"time": 0.8, "name": QUIC["metrics"], "data": begun},
    ]
    for event in named(lines, QUIC, 5, 8, "header"):
        data = {key: value for key, value in event["data"].items() if key != "frames"}
        events.append({**event, "data": data})
    return sequence(header, ({**event, "group_id": "f00d"} for event in events))


def mvfst_2026(lines: Sequence[Line]) -> str:
    """quic/logging/QLoggerTypes.cpp, 979f26a9: names of the later drafts, the keys of losses and timers its own."""
    events: list[dict[str, Any]] = [
        {"time": 1.5, "name": "mvfst:transport_summary", "data": {}},
        {"time": 1.5, "name": "mvfst:pacing_metric_update", "data": {"pacing_burst_size": 10}},
        {"time": 1.5, "name": "quic:congestion_state_updated", "data": {"app_limited": "app limited"}},
    ]
    words = {"recovery": "Recovery", "congestion_avoidance": "Steady"}
    for event in named(lines, {**QUIC, "state": "quic:congestion_state_updated"}, 0, 2, "raw"):
        data = event["data"]
        if event["name"] == QUIC["lost"]:
            last = data["header"]["packet_number"]
            data = {"largest_lost_packet_num": last, "lost_bytes": SIZE, "lost_packets": 1}
        elif "new" in data:
            data = {"new": words[data["new"]], "trigger": "congestion packet ack"}
        elif event["name"] == QUIC["ack"]:
            data["frames"][0]["frame_type"] = "ack_ecn"
        events.append({**event, "data": data})
    trace = {
        "title": "mvfst qlog from single connection",
        "vantage_point": {"type": "server", "name": "mvfst"},
        "event_schemas": ["urn:ietf:params:qlog:events:quic", "urn:ietf:params:qlog:events:mvfst"],
        "common_fields": {
            "odcid": "beef",
            "reference_time": {"clock_type": "monotonic", "epoch": "unknown"},
            "time_format": "relative_to_epoch",
        },
        "events": events,
    }
    return json.dumps({"file_schema": "urn:ietf:params:qlog:file:contained", "traces": [trace]})


STACKS: dict[str, Callable[[Sequence[Line]], str]] = {
    stack.__name__: stack
    for stack in (
        quic_go,
        quic_go_2025,
        quic_go_draft_02,
        noq,
        quinn,
        quinn_2026,
        metrics_only,
        neqo,
        ngtcp2,
        ngtcp2_draft_01,
        aioquic,
        aioquic_draft_01,
        quiche,
        picoquic,
        mvfst,
        mvfst_2026,
        draft_00,
    )
}
COUNTS_LOSSES = ("metrics_only", "quiche")
"""Those that do not say which data packet was lost."""
