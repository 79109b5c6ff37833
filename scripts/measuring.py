"""Runs in real time beside simulations of the same files, for `scripts/measure`: what runs, how often, and what is
recorded of it. The cases, the records' places and their tables are in `path_measurements`, `control_measurements`,
`wire_measurements` and `testbed_measurements`.
"""

from __future__ import annotations

import json
import os
import platform
import random
import shlex
import subprocess
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

import control_measurements as controls
import kernel_stream
import path_measurements as path
import testbed_measurements as testbed
import wire_measurements as wire
from path_measurements import SCENARIO, of_bottleneck

from ackclock import Scenario
from ackclock import _typed_core as core
from ackclock.errors import RunError
from ackclock.kernel_controls import Offered
from ackclock.series import Series

RUNS = 3
"""The number of valid runs of a case over a path."""
ATTEMPTS = 9
"""The number of invalid runs of a case over a path after which the machine is too late to measure it."""
ATTEMPTS_OF_TESTBED = 4
"""The same for a scenario of the testbed."""
Result = dict[str, Any]
Key = tuple[str, str, str, int]
Task = TypeVar("Task")
Found = TypeVar("Found")


def machine() -> Result:
    """Returns what a record says of the machine. A record of another one is begun again."""
    return {"kernel": platform.release(), "cores": os.cpu_count()}


def read(record: Path, about: Mapping[str, Any]) -> Result:
    """Returns a record; empty if there is none, or if it is not of this machine."""
    found: Result = json.loads(record.read_text(encoding="utf-8")) if record.exists() else {}
    return {} if any(found.get(key) != value for key, value in about.items()) else found


def in_parallel(
    waiting: list[Task],
    run: Callable[[Task], Found],
    take: Callable[[Task, Found], bool],
    wanted: Namespace,
    may_start: Callable[[Task, list[Task]], bool] = lambda _task, _running: True,
) -> None:
    """Runs tasks until none waits or the time is over. One for whose result ``take`` returns false waits again."""
    with ProcessPoolExecutor(wanted.parallel, get_context("fork")) as pool:
        running: dict[Future[Found], Task] = {}
        while running or (waiting and time.monotonic() < wanted.end):
            while len(running) < wanted.parallel and time.monotonic() < wanted.end:
                task = next((one for one in waiting if may_start(one, list(running.values()))), None)
                if task is None:
                    break
                waiting.remove(task)
                running[pool.submit(run, task)] = task
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                task = running.pop(done)
                if not take(task, done.result()):
                    waiting.append(task)
    print(f"{len(waiting)} were not begun")


@dataclass(frozen=True)
class OverAPath:
    """What runs over `ackclock path`, one run after the other."""

    record: Path
    cases: list[path.Case]
    key: tuple[str, ...]
    """The fields by which a record knows a case."""
    run: Callable[[path.Case, int], Result]
    """Returns what is recorded of a run in real time, and its ``problems``, which are not recorded."""
    overrides: Callable[[path.Case], Result]
    """Returns the overrides of a case in a simulation."""

    def key_of(self, case: path.Case) -> tuple[Any, ...]:
        """Returns what identifies a case in the record."""
        return tuple(getattr(case, field) for field in self.key)

    def simulated(self, case: path.Case) -> list[dict[str, float]]:
        """Returns the metrics of the bottleneck in simulations."""
        scenario = Scenario.from_file(SCENARIO, {**case.overrides, **self.overrides(case)})
        runs = [scenario.run(seed=seed, series=False) for seed in range(1, RUNS + 1)]
        return [of_bottleneck(run.document["links"]) for run in runs]


def over_a_path(kind: OverAPath, wanted: Namespace) -> int:
    """Measures the cases of a kind that are wanted, and writes the record after each."""
    about = {"runs": RUNS, **machine()}
    before = read(kind.record, about).get("cases", [])
    known = {} if wanted.again else {tuple(case[field] for field in kind.key): case for case in before}
    for case in kind.cases:
        key = kind.key_of(case)
        if key in known and wanted.simulate:
            known[key]["simulated"] = kind.simulated(case)
        elif key not in known and not wanted.simulate:
            known[key] = measured(kind, case)
        cases = [known[kind.key_of(one)] for one in kind.cases if kind.key_of(one) in known]
        kind.record.write_text(json.dumps({**about, "cases": cases}, indent=2) + "\n", encoding="utf-8")
    return 0


def measured(kind: OverAPath, case: path.Case) -> Result:
    """Returns what is recorded of a case. Exits if a run fails, or if the machine is too late."""
    real: list[Result] = []
    loads: list[float] = []
    invalid = 0
    while len(real) < RUNS:
        outcome = kind.run(case, len(real) + 1)
        loads.append(os.getloadavg()[0])
        if outcome.pop("problems"):
            invalid += 1
        else:
            real.append(outcome)
        print(f"{case.name}, {case.control}: {len(real)} valid, {invalid} invalid", flush=True)
        if invalid == ATTEMPTS:
            sys.exit(f"error: this machine was late in {invalid} runs over {case.name}")
    return {
        **dict(zip(kind.key, kind.key_of(case), strict=True)),
        "real": real,
        "simulated": kind.simulated(case),
        "invalid": invalid,
        "load": [min(loads), max(loads)],
    }


