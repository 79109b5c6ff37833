"""How surely evaluations find a change, and how seldom one where there is none, from stored samples: nothing runs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ackclock.evaluation.words import CONCERN

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

import evaluation_power as power

CONTROLS = ("cubic", *power.OTHERS)


@pytest.mark.parametrize("name", CONTROLS)
def test_a_control_is_no_concern_beside_itself_with_other_seeds(name: str) -> None:
    found = power.against_itself(name)
    concerns = [(one.condition.text, one.setting.name) for one in found if one.verdict == CONCERN]
    assert len(found) > 300
    # A limit that compares with no other control is a fault of the control itself, with any seeds.
    compared = [one for one in found if one.condition.limit is not None and one.condition.limit.compares]
    of_compared = [one for one in compared if one.verdict == CONCERN]
    assert len(of_compared) <= 1 + len(compared) / 1000, concerns


FIRST, *OTHERS = power.CHANGES


@pytest.mark.parametrize("name", [FIRST, *(pytest.param(one, marks=pytest.mark.nightly) for one in OTHERS)])
def test_a_known_change_is_found_in_nearly_every_comparison(name: str) -> None:
    found = power.times_found(name, 10)
    assert found >= 90
    assert found == power.counted()[name]["10"]


def test_an_unchanged_control_is_seldom_worse() -> None:
    # The error is 5 % over all comparisons: of 100, more than 10 have a probability of 1 %.
    alarms = power.false_alarms(5)
    assert alarms <= 10
    assert alarms == power.counted()["unchanged"]["5"]
