"""The independent trace verifier over studies of the package, and the same bytes from every way to run."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from conftest import SCENARIO, cheapest_study, folders_of_studies

from ackclock import Scenario
from ackclock import _typed_core as core
from ackclock._jobs import run_jobs
from ackclock._overrides import merge
from ackclock._store import Job, Store
from ackclock.lessons import __file__ as lessons_file
from ackclock.series import as_document
from ackclock.study.load import load_study, study_names
from ackclock.study.plan import Plan

ROOT = Path(__file__).resolve().parents[2]
LESSONS = Path(lessons_file).parent
MOST_PACKETS = 100_000
"""The verifier holds the whole trace in memory: about half a gigabyte for this number of packets."""


# `make soak` verifies more of each run, and all runs.
PACKETS_PER_STUDY = 20_000
LEAST_PACKETS_PER_RUN = 500
RUNS_PER_STUDY = 40
"""Of a study with more, this number is drawn, the same each time."""


DRAWN = 40
"""The number of studies whose beginnings are verified; there are more than 200."""


def drawn_studies() -> list[str]:
    """Returns some studies of each thesis in proportion, the same each time; `make soak` verifies all of them."""
    names = study_names()
    random.Random("physics").shuffle(names)  # noqa: S311 (a sample of studies, no secret)
    names.sort(key=lambda name: name.partition("/")[0])
    return [names[number * len(names) // DRAWN] for number in range(DRAWN)]


@pytest.mark.slow
@pytest.mark.parametrize("folder", folders_of_studies())
def test_a_study_of_each_thesis_keeps_to_the_physics_of_its_network(folder: str) -> None:
    """Each case, under each reading of the thesis: the quick run, or as much of it as the memory holds."""
    plan = Plan(load_study(cheapest_study(folder)), quick=True, sensitivity=True)
    plan.check()
    for planned in plan.every_run(1):
        job = planned.job
        overrides = merge(job.overrides, beginning(job, MOST_PACKETS) if planned.cost > MOST_PACKETS else {})
        assert core.verify(job.text, job.file, overrides, job.seed) == [], overrides


@pytest.mark.slow
@pytest.mark.parametrize("name", drawn_studies())
def test_no_study_breaks_the_physics_of_its_network(name: str) -> None:
    """The beginning of cases, under readings of the thesis."""
    plan = Plan(load_study(name), quick=True, sensitivity=True)
    every = [planned.job for planned in plan.every_run(1)]
    assert len(every) >= len(plan.runs)
    first = random.Random(name).sample(every, min(len(every), RUNS_PER_STUDY))  # noqa: S311 (a sample of runs, no secret)
    packets = max(LEAST_PACKETS_PER_RUN, PACKETS_PER_STUDY / len(first))
    for job in first:
        overrides = merge(job.overrides, beginning(job, packets))
        assert core.verify(job.text, job.file, overrides, job.seed) == [], overrides


def scenario_files() -> list[Path]:
    """The examples and workloads of the repository, and the lessons."""
    lessons = (path for path in LESSONS.glob("*.toml") if ".lesson" not in path.name)
    return sorted([*(ROOT / "scenarios").glob("*/*.toml"), *lessons])


@pytest.mark.slow
@pytest.mark.parametrize("file", scenario_files(), ids=lambda file: file.stem)
def test_no_example_and_no_lesson_breaks_the_physics_of_its_network(file: Path) -> None:
    scenario = Scenario.from_file(file)
    for point in map(scenario.sweep.overrides, range(len(scenario.sweep))):
        job = Job(scenario.text, scenario.file, point, 1)
        overrides = merge(point, beginning(job, PACKETS_PER_STUDY))
        assert core.verify(job.text, job.file, overrides, job.seed) == [], overrides


def beginning(job: Job, packets: float) -> dict[str, str]:
    """What shortens a run to about this number of packets."""
    facts = core.describe(job.text, job.file, job.overrides)
    share = min(1.0, packets / facts["expected_packets"])
    return {"duration": f"{facts['duration_s'] * share:.9f} s", "warmup": "0 s"}


def test_a_run_is_the_same_alone_and_among_many() -> None:
    scenario = Scenario.from_text(SCENARIO)
    alone = [scenario.run(seed, series=False).to_json() for seed in range(8)]
    for threads in (1, 2, 0):
        together = scenario.run_many(range(8), threads=threads)
        assert [run.to_json() for run in together] == alone


@pytest.mark.parametrize("name", ["rbcc/table-4.1", "rbcc/figure-4.12"])
def test_a_study_is_the_same_with_one_thread_and_with_many(name: str) -> None:
    plan = Plan(load_study(name), quick=True, sensitivity=False)
    jobs = [planned.job for planned in plan.every_run(2)]

    def results(threads: int) -> dict[int, str]:
        found: dict[int, str] = {}
        run_jobs(
            jobs,
            lambda k, result: found.update({k: json.dumps(as_document(result))}),
            store=Store(None),
            threads=threads,
        )
        return found

    assert results(1) == results(0)
