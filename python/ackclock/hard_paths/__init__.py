"""Paths on which congestion controls fail: the set of ``ackclock bench-stack``.

Each is a scenario with a flow called ``test``, which takes the control and the transport that are measured. All queues
count bytes: in one that counts packets, a stack that sends small packets has a shorter queue.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

NAMES: Sequence[str] = (
    "bufferbloat",
    "shallow",
    "policer",
    "jitter",
    "reordering",
    "wifi",
    "cellular",
    "beside-cubic",
    "idle",
    "app-limited",
)
"""The paths in the order of tables."""


def path(name: str) -> Path:
    """The scenario file of a path."""
    return Path(__file__).with_name(f"{name}.toml")
