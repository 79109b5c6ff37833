"""The command ``ackclock evaluate``: its files, its runs, what it prints and writes."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from conftest import EVALUATED, Command

import ackclock
from ackclock.cli.evaluate import file_stem, stem_of
from ackclock.errors import InputError
from ackclock.evaluation import contenders, files, rfc, run, sets
from ackclock.evaluation.document import as_document
from ackclock.evaluation.language import Grid, Quick, buffer_order
from ackclock.evaluation.result import read_answers
from ackclock.evaluation.words import EXEMPT, NOT_EVALUATED
from ackclock.report.evaluation import write_evaluation
from ackclock.schemas.evaluate import EvaluateDocument


@pytest.mark.parametrize(
    ("find", "replace", "message"),
    [
        ('better = "less"', "", 'metric "delay": `better` is missing'),
        (
            'id = "delay"',
            'id = "Delay"',
            "a metric id is used as a function name: use only lower-case letters, digits and _",
        ),
        ('metric = "delay"', 'metric = "dealy"', 'criteria[1]: there is no metric "dealy"'),
        (", high = 1.05", "", "expected `low`, `high` or both, found neither"),
        ('limit = { measure = "ratio", high = 1.05 }', 'limit = "dely"', 'there is no limit "dely"'),
        ('quick = ["10 packets"]\n', "", "expected at least one point for quick evaluations"),
        ('family = "N-02"', 'family = "N-77"', 'there is no criterion "N-77"'),
        ("wait_p95_s'", "wait_p95_s +'", 'metric "delay"'),
    ],
)
def test_a_wrong_file_is_refused_with_its_reason(
    tmp_path: Path, find: str, replace: str, message: str
) -> None:
    file = tmp_path / "small.toml"
    file.write_text(EVALUATED.replace(find, replace))
    with pytest.raises(InputError) as caught:
        files.load(str(file))
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(file))


def test_a_control_in_python_is_found_in_its_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("import ackclock\n")
    with pytest.raises(InputError, match=r"expected one subclass of ackclock.Control, found none"):
        contenders.contender(str(file))
    file.write_text("import ackclock\nraise ValueError('no')\n")
    with pytest.raises(InputError, match="ValueError: no"):
        contenders.contender(str(file))
    offenders = Path(__file__).with_name("offenders.py")
    with pytest.raises(InputError, match='there is no control "Rebo"; did you mean "Reno"'):
        contenders.contender(f"{offenders}:Rebo")
    assert contenders.contender(f"{offenders}:Reno").name == "Reno"
    with pytest.raises(InputError, match='there is no control "cubik"; did you mean "cubic"'):
        contenders.contender("cubik")


def test_the_list_names_every_criterion_and_scenario(ackclock: Command) -> None:
    out = ackclock("evaluate", "list").out
    for family in rfc.FAMILIES:
        assert f"{family.section:<7}{family.title}" in out
    for name in [*files.names(), *files.names_of_sets()]:
        assert name in out
    for one in sets.SETS:
        assert f"{one.title}  --set {one.id}" in out


def test_a_scenario_is_shown_with_its_conditions_and_settings(ackclock: Command) -> None:
    out = ackclock("evaluate", "list", "N-03").out
    assert "condition  Packets dropped: at most 5 %, or similar to the reference" in out
    assert "quick      flows 2, buffer 0.5 bdp" in out
    assert "full only  flows 50, buffer 2 bdp" in out


def test_a_record_and_a_named_verdict_decide_the_exit_code(ackclock: Command, tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(EVALUATED)
    asked = ("evaluate", "sack", "--only", "small.toml", "--seeds", "2")
    done = ackclock(*asked, "--json")
    (tmp_path / "record.json").write_text(done.out)
    (family,) = [one for one in json.loads(done.out)["criteria"] if one["scenarios"]]
    again = ackclock(*asked, "--compare", "record.json")
    assert (again.code, again.err) == (0, "")
    # Of each metric that has a better side, and of each condition.
    better = sum(one["better"] != "neither" for one in family["scenarios"][0]["metrics"])
    count = better + len(family["scenarios"][0]["findings"])
    assert f"no worse than the record ({count} of {count} possible comparisons made)" in again.out
    printed = ackclock(*asked, "--compare", "record.json", "--json")
    comparison = json.loads(printed.out)["comparison"]
    assert comparison == {"record": "record.json", "worse": [], "compared": count, "recorded": count}
    EvaluateDocument.model_validate_json(printed.out)

    # A verdict decides the exit code only where it is named.
    verdict = family["verdict"]
    gated = ackclock(*asked, "--fail-on", verdict)
    assert gated.code == 1
    assert f'has the verdict "{verdict}": ' in gated.err
    assert "--fail-on matches 1 of 1 verdicts" in gated.err
    misnamed = ackclock("evaluate", "sack", "--only", "small.toml", "--fail-on", "CONCERNS")
    assert misnamed.code == 2
    assert 'found "CONCERNS", expected one of the verdicts ' in misnamed.err
    assert 'did you mean "CONCERN"?' in misnamed.err

    # A record of other scenarios is refused before anything runs.
    (tmp_path / "foreign.toml").write_text(EVALUATED)
    foreign = ackclock(
        *("evaluate", "sack", "--only", "foreign.toml", "--seeds", "2"), "--compare", "record.json"
    )
    assert foreign.code == 2
    assert "none of the scenarios foreign, expected at least one of those in the record: small" in foreign.err


def test_a_file_of_ones_own_is_evaluated_and_recorded(ackclock: Command, tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(EVALUATED)
    done = ackclock("evaluate", "sack", "--only", "small.toml", "--seeds", "2", "--json")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    EvaluateDocument.model_validate(document)
    assert document["control"] == "sack"
    (family,) = [one for one in document["criteria"] if one["scenarios"]]
    assert (family["id"], family["section"]) == ("N-02", "5.1.2")
    (setting,) = family["scenarios"][0]["settings"]
    assert len(setting["tested"]["delay"]) == 2

    (tmp_path / "record.json").write_text(done.out)
    again = ackclock("evaluate", "sack", "--only", "small.toml", "--seeds", "2", "--compare", "record.json")
    assert again.code == 0
    # What else differs is told, or refused before anything runs.
    asked = ("evaluate", "sack", "--only", "small.toml", "--seeds", "2", "--compare", "record.json")
    other = {**document, "versions": {**document["versions"], "core": "0.1.0+abc"}}
    (tmp_path / "record.json").write_text(json.dumps(other))
    told = ackclock(*asked, "--transport", "quic").err
    assert "made over the transport of each scenario, but this evaluation runs over quic" in told
    assert "another build of ackclock, 0.1.0+abc, whose results can differ" in told
    refused = ackclock(*asked, "--against", "cubic")
    assert refused.code == 2
    assert "evaluate with --against 'cubic,sack'" in refused.err
    (tmp_path / "limits.toml").write_text('ignore = ["smal"]\n')
    misspelt = ackclock(*asked, "--thresholds", "limits.toml")
    assert misspelt.code == 2
    assert 'limits.toml:1:11: ignore: "smal": no scenario or metric matches this name' in misspelt.err

    # A control that fills the queue more is worse in that, whatever the criterion says of it.
    setting["tested"]["delay"] = [1.0, 1.001]
    (tmp_path / "record.json").write_text(json.dumps(document))
    worse = ackclock("evaluate", "sack", "--only", "small.toml", "--seeds", "2", "--compare", "record.json")
    assert worse.code == 1
    assert "small.delay (buffer 10 packets): 1" in worse.out
    (tmp_path / "limits.toml").write_text('ignore = ["small"]\n')
    ignored = ackclock(
        "evaluate",
        "sack",
        "--only",
        "small.toml",
        "--seeds",
        "2",
        "--compare",
        "record.json",
        "--thresholds",
        "limits.toml",
    )
    assert ignored.code == 0


def test_two_controls_stand_side_by_side(ackclock: Command, tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(EVALUATED)
    asked = ("evaluate", "bbrv1", "--beside", "sack", "--only", "small.toml", "--seeds", "2")
    done = ackclock(*asked, "--html")
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0] == "bbrv1 and sack: evaluation by RFC 9743, quick, seeds 1 to 2"
    assert lines[3].split() == ["section", "the", "RFC", "says", "bbrv1", "sack", "criterion"]
    alone = {}
    for name in ("bbrv1", "sack"):
        alone[name] = json.loads(
            ackclock("evaluate", name, "--only", "small.toml", "--seeds", "2", "--json").out
        )
    stem = Path("ackclock-results/evaluate-bbrv1-beside-sack-only-small-seeds-2")
    document = json.loads(stem.with_suffix(".json").read_text(encoding="utf-8"))
    EvaluateDocument.model_validate(document)
    # Each has the verdicts, the findings and the samples that it has alone.
    for name, one in (("bbrv1", document), ("sack", document["beside"])):
        assert (one["control"], one["criteria"]) == (name, alone[name]["criteria"])
    page = stem.with_suffix(".html").read_text(encoding="utf-8")
    assert "bbrv1 and sack: are they safe to deploy?" in page
    # The setting and the scale have one place each; the setting has a bar for each control, on one scale.
    assert page.count('class="setting"') == 2
    for name in ("bbrv1", "sack"):
        (setting,) = alone[name]["criteria"][1]["scenarios"][0]["settings"]
        mean = sum(setting["tested"]["delay"]) / 2
        assert f"buffer 10 packets: {name} {mean:.3g}, cubic" in page
    assert "ackclock evaluate bbrv1 --beside sack --quick --only small.toml --seeds 2" in page


def test_two_files_with_a_class_of_one_name_stand_side_by_side(ackclock: Command, tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(EVALUATED)
    (tmp_path / "old").mkdir()
    text = "from ackclock.controls import NewReno\n\n\nclass Mine(NewReno):\n    pass\n"
    for name in ("mine.py", "old/mine.py"):
        (tmp_path / name).write_text(text)
    small = ("--only", "small.toml", "--seeds", "2")
    done = ackclock("evaluate", "mine.py", "--beside", "old/mine.py", *small)
    assert done.code == 0, done.err
    assert done.out.startswith("mine.py and old/mine.py: evaluation by RFC 9743")
    again = ackclock("evaluate", "mine.py", "--beside", "./mine.py:Mine", *small)
    assert again.code == 2
    assert "found Mine, the tested control itself, expected another control" in again.err


def test_a_reference_may_be_a_table_with_commas(ackclock: Command, tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(EVALUATED)
    against = '{ name = "cubic", beta = 0.8 }, sack'
    done = ackclock("evaluate", "bbrv1", "--only", "small.toml", "--seeds", "2", "--against", against)
    assert done.code == 0, done.err
    assert 'compared with runs in which { name = "cubic", beta = 0.8 } or sack replaces' in done.out


def test_a_scenario_of_a_set_is_named_alone(ackclock: Command, tmp_path: Path) -> None:
    assert files.find(["flent-rrul"]) == ["flent-rrul"]
    assert "flent-rrul-be" in files.find(["flent"])
    assert files.find(["N-15"]) == ["N-15", "N-15-collapse"]
    assert ackclock("evaluate", "copy", "flent-rrul", "rrul.toml").code == 0
    assert (tmp_path / "rrul.toml").read_text(encoding="utf-8") == files.load("flent-rrul").text


def test_a_part_does_not_replace_the_files_of_the_whole() -> None:
    def stem(
        *controls: str,
        against: str = "cubic,sack",
        full: bool = False,
        only: tuple[str, ...] = (),
        sets: tuple[str, ...] = (),
        transport: str | None = None,
        seeds: int | None = None,
        most_packets: int | None = None,
    ) -> str:
        return file_stem(
            controls,
            against=against,
            full=full,
            only=only,
            sets=sets,
            transport=transport,
            seeds=seeds,
            most_packets=most_packets,
        )

    assert stem("bbrv3") == "evaluate-bbrv3"
    assert stem("bbrv3", "cc/mine.py", full=True) == "evaluate-bbrv3-beside-mine-full"
    assert stem("noq:bbr3", only=("5.1.3", "own/N-02.toml")) == "evaluate-noq-bbr3-only-5-1-3-N-02"
    assert stem("bbrv3", only=("N-17",), sets=("flent",)) == "evaluate-bbrv3-only-N-17-set-flent"
    assert stem("bbrv3", only=("N-17",), seeds=2) == "evaluate-bbrv3-only-N-17-seeds-2"
    assert stem("bbrv3", most_packets=9000) == "evaluate-bbrv3-most-packets-9000"
    assert stem("bbrv3", against="cubic") == "evaluate-bbrv3-against-cubic"
    assert (
        stem("prague", transport="{ name = 'rfc', ecn = true }") == "evaluate-prague-over-name-rfc-ecn-true"
    )
    # A name of more than 255 bytes is no file's.
    assert stem("bbrv3", only=tuple(f"N-{number}" for number in range(10, 99))).endswith(
        "-N-16-N-17-and-81-more"
    )


def of_two_rates() -> files.Loaded:
    """The small scenario at 10 and at 5 Mbit/s: in 6 s, links could carry 5,000 and 2,500 packets of 1500 bytes."""
    text = EVALUATED.replace(
        'values = ["10 packets", "40 packets"]\nquick = ["10 packets"]',
        'values = ["10 Mbit/s", "5 Mbit/s"]\nquick = ["10 Mbit/s", "5 Mbit/s"]',
    ).replace("dumbbell.bottleneck.queue.limit", "dumbbell.bottleneck.rate")
    return files.parse(text, "small")


def test_settings_whose_links_carry_much_are_left_out_and_counted() -> None:
    loaded = of_two_rates()

    def planned(most_packets: int | None) -> run.Plan:
        tested, references = contenders.contender("sack"), [contenders.contender("cubic")]
        return run.Plan(tested, references, [loaded], quick=True, seeds=2, most_packets=most_packets)

    assert planned(5000).too_large == {}
    plan = planned(4999)
    assert sorted(one.packets for one in plan.runs) == [2500] * 4
    found = run.evaluate(plan).family("N-02")
    (result,) = found.scenarios
    assert [one.name for one in result.samples.settings] == ["buffer 5 Mbit/s"]
    assert "in 1 of 2 settings" in found.sentence
    assert found.lacks == [
        "small: 1 setting is left out, because its links could carry more than 4,999 packets in a run."
    ]
    # What is left has the numbers that it has in the whole.
    document, whole = (as_document(run.evaluate(one), "") for one in (plan, planned(None)))
    EvaluateDocument.model_validate(document)
    assert document["most_packets"] == 4999
    of, of_whole = (
        {one["id"]: one["scenarios"] for one in made["criteria"]}["N-02"][0]["settings"]
        for made in (document, whole)
    )
    assert of == of_whole[1:]

    none = run.evaluate(planned(2499)).family("N-02")
    assert none.verdict == NOT_EVALUATED
    assert none.sentence == "Left out, because its links could carry more than 2,499 packets in a run."


def test_one_contender_with_a_larger_run_leaves_out_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    # The control under test in both settings, then the reference in both, of which the second is larger.
    monkeypatch.setattr(run, "_packets", lambda *_: [10.0, 10.0, 10.0, 11.0])
    plan = run.Plan(
        contenders.contender("sack"),
        [contenders.contender("cubic")],
        [of_two_rates()],
        quick=True,
        seeds=1,
        most_packets=10,
    )
    assert [one.name for one in plan.settings[0]] == ["buffer 10 Mbit/s"]


def test_the_limit_of_packets_is_in_all_that_is_said(ackclock: Command, tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(of_two_rates().text)
    asked = ("evaluate", "sack", "--only", "small.toml", "--seeds", "2", "--most-packets", "4999")
    done = ackclock(*asked, "--html")
    assert "1 setting is left out, because its links could carry more than 4,999 packets in a run" in done.err
    assert "sack: evaluation by RFC 9743, quick, up to 4,999 packets a run, seeds 1 to 2" in done.out
    stem = Path("ackclock-results/evaluate-sack-only-small-seeds-2-most-packets-4999")
    page = stem.with_suffix(".html").read_text(encoding="utf-8")
    assert "Settings whose links could carry more than 4,999 packets in a run are left out." in page
    text = stem.with_suffix(".json").read_text(encoding="utf-8")
    assert json.loads(text)["command"].endswith("--most-packets 4999")
    # A record of a part is compared with that part only.
    (tmp_path / "record.json").write_text(text)
    assert ackclock(*asked, "--compare", "record.json").code == 0
    refused = ackclock(*asked[:-2], "--compare", "record.json")
    assert refused.code == 2
    assert "evaluate with --most-packets 4999" in refused.err


def test_two_scenarios_of_one_name_are_refused(ackclock: Command, tmp_path: Path) -> None:
    (tmp_path / "N-02.toml").write_text(EVALUATED)
    refused = ackclock("evaluate", "sack", "--only", "N-02", "--only", "N-02.toml", "--plan")
    assert refused.code == 2
    assert "N-02: two scenarios have this name" in refused.err


def test_finished_runs_are_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = files.parse(EVALUATED, "small")
    plan = run.Plan(
        contenders.contender("sack"), [contenders.contender("cubic")], [loaded], quick=True, seeds=2
    )
    store = run.Store(tmp_path)
    first = run.evaluate(plan, store=store)

    def refuse(*_: object) -> None:
        raise AssertionError("a run was made again")

    monkeypatch.setattr("ackclock._typed_core.Batch", refuse)
    assert run.evaluate(plan, store=store).family("N-02").sentence == first.family("N-02").sentence


def test_a_setting_is_copied_as_a_scenario_that_runs_alike(ackclock: Command, tmp_path: Path) -> None:
    done = ackclock("evaluate", "copy", "N-17/flows 5, loss 0.05", "slow.toml", "--control", "bbrv1")
    assert done.code == 0, done.err
    copied = _scenario(tmp_path / "slow.toml").run(seed=1, series=False)
    loaded = files.load("N-17")
    plan = run.Plan(
        contenders.contender("bbrv1"), [contenders.contender("cubic")], [loaded], quick=True, seeds=1
    )
    (wanted,) = [
        one for one in plan.runs if ("tested", 3) in [(use.contender, use.setting) for use in one.uses]
    ]
    direct = ackclock_run(wanted)
    assert [flow["sent_packets"] for flow in copied.result["flows"]] == direct
    assert ackclock("evaluate", "copy", "N-17", "slow.toml").code == 2  # exists already
    assert ackclock("evaluate", "copy", "N-17", "own.toml").code == 0
    assert (tmp_path / "own.toml").read_text() == loaded.text


def _scenario(path: Path) -> ackclock.Scenario:
    return ackclock.Scenario.from_file(path)


def ackclock_run(planned: run.Planned) -> list[int]:
    job = planned.job
    made = run.core.make(job.text, job.file, job.overrides, job.seed, job.series)
    return [flow["sent_packets"] for flow in made.result()["flows"]]


def test_the_cost_is_said_beforehand(ackclock: Command) -> None:
    out = ackclock("evaluate", "cubic", "--only", "N-15", "--plan").out
    # CUBIC is both the control under test and the reference; Reno stands beside it.
    # Three settings of two scenarios.
    assert out.startswith("30 runs, about ")


def test_the_cost_is_that_of_short_and_of_long_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred runs take 10 us a packet and ten long ones 0.1 us, so the plan takes 10.1 s."""

    def planned(packets: float, seconds: float) -> run.Planned:
        return run.Planned(
            cast("run.Job", SimpleNamespace(has_python=False, named_stacks=(), seconds=seconds)), [], packets
        )

    now = 0.0

    class Pretended:
        def __init__(self, threads: int) -> None:
            assert threads == 1

        def begin(self, jobs: list[SimpleNamespace]) -> Iterator[tuple[int, None]]:
            nonlocal now
            for index, job in enumerate(jobs):
                now += job.seconds
                yield index, None

    monkeypatch.setattr(run, "Local", Pretended)
    monkeypatch.setattr(run.time, "process_time", lambda: now)
    runs = [planned(1e5, 0.01) for _ in range(10)] + [planned(1e4, 0.1) for _ in range(100)]
    said = run.cost(cast("run.Plan", SimpleNamespace(runs=runs)))
    assert (said.runs, said.packets) == (110, 2e6)
    # Of the five that are measured, the third is at the border between them.
    assert said.cpu_s == pytest.approx(10.1, rel=0.25)


