"""Records of studies: what is recorded comes out again, and is judged without running anything."""

from __future__ import annotations

import json
import random
from datetime import datetime, timezone
from pathlib import Path

import pytest
from conftest import STUDY, Command, replaced

from ackclock.study.checking import check
from ackclock.study.digest import PHYSICS
from ackclock.study.load import LoadedStudy, load_study, parse_study, study_names
from ackclock.study.plan import Plan
from ackclock.study.records import Record, is_short, is_stale, judged, origin, read, record_of, write
from ackclock.study.run import Work, make

BUDGET = 30e6
"""The packets of the draw of the day: some twenty seconds of a processor."""

SHORT = Path(__file__).with_name("short_records.txt").read_text(encoding="utf-8").split()
"""The studies whose records were made by an earlier rule for the number of seeds: a new run makes more simulations."""


def recorded() -> list[tuple[Record, LoadedStudy]]:
    """Returns every study that is recorded with its samples."""
    return [(record, load_study(name)) for name in study_names() if (record := read(name)) is not None]


def draw() -> list[tuple[Record, LoadedStudy]]:
    """Returns recorded studies drawn with the date as seed, as many as the budget allows."""
    everything = recorded()
    random.Random(datetime.now(timezone.utc).date().isoformat()).shuffle(everything)  # noqa: S311  (a draw)
    drawn, packets = [], 0.0
    for record, loaded in everything:
        plan = Plan(loaded, quick=False, sensitivity=True)
        plan.check()
        cost = sum(planned.cost for planned in plan.every_run(1))
        if packets + cost <= BUDGET:
            drawn.append((record, loaded))
            packets += cost
    return drawn


def test_what_is_recorded_comes_out_again() -> None:
    drawn = draw()
    assert drawn
    moved = [str(outcome) for outcome in check(drawn) if outcome.moved or outcome.changed]
    assert not moved, "\n".join(moved)


def test_no_record_is_stale() -> None:
    stale = [record.study for record, loaded in recorded() if is_stale(record, loaded.study)]
    assert not stale


def test_a_new_run_needs_no_more_seeds_than_a_record_has() -> None:
    """Otherwise who repeats the command of a page could get another verdict than the page."""
    assert [record.study for record, loaded in recorded() if is_short(record, loaded)] == SHORT


def test_judging_warns_of_a_record_with_few_seeds(ackclock: Command) -> None:
    short, whole = SHORT[0], "rbcc/table-4.1"
    warned = " ".join(ackclock("reproduce", short, "--judge").err.split())
    assert f"{short}: the record has fewer seeds than a new run gets by today's rule" in warned
    assert "fewer seeds" not in ackclock("reproduce", whole, "--judge").err


@pytest.mark.parametrize("name", [record.study for record, _ in recorded()][:20])
def test_every_claim_is_judged_from_the_samples(name: str) -> None:
    record, loaded = read(name), load_study(name)
    assert record is not None
    result = judged(record, loaded)
    assert [claim.id for claim in result.claims] == [claim.id for claim in loaded.study.claims]
    assert all(claim.measured is not None for claim in result.claims if claim.tested)


class TestCommands:
    @pytest.fixture(autouse=True)
    def small(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LoadedStudy:
        """A study called rbcc/table-4.1 in place of that of the package, with its record."""
        loaded = parse_study(STUDY, "rbcc/table-4.1", "study.toml")
        monkeypatch.setattr("ackclock.study.records.records_dir", lambda: tmp_path / "records")
        monkeypatch.setattr("ackclock.study.load.load_study", lambda _: loaded)
        work = Work(loaded, Plan(loaded, quick=False, sensitivity=True))
        work.plan.check()
        make([work])
        write(record_of(work, origin()))
        return loaded

    def test_judging_runs_nothing(
        self, ackclock: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_: object, **__: object) -> None:
            raise AssertionError("something ran")

        monkeypatch.setattr("ackclock.study.run.run_jobs", fail)
        outcome = ackclock("reproduce", "rbcc/table-4.1", "--judge", "--out", tmp_path / "out")
        assert outcome.code == 0, outcome.err
        assert "1 as printed, 1 not as printed" in outcome.out

    def test_a_check_stamps_what_comes_out_again(self, ackclock: Command) -> None:
        outcome = ackclock("reproduce", "rbcc/table-4.1", "--check")
        assert outcome.code == 0
        assert outcome.out.strip().startswith(
            "rbcc/table-4.1: 4 of 4 runs, each with the first seed of its case, reproduced the recorded results"
        )
        record = read("rbcc/table-4.1")
        assert record is not None
        assert record.checked.core == PHYSICS

    def test_a_check_names_what_moved(self, ackclock: Command, tmp_path: Path) -> None:
        path = tmp_path / "records" / "rbcc" / "table-4.1.json"
        document = json.loads(path.read_text())
        document["digests"]["many"] = "0" * 10
        path.write_text(json.dumps(document))
        outcome = ackclock("reproduce", "rbcc/table-4.1", "--check")
        assert outcome.code == 1
        assert (
            "1 of 4 runs, each with the first seed of its case, did not reproduce the recorded results or samples: many"
            in outcome.out
        )
        assert "out of date: 1 of 1 record" in outcome.err

    def test_a_check_finds_another_sample(self, ackclock: Command, tmp_path: Path) -> None:
        path = tmp_path / "records" / "rbcc" / "table-4.1.json"
        document = json.loads(path.read_text())
        metric = next(iter(document["samples"]["many"]))
        document["samples"]["many"][metric][0] *= 1.001
        path.write_text(json.dumps(document))
        outcome = ackclock("reproduce", "rbcc/table-4.1", "--check")
        assert outcome.code == 1
        assert "did not reproduce the recorded results or samples: many" in outcome.out

    def test_a_changed_scenario_is_told_and_nothing_is_run(
        self, ackclock: Command, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        other = parse_study(
            replaced(STUDY, ('duration = "5 s"', 'duration = "6 s"')), "rbcc/table-4.1", "s.toml"
        )
        monkeypatch.setattr("ackclock.study.load.load_study", lambda _: other)
        for option in ("--check", "--judge"):
            outcome = ackclock("reproduce", "rbcc/table-4.1", option)
            assert outcome.code != 0
            assert "have changed since the study was recorded" in outcome.out + outcome.err

    def test_two_ways_to_run_exclude_each_other(self, ackclock: Command) -> None:
        assert "are mutually exclusive" in ackclock("reproduce", "rbcc/table-4.1", "--judge", "--quick").err
