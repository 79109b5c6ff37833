"""Paths on which congestion controls often fail: the scenarios of ``ackclock bench-stack``.

Each scenario has a flow called ``test``, which runs the control and the transport under test. All queue limits are in
bytes: with a limit in packets, a stack that sends small packets would have a smaller buffer.
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
"""The names of the ten paths of the benchmark, in the order in which tables list them."""


def path(name: str) -> Path:
    """Returns the scenario file of a path."""
    return Path(__file__).with_name(f"{name}.toml")