def test_the_files_of_a_control_have_its_name() -> None:
    named = {
        "cubic": "cubic",
        "noq:bbr3": "noq-bbr3",
        "cc/mine.py": "mine",
        "cc/mine.py:Other": "mine-Other",
        '{ name = "cubic", beta = 0.8 }': "name-cubic-beta-0-8",
    }
    assert {given: stem_of(given) for given in named} == named


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["cubik"], 'did you mean "cubic"'),
        (["cubic", "--only", "N-23"], "there is no scenario for multipath transport"),
        (["cubic", "--only", "N-04-late"], 'did you mean "N-04-latecomer"'),
        (["cubic", "sack"], "expected only options"),
        (
            ["cubic", "--against", str(Path(__file__).with_name("offenders.py")) + ":Reno"],
            "expected names from",
        ),
        (["copy", "N-03"], "copy: expected the name of a scenario and a file"),
        (["copy", "N-04", "x.toml"], "matches 3 scenarios, expected the name of one"),
        (["copy", "N-17/flows 9", "x.toml"], "there is no setting"),
        (["cubic", "--set", "flint"], 'there is no set of scenarios "flint"; did you mean "flent"'),
        (["cubic", "--beside", "cubic"], "found cubic, the tested control itself, expected another control"),
        (["cubic", "--beside", "cubik"], 'did you mean "cubic"'),
        (["cubic", "--thresholds", "x.toml"], "--thresholds needs --compare"),
        (["cubic", "--transport", "{ name ="], "not a valid TOML table"),
        (["cubic", "--compare", "nothing.json"], "No such file"),
    ],
)
def test_wrong_arguments_are_refused(ackclock: Command, arguments: list[str], message: str) -> None:
    done = ackclock("evaluate", *arguments)
    assert done.code == 2
    assert message in done.err


