"""Runs in real time beside simulations: what is measured, repeated and recorded, with synthetic runs."""

from __future__ import annotations

import json
import sys
import time
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

import measuring
from path_measurements import CASES, METRICS

FIELDS = {**dict.fromkeys(METRICS, 0.5), "dropped_share": 0.5}
SHORT = replace(CASES[0], overrides={"warmup": "0 s", "duration": "1 s"}, seconds=1)


def kind(record: Path, problems: list[list[str]]) -> measuring.OverAPath:
    """Returns a kind with one case, whose runs have these problems one after the other."""
    left = iter(problems)
    return replace(
        measuring.OVER_A_PATH["path"],
        record=record,
        cases=[SHORT],
        run=lambda _case, _seed: {"problems": next(left), **FIELDS},
    )


def recorded(record: Path) -> dict[str, Any]:
    return dict(json.loads(record.read_text(encoding="utf-8")))


def test_a_case_has_three_valid_runs_and_as_many_simulations(tmp_path: Path) -> None:
    record = tmp_path / "record.json"
    wanted = Namespace(again=False, simulate=False)
    assert measuring.over_a_path(kind(record, [["late"], [], [], ["late"], []]), wanted) == 0
    found = recorded(record)
    assert {key: found[key] for key in ("runs", *measuring.machine())} == {"runs": 3, **measuring.machine()}
    (case,) = found["cases"]
    assert list(case) == ["name", "control", "seconds", "real", "simulated", "invalid", "load"]
    assert (case["name"], case["control"], case["seconds"]) == (SHORT.name, SHORT.control, 1)
    assert (case["real"], case["invalid"]) == ([FIELDS] * 3, 2)
    assert len(case["simulated"]) == 3
    # Nothing runs again; a simulation made again is the same.
    measuring.over_a_path(kind(record, []), wanted)
    measuring.over_a_path(kind(record, []), Namespace(again=False, simulate=True))
    assert recorded(record) == found
    measuring.over_a_path(kind(record, [[], [], []]), Namespace(again=True, simulate=False))
    assert recorded(record)["cases"][0]["invalid"] == 0


def test_a_machine_that_is_late_too_often_ends_the_measurement(tmp_path: Path) -> None:
    late = kind(tmp_path / "record.json", [["late"]] * measuring.ATTEMPTS)
    with pytest.raises(SystemExit, match="late in 9 runs"):
        measuring.over_a_path(late, Namespace(again=False, simulate=False))


def test_a_record_of_another_machine_is_begun_again(tmp_path: Path) -> None:
    record = tmp_path / "record.json"
    assert measuring.read(record, {"cores": 2}) == {}
    record.write_text('{"cores": 2, "cases": []}', encoding="utf-8")
    assert measuring.read(record, {"cores": 2}) == {"cores": 2, "cases": []}
    assert measuring.read(record, {"cores": 3}) == {}


def test_tasks_run_until_none_waits_and_those_that_are_not_done_run_again() -> None:
    wanted = Namespace(parallel=2, end=time.monotonic() + 60)
    waiting, taken = [1, 2, 3], list[tuple[int, int]]()

    def take(task: int, found: int) -> bool:
        taken.append((task, found))
        return task != 2 or taken.count((2, 4)) == 2

    # 3 starts only when nothing else runs.
    measuring.in_parallel(waiting, square, take, wanted, lambda task, running: task != 3 or not running)
    assert sorted(taken) == [(1, 1), (2, 4), (2, 4), (3, 9)]
    assert not waiting
    measuring.in_parallel(waiting := [1], square, take, Namespace(parallel=2, end=time.monotonic() - 1))
    assert waiting == [1], "nothing begins after the end"


def square(number: int) -> int:
    return number * number
