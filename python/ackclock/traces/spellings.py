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
"""What an event reports. ``nothing`` means that it reports no compared quantity, or that it reports compared quantities
only in a form that cannot be compared.
"""


@dataclass(frozen=True)
class EventName:
    """The name of an event without its category, which the drafts changed more often (``recovery:``, ``quic:``)."""

    name: str
    meaning: Meaning
    seen_in: str
    other_form: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """The quantities that the event has in a form that cannot be compared, each with a description of the form."""


EVENTS: Mapping[str, EventName] = {
    row.name: row
    for row in (
        # Packets.
        EventName("packet_sent", "sent", "all drafts; all stacks"),
        EventName("packet_received", "received", "all drafts; all stacks"),
        EventName("packets_acked", "acknowledged", "draft 02; neqo neqo-transport/src/qlog.rs 80ca01ee"),
        # Losses.
        EventName(
            "packet_lost",
            "lost",
            "all drafts of qlog; mvfst 979f26a9, with the keys of its earlier event packets_lost",
        ),
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
        # Events whose names or categories suggest a compared quantity, but that have none.
        EventName("parameters_set", "nothing", "drafts 01 and later"),
        EventName("recovery_parameters_set", "nothing", "draft 12; quiche 339a782a"),
        EventName("ecn_state_updated", "nothing", "quic-go qlog/event.go 2cfe6ee0"),
        EventName("spurious_loss", "nothing", "quic-go qlog/event.go 2cfe6ee0"),
        EventName("mtu_updated", "nothing", "quic-go qlog/event.go 2cfe6ee0, category recovery"),
        EventName("marked_for_retransmit", "nothing", "drafts 01 and later"),
        EventName("packet_retransmit", "nothing", "draft 00"),
        EventName("packet_acknowledged", "nothing", "draft 00"),
        EventName("bandwidth_est_update", "nothing", "mvfst quic/logging/QLoggerTypes.cpp 979f26a9"),
        EventName("pacing_observation", "nothing", "mvfst quic/logging/QLoggerTypes.cpp 979f26a9"),
        EventName(
            "pacing_metric_update",
            "nothing",
            "mvfst quic/logging/QLoggerTypes.cpp 979f26a9",
            {"pacing_rate": "pacing_metric_update has the size and the interval of bursts, not a rate"},
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
"""The compared quantity of each key in a metrics event."""

LOSS_TOTAL = "cf_lost_packets"
"""The key of metrics for the lost packets, ``total`` and ``delta``: quiche/src/recovery/mod.rs since d6f8e41b."""
STATE = "state"
"""The key of metrics for the congestion state: mvfst before 88a8b48c."""
COUNT, LAST = "lost_packets", "largest_lost_packet_num"
"""The keys of mvfst's loss event: how many packets were lost, and the largest packet number among them."""

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
"""The packet types of the application data packet number space (RFC 9000 section 12.3), in lower case."""

TIME_KEYS: Mapping[str, bool] = {"time": False, "relative_time": False, "delta_time": True}
"""The keys that state an event's time, each with whether this time counts from the previous event. Drafts 00 and 01 had
a separate key for each kind of time.
"""
SINCE_LAST = frozenset(("delta", "relative_to_previous_event"))
"""The values of ``time_format``, in drafts 02 and 11, for times that count from the previous event."""
NAME_KEYS = ("event", "event_type", "type", "name")
"""The keys of an event's name: columns of drafts 00 to 02 (quic-go, aioquic, picoquic), and ``name`` since draft 02."""


@dataclass(frozen=True)
class Stack:
    """How the logs of a stack differ from other logs: initial RTT, units, missing events."""

    mark: str
    """A word, in lower case, in the title of the log or the name of its vantage point that identifies the stack."""
    initial_rtt_s: float = 0.333
    """The smoothed RTT, in seconds, logged before the first sample. Default: RFC 9002 section 6.2.2."""
    pacing_rate_needs: str | None = None
    """The key of metrics without which ``pacing_rate`` cannot be compared; None if it always can."""
    pacing_rate_bits: float = 1.0
    """The unit of ``pacing_rate``, in bit/s: 8 for a stack that logs bytes per second."""
    silent: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """The quantities or kinds of events that logs of this stack can lack, each with the reason to print."""


STACKS = (
    # picoquic/picoquic_internal.h d199d45b, PICOQUIC_INITIAL_RTT.
    Stack("picoquic", initial_rtt_s=0.25),
    # quiche/src/recovery/mod.rs e97798e1: no packet_lost; the pacing rate is in bytes/s, and between cd805fc0 and
    # d269ae13, which added cf_delivery_rate, it was the delivery rate.
    Stack(
        "quiche",
        pacing_rate_needs="cf_delivery_rate",
        pacing_rate_bits=8.0,
        silent={"losses": "quiche did not log lost packets"},
    ),
)
ANY_STACK = Stack("")
SECONDS = 0.333
"""The first smoothed RTT in a log with round trips in seconds: quinn-proto before c9b40f10 (May 2026)."""


def stack(*titles: str) -> Stack:
    """Returns the stack that wrote a log with these titles, or ``ANY_STACK``."""
    text = " ".join(titles).lower()
    return next((one for one in STACKS if one.mark in text), ANY_STACK)
