"""Running a study: plan the runs, compute the metrics as runs finish, judge the claims."""

from __future__ import annotations

import platform
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ackclock import core
from ackclock.errors import InputError, ScenarioError
from ackclock.jobs import Progress, run_jobs
from ackclock.overrides import merge
from ackclock.statistics import summarise
from ackclock.store import Job, Store, core_fingerprint
from ackclock.study.claim_words import ClaimWords
from ackclock.study.language import Array, Expression, ExpressionError
from ackclock.study.load import LoadedStudy
from ackclock.study.model import Alternative, Metric, Study, SweptCase
from ackclock.study.result import (
    AssumptionResult,
    CaseResult,
    ClaimResult,
    MetricValue,
    SensitivityResult,
    Source,
    StudyResult,
)
from ackclock.study.run_words import measure, needs_series
from ackclock.study.verdict import judge


def run_study(
    loaded: LoadedStudy,
    *,
    quick: bool = False,
    sensitivity: bool = True,
    store: Store | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> StudyResult:
    """Run all cases, replications and (with ``sensitivity``) alternative readings of a study, and judge its claims.

    InputError when a scenario or an expression is wrong, RunError when a run fails, Interrupted on Ctrl-C.
    """
    began = time.monotonic()
    plan = Plan(loaded, quick=quick, sensitivity=sensitivity)
    plan.check()
    measured = Measured(plan)
    reused = run_jobs(
        plan.jobs, measured.take, store=store or Store(None), threads=threads, progress=progress
    )
    taken = measured.claims(None)
    study = loaded.study
    return StudyResult(
        name=loaded.name,
        title=study.title,
        summary=study.summary,
        source=Source(thesis=loaded.thesis, item=study.source.item, section=study.source.section),
        file=loaded.file,
        quick=quick,
        replications=plan.replications,
        scenario_text=loaded.scenario_text.strip("\n") + "\n",
        metrics=tuple(study.metrics),
        cases=tuple(measured.case(run) for run in plan.runs),
        sweep=study.sweep,
        claims=taken,
        figures=tuple(study.figures),
        assumptions=tuple(
            AssumptionResult(
                what=assumption.what,
                taken=assumption.taken,
                why=assumption.why,
                sensitivity=tuple(
                    _sensitivity(assumption.what, alternative, taken, measured.claims(alternative))
                    for alternative in assumption.alternatives
                    if alternative in plan.readings
                ),
            )
            for assumption in study.assumptions
        ),
        findings=tuple(study.findings),
        versions=versions(),
        runs=len(plan.jobs),
        reused_runs=reused,
        wall_time_s=time.monotonic() - began,
    )


def versions() -> dict[str, str]:
    """What the numbers were made with."""
    from importlib.metadata import version

    return {
        "ackclock": core.VERSION,
        "core": core_fingerprint(),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "scipy": version("scipy"),
    }


Reading = Alternative | None
"""An alternative reading of the thesis, or None for the one that the study takes."""


@dataclass(frozen=True)
class Use:
    """What a job's result is for: replication ``replication`` of ``run`` under ``reading``."""

    reading: int
    run: int
    replication: int


class Plan:
    """Which simulations a study needs. Runs that several readings share (equal overrides and seed) are made once."""

    def __init__(self, loaded: LoadedStudy, *, quick: bool, sensitivity: bool) -> None:
        study = loaded.study
        self.loaded, self.study, self.quick = loaded, study, quick
        self.runs = study.runs()
        self.replications = (quick and study.quick.replications) or study.replications
        first_seed = study.scenario.get("seed", 1)
        first_seed = first_seed if isinstance(first_seed, int) else 1  # the core's check reports another type
        self.seeds = tuple(first_seed + k for k in range(self.replications))
        self.readings: list[Reading] = [None]
        if sensitivity:
            self.readings += [alternative for item in study.assumptions for alternative in item.alternatives]
        self.jobs, self.uses = self._jobs()

    def overrides(self, run: SweptCase, reading: Reading = None) -> dict[str, Any]:
        """What ``run`` sets in the scenario. Later wins: quick, the case, the sweep, the alternative reading."""
        swept = {} if run.value is None or self.study.sweep is None else {self.study.sweep.path: run.value}
        other = reading.overrides if reading is not None and run.matches(reading.cases) else {}
        return merge(self.study.quick.overrides if self.quick else {}, run.case.overrides, swept, other)

    def metrics(self, reading: Reading) -> dict[str, Expression]:
        """The expression of each metric under ``reading``."""
        replaced = reading.metrics if reading is not None else {}
        return {metric.id: Expression(replaced.get(metric.id, metric.expr)) for metric in self.study.metrics}

    def check(self) -> None:
        """Have the core check the scenario of every run, before the first one starts. InputError names the case."""
        problems: dict[str, list[str]] = {}
        for reading, run in self._pairs():
            try:
                core.check(self.loaded.scenario_text, self.loaded.file, self.overrides(run, reading))
            except ScenarioError as error:
                where = f'case "{run.name}"' + (f', alternative "{reading.label}"' if reading else "")
                problems.setdefault(str(error), []).append(where)
        if problems:
            raise InputError(
                "\n".join(f"{message}\n  in {_few(places)}" for message, places in problems.items())
            )

    def _pairs(self) -> Iterator[tuple[Reading, SweptCase]]:
        """Every run under the reading taken, then those that an alternative changes."""
        for reading in self.readings:
            for run in self.runs:
                if reading is None or (reading.overrides and run.matches(reading.cases)):
                    yield reading, run

    def _jobs(self) -> tuple[list[Job], list[list[Use]]]:
        uses: dict[tuple[str, int], list[Use]] = {}
        wanted: dict[tuple[str, int], Job] = {}
        for r, reading in enumerate(self.readings):
            every_run_needs_series = any(
                needs_series(expression) for expression in self.metrics(reading).values()
            )
            for c, run in enumerate(self.runs):
                overrides = self.overrides(run, reading)
                for k, seed in enumerate(self.seeds):
                    drawn = reading is None and k == 0 and self._is_drawn(run)
                    key = (repr(sorted(overrides.items())), seed)
                    series = every_run_needs_series or drawn or (key in wanted and wanted[key].series)
                    wanted[key] = Job(self.loaded.scenario_text, self.loaded.file, overrides, seed, series)
                    uses.setdefault(key, []).append(Use(r, c, k))
        return list(wanted.values()), [uses[key] for key in wanted]

    def _is_drawn(self, run: SweptCase) -> bool:
        """Whether a figure over time shows ``run``."""
        return any(figure.kind == "time" and run.matches(figure.cases) for figure in self.study.figures)


class Measured:
    """The metrics of all runs, filled in as they finish."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._expressions = [plan.metrics(reading) for reading in plan.readings]
        shape = (len(plan.readings), len(plan.runs), plan.replications)
        self._samples: dict[str, Array] = {metric.id: np.full(shape, np.nan) for metric in plan.study.metrics}
        self._first: dict[int, Mapping[str, Any]] = {}

    def take(self, job: int, result: Mapping[str, Any]) -> None:
        """Compute the metrics of a finished job. InputError names the metric that cannot be computed."""
        known: dict[str, float] = {}
        for use in self._plan.uses[job]:
            for id, expression in self._expressions[use.reading].items():
                if expression.text not in known:
                    known[expression.text] = self._measure(id, expression, result)
                self._samples[id][use.reading, use.run, use.replication] = known[expression.text]
            if use.reading == 0 and use.replication == 0:
                self._first[use.run] = result

    def case(self, run: SweptCase) -> CaseResult:
        """The case under the reading taken."""
        index = self._plan.runs.index(run)
        first = self._first[index]
        return CaseResult(
            name=run.name,
            case=run.case.name,
            label=run.case.title,
            sweep_value=run.value,
            overrides=self._plan.overrides(run),
            seeds=self._plan.seeds,
            values={metric.id: self._value(metric, run, index) for metric in self._plan.study.metrics},
            flows=tuple(first["flows"]),
            links=tuple(first["links"]),
            series=first.get("series"),
        )

    def claims(self, reading: Reading) -> tuple[ClaimResult, ...]:
        """All claims judged under ``reading``. InputError names the claim that cannot be."""
        plan, index = self._plan, self._plan.readings.index(reading)
        words = ClaimWords(
            {
                metric: {run.name: samples[index, c] for c, run in enumerate(plan.runs)}
                for metric, samples in self._samples.items()
            },
            plan.runs,
        )
        return tuple(_judged(plan.loaded, words, plan.replications, plan.study))

    def _value(self, metric: Metric, run: SweptCase, index: int) -> MetricValue:
        samples = self._samples[metric.id][0, index]
        summary = summarise(samples)
        return MetricValue(
            mean=summary.mean,
            std=summary.std,
            interval=summary.interval,
            samples=tuple(map(float, samples)),
            paper=metric.paper.get(run.name),
        )

    def _measure(self, id: str, expression: Expression, result: Mapping[str, Any]) -> float:
        try:
            return measure(expression, result)
        except ExpressionError as error:
            raise InputError(f'{self._plan.loaded.file}: metric "{id}": {error}') from None


def _few(places: Sequence[str]) -> str:
    """The first places, and how many more there are."""
    shown = "; ".join(places[:3])
    return shown if len(places) <= 3 else f"{shown}; and {len(places) - 3} more"


def _judged(loaded: LoadedStudy, words: ClaimWords, replications: int, study: Study) -> Iterator[ClaimResult]:
    findings = {finding.claim: finding.text for finding in study.findings}
    for claim in study.claims:
        try:
            yield judge(claim, words, replications, findings.get(claim.id))
        except ExpressionError as error:
            raise InputError(f'{loaded.file}: claim "{claim.id}": {error}') from None


def _sensitivity(
    what: str, alternative: Alternative, taken: Sequence[ClaimResult], other: tuple[ClaimResult, ...]
) -> SensitivityResult:
    changed = [
        before.id for before, after in zip(taken, other, strict=True) if before.verdict != after.verdict
    ]
    return SensitivityResult(what, alternative.label, other, tuple(changed))
