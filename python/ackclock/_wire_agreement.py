"""How a run on real stacks agrees with the simulation of the file: each metric with its difference and its bound."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

BUSY = 0.5
"""A link with a utilisation below this fraction in both runs is not compared."""


@dataclass(frozen=True)
class Metric:
    """A field of a record, and how far a real run may be from a simulated one."""

    field: str
    share: float
    """The largest allowed difference between the real and the simulated value, as a fraction of the simulated value."""
    packets: float = 0.0
    """If greater than 0: a difference of up to this number of packets is allowed, whatever ``share`` allows."""

    @property
    def bound(self) -> str:
        """Returns the bound in words."""
        return f"{self.share:.0%}" if not self.packets else f"a factor of 1.5, or {self.packets:g} packets"

    def agrees(self, real: float, simulated: float) -> bool:
        """Returns whether the values are within the bound of each other."""
        if self.packets:
            low, high = sorted((real, simulated))
            return high - low <= self.packets or high <= (1 + self.share) * low
        return abs(real - simulated) <= self.share * abs(simulated)


FLOW_METRICS = (Metric("goodput_bps", 0.03), Metric("rtt_p95_s", 0.05), Metric("one_way_delay_p95_s", 0.05))
LINK_METRICS = (
    Metric("utilisation", 0.03),
    Metric("wait_p95_s", 0.05),
    Metric("dropped_packets", 0.5, packets=5),
    Metric("marked_packets", 0.5, packets=5),
)


def compared(real: Mapping[str, Any], simulated: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Returns a row for each metric that both runs know, of each flow and of each busy link: {kind, name, metric, real,
    simulated, difference, bound, agrees}. ``difference`` is a share of the simulated value, null if that is zero.
    """
    return [*_rows("flow", FLOW_METRICS, real, simulated), *_rows("link", LINK_METRICS, real, simulated)]


def _rows(
    kind: str, metrics: tuple[Metric, ...], real: Mapping[str, Any], simulated: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    others = {record["name"]: record for record in simulated[f"{kind}s"]}
    for record in real[f"{kind}s"]:
        other = others[record["name"]]
        if kind == "link" and max(record["utilisation"], other["utilisation"]) < BUSY:
            continue
        for metric in metrics:
            one, two = record[metric.field], other[metric.field]
            if one is None or two is None or (metric.field == "marked_packets" and one == two == 0):
                continue
            yield {
                "kind": kind,
                "name": record["name"],
                "metric": metric.field,
                "real": one,
                "simulated": two,
                "difference": (one - two) / two if two else None,
                "bound": metric.bound,
                "agrees": metric.agrees(one, two),
            }
