"""Runs the scenarios of an evaluation and judges the control under test."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock import _toml as toml
from ackclock import _typed_core as core
from ackclock._jobs import Local, Pool, Progress, run_jobs
from ackclock._overrides import merge
from ackclock._store import Job, Store
from ackclock.custom import python_classes
from ackclock.errors import AckclockError, InputError, RunError, ScenarioError
from ackclock.evaluation.contenders import PLUGIN, Contender, stand_in
from ackclock.evaluation.files import Loaded
from ackclock.evaluation.judge import findings
from ackclock.evaluation.language import MARKS, SOLO, TESTED
from ackclock.evaluation.measured import Measured
from ackclock.evaluation.planning import Seat, going_on
from ackclock.evaluation.processes import LIMIT_S, Processes
from ackclock.evaluation.result import Answers, Evaluation, ScenarioResult, assembled
from ackclock.evaluation.spelling import more_than
from ackclock.experiment.expression import ExpressionError, parsed
from ackclock.experiment.looks import Looks
from ackclock.experiment.model import Setting
from ackclock.experiment.run_words import RunWords, measure

if TYPE_CHECKING:
    from ackclock.custom import Control

QUICK_SEEDS, FULL_SEEDS = 5, 10
MEASURED = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
"""Which runs are timed to estimate the cost. The shorter runs are sorted by their numbers of packets; for
each of these shares, the first run is timed up to which the sum of the packets reaches that share of the total.
"""


@dataclass(frozen=True)
class Use:
    """One use of a run: the indices of the scenario, of the setting and of the seed, and the contender."""

    scenario: int
    contender: str
    setting: int
    seed: int


@dataclass
class Planned:
    """A run and all of its uses."""

    job: Job
    uses: list[Use]
    packets: float
    """The expected number of packets sent in the run."""


class Plan:
    """The runs of an evaluation, validated by the core. InputError if a scenario is invalid with a control."""

    def __init__(
        self,
        tested: Contender,
        references: Sequence[Contender],
        scenarios: Sequence[Loaded],
        *,
        quick: bool,
        seeds: int,
        most_packets: int | None = None,
    ) -> None:
        self.quick, self.seeds, self.most_packets = quick, list(range(1, seeds + 1)), most_packets
        self.tested, self.references = tested, references
        self.family_of = {one.name: one.about.family for one in scenarios}
        """The criterion or set to which each selected scenario belongs, also for scenarios that are left out."""
        self.scenarios: list[Loaded] = []
        self.settings: list[list[Setting]] = []
        self.refused: dict[str, str] = {}
        """The scenarios in which the transport of the control is invalid, with the error message."""
        self.unmarked: dict[str, int] = {}
        """The number of settings of each scenario that are left out because the transport does not use ECN."""
        self.too_large: dict[str, int] = {}
        """The number of settings of each scenario that are left out because their links could carry more than
        ``most_packets`` in a run.
        """
        self.runs: list[Planned] = []
        for loaded in scenarios:
            self._add(loaded)

    def _add(self, loaded: Loaded) -> None:
        about, index = loaded.about, len(self.scenarios)
        settings = list(about.settings(quick=self.quick))
        if not self.tested.can_be_marked(about):
            every = len(settings)
            settings = [one for one in settings if MARKS not in one.overrides]
            if len(settings) < every:
                self.unmarked[loaded.name] = every - len(settings)
            if not settings:
                return
        contenders: list[tuple[str, Contender, Mapping[str, Any]]] = [(TESTED, self.tested, {})]
        contenders += [(contender.name, contender, {}) for contender in self.references]
        if about.solo is not None:
            contenders.append((SOLO, self.references[0], about.solo.set))
        wanted = [
            (name, number, merge(one.seated(about, setting.overrides), more), one.classes)
            for name, one, more in contenders
            for number, setting in enumerate(settings)
        ]
        try:
            packets = _packets(loaded, [(overrides, classes) for _, _, overrides, classes in wanted])
        except InputError as error:
            if "transport" not in self.tested.keys:
                raise
            self.refused[loaded.name] = str(error).splitlines()[0]
            return
        largest = [max(packets[number :: len(settings)]) for number in range(len(settings))]
        kept = [number for number, most in enumerate(largest) if most <= (self.most_packets or math.inf)]
        if len(kept) < len(settings):
            self.too_large[loaded.name] = len(settings) - len(kept)
        if not kept:
            return
        self.scenarios.append(loaded)
        self.settings.append([settings[number] for number in kept])
        places = {number: place for place, number in enumerate(kept)}
        known: dict[str, Planned] = {}
        for (name, number, overrides, classes), cost in zip(wanted, packets, strict=True):
            if number not in places:
                continue
            for position, seed in enumerate(self.seeds):
                job = Job(
                    loaded.scenario.text, loaded.scenario.file, overrides, seed, loaded.needs_series, classes
                )
                # The control under test may be one of the references.
                key = f"{job.key()} {sorted(classes)}"
                if key not in known:
                    known[key] = Planned(job, [], cost)
                    self.runs.append(known[key])
                known[key].uses.append(Use(index, name, places[number], position))

    @property
    def looks(self) -> Looks:
        """The looks at which the evaluation is judged; a quick evaluation is judged once, with all seeds."""
        return Looks.once(len(self.seeds)) if self.quick else Looks.until(len(self.seeds))

    def seats(self, scenario: int) -> set[Seat]:
        """Returns all pairs of a contender and a setting of a scenario."""
        uses = (use for run in self.runs for use in run.uses if use.scenario == scenario)
        return {(use.contender, use.setting) for use in uses}

    def within(self, measured: Sequence[Measured]) -> set[int]:
        """Returns the indices of the runs that are needed for the numbers of seeds in ``measured``."""
        return {
            index
            for index, run in enumerate(self.runs)
            if any(use.seed < measured[use.scenario].count(use.contender, use.setting) for use in run.uses)
        }

    @property
    def left_out(self) -> dict[str, str]:
        """Returns the scenarios without any run, each with the reason as the end of a sentence."""
        run = {one.name for one in self.scenarios}
        return (
            dict.fromkeys(self.refused, "it cannot run over this transport")
            | {name: "the transport does not use ECN" for name in self.unmarked if name not in run}
            | {name: f"its {more_than(self.most_packets)}" for name in self.too_large if name not in run}
        )


def _packets(loaded: Loaded, wanted: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> list[float]:
    """Returns the number of packets that each run is expected to send. InputError if a scenario is invalid."""
    scenario = loaded.scenario
    series = loaded.needs_series
    native = [(overrides, series) for overrides, classes in wanted if not classes]
    outlines = iter(core.outlines(scenario.text, scenario.file, native))
    found = []
    for overrides, classes in wanted:
        described: Any
        if classes:
            described = core.describe(scenario.text, scenario.file, overrides, described_by(classes))
        else:
            described = next(outlines)
            if isinstance(described, ScenarioError):
                raise InputError(f"{loaded.name}: {scenario.located(str(described))}")
        found.append(float(described["expected_packets"]))
    return found


def described_by(classes: Mapping[str, type[Control]]) -> list[Any]:
    """Returns stand-ins for the controls, with which the core describes a scenario without running their code."""
    return python_classes({name: stand_in(cls) for name, cls in classes.items()}, {})


@dataclass(frozen=True)
class Cost:
    """The expected cost of an evaluation."""

    runs: int
    packets: float
    cpu_s: float
    """The expected CPU time on this machine, in seconds, estimated from a few short runs."""


def cost(plan: Plan, limit_s: float = LIMIT_S) -> Cost:
    """Returns the expected cost of all runs, including those that are already on disk. ``limit_s`` is the time limit of
    a run of a control in Python.
    """
    speeds = {
        python: _speed(plan, limit_s, python=python) for python in {run.job.has_python for run in plan.runs}
    }
    seconds = sum(run.packets * speeds[run.job.has_python] for run in plan.runs)
    return Cost(len(plan.runs), sum(run.packets for run in plan.runs), seconds)


def _speed(plan: Plan, limit_s: float, *, python: bool) -> float:
    """Returns the seconds per expected packet, measured with some of the shorter runs; 1e-6 if one of them fails."""
    runs = sorted(
        (run for run in plan.runs if run.job.has_python == python and run.packets),
        key=lambda one: one.packets,
    )
    if not runs:
        return 0.0
    most = 2e4 if python else 1e6
    short = [run for run in runs if run.packets <= most] or runs[:1]
    # Each measured run stands for as many packets of the plan: a scenario may send far fewer than are expected.
    sums = np.cumsum([run.packets for run in short])
    chosen = [short[index] for index in np.searchsorted(sums, MEASURED * sums[-1])]
    makers: Pool = Local(1)
    clock = time.process_time
    if python and plan.tested.file is not None:
        makers = Processes(plan.tested.file, plan.tested.class_name, 1, limit_s)
        clock = time.monotonic  # its runs are other processes
    if any(run.job.named_stacks for run in chosen):
        clock = time.monotonic
    # The first one also reads what the others find in memory.
    batch = makers.begin([run.job for run in [chosen[0], *chosen]])
    seconds: list[float] = []
    began = clock()
    for _, made in batch:
        if isinstance(made, AckclockError):
            batch.cancel()
            return 1e-6
        seconds.append(clock() - began)
        began = clock()
    # A clock may not tell so short a time.
    return float(
        np.mean([max(took, 1e-4) / run.packets for took, run in zip(seconds[1:], chosen, strict=True)])
    )


def evaluate(
    plan: Plan,
    *,
    store: Store | None = None,
    pool: Pool | None = None,
    threads: int = 0,
    limit_s: float = LIMIT_S,
    progress: Progress | None = None,
    answers: Answers | None = None,
) -> Evaluation:
    """Executes the runs of ``plan`` that are not on disk, and returns the verdicts.

    ``pool`` executes the runs; without a pool, this machine does, with ``threads`` threads. Runs of a control in Python
    always execute on this machine, each in a separate process that is ended after ``limit_s`` seconds.
    A failed run of the control under test is a finding. RunError if a run of a reference fails; Interrupted on
    Ctrl-C, with the finished runs on disk.
    """
    measured = [Measured(settings, plan.seeds) for settings in plan.settings]
    references = [contender.name for contender in plan.references]
    began, made = time.process_time(), set[int]()
    makers = {False: pool or Local(threads)}
    if plan.tested.file is not None:
        makers[True] = Processes(plan.tested.file, plan.tested.class_name, threads, limit_s)
    round_ = _Round(plan, measured, store or Store(None), makers, progress)
    looks = plan.looks
    wanted = [plan.seats(scenario) for scenario in range(len(plan.scenarios))]
    for look in looks.seeds:
        for scenario, seats in enumerate(wanted):
            measured[scenario].fewer |= dict.fromkeys(seats, look)
        made |= round_.made(plan.within(measured) - made, len(made))
        if look != looks.seeds[-1]:
            wanted = [
                going_on(findings(loaded, one, references, looks.error(look))) & seats
                for loaded, one, seats in zip(plan.scenarios, measured, wanted, strict=True)
            ]
    results = [
        ScenarioResult(
            loaded,
            one,
            findings(loaded, one, references),
            plan.too_large.get(loaded.name, 0),
            plan.unmarked.get(loaded.name, 0),
        )
        for loaded, one in zip(plan.scenarios, measured, strict=True)
    ]
    return assembled(plan, results, answers or Answers(), len(made), time.process_time() - began)


@dataclass(frozen=True)
class _Round:
    """Executes runs of a plan and stores their results in ``measured``."""

    plan: Plan
    measured: Sequence[Measured]
    store: Store
    pools: Mapping[bool, Pool]
    """The pool that executes jobs with a control in Python (True), and the pool for all other jobs (False)."""
    progress: Progress | None

    def made(self, wanted: Set[int], before: int) -> Set[int]:
        """Executes the runs with these indices and returns them. ``before`` is the number of runs already done."""
        total = before + len(wanted)
        for python in sorted(self.pools):
            part = [
                run for k, run in enumerate(self.plan.runs) if k in wanted and run.job.has_python == python
            ]
            if part:
                self._make(part, python, before, total)
                before += len(part)
        return wanted

    def _make(self, part: Sequence[Planned], python: bool, before: int, total: int) -> None:
        def take(index: int, result: Mapping[str, Any]) -> None:
            self._take(part[index], result)

        def fail(index: int, error: AckclockError) -> None:
            self._fail(part[index], error)

        def advance(done: int, _: int, share: float) -> None:
            if self.progress is not None:
                self.progress(before + done, total, (before + share * len(part)) / total)

        run_jobs(
            [run.job for run in part],
            take,
            store=self.store,
            pool=self.pools[python],
            progress=advance,
            costs=[run.packets for run in part],
            on_failure=fail,
        )

    def _take(self, run: Planned, result: Mapping[str, Any]) -> None:
        scenario, count = run.uses[0].scenario, len(self.plan.seeds)
        measured = self.measured[scenario]
        values = _measured(self.plan.scenarios[scenario], result)
        closed = next((why for one in result["flows"] if (why := one.get("closed_reason"))), None)
        for use in run.uses:
            if closed:
                measured.closed[use.contender, use.setting, use.seed] = closed
            for metric, value in values.items():
                key = (use.contender, use.setting, metric)
                measured.values.setdefault(key, np.full(count, np.nan))[use.seed] = value

    def _fail(self, run: Planned, error: AckclockError) -> None:
        for use in run.uses:
            if use.contender != TESTED:
                name = self.plan.scenarios[use.scenario].name
                raise RunError(f"{name}, {use.contender}: {error}") from error
            why = str(error).splitlines()[0].replace(f'"{PLUGIN}"', self.plan.tested.name)
            self.measured[use.scenario].failures[use.setting, use.seed] = why


def _measured(loaded: Loaded, result: Mapping[str, Any]) -> dict[str, float]:
    words, found = RunWords(result), {}
    for metric in loaded.about.metrics:
        try:
            found[metric.id] = measure(parsed(metric.expr), words)
        except ExpressionError as error:
            raise InputError(f'{loaded.name}: metric "{metric.id}": {error}') from None
    return found


def scenario_of(loaded: Loaded, setting: Setting, tested: Contender) -> str:
    """Returns the scenario of a setting with the control under test, as the text of a file for ``ackclock run``."""
    import tomli_w

    document = toml.loads(loaded.scenario.text)
    for path, value in tested.seated(loaded.about, setting.overrides).items():
        put(document, path.split("."), value)
    return tomli_w.dumps(document)


def put(document: Any, steps: Sequence[str], value: Any) -> None:
    """Sets the value at a dotted path, whose steps select elements of a list by index or by the key ``name``, or all
    with ``*``.
    """
    for place, step in enumerate(steps[:-1]):
        if isinstance(document, list) and step == "*":
            for one in document:
                put(one, steps[place + 1 :], value)
            return
        if isinstance(document, list):
            named = {one.get("name"): one for one in reversed(document) if isinstance(one, dict)}
            document = named[step] if step in named else document[int(step)]
        else:
            if not isinstance(document.get(step), dict | list):
                # A name stands for a table of its own.
                document[step] = {"name": document[step]} if isinstance(document.get(step), str) else {}
            document = document[step]
    document[int(steps[-1]) if isinstance(document, list) else steps[-1]] = value
