"""The states of congestion control under the names that stacks give them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ackclock.traces.log import Event

LIMITED = "application_limited"
CLASSIC = ("slow_start", "congestion_avoidance", "recovery", LIMITED, "persistent_congestion")
BBR = ("startup", "drain", "probe_bw", "probe_rtt")
BBR_PHASES = ("probe_bw_down", "probe_bw_cruise", "probe_bw_refill", "probe_bw_up")
BEGIN = ("slow_start", "startup")
"""The first state of a connection: without BBR, and with BBR."""
BBRV3 = (*BBR[:2], *BBR_PHASES, BBR[3])
"""The states of BBRv3, indexed by ``bbr_state`` of ackclock's event logs."""
OTHERS = {
    "recoverystart": "recovery",
    "fastrecovery": "recovery",
    "hystart": "slow_start",
    "steady": "congestion_avoidance",
}
_KNOWN = {name.replace("_", ""): name for name in (*CLASSIC, *BBR, *BBR_PHASES)} | OTHERS


def canonical(name: str) -> str:
    """Returns a state's name as ours: ``ProbeBW_UP`` and ``bbr_probe_bw_up`` are ``probe_bw_up``."""
    letters = re.sub("[^a-z]", "", name.lower()).removeprefix("bbr")
    return _KNOWN.get(letters, name.lower())


def unknown(ours: Iterable[str], theirs: Iterable[str]) -> tuple[set[str], set[str]]:
    """Returns the states of two logs that have no meaning here: picoquic numbers those of its controls.

    Words that are in both logs may be compared without one.
    """
    mine, other = (set(names) - set(_KNOWN.values()) for names in (ours, theirs))
    both = {name for name in mine & other if not name.isdigit()}
    return mine - both, other - both


def comparable(ours: Iterable[str], theirs: Iterable[str]) -> bool:
    """Returns whether two logs speak of the same states: those of BBR, or those of a window."""
    mine, other = ({name in (*BBR, *BBR_PHASES) for name in names} for names in (ours, theirs))
    return bool(mine and other) and mine == other


def common(ours: list[Event], theirs: list[Event]) -> tuple[list[Event], list[Event]]:
    """Returns the changes of state without those to ``application_limited``, unless both logs have it.

    Most stacks do not count it as a state; quic-go leaves it with the state that it was in.
    """
    limited = [any(event.words == LIMITED for event in events) for events in (ours, theirs)]
    if all(limited):
        return ours, theirs
    mine, other = ([event for event in events if event.words != LIMITED] for events in (ours, theirs))
    return mine, other


def coarse(name: str) -> str:
    """Returns a phase of ProbeBW as ProbeBW, for a log that does not tell its phases."""
    return "probe_bw" if name in BBR_PHASES else name
