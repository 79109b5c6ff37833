"""A comparison as published in JSON."""

from __future__ import annotations

from typing import Any

from ackclock.traces.log import Event
from ackclock.traces.outcome import SIDES, Comparison, Parting, Side


def document(comparison: Comparison) -> dict[str, Any]:
    """Returns the document of ``schemas.compare_trace.CompareTraceDocument``."""
    parting = comparison.parting
    return {
        "agree": comparison.agree,
        "by": comparison.align,
        "origin": comparison.origin,
        "span": comparison.span,
        "unit": comparison.unit,
        "slack": comparison.tolerance.slack,
        **{side: _log_record(comparison, side) for side in SIDES},
        "compared": comparison.compared,
        "parting": None if parting is None else _parting_record(comparison, parting),
        "differences": [
            {
                "quantity": one.quantity,
                "tolerance": comparison.tolerance.share_of(one.quantity),
                "largest": one.largest,
                "at": one.at,
                "ours": one.ours,
                "theirs": one.theirs,
                "first_beyond": one.first_beyond,
                "stretches": one.stretches,
            }
            for one in comparison.differences
        ],
        "not_compared": comparison.not_compared,
    }


def _log_record(comparison: Comparison, side: Side) -> dict[str, Any]:
    log, begin_s = comparison.side(side), comparison.begin_s(side)
    return {
        "file": log.file,
        "format": log.format,
        "counts": log.counts,
        "packet_bytes": log.packet_bytes,
        "sampled": log.sampled,
        "begin_s": begin_s,
        "end_s": log.end.time_s - begin_s,
        "events": len(log.events),
    }


def _parting_record(comparison: Comparison, parting: Parting) -> dict[str, Any]:
    ours, theirs = (_side_record(comparison, parting, side) for side in SIDES)
    return {"what": parting.what, "at": parting.at, "ours": ours, "theirs": theirs}


def _side_record(comparison: Comparison, parting: Parting, side: Side) -> dict[str, Any]:
    index, own = SIDES.index(side), comparison.own(side)
    by_time = comparison.align == "time"
    return {
        "text": parting.ours if side == "ours" else parting.theirs,
        "time_s": parting.at + comparison.begin_s(side) if by_time else None,
        "event": None if own is None else _event_record(comparison, side, own),
        "state": comparison.state(side),
        "values": {name: courses[index].value(parting.at) for name, courses in comparison.steps.items()},
        "before": [_event_record(comparison, side, event) for event in comparison.before(side)],
    }


def _event_record(comparison: Comparison, side: Side, event: Event) -> dict[str, Any]:
    return {
        "time_s": event.place.time_s,
        "since_begin_s": event.place.time_s - comparison.begin_s(side),
        "packets_sent": event.place.sent,
        "kind": event.kind,
        "packet": event.packet,
        "text": str(event),
    }