def over_path(case: path.Case, seed: int, serve: str, client: list[str]) -> Result:
    """Returns the outcome of a client and a server over a path. Exits if they fail."""
    options = [str(SCENARIO), *case.settings, "--seed", str(seed), "--json", "--serve", serve]
    command = [sys.executable, "-m", "ackclock", "path", *options, "--", *client]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not done.stdout:
        sys.exit(done.stderr)
    outcome = dict(json.loads(done.stdout))
    if outcome["exit_code"]:
        sys.exit(f"error: the transfer failed over {case.name}: {done.stderr}")
    return outcome


def iperf(case: path.Case, seed: int) -> Result:
    """Returns what is recorded of a run of the kernel's own control."""
    options = f"--time {case.seconds} --congestion {case.control} --parallel {case.flows}"
    client = shlex.split(f"iperf3 --client 10.78.0.2 {options}")
    outcome = over_path(case, seed, "iperf3 --server --one-off", client)
    late = {f"late_{which}": outcome["lateness"][which] for which in ("p99_s", "max_s")}
    return {"problems": outcome["problems"], **of_bottleneck(outcome["forward"]), **late}


def offered(case: path.Case, seed: int) -> Result:
    """Returns what is recorded of a run of a control of ours, with its decisions."""
    stream = [sys.executable, str(kernel_stream.__file__)]
    with Offered([case.control]) as offer:
        client = [*stream, "send", offer.names[0], str(case.seconds)]
        outcome = over_path(case, seed, " ".join([*stream, "sink"]), client)
    decisions = {key: offer.reports[0][key] for key in ("in_time", "late", "reno", "p50_us", "p99_us")}
    return {"problems": outcome["problems"], **of_bottleneck(outcome["forward"]), **decisions}


OVER_A_PATH = {
    "path": OverAPath(
        path.RECORD,
        path.CASES,
        ("name", "control", "seconds"),
        iperf,
        lambda case: {"flows.0.control": f"linux:{case.control}", "flows.0.count": case.flows},
    ),
    "controls": OverAPath(
        controls.RECORD,
        controls.CASES,
        ("name", "control"),
        offered,
        lambda case: {"flows.0.control": case.control},
    ),
}


def over_the_wire(wanted: Namespace) -> int:
    """Measures the cases of flows on real stacks that are wanted, and writes the record after each."""
    about: Result = {"runs": RUNS, **machine()}
    record = read(wire.RECORD, about)
    known: dict[Key, Result] = {wire.key_of(case): case for case in record.get("cases", [])}
    about["parallel"] = max(wanted.parallel, record.get("parallel", 0))
    late = {tuple(key) for key in record.get("late", [])}

    def write() -> None:
        cases = ",\n".join(json.dumps(known[case.key]) for case in wire.CASES if case.key in known)
        head = json.dumps({**about, "late": sorted(late)})
        wire.RECORD.write_text(f'{head[:-1]}, "cases": [\n{cases}\n]}}\n', encoding="utf-8")

    def take(case: wire.Case, found: Result | None) -> bool:
        if found is None:
            late.add(case.key)
        else:
            late.discard(case.key)
            known[case.key] = found
        write()
        outcome = "the machine was late" if found is None else f"measured, {found['invalid']} invalid"
        print(f"{case.path}, {case.control}, {case.seconds} s: {outcome}", flush=True)
        return True

    def may_start(case: wire.Case, running: list[wire.Case]) -> bool:
        return not case.is_fast or sum(one.is_fast for one in running) < wire.SEVERAL

    def is_wanted(case: wire.Case) -> bool:
        return case.path in (wanted.path or wire.PATHS) and case.control in (wanted.control or [case.control])

    cases = [case for case in wire.CASES if is_wanted(case)]
    if wanted.simulate:
        for case in (case for case in cases if case.key in known):
            known[case.key] |= wire_simulations(case)
        write()
        return 0
    # The short cases first, and each control over all paths before the next one.
    waiting = [case for case in cases if wanted.again or case.key not in known]
    waiting.sort(key=lambda case: (case.seconds, wire.CONTROLS.index((case.transport, case.control))))
    in_parallel(waiting, on_the_wire, take, wanted, may_start)
    return 1 if late else 0


