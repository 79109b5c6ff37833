"""The simulations that a study needs."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ackclock import _typed_core as core
from ackclock._names import nearest
from ackclock._overrides import merge
from ackclock._own_controls import named_in
from ackclock._store import Job
from ackclock.errors import InputError, ScenarioError
from ackclock.experiment.expression import Expression, parsed
from ackclock.experiment.looks import Looks
from ackclock.experiment.run_words import needs_series
from ackclock.study.dry_run import MetricsDryRun
from ackclock.study.load import LoadedStudy
from ackclock.study.model import Figure, Interpretation, Overrides, SweptCase
from ackclock.study.placed import placed
from ackclock.study.synthetic import Names

Reading = Interpretation | None
"""An alternative interpretation of the publication, or None for the one that the study adopts."""


@dataclass(frozen=True)
class Use:
    """The use of a job's result: replication ``replication`` of ``run`` under ``reading``."""

    reading: int
    run: int
    replication: int


@dataclass(frozen=True)
class Planned:
    """A simulation and the uses of its result."""

    job: Job
    uses: Sequence[Use]
    cost: float
    """The approximate number of packets that the simulation sends."""


QUICK = 3
"""The default number of seeds of a quick run."""
OTHERS_FEWEST = 2
"""The number of seeds for an alternative interpretation that cannot reverse a result and, in a quick run, for every
alternative interpretation. It is the smallest number that yields a confidence interval.
"""
OTHERS_MOST = 20
"""The largest number of seeds for an alternative interpretation."""


class Plan:
    """The runs of a study. Runs that several interpretations share (equal overrides and seed) are made once."""

    def __init__(self, loaded: LoadedStudy, *, quick: bool, sensitivity: bool) -> None:
        study = loaded.study
        self.loaded, self.study, self.quick = loaded, study, quick
        self.runs = study.runs()
        self.precision = None if quick else study.precision
        self.looks = self._looks()
        self.replications_most = self.looks.seeds[-1]
        seed = study.scenario.get("seed", 1)
        self._first_seed = seed if isinstance(seed, int) else 1  # the core's check reports any other type
        self._costs: dict[str, float] = {}
        self.readings: list[Reading] = [None]
        if sensitivity:
            self.readings += [
                interpretation for item in study.assumptions for interpretation in item.interpretations
            ]

    def _looks(self) -> Looks:
        study = self.study
        if self.quick:
            return Looks.once(study.quick.replications or min(QUICK, study.replications))
        # A characterisation compares every discipline with the baseline by all of its seeds.
        if study.characterisation is not None:
            return Looks.once(study.replications)
        most = 0 if self.precision is None else self.precision.replications_most
        return Looks.until(max(study.replications, most))

    def looks_at(self, reading: int) -> Looks:
        """Returns the looks at an interpretation. One that can reverse a result has several, others a single one."""
        interpretation = self.readings[reading]
        if interpretation is None:
            return self.looks
        if self.quick or not interpretation.may_reverse:
            return Looks.once(min(OTHERS_FEWEST, self.looks.seeds[-1]))
        return Looks.until(min(OTHERS_MOST, self.study.replications))

    def seeds(self, replications: int) -> tuple[int, ...]:
        """Returns the seeds of that many replications, the same for every case."""
        return tuple(self._first_seed + k for k in range(replications))

    def overrides(self, run: SweptCase, reading: Reading = None) -> Overrides:
        """Returns the overrides of ``run``. Later ones take precedence: the quick run, the case, the case's quick run,
        the sweep, the interpretation.
        """
        swept = {} if run.sweep is None else {run.sweep.path: run.value}
        other = _changes(reading, run)
        study, case = (self.study.quick.overrides, run.case.quick) if self.quick else ({}, {})
        return merge(study, run.case.overrides, case, swept, *other)

    def metrics(self, reading: Reading) -> dict[str, Expression]:
        """Returns the expression of each metric under ``reading``."""
        replaced = reading.metrics if reading is not None else {}
        return {metric.id: parsed(replaced.get(metric.id, metric.expr)) for metric in self.study.metrics}

    def check(self) -> None:
        """Checks, with the core, the scenario of every run, and the names in metrics and figures, before the first run
        starts. InputError names the case.

        The core's estimate for each run later becomes the cost of its simulations.
        """
        problems: dict[str, list[str]] = {}
        for reading, run, message in self._problems():
            where = f'case "{run.name}"' + (f', interpretation "{reading.label}"' if reading else "")
            problems.setdefault(message, []).append(where)
        if problems:
            told = "\n".join(f"{message}\n  in {_few(places)}" for message, places in problems.items())
            raise InputError(placed(told, self.loaded.text, self.loaded.file))

    def warnings(self) -> list[str]:
        """Returns warnings about comparisons between cases: their controls use different loss recovery."""
        scenario = self.loaded.scenario
        return core.comparison_warnings(
            scenario.text, scenario.file, [self.overrides(run) for run in self.runs]
        )

    def changes(self, reading: int, run: int) -> bool:
        """Returns whether an interpretation runs a different scenario than the study's own interpretation."""
        return bool(_changes(self.readings[reading], self.runs[run]))

    def sharing(self, reading: int, run: int) -> list[int]:
        """Returns the interpretations that a run under ``reading`` serves: those that run the same scenario."""
        return [reading] if reading else [i for i in range(len(self.readings)) if not self.changes(i, run)]

    def simulations(self, wanted: Mapping[tuple[int, int], tuple[int, int]]) -> list[Planned]:
        """Returns the simulations of replications: for each pair of an interpretation and a run, from the first to the
        last (not included).

        A simulation under the interpretation taken serves all others that do not change its scenario: these only have
        other metrics.
        """
        uses: dict[tuple[str, int], list[Use]] = {}
        jobs: dict[tuple[str, int], Job] = {}
        for (r, c), (first, end) in wanted.items():
            overrides = self.overrides(self.runs[c], self.readings[r])
            sharing = self.sharing(r, c)
            every_run_needs_series = any(self._needs_series(i) for i in sharing)
            for k, seed in list(enumerate(self.seeds(end)))[first:]:
                drawn = k == 0 and bool(self._figures(self.readings[r], self.runs[c]))
                key = (_key(overrides), seed)
                series = every_run_needs_series or drawn or (key in jobs and jobs[key].series)
                jobs[key] = self._job(overrides, seed, series)
                uses.setdefault(key, []).extend(Use(i, c, k) for i in sharing)
        return [Planned(job, uses[key], self._costs.get(key[0], 0.0)) for key, job in jobs.items()]

    def every_run(self, seeds: int) -> list[Planned]:
        """Returns the simulations of that many seeds of every run, under every interpretation that changes it."""
        return self.simulations(
            {
                (r, c): (0, seeds)
                for r in range(len(self.readings))
                for c in range(len(self.runs))
                if r == 0 or self.changes(r, c)
            }
        )

    def cost(self, reading: int, run: int) -> float:
        """Returns the approximate number of packets of one replication."""
        return self._costs.get(_key(self.overrides(self.runs[run], self.readings[reading])), 0.0)

    def _needs_series(self, reading: int) -> bool:
        about = self.study.characterisation
        return (about is not None and "goodput" in about.distributions) or any(
            needs_series(expression) for expression in self.metrics(self.readings[reading]).values()
        )

    def _job(self, overrides: dict[str, Any], seed: int, series: bool) -> Job:
        scenario = self.loaded.scenario
        # A job with a control in Python runs on one core and is not stored, so only those that name one have it.
        controls = named_in(scenario.text + _key(overrides))
        return Job(scenario.text, scenario.file, overrides, seed, series, controls)

    def _runs_of(self, reading: Reading) -> Iterator[SweptCase]:
        """Returns every run for the study's own interpretation; for another one, the runs that it changes or
        measures differently.
        """
        for run in self.runs:
            if reading is None or reading.metrics or _changes(reading, run):
                yield run

    def _problems(self) -> Iterator[tuple[Reading, SweptCase, str]]:
        """Returns what is wrong with each run's scenario, or with the names in figures and metrics."""
        scenario = self.loaded.scenario
        readings = [(reading, MetricsDryRun(self.study, reading)) for reading in self.readings]
        looked_at = [
            (reading, run, metrics) for reading, metrics in readings for run in self._runs_of(reading)
        ]
        wanted = [
            (self.overrides(run, reading), metrics.need_series or bool(self._figures(reading, run)))
            for reading, run, metrics in looked_at
        ]
        # Checks all scenarios at once, so that the core can use all processors.
        outlines = core.outlines(scenario.text, scenario.file, wanted)
        for (reading, run, metrics), (overrides, _), outline in zip(looked_at, wanted, outlines, strict=True):
            if isinstance(outline, ScenarioError):
                yield reading, run, scenario.located(str(outline))
                continue
            self._costs[_key(overrides)] = float(outline["expected_packets"])
            undrawn = _undrawable(self._figures(reading, run), outline["series"])
            for message in [*undrawn, *metrics.problems(run, Names.of(outline))]:
                yield reading, run, f"{self.loaded.file}: {message}"

    def _figures(self, reading: Reading, run: SweptCase) -> list[Figure]:
        """Returns the figures over time that show ``run``; none unless ``reading`` is the study's own."""
        figures = self.study.figures if reading is None else []
        return [figure for figure in figures if figure.kind == "time" and run.matches(figure.cases)]


