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
"""The runs that are measured beforehand, by the share of all packets that shorter runs send."""


@dataclass(frozen=True)
class Use:
    """What a run is for: a scenario, an contender, a setting, the number of its seed."""

    scenario: int
    contender: str
    setting: int
    seed: int


@dataclass
class Planned:
    """A run, and all that it is for."""

    job: Job
    uses: list[Use]
    packets: float
    """The number of packets that it is expected to send."""


class Plan:
    """The runs of an evaluation, checked with the core. InputError if a scenario is wrong with a control."""

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
        """The criterion or set of each scenario, whether or not the control can have it."""
        self.scenarios: list[Loaded] = []
        self.settings: list[list[Setting]] = []
        self.refused: dict[str, str] = {}
        """The scenarios that cannot have the transport of the control, with the reason."""
        self.unmarked: dict[str, int] = {}
        """The number of settings of each scenario that are left out, because packets of its transport cannot be
        marked.
        """
        self.too_large: dict[str, int] = {}
        """The number of settings of each scenario that are left out, because their links could carry more than
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
        """The looks at which it is judged; a quick evaluation makes all runs."""
        return Looks.once(len(self.seeds)) if self.quick else Looks.until(len(self.seeds))

    def seats(self, scenario: int) -> set[Seat]:
        """Returns the contenders of a scenario in each of its settings."""
        uses = (use for run in self.runs for use in run.uses if use.scenario == scenario)
        return {(use.contender, use.setting) for use in uses}

    def within(self, measured: Sequence[Measured]) -> set[int]:
        """Returns the indices of the runs whose seeds are among those of a contender in its setting."""
        return {
            index
            for index, run in enumerate(self.runs)
            if any(use.seed < measured[use.scenario].count(use.contender, use.setting) for use in run.uses)
        }

    @property
    def left_out(self) -> dict[str, str]:
        """Returns the scenarios of which nothing is run, and why, as the end of a sentence."""
        run = {one.name for one in self.scenarios}
        return (
            dict.fromkeys(self.refused, "it cannot have this transport")
            | {
                name: "packets of this transport cannot be marked"
                for name in self.unmarked
                if name not in run
            }
            | {name: f"its {more_than(self.most_packets)}" for name in self.too_large if name not in run}
        )


def _packets(loaded: Loaded, wanted: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> list[float]:
    """Returns the number of packets that each run is expected to send. InputError if a scenario is wrong."""
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
    """Returns the controls in the core's form, to describe a scenario without running their code."""
    return python_classes({name: stand_in(cls) for name, cls in classes.items()}, {})


@dataclass(frozen=True)
class Cost:
    """What an evaluation is expected to take."""

    runs: int
    packets: float
    cpu_s: float
    """The processor time that this machine is expected to need, from a few runs of a fraction of a second."""


def cost(plan: Plan, limit_s: float = LIMIT_S) -> Cost:
    """Returns what the runs are expected to take, whether or not some are on disk. A run of a control in Python may
    take ``limit_s`` seconds.
    """
    speeds = {
        python: _speed(plan, limit_s, python=python) for python in {run.job.has_python for run in plan.runs}
    }
    seconds = sum(run.packets * speeds[run.job.has_python] for run in plan.runs)
    return Cost(len(plan.runs), sum(run.packets for run in plan.runs), seconds)


def _speed(plan: Plan, limit_s: float, *, python: bool) -> float:
    """Returns the seconds that an expected packet takes, measured with some of the shorter runs; hardly any for a
    control that fails.
    """
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
    """Makes the runs of ``plan``, those on disk excepted, and returns the verdicts.

    ``pool`` makes the runs, without one this machine with ``threads`` threads. Those of a control in Python are made on
    this machine in any case, in processes of their own, because only there a run that takes too long is ended.
    A run of the control under test that fails is a finding. RunError if a run of a reference fails; Interrupted on
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
    """Makes runs of a plan, and takes what they give."""

    plan: Plan
    measured: Sequence[Measured]
    store: Store
    pools: Mapping[bool, Pool]
    """For jobs without and with a control in Python."""
    progress: Progress | None

    def made(self, wanted: Set[int], before: int) -> Set[int]:
        """Makes the runs of these indices, and returns them; ``before`` are the runs that were made already."""
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
    """Returns the scenario of a setting with the control in its seat, as the text of a file for ``ackclock run``."""
    import tomli_w

    document = toml.loads(loaded.scenario.text)
    for path, value in tested.seated(loaded.about, setting.overrides).items():
        put(document, path.split("."), value)
    return tomli_w.dumps(document)


def put(document: Any, steps: Sequence[str], value: Any) -> None:
    """Puts a value at a dotted path, in which an element of a list is called by its number, or a table by its name."""
    for step in steps[:-1]:
        if isinstance(document, list):
            named = {one.get("name"): one for one in reversed(document) if isinstance(one, dict)}
            document = named[step] if step in named else document[int(step)]
        else:
            if not isinstance(document.get(step), dict | list):
                # A name stands for a table of its own.
                document[step] = {"name": document[step]} if isinstance(document.get(step), str) else {}
            document = document[step]
    document[int(steps[-1]) if isinstance(document, list) else steps[-1]] = value
