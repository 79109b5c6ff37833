"""Controls under noq and quinn beside our QUIC endpoint, at a reduced size, and the record of the whole comparison."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

import stack_agreement
from stack_agreement import Cell, Compared, Measured, compare


@pytest.mark.parametrize("stack", ["noq", "quinn"])
@pytest.mark.parametrize("control", ["newreno", "cubic", "vegas"])
def test_a_control_does_the_same_under_a_stack(stack: str, control: str) -> None:
    compared = compare(stack, Cell(control, 10, 40, 1.0, 1), duration=40)
    assert compared.failing() == [], compared


def test_a_measure_out_of_bounds_is_named() -> None:
    def failing(theirs: Measured) -> list[str]:
        return Compared("noq", Cell("cubic", 10, 20, 1.0, 1), theirs, Measured(9.0, 20.0, 100)).failing()

    # Within 2 %, one packet of 1.2 ms, a factor of two.
    assert failing(Measured(8.83, 21.19, 199)) == []
    assert failing(Measured(8.8, 21.3, 201)) == ["goodput", "wait", "drops"]
    assert failing(Measured(8.8, 21.3, 201, closed=1)) == ["closed"]


def test_the_record_has_every_path_once() -> None:
    recorded = [(row.stack, row.cell) for row in stack_agreement.recorded()]
    assert recorded == [
        (stack, cell) for stack in stack_agreement.BOUNDS for cell in stack_agreement.cells(stack)
    ]
