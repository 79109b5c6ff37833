"""Sweeps over the workers of a Dask cluster on this machine."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import SCENARIO, Command, replaced
from random_scenarios import random_scenarios

from ackclock import Control, Decision
from ackclock import _cluster as cluster
from ackclock import _typed_core as core
from ackclock._collect import Collector
from ackclock._store import Job, Store, core_fingerprint
from ackclock.errors import AckclockError, InputError, ScenarioError
from ackclock.scenario import Scenario

distributed = pytest.importorskip("distributed")

SHORT = replaced(SCENARIO, ('duration = "5 s"', 'duration = "1 s"'))
SWEPT = f'{SHORT}\n[sweep]\n"dumbbell.bottleneck.queue.limit" = ["5 packets", "10 packets"]\n'

pytestmark = [
    # Of the library and of its event loop, not of ours.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Two workers, each a process with one thread. One that dies is started again."""
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        ) as local,
        distributed.Client(local, set_as_default=False) as client,
    ):
        yield client


def test_workers_make_runs_of_a_class_that_they_have_never_seen(client: Any) -> None:
    class Steady(Control):
        """A window of five packets."""

        def decision(self) -> Decision:
            return Decision(5)

        def on_ack(self, ack: Any, random: Any) -> None:
            pass

        def on_loss(self, loss: Any, random: Any) -> None:
            pass

        def on_timeout(self, timeout: Any, random: Any) -> None:
            pass

    scenario = Scenario.from_text(SWEPT, {"flows.0.control": "steady"}, controls={"steady": Steady})
    here = scenario.run_many(replications=2)
    there = scenario.run_many(replications=2, client=client)
    assert [run.to_json() for run in here] == [run.to_json() for run in there]
    assert here[0].flows["cwnd_mean_packets"][0] == pytest.approx(5)


def test_two_workers_give_the_same_bytes_as_this_machine(client: Any) -> None:
    scenario = Scenario.from_text(SWEPT)
    here = scenario.run_many(replications=3, series=True)
    there = scenario.run_many(replications=3, series=True, client=client)
    assert [run.to_json() for run in there] == [run.to_json() for run in here]
    assert there.summary().equals(here.summary())


def test_random_scenarios_give_the_same_numbers_there_with_series_as_here_without(client: Any) -> None:
    for text in random_scenarios(20):
        scenario = Scenario.from_text(text)
        here = scenario.run_many(replications=2)
        there = scenario.run_many(replications=2, series=True, client=client)
        for one, other in zip(here, there, strict=True):
            for table in ("flows", "links"):
                assert getattr(one, table).equals(getattr(other, table)), text


def test_with_one_worker_killed_a_sweep_is_complete_and_correct(client: Any, tmp_path: Path) -> None:
    scenario = Scenario.from_text(SWEPT)
    plan = scenario.plan(replications=30)
    collector = Collector(scenario.sweep, plan, keep=True)
    workers = list(client.run(os.getpid).values())
    killed: list[int] = []

    def take(point: int, run: Any) -> None:
        collector.take(point, run)
        if not killed:
            killed.append(workers[0])
            os.kill(workers[0], signal.SIGKILL)

    done = scenario.simulate(plan, take, store=Store(tmp_path), pool=cluster.Workers(client))
    assert killed
    assert (done.runs, done.stored, done.failures) == (60, 0, [])
    runs = collector.runs([])
    assert len(runs) == 60
    here = scenario.run_many(replications=30)
    assert [run.to_json() for run in runs] == [run.to_json() for run in here]
    # What came back was stored by who asked for it.
    again = scenario.simulate(plan, lambda *_: None, store=Store(tmp_path), pool=cluster.Workers(client))
    assert again.stored == 60


def test_one_that_fails_comes_back_as_an_error(client: Any) -> None:
    jobs = [Job(SHORT, "mine.toml", {"flows.tcp.count": count}, 1) for count in (1, 0)]
    results = dict(cluster.Workers(client).begin(jobs))
    assert isinstance(results[0], core.Made)
    assert isinstance(results[1], ScenarioError)
    assert results[1].diagnostics[0]["path"] == "flows.0.count"


def test_a_worker_with_another_core_is_refused() -> None:
    with pytest.raises(AckclockError, match="a Dask worker has the simulator core"):
        cluster.make([Job(SHORT, "mine.toml", {}, 1)], "0.0.0+other")
    ((index, text, series, error),) = cluster.make([Job(SHORT, "mine.toml", {}, 1)], core_fingerprint())
    assert (index, series, error) == (0, None, None)
    assert text


def test_the_command_line(client: Any, ackclock: Command, scenario_file: Path) -> None:
    scenario_file.write_text(SWEPT)
    here = ackclock("run", scenario_file, "--json", "--out", "here")
    there = ackclock("run", scenario_file, "--json", "--out", "there", "--dask", client.scheduler.address)
    assert there.code == 0
    assert there.out == here.out


def test_an_evaluation_and_a_search_find_what_they_find_on_this_machine(
    client: Any, ackclock: Command
) -> None:
    at = ("--dask", client.scheduler.address)
    asked = ("evaluate", "cubic", "--only", "N-17", "--seeds", "2", "--json")
    here, there = ackclock(*asked, "--out", "here"), ackclock(*asked, "--out", "there", *at)
    assert there.code == 0, there.err
    assert there.out == here.out
    pytest.importorskip("cmaes")
    asked = ("search", "newreno", "--for", "utilisation", "--runs", "10", "--json")
    found = [
        json.loads(ackclock(*asked, "--out", out, *more).out) for out, more in (("here", ()), ("there", at))
    ]
    for one in found:
        del one["scenario"]
    assert found[0] == found[1]


def test_where_nobody_is(ackclock: Command, scenario_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for address in ("nonsense://x", ""):
        outcome = ackclock("run", scenario_file, "--dask", address)
        assert outcome.code == 2
        assert f'--dask: found "{address}", expected an address' in outcome.err
        assert "Traceback" not in outcome.err
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(InputError, match="-m pip install distributed"):
        cluster.connect("tcp://127.0.0.1:1")
