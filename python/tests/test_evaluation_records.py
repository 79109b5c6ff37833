"""The recorded evaluations: today's code judges their samples alike."""

from __future__ import annotations

import copy
import gzip
import json
import math
from pathlib import Path
from typing import Any

import pytest

from ackclock._archive import evaluated, evaluation_text, stem, write_evaluation
from ackclock.errors import InputError
from ackclock.evaluation import contenders, files, renewal, result, run
from ackclock.evaluation.compare import read_record
from ackclock.evaluation.language import MARKS
from ackclock.evaluation.rfc import FAMILIES
from ackclock.evaluation.words import CONCERN
from ackclock.pages import evaluation_findings, evaluations
from ackclock.schemas.evaluate import EvaluateDocument

RECORDS = evaluated()


def read(stem: str) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(evaluation_text(stem) or "")
    return record


def test_every_control_with_a_page_has_a_record() -> None:
    assert set(RECORDS) == {stem(name) for name in evaluations.CONTROLS}
    assert set(evaluations.REMARKS) <= set(evaluations.CONTROLS)


def test_the_bytes_of_a_record_depend_on_the_record_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ackclock._archive.folder", lambda of: tmp_path / of)
    file = write_evaluation("noq:mine", {"a": "°"})
    assert file == tmp_path / "evaluations" / "noq-mine.json.gz"
    # Bytes 4 to 7 of gzip's header are the time (RFC 1952 section 2.3.1): 0 means that none is given.
    assert file.read_bytes()[4:8] == bytes(4)
    assert gzip.decompress(file.read_bytes()) == '{"a":"°"}\n'.encode()
    assert (evaluation_text("noq:mine"), evaluated()) == ('{"a":"°"}\n', ["noq-mine"])
    assert evaluation_text("other") is None


def test_a_recorded_control_can_be_compared_with_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert read_record(Path("noq:bbr3"))["control"] == "noq:bbr3"
    with pytest.raises(
        InputError,
        match=r'cubik: there is neither a file nor a recorded evaluation with this name; did you mean "cubic"\?',
    ):
        read_record(Path("cubik"))
    # A file of that name comes first.
    Path("cubic").write_text("{}")
    with pytest.raises(InputError, match="not the record of an evaluation"):
        read_record(Path("cubic"))


@pytest.mark.parametrize("control", RECORDS)
def test_a_record_has_the_criteria_of_today(control: str) -> None:
    record = read(control)
    EvaluateDocument.model_validate(record)
    assert [one["id"] for one in record["criteria"]] == [family.id for family in FAMILIES]
    wanted = set(files.names())
    recorded = {one["name"] for family in record["criteria"] for one in family["scenarios"]}
    assert recorded <= wanted
    said = {family["id"]: f"{family['sentence']} {family['lacks']}" for family in record["criteria"]}
    for name in wanted - recorded:
        family = files.load(name).about.family
        reasons = (
            result.REFUSED,
            "It is not evaluated with ECN marks",
            f"{name} was left out",
            "Left out, because its links could carry more",
        )
        assert any(reason in said[family] for reason in reasons), name
    for family in record["criteria"]:
        for one in family["scenarios"]:
            settings = list(files.load(one["name"]).about.settings(quick=record["quick"]))
            unmarked = any(text == f"{one['name']}: {result.UNMARKED}." for text in family["lacks"])
            marked = sum(MARKS in setting.overrides for setting in settings) if unmarked else 0
            without = len(settings) - len(one["settings"]) - marked
            told = any(text.startswith(f"{one['name']}: {without} setting") for text in family["lacks"])
            assert told == (without > 0), one["name"]


def said(record: dict[str, Any]) -> dict[str, Any]:
    """The texts of a record."""
    return {key: value for key, value in record.items() if isinstance(value, str)}


@pytest.mark.parametrize("control", RECORDS)
def test_the_samples_of_a_record_are_judged_as_it_says(control: str) -> None:
    record = read(control)
    now = renewal.judged_anew(record)
    for before, after in zip(record["criteria"], now["criteria"], strict=True):
        for one, other in zip(before["scenarios"], after["scenarios"], strict=True):
            for was, is_now in zip(one["findings"], other["findings"], strict=True):
                assert said(is_now) == said(was), one["name"]
                # Samples are recorded with ten digits.
                estimates = [of["finding"]["estimate"] for of in (was, is_now)]
                means = [math.nan if of is None else of for of in estimates]
                assert means[1] == pytest.approx(means[0], rel=1e-6, abs=1e-6, nan_ok=True), one["name"]
        assert said(after) == said(before)


def as_read(record: dict[str, Any]) -> dict[str, Any]:
    """The record as it is read from a file."""
    of: dict[str, Any] = json.loads(json.dumps(record))
    return of


