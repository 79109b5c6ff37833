"""Fairness: over which flows it is, and a warning where their demands differ."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import SCENARIO, Command

from ackclock import InputError, Scenario
from ackclock._fairness import sentences

WEB = """
[[flows]]
name = "web"
control = "newreno"
application = { name = "transfers", size = "20 kB", count = 2, every = "2 s" }
"""


def flow(name: str, goodput: float, idle: float | None = 0.0, **more: object) -> dict[str, object]:
    shares = {"start_s": 0.0, "application_limited_share": idle, "completed_s": None}
    return {"name": name, "group": name.partition("-")[0], "goodput_bps": goodput, **shares, **more}


def test_the_index_is_over_the_flows_named() -> None:
    run = Scenario.from_text(SCENARIO + WEB).run(1)
    one, two = (row["goodput_bps"] for row in run.flows.to_dicts()[:2])
    expected = (one + two) ** 2 / (2 * (one**2 + two**2))
    assert run.fairness_over(["tcp"]) == pytest.approx(expected)
    assert run.fairness_over(["tcp-2", "tcp-1"]) == pytest.approx(expected)
    assert run.fairness_over(["tcp-1"]) == pytest.approx(1.0)
    assert run.fairness_over(["tcp", "web"]) == pytest.approx(run.fairness)
    with pytest.raises(InputError, match='no flow or group is called "tpc"; did you mean "tcp"'):
        run.fairness_over(["tpc"])


def test_three_equal_flows_and_a_small_one_are_told_apart() -> None:
    # (3 + 0)^2 / (4 * 3) = 0.75.
    equal = [flow(f"tcp-{number}", 1.0) for number in (1, 2, 3)]
    result = {
        "measured_s": [0.0, 10.0],
        "fairness": 0.75,
        "flows": [*equal, flow("web", 0.0, 0.9, connections=3)],
    }
    assert sentences([result]) == [
        "fairness (Jain) 0.7500 over 4 flows",
        (
            "  1 of 4 flows did not always have data to send, so goodput below an equal share is not unfair for "
            "such a flow; the index over the flows that always had data (tcp-1, tcp-2, tcp-3) is 1.0000"
        ),
    ]


def test_flows_of_equal_demand_have_no_warning_and_one_flow_has_no_fairness() -> None:
    assert sentences(
        [{"measured_s": [0.0, 10.0], "fairness": 1.0, "flows": [flow("a", 1.0), flow("b", 1.0)]}]
    ) == ["fairness (Jain) 1.0000 over 2 flows"]
    assert sentences([{"measured_s": [0.0, 10.0], "fairness": 1.0, "flows": [flow("a", 1.0)]}]) == []


def test_of_a_flow_of_a_stack_that_does_not_tell_what_limits_it_nothing_is_claimed() -> None:
    stack = flow("toy", 1.0, None, stack_lost_packets=3, sent_packets=100)
    silent = flow("never", 0.0, None, sent_packets=0)
    told = "  1 of 2 flows may not always have had data to send: external stacks do not report it"
    assert sentences([{"measured_s": [0.0, 10.0], "fairness": 1.0, "flows": [flow("a", 1.0), stack]}])[
        1:
    ] == [told]
    (mixed,) = sentences(
        [{"measured_s": [0.0, 10.0], "fairness": 0.5, "flows": [flow("a", 1.0), stack, silent]}]
    )[1:]
    assert mixed.startswith("  1 of 3 flows did not always have data to send")


def test_flows_that_start_late_in_measured_time_are_named(ackclock: Command, tmp_path: Path) -> None:
    path = tmp_path / "late.toml"
    path.write_text(SCENARIO.replace('{ uniform = ["0 s", "0.5 s"] }', '{ every = "2 s" }'))
    printed = ackclock("run", str(path), "--duration", "10 s").out
    assert "ran for only part of the" in printed
    assert "tcp-2 from 2 s on" in printed
    path.write_text(SCENARIO.replace('{ uniform = ["0 s", "0.5 s"] }', '{ every = "0.1 s" }'))
    assert "ran for only part of the" not in ackclock("run", str(path), "--duration", "10 s").out


def test_a_flow_that_never_starts_takes_no_part(ackclock: Command, tmp_path: Path) -> None:
    assert (
        sentences(
            [
                {
                    "measured_s": [0.0, 10.0],
                    "fairness": 1.0,
                    "flows": [flow("a", 1.0), flow("absent", 0.0, start_s=None)],
                }
            ]
        )
        == []
    )
    absent = '[[flows]]\nname = "absent"\ncontrol = "reno"\nstart = "never"\n'
    run, alone = (Scenario.from_text(SCENARIO + more).run(1) for more in (absent, ""))
    assert run.fairness == run.fairness_over(["tcp", "absent"]) == alone.fairness
    path = tmp_path / "absent.toml"
    path.write_text(SCENARIO + absent)
    for more in ((), ("--replications", "2"), ("--html",)):
        printed = ackclock("run", str(path), *more, "--out", "results")
        assert printed.code == 0, printed.err
        assert "tcp" in printed.out
        assert "absent" not in printed.out.replace("absent.html", "")
    page = Path("results/absent.html").read_text(encoding="utf-8")
    rows = re.findall(r"<tr.*?</tr>", page, re.DOTALL)
    assert any("tcp" in row for row in rows)
    assert not [row for row in rows if "absent" in row]


def test_the_terminal_says_it(ackclock: Command, tmp_path: Path) -> None:
    path = tmp_path / "mixed.toml"
    path.write_text(SCENARIO + WEB)
    for more in ((), ("--replications", "2")):
        out = " ".join(ackclock("run", path, *more).out.split())
        assert "over 3 flows" in out
        assert "1 of 3 flows did not always have data to send" in out
        assert "over the flows that always had data (tcp-1, tcp-2) is" in out
