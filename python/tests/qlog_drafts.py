"""qlog as its drafts have it, and as qvis opens it."""

from __future__ import annotations

import json
from typing import Any

# What draft-ietf-quic-qlog-main-schema-03 and draft-ietf-quic-qlog-quic-events-03 say of what is used, in our words.
# What their extension points would allow besides is left out, so that a name that is written wrongly is found.
NUMBER = {"type": "integer", "minimum": 0}
MILLISECONDS = {"type": "number", "minimum": 0}


def table(required: str, **properties: Any) -> dict[str, Any]:
    """The schema of an object that has these properties and no others."""
    return {
        "type": "object",
        "required": required.split(),
        "properties": properties,
        "additionalProperties": False,
    }


def one_of(*words: str) -> dict[str, Any]:
    return {"enum": list(words)}


HEADER = table(
    "packet_type",
    packet_type=one_of("initial", "handshake", "0RTT", "1RTT", "retry", "version_negotiation", "unknown"),
    packet_number=NUMBER,
)
ACK_RANGE = {"type": "array", "items": NUMBER, "minItems": 1, "maxItems": 2}
FRAME = {
    "oneOf": [
        table(
            "frame_type stream_id offset length",
            frame_type={"const": "stream"},
            stream_id=NUMBER,
            offset=NUMBER,
            length=NUMBER,
        ),
        table(
            "frame_type",
            frame_type={"const": "ack"},
            ack_delay=MILLISECONDS,
            acked_ranges={"type": "array", "minItems": 1, "items": ACK_RANGE},
            ce=NUMBER,
        ),
    ]
}
PACKET = table(
    "header", header=HEADER, raw=table("length", length=NUMBER), frames={"type": "array", "items": FRAME}
)
ROUND_TRIPS = dict.fromkeys(("min_rtt", "smoothed_rtt", "latest_rtt", "rtt_variance"), MILLISECONDS)
AMOUNTS = dict.fromkeys(
    ("congestion_window", "bytes_in_flight", "ssthresh", "packets_in_flight", "pacing_rate"), NUMBER
)
DATA = {
    "transport:packet_sent": PACKET,
    "transport:packet_received": PACKET,
    "recovery:packet_lost": table(
        "", header=HEADER, trigger=one_of("reordering_threshold", "time_threshold", "pto_expired")
    ),
    "recovery:metrics_updated": table("", **ROUND_TRIPS, **AMOUNTS) | {"minProperties": 1},
    "recovery:congestion_state_updated": table(
        "new",
        old={"type": "string"},
        new=one_of("slow_start", "congestion_avoidance", "recovery"),
        trigger=one_of("persistent_congestion", "ECN"),
    ),
    "recovery:loss_timer_updated": table(
        "event_type",
        timer_type=one_of("ack", "pto"),
        event_type=one_of("set", "expired", "cancelled"),
        delta=MILLISECONDS,
    ),
}
RARE = {"recovery:loss_timer_updated"}
EVENT = {
    "oneOf": [
        table("time name data", time=MILLISECONDS, name={"const": name}, data=data)
        for name, data in DATA.items()
    ]
}
FILE = table(
    "qlog_format qlog_version trace",
    qlog_version={"const": "0.3"},
    qlog_format={"const": "JSON-SEQ"},
    title={"type": "string"},
    description={"type": "string"},
    trace=table(
        "vantage_point common_fields",
        title={"type": "string"},
        vantage_point=table(
            "type", name={"type": "string"}, type=one_of("client", "server", "network", "unknown")
        ),
        common_fields=table(
            "time_format reference_time",
            protocol_type={"type": "array", "minItems": 1, "items": {"type": "string"}},
            time_format=one_of("absolute", "delta", "relative"),
            reference_time={"type": "number"},
        ),
    ),
)


def opened_by_qvis(text: str) -> list[dict[str, Any]]:
    """Return the events of a file as qvis has them, in the steps of its loaders.

    These are FileLoader, TextSequenceJSONToQlog and QlogLoaderV2.
    """
    # A file that is called .sqlog is a text sequence; any other is known by its first 1024 characters.
    beginning = text[:1024]
    assert "qlog_version" in beginning
    assert "qlog_format" in beginning
    assert "NDJSON" not in beginning
    assert "JSON-SEQ" in beginning
    header, *events = [json.loads(record) for record in text.split("\x1e") if record.strip()]
    assert header["qlog_version"] in ("draft-02", "draft-02-RC1", "qlog-03-WIP", "0.3")
    assert header["qlog_format"] == "JSON-SEQ"
    common = header["trace"]["common_fields"]
    assert common["time_format"] == "relative"
    assert header["trace"]["vantage_point"]["type"]
    for event in events:
        # The reference is a number, else it would be taken for a date; what is a date would be NaN.
        event["absolute_ms"] = float(common["reference_time"]) + float(event["time"])
        event["category"], event["type"] = event["name"].split(":")
        # qvis complains of these.
        assert not {"packet_size", "payload_length"} & event["data"].get("header", {}).keys()
        assert "packet_type" not in event["data"]
    return events
