"""The recorded characterisation: data that comes from full runs, and a page that says what the data say."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from ackclock.characterisation import records
from ackclock.pages import characterisation as pages
from ackclock.report import svg_chart
from ackclock.study.fingerprint import of_simulation
from ackclock.study.load import load_study
from ackclock.study.records import Origin

ROOT = Path(__file__).resolve().parents[2]

ORIGIN = Origin("2026-01-02", "0123456789", "A processor", 2, "Linux x86_64")
STUDY = load_study("aqm/rfc7928-8.2.2")
RECORDED = records.all_records()


def finding(criterion: str, verdict: str, setting: str = "", mean: float | None = 0.5) -> dict[str, Any]:
    return {
        "criterion": criterion,
        "kind": "safety",
        "metric": "goodput",
        "setting": setting,
        "verdict": verdict,
        "reason": "",
        "mean": mean,
        "interval": None if mean is None else [mean - 0.1, mean + 0.1],
    }


def result(**changes: Any) -> dict[str, Any]:
    """What the command writes of a scenario, as far as a record needs it."""
    about = STUDY.study.characterisation
    assert about is not None
    names = {"droptail": "Drop-tail", "red": "RED", "fq-codel": "FQ-CoDel (with scheduler)"}
    disciplines = [
        {"discipline": "droptail", "verdict": "reference", "findings": [finding("Loss", "OK")]},
        {
            "discipline": "red",
            "verdict": "CONCERN",
            "findings": [
                finding("Goodput", "OK", "mild", 0.97),
                finding("Goodput", "CONCERN", "heavy", 0.91234567),
                finding("Goodput", "CONCERN", "one", 0.8),
                finding("Latency", "INFO", mean=None),
            ],
        },
        {"discipline": "fq-codel", "verdict": "OK", "findings": [finding("Goodput", "OK", "mild", 1)]},
    ]
    return {
        "name": STUDY.name,
        "quick": False,
        "replications": 2,
        "fingerprint": of_simulation(STUDY.study),
        "runs": 6,
        "cpu_time_s": 1.23456,
        "cases": [
            {"name": f"{name}+mild[6]", "label": f"{label}, mild", "seeds": [1, 2]}
            for name, label in names.items()
        ],
        "characterisation": {"section": about.section, "requirement": "can", "disciplines": disciplines},
        **changes,
    }


def test_the_worst_of_each_criterion_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = records.record(result(), ORIGIN)
    assert (one["section"], one["seeds"], one["cpu_time_s"]) == ("8.2.2", "1, 2", 1.23)
    red = one["disciplines"][1]
    assert red["label"] == "RED"
    goodput, latency = red["criteria"]
    assert (goodput["verdict"], goodput["setting"], goodput["mean"]) == ("CONCERN", "heavy", 0.9123)
    assert (goodput["of"], goodput["alike"]) == (3, 2)
    assert (latency["verdict"], latency["mean"], latency["interval"]) == ("INFO", None, None)
    assert pages.counts(one) == {"CONCERN": 1, "OK": 1}
    assert records.write(one, tmp_path) == tmp_path / "8.2.2.json"
    monkeypatch.setattr(records, "FOLDER", tmp_path)
    assert records.all_records() == {STUDY.name: one}


def test_quick_runs_are_refused() -> None:
    with pytest.raises(ValueError, match="a quick run"):
        records.record(result(quick=True), ORIGIN)


def test_the_page_says_what_failed_what_is_missing_and_what_is_stale() -> None:
    one = records.record(result(), ORIGIN)
    other = load_study("aqm/rfc7928-6.2")
    page = pages.page({STUDY.name: one}, [STUDY, other])
    assert "| scenario | OK | CONCERN | undecided | INFO | RED | FQ-CoDel (with scheduler) |" in page
    assert "| 8.2.2 Mild | 1 | 1 | 0 | 0 | **CONCERN** | OK |" in page
    assert "| 6.2 RTTs | not recorded |" in page
    assert "| RED | **CONCERN** | Goodput: goodput 0.91 ± 0.10 (heavy), and 1 more finding |" in page
    assert "<summary>1 OK, 1 CONCERN</summary>" in page
    assert "| RED | 0 | 0 | 0 | 0 | none; not recorded: 5.1.1, " in pages.summary({STUDY.name: one})
    assert "Not recorded yet." in page.split("## 6.2")[1]
    about = STUDY.study.characterisation
    assert about is not None
    assert all(lack in page for lack in about.lacks)
    assert "before the scenario changed" not in page
    stale = {STUDY.name: {**one, "fingerprint": "0"}}
    assert "**Recorded before the scenario changed**" in pages.page(stale, [STUDY])
    assert "Scenarios that have changed since they were recorded: 1 of 1." in pages.answer(stale, [STUDY])


def test_the_answer_names_the_disciplines_with_the_fewest_and_the_most_concerns() -> None:
    def verdicts(section: str, **of: str) -> dict[str, Any]:
        disciplines = [{"discipline": name, "label": name, "verdict": of[name]} for name in of]
        return {"section": section, "fingerprint": "0", "disciplines": disciplines}

    # Of the 13 sections that must be considered, these are two; 8.2.2 is not among them.
    studies = [load_study(f"aqm/rfc7928-{section}") for section in ("5.2", "6.2", "8.2.2")]
    found = [
        verdicts("5.2", droptail="reference", a="CONCERN", b="CONCERN"),
        verdicts("6.2", droptail="reference", a="OK", b="CONCERN"),
        verdicts("8.2.2", droptail="reference", a="CONCERN", b="OK"),
    ]
    text = pages.answer(dict(zip((study.name for study in studies), found, strict=True)), studies)
    assert (
        "**Of the 13 scenarios that RFC 7928 says must be considered, 1 (a) to 2 (b) raise a concern, "
        in text
    )
    assert "depending on the queue discipline.** Every discipline raises a concern in 5.2 CUBIC." in text


def test_the_picture_has_a_mark_for_each_verdict() -> None:
    rows = [("RED", ["OK", "CONCERN"]), ("PIE", ["", "OK"])]
    root = ElementTree.fromstring(svg_chart.grid("A title", ["5.2", "6.2"], rows, ["OK", "CONCERN"]))  # noqa: S314
    marks = [part.tag.rpartition("}")[2] for part in root.iter() if " full" in part.get("class", "")]
    # The first two are the legend's.
    assert marks == ["circle", "polygon", "circle", "polygon", "circle"]
    assert {"OK", "CONCERN", "RED", "PIE", "5.2", "6.2", "A title"} <= {part.text for part in root.iter()}


@pytest.mark.parametrize("name", RECORDED)
def test_records_are_of_scenarios_and_show_no_machine(name: str) -> None:
    one = RECORDED[name]
    assert name in {study.name for study in pages.scenarios()}, "of a scenario that is gone: delete its file"
    text = (records.FOLDER / f"{one['section']}.json").read_text(encoding="utf-8")
    assert os.sep + "root" not in text
    assert os.uname().nodename not in text


def test_the_script_refuses_results_of_another_core(tmp_path: Path) -> None:
    (tmp_path / "aqm.json").write_text(json.dumps({"studies": [result(versions={"core": "x"})]}))
    command = [sys.executable, ROOT / "scripts" / "record-characterisation", "aqm.json"]
    done = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert "made by another build of the core" in done.stderr
