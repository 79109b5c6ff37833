"""Sweeps: their points, their tables, what is stored of them, what fails and what is too much."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from conftest import SCENARIO, Command, replaced

from ackclock import _typed_core as core
from ackclock._collect import Collector
from ackclock._jobs import Local, run_jobs
from ackclock._store import Job, Store
from ackclock._summary import Samples, over
from ackclock._sweep_jobs import Plan, repeating
from ackclock.cli.sweep_text import cost, expected_s, spent
from ackclock.cli.terminal import TimeLeft, progress_bar
from ackclock.errors import AckclockError, InputError, RunError, ScenarioError
from ackclock.run import Runs
from ackclock.scenario import Scenario, Simulated
from ackclock.statistics import Summary, summarise

SHORT = replaced(SCENARIO, ('duration = "5 s"', 'duration = "1 s"'))
QUEUES = '"dumbbell.bottleneck.queue.limit" = ["5 packets", "10 packets"]\n'


def swept(paths: str, text: str = SHORT) -> Scenario:
    return Scenario.from_text(f"{text}\n[sweep]\n{paths}", file="mine.toml")


def link_samples(numbers: dict[str, float | None]) -> Samples:
    """The numbers of a run with a single link."""
    found = Samples(None)
    found.owners["links.only"] = "link", numbers
    return found


class TestSummary:
    def test_it_is_that_of_each_point(self) -> None:
        runs = swept(QUEUES).run_many([1, 2, 3])
        table = runs.summary()
        assert table["limit_packets"].to_list() == [5, 10]
        assert table["runs"].to_list() == [3, 3]
        for row, point in zip(table.iter_rows(named=True), runs.by_point, strict=True):
            goodputs = [sum(run.flows["goodput_bps"]) / 2 for run in point]
            expected = summarise(goodputs)
            assert expected.mean is not None
            assert expected.interval is not None
            assert row["groups.tcp.goodput_bps"] == pytest.approx(expected.mean)
            assert row["groups.tcp.goodput_low_bps"] == pytest.approx(expected.interval[0])
            assert row["groups.tcp.goodput_high_bps"] == pytest.approx(expected.interval[1])

    def test_many_numbers_at_once_are_as_one_by_one(self) -> None:
        columns: dict[str, Sequence[float | None]] = {
            "lost_packets": [1.0, 2.0, 4.0],
            "utilisation": [0.1, 0.1, 0.1],
            "queue_mean_packets": [1.0, None, 3.0],
            "queue_max_packets": [None, None, None],
        }
        found = over(
            link_samples({name: values[run] for name, values in columns.items()}) for run in range(3)
        )
        for field, values in columns.items():
            name = f"links.only.{field}"
            expected = summarise([float("nan") if value is None else value for value in values])
            assert found[name].count == expected.count
            assert found[name].mean == (None if expected.mean is None else pytest.approx(expected.mean))
            assert found[name].interval == (
                None if expected.interval is None else pytest.approx(expected.interval)
            )
        alone = over([link_samples({"utilisation": 0.5})])
        assert alone["links.only.utilisation"] == Summary(0.5, None, None, 1)

    def test_files_have_the_intervals(self, tmp_path: Path) -> None:
        runs = swept(QUEUES).run_many([1, 2])
        runs.write(tmp_path)
        assert pl.read_parquet(tmp_path / "summary.parquet").equals(runs.summary())
        table = pl.read_csv(tmp_path / "summary.csv")
        assert table["limit_packets"].to_list() == [5, 10]
        assert (table["groups.tcp.goodput_low_bps"] <= table["groups.tcp.goodput_bps"]).all()

    def test_no_file_of_another_run_is_left(self, tmp_path: Path) -> None:
        (tmp_path / "notes.txt").write_text("mine")
        Scenario.from_text(SHORT).run_many(series=True).write(tmp_path)
        assert (tmp_path / "series.parquet").exists()
        swept(QUEUES).run_many().write(tmp_path)
        assert not (tmp_path / "series.parquet").exists()
        assert (tmp_path / "notes.txt").read_text() == "mine"

    def test_points_may_be_done_with_before_all_runs_are(self) -> None:
        scenario = swept(QUEUES)
        plan = scenario.plan([1, 2])
        kept, lean = Collector(scenario.sweep, plan, keep=True), Collector(scenario.sweep, plan, keep=False)

        def take(point: int, run: Any) -> None:
            kept.take(point, run)
            lean.take(point, run)

        scenario.simulate(plan, take, store=Store(None), pool=Local())
        assert len(kept.runs([])) == 4
        assert len(lean.runs([])) == 0
        assert lean.table().equals(kept.runs([]).summary())


class TestSamples:
    PATHS = (
        '"dumbbell.bottleneck.rate" = { from = "1 Mbit/s", to = "4 Mbit/s", scale = "log" }\n'
        '"flows.tcp.control" = ["reno", "cubic"]\n'
    )

    @pytest.mark.parametrize("method", ["latin-hypercube", "random"])
    def test_the_grid_has_the_same_samples_everywhere(self, method: str) -> None:
        scenario = swept(f'{self.PATHS}samples = {{ count = 6, method = "{method}", seed = 3 }}\n')
        points = [scenario.sweep.cells(point) for point in range(len(scenario.sweep))]
        rates = {
            control: [point["bottleneck_rate_bps"] for point in points if point["tcp_control"] == control]
            for control in ("reno", "cubic")
        }
        assert rates["reno"] == rates["cubic"]
        assert len(set(rates["reno"])) == 6
        assert all(1e6 <= rate <= 4e6 for rate in rates["reno"])

    def test_a_latin_hypercube_has_a_sample_in_every_part(self) -> None:
        scenario = swept(f"{self.PATHS}samples = {{ count = 8 }}\n")
        rates = sorted(scenario.sweep.cells(point)["bottleneck_rate_bps"] for point in range(8))
        # Part k of 8 of a logarithmic range from 1 to 4 ends at 4^(k / 8).
        assert all(1e6 * 4 ** (k / 8) <= rate * 1.00001 for k, rate in enumerate(rates))
        assert all(rate <= 1.00001e6 * 4 ** ((k + 1) / 8) for k, rate in enumerate(rates))

    def test_another_seed_draws_others(self) -> None:
        drawn = [
            swept(f"{self.PATHS}samples = {{ count = 4, seed = {seed} }}\n").sweep.overrides(0)
            for seed in (1, 1, 2)
        ]
        assert drawn[0] == drawn[1] != drawn[2]


class TestMistakes:
    @pytest.mark.parametrize(
        ("paths", "place", "words"),
        [
            ('"dumbbell.botleneck.delay" = ["1 ms"]\n', (15, 1), "did you mean `bottleneck`?"),
            ('"flows.tpc.count" = [1]\n', (15, 1), "or the name tcp"),
            ('"flows.tcp.count" = [1, 2, 1]\n', (15, 28), "which equals value 1 of the list"),
            (
                '"flows.0.count" = [1]\n"flows.tcp.count" = [2]\n',
                (16, 1),
                'a path to a key that "flows.0.count" also sets',
            ),
            ('"flows.tcp.count" = { from = 1, to = 9 }\n', (14, 1), "samples = { count = 64 }"),
        ],
    )
    def test_they_are_shown_where_they_stand(self, paths: str, place: tuple[int, int], words: str) -> None:
        with pytest.raises(ScenarioError) as caught:
            swept(paths)
        (problem,) = caught.value.diagnostics
        assert (problem["line"], problem["column"]) == place
        assert words in str(caught.value)

    def test_too_many_runs_are_refused_before_any_point_is_read(
        self, ackclock: Command, scenario_file: Path
    ) -> None:
        values = ", ".join(f'"{value} packets"' for value in range(1, 10_000))
        sweep = f'\n[sweep]\n"dumbbell.bottleneck.queue.limit" = [{values}]\n'
        scenario_file.write_text(f"replications = 100_000\n{SHORT}{sweep}")
        outcome = ackclock("run", scenario_file)
        assert (outcome.code, outcome.out) == (2, "")
        assert "small.toml:1:16: `replications`" in outcome.err
        assert "100000 replications of 9999 points, 999900000 runs" in outcome.err

    @pytest.mark.parametrize("seed", [-1, 2**53, 1.5, True, "1"])
    def test_seeds_that_cannot_be(self, seed: Any) -> None:
        scenario = Scenario.from_text(SHORT)
        for call in (
            lambda: scenario.run_many([1, seed]),
            lambda: scenario.run(seed),
            lambda: scenario.trace(seed),
        ):
            with pytest.raises(InputError, match="expected a whole number from 0 to 9007199254740991"):
                call()

    def test_seeds_may_come_from_numpy(self) -> None:
        runs = Scenario.from_text(SHORT).run_many(np.arange(3, 5))
        assert [run.seed for run in runs] == [3, 4]

    def test_numbers_that_make_no_sense(self) -> None:
        scenario = Scenario.from_text(SHORT)
        with pytest.raises(InputError, match="replications: found 0, expected a whole number from 1"):
            scenario.run_many(replications=0)
        with pytest.raises(InputError, match=r"threads .*: found -1, expected"):
            scenario.run_many(threads=-1)
        assert len(scenario.run_many([])) == 0

    def test_the_last_seed_is_within_the_bound_too(self, ackclock: Command, scenario_file: Path) -> None:
        outcome = ackclock("run", scenario_file, "--seed", 2**53 - 1, "--replications", "2")
        assert (outcome.code, outcome.out) == (2, "")
        assert f"the seed: found {2**53}" in outcome.err

    def test_points_that_are_not_there(self, ackclock: Command, scenario_file: Path) -> None:
        scenario_file.write_text(f"{SHORT}\n[sweep]\n{QUEUES}")
        outcome = ackclock("run", scenario_file, "--point", "3")
        assert (outcome.code, outcome.out) == (2, "")
        assert "found the point 3, expected a point of the sweep from 1 to 2" in outcome.err


class TestTerminal:
    def test_a_row_for_each_point_and_no_more_than_one_looks_at(
        self, ackclock: Command, scenario_file: Path
    ) -> None:
        scenario_file.write_text(
            f"{replaced(SHORT, ('1 s', '0.01 s'))}\n[sweep]\n"
            f'"flows.tcp.count" = {list(range(1, 9))}\n'
            '"dumbbell.bottleneck.delay" = ["1 ms", "2 ms", "3 ms", "4 ms", "5 ms", "6 ms"]\n'
        )
        lines = ackclock("run", scenario_file).out.splitlines()
        rows = [line.split()[:3] for line in lines if line[:1].isdigit()]
        assert rows == [[str(delay), "ms", str(count)] for delay in range(1, 6) for count in range(1, 9)]
        assert lines[0].endswith("seed 1, 48 points")
        assert "... and 8 more points: `--out DIR` writes them all" in lines

    def test_one_point_alone(self, ackclock: Command, scenario_file: Path) -> None:
        scenario_file.write_text(f"{SHORT}\n[sweep]\n{QUEUES}")
        outcome = ackclock("run", scenario_file, "--point", "2", "--json")
        (group,) = json.loads(outcome.out)["groups"]
        expected = swept(QUEUES).points()[1].run(1, series=False).groups
        assert group["goodput_bps"] == expected["goodput_bps"][0]

    def test_what_it_costs(self) -> None:
        # A packet has 1500 bytes on the wire: 1 Mbit/s for 1 s are 1e6 / 8 / 1500 = 83.3 of them.
        scenario = swept('"dumbbell.bottleneck.rate" = ["1 Mbit/s", "3 Mbit/s"]\n')
        plan = Plan(range(2), range(1, 6))
        packets, seconds = expected_s(scenario, plan, 2)
        assert packets == pytest.approx(5 * (1e6 + 3e6) / 8 / 1500)
        assert cost(plan, packets, seconds, 2).startswith("2 points x 5 replications, 10 runs: up to ")

    def test_long_runs_are_announced(
        self, ackclock: Command, scenario_file: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert ackclock("run", scenario_file).err == ""
        # 1 Mbit/s for 5 s are 1e6 * 5 / 8 / 1500 = 417 packets: 42 s for a core that does ten a second.
        monkeypatch.setattr("ackclock.cli.sweep_text.PACKETS_PER_S", 10.0)
        assert "1 run: up to 417 packets, about 42 s on " in ackclock("run", scenario_file).err

    def test_what_runs_took(self) -> None:
        done = Simulated(runs=1003, stored=1001, cpu_time_s=[0.002, 0.25])
        # (2 ms + 250 ms) / 2 = 126 ms
        assert (
            spent(done)
            == "2 runs took 0.13 s of CPU time on average, the longest 0.25 s; 1,001 cached runs reused"
        )
        assert spent(Simulated(runs=1, cpu_time_s=[0.0042])).endswith("the longest 4.2 ms")

    def test_the_time_left_does_not_count_what_was_stored(self) -> None:
        left = TimeLeft()
        # The stored ones come at once, without any share of the work.
        assert left.at(100.0, 0.0) is None
        assert left.at(110.0, 0.2) is None
        # 0.3 of the work in 6 s: 0.5 takes 10 s more.
        assert left.at(116.0, 0.5) == pytest.approx(10.0)
        assert left.words(116.0, 0.5) == ", 10 s left"
        assert TimeLeft().words(116.0, 0.5) == ""

    def test_progress_is_a_line_each_minute_where_there_is_no_terminal(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        seconds = iter([0.0, 0.0, 59.0, 61.0, 62.0, 121.0])
        monkeypatch.setattr("ackclock.cli.terminal.time.monotonic", lambda: next(seconds))
        with progress_bar("evaluate mine") as advance:
            for tenth in range(1, 6):
                advance(tenth, 10, tenth / 10)
        # A fifth of the work took 61 s, so seven tenths take 213.5 s; two fifths took 121 s, so the other half 151 s.
        assert capsys.readouterr().err == (
            "evaluate mine: 3 of 10 runs, 3 min 34 s left\nevaluate mine: 5 of 10 runs, 2 min 31 s left\n"
        )


class Failing(core.Batch):
    """The runs with an even seed fail."""

    def __init__(self, jobs: Sequence[tuple[str, str, str, int, bool]], threads: int = 0) -> None:
        super().__init__(jobs, threads)
        self.seeds = [job[3] for job in jobs]

    def __iter__(self) -> Iterator[tuple[int, core.Made | AckclockError]]:
        for index, made in super().__iter__():
            yield index, RunError("too many packets") if self.seeds[index] % 2 == 0 else made


class TestFailures:
    def test_the_others_go_on(
        self, ackclock: Command, scenario_file: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(core, "Batch", Failing)
        scenario_file.write_text(f"{SHORT}\n[sweep]\n{QUEUES}")
        setting = "dumbbell.bottleneck.rate=2 Mbit/s"
        outcome = ackclock("run", scenario_file, "--replications", "3", "--set", setting, "--out", "results")
        assert outcome.code == 1
        assert "2 of 6 runs failed; the results of the other runs are complete" in outcome.err
        assert pl.read_csv("results/summary.csv")["runs"].to_list() == [2, 2]
        repeated = "ackclock run small.toml --set 'dumbbell.bottleneck.rate=\"2 Mbit/s\"' --point 2 --seed 2"
        assert f"too many packets; `{repeated.replace('small.toml', str(scenario_file))}" in outcome.err

    def test_they_are_with_the_result(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(core, "Batch", Failing)
        runs = swept(QUEUES).run_many([1, 2])
        assert [run.seed for run in runs] == [1, 1]
        assert [(failure.point, failure.seed) for failure in runs.failures] == [(1, 2), (2, 2)]

    def test_where_all_fail_there_is_no_result(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(core, "Batch", Failing)
        with pytest.raises(RunError, match=r"too many packets; `ackclock run mine\.toml --point 1 --seed 2"):
            swept(QUEUES).run_many([2, 4])

    def test_a_point_that_was_not_checked_fails_alone(self) -> None:
        jobs = [Job(SHORT, "mine.toml", {"flows.tcp.count": count}, 1) for count in (1, 0, 2)]
        results: dict[int, Mapping[str, Any]] = {}
        failures: dict[int, AckclockError] = {}
        run_jobs(jobs, results.__setitem__, store=Store(None), on_failure=failures.__setitem__)
        assert sorted(results) == [0, 2]
        assert isinstance(failures[1], ScenarioError)
        assert "a whole number from 1 to 10000" in str(failures[1])
        with pytest.raises(ScenarioError, match="a whole number from 1 to 10000"):
            run_jobs(jobs, results.__setitem__, store=Store(None))

    def test_the_command_that_repeats_a_run(self) -> None:
        overrides = {"flows.tcp.control": {"name": "cubic", "beta": 0.7}, "duration": "2 s"}
        assert repeating("my file.toml", overrides, 3, 9) == (
            'ackclock run \'my file.toml\' --set \'flows.tcp.control={ "name" = "cubic", "beta" = 0.7 }\' '
            "--set 'duration=\"2 s\"' --point 4 --seed 9 --replications 1"
        )


class TestPrecision:
    WANTED = 'precision = {{ within = "{}", metrics = ["groups.tcp.goodput_bps"], replications_most = {} }}\n'

    def test_points_get_replications_until_they_are_precise(self) -> None:
        runs = swept(QUEUES, self.WANTED.format("20 %", 60) + "replications = 2\n" + SHORT).run_many()
        table = runs.summary()
        half = (table["groups.tcp.goodput_high_bps"] - table["groups.tcp.goodput_low_bps"]) / 2
        assert (half <= 0.2 * table["groups.tcp.goodput_bps"]).all()
        assert table["runs"].max() > 2
        # The seeds follow each other, so that a point can be made again.
        for point in runs.by_point:
            assert [run.seed for run in point] == list(range(1, len(point) + 1))

    def test_it_stops_where_it_is_told(self, ackclock: Command, scenario_file: Path) -> None:
        scenario_file.write_text(self.WANTED.format("0.001 %", 7) + SHORT)
        outcome = ackclock("run", scenario_file, "--out", "results")
        assert (
            "at 1 of 1 point a 95 % interval is wider than ±0.001 % of the mean after 7 replications"
            in outcome.out
        )
        assert pl.read_csv("results/summary.csv")["runs"].to_list() == [7]

    def test_what_does_not_vary_is_precise(self) -> None:
        still = replaced(SHORT, ('start = { uniform = ["0 s", "0.5 s"] }\n', ""))
        assert len(Scenario.from_text(self.WANTED.format("1 %", 50) + still).run_many()) == 5

    def test_replications_that_are_given_are_made(self) -> None:
        text = self.WANTED.format("0.001 %", 50) + SHORT
        assert len(Scenario.from_text(text).run_many(replications=3)) == 3
        assert len(Scenario.from_text(text).run_many([4, 5])) == 2


class TestStopping:
    def test_after_a_kill_a_sweep_goes_on(self, tmp_path: Path) -> None:
        """SIGKILL in the middle, and half a file of the last run: only what is missing runs again."""
        path = tmp_path / "mine.toml"
        path.write_text(f"{SHORT}\n[sweep]\n{QUEUES}")
        # The program kills itself when it has stored seven of twenty runs, half way through writing the eighth.
        program = (
            "import os, signal, sys\n"
            "from pathlib import Path\n"
            "from ackclock import _store as store\n"
            "from ackclock.scenario import Scenario\n"
            "saved, save = [], store.Store.save\n"
            "def killed(self, job, text, series=None):\n"
            "    if len(saved) == 7:\n"
            "        save(self, job, text[:100], series)\n"
            "        os.kill(os.getpid(), signal.SIGKILL)\n"
            "    save(self, job, text, series)\n"
            "    saved.append(job)\n"
            "store.Store.save = killed\n"
            f"Scenario.from_file({str(path)!r}).run_many(replications=10, out={str(tmp_path)!r})\n"
        )
        dead = subprocess.run([sys.executable, "-c", program], check=False, env={**os.environ})
        assert dead.returncode == -signal.SIGKILL
        assert len(list((tmp_path / "runs").rglob("*.run.zip"))) == 8
        scenario = Scenario.from_file(path)
        plan = scenario.plan(replications=10)
        collector = Collector(scenario.sweep, plan, keep=True)
        done = scenario.simulate(plan, collector.take, store=Store(tmp_path), pool=Local())
        assert (done.runs, done.stored) == (20, 7)
        whole = scenario.run_many(replications=10)
        assert [run.to_json() for run in collector.runs([])] == [run.to_json() for run in whole]

    def test_what_is_stored_is_looked_up_batch_by_batch(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The first run starts before the last is looked up."""
        monkeypatch.setattr("ackclock._jobs.FIRST", 2)
        monkeypatch.setattr("ackclock._jobs.BATCH", 3)
        events: list[str] = []
        load, batch = Store.load, core.Batch

        def looked_up(self: Store, job: Job) -> dict[str, Any] | None:
            events.append("look up")
            return load(self, job)

        class Begun(batch):  # type: ignore[misc,valid-type]
            def __init__(self, jobs: Sequence[tuple[str, str, str, int, bool]], threads: int = 0) -> None:
                events.append(f"begin {len(jobs)}")
                super().__init__(jobs, threads)

        monkeypatch.setattr(Store, "load", looked_up)
        monkeypatch.setattr(core, "Batch", Begun)
        jobs = [Job(SHORT, "mine.toml", {"duration": "0.1 s"}, seed) for seed in range(9)]
        results: dict[int, Mapping[str, Any]] = {}
        run_jobs(jobs, results.__setitem__, store=Store(tmp_path), threads=1)
        assert sorted(results) == list(range(9))
        assert events[:3] == ["look up", "look up", "begin 2"]
        assert [event for event in events if event != "look up"] == [
            "begin 2",
            "begin 3",
            "begin 3",
            "begin 1",
        ]


