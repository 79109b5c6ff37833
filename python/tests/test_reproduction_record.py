"""The recorded reproduction: data that comes from full runs, and a page that says what the data say."""

from __future__ import annotations

import dataclasses
import importlib
import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import Command

from ackclock.study.load import load_study, study_names

ROOT = Path(__file__).resolve().parents[2]


sys.path.insert(0, str(ROOT / "scripts"))
records = importlib.import_module("reproduction_records")
checks = importlib.import_module("record_checks")
sys.path.pop(0)

ORIGIN = records.Origin("2026-01-02", "0123456789", "A processor", 2, "Linux x86_64")
RECORDED = records.all_records()
# On which the questions of our own are answered.
PAGES = (
    "a-tcp-today",
    "apace-today",
    "bbr",
    "learning-tcp-today",
    "ltcp-rc-today",
    "paths",
    "policers",
    "prague",
    "profiles",
    "rbcc-today",
    "slow-starts",
    "spc-today",
    "tcp-rtt-today",
)


@pytest.fixture
def result(ackclock: Command, study_file: Path) -> dict[str, Any]:
    """A full run of the small study, as if it were one of the package."""
    (study,) = json.loads(ackclock("reproduce", study_file, "--json").out)["studies"]
    return {**study, "name": "rbcc/small"}


