"""How the stacks spell qlog: a row for each name of an event, each key of a number, and each stack with its own units.

To read another stack, add its words here. ``seen_in`` says where a word was found: a file of the stack's sources with
its commit, or a draft of qlog.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

Meaning = Literal[
    "sent", "received", "acknowledged", "lost", "timer", "timer_expired", "state", "metrics", "nothing"
]
"""What an event says. ``nothing``: it says nothing of what is compared, or in a form that cannot be compared."""


@dataclass(frozen=True)
class EventName:
    """The name of an event without its category, which the drafts changed more often (``recovery:``, ``quic:``)."""

    name: str
    meaning: Meaning
    seen_in: str
    other_form: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """The quantities of which it tells in another form, each with that form in words."""


EVENTS: Mapping[str, EventName] = {
    row.name: row
    for row in (
        # Packets.
        EventName("packet_sent", "sent", "all drafts; all stacks"),
        EventName("packet_received", "received", "all drafts; all stacks"),
        EventName("packets_acked", "acknowledged", "draft 02; neqo neqo-transport/src/qlog.rs 80ca01ee"),
        # Losses.
        EventName("packet_lost", "lost", "all drafts; mvfst 979f26a9 has the keys of packets_lost in it"),
        EventName("packets_lost", "lost", "mvfst quic/logging/QLoggerTypes.cpp before 88a8b48c (draft-00)"),
        # Timers.
        EventName("loss_timer_updated", "timer", "draft 02; quic-go qlog/event.go 2cfe6ee0, mvfst 979f26a9"),
        EventName("timer_updated", "timer", "quiche qlog/src/events/mod.rs e97798e1, since 339a782a"),
        EventName("loss_timer_expired", "timer_expired", "draft 01"),
        EventName("loss_alarm_fired", "timer_expired", "draft 00"),
        EventName("loss_alarm", "timer_expired", "mvfst quic/logging/QLoggerTypes.cpp before 88a8b48c"),
        EventName("loss_timer_set", "nothing", "draft 01"),
        EventName("loss_alarm_set", "nothing", "draft 00"),
        # States.
        EventName("congestion_state_updated", "state", "drafts 01 and later"),
        EventName("cc_state_update", "state", "draft 00"),
        # Windows, round trips, rates.
        EventName("metrics_updated", "metrics", "drafts 01 and later"),
        EventName("recovery_metrics_updated", "metrics", "draft 12; quiche 339a782a, mvfst 979f26a9"),
        EventName("metric_update", "metrics", "draft 00; mvfst before 88a8b48c"),
        EventName("congestion_metric_update", "metrics", "mvfst before 88a8b48c"),
        # What sounds as if it said something of these.
        EventName("parameters_set", "nothing", "drafts 01 and later"),
        EventName("recovery_parameters_set", "nothing", "draft 12; quiche 339a782a"),
        EventName("ecn_state_updated", "nothing", "quic-go qlog/event.go 2cfe6ee0"),
        EventName("spurious_loss", "nothing", "quic-go qlog/event.go 2cfe6ee0"),
        EventName("mtu_updated", "nothing", "quic-go qlog/event.go 2cfe6ee0, in its category recovery"),
        EventName("marked_for_retransmit", "nothing", "drafts 01 and later"),
        EventName("packet_retransmit", "nothing", "draft 00"),
        EventName("packet_acknowledged", "nothing", "draft 00"),
        EventName("bandwidth_est_update", "nothing", "mvfst quic/logging/QLoggerTypes.cpp 979f26a9"),
        EventName("pacing_observation", "nothing", "mvfst quic/logging/QLoggerTypes.cpp 979f26a9"),
        EventName(
            "pacing_metric_update",
            "nothing",
            "mvfst quic/logging/QLoggerTypes.cpp 979f26a9",
            {"pacing_rate": "pacing_metric_update has bursts and their interval"},
        ),
    )
}

QUANTITIES: Mapping[str, str] = {
    "congestion_window": "congestion_window",
    "cwnd": "congestion_window",  # draft 00; aioquic src/aioquic/quic/congestion/base.py 6d36838; picoquic d199d45b
    "current_cwnd": "congestion_window",  # mvfst before 88a8b48c
    "ssthresh": "ssthresh",
    "bytes_in_flight": "bytes_in_flight",
    "smoothed_rtt": "smoothed_rtt",
    "pacing_rate": "pacing_rate",
}
"""The quantity of each key of metrics."""

LOSS_TOTAL = "cf_lost_packets"
"""The key of metrics with the lost packets as ``total`` and ``delta``: quiche/src/recovery/mod.rs since d6f8e41b."""
STATE = "state"
"""The key of metrics that has the state: mvfst before 88a8b48c."""
COUNT, LAST = "lost_packets", "largest_lost_packet_num"
"""The keys of mvfst's event of lost packets: their number, and the number of the last one."""

