"""What a search looks for: numbers of a run that are larger the worse the control does."""

from __future__ import annotations

from dataclasses import dataclass

from ackclock.errors import InputError
from ackclock.names import nearest


@dataclass(frozen=True)
class Objective:
    """An objective. ``expr`` is an expression over a run, larger for worse."""

    name: str
    text: str
    """What the number says, in words."""
    expr: str
    space: str
    """The space of the package in which it is looked for, unless the user names another."""
    relative: bool = False
    """Whether the value of CUBIC in the same seat is subtracted."""


# Of a packet of 1500 bytes on the wire 1448 are data: flows that fill the link get 0.965 of its rate as goodput.
OBJECTIVES = (
    Objective(
        "utilisation",
        "the share of the time in which the link sends nothing",
        '1 - link("bottleneck").utilisation',
        "bursts",
    ),
    Objective(
        "loss",
        "the share of the control's packets that are dropped, minus that of CUBIC in the same seat",
        'sum(flows("tested*").dropped_packets) / sum(flows("tested*").sent_packets)',
        "paths",
        relative=True,
    ),
    Objective(
        "delay",
        "the 95th percentile of the queueing delay in s, minus that of CUBIC in the same seat",
        'link("bottleneck").wait_p95_s',
        "paths",
        relative=True,
    ),
    Objective(
        "starvation",
        "the part of its equal share that another flow lacks in the worst 5 s",
        '1 - least_share_of("flows.other*.goodput_bps", "flows.*.goodput_bps", measured_from, 5)',
        "mixes",
    ),
    Objective(
        "self-starvation",
        "the part of its equal share that a flow of the control lacks in the worst 5 s",
        '1 - least_share_of("flows.tested*.goodput_bps", "flows.*.goodput_bps", measured_from, 5)',
        "mixes",
    ),
    Objective(
        "harm",
        "the share of the link that other flows lose, minus what they lose to CUBIC in the same seat",
        '1 - sum(flows("other").goodput_bps) / (link("bottleneck").rate_bps * 0.965)',
        "mixes",
        relative=True,
    ),
)


def objective(name: str) -> Objective:
    """Returns the objective called ``name``. InputError for another name."""
    for one in OBJECTIVES:
        if one.name == name:
            return one
    known = [one.name for one in OBJECTIVES]
    raise InputError(f'there is no objective "{name}"{nearest(name, known)}')
