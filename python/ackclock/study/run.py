"""Running a study: make the runs, compute the metrics as they finish, judge the claims."""

from __future__ import annotations

import platform
import time
from collections.abc import Sequence
from dataclasses import dataclass

from ackclock import core
from ackclock.errors import Interrupted
from ackclock.jobs import Progress, run_jobs
from ackclock.store import Store, core_fingerprint
from ackclock.study.load import LoadedStudy
from ackclock.study.measured import Measured
from ackclock.study.model import Alternative
from ackclock.study.plan import Plan, Planned
from ackclock.study.result import AssumptionResult, ClaimResult, SensitivityResult, Source, StudyResult


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
    made = _Runs(measured, store or Store(None), threads, progress)
    _make(plan, measured, made)
    taken = measured.claims(None)
    study = loaded.study
    return StudyResult(
        name=loaded.name,
        title=study.title,
        summary=study.summary,
        source=Source(thesis=loaded.thesis, item=study.source.item, section=study.source.section),
        file=loaded.file,
        quick=quick,
        replications=measured.replications,
        scenario_text=loaded.scenario.text.strip("\n") + "\n",
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
        precision=measured.precision(),
        versions=versions(),
        runs=made.count,
        reused_runs=made.reused,
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


@dataclass
class _Runs:
    """Makes simulations and hands them over, counting."""

    measured: Measured
    store: Store
    threads: int
    progress: Progress | None
    count: int = 0
    reused: int = 0

    def make(self, simulations: Sequence[Planned], more: int = 0) -> None:
        """Make them. ``more`` is how many are known to follow."""
        before, total = self.count, self.count + len(simulations) + more

        def on_progress(done: int, _: int) -> None:
            if self.progress is not None:
                self.progress(before + done, total)

        try:
            self.reused += run_jobs(
                [planned.job for planned in simulations],
                lambda index, result: self.measured.take(simulations[index], result),
                store=self.store,
                threads=self.threads,
                progress=on_progress,
            )
        except Interrupted as stopped:
            raise Interrupted(before + stopped.done, total, stopped.runs_dir) from None
        self.count += len(simulations)


def _make(plan: Plan, measured: Measured, made: _Runs) -> None:
    """All simulations: replications are added batch by batch until the precision wanted is reached.

    Only the reading taken decides how many; the alternatives follow with the same seeds, so that all compare.
    """
    if plan.precision is None:
        made.make(plan.simulations())
        return
    first, end, later = 0, plan.replications, list[Planned]()
    while True:
        batch = plan.simulations(first, end)
        later += [planned for planned in batch if not planned.taken]
        made.make([planned for planned in batch if planned.taken], more=len(later))
        measured.replications = end
        reached = measured.precision()
        if end >= plan.replications_most or reached is None or reached.reached:
            break
        first, end = end, min(end + plan.replications, plan.replications_most)
    made.make(later)


def _sensitivity(
    what: str, alternative: Alternative, taken: Sequence[ClaimResult], other: tuple[ClaimResult, ...]
) -> SensitivityResult:
    changed = [
        before.id for before, after in zip(taken, other, strict=True) if before.verdict != after.verdict
    ]
    return SensitivityResult(what, alternative.label, other, tuple(changed))
