"""Random scenarios of the crate ``ackclock-soak``, for the ways to run that begin in Python."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Whole QUIC stacks, which pages do not have.
STACKS = ("noq", "quinn")


@cache
def random_scenarios(count: int) -> list[str]:
    """The texts of `count` scenarios that run everywhere, small enough to run as they are."""
    build = ["cargo", "build", "--quiet", "--locked", "--profile", "test", "--workspace", "--bin", "soak"]
    subprocess.run(build, cwd=ROOT, check=True)
    sys.path.insert(0, str(ROOT / "scripts"))
    from build_folder import build_folder

    soak = build_folder() / "debug" / "soak"
    printed = subprocess.run(
        [soak, "--print", str(2 * count), "--seed", "1"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    texts = [text for text in json.loads(printed.stdout) if not any(f'"{name}' in text for name in STACKS)]
    assert len(texts) >= count
    return texts[:count]
