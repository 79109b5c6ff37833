"""Random scenarios of the crate ``ackclock-soak``, for the ways to run that begin in Python."""

from __future__ import annotations

import json
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@cache
def random_scenarios(count: int) -> list[str]:
    """The texts of `count` scenarios, small enough to run as they are; other ones every day."""
    soak = ["cargo", "run", "--quiet", "--release", "--locked", "-p", "ackclock-soak", "--"]
    done = subprocess.run(
        [*soak, "--print", str(count)], cwd=ROOT, check=True, capture_output=True, text=True
    )
    texts: list[str] = json.loads(done.stdout)
    assert len(texts) == count
    return texts
