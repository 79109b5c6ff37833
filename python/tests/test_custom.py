"""Controls and queue disciplines written in Python."""

from __future__ import annotations

import importlib.util
import json
import sys
import traceback
from pathlib import Path
from typing import Any, Literal

import pytest

import ackclock
from ackclock import Control, Decision, Discipline, parameter
from ackclock._store import Job, Store
from ackclock.custom import Verdict
from ackclock.errors import InputError, RunError, ScenarioError
from ackclock.run import Run
from ackclock.scenario import Scenario

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


def example(program: str) -> Any:
    """The module of a worked example."""
    path = EXAMPLES / program
    spec = importlib.util.spec_from_file_location(f"example_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


Rbcc, Red, CoDel = example("rbcc.py").Rbcc, example("red.py").Red, example("codel.py").CoDel


class Steady(Control):
    """A window that never moves."""

    window: float = parameter("10 packets", unit="packets", at_least=1)

    def decision(self) -> Decision:
        return Decision(self.window)

    def on_ack(self, ack: Any, random: Any) -> None:
        pass

    def on_loss(self, loss: Any, random: Any) -> None:
        pass

    def on_timeout(self, timeout: Any, random: Any) -> None:
        pass


def document(control: Any, queue: Any = "droptail", **rest: Any) -> dict[str, Any]:
    """Two flows of a control beside one of CUBIC."""
    bottleneck = {"rate": "2 Mbit/s", "delay": "20 ms", "queue": queue, **rest}
    return {
        "duration": "20 s",
        "dumbbell": {"bottleneck": bottleneck, "access": {"rate": "100 Mbit/s", "delay": "3 ms"}},
        "flows": [
            {"name": "mine", "control": control, "count": 2},
            {"name": "others", "control": "cubic", "start": "1 s"},
        ],
    }


def same_but_for_the_name(one: Run, other: Run, name: str) -> bool:
    return one.to_json() == other.to_json().replace('"mine-too"', f'"{name}"')


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"threshold_factor": 1.5, "rtt_min_mode": "measured"},
        {"rtt_min": "40 ms", "cwnd_floor": "2 packets"},
    ],
)
@pytest.mark.parametrize("transport", ["rfc", "linux", "sctp"])
def test_rbcc_in_python_gives_the_run_of_rbcc_in_rust(parameters: dict[str, Any], transport: str) -> None:
    # Random losses and a rival make for losses, timeouts and recoveries of all kinds.
    queue = {"name": "droptail", "limit": "20 packets"}
    path = {"loss": {"name": "independent", "probability": 0.003}, "queue": queue}

    def run(name: str, **classes: Any) -> Run:
        scenario = document({"name": name, **parameters}, **path)
        scenario["flows"][0]["transport"] = transport
        return Scenario.from_dict(scenario, **classes).run(seed=3)

    in_rust, in_python = run("rbcc"), run("mine-too", controls={"mine-too": Rbcc})
    assert sum(in_rust.flows["retransmitted_packets"]) > 0
    assert same_but_for_the_name(in_rust, in_python, "rbcc")


