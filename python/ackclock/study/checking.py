"""Checks recorded results against today's core: runs the first seed of each case and interpretation again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ackclock._jobs import Progress, run_jobs
from ackclock._numbers import rounded
from ackclock._store import Store
from ackclock.errors import InputError
from ackclock.study.digest import PHYSICS, digest
from ackclock.study.fingerprint import of_simulation
from ackclock.study.load import LoadedStudy
from ackclock.study.measured import Measured
from ackclock.study.plan import Plan, Planned
from ackclock.study.records import DIGITS, Checked, Record, Values, write

Place = tuple[int, int]
"""An interpretation and a run, by their indices in the plan."""
STALE = 0
"""The physics version that marks a record whose results the present core does not reproduce."""


@dataclass(frozen=True)
class Outcome:
    """The check of a study's record: the runs with other results than recorded, and the number of runs compared."""

    record: Record
    moved: Sequence[str]
    compared: int
    changed: bool = False
    """Whether the study has changed since it was recorded, in which case nothing was run."""

    def __str__(self) -> str:
        if self.changed:
            return (
                f"{self.record.study}: the scenario, cases, metrics or interpretations have changed since the study "
                "was recorded"
            )
        if not self.moved:
            return (
                f"{self.record.study}: {self.compared} of {self.compared} runs, each with the first seed of its case, "
                "reproduced the recorded results and samples; other seeds were not run"
            )
        few = ", ".join(self.moved[:3]) + (f" and {len(self.moved) - 3} more" if len(self.moved) > 3 else "")
        return (
            f"{self.record.study}: {len(self.moved)} of {self.compared} runs, each with the first seed of its case, "
            f"did not reproduce the recorded results or samples: {few}"
        )


def check(
    recorded: Sequence[tuple[Record, LoadedStudy]], *, threads: int = 0, progress: Progress | None = None
) -> list[Outcome]:
    """Runs the first seed of every recorded run again, and compares the digests of the results and the samples of the
    metrics, from which claims are judged.

    RunError when a run fails, Interrupted on Ctrl-C.
    """
    jobs, of_job, costs = [], list[tuple[int, Place, str, Planned]](), list[float]()
    found: list[dict[str, bool]] = [{} for _ in recorded]
    measured: dict[int, Measured] = {}
    for number, (record, loaded) in enumerate(recorded):
        if record.simulation != of_simulation(loaded.study):
            continue
        plan = Plan(loaded, quick=False, sensitivity=True)
        plan.check()
        measured[number] = Measured(plan)
        for place, name in _places(record, plan):
            (planned,) = plan.simulations({place: (0, 1)})
            jobs.append(planned.job)
            costs.append(planned.cost)
            of_job.append((number, place, name, planned))

    def take(index: int, result: Mapping[str, Any]) -> None:
        number, place, name, planned = of_job[index]
        record, own = recorded[number][0], measured[number]
        try:
            own.take(planned, result)
        except InputError:
            # A metric that cannot be computed any more is not reproduced.
            found[number][name] = False
            return
        known, samples = dict(_recorded(record))[name]
        made = own.samples(*place)
        found[number][name] = digest(result, record.fields) == known and all(
            rounded(made[id][:1], DIGITS) == list(values[:1]) for id, values in samples.items()
        )

    run_jobs(jobs, take, store=Store(None), threads=threads, progress=progress, costs=costs)
    return [_outcome(record, loaded, of) for (record, loaded), of in zip(recorded, found, strict=True)]


def stamp(outcome: Outcome, date: str) -> None:
    """Writes into the record of a study whether the check reproduced it, and the date of the check."""
    core = PHYSICS if not outcome.moved else STALE
    write(replace(outcome.record, checked=Checked(core, date)))


def _outcome(record: Record, loaded: LoadedStudy, found: Mapping[str, bool]) -> Outcome:
    if record.simulation != of_simulation(loaded.study):
        return Outcome(record, (), 0, changed=True)
    return Outcome(record, [name for name, same in found.items() if not same], len(found))


def _recorded(record: Record) -> Iterator[tuple[str, tuple[str, Values]]]:
    """Yields the name of each recorded run, with the digest of its first seed and its samples."""
    for run, text in record.digests.items():
        yield run, (text, record.samples[run])
    for other in record.others:
        for run, text in other.digests.items():
            name = f"{run} ({other.assumption}: {other.alternative})"
            yield name, (text, other.samples.get(run, {}))


def _places(record: Record, plan: Plan) -> Iterator[tuple[tuple[int, int], str]]:
    """Yields the interpretation and the run of each digest, with its name."""
    runs = {run.name: c for c, run in enumerate(plan.runs)}
    for run in record.digests:
        yield (0, runs[run]), run
    numbers = {
        (item.what, one.label): plan.readings.index(one)
        for item in plan.study.assumptions
        for one in item.interpretations
    }
    for other in record.others:
        for run in other.digests:
            place = (numbers[other.assumption, other.alternative], runs[run])
            yield place, f"{run} ({other.assumption}: {other.alternative})"