DATA_FRAMES = frozenset(("stream", "datagram"))
"""The frames that make a packet a data packet."""
ACK_FRAMES = frozenset(
    (
        "ack",
        "path_ack",  # picoquic picoquic/frame_names.c d199d45b
        # mvfst quic/logging/QLoggerConstants.cpp 979f26a9
        "ack_ecn",
        "ack_extended",
        "ack_receive_timestamps",
        "ack_receive_timestamps_draft_02",
        "ack_receive_timestamps_draft_02_ecn",
    )
)
"""The frames that acknowledge packets."""
DATA_PACKETS = frozenset(("1rtt", "0rtt"))
"""The types of packets in the packet number space of data, in small letters."""

TIME_KEYS: Mapping[str, bool] = {"time": False, "relative_time": False, "delta_time": True}
"""The keys of an event's time, and whether it counts from the event before: drafts 00 and 01 had a key for each."""
SINCE_LAST = frozenset(("delta", "relative_to_previous_event"))
"""The words of ``time_format`` for times that count from the event before: draft 02, and draft 11."""
NAME_KEYS = ("event", "event_type", "type", "name")
"""The keys of an event's name: columns of drafts 00 to 02 (quic-go, aioquic, picoquic), and ``name`` since draft 02."""


@dataclass(frozen=True)
class Stack:
    """What a stack writes in units of its own."""

    mark: str
    """A part of the title of the log or of the name of its vantage point, in small letters."""
    initial_rtt_s: float = 0.333
    """The smoothed round trip in seconds that is logged before the first sample: RFC 9002 section 6.2.2's value."""
    pacing_rate_needs: str | None = None
    """The key of metrics without which ``pacing_rate`` cannot be compared."""
    pacing_rate_bits: float = 1.0
    """The unit of ``pacing_rate`` in bit/s."""
    silent: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Of what its logs do not tell, unless they do, and why."""


STACKS = (
    # picoquic/picoquic_internal.h d199d45b, PICOQUIC_INITIAL_RTT.
    Stack("picoquic", initial_rtt_s=0.25),
    # quiche/src/recovery/mod.rs e97798e1: no packet_lost; the pacing rate is in bytes/s, and between cd805fc0 and
    # d269ae13, which added cf_delivery_rate, it was the delivery rate.
    Stack(
        "quiche",
        pacing_rate_needs="cf_delivery_rate",
        pacing_rate_bits=8.0,
        silent={"losses": "quiche logs no lost packet"},
    ),
)
ANY_STACK = Stack("")
SECONDS = 0.333
"""The first round trip of a log with round trips in seconds: quinn's quinn-proto before c9b40f10 (May 2026)."""


def stack(*titles: str) -> Stack:
    """Returns the stack that wrote a log with these titles, or ``ANY_STACK``."""
    text = " ".join(titles).lower()
    return next((one for one in STACKS if one.mark in text), ANY_STACK)