@pytest.mark.parametrize("parameters", [{}, {"gentle": False, "ecn": True, "weight": 0.02}])
def test_red_in_python_gives_the_run_of_red_in_rust(parameters: dict[str, Any]) -> None:
    def run(name: str, **classes: Any) -> Run:
        queue = {"name": name, "limit": "60 packets", **parameters}
        # Without series: the average that is shown may differ in its last bit where the link was idle, since Rust's
        # power is not the C library's. No drop depends on it here.
        return Scenario.from_dict(document("newreno", queue), **classes).run(seed=3, series=False)

    in_rust, in_python = run("red"), run("mine-too", queues={"mine-too": Red})
    assert in_rust.links["dropped_packets"][0] + in_rust.links["marked_packets"][0] > 0
    assert in_rust.to_json() == in_python.to_json()


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"ecn": True, "target": "2 ms", "interval": "30 ms"},
        {"max_packet": "5000 B", "limit": "12 packets"},
        {"limit": "9 kB", "ecn": True},
    ],
)
@pytest.mark.parametrize("transport", [{"name": "rfc", "ecn": True}, "linux", "sctp"])
def test_codel_in_python_gives_the_run_of_codel_in_rust(
    parameters: dict[str, Any], transport: dict[str, Any] | str
) -> None:
    def run(name: str, **classes: Any) -> Run:
        scenario = document("newreno", {"name": name, "limit": "60 packets", **parameters})
        scenario["flows"][0]["transport"] = transport
        return Scenario.from_dict(scenario, **classes).run(seed=3)

    in_rust, in_python = run("codel"), run("mine-too", queues={"mine-too": CoDel})
    assert in_rust.links["dropped_packets"][0] > 0
    if isinstance(transport, dict):
        assert (in_rust.links["marked_packets"][0] > 0) == parameters.get("ecn", False)
    assert in_rust.to_json() == in_python.to_json()


class Fits(Discipline):
    """Admits what fits."""

    def __init__(self, capacity: Any, link: Any) -> None:
        self.capacity = capacity

    def on_arrival(self, arrival: Any, backlog: Any, random: Any) -> Verdict:
        return "admit" if self.capacity.admits(arrival, backlog) else "drop"


class Favours(Fits):
    """The last flow goes first."""

    def on_departure(self, now: float, random: Any) -> Any:
        # The first of the largest: the oldest packet of that flow.
        return max(self.queue, key=lambda packet: packet.flow)


@pytest.mark.parametrize(("discipline", "packets"), [(Fits, 40), (Favours, 20)])
def test_a_discipline_that_chooses_lets_a_flow_past_another(discipline: Any, packets: int) -> None:
    # Two windows of 20 packets of 1500 B, 6 ms each at 2 Mbit/s. In order, a round trip is the time to send all 40,
    # 240 ms; the favoured flow waits for its own 20 alone, 120 ms, and nothing is left for the other.
    scenario = document({"name": "steady", "window": "20 packets"}, {"name": "ours", "limit": "unlimited"})
    flow = {**scenario["flows"][0], "count": 1}
    scenario["flows"] = [{**flow, "name": name} for name in ("other", "favoured")]
    made = Scenario.from_dict(scenario, controls={"steady": Steady}, queues={"ours": discipline})
    favoured = made.run(seed=1).flows.row(1, named=True)
    assert favoured["rtt_p50_s"] == pytest.approx(packets * 0.006, rel=0.01)
    assert favoured["delivered_packets"] == pytest.approx(20 * 20 / (packets * 0.006), rel=0.02)
    assert made.verify() == []


def test_what_waits_is_dropped_and_marked_at_arrivals_departures_and_periods() -> None:
    told: list[Any] = []

    class FromTheFront(Fits):
        """Drops the oldest for what arrives at a full queue, and marks the newest at the end of a period."""

        def on_arrival(self, arrival: Any, backlog: Any, random: Any) -> Verdict:
            assert (backlog.packets, backlog.bytes) == (len(self.queue), self.queue.bytes)
            assert self.queue.bytes == sum(packet.bytes for packet in self.queue)
            # What waits takes that long at 2 Mbit/s, after at most a packet of 1500 B that is being sent: 6 ms.
            assert -1e-9 <= backlog.wait - 8 * self.queue.bytes / 2e6 <= 0.006 + 1e-9
            if not self.capacity.admits(arrival, backlog):
                self.queue.drop(self.queue[0])
            return "admit"

        def on_departure(self, now: float, random: Any) -> Any:
            assert self.queue[0].now <= self.queue[-1].now <= now
            return self.queue[0]

        def period(self) -> float:
            return 0.1

        def on_period(self, now: float, backlog: Any) -> None:
            told.append(now)
            if backlog.packets > 5:
                self.queue.mark(self.queue[-1])

    scenario = document("newreno", {"name": "ours", "limit": "10 packets"})
    scenario["flows"] = [{**flow, "transport": {"name": "rfc", "ecn": True}} for flow in scenario["flows"]]
    made = Scenario.from_dict(scenario, queues={"ours": FromTheFront})
    bottleneck = made.run(seed=1).links.row(0, named=True)
    # Each direction of the link looks at its queue, until the last packet of the 20 s.
    assert sorted(set(told)) == pytest.approx([0.1 * step for step in range(1, 200)])
    assert bottleneck["marked_packets"] > 0
    assert bottleneck["dropped_packets"] > 0
    assert made.verify() == []