def _key(overrides: Overrides) -> str:
    """Returns a key that is equal for equal overrides."""
    return repr(sorted(overrides.items()))


def _changes(reading: Reading, run: SweptCase) -> list[Overrides]:
    """Returns what ``reading`` sets in ``run``."""
    changes = [] if reading is None else reading.all_changes()
    return [change.overrides for change in changes if run.matches(change.cases)]


def _undrawable(figures: Sequence[Figure], known: Sequence[str]) -> Iterator[str]:
    """Yields a message for each series of the figures that a run does not have."""
    for figure in figures:
        for path in figure.series_paths:
            if path not in known and not fnmatch.filter(known, path):
                yield f'figure "{figure.id}": series: found "{path}", {_instead(path, known)}'


def _instead(path: str, known: Sequence[str]) -> str:
    """Returns what is wrong with a path: its flow or link, or its quantity."""
    kind, owner, quantity = path.split(".")
    owners = {name.split(".")[1] for name in known if name.startswith(f"{kind}.")}
    meant = fnmatch.filter(owners, owner)
    if not meant:
        return f'but there is no {kind[:-1]} "{owner}" with series{nearest(owner, sorted(owners))}'
    published = [name.split(".") for name in known]
    quantities = sorted({what for of, who, what in published if of == kind and who in meant})
    return f'but "{owner}" has no series "{quantity}"{nearest(quantity, quantities)}'


def _few(places: Sequence[str]) -> str:
    """Returns the first places, and the number of further ones."""
    shown = "; ".join(places[:3])
    return shown if len(places) <= 3 else f"{shown}; and {len(places) - 3} more"