@pytest.mark.parametrize(
    "control",
    # Renewal does not depend on the control, and takes 8 s for a record.
    [pytest.param(one, marks=() if one == "cubic" else pytest.mark.nightly) for one in RECORDS],
)
def test_a_part_of_a_record_is_made_anew(control: str) -> None:
    record = read(control)
    assert record["runs"] == renewal.simulations(record)
    # Made anew as it was, every criterion has the verdict, the sentence and the remarks that it had.
    same = as_read(renewal.renewed(record, record))
    assert same == {**record, "versions": same["versions"]}

    # The only scenario of section 5.1.5 is made anew, with times three times as long.
    (part,) = [copy.deepcopy(one) for one in record["criteria"] if one["section"] == "5.1.5"]
    (scenario,) = part["scenarios"]
    for setting in scenario["settings"]:
        setting["tested"]["p95"] = [3 * value for value in setting["tested"]["p95"]]
    now = as_read(renewal.renewed(record, {"criteria": [part], "versions": {"core": "new"}}))
    criteria = {one["section"]: one for one in now["criteria"]}
    assert criteria["5.1.5"]["sentence"].startswith("Completion time of short flows, 95th percentile: ")
    assert [criteria[section]["verdict"] for section in ("5.1.5", "6.1")] == ["CONCERN", "CONCERN"]
    assert "5.1.5" in criteria["6.1"]["sentence"]
    assert now["versions"] == {**record["versions"], f"core of {scenario['name']}": "new"}
    for one in record["criteria"]:
        assert one["section"] in ("5.1.5", "6.1") or criteria[one["section"]] == one


def test_a_record_of_a_part_of_the_grid_is_judged_as_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    record = read("cubic")
    most = 100_000
    tested = contenders.contender(record["control"])
    references = [contenders.contender(name) for name in record["references"]]
    plan = run.Plan(tested, references, [files.load("N-12")], quick=False, seeds=10, most_packets=most)
    names = {one.name for one in plan.settings[0]}
    # The paths of 1 Mbit/s carry 5,000 packets in 60 s, those of 10 Mbit/s 50,000, and those of 50 Mbit/s 250,000.
    assert {name.split(",")[0] for name in names} == {"rate 1 Mbit/s", "rate 10 Mbit/s"}
    record["most_packets"] = most
    for criterion in record["criteria"]:
        criterion["scenarios"] = [one for one in criterion["scenarios"] if one["name"] == "N-12"]
        for scenario in criterion["scenarios"]:
            count = len(scenario["settings"]) - len(names)
            scenario["settings"] = [one for one in scenario["settings"] if one["name"] in names]
            scenario["findings"] = [one for one in scenario["findings"] if one["setting"] in names]
    now = renewal.judged_anew(record)
    (wired,) = [one for one in now["criteria"] if one["scenarios"]]
    assert {one["name"] for one in wired["scenarios"][0]["settings"]} == names
    assert f"in {len(names)} of {len(names) + count} settings" in wired["sentence"]
    told = f"N-12: {count} settings are left out, because their links could carry more than 100,000 packets in a run."
    assert wired["lacks"].count(told) == 1
    assert now["runs"] == len(plan.runs)
    # Judged once more it says so once.
    again = renewal.judged_anew(now)
    assert again["criteria"] == now["criteria"]
    monkeypatch.setattr(evaluations, "records", lambda: [now])
    assert "| full, up to 100,000 packets a run |" in evaluations.index()
    ((_, page),) = evaluations.pages()
    assert "**Settings whose links could carry more than 100,000 packets in a run are left out**" in page


def grid_record(harms: dict[str, float | None]) -> dict[str, Any]:
    """A criterion of a record in which N-07-grid does these harms, each beyond its limit."""
    findings = [
        {
            "text": "Goodput of the standard flow: at most 0.1 more harm than the reference",
            "metric": "goodput",
            "measure": "harm",
            "verdict": "CONCERN",
            "reference": "cubic",
            "setting": setting,
            "tested": 1.0,
            "references": {"cubic": 2.0},
            "allowed": [1.5, None],
            "reason": "",
            "finding": {"estimate": harm, "low": None, "high": 0.1},
        }
        for setting, harm in harms.items()
    ]
    settings = [
        {"name": one, "tested": {"goodput": [1.0]}, "references": {"cubic": {"goodput": [2.0]}}}
        for one in harms
    ]
    scenario = {
        "name": "N-07-grid",
        "metrics": [{"id": "goodput", "label": "Goodput", "unit": "Mbit/s"}],
        "settings": settings,
        "findings": findings,
    }
    return {"section": "5.2.1", "title": "Existing control", "verdict": CONCERN, "scenarios": [scenario]}


def test_a_page_counts_findings_over_the_grid_and_shows_the_worst() -> None:
    paths = [
        f"rate {rate} Mbit/s, round trip {rtt} ms, buffer {buffer} BDP, other cubic"
        for rate in (1, 10)
        for rtt in (5, 20)
        for buffer in (0.5, 1, 2)
    ]
    criterion = grid_record({path: 0.3 + 0.01 * number for number, path in enumerate(paths)})
    # One is no finding, so that 11 of 12 are left, and one run failed, so that there is no number.
    del criterion["scenarios"][0]["findings"][0]
    criterion["scenarios"][0]["findings"][3]["finding"]["estimate"] = None
    text = "\n".join(evaluation_findings.of(criterion, CONCERN))
    assert (
        "| rate | 5 ms | 20 ms |\n| --- | --- | --- |\n| 1 Mbit/s | 2 of 3 | 3 of 3 |\n| 10 Mbit/s | 3 of 3 | 3 of 3 |"
        in text
    )
    rows = [line for line in text.splitlines() if "`N-07-grid`, rate" in line]
    assert [paths.index(path) for row in rows for path in paths if path in row] == [4, 11, 10]
    assert text.endswith("The record of this evaluation contains 8 more findings.")
    few = grid_record(dict.fromkeys(paths[:3], 0.3))
    assert "The record of this evaluation" not in "\n".join(evaluation_findings.of(few, CONCERN))
