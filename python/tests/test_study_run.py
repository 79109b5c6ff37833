"""Running a study end to end."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import STUDY, replaced

from ackclock import reproduce
from ackclock.errors import InputError
from ackclock.store import Store
from ackclock.study.load import parse_study
from ackclock.study.result import StudyResult
from ackclock.study.run import Plan, run_study


def run(text: str = STUDY, *, quick: bool = False, store: Store | None = None) -> StudyResult:
    return run_study(parse_study(text, "test", "study.toml"), quick=quick, store=store)


@pytest.fixture(scope="module")
def result() -> StudyResult:
    return run()


def test_cases_and_seeds(result: StudyResult) -> None:
    assert [case.name for case in result.cases] == ["few", "many"]
    assert [case.label for case in result.cases] == ["2 flows", "8 flows"]
    assert all(case.seeds == (1, 2, 3) for case in result.cases)
    assert result.case("many").overrides == {"flows.tcp.count": 8}
    assert len(result.case("many").flows) == 8
    assert result.case("few").values["goodput"].paper == 1.0


def test_metrics_are_measured(result: StudyResult) -> None:
    goodput = result.case("few").values["goodput"]
    assert len(goodput.samples) == 3
    # A link of 1 Mbit/s carries less than 1 Mbit/s of payload; after five seconds some of it waits for a repair.
    assert all(0.3 < sample < 1.0 for sample in goodput.samples)
    assert result.case("many").values["flows_seen"].interval == (8, 8)


def test_claims_are_judged(result: StudyResult) -> None:
    first, second = result.claims
    assert (first.verdict, first.measured, first.interval) == ("reproduced", 4, (4, 4))
    assert second.verdict == "not reproduced"
    assert second.finding == "Packets do arrive."
    assert result.verdicts() == {"reproduced": 1, "direction only": 0, "not reproduced": 1}


def test_alternatives_are_judged_too(result: StudyResult) -> None:
    equal, bits = result.assumptions[0].sensitivity
    assert equal.claims[0].measured == 1
    assert equal.changed == ("1",)
    assert bits.claims[0].measured != 4
    assert [claim.verdict for claim in result.claims] == ["reproduced", "not reproduced"]


def test_only_drawn_cases_keep_their_series(result: StudyResult) -> None:
    series = result.case("few").series
    assert series is not None
    assert len(series["time_s"]) == len(series["flows"]["tcp-1"]["cwnd_packets"]) > 1
    assert result.case("many").series is None


def test_quick_changes_what_it_says() -> None:
    plan = Plan(parse_study(STUDY, "test", "study.toml"), quick=True, sensitivity=True)
    assert plan.replications == 2
    assert plan.overrides(plan.runs[1]) == {"duration": "3 s", "flows.tcp.count": 8}


def test_runs_that_readings_share_are_made_once() -> None:
    # Three replications of: 2 flows, 8 flows, and 6 flows (both cases of the first alternative); the second
    # alternative only measures differently.
    plan = Plan(parse_study(STUDY, "test", "study.toml"), quick=False, sensitivity=True)
    assert len(plan.jobs) == 9
    assert len(Plan(parse_study(STUDY, "t", "study.toml"), quick=False, sensitivity=False).jobs) == 6


def test_alternatives_can_be_limited_to_cases() -> None:
    text = replaced(STUDY, ('"flows.tcp.count" = 6 } }', '"flows.tcp.count" = 6 }, cases = ["ma*"] }'))
    result = run(text)
    assert result.assumptions[0].sensitivity[0].claims[0].measured == 3


def test_the_seed_of_the_scenario_comes_first() -> None:
    text = replaced(STUDY, ('[scenario]\nduration = "5 s"', '[scenario]\nduration = "5 s"\nseed = 40'))
    assert run(text, quick=True).cases[0].seeds == (40, 41)


def test_same_seeds_same_numbers(result: StudyResult, tmp_path: Path) -> None:
    again = run(store=Store(tmp_path))
    assert [case.values for case in again.cases] == [case.values for case in result.cases]
    assert again.reused_runs == 0
    stored = run(store=Store(tmp_path))
    assert stored.reused_runs == stored.runs == 9
    assert [case.values for case in stored.cases] == [case.values for case in result.cases]
    assert stored.claims == result.claims


def test_metrics_over_time() -> None:
    text = replaced(
        STUDY, ('"sum(flows.goodput_bps) / 1e6"', "\"max(series('links.bottleneck.queue_packets'))\"")
    )
    assert 0 < (run(text, quick=True).case("many").values["goodput"].mean or 0) <= 20


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ([('duration = "5 s"', 'duration = "0 s"')], "study.toml:12:12:"),
        ([('flows.tcp.count" = 8', 'flows.tcp.cuont" = 8')], 'in case "many"'),
        ([('"flows.tcp.count" = 6', '"flows.tcp.count" = "six"')], 'in case "few", alternative "6 and 6"'),
    ],
)
def test_a_wrong_scenario_is_refused_before_anything_runs(
    changes: list[tuple[str, str]], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        run(replaced(STUDY, *changes))
    assert message in str(caught.value)


def test_a_metric_of_a_flow_that_does_not_exist() -> None:
    text = replaced(STUDY, ("sum(flows.goodput_bps) / 1e6", "flow('tcp-9').goodput_bps"))
    with pytest.raises(InputError, match='metric "goodput": there is no flow "tcp-9"; did you mean "tcp-2"'):
        run(text, quick=True)


def test_from_python(study_file: Path, tmp_path: Path) -> None:
    result = reproduce(str(study_file), quick=True, out=tmp_path)
    assert result.claims[0].verdict == "reproduced"
    with pytest.raises(InputError, match="one at a time"):
        reproduce("rbcc")
