"""Built-in controls in Python: they do what those in Rust do, and can be changed in a constant or a method."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ackclock import Scenario, parameter
from ackclock.controls import Cubic, NewReno, WindowControl
from ackclock.custom import Ack
from ackclock.errors import RunError

ROOT = Path(__file__).resolve().parents[2]
PLAIN = {"queue": {"name": "droptail", "limit": "60 packets"}}
PATHS: dict[str, dict[str, Any]] = {
    "full queue": PLAIN,
    "short queue": {"queue": {"name": "droptail", "limit": "5 packets"}},
    "random losses": {**PLAIN, "loss": {"name": "independent", "probability": 0.02}},
    "timeouts": {**PLAIN, "loss": {"name": "independent", "probability": 0.15}},
    "marks": {"queue": {"name": "red", "limit": "60 packets", "ecn": True}},
}


def result(
    control: str, path: str, flow: dict[str, Any] | None = None, **controls: type[WindowControl]
) -> Any:
    bottleneck = {"rate": "5 Mbit/s", "delay": "20 ms", **PATHS[path]}
    document = {
        "duration": "20 s",
        "dumbbell": {"bottleneck": bottleneck, "access": {"rate": "100 Mbit/s", "delay": "3 ms"}},
        "flows": [{"name": "one", "control": control, **(flow or {})}, {"name": "other", "control": "sack"}],
    }
    run = Scenario.from_dict(document, controls=controls).run(seed=3, series=False)
    return [{name: value for name, value in row.items() if name != "control"} for row in run.flows.to_dicts()]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "flow",
    [
        {},
        {"transport": "linux", "slow_start": "standard"},
        {"transport": "quic"},
        {"slow_start": "hystart++"},
    ],
    ids=str,
)
@pytest.mark.parametrize(("name", "of"), [("cubic", Cubic), ("newreno", NewReno)])
def test_a_control_in_python_is_that_in_rust(
    name: str, of: type[WindowControl], path: str, flow: dict[str, Any]
) -> None:
    if name == "newreno":
        # The name also stands for a retransmission rule; "sack" has the transport's own.
        name = "sack"
    rust = result(name, path, flow)
    python = result("own", path, flow, own=of)
    for one, other in zip(rust, python, strict=True):
        assert other["goodput_bps"] == pytest.approx(one["goodput_bps"], rel=0.02)
        assert other["timeouts"] == pytest.approx(one["timeouts"], abs=1 + 0.1 * one["timeouts"])
        assert other["cwnd_mean_packets"] == pytest.approx(one["cwnd_mean_packets"], rel=0.03)


class Gentle(Cubic):
    """CUBIC that keeps nine tenths."""

    beta: float = parameter(0.9, at_least=0.1, at_most=0.95, about="The window after a loss")


class Additive(NewReno):
    """NewReno that takes one packet at a loss."""

    def decrease(self, window: float) -> float:
        return window - 1


def test_a_changed_constant_changes_the_law_as_a_parameter_does() -> None:
    changed = result("own", "full queue", own=Gentle)
    given = result({"name": "cubic", "beta": 0.9}, "full queue")  # type: ignore[arg-type]
    assert changed[0]["goodput_bps"] == pytest.approx(given[0]["goodput_bps"], rel=0.02)
    # A parameter of the subclass can be set by the scenario.
    back = result({"name": "own", "beta": 0.7}, "full queue", own=Gentle)  # type: ignore[arg-type]
    plain = result("cubic", "full queue")
    assert back[0]["goodput_bps"] == pytest.approx(plain[0]["goodput_bps"], rel=0.02)
    assert changed[0]["lost_packets"] != back[0]["lost_packets"]


def test_a_changed_method_is_called() -> None:
    greedy, polite = result("own", "random losses", own=Additive), result("sack", "random losses")
    assert greedy[0]["goodput_bps"] > 1.2 * polite[0]["goodput_bps"]


def test_a_law_of_ones_own_has_two_methods() -> None:
    assert WindowControl.__abstractmethods__ == {"avoid_congestion", "decrease"}


def test_a_decrease_that_returns_nothing_is_named() -> None:
    class Forgets(NewReno):
        def decrease(self, window: float) -> float:
            self.cwnd = window * 0.7
            return None  # type: ignore[return-value]  # it is wrong

    with pytest.raises(RunError, match=r"Forgets\.decrease returned None, expected the window in packets"):
        result("forgets", "short queue", forgets=Forgets)


def test_the_example_runs() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "examples" / "cubic.py"],
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    cubic, python, gentle, patient = (line.split()[1:] for line in done.stdout.splitlines())
    assert cubic == python
    assert float(gentle[0]) > float(cubic[0]) > float(patient[0])


class Yields(WindowControl):
    """Leaves nine tenths of the window at each acknowledgement above the threshold, down to two packets."""

    def avoid_congestion(self, ack: Ack) -> None:
        self.cwnd = max(0.9 * self.cwnd, 2.0)

    def decrease(self, window: float) -> float:
        return 0.5 * window


def test_a_window_that_its_control_lowers_is_not_raised_again_by_slow_start() -> None:
    transport = {"name": "rfc", "initial_ssthresh": "20 packets"}
    document = {
        "duration": "5 s",
        "dumbbell": {
            "bottleneck": {"rate": "5 Mbit/s", "delay": "20 ms", **PLAIN},
            "access": {"rate": "100 Mbit/s", "delay": "3 ms"},
        },
        "flows": [{"name": "one", "control": "yields", "transport": transport}],
    }
    run = Scenario.from_dict(document, controls={"yields": Yields}).run(seed=3)
    assert run.series is not None
    assert run.series["cwnd_packets"].drop_nulls()[-1] == 2.0
