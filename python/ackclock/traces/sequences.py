"""Compares what happened in two logs: losses, timeouts, changes of state, each with its counterpart in turn."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from ackclock.traces import states
from ackclock.traces.log import LOSSES, STATES, TIMEOUTS, Align, Event, EventKind, Log
from ackclock.traces.outcome import ROUNDING, Parting, covers

KINDS: tuple[tuple[str, EventKind], ...] = ((LOSSES, "lost"), (TIMEOUTS, "timeout"), (STATES, "state"))
"""The sequences that are compared event by event, each with the kind of its events."""


def partings(
    ours: Log,
    theirs: Log,
    align: Align,
    begins_s: tuple[float, float],
    ends: tuple[float, float],
    slack: float,
    ignored: Collection[str],
    left_out: dict[str, str],
    compared: list[str],
) -> Iterator[Parting]:
    """Returns the first parting of each kind of event, as far as both logs go (``ends``).

    Adds to ``compared`` what was compared, and to ``left_out`` what cannot be.
    """
    for what, mine, other in _sequences(ours, theirs, ignored, left_out):
        compared.append(what)
        keys = _keys(what, ours, theirs, mine, other)
        found = [
            _keyed(what, events, align, begin_s, key)
            for events, begin_s, key in zip((mine, other), begins_s, keys, strict=True)
        ]
        yield from _parting(what, found[0], found[1], ends, slack + ROUNDING)


def _sequences(
    ours: Log, theirs: Log, ignored: Collection[str], left_out: dict[str, str]
) -> Iterator[tuple[str, list[Event], list[Event]]]:
    """Returns the events of both logs that are compared in turn."""
    for what, kind in KINDS:
        mine, other = ours.of_kind(kind), theirs.of_kind(kind)
        why = "ignored" if what in ignored else _not_told(what, kind, ours, theirs)
        if why is None and what == STATES:
            mine, other = states.common(mine, other)
            why = _states_apart(ours, theirs, mine, other)
        if why is None:
            yield what, mine, other
        else:
            left_out[what] = why


def _not_told(what: str, kind: EventKind, ours: Log, theirs: Log) -> str | None:
    """Returns why events of a kind cannot be compared: a log that has none of them may be unable to tell of them.

    Losses that only one log has are compared if the other one says which packets were sent.
    """
    logs = ours, theirs
    for log in logs:
        if what in log.silent:
            return f"{log.file}: {log.silent[what]}"
    quiet = [log for log in logs if not log.tells(what, kind)]
    told = any(log.of_kind(kind) for log in logs)
    if not quiet or (what == LOSSES and told and quiet[0].logs_packets):
        return None
    return f"no event in {quiet[0].file if len(quiet) == 1 else 'either log'} reports {what}"


def _states_apart(ours: Log, theirs: Log, mine: list[Event], other: list[Event]) -> str | None:
    """Returns why the states of two logs cannot be compared."""
    names = [{event.words for event in events} for events in (mine, other)]
    if not mine or not other:
        return f"no event in {(theirs if mine else ours).file} reports {STATES}"
    for log, unknown in zip((ours, theirs), states.unknown(*names), strict=True):
        if unknown:
            return f"{log.file} has unknown states: {', '.join(sorted(unknown))}"
    return None if states.comparable(*names) else "the logs use different states"


@dataclass(frozen=True)
class _Keyed:
    """An event with its place on the axis, and what must be equal in both logs."""

    at: float
    since_s: float
    key: int | str
    event: Event


def _keys(
    what: str, ours: Log, theirs: Log, mine: list[Event], other: list[Event]
) -> list[Callable[[Event], int | str]]:
    """Returns the functions that give the key of an event of each log."""
    if what == STATES:
        phases = all(not any(event.words == "probe_bw" for event in each) for each in (mine, other))
        return [lambda event: event.words if phases else states.coarse(event.words)] * 2
    # A log that gives the number of lost packets and names one of them is compared by their number.
    if what == TIMEOUTS or any(event.packet is None for event in (*mine, *other)):
        return [lambda _: ""] * 2
    if ours.logs_packets and theirs.logs_packets:
        # Stacks number their packets from different numbers, and skip some: what counts is which data packet it was.
        return [lambda event: -1 if event.nth is None else event.nth] * 2
    return [_from(log) for log in (ours, theirs)]


def _from(log: Log) -> Callable[[Event], int]:
    """Returns a function that gives the number of an event's packet, counted from the first packet that was sent, or
    from 0 in a log that does not say what was sent.
    """
    numbers = [event.packet for event in log.events if event.packet is not None and event.kind == "sent"]
    first = min(numbers, default=0)
    return lambda event: (event.packet or 0) - first


def _keyed(
    what: str, events: list[Event], align: Align, begin_s: float, key: Callable[[Event], int | str]
) -> list[_Keyed]:
    found = [
        _Keyed(event.place.along(align, begin_s), event.place.time_s - begin_s, key(event), event)
        for event in events
    ]
    if what == STATES:
        # A state that is logged again is no change, nor is the one that every connection begins in.
        last: int | str = states.BEGIN[1 if found and found[0].key in states.BBR else 0]
        changes = []
        for one in found:
            if one.key != last:
                changes.append(one)
            last = one.key
        return changes
    if what == LOSSES:  # losses of one time come in any order
        return sorted(found, key=lambda one: (round(one.at, 9), one.key))
    return found


def _parting(
    what: str, ours: Sequence[_Keyed], theirs: Sequence[_Keyed], ends: tuple[float, float], slack: float
) -> Iterator[Parting]:
    """Returns the first event that one log has and the other has not, or has elsewhere, if there is one."""
    for mine, other in zip_longest(ours, theirs):
        if mine and other and mine.key == other.key and abs(mine.at - other.at) <= slack:
            continue
        first = min((one for one in (mine, other) if one), key=lambda one: (one.at, one.since_s))
        if not covers(min(ends), max(ends), first.at, slack):
            return
        (our_words, our_event), (their_words, their_event) = (
            _here(what, one, first.at + slack, bool(all_of_it))
            for one, all_of_it in ((mine, ours), (other, theirs))
        )
        yield Parting(what, first.at, first.since_s, our_words, their_words, our_event, their_event)
        return


def _here(what: str, found: _Keyed | None, until: float, has_any: bool) -> tuple[str, Event | None]:
    """Returns what a log says where it parts from the other, in words, and the event that it has there."""
    nothing = {LOSSES: "no packet lost", STATES: "no state change", TIMEOUTS: "no timeout"}[what]
    if found is None and not has_any and what == LOSSES:
        return f"no event reports {what}", None
    if found is None:
        return f"{nothing} from this point on", None
    if found.at > until:
        return f"{nothing} at this point; the next such event in this log: {found.event}", None
    return str(found.event), found.event
