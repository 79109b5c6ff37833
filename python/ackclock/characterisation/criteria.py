"""The criteria that several scenarios share. RFC 7928 has none: all of them, and their numbers, are this project's own.

Ratios are the discipline over drop-tail with a buffer of one bandwidth-delay product, paired by seed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

RULES: Mapping[str, Mapping[str, Any]] = {
    "latency": {
        "text": "Median and 95th percentile of the queueing delay are below drop-tail's",
        "kind": "benefit",
        "measure": "ratio",
        "metrics": ["delay_p50", "delay_p95"],
        "high": 1.0,
        "strict": True,
        # A packet of 1500 bytes takes 1.2 ms at 10 Mbit/s: less than a tenth of that is no queue.
        "floor": 0.1,
    },
    "goodput": {
        "text": "The total goodput of all flows is at least 95 % of that with drop-tail",
        "measure": "ratio",
        "metrics": ["goodput"],
        "low": 0.95,
    },
    "goodput-90": {
        "text": "The total goodput of all flows is at least 90 % of that with drop-tail",
        "measure": "ratio",
        "metrics": ["goodput"],
        "low": 0.90,
    },
    "loss": {
        "text": "The loss ratio is at most twice drop-tail's, or at most 1 % if that is more",
        "measure": "allowance",
        "metrics": ["loss"],
        "by": "mean",
        "factor": 2.0,
        "least": 1.0,
        "high": 0.0,
        "unit": "points",
    },
    "starvation": {
        "text": "No flow gets less than a tenth of its equal share of the goodput in any period of 60 s",
        "metrics": ["least_share"],
        "by": "every",
        "low": 0.1,
    },
    "steadiness": {
        "text": "The standard deviation of the queueing delay is at most drop-tail's",
        "measure": "ratio",
        "metrics": ["delay_std"],
        "by": "mean",
        "high": 1.0,
        "floor": 0.1,
    },
    "growth": {
        # The slope of a queue that does not grow is surely above zero in one of forty cases by chance: a packet in five
        # minutes counts as no growth.
        "text": "The queue does not grow over time (no significant growth of more than a packet in five minutes)",
        "metrics": ["drift"],
        "by": "some",
        "high": 0.2,
        "unit": "packets/min",
    },
    "synchronisation": {
        "text": "The share of flows that lose packets in a loss event exceeds that with drop-tail by at most 0.05",
        "kind": "info",
        "measure": "difference",
        "metrics": ["synchronisation"],
        "by": "mean",
        "high": 0.05,
    },
    "projection": {
        "text": "The loss ratio with drop-tail is between half and twice the ratio that section 8.2.1 projects",
        "kind": "info",
        "metrics": ["projected"],
        "by": "mean",
        "low": 0.5,
        "high": 2.0,
        "only": ["droptail"],
    },
    "completion": {
        "text": "Median and 95th percentile of the completion times are at most 10 % above drop-tail's",
        "measure": "ratio",
        "metrics": ["completion_p50", "completion_p95"],
        "high": 1.10,
    },
}
