"""Controls with a known fault: each is a concern in the scenario that is about it, and faultless ones are not."""

from __future__ import annotations

import io
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ackclock.errors import AckclockError
from ackclock.evaluation import contenders, run, worker
from ackclock.evaluation.files import Loaded, load
from ackclock.evaluation.processes import Processes
from ackclock.evaluation.result import Evaluation
from ackclock.evaluation.verdict import Verdict

OFFENDERS = Path(__file__).with_name("offenders.py")
MARKED = {"transport": {"name": "rfc", "ecn": True}}
NO_BACKOFF = {"transport": {"name": "rfc", "max_backoff": 1}}


def narrowed(name: str, only: Mapping[str, Sequence[str]]) -> Loaded:
    """A scenario with these points of its axes alone."""
    loaded = load(name)
    axes = []
    for axis in loaded.about.axes:
        points = [point for point in axis.all_points() if point.name in only.get(axis.name, [point.name])]
        axes.append(axis.model_copy(update={"points": points, "values": []}))
    return replace(loaded, about=loaded.about.model_copy(update={"axes": axes}))


def evaluated(
    control: str,
    scenarios: Mapping[str, Mapping[str, Sequence[str]]],
    more: Mapping[str, Any] | None = None,
    *,
    reference: str = "sack",
    limit_s: float = 60,
    seeds: int = 3,
) -> Evaluation:
    """A quick evaluation of a class of offenders.py, or of a control of the registry, in some settings of scenarios."""
    tested = contenders.contender(f"{OFFENDERS}:{control}" if control[0].isupper() else control, more)
    # Standard senders have ECN where the offender has it, and always back off.
    references = [contenders.contender(reference, MARKED if more == MARKED else {})]
    narrow = [narrowed(name, only) for name, only in scenarios.items()]
    plan = run.Plan(tested, references, narrow, quick=True, seeds=seeds)
    return run.evaluate(plan, limit_s=limit_s)


def broken(evaluation: Evaluation) -> set[str]:
    """The metrics whose criteria are a concern."""
    return {
        f"{result.loaded.name}.{finding.metric.id}"
        for family in evaluation.families
        for result in family.scenarios
        for finding in result.findings
        if finding.verdict is Verdict.CONCERN
    }


ONE_TO_ONE = {"flows": ["1:1"]}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("control", "scenario", "only", "more", "metrics"),
    [
        ("IgnoresLoss", "N-03", {"flows": ["2"], "buffer": ["1 bdp"]}, None, {"loss"}),
        ("NeverEndsSlowStart", "N-03", {"flows": ["10"], "buffer": ["0.5 bdp"]}, None, {"loss"}),
        ("IgnoresEverything", "N-01-outage", {}, None, {"sent", "beyond"}),
        ("Reno", "N-01-outage", {}, NO_BACKOFF, {"growth"}),
        ("IgnoresEverything", "N-06-cut", {}, None, {"sent", "beyond"}),
        ("Reno", "N-06-cut", {}, NO_BACKOFF, {"growth"}),
        ("IgnoresEverything", "N-15-collapse", {"rate left": ["1/10"]}, None, {"open"}),
        ("GrowsTenfold", "N-06-starvation", {**ONE_TO_ONE, "buffer": ["4 bdp"]}, None, {"goodput"}),
        ("CutsTooLittle", "N-06-starvation", {**ONE_TO_ONE, "buffer": ["0.25 bdp"]}, None, {"goodput"}),
        ("FearsDelay", "N-16", {"delay": ["every 100 ms"]}, None, {"goodput"}),
        ("CutsTooLittle", "N-02", {"flows": ["1"], "buffer": ["4 bdp"]}, None, {"p50"}),
        ("IgnoresEverything", "N-01-loss", {"loss": ["0.5"]}, None, {"per_rtt"}),
        ("IgnoresEverything", "N-01-crowd", {}, None, {"loss"}),
        ("IgnoresLoss", "N-15", {}, None, {"trips"}),
        ("IgnoresMarks", "N-11", {"end of the tunnel": ["copies"]}, MARKED, {"delay"}),
        ("IgnoresMarks", "N-14-mix", {"discipline": ["codel"]}, MARKED, {"goodput"}),
        ("GrowsByShare", "N-04-latecomer", {"buffer": ["0.5 bdp"]}, None, {"convergence"}),
        ("StaysDown", "N-22", {"change": ["rate x 4, delay x 1"]}, None, {"after"}),
        ("IgnoresMarks", "N-14", {"discipline": ["codel"], "flows": ["1"]}, MARKED, {"delay"}),
        ("CountsAcks", "N-19-acks", {"receiver": ["honest", "splits"]}, None, {"other"}),
        ("TakesJitterForCongestion", "N-13-jitter", {}, None, {"goodput"}),
    ],
)
def test_a_fault_is_found(
    control: str,
    scenario: str,
    only: Mapping[str, Sequence[str]],
    more: Mapping[str, Any] | None,
    metrics: set[str],
) -> None:
    assert {f"{scenario}.{metric}" for metric in metrics} <= broken(
        evaluated(control, {scenario: only}, more)
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("control", "scenario", "metric"),
    [
        ("bbrv1", "N-03", "loss"),
        ("bbrv1", "N-06-starvation", "starvation"),
        ("bbrv1", "N-04-rtt", "unequal"),
        ("scalable", "N-04-latecomer", "convergence"),
    ],
)
def test_what_is_known_of_published_controls_is_found(control: str, scenario: str, metric: str) -> None:
    assert f"{scenario}.{metric}" in broken(evaluated(control, {scenario: {}}, reference="cubic"))