@pytest.mark.parametrize(
    ("departs", "message"),
    [
        (lambda _: None, "returned None while the link is free and the queue has length 1"),
        (lambda _: 3, "3 is not a packet that waits"),
        (lambda mine: mine.gone, "Arrival.*is not a packet that waits"),
        (
            lambda mine: mine.queue.drop(mine.queue[0]) or mine.queue.drop(mine.gone),
            "not a packet that waits",
        ),
        (lambda mine: mine.queue[-1], "although an older packet of its flow waits"),
        (lambda mine: mine.queue[99], "IndexError: no packet at index 99 of a queue of length [0-9]+"),
        (lambda mine: 1 / 0, "ZeroDivisionError"),
    ],
)
def test_a_departure_that_cannot_be_is_an_error(departs: Any, message: str) -> None:
    class Odd(Fits):
        """Lets go what cannot go."""

        gone = None

        def on_departure(self, now: float, random: Any) -> Any:
            if len(self.queue) == 1 and self.gone is None:
                self.gone = self.queue[0]
                return self.gone
            return departs(self)

    with pytest.raises(RunError, match=f'the queue discipline "odd" raised .*{message}'):
        Scenario.from_dict(document("newreno", "odd"), queues={"odd": Odd}).run(series=False)


def test_a_queue_is_there_for_those_that_decide_at_departure_and_changed_in_events_alone() -> None:
    class Early(Fits):
        """Has no packets to drop."""

        def on_arrival(self, arrival: Any, backlog: Any, random: Any) -> Verdict:
            self.queue.drop(arrival)
            return "admit"

    class Late(Favours):
        """Drops for a figure."""

        def publish(self) -> dict[str, float]:
            for packet in self.queue:
                self.queue.drop(packet)
            return {}

    with pytest.raises(RunError, match="`queue` is available only in a discipline with on_departure"):
        Scenario.from_dict(document("newreno", "early"), queues={"early": Early}).run()
    with pytest.raises(RunError, match="publish dropped a packet"):
        Scenario.from_dict(document("newreno", "late"), queues={"late": Late}).run()


def test_a_layer_and_a_discriminator_stand_around_a_window_of_python() -> None:
    def run(name: str, **classes: Any) -> Run:
        scenario = document(name, loss={"name": "independent", "probability": 0.01})
        scenario["flows"][0] |= {"discriminator": "rtt", "action": "cwa", "slow_start": "hystart++"}
        return Scenario.from_dict(scenario, **classes).run(seed=1)

    assert same_but_for_the_name(run("rbcc"), run("mine-too", controls={"mine-too": Rbcc}), "rbcc")
    with pytest.raises(ScenarioError, match="a window-based control instead"):
        run("steady", controls={"steady": Steady})


def test_a_window_of_ten_packets_is_ten_packets_in_a_round_trip() -> None:
    # By Little's law: ten packets are on their way at a time, so ten are delivered in each round trip of 20 s.
    scenario = document({"name": "steady", "window": "10 packets"})
    scenario["flows"] = scenario["flows"][:1]
    scenario["flows"][0]["count"] = 1
    run = Scenario.from_dict(scenario, controls={"steady": Steady}).run()
    assert run.flows["cwnd_mean_packets"][0] == 10
    assert run.flows["delivered_packets"][0] == pytest.approx(10 * 20 / run.flows["rtt_mean_s"][0], rel=0.01)


