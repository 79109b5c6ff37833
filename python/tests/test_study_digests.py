"""Digests of what studies simulate: the same twice, and another for whatever differs."""

from __future__ import annotations

import copy
import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ackclock import _typed_core as core
from ackclock.errors import InputError
from ackclock.series import as_document

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
_spec = importlib.util.spec_from_file_location("study_digests", SCRIPTS / "study_digests.py")
assert _spec is not None
assert _spec.loader is not None
tool = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = tool
_spec.loader.exec_module(tool)

SHORT = tool.Options(packets=2000)
STUDY = "rbcc/table-4.1"
EXAMPLE = "scenarios/examples/duel.toml"


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    digests: dict[str, Any] = tool.digests([STUDY, EXAMPLE], SHORT)
    return digests


def test_the_same_digests_twice(made: dict[str, Any]) -> None:
    again = tool.digests([STUDY, EXAMPLE], SHORT, threads=1)
    assert again == made
    assert tool.differences(made, again) == []
    assert len(made["studies"][STUDY]["runs"]) > 1
    assert json.loads(json.dumps(made)) == made


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of all that is no table and no list."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if not isinstance(value, dict | list):
        yield path
    for key, inner in items:
        yield from leaves(inner, (*path, key))


def test_every_value_of_a_result_counts() -> None:
    scenario = {"duration": "0.5 s", "observe.interval": "100 ms"}
    text = (tool.ROOT / EXAMPLE).read_text(encoding="utf-8")
    result = as_document(core.run(text, EXAMPLE, {"duration": scenario["duration"]}, 1, True))
    for samples in (
        result["series"],
        *result["series"]["flows"].values(),
        *result["series"]["links"].values(),
    ):
        for name, values in samples.items():  # three of a series are as good as a thousand
            samples[name] = values[:3] if isinstance(values, list) else values
    whole = tool._of_result(result)
    places = list(leaves(result))
    assert len(places) > 100
    for place in places:
        other = copy.deepcopy(result)
        inner = other
        for key in place[:-1]:
            inner = inner[key]
        inner[place[-1]] = "another"
        changed = tool._of_result(other)
        assert changed["digest"] != whole["digest"], place
        moved = {field for field, value in changed["fields"].items() if value != whole["fields"][field]}
        assert len(moved) == 1, (place, moved)
        assert str(next(key for key in reversed(place) if isinstance(key, str))) in moved.pop()


def test_what_differs_is_named(made: dict[str, Any]) -> None:
    before = copy.deepcopy(made)
    study = before["studies"][STUDY]
    run = next(iter(study["runs"]))
    study["digest"] = "of another core"
    study["runs"][run]["fields"]["links.queue_mean_packets"] = ["of another core", 12.5]
    del study["runs"][run]["fields"]["links.dropped_packets"]
    lines = tool.differences(before, made)
    mean = made["studies"][STUDY]["runs"][run]["fields"]["links.queue_mean_packets"][1]
    assert f"  links.queue_mean_packets: 1 runs; {run}: mean 12.5 before, mean {mean!r} now" in lines
    assert [line for line in lines if EXAMPLE in line] == []
    assert any(line.startswith("  links.dropped_packets") and "absent before" in line for line in lines)


def test_a_scenario_that_was_changed_is_no_result_that_was(made: dict[str, Any]) -> None:
    before = copy.deepcopy(made)
    study = before["studies"][EXAMPLE]
    study["digest"] = study["runs"]["seed 1"]["asked"] = "another"
    assert any("(what is asked): 1 runs; seed 1" in line for line in tool.differences(before, made))
    study["runs"] = {"seed 2": study["runs"]["seed 1"]}
    assert any("(the run itself): 2 runs; seed 2: gone" in line for line in tool.differences(before, made))


def test_other_options_do_not_compare(made: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="other options"):
        tool.differences({**made, "options": vars(tool.Options())}, made)


def test_long_runs_are_cut_short() -> None:
    wanted = tool.asked([STUDY, EXAMPLE], tool.Options(packets=5000))
    for one in wanted:
        described = core.describe(one.job.text, one.job.file, one.job.overrides)
        assert described["expected_packets"] <= 5000 * 1.01
        assert described["warmup_s"] < described["duration_s"]
    (whole,) = tool.asked([EXAMPLE], tool.Options(packets=0))
    assert not whole.job.overrides


def test_readings_are_runs_of_their_own() -> None:
    few = {one.run for one in tool.asked([STUDY], SHORT)}
    more = [one.run for one in tool.asked([STUDY], tool.Options(packets=2000, readings=True))]
    assert few < set(more)
    assert len(more) == len(set(more))


def test_the_command(tmp_path: Path, made: dict[str, Any]) -> None:
    kept = tmp_path / "before.json"

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, SCRIPTS / "digest-studies", EXAMPLE, "--packets", "2000", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    first = run("--out", kept)
    digest = made["studies"][EXAMPLE]["digest"]
    assert (first.returncode, first.stdout) == (0, f"{digest}  {EXAMPLE} (1 runs)\n")
    same = run("--against", kept)
    assert (same.returncode, "no difference" in same.stdout) == (0, True)
    kept.write_text(kept.read_text(encoding="utf-8").replace(digest, "0" * 16), encoding="utf-8")
    other = run("--against", kept)
    assert other.returncode == 1
    assert f"{EXAMPLE}: {'0' * 16} before" in other.stdout
    assert run("--against", tmp_path / "none.json").returncode == 2
