"""Distributions of delay and goodput (RFC 7928 section 2.7): quantiles, each the mean over the replications.

``wait`` is the waiting time of packets at the link called bottleneck; ``variation`` is the one-way delay above the
flow's least (packet delay variation, RFC 5481), the mean over the flows; ``goodput`` is that of each flow in each
interval of the series that is measured, all flows together (ten least round trips, section 2.7).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ackclock.characterisation.language import Kept
from ackclock.series import Series

Vector = npt.NDArray[np.float64]
LINK = "bottleneck"


@dataclass(frozen=True)
class Distribution:
    """Quantiles at ``probabilities``, in ms, or in Mbit/s for a goodput."""

    probabilities: tuple[float, ...]
    quantiles: tuple[float, ...]


class Collected:
    """The distributions of one case, run by run."""

    def __init__(self) -> None:
        self._found: dict[str, list[Vector]] = {}
        self._probabilities: tuple[float, ...] = ()

    def take(self, wanted: Sequence[Kept], result: Mapping[str, Any]) -> None:
        """Adds the distributions that ``wanted`` names from a run, except those that the run did not keep."""
        self._probabilities = tuple(result.get("probabilities") or ())
        for kind in wanted if self._probabilities else ():
            quantiles = _quantiles(kind, result, np.array(self._probabilities))
            if quantiles is not None:
                self._found.setdefault(kind, []).append(quantiles)

    def means(self) -> dict[str, Distribution]:
        """Returns each distribution, with its quantiles averaged over the runs."""
        return {
            kind: Distribution(self._probabilities, tuple(map(float, np.mean(runs, axis=0))))
            for kind, runs in self._found.items()
        }


def _quantiles(kind: Kept, result: Mapping[str, Any], probabilities: Vector) -> Vector | None:
    if kind == "wait":
        found = [link.get("wait_quantiles_s") for link in result["links"] if link["name"] == LINK]
        return 1e3 * np.array(found[0]) if found and found[0] else None
    if kind == "variation":
        above = [
            1e3 * (np.array(flow["one_way_delay_quantiles_s"]) - flow["one_way_delay_min_s"])
            for flow in result["flows"]
            if flow.get("one_way_delay_quantiles_s")
        ]
        return np.asarray(np.mean(above, axis=0), dtype=np.float64) if above else None
    series: Series | None = result.get("series")
    if series is None:
        return None
    inside = series.time_s > result["measured_s"][0]
    rates = [
        series.values("flows", flow, "goodput_bps")[inside]
        for flow in series.owners("flows")
        if "goodput_bps" in series.quantities("flows", flow)
    ]
    return np.asarray(np.quantile(rates, probabilities) / 1e6, dtype=np.float64) if rates else None