def test_a_rate_paces_and_marks_are_counted() -> None:
    class Paced(Steady):
        """Half the bottleneck's rate, whatever the window."""

        counts_marks = True
        seen = 0

        def decision(self) -> Decision:
            return Decision(1000, pacing_rate=1e6, send_quantum=1)

        def on_ack(self, ack: Any, random: Any) -> None:
            Paced.seen += ack.marks

    scenario = document("paced", {"name": "droptail", "limit": "none"})
    del scenario["dumbbell"]["bottleneck"]["queue"]
    scenario["flows"] = [{"control": "paced", "transport": {"name": "rfc", "ecn": True}}]
    run = Scenario.from_dict(scenario, controls={"paced": Paced}).run()
    assert run.flows["goodput_bps"][0] == pytest.approx(1e6, rel=0.02)
    assert Paced.seen == 0


def test_random_numbers_are_those_of_the_run() -> None:
    drawn: list[float] = []

    class Guessing(Steady):
        """Draws at each acknowledgement."""

        def on_ack(self, ack: Any, random: Any) -> None:
            drawn.append(random.uniform())
            self.source = random

        def decision(self) -> Decision:
            return Decision(10 + (drawn[-1] if drawn else 0))

    scenario = Scenario.from_dict(document("guess"), controls={"guess": Guessing})
    first, numbers = scenario.run(seed=1).to_json(), drawn.copy()
    drawn.clear()
    assert (scenario.run(seed=1).to_json(), drawn) == (first, numbers)
    assert len(set(numbers)) > 100
    assert all(0 <= number < 1 for number in numbers)
    drawn.clear()
    scenario.run(seed=2)
    assert drawn[:10] != numbers[:10]

    class Late(Steady):
        """Draws when nothing happens."""

        def on_ack(self, ack: Any, random: Any) -> None:
            self.source = random

        def decision(self) -> Decision:
            if hasattr(self, "source"):
                self.source.uniform()
            return Decision(10)

    # The decision is a part of the event; what is published is not.
    Scenario.from_dict(document("late"), controls={"late": Late}).run()
    Late.publish = lambda self: {"draw": ackclock.custom.Draws.uniform()}  # type: ignore[method-assign]
    with pytest.raises(RunError, match="only during an event"):
        Scenario.from_dict(document("late2"), controls={"late2": Late}).run()


def test_what_is_published_is_a_series() -> None:
    run = Scenario.from_dict(document("mine-too"), controls={"mine-too": Rbcc}).run()
    shown = run.series.drop_nulls("rtt_threshold_s")
    assert set(shown["rtt_threshold_s"]) == {0.124}
    assert set(shown["name"]) == {"mine-1", "mine-2"}


@pytest.mark.parametrize("where", ["__init__", "on_ack", "on_loss", "decision", "publish"])
def test_an_exception_in_a_control_stops_the_run_and_is_its_cause(where: str) -> None:
    class Broken(Rbcc):  # type: ignore[misc, valid-type]
        """Raises."""

    def fail(self: Any, *_: Any) -> None:
        raise ZeroDivisionError("the law divides by nothing")

    setattr(Broken, where, fail)
    queue = {"name": "droptail", "limit": "5 packets"}
    scenario = Scenario.from_dict(document("broken", queue), controls={"broken": Broken})
    with pytest.raises(
        RunError,
        match=r'the control "broken" raised ZeroDivisionError: the law .*, at \S+test_custom\.py:\d+, in \w+$',
    ) as raised:
        scenario.run(seed=1)
    cause = raised.value.__cause__
    assert isinstance(cause, ZeroDivisionError)
    frames = [frame.name for frame in traceback.extract_tb(cause.__traceback__)]
    assert frames[-1] == "fail"
    if where != "publish":  # there is no figure of many runs
        with pytest.raises(RunError, match="the law divides by nothing"):
            scenario.run_many(replications=2)