def test_the_control_of_the_page_is_evaluated(ackclock: Command) -> None:
    file = Path(__file__).resolve().parents[2] / "docs" / "examples" / "aimd.py"
    done = ackclock("evaluate", file, "--only", "N-17", "--seeds", "2", "--html")
    assert done.code == 0, done.err
    assert done.out.startswith("Aimd: evaluation by RFC 9743, quick, seeds 1 to 2")
    page = Path("ackclock-results/evaluate-aimd-only-N-17-seeds-2.html").read_text(encoding="utf-8")
    assert "Internet of Things and constrained nodes" in page
    # The page has the source, and its hash.
    assert hashlib.sha256(file.read_bytes()).hexdigest() in page
    assert "def avoid_congestion(self, ack):" in page
    assert "--seeds 2 --html" in page
    assert "ackclock evaluate" in page
    assert page.count('class="setting"') == 5  # four settings and the scale


def test_the_report_has_heat_maps_of_share_and_harm(tmp_path: Path) -> None:
    loaded = files.load("N-07-grid")
    small = loaded.about.model_copy(
        update={
            "grid": Grid(quick_rates_mbps=[2], quick_rtts_ms=[20], quick_buffers_bdp=[1, 4]),
            "quick": Quick(set={"duration": "10 s", "warmup": "2 s"}),
        }
    )
    narrow = replace(loaded, about=small)
    plan = run.Plan(
        contenders.contender("bbrv1"),
        [contenders.contender("cubic"), contenders.contender("sack")],
        [narrow],
        quick=True,
        seeds=2,
    )
    found = run.evaluate(plan)
    command = "ackclock evaluate bbrv1 --only N-07-grid"
    page = write_evaluation(found, tmp_path / "page.html", command).read_text()
    # Share, harm to goodput and harm to delay, against each of the two others.
    assert page.count('<table class="heat">') == 6
    assert "Harm beyond that of cubic: goodput of the standard flow, other sack" in page
    assert page.count("--depth:") == 12
    assert '<th scope="col">sack</th>' in page
    # Beside another control, each has its own.
    both = write_evaluation(
        found, tmp_path / "both.html", command, replace(found, control="other")
    ).read_text()
    assert both.count('<table class="heat">') == 12
    assert "other, Harm beyond that of cubic: goodput of the standard flow, other sack" in both