def test_every_question_of_ours_is_answered_on_its_page() -> None:
    pages = "".join((ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8") for name in PAGES)
    ours = [one for name, one in RECORDED.items() if name.startswith("today/")]
    assert ours
    for one in ours:
        kind = "grids" if one.study.startswith(("today/paths", "today/policers")) else "claims"
        part = pages.split(f"<!-- generated: {kind} {one.study} -->")[1].split("<!-- end")[0]
        rows = [line for line in part.splitlines() if line.startswith("| ") and "---" not in line]
        if kind == "claims":
            assert [row.rpartition(" | ")[2].split(" (")[0].rstrip(" |") for row in rows[1:]] == [
                claim.verdict for claim in one.claims
            ]
        else:
            yes = sum(claim.verdict == "yes" for claim in one.claims)
            assert sum(row.count("**") // 2 + row.endswith("| yes |") for row in rows) == yes
            assert sum(row.count("±") for row in rows) == len(one.claims)


def test_what_is_undecided_says_how_many_replications_would_decide() -> None:
    for one in RECORDED.values():
        for claim in one.claims:
            needed, name = claim.replications_needed, f"{one.study} {claim.id}"
            if claim.verdict == "undecided" and one.replications > 1 and claim.interval is not None:
                had = sum(sample is not None for sample in claim.samples)
                assert had > 1, name
                assert is_on_an_end(one.study, claim) if needed is None else needed > had, name
            else:
                assert needed is None, name


def is_on_an_end(study: str, claim: Any) -> bool:
    """Whether what was measured is so near to an end of what is accepted that a million replications would not tell."""
    test = next(one for one in load_study(study).study.claims if one.id == claim.id)
    had = sum(sample is not None for sample in claim.samples)
    low, high = claim.interval
    nearest = (high - low) / 2 * math.sqrt(had / 1e6)
    return any(end is not None and abs(claim.measured - end) < nearest for end in test.accepted() or ())


def test_what_a_thesis_says_and_does_not_hold_has_a_finding() -> None:
    for one in RECORDED.values():
        study = load_study(one.study)
        if study.study.source.asked_by == "us" or records.is_stale(one, study):
            continue
        explained = {
            claim.id
            for claim in one.claims
            for finding in study.study.findings
            if finding.claim == claim.id and finding.explains(claim.verdict)
        }
        failed = [claim.id for claim in one.claims if claim.verdict in ("not reproduced", "direction only")]
        assert not set(failed) - explained, f"{one.study}: why, or that the cause is not known"


def test_what_is_recorded_comes_out_again() -> None:
    """One replication of studies whose records were made by builds of other days; `scripts/check-records` runs more."""
    cheap = [
        "apace-and-learning-tcp/figure-2.14",
        "error-discriminating-tcp/figure-4.15",
        "parallel-and-adaptive-tcp/table-i",
        "rbcc/table-4.1",
        "rbcc/figure-6.9",
    ]
    pairs = list(checks.worth([RECORDED[name] for name in cheap], packets=5e6, replications=1))
    assert [one.study for one, _ in pairs] == cheap, "recorded before the study changed: record it again"
    for check in checks.checked(pairs, replications=1):
        assert check.compared > 0
        assert not check.differing, check


def test_a_value_that_does_not_come_out_again_is_told() -> None:
    one = RECORDED["rbcc/figure-3.1"]
    first, *others = one.claims
    assert first.samples[0] is not None
    altered = dataclasses.replace(first, samples=(first.samples[0] * 1.001, *first.samples[1:]))
    pairs = [(dataclasses.replace(one, claims=(altered, *others)), load_study(one.study))]
    (check,) = checks.checked(pairs, replications=1)
    assert check.differing == (first.id,)


@pytest.mark.parametrize("name", RECORDED)
def test_records_are_of_studies_and_show_no_machine(name: str) -> None:
    assert name in study_names(), "a record of a study that is gone: delete its file"
    text = (records.FOLDER / f"{name}.json").read_text(encoding="utf-8")
    assert os.sep + "root" not in text
    assert os.uname().nodename not in text
    one = RECORDED[name]
    if not records.is_stale(one, load_study(name)):
        assert [claim.id for claim in one.claims] == [claim.id for claim in load_study(name).study.claims]


def test_a_result_is_recorded(result: dict[str, Any], tmp_path: Path) -> None:
    one = records.record(result, ORIGIN)
    assert (one.replications, one.seeds, one.simulations, one.readings) == (3, "1 to 3", 9, 2)
    first, second = one.claims
    assert (first.measured, first.interval, first.published, first.verdict) == (4, (4, 4), 4, "reproduced")
    # One alternative changes the verdict on the first claim, the other leaves it undecided; none changes the second's.
    assert (first.other_verdict, second.other_verdict) == (1, 0)
    folder = tmp_path / "records"
    assert records.write(one, folder)
    assert records.all_records(folder) == {"rbcc/small": one}


def test_only_a_new_result_changes_a_file(result: dict[str, Any], tmp_path: Path) -> None:
    folder = tmp_path / "records"
    one = records.record(result, ORIGIN)
    other = dataclasses.replace(one, study="rbcc/other")
    assert records.write(one, folder)
    assert records.write(other, folder)
    # The same result recorded again at a later commit is still of the first.
    assert not records.write(
        dataclasses.replace(one, origin=dataclasses.replace(ORIGIN, commit="9876543210")), folder
    )
    assert records.all_records(folder)["rbcc/small"].origin == ORIGIN
    before = (folder / "rbcc" / "other.json").stat().st_mtime_ns
    assert records.write(dataclasses.replace(one, replications=4), folder)
    assert (folder / "rbcc" / "other.json").stat().st_mtime_ns == before


def test_quick_results_and_own_studies_are_refused(result: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="rbcc/small: a quick run"):
        records.record({**result, "quick": True}, ORIGIN)
    with pytest.raises(ValueError, match="not a study of the package"):
        records.record({**result, "name": "small.toml"}, ORIGIN)


def test_the_script_refuses_before_it_writes(ackclock: Command, study_file: Path, tmp_path: Path) -> None:
    ackclock("reproduce", study_file, "--quick", "--out", "results")
    before = {path: path.read_bytes() for path in records.FOLDER.glob("*/*.json")}
    for arguments, message in (
        (["results"], "there is no such study in the package"),
        (["."], "no results of `ackclock reproduce` there"),
        (["results", "--commit", "nothing"], "there is no commit nothing"),
    ):
        done = subprocess.run(
            [sys.executable, ROOT / "scripts" / "record-reproduction", *arguments],
            cwd=tmp_path,
            check=False,
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stdout) == (1, "")
        assert message in done.stderr
    assert {path: path.read_bytes() for path in records.FOLDER.glob("*/*.json")} == before