def test_an_exception_in_a_discipline_stops_the_run_and_an_interruption_is_one() -> None:
    class Broken(Red):  # type: ignore[misc, valid-type]
        """Raises."""

        def on_arrival(self, arrival: Any, backlog: Any, random: Any) -> Any:
            raise KeyboardInterrupt

    class Odd(Red):  # type: ignore[misc, valid-type]
        """Answers what cannot be."""

        def on_arrival(self, arrival: Any, backlog: Any, random: Any) -> Any:
            return True

    with pytest.raises(KeyboardInterrupt):
        Scenario.from_dict(document("reno", "broken"), queues={"broken": Broken}).run()
    with pytest.raises(RunError, match="its verdict is True, expected"):
        Scenario.from_dict(document("reno", "odd"), queues={"odd": Odd}).run()


@pytest.mark.parametrize(
    ("decision", "message"),
    [
        (Decision(float("nan")), "cwnd NaN"),
        (Decision(0), "cwnd 0"),
        (Decision(float("inf")), "cwnd inf"),
        (Decision(10, -1), "ssthresh -1"),
        (Decision(10, pacing_rate=0), "pacing_rate 0"),
        (Decision(10, pacing_rate=float("nan")), "pacing_rate NaN"),
        (Decision(10, send_quantum=0), "send_quantum 0"),
        (Decision(10, send_quantum=-1), "its decision is .*send_quantum=-1.*, expected an ackclock.Decision"),
        (12, "its decision is 12, expected an ackclock.Decision"),
        (None, "its decision is None, expected an ackclock.Decision"),
    ],
)
def test_a_decision_that_no_host_could_follow_is_an_error(decision: Any, message: str) -> None:
    class Odd(Steady):
        """Decides what cannot be."""

        def decision(self) -> Any:
            return decision

    with pytest.raises(RunError, match=message):
        Scenario.from_dict(document("odd"), controls={"odd": Odd}).run()


def test_a_misspelt_name_or_parameter_is_met_where_it_stands() -> None:
    with pytest.raises(ScenarioError) as misspelt:
        Scenario.from_dict(document("stedy"), controls={"steady": Steady})
    (problem,) = misspelt.value.diagnostics
    assert (problem["path"], problem["hint"]) == ("flows.0.control", "`steady`")
    assert problem["line"] > 0
    with pytest.raises(ScenarioError, match="`window`"):
        Scenario.from_dict(document({"name": "steady", "windov": "3 packets"}), controls={"steady": Steady})
    with pytest.raises(ScenarioError, match="of at least 1"):
        Scenario.from_dict(document({"name": "steady", "window": "0 packets"}), controls={"steady": Steady})
    with pytest.raises(ScenarioError, match='"red-too"'):
        Scenario.from_dict(document("reno", "red-too"), queues={"mine": Red})
    # Nothing is known of it elsewhere.
    with pytest.raises(ScenarioError, match='"steady"'):
        Scenario.from_dict(document("steady"))


class Words(Steady):
    """Parameters of every kind."""

    mode: Literal["slow", "fast"] = "slow"
    count: int = 3
    flag: bool = True
    bound: float | None = parameter(None, unit="time")
    rate: int = parameter("3 Mbit/s", unit="rate")

    seen: Any = None  # no annotation that could be one: see below


del Words.__annotations__["seen"]


def test_parameters_are_there_when_the_constructor_begins() -> None:
    class Looking(Words):
        """Looks at its parameters."""

        def __init__(self, initial: Any) -> None:
            Words.seen = (self.mode, self.count, self.flag, self.bound, self.rate, self.window)

    table = {"name": "looking", "mode": "fast", "count": 5, "bound": "3 ms"}
    Scenario.from_dict(document(table), controls={"looking": Looking}).run()
    assert Words.seen == ("fast", 5, True, 0.003, 3_000_000, 10.0)


def declared(annotation: Any, default: Any) -> type[Control]:
    return type("Declared", (Steady,), {"__annotations__": {"gain": annotation}, "gain": default})


