"""Jain's fairness index over chosen flows, and which flows it is fair to compare."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ackclock._names import nearest
from ackclock._numbers import mean_and_spread
from ackclock._stacks import is_of_stack
from ackclock.errors import InputError
from ackclock.statistics import summarise

_TASKS = ("connections", "pages", "segments", "requests")
"""Result fields of flows that send one task after another and are idle in between."""
_IDLE = 0.01
"""The largest share of time without data to send for a flow that counts as always having data to send."""
_LATE = 0.05
"""A flow is named as late if it misses more than this fraction of the measured time at the beginning."""
_MOST_NAMES = 4
"""The largest number of flows that a sentence names."""


def fairness_over(result: Mapping[str, Any], names: Sequence[str]) -> float | None:
    """Returns Jain's index over the goodput of these flows, each named, or all of a group by its name. Flows that
    never start are left out. None when none got anything. InputError for an unknown name.
    """
    chosen = []
    for name in names:
        found = [flow for flow in result["flows"] if name in (flow["name"], flow["group"])]
        if not found:
            known = [word for flow in result["flows"] for word in (flow["name"], flow["group"])]
            raise InputError(f'no flow or group is called "{name}"{nearest(name, known)}')
        chosen += [flow for flow in starting(found) if flow not in chosen]
    return _index(chosen)


def starting(flows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Returns the flows that start. The others have ``start = "never"``: they take no part in tables and figures."""
    return [flow for flow in flows if flow["start_s"] is not None]


def _index(flows: Sequence[Mapping[str, Any]]) -> float | None:
    import numpy as np

    from ackclock.metrics import jain_index

    value = jain_index(np.array([flow["goodput_bps"] for flow in flows], dtype=np.float64))
    return None if math.isnan(value) else value


def always_sending(result: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Returns the flows that had data to send from their beginning to the end of the run: those of equal demand."""
    return [
        flow
        for flow in result["flows"]
        if _may_last(flow)
        and flow.get("application_limited_share") is not None
        and flow["application_limited_share"] <= _IDLE
    ]


def _untold(flow: Mapping[str, Any]) -> bool:
    """Returns whether a flow is of a foreign stack, which does not tell whether it always had data to send."""
    told = flow.get("application_limited_share") is not None
    return not told and _may_last(flow) and is_of_stack(flow) and flow["sent_packets"] > 0


def _may_last(flow: Mapping[str, Any]) -> bool:
    return flow.get("completed_s") is None and not any(task in flow for task in _TASKS)


def sentences(results: Sequence[Mapping[str, Any]]) -> list[str]:
    """Returns the sentences of ``_over_demand``, and one that names the flows which start late in measured time."""
    said = _over_demand(results)
    if not said:
        return []
    begin, end = results[0]["measured_s"]
    flows = starting(results[0]["flows"])
    late = [flow for flow in flows if flow["start_s"] - begin > _LATE * (end - begin)]
    if late:
        named = ", ".join(f"{flow['name']} from {flow['start_s']:g} s on" for flow in late[:_MOST_NAMES])
        more = f", and {len(late) - _MOST_NAMES} more" if len(late) > _MOST_NAMES else ""
        said.append(
            f"  {len(late)} of {len(flows)} flows ran for only part of the {end - begin:g} s over which goodput is "
            f"averaged: {named}{more}"
        )
    return said


def _over_demand(results: Sequence[Mapping[str, Any]]) -> list[str]:
    """Returns the fairness over all flows, and over those of equal demand if they are mixed with others; means over the
    runs with half their intervals. Nothing for a single flow.
    """
    flows = starting(results[0]["flows"])
    if len(flows) < 2:
        return []
    text = f"fairness (Jain) {_mean([result['fairness'] for result in results])} over {len(flows)} flows"
    greedy = [flow["name"] for flow in always_sending(results[0])]
    if len(greedy) == len(flows):
        return [text]
    untold = sum(map(_untold, flows))
    rest = len(flows) - len(greedy) - untold
    if not rest:
        return [
            text,
            f"  {untold} of {len(flows)} flows may not always have had data to send: external stacks do not report it",
        ]
    mixed = (
        f"{rest} of {len(flows)} flows did not always have data to send, so goodput below an equal share is not "
        "unfair for such a flow"
    )
    if rest == len(flows):
        return [
            text,
            "  no flow always had data to send, so the index says nothing about the congestion control",
        ]
    if len(greedy) < 2:
        return [text, f"  {mixed}"]
    named = ", ".join(greedy) if len(greedy) <= _MOST_NAMES else f"{len(greedy)} flows"
    chosen = set(greedy)
    among = [_index([flow for flow in result["flows"] if flow["name"] in chosen]) for result in results]
    return [text, f"  {mixed}; the index over the flows that always had data ({named}) is {_mean(among)}"]


def _mean(values: Sequence[float | None]) -> str:
    if len(values) == 1:
        return "-" if values[0] is None else f"{values[0]:.4f}"
    summary = summarise([math.nan if value is None else value for value in values])
    return mean_and_spread(summary.mean, summary.interval)
