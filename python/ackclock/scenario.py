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
"""Weeks of computing, however short each is; the core has the same bound for what a file asks for."""
MAX_IN_MEMORY = 100_000
"""The most results that can be held in memory together, at some ten kilobytes each."""
MAX_SEED = 2**53 - 1
"""Up to here, every whole number is a float of its own, which is what JSON has."""


@dataclass(frozen=True)
class Scenario:
    """A checked scenario with its overrides.

    ``from_file``, ``from_text`` and ``from_dict`` create one.

    >>> scenario = Scenario.from_file("dumbbell.toml")  # doctest: +SKIP
    >>> scenario.run(seed=1).flows  # doctest: +SKIP
    >>> scenario.with_overrides({"flows.tcp.count": 25}).run().fairness  # doctest: +SKIP
    """

    text: str
    """The text of the file, including the files that it names, as they were when the scenario was read."""
    file: str
    """The name of the scenario in messages."""
    overrides: Mapping[str, Any]
    controls: Mapping[str, type[Control]]
    """The congestion controls written in Python that the scenario may name."""
    queues: Mapping[str, type[Discipline]]
    """The queue disciplines written in Python that the scenario may name."""
    stacks: Sequence[Stack]
    """The stacks in libraries that the scenario may name as transports."""
    classes: core.Plugins = field(repr=False, compare=False)
    """The controls, queues and stacks in the form that the core takes."""
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
        """Returns a scenario made of these parts, after checking it. ScenarioError if it is wrong."""
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
        array of tables is addressed by its name or index. ``controls`` and ``queues`` map names that the scenario uses
        to subclasses of ``ackclock.Control`` and ``ackclock.Discipline``. ``stacks`` are QUIC stacks in
        libraries, ``PATH`` or ``PATH,key=value``, as ``--stack`` names them.

        InputError if the file cannot be read; ScenarioError (an InputError), which lists every problem, if the
        scenario is wrong.
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
        """Returns the scenario in a string. ``file`` is its name in messages. ScenarioError if it is wrong."""
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

        Lines in messages refer to the scenario as TOML, the attribute ``text``. InputError for values that TOML lacks,
        such as None.
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
        """Returns a copy with further values replaced. ScenarioError if it is wrong."""
        merged = merge(self.overrides, arguments.mapping("overrides", overrides))
        return self._checking(self.text, self.file, merged, self.controls, self.queues, self.stacks)

    @cached_property
    def sweep(self) -> Sweep:
        """The points of the scenario's [sweep], with the columns that show them."""
        return Sweep(self.checked)

    def points(self) -> list[Scenario]:
        """Returns the scenario at each point of its [sweep]; without a sweep, the scenario alone."""
        if not self.sweep.axes:
            return [self]
        return [self.at(self.sweep.overrides(point)) for point in range(len(self.sweep))]

    def at(self, point: Mapping[str, Any]) -> Scenario:
        """Returns the scenario at a point of its sweep, given as in ``Run.point``. It was checked with the sweep."""
        return replace(
            self, overrides=merge(self.overrides, arguments.plain(arguments.mapping("point", point)))
        )

    def describe(self) -> dict[str, Any]:
        """Returns name, duration_s, warmup_s, seed, replications, and the names of flows and links, with defaults.

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
        its process or uses too much time or memory, or if Python code raises; the exception is then the cause.
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
        ``precision`` and no seeds are given, points get more seeds until they reach it. Failed runs are in ``failures``
        of the result; RunError if all runs fail. Interrupted on Ctrl-C.

        Runs with controls or queues written in Python run one after another on this thread, or on the ``client``'s
        workers. They are not stored, because their results may depend on other code that they call.
        """
        if out is not None and (self.controls or self.queues):
            raise InputError(
                f"{self.file}: leave out `out`: runs with controls or queues in Python cannot be stored, because "
                "ackclock cannot see whether other code that the classes call has changed"
            )
        folder = None if out is None else arguments.path("out", out)
        plan = self.plan(seeds, replications=replications)
        if len(plan) > MAX_IN_MEMORY:
            raise InputError(
                f"{self.file}: {plan} exceed the limit of {MAX_IN_MEMORY} runs in memory; "
                "`ackclock run --out DIR` writes any number of runs"
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
        """Returns the runs that ``run_many`` would make. ``first`` is the first seed, ``only`` the number of one point,
        from 1.

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
                    f"{self.file}: there is no point {arguments.shown(only)}; the sweep has points 1 to {len(points)}"
                )
            points = range(only - 1, only)
        arguments.iterable(f"{self.file}: seeds", seeds)
        # No more are taken than would be refused, however many there are.
        chosen: Sequence[int] = seeds if isinstance(seeds, range) else list(islice(seeds, MAX_RUNS + 1))
        plan = Plan(points, chosen, precision)
        if len(plan) > MAX_RUNS:
            raise InputError(f"{self.file}: {plan}, expected at most {MAX_RUNS}")
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
        """Makes the runs of a plan. Calls ``on_run(point, run)`` as each finishes; returns counts and failed runs."""
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
                named = next(filter(is_python_file, self.controls), None)
                command = repeating(self.file, self.overrides, at_point, seed, self.stacks, named)
                done.failures.append(Failure(point + 1, seed, failures[index], command))
            if done.failures and len(done.failures) == done.runs:
                raise RunError(str(done.failures[0]))
        done.precision = rounds.outcome()
        return done

    def trace(self, seed: int | None = None) -> pl.DataFrame:
        """Runs once and returns every event of every packet, in the order of time.

        Columns: ``time_ns``, ``flow``, ``backward`` (whether it travels in the reverse direction), ``packet`` (a unique
        number), ``bytes`` on the wire, ``event`` and ``link``, null for events at an endpoint. An event is launched,
        offered, dropped (by a queue), started, sent, failed, corrupted (on the wire), arrived, duplicated, injected,
        absorbed or delivered.
        """
        import polars as pl

        self.need_no_stack("a trace")
        return pl.DataFrame(core.trace(*self._source, self._seed(seed), self.classes))

    def export(
        self, folder: str | Path, *formats: str, seed: int | None = None, payloads: bool = False
    ) -> list[Export]:
        """Runs once and writes the run into ``folder``/exports in the formats of other tools.

        ``formats`` are those of ``ackclock run --export``: ``"pcapng"``, ``"pcapng=before:bottleneck"``, ``"qlog"``,
        ``"events"``, ``"flent"``, ``"mahimahi=bottleneck"``. With ``payloads``, captures contain payloads of
        zeros. InputError for an unknown format or place.

        >>> scenario.export("results", "pcapng", "qlog")  # doctest: +SKIP
        """
        from ackclock._exports import export

        return export(self, Path(folder), formats, seed=self._seed(seed), payloads=payloads)

    def events(self, seed: int | None = None) -> pl.DataFrame:
        """Runs once and returns the events of every congestion control and its state after each, in the order of time.

        There is a row for each acknowledgement ("ack"), packet declared lost ("lost"), start of a recovery
        ("reduction"), reaction to an ECN mark ("mark"), timeout ("timeout") and end of a recovery ("recovered").
        """
        from ackclock._exports import events

        self.need_no_stack("an event log")
        return events(self, self._seed(seed))

    def verify(self, seed: int | None = None) -> list[Any]:
        """Runs once and checks the packet trace against the rules of the network. Returns the violations."""
        self.need_no_stack("a packet trace")
        return core.verify(*self._source, self._seed(seed), self.classes)

    def need_no_stack(self, what: str) -> None:
        """Raises InputError if the scenario names a stack in a library, whose packets this process does not see."""
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
    """Returns the controls and queues written in Python in the form that the core takes."""
    if not controls and not queues:
        return []
    from ackclock.custom import python_classes

    return python_classes(controls, queues)


@dataclass
class Simulated:
    """The counts and the failed runs of a plan that has run."""

    runs: int = 0
    stored: int = 0
    """The number of runs whose results were on disk."""
    cpu_time_s: list[float] = field(default_factory=list)
    """The approximate CPU time of each of the other runs, in seconds."""
    failures: list[Failure] = field(default_factory=list)
    precision: str = ""
    """Whether the scenario's precision was reached, in a sentence; empty without one."""

    def add(self, made: Made, runs: int) -> None:
        """Adds the runs of one more round."""
        self.runs += runs
        self.stored += len(made.stored)
        self.cpu_time_s += made.cpu_time_s.values()
