"""Libraries that are not installed with the package: the message has a command that works where it is read."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from conftest import Command

from ackclock._libraries import missing


def test_the_command_names_the_interpreter_as_a_user_would(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "executable", str(tmp_path / ".venv/bin/python"))
    assert str(missing("this needs", "cmaes")) == (
        "this needs cmaes, which is not installed: .venv/bin/python -m pip install cmaes"
    )
    monkeypatch.setattr(sys, "executable", "/usr/bin/python3")
    assert "installed: /usr/bin/python3 -m pip install cmaes" in str(missing("this needs", "cmaes"))


@pytest.mark.parametrize("options", [("--figures", "pdf"), ("--figures", "csv", "--figures", "png")])
def test_figures_without_matplotlib_are_refused_before_anything_runs(
    ackclock: Command,
    scenario_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    outcome = ackclock("run", scenario_file, "--out", "results", *options)
    assert (outcome.code, outcome.out) == (2, "")
    assert "-m pip install matplotlib" in outcome.err
    assert not (tmp_path / "results").exists()
    assert ackclock("reproduce", "rbcc/figure-3.4", "--out", "results", *options).code == 2
    assert not (tmp_path / "results").exists()


def test_the_numbers_are_printed_even_if_the_files_cannot_be_written(
    ackclock: Command, scenario_file: Path, tmp_path: Path
) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "results/figures").write_text("in the way")
    outcome = ackclock("run", scenario_file, "--out", "results", "--figures", "csv")
    assert outcome.code != 0
    assert "goodput" in outcome.out
