"""Digests of what studies and scenarios simulate: short, and still telling which field of which run moved.

A run's result is a JSON document. Each of its fields, of all flows or links together, is a hash and a mean; the run is
the hash of those, the study the hash of its runs. Two cores whose digests are equal gave the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ackclock
from ackclock import _typed_core as core
from ackclock._files import read_text
from ackclock._jobs import run_jobs
from ackclock._named_files import with_files
from ackclock._overrides import merge, to_json
from ackclock._store import Job, Store, canonical, core_fingerprint
from ackclock._sweep import Sweep
from ackclock.errors import InputError, ScenarioError
from ackclock.series import as_document
from ackclock.study.load import find_studies, load_study, study_names
from ackclock.study.plan import Plan

ROOT = Path(ackclock.__file__).resolve().parents[2]
"""The checkout that the installed package comes from."""

Digests = dict[str, Any]
"""What is written and compared: ``core``, ``options``, and of ``studies`` each with its digest and its runs."""


@dataclass(frozen=True)
class Options:
    """How much is simulated."""

    seeds: int = 1
    """Replications of every case."""
    readings: bool = False
    """Whether the other readings of what a publication leaves open are run too."""
    packets: float = 100_000
    """A run that is expected to send more is cut short in time to about as many; 0 leaves all their length."""


@dataclass(frozen=True)
class Asked:
    """A run and what it is called."""

    study: str
    run: str
    job: Job
    packets: float
    """How many it is expected to send."""


def everything() -> list[str]:
    """All that there is when nothing is named: the studies, then the scenario files and lessons."""
    return [*study_names(), *_scenarios()]


def asked(names: Iterable[str], options: Options) -> list[Asked]:
    """The runs of studies and scenario files. InputError for a name that is neither."""
    found: list[Asked] = []
    for name in names:
        if name in _scenarios():
            found += _of_scenario(name, options)
        else:
            for study in find_studies([name]):
                found += _of_study(study, options)
    return [_cut_short(one, options.packets) for one in found]


def digests(
    names: Iterable[str],
    options: Options,
    threads: int = 0,
    progress: Callable[[int, int, float], None] | None = None,
) -> Digests:
    """Run what ``names`` and ``options`` ask for, and digest it. What several studies share is simulated once."""
    wanted = asked(names, options)
    jobs: dict[str, Asked] = {}
    for one in wanted:
        jobs.setdefault(one.job.key(), one)
    order = list(jobs)
    results: dict[str, dict[str, Any]] = {}

    def keep(index: int, result: Mapping[str, Any]) -> None:
        results[order[index]] = _of_result(as_document(result))

    run_jobs(
        [jobs[key].job for key in order],
        keep,
        store=Store(None),
        threads=threads,
        progress=progress,
        costs=[jobs[key].packets for key in order],
    )
    studies: dict[str, Any] = {}
    for one in wanted:
        runs = studies.setdefault(one.study, {"digest": "", "runs": {}})["runs"]
        runs[one.run] = {"asked": _hash(_identity(one.job)), **results[one.job.key()]}
    for study in studies.values():
        study["digest"] = _hash({name: [run["asked"], run["digest"]] for name, run in study["runs"].items()})
    return {"core": core_fingerprint(), "options": vars(options), "studies": studies}


def differences(before: Digests, after: Digests) -> list[str]:
    """What differs, a line each: studies, in them fields with the runs they differ in, and at last fields in all.

    Only what both have is compared. InputError when they were made with other options.
    """
    if before["options"] != after["options"]:
        raise InputError(f"made with other options: {before['options']} before, {after['options']} now")
    lines: list[str] = []
    totals: Counter[str] = Counter()
    for name, now in after["studies"].items():
        then = before["studies"].get(name)
        if then is not None and then["digest"] != now["digest"]:
            moved = _moved(then["runs"], now["runs"])
            totals.update({field: len(runs) for field, runs in moved.items()})
            lines += [f"{name}: {then['digest']} before, {now['digest']} now", *_described(moved)]
    if totals:
        lines += ["all studies:", *(f"  {field}: {count} runs" for field, count in sorted(totals.items()))]
    return lines


def _moved(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, list[tuple[str, str]]]:
    """Of each field that differs, the runs and what it was and is."""
    moved: dict[str, list[tuple[str, str]]] = {}
    for run in dict.fromkeys([*before, *after]):
        then, now = before.get(run), after.get(run)
        if then is None or now is None:
            moved.setdefault("(the run itself)", []).append((run, "new" if then is None else "gone"))
        elif then["asked"] != now["asked"]:
            moved.setdefault("(what is asked)", []).append((run, "another scenario"))
        else:
            for field in sorted({*then["fields"], *now["fields"]}):
                old, new = then["fields"].get(field), now["fields"].get(field)
                if old != new:
                    change = f"{_mean(old)} before, {_mean(new)} now"
                    moved.setdefault(field, []).append((run, change))
    return moved


def _described(moved: Mapping[str, Sequence[tuple[str, str]]]) -> Iterator[str]:
    for field, runs in moved.items():
        run, change = runs[0]
        yield f"  {field}: {len(runs)} runs; {run}: {change}"


def _mean(field: Sequence[Any] | None) -> str:
    if field is None:
        return "absent"
    return "no number" if field[1] is None else f"mean {field[1]!r}"


def _of_study(name: str, options: Options) -> Iterator[Asked]:
    """Every case of a study at quick size."""
    plan = Plan(load_study(name), quick=True, sensitivity=options.readings)
    plan.check()
    for planned in plan.every_run(options.seeds):
        # A simulation is called after the first of its uses: that of the reading taken, if that one needs it.
        use = planned.uses[0]
        reading = plan.readings[use.reading]
        other = "" if reading is None else f", reading {use.reading} ({reading.label})"
        run = f"{plan.runs[use.run].name}{other}, seed {planned.job.seed}"
        yield Asked(name, run, planned.job, planned.cost)


def _of_scenario(name: str, options: Options) -> Iterator[Asked]:
    """Every point of the sweep of a scenario file."""
    text = with_files(read_text(ROOT / name), str(ROOT / name))
    sweep = Sweep(core.check(text, name, {}))
    for point in map(sweep.overrides, range(len(sweep))):
        described = core.describe(text, name, point)
        for k in range(options.seeds):
            job = Job(text, name, point, int(described["seed"]) + k, series=True)
            run = ", ".join([*(f"{path} = {value}" for path, value in point.items()), f"seed {job.seed}"])
            yield Asked(name, run, job, float(described["expected_packets"]))


def _cut_short(one: Asked, packets: float) -> Asked:
    """The run with a duration in which it sends about `packets` packets, and as much less of warm-up."""
    if not 0 < packets < one.packets:
        return one
    job, share = one.job, packets / one.packets
    described = core.describe(job.text, job.file, job.overrides)
    times = {
        path: f"{round(described[f'{path}_s'] * share * 1000)} ms"
        for path in ("duration", "warmup")
        if described[f"{path}_s"]
    }
    overrides = merge(job.overrides, times)
    try:
        core.check(job.text, job.file, overrides)
    except ScenarioError:  # something in it needs the time that it has
        return one
    return Asked(one.study, one.run, Job(job.text, job.file, overrides, job.seed, job.series), packets)


def _of_result(result: Mapping[str, Any]) -> dict[str, Any]:
    """A run's digest and those of its fields."""
    fields = {path: [_hash(values), _average(values)] for path, values in _fields(result).items()}
    return {"digest": _hash(fields), "fields": fields}


