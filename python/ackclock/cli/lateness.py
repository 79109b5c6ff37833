"""Prints how late packets left in a run in real time, and whether the run is valid."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ackclock._numbers import number_of
from ackclock.cli.terminal import console, note


def show_lateness(conditions: Mapping[str, Any]) -> None:
    """Prints how late packets left the links, the bounds on that lateness, and whether the run is valid."""
    late = conditions["lateness"]
    if late["packets"]:
        verdict = "invalid" if conditions["problems"] else "valid"
        console().print(
            f"{verdict} run: lateness of {number_of(late['packets'], 'packet')} at the links: {_spread(late)}; a "
            f"valid run has at most {late['p99_bound_s'] * 1e3:g} ms (p99) and {late['max_bound_s'] * 1e3:g} ms "
            "(maximum)"
        )
    stacks = conditions.get("stacks")
    if stacks is not None and stacks["packets"]:
        console().print(f"lateness of datagrams and timers at the stacks: {_spread(stacks)}")
    if not conditions["real_time"]:
        note("this run had no real-time priority, which requires root or an rtprio limit in limits.conf")


def _spread(late: Mapping[str, Any]) -> str:
    p50, p99, p999, most = (f"{late[key] * 1e3:.3f}" for key in ("p50_s", "p99_s", "p999_s", "max_s"))
    return f"{p50} ms (p50), {p99} ms (p99), {p999} ms (p99.9), {most} ms (maximum)"
