"""The objectives of searches: metrics of a run that are larger the worse the control does."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ackclock._names import nearest
from ackclock.errors import InputError
from ackclock.experiment.model import Metric


@dataclass(frozen=True)
class Objective:
    """An objective: a metric whose smaller values are better. Its label defines it in words."""

    name: str
    metric: Metric
    space: str
    """The built-in search space for this objective, unless the user names another."""
    reference: str = ""
    """The control whose value in the same scenario is subtracted; empty for none."""

    @property
    def text(self) -> str:
        """Returns the definition of the objective in words."""
        return (
            f"{self.metric.label}, minus its value with {self.reference} in the control's place"
            if self.reference
            else self.metric.label
        )

    @property
    def relative(self) -> bool:
        """Returns whether the value of another control in the control's place is subtracted."""
        return bool(self.reference)

    def against(self, control: str) -> Objective:
        """Returns the objective that subtracts the value of ``control`` in the control's place."""
        return replace(self, reference=control)


def _metric(label: str, expr: str) -> Metric:
    return Metric(id="objective", label=label, expr=expr, better="less")


# Of a packet of 1500 bytes on the wire 1448 are data: flows that fill the link get 0.965 of its rate as goodput.
OBJECTIVES = (
    Objective(
        "utilisation",
        _metric(
            "the fraction of the measured time in which the bottleneck link is idle",
            '1 - link("bottleneck").utilisation',
        ),
        "bursts",
    ),
    Objective(
        "loss",
        _metric(
            "the fraction of the tested flows' packets that is dropped",
            'sum(flows("tested*").dropped_packets) / sum(flows("tested*").sent_packets)',
        ),
        "paths",
        reference="CUBIC",
    ),
    Objective(
        "delay",
        _metric(
            "the 95th percentile of the queueing delay at the bottleneck, in seconds",
            'link("bottleneck").wait_p95_s',
        ),
        "paths",
        reference="CUBIC",
    ),
    Objective(
        "starvation",
        _metric(
            "the largest shortfall of a competing flow's goodput from its equal share, relative to that share, over "
            "any 5 s",
            '1 - least_share_of("flows.other*.goodput_bps", "flows.*.goodput_bps", measured_from, 5)',
        ),
        "mixes",
    ),
    Objective(
        "self-starvation",
        _metric(
            "the largest shortfall of a tested flow's goodput from its equal share, relative to that share, over "
            "any 5 s",
            '1 - least_share_of("flows.tested*.goodput_bps", "flows.*.goodput_bps", measured_from, 5)',
        ),
        "mixes",
    ),
    Objective(
        "share",
        _metric(
            "the shortfall of the tested flows' mean goodput from an equal share, relative to that share",
            '1 - mean(flows("tested*").goodput_bps) / mean(flows.goodput_bps)',
        ),
        "mixes",
    ),
    Objective(
        "harm",
        _metric(
            "the fraction of the bottleneck's capacity that the competing flows do not get",
            '1 - sum(flows("other").goodput_bps) / (link("bottleneck").rate_bps * 0.965)',
        ),
        "mixes",
        reference="CUBIC",
    ),
)


def objective(name: str) -> Objective:
    """Returns the objective called ``name``. InputError for another name."""
    for one in OBJECTIVES:
        if one.name == name:
            return one
    known = [one.name for one in OBJECTIVES]
    raise InputError(f'there is no objective "{name}"{nearest(name, known)}')
