"""The recorded evaluations: their pages are those of the records, and today's code judges their samples alike."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ackclock.evaluation import files, judge
from ackclock.evaluation.rfc import FAMILIES
from ackclock.schemas.evaluate import EvaluateDocument

ROOT = Path(__file__).resolve().parents[2]
RECORDS = sorted((ROOT / "docs" / "evaluations").glob("*.json"))


def read(path: Path) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return record


def test_the_pages_are_those_of_the_records(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "scripts")
    made = importlib.import_module("evaluation_pages")
    assert {path.stem for path in RECORDS} == {made.stem(name) for name in made.CONTROLS}
    for path, text in made.pages():
        assert path.read_text(encoding="utf-8") == text, (
            "stale: run .venv/bin/python scripts/document-registry"
        )
    assert made.index() in (ROOT / "docs" / "evaluations.md").read_text(encoding="utf-8")


def test_a_page_says_how_many_runs_a_mean_is_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "scripts")
    made = importlib.import_module("evaluation_pages")
    assert made._mean(52.0, "s", [51.0, None, 53.0]) == "52.0 s in 2 of 3 runs"
    assert made._mean(52.0, "s", [51.0, 53.0]) == "52.0 s"
    assert made._mean(None, "s", [None, None]) == "no value"


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_record_has_the_criteria_of_today(path: Path) -> None:
    record = read(path)
    EvaluateDocument.model_validate(record)
    assert [one["id"] for one in record["criteria"]] == [family.id for family in FAMILIES]
    marked = "ecn = true" in record["command"]
    wanted = {name for name in files.names() if marked or not files.load(name).about.needs_marks}
    recorded = {one["name"] for family in record["criteria"] for one in family["scenarios"]}
    assert recorded <= wanted
    said = {family["id"]: f"{family['sentence']} {family['lacks']}" for family in record["criteria"]}
    for name in wanted - recorded:
        family = files.load(name).about.family
        assert "Not with this transport" in said[family] or f"{name} was left out" in said[family], name


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_the_samples_of_a_record_are_judged_as_it_says(path: Path) -> None:
    record = read(path)
    for scenario in (one for family in record["criteria"] for one in family["scenarios"]):
        loaded = files.load(scenario["name"])
        settings = list(loaded.about.settings(quick=record["quick"]))
        assert [one.name for one in settings] == [one["name"] for one in scenario["settings"]]
        samples = judge.Samples(settings, record["seeds"])
        for index, setting in enumerate(scenario["settings"]):
            for who, metrics in {judge.TESTED: setting["tested"], **setting["references"]}.items():
                for metric, values in metrics.items():
                    samples.values[who, index, metric] = np.array(values, dtype=np.float64)
        found = judge.findings(loaded, samples, record["references"])
        # Harm also needs the runs without the control under test, which a record does not hold.
        now = [
            (one.criterion.text, one.setting.name, one.verdict.value, one.reason)
            for one in found
            if one.criterion.measure != "harm"
        ]
        then = [
            (one["text"], one["setting"], one["verdict"], one["reason"])
            for one in scenario["findings"]
            if one["measure"] != "harm"
        ]
        assert now == then, scenario["name"]