def on_the_wire(case: wire.Case) -> Result | None:
    """Returns what is recorded of a case; None if the machine is too late. RunError if a run fails."""
    real: list[Result] = []
    loads: list[float] = []
    invalid = 0
    while len(real) < RUNS and invalid < ATTEMPTS:
        scenario = Scenario.from_file(wire.SCENARIO, case.overrides)
        outcome = core.wire(scenario.text, scenario.file, scenario.overrides, len(real) + 1)
        if outcome["wire"]["problems"]:
            invalid += 1
            continue
        loads.append(os.getloadavg()[0])
        late, stacks = outcome["wire"]["lateness"], outcome["wire"]["stacks"]
        of_links = {"late_p99_s": late["p99_s"], "late_max_s": late["max_s"]}
        of_stacks = {"stacks_late_p99_s": stacks and stacks["p99_s"]}
        real.append({**wire.of_run(outcome), **of_links, **of_stacks})
    if len(real) < RUNS:
        return None
    return {
        "path": case.path,
        "transport": case.transport,
        "control": case.control,
        "seconds": case.seconds,
        "real": real,
        **wire_simulations(case),
        "invalid": invalid,
        "load": [min(loads), max(loads)],
    }


def wire_simulations(case: wire.Case) -> dict[str, list[dict[str, float | None]]]:
    """Returns what is recorded of the simulations of a case."""
    kinds = {"simulated": {}, **({"jittered": wire.JITTER} if case.has_jitter else {})}
    scenarios = {
        kind: Scenario.from_file(wire.SCENARIO, {**case.overrides, **added}) for kind, added in kinds.items()
    }
    return {
        kind: [wire.of_run(scenario.run(seed, series=False).document) for seed in range(1, RUNS + 1)]
        for kind, scenario in scenarios.items()
    }


def of_the_testbed(wanted: Namespace) -> int:
    """Makes the runs of the testbed that are wanted, and writes the record after each."""
    record = read(testbed.RECORD, machine())
    about = {**machine(), "parallel": max(wanted.parallel, record.get("parallel", 0))}
    known: dict[str, Result] = record.get("runs", {})

    def write() -> None:
        lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(known[key])}" for key in sorted(known))
        text = f'{json.dumps(about)[:-1]}, "runs": {{\n{lines}\n}}}}\n'
        testbed.RECORD.write_text(text, encoding="utf-8")

    def simulate(run: testbed.Run) -> None:
        of_run = known[run.key]
        of_run["simulated"] = [testbed_simulation(run, real["seed"]) for real in of_run["real"]]

    def is_made(run: testbed.Run, seed: int) -> bool:
        """Whether the run is recorded, or the machine was late too often."""
        of_run = known.get(run.key, {"real": [], "invalid": []})
        is_recorded = any(real["seed"] == seed for real in of_run["real"])
        return is_recorded or len(of_run["invalid"]) >= ATTEMPTS_OF_TESTBED

    def take(task: tuple[testbed.Run, int], outcome: Result) -> bool:
        (run, seed), problems = task, outcome["problems"]
        of_run = known.setdefault(run.key, {"real": [], "invalid": [], "simulated": []})
        if problems:
            of_run["invalid"].append("; ".join(problems))
        else:
            of_run["real"].append({"seed": seed, **outcome["run"]})
        simulate(run)
        write()
        print(f"figure {run.figure}, {run.case}, seed {seed}: {'; '.join(problems) or 'valid'}", flush=True)
        return is_made(run, seed)

    chosen = list(testbed.wanted(wanted.figures or testbed.FIGURES))
    if wanted.simulate:
        for run in (run for run in chosen if run.key in known):
            simulate(run)
        write()
        return 0
    seeds = range(1, wanted.runs + 1)
    waiting = [(run, seed) for seed in seeds for run in chosen if not is_made(run, seed)]
    in_parallel(waiting, on_the_testbed, take, wanted)
    return 0


def on_the_testbed(task: tuple[testbed.Run, int]) -> Result:
    """Returns what is recorded of a run in real time: {problems, run}. RunError if it fails."""
    run, seed = task
    while True:
        try:
            outcome = core.wire(run.text, run.file, run.overrides, seed)
            break
        except RunError as error:
            # Two programs may choose one name in the kernel at one instant; nothing has run then.
            if "already" not in str(error):
                raise
            time.sleep(random.random())
    outcome["series"] = Series.from_document(outcome["wire"]["series"])
    late = outcome["wire"]["lateness"]
    of_controls = ("control", "in_time", "late", "reno")
    about = {
        **of_testbed_run(run, outcome),
        "late_p99_s": late["p99_s"],
        "late_max_s": late["max_s"],
        "load": os.getloadavg()[0],
        "controls": [{key: one[key] for key in of_controls} for one in outcome["wire"]["controls"]],
    }
    return {"problems": outcome["wire"]["problems"], "run": about}


def testbed_simulation(run: testbed.Run, seed: int) -> Result:
    """Returns what is recorded of a simulation."""
    scenario = Scenario.from_text(run.text, run.overrides, run.file)
    return of_testbed_run(run, scenario.run(seed, series=run.needs_series).result)


def of_testbed_run(run: testbed.Run, result: Mapping[str, Any]) -> Result:
    """Returns what is recorded of a run, real or simulated: its flows, and the metrics that need values over time."""
    of_flows = ("name", "group", "goodput_bps", "lost_packets", "cwnd_mean_packets")
    flows = [{key: flow[key] for key in of_flows} for flow in result["flows"]]
    return {"flows": flows, "over_time": run.over_time(result)}