@pytest.mark.slow
@pytest.mark.parametrize("control", ["vegas", "ledbat", "FearsDelay"])
def test_a_control_that_yields_is_said_to_and_is_no_concern(control: str) -> None:
    only = {**ONE_TO_ONE, "buffer": ["4 bdp"]}
    evaluation = evaluated(control, {"N-06-starvation": only}, reference="cubic")
    assert broken(evaluation) == set()
    (result,) = evaluation.family("N-06").scenarios
    (own,) = [one for one in result.findings if one.metric.id == "own"]
    assert (own.verdict, own.reason) == (Verdict.INFO, "below 0.05")


@pytest.mark.slow
def test_prague_beside_cubic_is_a_concern_in_one_classic_queue_and_in_no_other() -> None:
    disciplines = ["codel", "fq-codel", "dualpi2"]
    evaluation = evaluated("prague", {"N-14-mix": {"discipline": disciplines}}, MARKED, reference="cubic")
    (result,) = evaluation.family("N-14").scenarios
    found = {one.setting.at["discipline"]: one for one in result.findings if one.metric.id == "goodput"}
    assert [name for name, one in found.items() if one.verdict is Verdict.CONCERN] == ["codel"]
    # RFC 9331, appendix A: many times as much as CUBIC with ECN.
    assert (found["codel"].tested or 0) < 2


@pytest.mark.slow
def test_reordering_that_rack_tolerates_costs_a_control_of_any_window_nothing() -> None:
    # 5 ms are less than a quarter of the round trip. With three duplicate acknowledgements it is a tenth.
    found = evaluated("sack", {"N-20": {"late": ["none", "5 % by 5 ms"]}}, reference="cubic")
    (result,) = found.family("N-20").scenarios
    (change,) = [one for one in result.findings if one.criterion.measure == "change"]
    assert change.mean == pytest.approx(1, abs=0.02)


def test_bbrv1_is_a_concern_for_loss_in_every_short_buffer() -> None:
    (result,) = evaluated("bbrv1", {"N-03": {}}, reference="cubic").family("N-03").scenarios
    concerns = {
        finding.setting.at["buffer"] for finding in result.findings if finding.verdict is Verdict.CONCERN
    }
    assert concerns == {"0.25 bdp", "0.5 bdp", "1 bdp"}


@pytest.mark.slow
def test_newreno_without_a_fault_is_no_concern() -> None:
    scenarios: Mapping[str, Mapping[str, Sequence[str]]] = {
        "N-01-outage": {},
        "N-03": {"flows": ["2"], "buffer": ["0.5 bdp", "1 bdp"]},
        "N-04-latecomer": {"buffer": ["0.5 bdp"]},
        "N-06-cut": {},
        "N-06-starvation": {**ONE_TO_ONE, "buffer": ["0.25 bdp", "4 bdp"]},
        "N-16": {"delay": ["every 100 ms"]},
        "N-19-acks": {"receiver": ["honest", "splits", "repeats"]},
        "N-22": {"change": ["rate x 4, delay x 1"]},
    }
    assert broken(evaluated("Reno", scenarios)) == set()
    assert broken(evaluated("Reno", {"N-14": {"discipline": ["codel"], "flows": ["1"]}}, MARKED)) == set()


