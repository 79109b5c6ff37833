"""Exports of scenarios with a control in Python: the files show the run that its results are of, or none is written."""

from __future__ import annotations

from pathlib import Path
from random import SystemRandom

import pytest
from test_exports import MIX

from ackclock import Control, Decision, Scenario
from ackclock.custom import Ack, Draws, Initial, Loss, Timeout
from ackclock.errors import RunError


class _Law(Control):
    """A window that is drawn anew at each acknowledgement."""

    def __init__(self, initial: Initial) -> None:
        self.window = initial.window

    def decision(self) -> Decision:
        return Decision(self.window)

    def on_ack(self, ack: Ack, random: Draws) -> None:
        self.window = 2 + 10 * self.draw(random)

    def draw(self, random: Draws) -> float:
        return random.uniform()

    def on_loss(self, loss: Loss, random: Draws) -> None: ...
    def on_timeout(self, timeout: Timeout, random: Draws) -> None: ...


class _Unseeded(_Law):
    """Takes its random numbers from the system."""

    def draw(self, random: Draws) -> float:
        return SystemRandom().random()


WRITTEN = [["pcapng"], ["events"], ["flent"], ["events", "flent", "qlog"], ["mahimahi=bottleneck"]]


@pytest.mark.parametrize("formats", WRITTEN, ids=" ".join)
def test_a_control_that_makes_another_run_each_time_is_not_exported(
    formats: list[str], tmp_path: Path
) -> None:
    # The capacity of a link does not depend on the control; the run that writes it does.
    text = MIX.replace('control = "cubic"', 'control = "law"')
    assert text != MIX
    sane = Scenario.from_text(text, {"duration": "2 s"}, controls={"law": _Law})
    made = sane.export(tmp_path, *formats)
    assert len(made) >= len(formats)
    before = {path.name: path.read_bytes() for path in (tmp_path / "exports").iterdir()}
    odd = Scenario.from_text(text, {"duration": "2 s"}, controls={"law": _Unseeded})
    with pytest.raises(RunError, match=r"two runs with seed 1 differ.*\(law\).*`random`"):
        odd.export(tmp_path, *formats)
    assert {path.name: path.read_bytes() for path in (tmp_path / "exports").iterdir()} == before
