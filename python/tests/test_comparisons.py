"""Silent traps of comparisons: different repair of losses, and random numbers that no seed sets."""
# ruff: noqa: S311, NPY002 (sources of random numbers that the tests have to find; they protect nothing)

from __future__ import annotations

import json
import random
from pathlib import Path
from random import uniform
from typing import Any

import numpy as np
import pytest
from conftest import SCENARIO, STUDY, Command, replaced

import ackclock
from ackclock import Decision, Scenario
from ackclock.controls import NewReno
from ackclock.custom import draws_unseeded
from ackclock.errors import RunError

SHORT = replaced(SCENARIO, ('duration = "5 s"', 'duration = "0.5 s"'))
SWEPT = f'{SHORT}\n[sweep]\n"flows.tcp.control" = ["sack", "reno"]\n'
REPAIR = 'the congestion controls use different loss recovery: "reno" for reno; "sack" for sack'
UNSEEDED = "draws random numbers that the seed does not determine"


def test_a_comparison_of_repairs_warns_in_check_run_and_on_the_page(
    ackclock: Command, tmp_path: Path
) -> None:
    path = tmp_path / "swept.toml"
    path.write_text(SWEPT)
    assert REPAIR in " ".join(ackclock("check", path).err.split())
    outcome = ackclock(
        "run",
        path,
        "--out",
        "results",
        "--html",
        "--latex",
        "fairness",
        "--plot",
        "fairness",
        "--figures",
        "svg",
    )
    assert outcome.code == 0, outcome.err
    assert REPAIR in " ".join(outcome.err.split())
    page = (tmp_path / "results/swept.html").read_text()
    assert REPAIR.replace('"', "&#34;") in page
    assert f"% {REPAIR}" in (tmp_path / "results/summary.tex").read_text()
    (drawn,) = (tmp_path / "results/figures").glob("*.svg")
    assert REPAIR.replace('"', "&quot;") in drawn.read_text() or REPAIR in drawn.read_text()


def test_the_cases_of_an_own_study_are_compared(ackclock: Command, study_file: Path) -> None:
    told = 'the congestion controls use different loss recovery: "newreno" for newreno; "sack" for sack'
    assert "different loss recovery" not in ackclock("check", study_file).err
    many = ('"flows.tcp.count" = 8', '"flows.tcp.count" = 8, "flows.tcp.control" = "sack"')
    study_file.write_text(replaced(STUDY, many))
    assert f"{study_file}: {told}" in " ".join(ackclock("check", study_file).err.split())
    assert told in " ".join(ackclock("reproduce", study_file, "--quick").err.split())


def test_runs_and_figures_have_the_warnings() -> None:
    runs = Scenario.from_text(SWEPT).run_many([1])
    (warning,) = runs.warnings
    assert warning.startswith(REPAIR)
    assert runs.plot("fairness").warnings == runs[:1].warnings == (warning,)
    assert {figure.warnings for figure in ackclock.figures(runs)} == {(warning,)}
    assert "the congestion controls use different loss recovery" in runs._repr_html_()
    fair = Scenario.from_text(SWEPT, {"flows.tcp.transport": {"name": "rfc", "recovery": "sack"}})
    assert fair.run_many([1]).warnings == ()


def test_a_list_says_it_of_the_control(ackclock: Command) -> None:
    told = 'Uses loss recovery "reno" (no SACK) unless the transport sets `recovery`'
    assert told in " ".join(ackclock("list", "controls", "reno").out.split())
    assert "Uses loss recovery" not in ackclock("list", "controls", "cubic").out
    entries = {entry["name"]: entry for entry in json.loads(ackclock("list", "controls", "--json").out)}
    assert entries["reno"]["remark"].startswith(told)
    assert entries["bbrv3"]["remark"] is None


def test_the_examples_compare_windows() -> None:
    folder = Path(__file__).resolve().parents[2] / "scenarios" / "examples"
    for path in sorted(folder.glob("*.toml")):
        warnings = Scenario.from_file(path).sweep.warnings
        assert not [warning for warning in warnings if "different loss recovery" in warning], path


class Steady(ackclock.Control):
    """A window that never moves."""

    def decision(self) -> Decision:
        return Decision(10.0)

    def on_ack(self, ack: Any, random: Any) -> None: ...
    def on_loss(self, loss: Any, random: Any) -> None: ...
    def on_timeout(self, timeout: Any, random: Any) -> None: ...


class Drawn(Steady):
    """Draws from the module."""

    def decision(self) -> Decision:
        return Decision(5.0 + 10.0 * random.random())


class DrawnByName(Steady):
    """Draws by a name of the module."""

    def decision(self) -> Decision:
        return Decision(uniform(5.0, 10.0))


class DrawnByNumPy(Steady):
    """Draws by NumPy."""

    def decision(self) -> Decision:
        return Decision(float(np.random.uniform(5.0, 10.0)))


def drawn_elsewhere() -> float:
    return random.random()


class DrawnElsewhere(Steady):
    """Draws in a function of its module."""

    def decision(self) -> Decision:
        return Decision(5.0 + drawn_elsewhere())


class Seeded(Steady):
    """Has a generator with a seed."""

    def __init__(self, initial: Any) -> None:
        super().__init__(initial)
        self.draws = random.Random(1)

    def decision(self) -> Decision:
        return Decision(5.0 + self.draws.random())


class SeededInPart(Seeded):
    """Has a generator with a seed, and draws elsewhere without one."""

    def on_ack(self, ack: Any, random_of_event: Any) -> None:
        super().on_ack(ack, random_of_event)
        self.extra = drawn_elsewhere()


class Given(NewReno):
    """Draws from the argument of the event."""

    def on_ack(self, ack: Any, random: Any) -> None:
        super().on_ack(ack, random)
        self.cwnd += random.uniform()


@pytest.mark.parametrize(
    ("cls", "expected"),
    [
        (Steady, False),
        (Drawn, True),
        (DrawnByName, True),
        (DrawnByNumPy, True),
        (DrawnElsewhere, True),
        (Seeded, False),
        (SeededInPart, True),
        (Given, False),
        (NewReno, False),
    ],
)
def test_sources_without_a_seed_are_found(cls: type[ackclock.Control], expected: bool) -> None:
    assert draws_unseeded(cls) == expected
    for transport in ("rfc", "quic"):
        changes = {"flows.tcp.control": "mine", "flows.tcp.transport": transport}
        warnings = Scenario.from_text(SHORT, changes, controls={"mine": cls}).sweep.warnings
        assert any(UNSEEDED in warning for warning in warnings) == expected


def test_an_export_of_a_run_that_no_seed_repeats_is_refused_or_says_so(tmp_path: Path) -> None:
    # Code in Python can be mended; a stack's own control cannot.
    mine = Scenario.from_text(SHORT, {"flows.tcp.control": "mine"}, controls={"mine": Drawn})
    with pytest.raises(RunError, match="two runs with seed 1 differ"):
        mine.export(tmp_path, "events", seed=1)
    bbr = {"flows.tcp.transport": "noq", "flows.tcp.control": "noq:bbr3"}
    (file,) = Scenario.from_text(SHORT, bbr).export(tmp_path, "pcapng", seed=1)
    assert not file.is_repeatable
    assert str(file).endswith(
        "packets, from a different run than the results, because runs of this scenario differ even with the same seed"
    )
    known = Scenario.from_text(SHORT).export(tmp_path, "events", seed=1)
    assert all(file.is_repeatable for file in known)
    assert "from a different run" not in str(known[0])
