"""The module in a browser and the core of the command line write the same bytes: of every thing that the registry has,
of every scenario in the repository and of random ones, with series.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from random_scenarios import random_scenarios

from ackclock import Scenario
from ackclock import _typed_core as core

from .conftest import Ask
from .everything import scenarios

pytestmark = pytest.mark.browser

FOLDER = Path(__file__).parents[3] / "scenarios"
PACKETS = 10_000
"""Runs are cut short to about this number of packets: what differs, differs soon."""
SEED = 3


def shortened(path: Path) -> tuple[str, dict[str, str]]:
    """A scenario file's text with the files that it names, and overrides that cut it short."""
    scenario = Scenario.from_file(path)
    told = scenario.describe()
    share = min(1.0, PACKETS / told["expected_packets"])
    overrides = {"duration": f"{told['duration_s'] * share:.9f} s"}
    if told["warmup_s"] > 0:
        overrides["warmup"] = f"{told['warmup_s'] * share:.9f} s"
    return scenario.text, overrides


def test_page_and_command_line_write_the_same_bytes(ask: Ask) -> None:
    jobs = {what: (text, {}) for what, text in scenarios()}
    files = sorted(FOLDER.rglob("*.toml"))
    assert len(files) > 10
    jobs |= {str(file.relative_to(FOLDER)): shortened(file) for file in files}
    jobs |= {f"random scenario:\n{text}": (text, {}) for text in random_scenarios(20)}
    wanted = [
        {"toml": text, "overrides": given, "seed": SEED, "series": True} for text, given in jobs.values()
    ]
    told = ask(
        """
        const pool = await lab.Pool.start(lab.module, { workers: 2 });
        const outcomes = await pool.run(given);
        pool.stop();
        return outcomes.map(({ error, text }) => ({ error: error?.message ?? "", text }));
        """,
        wanted,
    )
    different = []
    for (what, (text, overrides)), outcome in zip(jobs.items(), told, strict=True):
        assert outcome["error"] == "", f"{what}: {outcome['error']}"
        if outcome["text"] != core.document(text, what, overrides, SEED):
            different.append(what)
    assert different == []
