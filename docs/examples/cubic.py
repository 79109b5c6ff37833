"""CUBIC changed in one constant and in one method, beside the built-in one."""

from __future__ import annotations

import ackclock
from ackclock.controls import Cubic


class Gentle(Cubic):
    """CUBIC that keeps nine tenths of its window at a loss."""

    beta: float = ackclock.parameter(0.9, at_least=0.1, at_most=0.95, about="The window after a loss")


class Patient(Cubic):
    """CUBIC whose curve rises half as fast."""

    def curve(self, seconds: float) -> float:
        return super().curve(seconds / 2)


controls = {"python-cubic": Cubic, "gentle": Gentle, "patient": Patient}
for name in ("cubic", *controls):
    scenario = ackclock.Scenario.from_file(
        "scenarios/examples/duel.toml", {"flows.cubic.control": name}, controls=controls
    )
    run = scenario.run(seed=1, series=False)
    goodput = run.flows["goodput_bps"] / 1e6
    print(f"{name:12}  {goodput[0]:.3f} Mbit/s beside NewReno with {goodput[1]:.3f} Mbit/s")
