"""``ackclock lab``."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Any

import pytest
from conftest import STUDY, Command

from ackclock.web import module as web_module

from .lab_page import MOST_BYTES


def test_the_page_is_one_small_file_with_the_scenario_in_it(
    ackclock: Command, scenario_file: Path, tmp_path: Path, module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert module.exists()
    opened: list[Any] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    outcome = ackclock("lab", scenario_file, "--out", "lab.html")
    assert (outcome.code, outcome.err) == (0, "")
    page = tmp_path / "lab.html"
    assert opened == [page.as_uri()]
    assert "Two flows through 1 Mbit/s" in page.read_text()
    assert page.stat().st_size < MOST_BYTES
    assert ackclock("lab", "--no-open").code == 0
    assert len(opened) == 1
    assert (tmp_path / "ackclock-results" / "lab.html").exists()


def test_a_wrong_scenario_is_refused_as_run_refuses_it(
    ackclock: Command, scenario_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Any] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    scenario_file.write_text(scenario_file.read_text().replace('rate = "1 Mbit/s"', 'rate = "1 Mbt/s"'))
    told, shown = ackclock("run", scenario_file), ackclock("lab", scenario_file, "--out", "lab.html")
    assert 'found "1 Mbt/s"' in told.err
    assert (shown.code, shown.err, shown.out) == (2, told.err, "")
    scenario_file.write_text(STUDY)
    assert "is a study, not a scenario" in ackclock("lab", scenario_file, "--out", "lab.html").err
    assert ackclock("lab", "nowhere.toml", "--out", "lab.html").code == 2
    assert opened == []
    assert not (tmp_path / "lab.html").exists()


def test_without_the_module_it_says_what_is_missing(
    ackclock: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_module, "MODULE", tmp_path / "none.wasm")
    web_module.packed_module.cache_clear()
    outcome = ackclock("lab", "--no-open", "--out", "lab.html")
    web_module.packed_module.cache_clear()
    assert outcome.code == 1
    assert "WebAssembly module, which this installation lacks" in outcome.err
    assert "make wasm" in outcome.err
    assert not (tmp_path / "lab.html").exists()
