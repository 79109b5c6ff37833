"""Remarks on results that are easily overlooked: a flow was limited by its receive window, data of the warm-up counts
as goodput, a stack closed the connection, or none of its data arrived.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ackclock._numbers import number_of
from ackclock._stacks import is_of_stack

if TYPE_CHECKING:
    from ackclock.run import Run

MOST = 0.5
"""The share of a flow's active time in which its receiver's window limits it, above which a warning is printed."""
LATE = 1.02
"""The ratio of goodput to throughput above which a warning is printed."""
MANY = 5
"""The largest number of flows that a warning names; the others are counted."""


def held_back(runs: Iterable[Run]) -> Iterator[str]:
    """Yields a sentence for each flow that was limited by its receiver's window most of the time in any of the runs."""
    worst: dict[str, float] = {}
    for run in runs:
        for flow in run.result["flows"]:
            share = flow["receive_window_limited_share"]
            if share is not None and share > MOST:
                worst[flow["name"]] = max(share, worst.get(flow["name"], 0.0))
    for name, share in list(worst.items())[:MANY]:
        yield (
            f"flow {name}: its receiver's window kept it from sending for {share:.0%} of its active time "
            "(highest value of all runs)"
        )
    if len(worst) > MANY:
        yield f"the receive window also limited {number_of(len(worst) - MANY, 'more flow')} most of the time"


def delivered_late(runs: Iterable[Run]) -> Iterator[str]:
    """Yields a sentence for each flow that was delivered much more new data in measured time than it sent in it."""
    worst: dict[str, float] = {}
    for run in runs:
        for flow in run.result["flows"]:
            sent = flow["throughput_bps"]
            if sent and flow["goodput_bps"] > LATE * sent:
                worst[flow["name"]] = max(flow["goodput_bps"] / sent, worst.get(flow["name"], 0.0))
    for name, ratio in list(worst.items())[:MANY]:
        yield (
            f"flow {name}: its goodput is {ratio - 1:.0%} above its throughput (highest value of all runs), because "
            "data sent during the warm-up was delivered after it; a longer warm-up reduces this difference"
        )
    if len(worst) > MANY:
        yield f"data sent during the warm-up also raises the goodput of {number_of(len(worst) - MANY, 'more flow')}"


def closed(runs: Iterable[Run]) -> Iterator[str]:
    """Yields a sentence for each flow whose stack closed the connection in any of the runs, with the stack's reason."""
    said: dict[str, str] = {}
    for run in runs:
        for flow in run.result["flows"]:
            reason = flow.get("closed_reason")
            if reason is not None:
                said.setdefault(flow["name"], f"at {flow['closed_s']:.3f} s: {reason} (seed {run.seed})")
    for name, sentence in list(said.items())[:MANY]:
        yield f"flow {name}: the stack closed the connection {sentence}"
    if len(said) > MANY:
        yield f"the stack closed the connections of {number_of(len(said) - MANY, 'more flow')}"


def without_data(runs: Iterable[Run]) -> Iterator[str]:
    """Yields a sentence for each flow of a QUIC stack that sent packets in a run but none of whose data arrived."""
    sent: dict[str, str] = {}
    for run in runs:
        for flow in run.result["flows"]:
            packets = flow["sent_packets"]
            is_open = is_of_stack(flow) and flow.get("closed_reason") is None
            if is_open and packets > 0 and flow["delivered_packets"] == 0:
                count = number_of(packets, "packet")
                sent.setdefault(flow["name"], f"sent {count}, but none of its data arrived (seed {run.seed})")
    for name, sentence in list(sent.items())[:MANY]:
        yield f"flow {name}: {sentence}; the handshake may not have completed"
    if len(sent) > MANY:
        yield f"no data arrived from {number_of(len(sent) - MANY, 'more flow')} that sent packets"