def _fields(result: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Every field of a result with its values: over all flows, links or groups, and of series over time."""
    fields: dict[str, list[Any]] = {}
    for key, value in result.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            for record in value:
                for field, one in record.items():
                    fields.setdefault(f"{key}.{field}", []).append(one)
        elif key == "series" and value is not None:
            fields["series.time_s"] = value["time_s"]
            for kind in ("flows", "links"):
                for name, quantities in value[kind].items():
                    for field, samples in quantities.items():
                        fields.setdefault(f"series.{kind}.{field}", []).extend([name, *samples])
        else:
            fields[key] = [value]
    return fields


def _average(values: Sequence[Any]) -> float | None:
    """The mean of the numbers among the values."""
    numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    return sum(numbers) / len(numbers) if numbers else None


def _identity(job: Job) -> list[Any]:
    return [canonical(job.text), to_json(job.overrides), job.seed, job.series]


def _hash(value: Any) -> str:
    """Of the value as JSON with its keys in order."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _scenarios() -> list[str]:
    """The scenario files of the checkout, and those of the lessons."""
    lessons = (ROOT / "python" / "ackclock" / "lessons").glob("*.toml")
    files = [
        *(ROOT / "scenarios").glob("*/*.toml"),
        *(path for path in lessons if ".lesson" not in path.name),
    ]
    return sorted(path.relative_to(ROOT).as_posix() for path in files)