def test_heat_maps_have_their_buffers_in_order() -> None:
    sizes = ["8 BDP", "10 packets", "0.25 BDP", "1 BDP"]
    assert sorted(sizes, key=buffer_order) == ["10 packets", "0.25 BDP", "1 BDP", "8 BDP"]


def test_answers_are_reported_and_exempt_special_cases_only(tmp_path: Path) -> None:
    file = tmp_path / "answers.toml"
    file.write_text(
        '[exempt]\nN-24 = "It is not for data centers."\n[process]\nPR-1 = "Two implementations."\n'
    )
    answers = read_answers(file)
    loaded = [files.parse(EVALUATED, "small")]
    plan = run.Plan(
        contenders.contender("sack"), [contenders.contender("cubic")], loaded, quick=True, seeds=2
    )
    found = run.evaluate(plan, answers=answers)
    assert found.family("N-24").verdict == EXEMPT
    # Drop-tail queues are judged by all criteria of section 5, of which one was run.
    assert found.family("N-10").verdict == NOT_EVALUATED
    assert "5.1.1, 5.1.3" in found.family("N-10").sentence
    assert [one.family.id for one in found.asked] == ["N-02"]
    # The answer stands beside its demand, in the document and on the page; the others have none.
    answered = {one["id"]: one["answer"] for one in as_document(found, "ackclock evaluate sack")["process"]}
    assert {id: answer for id, answer in answered.items() if answer} == {"PR-1": "Two implementations."}
    page = write_evaluation(found, tmp_path / "page.html", "ackclock evaluate sack").read_text("utf-8")
    rows = re.findall(r'<th scope="row">(PR-\d+) .*<td>(.*)</td></tr>', page)
    assert len(rows) == len(rfc.PROCESS)
    assert dict(rows)["PR-1"] == "Two implementations."
    assert sum("not answered" in answer for _, answer in rows) == len(rfc.PROCESS) - 1
    file.write_text('exempt = "N-24"\n')
    with pytest.raises(InputError, match="exempt: found 'N-24', expected a table"):
        read_answers(file)
    file.write_text('[exempt]\nN-03 = "We lose much."\n')
    with pytest.raises(InputError, match=r"section 5.1.3 of RFC 9743 cannot be excluded"):
        read_answers(file)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('\n[exemptions]\nN-24 = "No."', ':2:2: exemptions: unknown key; did you mean "exempt"'),
        ('[exempt]\nN-242 = "No."', ':2:1: exempt.N-242: unknown key; did you mean "N-24"'),
        ('[process]\nPR-1 = "Two."\nPR-2 = " "', ":3:8: process.PR-2: found ' ', expected a sentence"),
        ('[exempt]\nN-24 = "No.', ":2:12: "),
    ],
)
def test_wrong_answers_are_refused_with_their_line(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "answers.toml"
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        read_answers(file)
    assert f"{file}{message}" in str(caught.value)