def test_a_point_costs_as_much_as_its_links_allow() -> None:
    scenario = swept('"dumbbell.bottleneck.rate" = ["1 Mbit/s", "2 Mbit/s"]\n')
    assert scenario.sweep.packets(1) == pytest.approx(2 * scenario.sweep.packets(0))


def test_points_are_checked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = swept(f'"flows.tcp.count" = {list(range(1, 50))}\n')

    def forbidden(*_: object) -> None:
        raise AssertionError("a point was checked again")

    monkeypatch.setattr(core, "check", forbidden)
    points = scenario.points()
    assert [point.overrides["flows.tcp.count"] for point in points] == list(range(1, 50))
    assert len(scenario.run_many([1])) == 49


def test_warnings_are_those_of_the_points() -> None:
    def unheard(scenario: Scenario) -> list[str]:
        return [warning for warning in scenario.sweep.warnings if "dctcp relies on ECN marks" in warning]

    assert unheard(swept('"flows.tcp.control" = ["newreno", "dctcp"]'))
    # The file itself has a control that needs marks, and none of the points does.
    text = replaced(SHORT, ('control = "newreno"', 'control = "dctcp"'))
    assert unheard(Scenario.from_text(text))
    assert not unheard(swept('"flows.tcp.control" = ["newreno", "reno"]', text))