def test_cubic_against_itself_is_met_everywhere() -> None:
    names = ["N-01-loss", "N-03", "N-04-equal", "N-06-starvation", "N-15", "N-17"]
    found = evaluated("cubic", {name: {} for name in names}, reference="cubic", seeds=5)
    assert all(one.verdict is Verdict.OK for one in found.asked if one.scenarios)
    # The RFC says that CUBIC does not address bufferbloat, and the call of N-08 does not adapt.
    found = evaluated("cubic", {"N-02": {}, "N-08": {}}, reference="cubic", seeds=5)
    assert [one.verdict for one in found.asked if one.scenarios] == [Verdict.INFO, Verdict.INFO]
    assert broken(found) == set()


def test_a_cancelled_batch_ends_its_processes() -> None:
    tested = contenders.contender(f"{OFFENDERS}:NeverReturns")
    plan = run.Plan(tested, [contenders.contender("sack")], [load("N-13-rate")], quick=True, seeds=1)
    (job,) = [one.job for one in plan.runs if one.job.has_python]
    batch = Processes(OFFENDERS, "NeverReturns", threads=1, limit_s=60).begin([job])
    # The control waits at its first loss; the process is there before that.
    while not getattr(batch, "_processes", None):
        time.sleep(0.01)
    batch.cancel()
    ((index, failure),) = list(batch)
    assert index == 0
    assert str(failure) == "the control ended its process"


def test_a_run_finds_nothing_of_those_before_it() -> None:
    tested = contenders.contender(f"{OFFENDERS}:LeavesItsTime")
    plan = run.Plan(tested, [contenders.contender("sack")], [load("N-13-rate")], quick=True, seeds=3)
    jobs = [one.job for one in plan.runs if one.job.has_python]
    made = dict(Processes(OFFENDERS, "LeavesItsTime", threads=1, limit_s=60).begin(jobs))
    assert [str(made[index]) for index in range(3) if isinstance(made[index], AckclockError)] == []


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="needs the list of processes of Linux")
def test_the_process_of_a_run_that_takes_too_long_is_gone(tmp_path: Path) -> None:
    file = tmp_path / "offenders.py"
    file.write_text(OFFENDERS.read_text(encoding="utf-8"), encoding="utf-8")
    plan = run.Plan(
        contenders.contender(f"{file}:NeverReturns"),
        [contenders.contender("sack")],
        [load("N-13-rate")],
        quick=True,
        seeds=1,
    )
    (job,) = [one.job for one in plan.runs if one.job.has_python]
    ((_, failure),) = Processes(file, "NeverReturns", threads=1, limit_s=2).begin([job])
    assert str(failure) == "the run did not finish within 2 s"
    assert not [path for path in Path("/proc").glob("[0-9]*/cmdline") if str(file).encode() in _read(path)]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # a process that has ended since
        return b""


@pytest.mark.parametrize("series", [None, b"", b"PK\n{}"])
def test_a_reply_of_a_process_is_read_as_it_was_written(series: bytes | None) -> None:
    stream = io.BytesIO()
    worker.write_reply(stream, '{"flows": []}', series, "")
    worker.write_reply(stream, "", None, "failed\nfor a reason")
    stream.seek(0)
    assert worker.read_reply(stream) == ('{"flows": []}', series, "")
    assert worker.read_reply(stream) == ("", None, "failed\nfor a reason")
    with pytest.raises(EOFError):
        worker.read_reply(stream)


@pytest.mark.parametrize(
    ("control", "why"),
    [
        ("Raises", "ZeroDivisionError: the rate was zero"),
        ("NeverReturns", "did not finish within 2 s"),
        ("EndsTheProcess", "ended its process"),
        ("NeverBegins", "did not finish within 2 s"),
        ("EndsAtOnce", "ended its process"),
        ("WastesTime", "did not finish within 2 s"),
        ("SendsNothing", "its decision has cwnd 0"),
    ],
)
def test_a_control_that_fails_is_a_verdict(control: str, why: str) -> None:
    # A busy machine may take long to begin a process: only a control that never returns needs a short limit.
    limit_s = 2 if why.endswith("2 s") else 60
    found = evaluated(control, {"N-13-rate": {}}, limit_s=limit_s).family("N-13")
    assert found.verdict is Verdict.CONCERN
    assert found.sentence.startswith("Not so: 3 of 3 runs failed: ")
    assert why in found.sentence


def test_a_failed_run_is_the_reason_of_numbers_without_a_limit() -> None:
    evaluation = evaluated("Raises", {"flent-tcp-2up-square": {}}, seeds=2)
    family = evaluation.family("flent")
    assert family.verdict is Verdict.CONCERN
    assert family.sentence.startswith("Not so: 2 of 2 runs failed: ")
    assert "ZeroDivisionError: the rate was zero" in family.sentence
