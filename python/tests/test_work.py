"""How much work commands do: what they read, compute and load, counted and not timed, so that no machine decides."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import STUDY, Command, replaced

from ackclock import _summary as summary
from ackclock import _typed_core as core
from ackclock.study import measured
from ackclock.study.claim import Claim
from ackclock.study.load import parse_study
from ackclock.study.result import ClaimResult
from ackclock.study.run import run_studies
from ackclock.study.verdict import judge

FLOWS = 30
SCENARIO = f"""
name = "many"
duration = "1 s"
[dumbbell]
pairs = {FLOWS}
bottleneck = {{ rate = "10 Mbit/s", delay = "10 ms", queue = {{ name = "droptail", limit = "50 packets" }} }}
access = {{ rate = "100 Mbit/s", delay = "1 ms" }}
[[flows]]
name = "tcp"
count = {FLOWS}
control = "reno"
"""


class Counted:
    """A function that counts its calls."""

    def __init__(self, function: Any) -> None:
        self._function = function
        self.calls = 0

    def __call__(self, *given: Any, **named: Any) -> Any:
        self.calls += 1
        return self._function(*given, **named)


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    path = tmp_path / "many.toml"
    path.write_text(SCENARIO)
    return path


@pytest.fixture
def fields(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counted]:
    """Counts how often the core writes the fields of results, as at the beginning of a process."""
    counted = Counted(core._core.fields)
    monkeypatch.setattr(core._core, "fields", counted)
    caches = (core.fields, summary.numeric_fields, summary._numbers)
    for one in caches:
        one.cache_clear()
    yield counted
    for one in caches:
        one.cache_clear()


def test_the_fields_of_results_are_read_once(ackclock: Command, scenario: Path, fields: Counted) -> None:
    """The fields were read once for each of 122 links, and again for each table: 129 times."""
    assert ackclock("run", scenario, "--out", "results").code == 0
    assert fields.calls == 1


def test_a_run_is_summarised_once(ackclock: Command, scenario: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table on the terminal, completion times, calls and the files take their numbers from one summary."""
    samples = Counted(summary.samples)
    monkeypatch.setattr(summary, "samples", samples)
    assert ackclock("run", scenario, "--out", "results").code == 0
    assert samples.calls == 1


def test_statistics_of_one_run_are_made_when_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the million numbers of ten thousand flows, a table shows ten."""
    result = json.loads(core._core.run(SCENARIO, "many", "{}", 1, False)[0])
    made = Counted(summary.Summary)
    monkeypatch.setattr(summary, "Summary", made)
    found = summary.summarised([result])
    assert len(found) > 2000  # 122 links of 18 numbers or so
    assert found["fairness"].mean == result["fairness"]
    assert "links.bottleneck.utilisation" in found
    assert "links.none.utilisation" not in found
    assert made.calls == 1


def loaded(arguments: str) -> set[str]:
    """The libraries that take long to load and that a command has loaded, in a process of its own."""
    code = (
        f"import sys; from ackclock.cli import invoke; assert invoke({arguments.split()!r}) == 0;"
        "print('loaded', *(m for m in ('numpy', 'polars', 'scipy', 'plotly', 'jinja2') if m in sys.modules))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    return set(out.splitlines()[-1].split()[1:])


def test_a_run_on_the_terminal_needs_no_tables(
    scenario: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They took 0.4 of the 0.65 s of CPU time of a run of two flows; NumPy adds up eight flows or more."""
    monkeypatch.setenv("ACKCLOCK_RESULTS", str(tmp_path / "kept"))
    assert loaded(f"run {scenario} --set flows.tcp.count=2 --set dumbbell.pairs=2") == set()
    assert loaded(f"run {scenario}") == {"numpy"}
    assert "polars" in loaded(f"run {scenario} --out {tmp_path / 'out'}")


def test_the_plan_of_an_evaluation_needs_no_tables() -> None:
    """They took 0.2 s."""
    assert not loaded("evaluate cubic --plan --only 5.1.3") & {"polars", "plotly", "jinja2"}


def test_another_reading_judges_only_the_claims_that_it_touches(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reading that counts otherwise touches claim 1, about a count, and not claim 2, about goodput."""
    judged: list[str] = []

    def counted(claim: Claim, *given: Any, **named: Any) -> ClaimResult:
        judged.append(claim.id)
        return judge(claim, *given, **named)

    monkeypatch.setattr(measured, "judge", counted)
    other = '{ label = "6 and 6", against = "The title.", overrides = { "flows.tcp.count" = 6 } },'
    study = parse_study(replaced(STUDY, (other, "")), name="small", file="small.toml")
    (result,) = run_studies([study], quick=True)
    assert [claim.id for claim in result.assumptions[0].sensitivity[0].claims] == ["1", "2"]
    assert judged.count("1") == judged.count("2") + 1
