"""What `make bench ARGS=--commands` measures."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import command_speed


def test_the_time_of_the_core_is_told_from_the_rest(tmp_path: Path) -> None:
    commands = {command.what: command for command in command_speed.commands(tmp_path)}
    cost = command_speed.measure(commands["`run`, 2 flows"], tmp_path, 0)
    assert cost.before_s is not None
    assert 0 < cost.core_s < cost.core_s + cost.before_s < cost.cpu_s


def test_a_command_that_simulates_nothing_has_no_time_in_the_core() -> None:
    cost = command_speed.Cost(cpu_s=0.25, core_s=0.0, before_s=None, memory_mb=30.4)
    assert (
        command_speed.table([("`--help`", cost)]).splitlines()[-1]
        == "| `--help` | 0.25 | 0.00 | 0.25 |  | 30 |"
    )