@pytest.mark.parametrize(
    ("controls", "message"),
    [
        ({"x": Steady(None)}, "expected a subclass of ackclock.Control"),  # type: ignore[arg-type]  # an instance
        ({"x": Red}, "expected a subclass of ackclock.Control"),
        ({"x": Control}, "does not define decision, on_ack"),
        ({"cubic": Steady}, 'a control "cubic" exists already'),
        ({"": Steady}, "the name ''"),
        ({"a\x1bb": Steady}, "expected 1 to 100 printable characters"),
        ({3: Steady}, "the key 3"),
        ([Steady], "expected a dictionary"),
        ({"x": declared(float, "often")}, "the default of gain is often, expected a number"),
        ({"x": declared(float, parameter(2.0, at_most=1))}, "expected a number of at most 1"),
        ({"x": declared(float, float("nan"))}, "default of gain"),
        ({"x": declared(list, [])}, "expected float, int, bool or a Literal"),
        ({"x": declared(float, parameter("3 parsecs", unit="time"))}, "the default of gain is 3 parsecs"),
        ({"x": declared("Nowhere", 1)}, "cannot be evaluated"),
        (
            {"x": type("Odd", (Steady,), {"on_timout": Steady.on_timeout})},
            'has the method on_timout, which is not an event; did you mean "on_timeout"',
        ),
        ({"x": type("Odd", (Steady,), {"recovery": "prayer"})}, 'no retransmission rule "prayer"'),
    ],
)
def test_a_class_that_cannot_be_a_control_is_refused(controls: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Scenario.from_dict(document("x"), controls=controls)


def test_sweeps_run_one_after_another_and_are_never_stored(tmp_path: Path) -> None:
    swept = document("steady") | {
        "duration": "2 s",
        "sweep": {"flows.mine.control.window": ["4 packets", "8 packets"]},
    }
    swept["flows"][0]["control"] = {"name": "steady", "window": "4 packets"}
    scenario = Scenario.from_dict(swept, controls={"steady": Steady})
    runs = scenario.run_many(replications=2)
    assert [run.flows["cwnd_mean_packets"][0] for run in runs] == [4, 4, 8, 8]
    assert runs[3].to_json() == scenario.points()[1].run(seed=2, series=False).to_json()
    with pytest.raises(InputError, match="cannot be stored"):
        scenario.run_many(out=tmp_path)
    job = Job(scenario.text, "mine", {}, 1, controls={"steady": Steady})
    Store(tmp_path).save(job, json.dumps({"made": "up"}))
    assert Store(tmp_path).load(job) is None
    assert list(tmp_path.iterdir()) == []


def test_a_worker_makes_a_run_of_a_class_that_it_has_never_seen() -> None:
    cloudpickle = pytest.importorskip("cloudpickle")
    from ackclock import _cluster as cluster
    from ackclock._store import core_fingerprint

    class Local(Steady):
        """Of this function alone."""

    scenario = Scenario.from_dict(document("local"), controls={"local": Local})
    sent = cloudpickle.dumps([Job(scenario.text, "mine", {}, 1, False, {"local": Local})])
    ((_, text, _, error),) = cluster.make(cloudpickle.loads(sent), core_fingerprint())
    assert error is None
    assert json.loads(text)["flows"] == scenario.run(seed=1, series=False).result["flows"]


def test_traces_are_verified_with_python_in_them() -> None:
    scenario = document("mine-too", {"name": "red-too", "limit": "30 packets"})
    made = Scenario.from_dict(scenario, controls={"mine-too": Rbcc}, queues={"red-too": Red})
    assert made.verify() == []
    assert len(made.trace()) > 1000
    assert set(made.events(seed=1)["flow"]) == {"mine-1", "mine-2", "others"}
    assert made.with_overrides({"flows.mine.count": 1}).describe()["flows"][0]["control"] == "mine-too"


def test_the_package_names_them() -> None:
    assert {"Control", "Discipline", "Decision", "parameter"} <= set(dir(ackclock))
