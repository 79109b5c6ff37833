"""The recorded reproduction: data that comes from full runs, and a page that says what the data say."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import finding_rules as rules
import pytest
from ackclock.study.verdict_status import hangs
from conftest import STUDY, Command, replaced

from ackclock.pages import record_checks as checks
from ackclock.pages import records
from ackclock.pages import reproduction as index
from ackclock.pages import studies as study_page
from ackclock.study.fingerprint import fingerprint
from ackclock.study.load import load_study, parse_study, study_names

ROOT = Path(__file__).resolve().parents[2]


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


def page_of(one: Any, study: Any) -> str:
    """The page of a study on the site."""
    return str(study_page.page(index.Recorded(study, one, False), "https://example.org"))


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
    fresh = [one for one in RECORDED.values() if not records.is_stale(one, load_study(one.study))]
    for one in fresh:
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
        failed = [
            claim.id for claim in one.claims if claim.verdict in ("not as printed", "right order, other size")
        ]
        assert not set(failed) - explained, f"{one.study}: why, or that the cause is not known"


def test_what_is_recorded_comes_out_again() -> None:
    """One replication of studies whose records were made by builds of other days; `scripts/check-records` runs more."""
    cheap = [
        "apace-and-learning-tcp/figure-2.14",
        "error-discriminating-tcp/figure-4.15",
        "parallel-and-adaptive-tcp/table-i",
        "rbcc/figure-4.12",
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
    assert (first.measured, first.interval, first.published, first.verdict) == (4, (4, 4), 4, "as printed")
    # One alternative decides the first claim otherwise, the other leaves it undecided; none changes the second's.
    assert [(other.reading, other.verdict, other.against) for other in first.readings] == [
        ("Number of flows: 6 and 6", "not as printed", True),
        ("Number of flows: count the bits", "undecided", False),
    ]
    assert second.readings == ()
    assert list(one.values) == ["few", "many"]
    assert one.values["many"]["flows_seen"] == (8, 0)
    mean, half, published = one.values["few"]["goodput"]
    assert (mean, published) == (pytest.approx(second.measured, rel=1e-5), 1.0)
    assert half == pytest.approx((second.interval[1] - second.interval[0]) / 2, rel=5e-3)
    folder = tmp_path / "records"
    assert records.write(one, folder)
    assert records.all_records(folder) == {"rbcc/small": one}


def test_a_record_of_an_earlier_form_is_read_too(result: dict[str, Any], tmp_path: Path) -> None:
    one = records.record(result, ORIGIN)
    path = tmp_path / "rbcc" / "small.json"
    assert records.write(one, tmp_path)
    document = json.loads(path.read_text())
    del document["values"]
    for claim in document["claims"]:
        claim["other_verdict"] = len(claim.pop("readings", []))
    path.write_text(json.dumps(document))
    old = records.read(path)
    assert (old.values, old.claims[0].readings, old.claims[0].unnamed_readings) == ({}, (), 2)
    page = page_of(old, parse_study(STUDY, "rbcc/small", "study.toml"))
    assert "| 4 | 4 ± 0 | reproduced (another in 2 of 2 readings) |" in page
    # The same result is written again in the form of today.
    assert records.write(one, tmp_path)
    assert records.read(path) == one


def test_a_result_of_an_earlier_version_counts_as_today(result: dict[str, Any]) -> None:
    claims = [{**claim, "verdict": claim["outcome"]} for claim in result["claims"]]
    for claim in claims:
        del claim["outcome"], claim["readings"]
    sensitivity = [
        {key: value for key, value in reading.items() if key != "against"}
        for reading in result["sensitivity"]
    ]
    one = records.record({**result, "claims": claims, "sensitivity": sensitivity}, ORIGIN)
    # That the thesis rules a reading out was not said then.
    assert [(claim.verdict, claim.outcome) for claim in one.claims] == [
        ("hangs on the reading", "as printed"),
        ("not as printed", None),
    ]


@pytest.mark.parametrize("name", RECORDED)
def test_verdicts_agree_with_the_readings_that_a_record_names(name: str) -> None:
    for claim in RECORDED[name].claims:
        others = [reading.verdict for reading in claim.readings if not reading.against]
        outcome = claim.outcome or claim.verdict
        assert (claim.verdict == "hangs on the reading") == hangs(outcome, others), claim.id


def test_findings_keep_to_their_rules() -> None:
    """Numbers that were measured are computed, and a verdict that is named is the recorded one."""
    found = rules.found([load_study(name) for name in study_names()], RECORDED)
    assert not rules.beyond(found, rules.listed()), "see python/tests/finding_rules.py"
    assert not rules.beyond(rules.listed(), found), "strike these out of findings_to_mend.toml"


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("It falls by 12 % to 0.83, and 1,204 packets are dropped.", ["12", "0.83", "1,204"]),
        ("It is {= goodput('few') | .2f} Mbit/s, {= 100 * goodput('few') } % of it.", []),
        ("See Figure 4.2, section 3.1 and Tables 5.1 and 5.2; claim 4.9 and figure-3.8 say so too.", []),
        # Of the sentence (four), its test (0.001), the scenario (1 Mbit/s, 0.5 s) and what was published (1.0).
        ("At 1 % and 0.5 s of 0.001, in place of 1.0, eight flows and 8 runs.", []),
        ("In about 15 of 20 runs.", []),
    ],
)
def test_what_is_typed_by_hand(text: str, numbers: list[str]) -> None:
    study = parse_study(
        replaced(STUDY, ("Packets do arrive.", text), ('claim = "2"', 'claim = "1"')), "s", "s"
    )
    assert rules.typed_numbers(study.study.findings[0], study) == numbers


def test_a_finding_that_explains_another_verdict_contradicts_the_record(result: dict[str, Any]) -> None:
    def contradicts(verdict: str, claim: str = "2") -> bool:
        text = replaced(
            STUDY,
            ('"Packets do arrive."', f'"Packets do arrive."\nverdict = "{verdict}"'),
            ('claim = "2"', f'claim = "{claim}"'),
        )
        study = parse_study(text, "rbcc/small", "study.toml")
        return bool(rules.contradicts(study.study.findings[0], one, study))

    one = records.record(result, ORIGIN)
    assert not contradicts("not as printed")
    assert contradicts("undecided")
    # Under a reading that the record names the first claim is undecided.
    assert not contradicts("undecided", claim="1")
    assert contradicts("right order, other size", claim="1")


def test_the_page_computes_the_numbers_of_findings(result: dict[str, Any]) -> None:
    one = records.record(result, ORIGIN)
    text = replaced(STUDY, ("Packets do arrive.", "{= flows_seen('many') | .1f} flows send."))
    study = parse_study(text, "rbcc/small", "study.toml")
    assert "**Finding:** 8.0 flows send. |" in page_of(one, study)
    old = dataclasses.replace(one, values={})
    assert "**Finding:** (not recorded) flows send. |" in page_of(old, study)


def test_what_is_not_a_test_is_counted_apart(result: dict[str, Any]) -> None:
    one = records.record(result, ORIGIN)
    first = dataclasses.replace(one.claims[0], verdict="not a test")
    text = replaced(STUDY, ("paper = 4\n", 'paper = 4\nnot_a_test = "Flows are what the cases set."\n'))
    study = parse_study(text, "rbcc/small", "study.toml")
    one = dataclasses.replace(one, claims=(first, one.claims[1]), fingerprint=fingerprint(study.study))
    counts = index.counts({"rbcc/small": one}, [study])
    assert "|  | studies | claims | not reproduced | not a test |" in counts
    assert "| [Manoj Dahal (2007)](reproduction/rbcc.md), about baselines alone | 1 | 1 | 1 | 1 |" in counts
    assert "*Not judged: Flows are what the cases set.*" in page_of(one, study)


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
