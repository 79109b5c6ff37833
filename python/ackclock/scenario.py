"""Scenarios: reading, checking and running them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock import core
from ackclock.errors import InputError
from ackclock.files import read_text
from ackclock.jobs import Progress, run_jobs
from ackclock.named_files import with_files
from ackclock.overrides import merge
from ackclock.run import Run, Runs
from ackclock.store import Job, Store

if TYPE_CHECKING:
    import polars as pl

MAX_RUNS = 100_000
"""Their results are held in memory together, at some ten kilobytes each."""


@dataclass(frozen=True)
class Scenario:
    """A scenario file, checked, with the overrides that apply to it.

    >>> scenario = Scenario.from_file("dumbbell.toml")  # doctest: +SKIP
    >>> scenario.run(seed=1).flows  # doctest: +SKIP
    >>> scenario.with_overrides({"flows.tcp.count": 25}).run().fairness  # doctest: +SKIP
    """

    text: str
    file: str = "scenario"
    overrides: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # The files that it names become part of it: what they hold later does not change it.
        object.__setattr__(self, "text", with_files(self.text, self.file, self.overrides))
        core.check(self.text, self.file, self.overrides)

    @classmethod
    def from_file(cls, path: str | Path, overrides: Mapping[str, Any] | None = None) -> Scenario:
        """The scenario in a TOML file.

        ``overrides`` replace values of the file by dotted path, e.g. ``{"flows.tcp.control": "cubic"}``; an array of
        tables is addressed by name or index. InputError when the file cannot be read, ScenarioError (an InputError)
        with every problem when it is wrong.
        """
        return cls(read_text(Path(path)), str(path), overrides or {})

    @classmethod
    def from_text(
        cls, text: str, overrides: Mapping[str, Any] | None = None, file: str = "scenario"
    ) -> Scenario:
        """The scenario in a string; ``file`` is what error messages call it. ScenarioError when it is wrong."""
        return cls(text, file, overrides or {})

    def with_overrides(self, overrides: Mapping[str, Any]) -> Scenario:
        """The scenario with more values replaced. ScenarioError when the outcome is wrong."""
        return Scenario(self.text, self.file, merge(self.overrides, overrides))

    def points(self) -> list[Scenario]:
        """The scenario at each point of its [sweep]; just itself when it has none."""
        points = core.points(self.text, self.file, self.overrides)
        return [self.with_overrides(point) if point else self for point in points]

    def describe(self) -> dict[str, Any]:
        """Name, duration_s, warmup_s, seed, replications, and the names of flows and links, defaults filled in.

        ``warnings`` says in sentences what is allowed and yet hardly meant.
        """
        return core.describe(self.text, self.file, self.overrides)

    def run(self, seed: int | None = None, series: bool = True) -> Run:
        """Simulate once. ``seed`` defaults to the scenario's, ``series=False`` leaves out the values over time.

        A [sweep] is ignored: run ``points()`` or ``run_many()`` for it. RunError when the simulation cannot be done.
        """
        if seed is None:
            seed = self._first_seed()
        return Run(core.run(self.text, self.file, self.overrides, seed, series), overrides=self.overrides)

    def run_many(
        self,
        seeds: Iterable[int] | None = None,
        *,
        replications: int | None = None,
        series: bool = False,
        threads: int = 0,
        out: str | Path | None = None,
        progress: Progress | None = None,
    ) -> Runs:
        """Simulate every point of the sweep with every seed, on all cores (``threads=0``).

        ``seeds`` defaults to as many as the scenario's ``replications`` (or the argument's) from its ``seed`` on. With
        ``out``, finished runs are stored below that folder and found there the next time. ``progress`` is called with
        (runs done, runs in all, share of the work done). RunError when a run fails, Interrupted on Ctrl-C.
        """
        if seeds is None:
            description = self.describe()
            count = replications if replications is not None else int(description["replications"])
            seeds = range(int(description["seed"]), int(description["seed"]) + count)
        own = set(self.overrides)
        points = self.points()
        chosen = list(islice(seeds, MAX_RUNS + 1))
        if len(points) * len(chosen) > MAX_RUNS:
            raise InputError(
                f"{self.file}: more than {MAX_RUNS} runs ({len(points)} points of the sweep, all replications)"
            )
        jobs = [
            Job(self.text, self.file, point.overrides, seed, series) for point in points for seed in chosen
        ]
        results: list[Mapping[str, Any]] = [{}] * len(jobs)

        def keep(index: int, result: Mapping[str, Any]) -> None:
            results[index] = result

        run_jobs(
            jobs, keep, store=Store(None if out is None else Path(out)), threads=threads, progress=progress
        )
        swept = [{path: value for path, value in job.overrides.items() if path not in own} for job in jobs]
        return Runs(
            Run(result, overrides=job.overrides, point=point)
            for result, job, point in zip(results, jobs, swept, strict=True)
        )

    def trace(self, seed: int | None = None) -> pl.DataFrame:
        """Run once and return everything that happened to every packet, in the order of time.

        Columns: ``time_ns``, ``flow``, ``backward`` (whether it is on the way back), ``packet`` (a number of its own),
        ``bytes`` on the wire, ``event`` (launched, offered, dropped, started, sent, lost, arrived, delivered) and
        ``link``, null for what happens at an endpoint.
        """
        import polars as pl

        seed = self._first_seed() if seed is None else seed
        return pl.DataFrame(core.trace(self.text, self.file, self.overrides, seed))

    def verify(self, seed: int | None = None) -> list[Any]:
        """Run once and replay the packet trace against the network's physics. The violations found; empty is good."""
        return core.verify(self.text, self.file, self.overrides, self._first_seed() if seed is None else seed)

    def _first_seed(self) -> int:
        return int(self.describe()["seed"])
