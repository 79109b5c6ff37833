"""Running a study end to end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import STUDY, replaced

from ackclock import reproduce
from ackclock._jobs import Job
from ackclock._store import Store
from ackclock.errors import InputError, Interrupted
from ackclock.study import run as study_run
from ackclock.study.digest import digest, fields_of
from ackclock.study.fingerprint import of_judgement, of_simulation
from ackclock.study.interpretations import reverses
from ackclock.study.load import LoadedStudy, load_study, parse_study
from ackclock.study.model import Verdict
from ackclock.study.plan import Plan
from ackclock.study.printed_numbers import printed_numbers
from ackclock.study.records import Origin, is_stale, judged, read, record_of, recorded_verdicts
from ackclock.study.result import StudyResult
from ackclock.study.run import Work, make, run_studies, run_study
from ackclock.study.sentence import sentence
from ackclock.study.tally import by_thesis, kind_of


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
    assert result.case("few").values["goodput"].paper == 1.0


def test_metrics_are_measured(result: StudyResult) -> None:
    goodput = result.case("few").values["goodput"]
    assert len(goodput.samples) == 3
    # A link of 1 Mbit/s carries less than 1 Mbit/s of payload; after five seconds some of it waits for a repair.
    assert all(0.3 < sample < 1.0 for sample in goodput.samples)
    assert result.case("many").values["flows_seen"].interval == (8, 8)


def test_claims_are_judged(result: StudyResult) -> None:
    first, second = result.claims
    assert (first.verdict, first.measured, first.interval) == ("as printed", 4, (4, 4))
    assert second.verdict == "not as printed"
    assert second.finding == "Packets do arrive."
    assert result.verdicts() == {"as printed": 1, "not as printed": 1}


def test_a_finding_stands_under_the_verdict_that_it_explains() -> None:
    text = replaced(
        STUDY, ('text = "Packets do arrive."', 'text = "Packets do arrive."\nverdict = "not as printed"')
    )
    assert run(text).claims[1].finding == "Packets do arrive."
    text = replaced(
        STUDY, ('text = "Packets do arrive."', 'text = "Packets do arrive."\nverdict = "undecided"')
    )
    assert run(text).claims[1].finding is None


def test_a_question_of_our_own_is_answered_not_reproduced() -> None:
    text = replaced(STUDY, ('item = "Table 0.0"', 'item = "Table 0.0"\nasked_by = "us"'))
    result = run(text)
    assert [claim.verdict for claim in result.claims] == ["yes", "no"]
    assert [str(tally) for tally in by_thesis([result])] == ["Manoj Dahal (2007), new questions"]


LOST = ('item = "Table 0.0"', 'item = "Table 0.0"\nsetup_unknown = "The rates are lost."')
EXPLAINED = ('text = "Packets do arrive."', 'text = "Packets do arrive."\nverdict = "not as printed"')


def test_what_is_lost_of_the_set_up_stands_beside_the_result() -> None:
    result = run(replaced(STUDY, LOST, EXPLAINED))
    assert [(claim.verdict, claim.setup) for claim in result.claims] == [
        ("as printed", "The rates are lost."),
        ("not as printed", "The rates are lost."),
    ]
    assert result.claims[1].finding == "Packets do arrive."
    assert result.source.setup_unknown == "The rates are lost."
    whatever = ("paper = 4\n", 'paper = 4\nholds_whatever = "Flows are counted, whatever the rates."\n')
    first, second = run(replaced(STUDY, LOST, whatever)).claims
    assert (first.setup, second.setup) == ("", "The rates are lost.")


def test_a_part_of_the_set_up_can_be_lost_for_one_claim() -> None:
    lost = ("paper = 4\n", 'paper = 4\nsetup_unknown = "The order of ties is not given."\n')
    first, second = run(replaced(STUDY, lost)).claims
    assert (first.verdict, first.setup) == ("as printed", "The order of ties is not given.")
    assert second.setup == ""


def test_a_study_that_repeats_runs_repeats_what_is_lost_of_them() -> None:
    repeated = "apace-and-learning-tcp/figure-2.15"
    text = replaced(STUDY, ('item = "Table 0.0"', f'item = "Table 0.0"\nrepeats = "{repeated}"'))
    study = parse_study(text, "test", "study.toml").study
    assert study.source.setup_unknown == load_study(repeated).study.source.setup_unknown != ""


def test_what_is_not_a_test_is_shown_and_not_judged() -> None:
    why = ("paper = 4\n", 'paper = 4\nnot_a_test = "Flows are what the cases set."\n')
    elsewhere = ('expect = "< 0"', 'expect = "< 0"\nsame_as = "rbcc/table-4.1 1a"')
    result = run(replaced(STUDY, LOST, why, elsewhere))
    assert [(claim.verdict, claim.detail, claim.interpretations) for claim in result.claims] == [
        ("not a test", "Flows are what the cases set.", ()),
        ("not a test", "counted as claim 1a of rbcc/table-4.1", ()),
    ]
    assert result.claims[0].measured == 4
    untested = replaced(STUDY, ('expect = "< 0"', 'not_a_test = "Nothing is said about it."'))
    assert run(untested).claims[1].verdict == "not a test"


# As taken the first claim is as printed. With six flows each it is not; where bits are counted it is undecided.
FOR_IT = ('against = "The title.", ', 'evidence = "Section 1: six flows.", ')


def test_an_interpretation_with_evidence_reverses_a_result() -> None:
    first, second = run(replaced(STUDY, FOR_IT)).claims
    assert first.verdict == "as printed"
    assert [str(one) for one in first.reversed_by] == ["Number of flows: 6 and 6"]
    assert (
        first.interpretations_in_words
        == "1 of 1 reverses the result: Number of flows; 0 of 1 robustness checks would reverse the result"
    )
    assert second.verdict == "not as printed"
    assert second.reversed_by == []


def test_an_interpretation_without_evidence_reverses_nothing() -> None:
    first = run(replaced(STUDY, ('against = "The title.", ', ""))).claims[0]
    assert [one.differs for one in first.interpretations] == [True, False]
    assert first.reversed_by == []
    assert first.interpretations_in_words == "1 of 2 robustness checks would reverse the result"


def test_an_interpretation_that_the_thesis_rules_out_reverses_nothing_but_its_own_question() -> None:
    both = ('against = "The title.", ', 'evidence = "Section 1.", against = "The title.", ')
    first = run(replaced(STUDY, both)).claims[0]
    assert [(one.verdict, one.against) for one in first.interpretations] == [
        ("not as printed", "The title."),
        ("undecided", ""),
    ]
    assert first.reversed_by == []
    question = (both[0], both[1] + 'stands_for = ["1"], ')
    assert len(run(replaced(STUDY, question)).claims[0].reversed_by) == 1


def test_a_question_of_our_own_is_answered() -> None:
    ours = ('item = "Table 0.0"', 'item = "Table 0.0"\nasked_by = "us"')
    first = run(replaced(STUDY, FOR_IT, ours)).claims[0]
    assert (first.verdict, [one.verdict for one in first.interpretations]) == ("yes", ["no", "undecided"])


@pytest.mark.parametrize(
    ("taken", "other", "expected"),
    [
        ("as printed", "undecided", False),
        ("as printed", "cannot tell", False),
        ("as printed", "right order, other size", True),
        ("not as printed", "undecided", False),
        ("not as printed", "as printed", True),
        ("not as printed", "right order, other size", False),
        ("right order, other size", "not as printed", False),
        ("right order, other size", "as printed", True),
        ("undecided", "as printed", False),
        ("cannot tell", "as printed", False),
        ("yes", "no", True),
    ],
)
def test_what_reverses(taken: Verdict, other: Verdict, expected: bool) -> None:
    assert reverses(taken, other) == expected


def test_a_finding_computes_its_numbers() -> None:
    words = (
        "Of {= flows_seen('few') | .0f} flows, {= flows_seen('many') / flows_seen('few') | .2f} times as many; "
        "{= 1000 * flows_seen('many') | ,.0f}, {= -flows_seen('few')} and {= flows_seen('few') / 0}."
    )
    result = run(replaced(STUDY, ("Packets do arrive.", words)))
    said = "Of 2 flows, 4.00 times as many; 8,000, \N{MINUS SIGN}2.00 and (no number)."
    assert result.claims[1].finding == said
    assert result.findings[0].text == said


def test_a_finding_that_names_a_verdict_goes_before_one_that_does_not() -> None:
    text = STUDY + '[[findings]]\nclaim = "2"\ntext = "They do."\nverdict = "not as printed"\n'
    assert run(text).claims[1].finding == "They do."


def test_claims_about_baselines_alone_are_told_apart() -> None:
    assert all(claim.baselines for claim in run(STUDY, quick=True).claims)
    with_rbcc = replaced(
        STUDY, ('"flows.tcp.count" = 8 }', '"flows.tcp.count" = 8, "flows.tcp.control" = "rbcc" }')
    )
    # The first claim compares both cases, the second is about the one that stays NewReno.
    claims = run(with_rbcc, quick=True).claims
    assert [claim.baselines for claim in claims] == [False, "many" not in claims[1].expression]


def recorded(tmp_path: Path, text: str = STUDY) -> LoadedStudy:
    """A study called "small", with a record of a full run in ``tmp_path``."""
    loaded = parse_study(text, "small", "study.toml")
    work = Work(loaded, Plan(loaded, quick=False, sensitivity=True))
    work.plan.check()
    make([work])
    (tmp_path / "small.json").write_text(
        record_of(work, Origin("2026-11-28", "abc", "a processor", 2, "x")).to_json()
    )
    return loaded


def test_a_quick_result_stands_beside_the_recorded_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ackclock.study.records.records_dir", lambda: tmp_path)
    monkeypatch.setattr("ackclock.study.load.load_study", lambda _: loaded)
    loaded = recorded(tmp_path)
    quick = run_study(loaded, quick=True)
    assert [(claim.verdict, claim.recorded) for claim in quick.claims] == [
        ("as printed", "as printed"),
        ("not as printed", "not as printed"),
    ]
    other = parse_study(
        replaced(STUDY, ('"flows.tcp.count" = 8', '"flows.tcp.count" = 9')), "t", "t.toml"
    ).study
    for name, study in (("small", other), ("nowhere", loaded.study), ("small.toml", loaded.study)):
        assert recorded_verdicts(name, study) == {}


def test_a_quick_run_computes_the_numbers_of_findings_from_the_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ackclock.study.records.records_dir", lambda: tmp_path)
    monkeypatch.setattr("ackclock.study.load.load_study", lambda _: loaded)
    loaded = recorded(tmp_path, replaced(STUDY, ("Packets do arrive.", "{= goodput('few') | .6f}")))
    full = run_study(loaded)
    assert run_study(loaded, quick=True).claims[1].finding == f"{full.case('few').values['goodput'].mean:.6f}"


def test_a_record_is_judged_as_its_run_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ackclock.study.records.records_dir", lambda: tmp_path)
    loaded = recorded(tmp_path)
    record = read("small")
    assert record is not None
    again, full = judged(record, loaded), run_study(loaded)
    for mine, theirs in zip(again.claims, full.claims, strict=True):
        assert (mine.verdict, mine.setup, mine.interpretations) == (
            theirs.verdict,
            theirs.setup,
            theirs.interpretations,
        )
        assert mine.measured == pytest.approx(theirs.measured, rel=1e-5)
    # Another tolerance is judged from the same samples; another scenario needs other samples.
    narrow = parse_study(replaced(STUDY, ("paper = 4", "paper = 5")), "small", "study.toml")
    assert judged(record, narrow).claims[0].verdict == "right order, other size"
    wide = parse_study(replaced(STUDY, ('duration = "5 s"', 'duration = "6 s"')), "small", "study.toml")
    with pytest.raises(InputError, match="have changed since the study was recorded"):
        judged(record, wide)
    assert not is_stale(record, narrow.study)
    assert is_stale(record, wide.study)


def test_a_digest_is_over_the_fields_that_a_record_knows() -> None:
    result = {"fairness": 1.0, "duration_s": 5.0, "flows": [{"name": "a", "goodput_bps": 1.0}], "links": []}
    before, known = digest(result), fields_of(result)
    more = {**result, "flows": [{"name": "a", "goodput_bps": 1.0, "new": 2.0}]}
    assert digest(more) != before
    assert digest(more, known) == before
    moved = {**result, "flows": [{"name": "a", "goodput_bps": 1.1, "new": 2.0}]}
    assert digest(moved, known) != before


def test_an_interruption_loses_only_studies_that_lack_simulations(monkeypatch: pytest.MonkeyPatch) -> None:
    # The study without other interpretations is complete after the first batch, in which the other one has its own.
    plain = parse_study(STUDY[: STUDY.index("[[assumptions]]")], "rbcc/plain", "study.toml")
    batches, done = list[int](), list[str]()

    def run_jobs(jobs: Sequence[Job], *given: Any, **named: Any) -> Any:
        if batches:
            raise Interrupted(0, len(jobs), None)
        batches.append(len(jobs))
        return jobs_run(jobs, *given, **named)

    jobs_run = study_run.run_jobs
    monkeypatch.setattr(study_run, "run_jobs", run_jobs)
    with pytest.raises(Interrupted):
        run_studies(
            [parse_study(STUDY, "rbcc/small", "study.toml"), plain],
            on_done=lambda work: done.append(work.loaded.name),
        )
    assert done == ["rbcc/plain"]


def test_alternatives_are_judged_too(result: StudyResult) -> None:
    equal, bits = result.assumptions[0].sensitivity
    assert equal.claims[0].measured == 1
    assert equal.changed == ("1",)
    assert bits.claims[0].measured != 4
    assert [claim.verdict for claim in result.claims] == ["as printed", "not as printed"]


def test_only_drawn_cases_keep_their_series(result: StudyResult) -> None:
    series = result.case("few").series
    assert series is not None
    assert series.owners("flows") == ["tcp-1"]
    assert series.quantities("flows", "tcp-1") == ["cwnd_packets"]
    assert series.time_s.size == series.values("flows", "tcp-1", "cwnd_packets").size > 1
    assert result.case("many").series is None


CASE_OF_ITS_OWN = """overrides = { "flows.tcp.count" = 8, duration = "40 s" }
quick = { duration = "24 s" }"""
"""Eight times as long as the other case, in full and in quick runs."""


def test_quick_changes_what_it_says() -> None:
    plan = Plan(parse_study(STUDY, "test", "study.toml"), quick=True, sensitivity=True)
    assert plan.looks.seeds == (2,)
    assert plan.overrides(plan.runs[1]) == {"duration": "3 s", "flows.tcp.count": 8}


def test_a_case_has_quick_values_of_its_own() -> None:
    text = replaced(STUDY, ('overrides = { "flows.tcp.count" = 8 }', CASE_OF_ITS_OWN))
    study = parse_study(text, "test", "study.toml")
    plans = [Plan(study, quick=quick, sensitivity=True) for quick in (False, True)]
    assert [plan.overrides(plan.runs[1])["duration"] for plan in plans] == ["40 s", "24 s"]


def test_a_quick_run_makes_other_interpretations_twice_at_most() -> None:
    # Four quick seeds of 2 flows and of 8, and two of 6, which the first alternative has in both cases. The second
    # alternative only measures differently, and is judged by two of the four.
    text = replaced(STUDY, ("quick = { replications = 2", "quick = { replications = 4"))
    assert run(text, quick=True).runs == 10
    equal, bits = run(text, quick=True).assumptions[0].sensitivity
    assert [len(reading.claims[0].samples) for reading in (equal, bits)] == [2, 2]


def test_runs_that_interpretations_share_are_made_once() -> None:
    # Three seeds of 2 flows and of 8, and two of 6 flows (both cases of the first interpretation, which reverses
    # nothing); the second interpretation only measures differently.
    assert run().runs == 8
    loaded = parse_study(STUDY, "t", "study.toml")
    assert run_study(loaded, sensitivity=False).runs == 6


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
    assert stored.reused_runs == stored.runs == 8
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
        ([('"flows.tcp.count" = 6', '"flows.tcp.count" = "six"')], 'in case "few", interpretation "6 and 6"'),
    ],
)
def test_a_wrong_scenario_is_refused_before_anything_runs(
    changes: list[tuple[str, str]], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        run(replaced(STUDY, *changes))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("series", "message"),
    [
        (
            '"flows.tcp-1.cwnd_packet"',
            'LINE:10: figure "cwnd": series: found "flows.tcp-1.cwnd_packet", but "tcp-1" has no series "cwnd_packet"',
        ),
        (
            '["flows.tcp-*.cwnd_packets", "links.bottleneck.queue"]',
            'LINE:39: figure "cwnd": series: found "lin',
        ),
        (
            '"flows.udp-*.cwnd_packets"',
            'LINE:10: figure "cwnd": series: found "flows.udp-*.cwnd_packets", but there is no',
        ),
        ('"flows.tcp-1.rtt_threshold_s"', 'but "tcp-1" has no series "rtt_threshold_s"'),
    ],
)
def test_a_figure_over_what_nobody_publishes_is_found_before_anything_runs(series: str, message: str) -> None:
    text = replaced(STUDY, ('series = "flows.tcp-1.cwnd_packets"', f"series = {series}"))
    line = str(text[: text.index("series = ")].count("\n") + 1)
    with pytest.raises(InputError) as caught:
        Plan(parse_study(text, "test", "study.toml"), quick=False, sensitivity=True).check()
    assert message.replace("LINE", f"study.toml:{line}") in str(caught.value)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("flow('tcp-9').goodput_bps", 'there is no flow "tcp-9"; did you mean "tcp-2"?'),
        ("mean(flows('tpc').goodput_bps)", 'there is no group "tpc"; did you mean "tcp"?'),
        ("link('bottlenek').utilisation", 'there is no link "bottlenek"; did you mean "bottleneck"?'),
        (
            "max(series('links.bottlenek.queue_packets'))",
            'there is no series of link "bottlenek"; did you mean "bottleneck"?',
        ),
        (
            "max(series('links.bottleneck.queue_packets', 7, 9))",
            "there is no sample from 7 s on: the run ends at 5 s",
        ),
        ("max(series('flows.tcp-1.cwnd'))", 'tcp-1 has no series "cwnd"; did you mean "cwnd_packets"?'),
    ],
)
def test_a_metric_of_what_no_run_has_is_found_before_anything_runs(expression: str, message: str) -> None:
    text = replaced(STUDY, ('"sum(flows.goodput_bps) / 1e6"', f'"{expression}"'))
    line = text[: text.index(expression)].count("\n") + 1
    with pytest.raises(InputError) as caught:
        Plan(parse_study(text, "test", "study.toml"), quick=False, sensitivity=True).check()
    assert f'study.toml:{line}:8: metric "goodput": expr: {message}' in str(caught.value)
    assert 'in case "few"' in str(caught.value)


def test_so_is_one_of_another_reading() -> None:
    other = "metrics = { goodput = \"flow('tcp-9').goodput_bps / 1e6\" }"
    text = replaced(STUDY, ('overrides = { "flows.tcp.count" = 6 }', other))
    with pytest.raises(InputError) as caught:
        Plan(parse_study(text, "test", "study.toml"), quick=False, sensitivity=True).check()
    assert 'interpretation "6 and 6", metric "goodput": there is no flow "tcp-9"' in str(caught.value)
    # Eight flows have it not either; without other readings no metric asks for it.
    Plan(parse_study(text, "test", "study.toml"), quick=False, sensitivity=False).check()


def test_from_python(study_file: Path, tmp_path: Path) -> None:
    result = reproduce(str(study_file), quick=True, out=tmp_path)
    assert result.claims[0].verdict == "as printed"
    with pytest.raises(InputError, match="one at a time"):
        reproduce("rbcc")


def test_alternatives_can_change_cases_in_different_ways() -> None:
    changes = '[{ overrides = { "flows.tcp.count" = 6 } }, { cases = ["ma*"], overrides = { "flows.tcp.count" = 9 } }]'
    text = replaced(STUDY, ('overrides = { "flows.tcp.count" = 6 }', f"changes = {changes}"))
    assert run(text, quick=True).assumptions[0].sensitivity[0].claims[0].measured == 1.5


def test_what_another_reading_leaves_undecided_is_told() -> None:
    # Eight replications show that two flows get more than half of the link; of six and six a quick run makes two.
    text = replaced(
        STUDY,
        ('quick = { replications = 2, overrides = { "duration" = "3 s" } }', "quick = { replications = 8 }"),
        ('expect = "< 0"', 'expect = "> 0.5"'),
    )
    result = run(text, quick=True)
    assert [claim.verdict for claim in result.claims] == ["as printed", "as printed"]
    first, second = result.assumptions[0].sensitivity
    assert (first.changed, first.undecided, first.replications) == (("1",), ("2",), 2)
    assert (second.changed, second.undecided, second.replications) == ((), ("1",), 8)


def test_a_reading_that_does_not_touch_a_claim_leaves_it_as_it_is() -> None:
    # As above, but six flows are in place of the eight alone: what two flows get stays decided by eight replications.
    text = replaced(
        STUDY,
        ('quick = { replications = 2, overrides = { "duration" = "3 s" } }', "quick = { replications = 8 }"),
        ('expect = "< 0"', 'expect = "> 0.5"'),
        (
            'overrides = { "flows.tcp.count" = 6 } }',
            'cases = ["many"], overrides = { "flows.tcp.count" = 6 } }',
        ),
    )
    first, _ = run(text, quick=True).assumptions[0].sensitivity
    assert (first.changed, first.undecided, first.replications) == (("1",), (), 2)


def test_claims_say_what_they_accept(result: StudyResult) -> None:
    first, second = result.claims
    assert (first.tolerance, first.accepted) == (0.001, (3.999, 4.001))
    assert (second.tolerance, second.accepted) == (None, (None, 0))


class TestTogether:
    """Several studies in one pool."""

    def studies(self) -> list[LoadedStudy]:
        more = (
            '[[cases]]\nname = "more"\noverrides = { "flows.tcp.count" = 9 }\n\n[[metrics]]\nid = "goodput"'
        )
        other = replaced(
            STUDY,
            ("Few flows and many", "Another title"),
            ('[[metrics]]\nid = "goodput"', more),
            ("measured = \"goodput('few')\"", "measured = \"goodput('more')\""),
        )
        return [parse_study(STUDY, "one", "one.toml"), parse_study(other, "two", "two.toml")]

    def test_what_they_share_is_made_once(self, tmp_path: Path) -> None:
        steps: list[tuple[int, int, float]] = []
        one, two = run_studies(
            self.studies(), store=Store(tmp_path), progress=lambda *step: steps.append(step)
        )
        # 8 runs of the first study are among the 11 of the second.
        assert (one.runs, two.runs) == (8, 11)
        assert steps[-1] == (11, 11, 1.0)
        assert len(list(tmp_path.rglob("*.run.zip"))) == 11
        assert one.reused_runs == two.reused_runs == 0
        assert one.cpu_time_s is not None
        assert two.cpu_time_s is not None
        assert min(one.cpu_time_s, two.cpu_time_s) > 0

    def test_each_finds_what_it_finds_alone(self) -> None:
        for together, loaded in zip(run_studies(self.studies()), self.studies(), strict=True):
            alone = run_study(loaded)
            assert together.claims == alone.claims
            assert together.assumptions == alone.assumptions
            assert [case.values for case in together.cases] == [case.values for case in alone.cases]
            assert together.fingerprint == alone.fingerprint

    def test_a_precision_beside_a_fixed_number(self, tmp_path: Path) -> None:
        precision = 'precision = { within = "0.0001 %", metrics = ["goodput"], replications_most = 7 }'
        text = replaced(STUDY, ("replications = 3\n", f"replications = 3\n{precision}\n"))
        steps: list[tuple[int, int, float]] = []
        precise, fixed = run_studies(
            [parse_study(text, "one", "one.toml"), self.studies()[1]],
            store=Store(tmp_path),
            progress=lambda *step: steps.append(step),
        )
        assert (precise.replications, fixed.replications) == (7, 3)
        assert precise.claims == run(text).claims
        # What the first has made for its precision serves the second, and is not from an earlier run.
        assert precise.reused_runs == fixed.reused_runs == 0
        shares = [share for _, _, share in steps]
        assert shares[-1] == 1
        assert all(0 <= share <= 1 for share in shares)

    def test_from_disk_the_processor_time_is_not_known(self, tmp_path: Path) -> None:
        run(store=Store(tmp_path))
        again = run(store=Store(tmp_path))
        assert (again.reused_runs, again.cpu_time_s) == (8, None)


@pytest.mark.parametrize(
    ("change", "samples_stay", "results_stay"),
    [
        (("No packet arrives", "Nothing arrives"), True, True),
        (("Packets do arrive.", "They do."), True, True),
        (("replications = 3", "replications = 4"), True, False),
        (('expect = "< 0"', 'expect = "< 1"'), True, False),
        (('against = "The title."', 'against = "The summary."'), True, False),
        (('"flows.tcp.count" = 8', '"flows.tcp.count" = 9'), False, True),
        (("sum(flows.goodput_bps) / 1e6", "sum(flows.goodput_bps) / 1e3"), False, True),
        (('"flows.tcp.count" = 6', '"flows.tcp.count" = 5'), False, True),
        (('what = "Number of flows"', 'what = "How many flows"'), False, True),
    ],
)
def test_fingerprints_are_of_what_samples_and_results_depend_on(
    change: tuple[str, str], samples_stay: bool, results_stay: bool
) -> None:
    before, after = (parse_study(text, "t", "t.toml").study for text in (STUDY, replaced(STUDY, change)))
    assert (of_simulation(after) == of_simulation(before)) == samples_stay
    assert (of_judgement(after) == of_judgement(before)) == results_stay


def test_a_question_added_to_a_publication_counts_as_ours() -> None:
    added = replaced(STUDY, ('text = "No packet arrives"\n', 'text = "No packet arrives"\nasked_by = "us"\n'))
    loaded = parse_study(added, "test", "study.toml")
    result = run_study(loaded, quick=True)
    assert [(claim.verdict, kind_of(claim)) for claim in result.claims] == [
        ("as printed", "baselines"),
        ("no", "ours"),
    ]
    assert "the question is answered no" in sentence(result)
    published = parse_study(STUDY, "test", "study.toml").study
    assert of_judgement(loaded.study) != of_judgement(published)
    assert of_simulation(loaded.study) == of_simulation(published)


def test_a_predicted_number_is_not_a_printed_one() -> None:
    # The question stands in a study of a publication whose own claims have the numbers of its metrics.
    question = (
        '[[claims]]\nid = "own"\ntext = "The goodput of two flows"\nasked_by = "us"\n'
        'measured = "goodput(\'few\')"\npaper = 3.25\nalternative = 9\ntolerance = "1 %"\n'
    )
    before, after = (run(text, quick=True) for text in (STUDY, f"{STUDY}\n{question}"))
    own = next(claim for claim in after.claims if claim.id == "own")
    assert own.ours
    assert "the predicted 3.25" in own.detail
    assert own.number_word == "predicted"
    assert printed_numbers(after) == printed_numbers(before)
    assert printed_numbers(
        replace(after, claims=(*before.claims, replace(own, ours=False)))
    ) != printed_numbers(before)


def test_a_metric_may_name_a_flow_that_only_some_cases_have() -> None:
    some = replaced(
        STUDY,
        (
            'expr = "count(flows.goodput_bps)"',
            """expr = "max(series('flows.tcp-5.cwnd_packets'))"\ncases = ["many"]""",
        ),
        ("flows_seen('many') / flows_seen('few')", "flows_seen('many') / goodput('few')"),
        ("direction = \"flows_seen('few') < flows_seen('many')\"\n", ""),
    )
    few, many = (case.values["flows_seen"].mean for case in run(some, quick=True).cases)
    assert few is None
    assert many is not None
    assert many > 0
    with pytest.raises(InputError, match='not measured in case "few", which its `cases` leave out'):
        run(some.replace("flows_seen('many') / goodput", "flows_seen('few') / goodput"))
    for_all = parse_study(some.replace('cases = ["many"]\n', ""), "test", "study.toml")
    with pytest.raises(InputError, match='in case "few"'):
        Plan(for_all, quick=True, sensitivity=False).check()
    parts = [parse_study(text, "test", "study.toml").study for text in (some, STUDY)]
    assert of_simulation(parts[0]) != of_simulation(parts[1])
