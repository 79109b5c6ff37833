"""A control in a file of the user's own, which a scenario names: ``ackclock run`` and ``check`` with ``--control``."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from conftest import Command

MINE = """
from ackclock.controls import WindowControl

class Mine(WindowControl):
    def avoid_congestion(self, ack):
        self.cwnd += 0.5 * ack.abc_increment / self.cwnd
    def decrease(self, window):
        return 0.7 * window
"""
SCENARIO = """
duration = "5 s"
[dumbbell]
bottleneck = { rate = "10 Mbit/s", delay = "20 ms", queue = { name = "droptail", limit = "20 packets" } }
access = { rate = "100 Mbit/s", delay = "5 ms" }
[[flows]]
control = "cubic"
[[flows]]
"""
NAMED = f'{SCENARIO}control = "mine.py"\n'


@pytest.fixture(autouse=True)
def _files(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for folder in (tmp_path, tmp_path / "sub"):
        (folder / "mine.py").write_text(MINE, encoding="utf-8")
        (folder / "named.toml").write_text(NAMED, encoding="utf-8")
    (tmp_path / "tested.toml").write_text(f'{SCENARIO}name = "tested"\ncontrol = "reno"\n', encoding="utf-8")


def flows(ackclock: Command, *words: str) -> list[dict[str, object]]:
    done = ackclock("run", *words, "--json")
    assert done.code == 0, done.err
    run = json.loads(done.out)
    return [{key: flow[key] for key in ("name", "control", "goodput_bps")} for flow in run["flows"]]


def test_a_scenario_names_a_control_in_python_by_its_file(ackclock: Command) -> None:
    by_name = flows(ackclock, "named.toml", "--control", "mine.py")
    assert [(flow["name"], flow["control"]) for flow in by_name] == [("cubic", "cubic"), ("mine", "mine.py")]
    # The seat "tested" gives the same control by another way.
    seated = flows(ackclock, "tested.toml", "--control", "mine.py")
    assert seated[1]["goodput_bps"] == by_name[1]["goodput_bps"]
    assert flows(ackclock, "tested.toml")[1]["goodput_bps"] != by_name[1]["goodput_bps"]


def test_a_name_is_relative_to_the_scenario_and_the_option_to_the_current_folder(ackclock: Command) -> None:
    named = flows(ackclock, "sub/named.toml", "--control", "sub/mine.py")
    assert named == flows(ackclock, "named.toml", "--control", "mine.py")
    # Another file of that name is another control.
    done = ackclock("run", "sub/named.toml", "--control", "mine.py")
    assert done.code == 2
    told = 'called "tested" or one with control = "../mine.py" (in the file, or by --set flows.NAME.control=mine.py)'
    assert told in " ".join(done.err.split())


def test_a_scenario_alone_runs_no_python(ackclock: Command, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(f"open('ran', 'w').close()\n{MINE}", encoding="utf-8")
    for command in ("run", "check"):
        done = ackclock(command, "named.toml")
        assert done.code == 2
        assert 'found "mine.py"' in done.err
        assert "or a control in Python, loaded with `--control FILE.py`" in done.err
    assert not Path("ran").exists()
    assert ackclock("check", "named.toml", "--control", "mine.py").code == 0
    assert Path("ran").exists()


@pytest.mark.parametrize("file", ["named.toml", "tested.toml"])
def test_the_command_that_repeats_a_failed_run_fails_in_the_same_way(
    ackclock: Command, tmp_path: Path, file: str
) -> None:
    bad = MINE.replace("return 0.7 * window", "raise ValueError('too small')")
    (tmp_path / "mine.py").write_text(bad, encoding="utf-8")
    done = ackclock("run", file, "--control", "mine.py", "--replications", "2", "--set", "duration=6 s")
    assert "raised ValueError: too small" in done.err
    command = done.err.partition("`")[2].partition("`")[0]
    program, *words = shlex.split(command)
    assert (program, words[:4]) == ("ackclock", ["run", file, "--control", "mine.py"])
    again = ackclock(*words)
    assert again.code == done.code
    assert "raised ValueError: too small" in again.err


def test_the_command_that_repeats_a_run_keeps_the_other_settings(ackclock: Command, tmp_path: Path) -> None:
    bad = MINE.replace("return 0.7 * window", "raise ValueError('too small')")
    (tmp_path / "mine.py").write_text(bad, encoding="utf-8")
    other = "flows.cubic.control=mine.py"
    done = ackclock("run", "tested.toml", "--control", "mine.py", "--set", other, "--replications", "2")
    words = shlex.split(done.err.partition("`ackclock run")[2].partition("`")[0])
    assert words[words.index("--set") + 1] == 'flows.cubic.control="mine.py"'
    # The flow called tested keeps the control of the file, because an override names the file for another flow.
    assert words.count("--set") == 1


def test_a_sweep_compares_a_control_in_python_with_others(ackclock: Command, tmp_path: Path) -> None:
    swept = f'{NAMED}name = "one"\n[sweep]\n"flows.one.control" = ["reno", "mine.py"]\n'
    (tmp_path / "swept.toml").write_text(swept, encoding="utf-8")
    done = ackclock("run", "swept.toml", "--control", "mine.py")
    assert done.code == 0, done.err
    assert "mine.py" in done.out


def test_nothing_is_cached_of_a_control_in_python(ackclock: Command) -> None:
    """Other code that the class calls is not known, so its runs are made anew, and none is said to be kept."""
    assert "cached" not in ackclock("run", "named.toml", "--control", "mine.py").out
    assert "cached" in ackclock("run", "tested.toml").out


def test_an_override_names_a_control_in_python(ackclock: Command, tmp_path: Path) -> None:
    (tmp_path / "plain.toml").write_text(NAMED.replace("mine.py", "reno"), encoding="utf-8")
    words = ("--control", "mine.py", "--set", "flows.1.control=mine.py")
    assert flows(ackclock, "plain.toml", *words) == flows(ackclock, "named.toml", "--control", "mine.py")
    refused = ackclock("run", "plain.toml", *words[:2])
    assert 'requires a flow called "tested"' in refused.err


def test_two_flows_name_two_controls_in_python(ackclock: Command, tmp_path: Path) -> None:
    """With the same law in both files, the flows are those of one file; with another law, they are not."""
    (tmp_path / "other.py").write_text(MINE.replace("0.7 *", "0.5 *"), encoding="utf-8")
    (tmp_path / "two.toml").write_text(NAMED.replace('"cubic"', '"other.py"'), encoding="utf-8")
    both = ("--control", "mine.py", "--control", "other.py")
    named = flows(ackclock, "two.toml", *both)
    assert [flow["control"] for flow in named] == ["other.py", "mine.py"]
    assert named == flows(ackclock, "two.toml", *both[2:], *both[:2])

    (tmp_path / "other.py").write_text(MINE, encoding="utf-8")
    twice = NAMED.replace('"cubic"', '"mine.py"\nname = "first"')
    (tmp_path / "twice.toml").write_text(twice, encoding="utf-8")
    alone = flows(ackclock, "twice.toml", "--control", "mine.py")
    same = flows(ackclock, "two.toml", *both)
    assert [flow["goodput_bps"] for flow in same] == [flow["goodput_bps"] for flow in alone]
    assert [flow["goodput_bps"] for flow in same] != [flow["goodput_bps"] for flow in named]
    assert ackclock("check", "two.toml", *both).code == 0
    assert ackclock("check", "two.toml", *both[:2]).code == 2


TYPED = """
from __future__ import annotations
from typing import Literal
from ackclock.controls import NewReno

