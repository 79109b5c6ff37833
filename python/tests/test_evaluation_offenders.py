"""Controls with a known fault: each is a concern in the scenario that is about it, and faultless ones are not.

References are those of a quick evaluation, in single settings of its scenarios. It has five seeds; here are three where
their verdict is the same.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ackclock import _replies
from ackclock._jobs import Local
from ackclock._store import Store
from ackclock.errors import AckclockError
from ackclock.evaluation import contenders, run
from ackclock.evaluation.files import Loaded, load
from ackclock.evaluation.judge import Judged
from ackclock.evaluation.language import TESTED, Grid
from ackclock.evaluation.measured import Measured
from ackclock.evaluation.processes import Processes
from ackclock.evaluation.result import Evaluation
from ackclock.evaluation.words import CONCERN, NO_LIMIT, OK, UNDECIDED

OFFENDERS = Path(__file__).with_name("offenders.py")
MARKED = {"transport": {"name": "rfc", "ecn": True}}
NO_BACKOFF = {"transport": {"name": "rfc", "max_backoff": 1}}


def narrowed(name: str, only: Mapping[str, Sequence[str]]) -> Loaded:
    """A scenario with these points of its axes and of its grid alone."""
    loaded = load(name)
    axes, left = [], dict(only)
    for axis in loaded.about.axes:
        chosen = left.pop(axis.name, None)
        points = [point for point in axis.all_points() if chosen is None or point.name in chosen]
        axes.append(axis.model_copy(update={"points": points, "values": []}))
    grid = loaded.about.grid
    if grid is not None:
        grid = Grid(
            quick_rates_mbps=_numbers(left.pop("rate", ()), " Mbit/s") or grid.quick_rates_mbps,
            quick_rtts_ms=_numbers(left.pop("round trip", ()), " ms") or grid.quick_rtts_ms,
            quick_buffers_bdp=_numbers(left.pop("buffer", ()), " BDP") or grid.quick_buffers_bdp,
        )
    assert not left, f"{name} has no axis {', '.join(left)}"
    return replace(loaded, about=loaded.about.model_copy(update={"axes": axes, "grid": grid}))


def _numbers(points: Sequence[str], unit: str) -> list[float]:
    return [float(point.removesuffix(unit)) for point in points]


Evaluated = Callable[..., Evaluation]


@pytest.fixture(scope="session")
def evaluated(finished_runs: Store) -> Evaluated:
    """Evaluates a class of offenders.py, or a control of the registry, in some settings of scenarios, as quickly as the
    command does but with three seeds.

    A control in Python runs in this process unless ``apart``: each process of its own loads numpy, which takes longer
    than most of these runs. A test below holds both ways to the same numbers.
    """

    def evaluate(
        control: str,
        scenarios: Mapping[str, Mapping[str, Sequence[str]]],
        more: Mapping[str, Any] | None = None,
        *,
        apart: bool = False,
        limit_s: float = 60,
        seeds: int = 3,
    ) -> Evaluation:
        tested = contenders.contender(f"{OFFENDERS}:{control}" if control[0].isupper() else control, more)
        # Standard senders have ECN where the offender has it, and always back off.
        standard = MARKED if more == MARKED else {}
        references = [contenders.contender(name, standard) for name in contenders.REFERENCES]
        narrow = [narrowed(name, only) for name, only in scenarios.items()]
        plan = run.Plan(tested, references, narrow, quick=True, seeds=seeds)
        with pytest.MonkeyPatch.context() as patch:
            if not apart:
                patch.setattr(run, "Processes", lambda *_: Local(1))
            return run.evaluate(plan, limit_s=limit_s, store=finished_runs)

    return evaluate


def findings(evaluation: Evaluation, metric: str) -> list[Judged]:
    """What was found of a metric, such as ``N-03.loss``: of each condition in each setting."""
    return [
        finding
        for family in evaluation.families
        for result in family.scenarios
        for finding in result.findings
        if f"{result.loaded.name}.{finding.metric.id}" == metric
    ]


def result_of(evaluation: Evaluation, scenario: str) -> Measured:
    """The samples of a scenario."""
    results = (one for family in evaluation.families for one in family.scenarios)
    return next(one.samples for one in results if one.loaded.name == scenario)


def broken(evaluation: Evaluation) -> set[str]:
    """The metrics whose criteria are a concern."""
    return {
        f"{result.loaded.name}.{finding.metric.id}"
        for family in evaluation.families
        for result in family.scenarios
        for finding in result.findings
        if finding.verdict == CONCERN
    }


ONE_TO_ONE = {"flows": ["1:1"]}
SHORT_PATH = {"rate": ["10 Mbit/s"], "round trip": ["20 ms"], "buffer": ["1 BDP"]}
BESIDE_QUIC = {**ONE_TO_ONE, "other": ["newreno over QUIC"], "first": ["tested"]}
LITTLE_CUT = '{ name = "cubic", beta = 0.95 }'
"""CUBIC as built in, which gives up a twentieth: the fault of ``CutsTooLittle`` where packets are many."""
UNDECIDED_BY_THREE = {
    ("GrowsTenfold", "N-06-starvation"),
    (LITTLE_CUT, "N-09-long"),
    (LITTLE_CUT, "N-05"),
    ("CountsAcks", "N-19-acks"),
    ("GrowsByShare", "N-04-latecomer"),
    ("HalfPackets", "N-13-loss"),
}
"""Here the interval of three runs reaches into what is allowed, and that of five does not."""


# Not among them: N-24, whose only condition is a number without a limit, so that no control that finishes can fail it,
# and N-08-media, which test_real_time_media.py has. The condition of N-08 on the delay of the voice cannot fail either:
# a control that ignores losses and timeouts adds 0.02 to the harm at most, because beside CUBIC the 95th percentile is
# that of a full queue already.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("control", "scenario", "only", "more", "metrics"),
    [
        ("IgnoresLoss", "N-03", {"flows": ["2"], "buffer": ["1 bdp"]}, None, {"loss"}),
        ("NeverEndsSlowStart", "N-03", {"flows": ["10"], "buffer": ["0.5 bdp"]}, None, {"loss"}),
        ("CubicInTenths", "N-03", {"flows": ["2"], "buffer": ["0.5 bdp"]}, None, {"loss"}),
        ("IgnoresEverything", "N-01-outage", {}, None, {"sent", "beyond"}),
        ("Reno", "N-01-outage", {}, NO_BACKOFF, {"growth"}),
        ("IgnoresEverything", "N-06-cut", {}, None, {"sent", "beyond"}),
        ("Reno", "N-06-cut", {}, NO_BACKOFF, {"growth"}),
        ("IgnoresEverything", "N-15-collapse", {"rate left": ["1/10"]}, None, {"open"}),
        # With 4 products five seeds do not decide: the harm to CUBIC's goodput is 0.08 to 0.29 above the reference's,
        # of which 0.1 is allowed. In the shorter buffers the whole interval is above that.
        ("GrowsTenfold", "N-06-starvation", {**ONE_TO_ONE, "buffer": ["1 bdp"]}, None, {"goodput"}),
        ("CutsTooLittle", "N-06-starvation", {**ONE_TO_ONE, "buffer": ["0.25 bdp"]}, None, {"goodput"}),
        (
            "CubicWithoutDecrease",
            "N-06-starvation",
            {**ONE_TO_ONE, "buffer": ["1 bdp"]},
            None,
            {"starvation", "goodput", "loss"},
        ),
        ("FearsDelay", "N-16", {"delay": ["every 100 ms"]}, None, {"goodput"}),
        ("CutsTooLittle", "N-02", {"flows": ["1"], "buffer": ["4 bdp"]}, None, {"p50"}),
        ("IgnoresEverything", "N-01-loss", {"loss": ["0.5"]}, None, {"per_rtt"}),
        ("IgnoresEverything", "N-01-crowd", {}, None, {"arrived"}),
        ("IgnoresLoss", "N-15", {}, None, {"open"}),
        ("IgnoresMarks", "N-11", {"end of the tunnel": ["copies"]}, MARKED, {"delay"}),
        ("IgnoresMarks", "N-14-mix", {"discipline": ["codel"]}, MARKED, {"goodput"}),
        # In two of five runs the flows begin nearly alike, so that neither gets ahead: Jain's index and the ratio of
        # the goodputs are undecided.
        ("StarvesItsSibling", "N-04-equal", {"flows": ["2"], "buffer": ["0.5 bdp"]}, None, {"starvation"}),
        ("GrowsByShare", "N-04-latecomer", {"buffer": ["0.5 bdp"]}, None, {"convergence"}),
        pytest.param(
            *("CubicWithoutConcave", "N-04-latecomer", {"buffer": ["0.5 bdp"]}, None, {"convergence"}),
            marks=pytest.mark.xfail(
                strict=True,
                reason="over ten seeds it takes as long as CUBIC to let the latecomer in: 15.6 s and 16.1 s",
            ),
        ),
        ("StarvesItsSibling", "N-04-latecomer", {"buffer": ["0.5 bdp"]}, None, {"least"}),
        (LITTLE_CUT, "N-05", {"load": ["0.2"]}, None, {"p95"}),
        ("CutsTooLittle", "N-07-grid", {**SHORT_PATH, "other": ["cubic"]}, None, {"goodput", "loss"}),
        ("CutsTooLittle", "N-07-rivals", BESIDE_QUIC, None, {"goodput"}),
        ("IgnoresLoss", "N-08", {"buffer": ["1 bdp"]}, None, {"loss"}),
        (LITTLE_CUT, "N-09-long", {"load": ["0.5"]}, None, {"p95"}),
        ("StaysDown", "N-12", SHORT_PATH, None, {"goodput"}),
        ("CountsWithSixteenBits", "N-12-long", {}, None, {"goodput"}),
        ("StartsTwiceAsFast", "N-03-start", {"round trip": ["50 ms"]}, None, {"dropped", "peak"}),
        ("KeepsItsBestWindow", "N-21-pause", {}, None, {"burst"}),
        ("GrowsUnused", "N-21-pause", {}, None, {"dropped"}),
        ("GrowsUnused", "N-21-limited", {}, None, {"dropped"}),
        ("HalfPackets", "N-13-loss", {"losses": ["one by one"], "share": ["0.01"]}, None, {"goodput"}),
        ("StaysDown", "N-13-rate", {}, None, {"goodput"}),
        ("TakesJitterForCongestion", "N-13-jitter", {}, None, {"goodput"}),
        ("CutsTooLittle", "N-14", {"discipline": ["pie"], "flows": ["10"]}, None, {"loss"}),
        ("IgnoresMarks", "N-14", {"discipline": ["codel"], "flows": ["1"]}, MARKED, {"delay"}),
        ("CubicWithoutMarks", "N-14", {"discipline": ["codel"], "flows": ["1"]}, MARKED, {"delay"}),
        ("IgnoresEverything", "N-17", {"flows": ["1"], "loss": ["0"]}, None, {"sent"}),
        ("StaysDown", "N-18", {"loss": ["0.0001"]}, None, {"goodput"}),
        ("CountsAcks", "N-19-acks", {"receiver": ["honest", "splits"]}, None, {"other"}),
        ("FearsMarks", "N-19-marks", {"marks": ["honest", "hidden"]}, MARKED, {"goodput"}),
        ("StaysDown", "N-20", {"late": ["none", "1 % by 75 ms"]}, None, {"goodput"}),
        ("StaysDown", "N-21", {"event": ["outage"]}, None, {"finished"}),
        ("StaysDown", "N-22", {"change": ["rate x 4, delay x 1"]}, None, {"after"}),
        ("CubicWithItsBestWindow", "N-22", {"change": ["rate x 0.25, delay x 1"]}, None, {"lost"}),
        ("IgnoresLoss", "N-25", {"box": ["policer"]}, None, {"loss"}),
    ],
)
def test_a_fault_is_found(
    evaluated: Evaluated,
    control: str,
    scenario: str,
    only: Mapping[str, Sequence[str]],
    more: Mapping[str, Any] | None,
    metrics: set[str],
) -> None:
    seeds = 5 if (control, scenario) in UNDECIDED_BY_THREE else 3
    assert {f"{scenario}.{metric}" for metric in metrics} <= broken(
        evaluated(control, {scenario: only}, more, seeds=seeds)
    )


@pytest.mark.slow
def test_short_flows_that_begin_with_all_they_have_take_from_long_ones(evaluated: Evaluated) -> None:
    found = evaluated("BeginsWithAll", {"N-09-short": {"load": ["0.2"]}})
    assert broken(found) == {"N-09-short.long"}


@pytest.mark.slow
def test_a_fault_that_takes_reordering_for_congestion_is_found_by_both_conditions(
    evaluated: Evaluated,
) -> None:
    # The references are not disturbed by 5 ms. Where they are themselves, they excuse a small share of their goodput.
    found = evaluated("TakesJitterForCongestion", {"N-20": {"late": ["none", "5 % by 5 ms"]}})
    late = [one for one in findings(found, "N-20.goodput") if one.setting.at["late"] == "5 % by 5 ms"]
    assert {one.condition.measure: one.verdict for one in late} == {
        "change": CONCERN,
        "ratio": CONCERN,
    }


@pytest.mark.slow
def test_a_control_that_grows_too_slowly_is_found_by_both_conditions(evaluated: Evaluated) -> None:
    # Over 164 ms one packet for two round trips is half of Reno's growth, which takes 17 s itself.
    found = evaluated("HalfPackets", {"N-22": {"change": ["rate x 1, delay x 4"]}})
    assert {one.condition.measure: one.verdict for one in findings(found, "N-22.fresh")} == {
        "value": CONCERN,
        "ratio": CONCERN,
    }


@pytest.mark.slow
def test_a_run_in_a_process_of_its_own_has_the_numbers_of_one_in_this_process(evaluated: Evaluated) -> None:
    only = {"N-18": {"loss": ["0.0001"]}}
    here, apart = (
        findings(evaluated("StaysDown", only, apart=apart, seeds=2), "N-18.goodput")
        for apart in (False, True)
    )
    assert [one.means for one in here] == [one.means for one in apart]
    assert here[0].means[TESTED]


@pytest.mark.slow
def test_scalable_tcp_does_not_converge(evaluated: Evaluated) -> None:
    assert "N-04-latecomer.convergence" in broken(evaluated("scalable", {"N-04-latecomer": {}}, seeds=5))


@pytest.mark.slow
def test_bbrv1_starves_cubic_in_a_short_buffer_unless_each_has_one_flow(evaluated: Evaluated) -> None:
    evaluation = evaluated("bbrv1", {"N-06-starvation": {"buffer": ["0.25 bdp"]}}, seeds=5)
    found = findings(evaluation, "N-06-starvation.starvation")
    assert {one.setting.at["flows"]: one.verdict for one in found} == {
        "1:1": OK,
        "1:4": CONCERN,
        "4:1": CONCERN,
    }
    # CUBIC's tenth of an equal share is above the limit of a twentieth.
    (one_to_one,) = [one for one in found if one.setting.at["flows"] == "1:1"]
    assert one_to_one.means[TESTED] == 0
    samples = result_of(evaluation, "N-06-starvation")
    place = samples.settings.index(one_to_one.setting)
    assert min(samples.of(TESTED, place, "starvation")) == pytest.approx(0.10, abs=0.01)
    # What CUBIC loses is a concern all the same.
    goodput = findings(evaluation, "N-06-starvation.goodput")
    (harm,) = [one for one in goodput if one.setting.at["flows"] == "1:1"]
    assert harm.verdict == CONCERN


@pytest.mark.slow
def test_bbrv1_is_unequal_over_round_trips_and_starves_none_of_its_flows(evaluated: Evaluated) -> None:
    evaluation = evaluated("bbrv1", {"N-04-rtt": {}}, seeds=5)
    unequal = findings(evaluation, "N-04-rtt.dependence")
    # At 160 ms CUBIC is as unequal.
    assert {one.setting.at["far"]: one.verdict for one in unequal} == {"80 ms": CONCERN, "160 ms": OK}
    # Less than a fifth of an equal share in the worst 5 s, which is above the limit of a twentieth.
    assert [one.verdict for one in findings(evaluation, "N-04-rtt.starvation")] == [OK, OK]
    least = [min(result_of(evaluation, "N-04-rtt").of(TESTED, place, "starvation")) for place in range(2)]
    assert least == pytest.approx([0.18, 0.18], abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("control", ["vegas", "ledbat", "FearsDelay"])
def test_a_control_that_yields_is_said_to_and_is_no_concern(evaluated: Evaluated, control: str) -> None:
    only = {**ONE_TO_ONE, "buffer": ["4 bdp"]}
    evaluation = evaluated(control, {"N-06-starvation": only})
    assert broken(evaluation) == set()
    (result,) = evaluation.family("N-06").scenarios
    (own,) = [one for one in result.findings if one.metric.id == "own"]
    assert own.verdict == NO_LIMIT
    assert (own.means[TESTED] or 0) < 0.05


@pytest.mark.slow
def test_prague_beside_cubic_is_a_concern_in_one_classic_queue_and_in_no_other(evaluated: Evaluated) -> None:
    disciplines = ["codel", "fq-codel", "dualpi2"]
    evaluation = evaluated("prague", {"N-14-mix": {"discipline": disciplines}}, MARKED)
    (result,) = evaluation.family("N-14").scenarios
    found = {one.setting.at["discipline"]: one for one in result.findings if one.metric.id == "goodput"}
    assert [name for name, one in found.items() if one.verdict == CONCERN] == ["codel"]
    # RFC 9331, appendix A: many times as much as CUBIC with ECN.
    assert (found["codel"].means[TESTED] or 0) < 2


@pytest.mark.slow
def test_reordering_that_rack_tolerates_costs_a_control_of_any_window_nothing(evaluated: Evaluated) -> None:
    # 5 ms are less than a quarter of the round trip. With three duplicate acknowledgements it is a tenth.
    found = evaluated("sack", {"N-20": {"late": ["none", "5 % by 5 ms"]}})
    (result,) = found.family("N-20").scenarios
    (change,) = [one for one in result.findings if one.condition.measure == "change"]
    assert change.finding.estimate == pytest.approx(1, abs=0.02)


@pytest.mark.slow
def test_bbrv1_is_a_concern_for_loss_in_every_short_buffer_with_two_flows_and_with_ten(
    evaluated: Evaluated,
) -> None:
    found = findings(evaluated("bbrv1", {"N-03": {}}, seeds=5), "N-03.loss")
    allowed, least = (
        {
            (one.setting.at["flows"], one.setting.at["buffer"]): one.verdict
            for one in found
            if one.condition.measure == measure
        }
        for measure in ("ratio", "value")
    )
    short = ("0.25 bdp", "0.5 bdp", "1 bdp")
    for flows in ("2", "10"):
        assert [allowed[flows, buffer] for buffer in (*short, "2 bdp")] == [CONCERN] * 3 + [OK]
    # The other condition, at most 5 %, is surely not met by two flows in the two shortest buffers: they lose 8.0 and
    # 7.7 % of their packets, and 5.0 ± 1.4 % with a buffer of one product.
    assert [least["2", buffer] for buffer in short] == [CONCERN] * 2 + [UNDECIDED]
    assert [least["10", buffer] for buffer in short] == [CONCERN] * 3


@pytest.mark.slow
def test_bbrv3_is_what_its_draft_and_ours_say(evaluated: Evaluated) -> None:
    """LossThresh is 2 % (draft-ietf-ccwg-bbr, section 5.5.10): losses in short buffers are by design."""
    evaluation = evaluated(
        "bbrv3",
        {"N-03": {"buffer": ["0.5 bdp"]}, "N-04-rtt": {}, "N-13-loss": {"share": ["0.01"]}},
        seeds=5,
    )
    # 2 % of what one flow of ten has in flight are less than one packet.
    loss = {
        (one.setting.at["flows"], one.condition.measure): one.verdict
        for one in findings(evaluation, "N-03.loss")
    }
    assert loss == {
        ("2", "ratio"): OK,
        ("2", "value"): OK,
        ("10", "ratio"): CONCERN,
        ("10", "value"): OK,
    }
    # docs/bbr.md: the long round trip has more in a buffer of several products of the short one, here of three. What
    # CUBIC gives to the short one at 160 ms is worse. At 80 ms it is a concern beside CUBIC and not surely beside Reno.
    unequal = findings(evaluation, "N-04-rtt.dependence")
    assert {one.setting.at["far"]: [of.word for of in one.beside] for one in unequal} == {
        "80 ms": [CONCERN, UNDECIDED],
        "160 ms": [OK, OK],
    }
    assert all((one.finding.estimate or 0) > 0 for one in findings(evaluation, "N-04-rtt.exponent"))
    # 1 % of loss is below the threshold. A round trip of 67 packets that loses any of them, as every second one does,
    # lowers the rate to what it delivered until the next probe, or to Beta = 0.7 if that is more (section 5.5.10.3). If
    # it were 0.7 in every cycle, 13.4 Mbit/s would remain: of 20, 99 % arrive, and 1448 bytes of 1500 are payload.
    # BBRv3 has 16.0 where losses are one by one and 16.9 where they are in bursts.
    radio = findings(evaluation, "N-13-loss.goodput")
    assert [one.verdict for one in radio] == [OK, OK]
    assert all((one.means[TESTED] or 0) > 13.4 for one in radio)


@pytest.mark.slow
def test_newreno_without_a_fault_is_no_concern(evaluated: Evaluated) -> None:
    scenarios: Mapping[str, Mapping[str, Sequence[str]]] = {
        "N-01-outage": {},
        "N-03": {"flows": ["2"], "buffer": ["0.5 bdp", "1 bdp"]},
        "N-04-latecomer": {"buffer": ["0.5 bdp"]},
        "N-06-cut": {},
        "N-06-starvation": {**ONE_TO_ONE, "buffer": ["0.25 bdp", "1 bdp"]},
        "N-08": {"buffer": ["1 bdp"]},
        "N-13-loss": {"losses": ["one by one"], "share": ["0.01"]},
        "N-16": {"delay": ["every 100 ms"]},
        "N-19-acks": {"receiver": ["honest", "splits", "repeats"]},
        "N-17": {"flows": ["1"], "loss": ["0"]},
        "N-20": {"late": ["none", "5 % by 25 ms"]},
        "N-21-limited": {},
        "N-21-pause": {},
        "N-22": {"change": ["rate x 0.25, delay x 1", "rate x 4, delay x 1"]},
        "N-25": {"box": ["policer"]},
    }
    assert broken(evaluated("Reno", scenarios)) == set()
    marked = {"N-14": {"discipline": ["codel"], "flows": ["1"]}}
    assert broken(evaluated("Reno", marked, MARKED)) == set()


@pytest.mark.slow
def test_cubic_in_python_without_a_fault_is_no_concern(evaluated: Evaluated) -> None:
    scenarios: Mapping[str, Mapping[str, Sequence[str]]] = {
        "N-03": {"flows": ["2"], "buffer": ["0.5 bdp"]},
        "N-04-latecomer": {"buffer": ["0.5 bdp"]},
        "N-06-starvation": {**ONE_TO_ONE, "buffer": ["1 bdp"]},
    }
    assert broken(evaluated("FaultlessCubic", scenarios)) == set()
    marked = {"N-14": {"discipline": ["codel"], "flows": ["1"]}}
    assert broken(evaluated("FaultlessCubic", marked, MARKED)) == set()


def test_cubic_against_itself_is_met_everywhere(evaluated: Evaluated) -> None:
    names = ["N-01-loss", "N-03", "N-04-equal", "N-06-starvation", "N-15", "N-17"]
    found = evaluated("cubic", {name: {} for name in names}, seeds=5)
    assert all(one.verdict == OK for one in found.asked if one.scenarios)
    # The call of N-08 does not adapt.
    found = evaluated("cubic", {"N-02": {}, "N-08": {}}, seeds=5)
    assert [one.verdict for one in found.asked if one.scenarios] == [OK, NO_LIMIT]
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
    assert str(failure) == "the control ended the process of the run"


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


def test_runs_are_not_made_after_the_first_that_all_take_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ackclock.evaluation.processes.MOST_LATE", 2)
    plan = run.Plan(
        contenders.contender(f"{OFFENDERS}:NeverReturns"),
        [contenders.contender("sack")],
        [load("N-13-rate")],
        quick=True,
        seeds=5,
    )
    jobs = [one.job for one in plan.runs if one.job.has_python]
    found = dict(Processes(OFFENDERS, "NeverReturns", threads=1, limit_s=1).begin(jobs))
    assert [str(found[index]) for index in range(5)] == [
        *["the run did not finish within 1 s"] * 2,
        *["not run, because none of the first 2 runs finished within 1 s"] * 3,
    ]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # a process that has ended since
        return b""


@pytest.mark.parametrize("series", [None, b"", b"PK\n{}"])
def test_a_reply_of_a_process_is_read_as_it_was_written(series: bytes | None) -> None:
    stream = io.BytesIO()
    _replies.write_reply(stream, '{"flows": []}', series, "")
    _replies.write_reply(stream, "", None, "failed\nfor a reason")
    stream.seek(0)
    assert _replies.read_reply(stream) == ('{"flows": []}', series, "")
    assert _replies.read_reply(stream) == ("", None, "failed\nfor a reason")
    with pytest.raises(EOFError):
        _replies.read_reply(stream)


@pytest.mark.parametrize(
    ("control", "why"),
    [
        ("Raises", "ZeroDivisionError: the rate was zero"),
        ("NeverReturns", "did not finish within 2 s"),
        ("EndsTheProcess", "ended the process of the run"),
        ("NeverBegins", "did not finish within 2 s"),
        ("EndsAtOnce", "ended the process of the run"),
        ("Exits", "raised SystemExit(0)"),
        # The limit is 4 GiB. Without one, the system grants memory that is never used, and the run succeeds.
        ("TakesMemory", "MemoryError"),
        ("WastesTime", "did not finish within 2 s"),
        ("SendsNothing", "its decision has cwnd 0"),
    ],
)
def test_a_control_that_fails_is_a_verdict(evaluated: Evaluated, control: str, why: str) -> None:
    # A busy machine may take long to begin a process: only a control that never returns needs a short limit.
    limit_s = 2 if why.endswith("2 s") else 60
    found = evaluated(control, {"N-13-rate": {}}, apart=True, limit_s=limit_s).family("N-13")
    assert found.verdict == CONCERN
    assert found.sentence.startswith("3 of 3 runs failed: ")
    assert why in found.sentence


def test_a_failed_run_is_the_reason_of_numbers_without_a_limit(evaluated: Evaluated) -> None:
    evaluation = evaluated("Raises", {"flent-tcp-2up-square": {}}, apart=True, seeds=2)
    family = evaluation.family("flent")
    assert family.verdict == CONCERN
    assert family.sentence.startswith("2 of 2 runs failed: ")
    assert "ZeroDivisionError: the rate was zero" in family.sentence
