"""Scenarios: reading, checking and running them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock import _arguments as arguments
from ackclock import _typed_core as core
from ackclock._files import read_text
from ackclock._jobs import Made, Pool, Progress, begin, run_jobs
from ackclock._named_files import is_python_file, with_files
from ackclock._overrides import merge
from ackclock._stacks import Stack, now_offered
from ackclock._stacks import stacks as all_stacks
from ackclock._store import Job, Store
from ackclock._sweep import Sweep
from ackclock._sweep_jobs import Plan, Rounds, SweepJobs, repeating
from ackclock.errors import AckclockError, InputError, RunError

if TYPE_CHECKING:
    import polars as pl

    from ackclock._exports import Export
    from ackclock.custom import Control, Discipline
    from ackclock.run import Failure, Run, Runs

MAX_RUNS = 10_000_000
"""The largest number of runs of a scenario, which is also the core's limit. Even short runs would take weeks."""
MAX_IN_MEMORY = 100_000
"""The largest number of results held in memory at once, at about ten kilobytes each."""
MAX_SEED = 2**53 - 1
"""The largest seed: JSON numbers, as 64-bit floats, represent every integer up to it exactly."""


@dataclass(frozen=True)
class Scenario:
    """A checked scenario with its overrides.

    ``from_file``, ``from_text`` and ``from_dict`` create one.

    >>> scenario = Scenario.from_file("dumbbell.toml")  # doctest: +SKIP
    >>> scenario.run(seed=1).flows  # doctest: +SKIP
    >>> scenario.with_overrides({"flows.tcp.count": 25}).run().fairness  # doctest: +SKIP
    """

    text: str
    """The TOML text at the time when the scenario was read, with the contents of the files that it names."""
    file: str
    """The name of the scenario's file in messages."""
    overrides: Mapping[str, Any]
    controls: Mapping[str, type[Control]]
    """The congestion controls written in Python that the scenario can name."""
    queues: Mapping[str, type[Discipline]]
    """The queue disciplines written in Python that the scenario can name."""
    stacks: Sequence[Stack]
    """The QUIC stacks from shared libraries that the scenario can name as transports."""
    classes: core.Plugins = field(repr=False, compare=False)
    """The controls, queues and stacks as passed to the core."""
    checked: Mapping[str, Any] = field(repr=False, compare=False)
    """The core's description of the sweep, from the check of the scenario."""

    @classmethod
    def _checking(
        cls,
        text: Any,
        file: Any,
        overrides: Any,
        controls: Any,
        queues: Any,
        given: Sequence[str | Path | Stack],
    ) -> Scenario:
        """Returns the scenario after checking it. ScenarioError if the scenario is invalid."""
        name = file if isinstance(file, str) else str(arguments.path("file", file))
        overrides = arguments.plain(arguments.mapping("overrides", overrides))
        text = with_files(arguments.text(f"{name}: the scenario", text), name, overrides)
        controls, queues = arguments.mapping("controls", controls), arguments.mapping("queues", queues)
        chosen = all_stacks(given)
        named = {stack.name for stack in chosen}
        stacks = (*(stack for stack in now_offered() if stack.name not in named), *chosen)
        classes = [*_described(controls, queues), *(stack.library for stack in stacks)]
        checked = core.check(text, name, overrides, classes)
        return cls(text, name, overrides, controls, queues, stacks, classes, checked)

    @classmethod
    def from_file(
        cls,
        path: str | Path,
        overrides: Mapping[str, Any] | None = None,
        *,
        controls: Mapping[str, type[Control]] | None = None,
        queues: Mapping[str, type[Discipline]] | None = None,
        stacks: Sequence[str | Path | Stack] = (),
    ) -> Scenario:
        """Returns the scenario in a TOML file.

        ``overrides`` replace values of the file by dotted path, e.g. ``{"flows.tcp.control": "cubic"}``; an item of an
        array of tables is addressed by its name or index. A key that [sweep] varies then has only this value.
        ``controls`` and ``queues`` map names that the scenario uses to subclasses of ``ackclock.Control`` and
        ``ackclock.Discipline``. ``stacks`` lists shared libraries with QUIC stacks, as ``PATH`` or ``PATH,key=value``,
        like ``--stack``.

        InputError if the file cannot be read; ScenarioError (an InputError), which lists every problem, if the
        scenario is invalid.
        """
        found = arguments.path("path", path)
        return cls._checking(read_text(found), str(path), overrides, controls, queues, stacks)

    @classmethod
    def from_text(
        cls,
        text: str,
        overrides: Mapping[str, Any] | None = None,
        file: str = "scenario",
        *,
        controls: Mapping[str, type[Control]] | None = None,
        queues: Mapping[str, type[Discipline]] | None = None,
        stacks: Sequence[str | Path | Stack] = (),
    ) -> Scenario:
        """Returns the scenario in a TOML string, called ``file`` in messages. ScenarioError if it is invalid."""
        return cls._checking(text, file, overrides, controls, queues, stacks)

    @classmethod
    def from_dict(
        cls,
        document: Mapping[str, Any],
        overrides: Mapping[str, Any] | None = None,
        file: str = "scenario",
        *,
        controls: Mapping[str, type[Control]] | None = None,
        queues: Mapping[str, type[Discipline]] | None = None,
        stacks: Sequence[str | Path | Stack] = (),
    ) -> Scenario:
        """Returns the scenario in a dictionary with the keys and values of a TOML file.

        >>> wires = {
        ...     "bottleneck": {"rate": "10 Mbit/s", "delay": "20 ms"},
        ...     "access": {"rate": "1 Gbit/s", "delay": "1 ms"},
        ... }
        >>> Scenario.from_dict(
        ...     {"duration": "10 s", "dumbbell": wires, "flows": [{"control": "cubic"}]}
        ... ).describe()["duration_s"]
        10.0

        Line numbers in messages refer to the TOML in the attribute ``text``. InputError for values that TOML cannot
        represent, such as None. ScenarioError if the scenario is invalid.
        """
        import tomli_w

        if not isinstance(document, Mapping):
            raise InputError(f"{file}: found {arguments.shown(document)}, expected a dictionary")
        try:
            text = tomli_w.dumps(arguments.plain(document))
        except (TypeError, AttributeError) as error:
            raise InputError(f"{file}: contains a value that TOML cannot represent: {error}") from None
        return cls._checking(text, file, overrides, controls, queues, stacks)

    def with_overrides(self, overrides: Mapping[str, Any]) -> Scenario:
        """Returns a copy with further overrides by dotted path. ScenarioError if the resulting scenario is invalid."""
        merged = merge(self.overrides, arguments.mapping("overrides", overrides))
        return self._checking(self.text, self.file, merged, self.controls, self.queues, self.stacks)

    @cached_property
    def sweep(self) -> Sweep:
        """The points of the scenario's [sweep], and the columns of its axes in data frames."""
        return Sweep(self.checked)

    def points(self) -> list[Scenario]:
        """Returns the scenario at each point of its [sweep]; without a sweep, the scenario alone."""
        if not self.sweep.axes:
            return [self]
        return [self.at(self.sweep.overrides(point)) for point in range(len(self.sweep))]

    def at(self, point: Mapping[str, Any]) -> Scenario:
        """Returns the scenario at ``point`` of its sweep, in the form of ``Run.point``.

        The point is not checked again: checking the scenario has checked its sweep.
        """
        return replace(
            self, overrides=merge(self.overrides, arguments.plain(arguments.mapping("point", point)))
        )

    def describe(self) -> dict[str, Any]:
        """Returns name, duration_s, warmup_s, seed, replications, precision, expected_packets, flows, links and
        network, defaults included.

        ``warnings`` lists settings that are allowed but probably not intended, one sentence each.
        """
        return core.describe(self.text, self.file, self.overrides, self.classes)

    def run(
        self,
        seed: int | None = None,
        series: bool = True,
        *,
        stacks: Sequence[str | Path | Stack] | None = None,
    ) -> Run:
        """Simulates the scenario once.

        ``seed`` defaults to the scenario's; ``series=False`` leaves out the values over time. ``stacks`` replace the
        scenario's stacks, for example by other builds of the same libraries.

        A [sweep] is ignored: use ``points()`` or ``run_many()``. RunError if the simulation fails, if a library ends
        its process or uses too much time or memory, or if Python code raises an exception, which is then the error's
        cause.
        """
        from ackclock.run import Run  # tables, which checking a scenario can do without

        if stacks is not None:
            checked = self.text, self.file, self.overrides, self.controls, self.queues, stacks
            return self._checking(*checked).run(seed, series)
        job = Job(
            self.text,
            self.file,
            self.overrides,
            self._seed(seed),
            series,
            self.controls,
            self.queues,
            self.stacks,
        )
        if job.named_stacks:
            ((_, made),) = begin([job], 1)
            if isinstance(made, AckclockError):
                raise made
            return Run(made.result(), overrides=self.overrides)
        result = core.run(self.text, self.file, self.overrides, job.seed, series, self.classes)
        return Run(result, overrides=self.overrides)

    def run_many(
        self,
        seeds: Iterable[int] | None = None,
        *,
        replications: int | None = None,
        series: bool = False,
        threads: int = 0,
        out: str | Path | None = None,
        progress: Progress | None = None,
        client: Any = None,
    ) -> Runs:
        """Simulates every point of the sweep with every seed, on all cores (``threads=0``).

        ``seeds`` defaults to ``replications`` consecutive seeds from the scenario's ``seed`` on. With ``out``, finished
        runs are stored in that folder and reused the next time. ``progress`` is called with (runs done, total runs,
        share of the work done). With a ``client`` of dask.distributed, its workers make the runs. If the scenario has a
        ``precision`` and neither ``seeds`` nor ``replications`` are given, points get more seeds until they reach it,
        up to its ``replications_most``. The result's ``failures`` are the failed runs; RunError if all runs fail.
        Interrupted on Ctrl-C.

        Runs with controls or queues written in Python run one after another on this thread, or on the ``client``'s
        workers. Such runs are not stored, because their results may depend on other code that the controls or queues
        call.
        """
        if out is not None and (self.controls or self.queues):
            raise InputError(
                f"{self.file}: remove the argument `out`: runs with congestion controls or queues in Python cannot be "
                "stored, because ackclock cannot detect changes in other code that the controls or queues call"
            )
        folder = None if out is None else arguments.path("out", out)
        plan = self.plan(seeds, replications=replications)
        if len(plan) > MAX_IN_MEMORY:
            raise InputError(
                f"{self.file}: {plan} exceed the limit of {MAX_IN_MEMORY:,} runs in memory; "
                f"`ackclock run --out DIR` stores up to {MAX_RUNS:,} runs on disk"
            )
        from ackclock._cluster import pool
        from ackclock._collect import Collector

        collector = Collector(self.sweep, plan, keep=True)
        done = self.simulate(
            plan,
            collector.take,
            series=series,
            store=Store(folder),
            pool=pool(client, threads),
            progress=progress,
        )
        return collector.runs(done.failures)

    def plan(
        self,
        seeds: Iterable[int] | None = None,
        *,
        first: int | None = None,
        replications: int | None = None,
        only: int | None = None,
    ) -> Plan:
        """Returns the runs that ``run_many`` would make. ``first`` replaces the scenario's seed as the first one;
        ``only`` is the number, from 1, of the only point to run.

        InputError for too many runs, or for an invalid seed or point.
        """
        if replications is not None:
            replications = arguments.whole(f"{self.file}: replications", replications, 1, MAX_RUNS)
        description = self.describe()
        precision = None
        if seeds is None:
            count = replications if replications is not None else int(description["replications"])
            first = int(description["seed"]) if first is None else first
            seeds = range(first, first + count)
            precision = None if replications is not None else description["precision"]
        points = range(len(self.sweep))
        if only is not None:
            if not arguments.is_whole(only, 1, len(points)):
                raise InputError(
                    f"{self.file}: found the point {arguments.shown(only)}, expected a point of the sweep from 1 to "
                    f"{len(points)}"
                )
            points = range(only - 1, only)
        arguments.iterable(f"{self.file}: seeds", seeds)
        # Takes only as many seeds of an endless iterable as are needed to refuse it.
        chosen: Sequence[int] = seeds if isinstance(seeds, range) else list(islice(seeds, MAX_RUNS + 1))
        plan = Plan(points, chosen, precision)
        if len(plan) > MAX_RUNS:
            raise InputError(f"{self.file}: found {plan}, expected at most {MAX_RUNS:,} runs")
        if isinstance(chosen, range):
            for seed in {*chosen[:1], *chosen[-1:]}:
                self._seed(seed)
            return plan
        return Plan(points, [self._seed(seed) for seed in chosen], precision)

    def simulate(
        self,
        plan: Plan,
        on_run: Callable[[int, Run], None],
        *,
        series: bool = False,
        store: Store,
        pool: Pool,
        progress: Progress | None = None,
    ) -> Simulated:
        """Makes the runs of a plan. Calls ``on_run(point, run)`` after each, counting points from 0.

        RunError if all runs fail.
        """
        from ackclock.run import Failure, Run

        done = Simulated()
        rounds = Rounds(plan)
        while wanted := rounds.next():
            classes = self.controls, self.queues, self.stacks
            jobs = SweepJobs(self.text, self.file, self.overrides, self.sweep, wanted, series, *classes)
            failures: dict[int, AckclockError] = {}

            def keep(index: int, result: Mapping[str, Any], jobs: SweepJobs = jobs) -> None:
                point, _ = jobs.pair(index)
                at = self.sweep.overrides(point), self.sweep.cells(point)
                run = Run(result, jobs[index].overrides, *at)
                rounds.take(point, run)
                on_run(point, run)

            made = run_jobs(
                jobs,
                keep,
                store=store,
                pool=pool,
                progress=progress,
                costs=[self.sweep.packets(jobs.pair(index)[0]) for index in range(len(jobs))],
                longest_first=False,
                on_failure=failures.__setitem__,
            )
            done.add(made, len(jobs))
            for index in sorted(failures):
                point, seed = jobs.pair(index)
                at_point = point if self.sweep.axes else None
                command = repeating(
                    self.file, self.overrides, at_point, seed, self.stacks, self._python_files()
                )
                done.failures.append(Failure(point + 1, seed, failures[index], command))
            if done.failures and len(done.failures) == done.runs:
                raise RunError(str(done.failures[0]))
        done.precision = rounds.outcome()
        return done

    def _python_files(self) -> list[str]:
        """Returns the files that define controls in Python, each by the first of the names that the scenario uses."""
        first: dict[type[Control], str] = {}
        for name, cls in self.controls.items():
            if is_python_file(name):
                first.setdefault(cls, name)
        return list(first.values())

    def trace(self, seed: int | None = None) -> pl.DataFrame:
        """Runs once and returns every event of every packet, in time order.

        Columns: ``time_ns``, ``flow``, ``backward`` (whether the packet travels in the reverse direction), ``packet``
        (a unique number), ``bytes`` on the wire, ``event``, and ``link``, which is null for events at an endpoint. An
        ``event`` is launched, offered, dropped (by a queue), started, sent, failed, corrupted (on the wire), arrived,
        duplicated, injected, absorbed or delivered.
        """
        import polars as pl

        self.need_no_stack("a trace")
        return pl.DataFrame(core.trace(*self._source, self._seed(seed), self.classes))

    def export(
        self, folder: str | Path, *formats: str, seed: int | None = None, payloads: bool = False
    ) -> list[Export]:
        """Runs once and writes the run into ``folder``/exports in the formats of other tools.

        ``formats`` are those of ``ackclock run --export``: ``"pcapng"``, ``"pcapng=before:bottleneck"``, ``"qlog"``,
        ``"events"``, ``"flent"``, ``"mahimahi=bottleneck"``. With ``payloads``, captures contain payloads of zero
        bytes. Earlier files in the exports folder are removed. InputError for an unknown format, link or flow.

        >>> scenario.export("results", "pcapng", "qlog")  # doctest: +SKIP
        """
        from ackclock._exports import export

        return export(self, Path(folder), formats, seed=self._seed(seed), payloads=payloads)

    def events(self, seed: int | None = None) -> pl.DataFrame:
        """Runs once and returns the events of every congestion control and its state after each, in time order.

        There is a row for each acknowledgement ("ack"), packet declared lost ("lost"), start of a recovery
        ("reduction"), reaction to an ECN mark ("mark"), timeout ("timeout") and end of a recovery ("recovered").
        """
        from ackclock._exports import events

        self.need_no_stack("an event log")
        return events(self, self._seed(seed))

    def verify(self, seed: int | None = None) -> list[Any]:
        """Runs once and checks the packet trace against the physics of a packet network, such as link rates, delays and
        queue limits. Returns the violations.
        """
        self.need_no_stack("a packet trace")
        return core.verify(*self._source, self._seed(seed), self.classes)

    def need_no_stack(self, what: str) -> None:
        """Raises InputError if the scenario names a stack from a library, which runs in another process."""
        named = Job(self.text, self.file, self.overrides, 0, stacks=self.stacks).named_stacks
        if named:
            raise InputError(
                f"{self.file}: {what} is not available for a run with a stack from a library, here {named[0].name}"
            )

    @property
    def _source(self) -> tuple[str, str, Mapping[str, Any]]:
        return self.text, self.file, self.overrides

    def _seed(self, seed: Any) -> int:
        """Returns the seed, by default the scenario's. InputError for an invalid seed."""
        if seed is None:
            return int(self.describe()["seed"])
        return arguments.whole(f"{self.file}: the seed", seed, 0, MAX_SEED)


def _described(controls: Mapping[str, type[Control]], queues: Mapping[str, type[Discipline]]) -> core.Plugins:
    """Returns the controls and queues written in Python as passed to the core."""
    if not controls and not queues:
        return []
    from ackclock.custom import python_classes

    return python_classes(controls, queues)


@dataclass
class Simulated:
    """The counts of runs and the failures of a completed plan."""

    runs: int = 0
    stored: int = 0
    """The number of runs that were read from disk and not simulated."""
    cpu_time_s: list[float] = field(default_factory=list)
    """The approximate CPU time of each simulated run, in seconds."""
    failures: list[Failure] = field(default_factory=list)
    precision: str = ""
    """A sentence on whether the scenario's ``precision`` was reached; empty without a ``precision``."""

    def add(self, made: Made, runs: int) -> None:
        """Adds the counts of another round of ``runs`` runs."""
        self.runs += runs
        self.stored += len(made.stored)
        self.cpu_time_s += made.cpu_time_s.values()
