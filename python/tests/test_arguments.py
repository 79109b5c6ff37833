"""What a notebook's user passes by mistake is met with an error of the package; what is meant is taken."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import SCENARIO

import ackclock
from ackclock.errors import AckclockError, InputError
from ackclock.scenario import Scenario

WIRES = {
    "bottleneck": {"rate": "10 Mbit/s", "delay": "20 ms"},
    "access": {"rate": "1 Gbit/s", "delay": "1 ms"},
}
DOCUMENT: dict[str, Any] = {"duration": "1 s", "dumbbell": WIRES, "flows": [{"control": "cubic"}]}


class Missing:
    """As pandas.NA: it has no truth."""

    def __bool__(self) -> bool:
        raise TypeError("boolean value of NA is ambiguous")

    def __eq__(self, other: object) -> Any:
        return self

    __hash__ = object.__hash__

    def __lt__(self, other: object) -> Any:
        return self

    __le__ = __gt__ = __ge__ = __lt__


@pytest.fixture(scope="module")
def scenario() -> Scenario:
    return Scenario.from_dict(DOCUMENT)


WRONG = [
    -1,
    2**70,
    10**400,
    1.5,
    float("nan"),
    np.int64(-1),
    np.float64(1),
    np.True_,
    True,
    Missing(),
    object(),
    [1.5],
]

CALLS: dict[str, Callable[[Scenario, Any], object]] = {
    "run": lambda scenario, value: scenario.run(seed=value),
    "trace": lambda scenario, value: scenario.trace(seed=value),
    "verify": lambda scenario, value: scenario.verify(seed=value),
    "seed of many": lambda scenario, value: scenario.run_many(seeds=[value]),
    "seeds": lambda scenario, value: scenario.run_many(seeds=value),
    "out": lambda scenario, value: scenario.run_many(out=value),
    "folder": lambda scenario, value: scenario.run_many(replications=1).write(value),
    "from_text": lambda _, value: Scenario.from_text(value),
    "from_dict": lambda _, value: Scenario.from_dict(value),
    "from_file": lambda _, value: Scenario.from_file(value),
    "overrides": lambda _, value: Scenario.from_dict(DOCUMENT, value),
    "with_overrides": lambda scenario, value: scenario.with_overrides(value),
    "an override": lambda scenario, value: scenario.with_overrides({"duration": value}),
    "a path": lambda scenario, value: scenario.with_overrides({str: value}),  # type: ignore[dict-item]
    "at": lambda scenario, value: scenario.at(value),
    "controls": lambda _, value: Scenario.from_dict(DOCUMENT, controls=value),
    "queues": lambda _, value: Scenario.from_dict(DOCUMENT, queues=value),
    "reproduce": lambda _, value: ackclock.reproduce(value),
}


@pytest.mark.parametrize("call", CALLS)
def test_what_cannot_be_meant_is_refused_in_our_words(call: str, scenario: Scenario) -> None:
    for value in WRONG:
        with pytest.raises(AckclockError) as raised:
            CALLS[call](scenario, value)
        assert len(str(raised.value)) < 1000


@pytest.mark.parametrize("value", [0, -1, 2**70, 10**400, 1.5, "1", [1], Missing(), np.float64(1)])
def test_counts_are_whole_numbers(value: Any, scenario: Scenario) -> None:
    with pytest.raises(InputError, match=r"replications: found .*, expected a whole number from 1"):
        scenario.run_many(replications=value)
    if type(value) is not int or value:
        with pytest.raises(InputError, match=r"threads .*: found .*, expected a whole number from 0"):
            scenario.run_many(threads=value)
    with pytest.raises(InputError, match=r"found the point .*, expected a point of the sweep from 1 to 1"):
        scenario.plan(only=value)


def test_numbers_of_numpy_and_paths_are_taken(scenario: Scenario, tmp_path: Path) -> None:
    many = scenario.run_many(seeds=np.arange(1, 3), replications=np.int64(2), threads=np.int8(1))  # type: ignore[arg-type]
    assert [run.seed for run in many] == [1, 2]
    wide = scenario.with_overrides({"flows.0.count": np.int64(3), "dumbbell.access.delay": "2 ms"})
    assert len(wide.run(seed=np.uint32(7)).flows) == 3  # type: ignore[arg-type]
    made = Scenario.from_dict({**DOCUMENT, "replications": np.int64(4)}, file=tmp_path / "mine.toml")  # type: ignore[arg-type]
    assert made.describe()["replications"] == 4
    assert made.file == os.fspath(tmp_path / "mine.toml")
    many.write(str(tmp_path / "tables"))
    assert (tmp_path / "tables" / "flows.csv").exists()
    assert Scenario.from_text(SCENARIO, {}).overrides == {}