def test_transfers_without_a_completion_time_are_counted(ackclock: Command, tmp_path: Path) -> None:
    """Of four transfers of 0.1 MB, begun each second, 0.1 Mbit/s carries none in 4 s, and 10 Mbit/s all."""
    text = (
        SHORT.partition("[[flows]]")[0]
        + """
[observe]
transfers = true
[[flows]]
name = "web"
control = "sack"
application = { name = "transfers", size = "100 kB", count = 4, every = "1 s" }
[sweep]
"dumbbell.bottleneck.rate" = ["RATE", "10 Mbit/s"]
"""
    )
    for rate, noted in (("0.1 Mbit/s", True), ("20 Mbit/s", False)):
        (tmp_path / "x.toml").write_text(text.replace("RATE", rate))
        done = ackclock("run", tmp_path / "x.toml", "--replications", "1", "--duration", "4 s")
        assert done.code == 0, done.err
        said = " ".join(done.out.split())
        assert ("web 0 to 100 %" in said) == ("transfers that did not complete" in said) == noted


def test_an_override_of_a_swept_key_is_its_only_value(ackclock: Command, tmp_path: Path) -> None:
    """The runs are those of the points with this value, and those of a file without the key in its sweep."""
    text = f'{SHORT}\n[sweep]\n"flows.tcp.control" = ["newreno", "cubic"]\n{QUEUES}'
    whole = Scenario.from_text(text).run_many([1], series=False).flows
    fixed = Scenario.from_text(text, {"flows.tcp.control": "cubic"})
    assert [axis.path for axis in fixed.sweep.axes] == ["dumbbell.bottleneck.queue.limit"]
    flows = fixed.run_many([1]).flows
    assert flows.equals(whole.filter(whole["tcp_control"] == "cubic").drop("tcp_control"))
    assert flows.equals(swept(QUEUES).with_overrides({"flows.tcp.control": "cubic"}).run_many([1]).flows)

    both = {"flows.tcp.control": "cubic", "dumbbell.bottleneck.queue.limit": "5 packets"}
    (alone,) = Scenario.from_text(text, both).points()
    assert alone.run(1).flows.equals(Scenario.from_text(text, both).run_many([1])[0].flows)
    (tmp_path / "x.toml").write_text(text)
    done = ackclock("run", tmp_path / "x.toml", "--set", "flows.tcp.control=cubic", "--replications", "1")
    assert "2 points" in done.out
    table = '"dumbbell.bottleneck.queue" = ["red", { name = "droptail", limit = "9 packets" }]'
    with pytest.raises(ScenarioError, match=r"would replace the override of `dumbbell\.bottleneck"):
        Scenario.from_text(f"{SHORT}\n[sweep]\n{table}", {"dumbbell.bottleneck.queue.limit": "5 packets"})


def test_a_point_whose_flows_begin_too_late_is_an_error_and_one_without_them_is_none() -> None:
    with pytest.raises(
        ScenarioError, match=r"found a start at 2 s for flow 1 of 2, .*the end of the run at 1 s"
    ):
        swept('"flows.tcp.start" = ["0 s", "2 s"]')
    with pytest.raises(ScenarioError, match="found a start at 500 ms"):
        swept('"flows.tcp.start" = ["0.5 s", "0 s"]\n"duration" = ["0.5 s", "1 s"]')
    assert not swept('"flows.tcp.start" = ["0 s", "never"]').sweep.warnings


def test_a_slice_keeps_the_axes() -> None:
    runs = swept(QUEUES).run_many([1])
    assert isinstance(runs[:1], Runs)
    assert runs[:1].flows["limit_packets"].unique().to_list() == [5]


def test_stored_jobs_are_of_the_same_key_whatever_holds_them() -> None:
    job = Job(SHORT, "mine.toml", {"flows.tcp.count": 1}, 1)
    assert dataclasses.replace(job, overrides={"flows.tcp.count": 1}).key() == job.key()
