"""Finds where two logs first differ, and by how much they differ."""

from __future__ import annotations

from collections.abc import Collection

from ackclock.errors import InputError
from ackclock.traces import sequences, values
from ackclock.traces.log import LOSSES, QUANTITIES, STATES, TIMEOUTS, Align, Log, Steps, Unit
from ackclock.traces.outcome import COMPARED, Comparison, Parting, Tolerance

MOST_NAMED = 8
"""The largest number of event names in a message."""


def compare(
    ours: Log,
    theirs: Log,
    align: Align = "time",
    tolerance: Tolerance | None = None,
    unit: Unit | None = None,
    ignored: Collection[str] = (),
) -> Comparison:
    """Compares two logs over what both cover.

    ``unit`` is the unit of windows, by default packets if each log counts packets or records the packet size.
    InputError when the logs have no values to compare.
    """
    tolerance = tolerance or Tolerance()
    left_out: dict[str, str] = {}
    for log in (ours, theirs):
        _refuse_not_understood(log, ignored, left_out)
    if align == "packet":
        for log in (ours, theirs):
            if not log.logs_packets and (log.sampled or log.counts == "bytes"):
                raise InputError(
                    f"{log.file}: has no events of sent packets, which --by packet needs: use --by time"
                )
    unit = unit or _unit(ours, theirs)
    by_data = ours.first_sent_s is not None and theirs.first_sent_s is not None
    mine_s, their_s = (_begin_s(log, by_data) for log in (ours, theirs))
    ends = ours.end.along(align, mine_s), theirs.end.along(align, their_s)
    span = min(ends)
    steps = {
        name: (_steps(ours, name, align, unit, mine_s), _steps(theirs, name, align, unit, their_s))
        for name in QUANTITIES
        if _both_have(name, ours, theirs, ignored, left_out)
    }
    partings: list[Parting] = []
    differences = []
    for name, (mine, other) in steps.items():
        places = values.places(mine, other, ends, tolerance.slack)
        if not places:
            left_out[name] = f"the logs have no values at the same {'time' if align == 'time' else 'packet'}"
            continue
        difference, first = values.difference(name, places, span, tolerance.share_of(name))
        differences.append(difference)
        if first is not None:
            ours_here, theirs_here = (values.reading(name, one, unit) for one in (first.ours, first.theirs))
            partings.append(Parting(name, first.at, first.since_s, ours_here, theirs_here))
    begins_s = mine_s, their_s
    compared = [one.quantity for one in differences]
    partings += sequences.partings(
        ours, theirs, align, begins_s, ends, tolerance.slack, ignored, left_out, compared
    )
    if not differences:
        why = "; ".join(f"{name} ({reason})" for name, reason in left_out.items() if name in QUANTITIES)
        raise InputError(
            f"{ours.file} and {theirs.file} have no values to compare up to "
            f"{span:.6g} {'s' if align == 'time' else 'packets'}, "
            f"the end of the shorter log: {why}"
        )
    parting = min(partings, key=_order, default=None)
    compared.sort(key=COMPARED.index)
    return Comparison(
        ours, theirs, align, unit, tolerance, span, parting, differences, compared, left_out, steps, begins_s
    )


def _refuse_not_understood(log: Log, ignored: Collection[str], left_out: dict[str, str]) -> None:
    found = {name: count for name, count in log.not_understood.items() if name not in ignored}
    if found:
        named = ", ".join(f"{name} ({count})" for name, count in sorted(found.items())[:MOST_NAMED])
        if (more := len(found) - MOST_NAMED) > 0:
            named += f" and {more} more"
        raise InputError(
            f"{log.file}: has events that are not understood and may matter for the comparison: {named}; "
            f"leave them out with --ignore, as in `--ignore {min(found)}`"
        )
    left_out |= dict.fromkeys(log.not_understood, "ignored")


def _order(parting: Parting) -> tuple[float, float, int]:
    """Returns the sort key of a parting: at equal times, events precede the quantities that they changed."""
    cause = {LOSSES: 0, TIMEOUTS: 1, STATES: 2}
    return parting.at, round(parting.since_s, 9), cause.get(parting.what, 3)


def _unit(ours: Log, theirs: Log) -> Unit:
    known = [log.counts == "packets" or log.packet_bytes is not None for log in (ours, theirs)]
    if all(known):
        return "packets"
    for log, other in ((ours, theirs), (theirs, ours)):
        if log.counts == "packets":
            raise InputError(
                f"{other.file}: counts bytes and does not record the packet size, while {log.file} counts packets: "
                "add --packet-bytes"
            )
    return "bytes"


def _scale(log: Log, name: str, unit: Unit) -> float:
    """Returns the divisor that converts a value of the log into the unit of the comparison."""
    if QUANTITIES[name].unit or log.counts == unit:
        return 1.0
    if log.packet_bytes is None:
        raise InputError(f"{log.file}: does not record the packet size: add --packet-bytes")
    return log.packet_bytes if unit == "packets" else 1.0 / log.packet_bytes


def _steps(log: Log, name: str, align: Align, unit: Unit, begin_s: float) -> Steps:
    return Steps.of(log.courses[name], align, begin_s, _scale(log, name, unit), log.sampled)


def _begin_s(log: Log, by_data: bool) -> float:
    return log.first_sent_s if by_data and log.first_sent_s is not None else log.first_report_s


def _both_have(name: str, ours: Log, theirs: Log, ignored: Collection[str], left_out: dict[str, str]) -> bool:
    without = [log for log in (ours, theirs) if name not in log.courses]
    if name in ignored:
        left_out[name] = "ignored"
    elif len(without) == 2:
        left_out[name] = "in neither log"
    elif without:
        why = without[0].silent.get(name)
        left_out[name] = f"not in {without[0].file}" + (f": {why}" if why else "")
    return name not in left_out