Speed = Literal["{0}", "{1}"]

class Mine(NewReno):
    speed: Speed = "{0}"
"""


def test_two_files_in_different_folders_may_have_one_name(ackclock: Command, tmp_path: Path) -> None:
    """The types of each file's parameters are looked up in its own module. A file may be given twice."""
    (tmp_path / "mine.py").write_text(TYPED.format("slow", "fast"), encoding="utf-8")
    (tmp_path / "sub" / "mine.py").write_text(TYPED.format("red", "blue"), encoding="utf-8")
    two = NAMED.replace('"cubic"', '"sub/mine.py"\nname = "first"')
    (tmp_path / "two.toml").write_text(two, encoding="utf-8")
    words = ("--control", "mine.py", "--control", "sub/mine.py", "--control", "./mine.py")
    both = flows(ackclock, "two.toml", *words)
    assert [flow["control"] for flow in both] == ["sub/mine.py", "mine.py"]


def test_a_control_that_a_flow_names_does_not_replace_the_tested_one(
    ackclock: Command, tmp_path: Path
) -> None:
    (tmp_path / "other.py").write_text(MINE, encoding="utf-8")
    seat = NAMED.replace('control = "cubic"', 'control = "cubic"\nname = "tested"')
    (tmp_path / "seat.toml").write_text(seat, encoding="utf-8")
    assert [flow["control"] for flow in flows(ackclock, "seat.toml", "--control", "mine.py")] == [
        "cubic",
        "mine.py",
    ]
    both = flows(ackclock, "seat.toml", "--control", "mine.py", "--control", "other.py")
    assert [flow["control"] for flow in both] == ["other.py", "mine.py"]
    done = ackclock("run", "seat.toml", "--control", "other.py", "--control", "reno")
    assert (
        'found --control other.py and --control reno for the flows called "tested", expected one' in done.err
    )


def test_the_command_that_repeats_a_failed_run_names_every_control(ackclock: Command, tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text(MINE, encoding="utf-8")
    bad = MINE.replace("return 0.7 * window", "raise ValueError('too small')")
    (tmp_path / "mine.py").write_text(bad, encoding="utf-8")
    (tmp_path / "two.toml").write_text(NAMED.replace('"cubic"', '"other.py"'), encoding="utf-8")
    both = ("--control", "other.py", "--control", "mine.py")
    done = ackclock("run", "two.toml", *both, "--replications", "2")
    _, *words = shlex.split(done.err.partition("`")[2].partition("`")[0])
    assert words[2:6] == list(both)
    assert "raised ValueError: too small" in ackclock(*words).err
