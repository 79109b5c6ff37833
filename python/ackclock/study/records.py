"""Records of full runs of the package's studies: the samples of every metric by seed, from which claims are judged.

A record is one JSON file without results: ``judged`` judges its samples with the current claims.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock import _numbers as numbers
from ackclock._archive import folder
from ackclock.errors import InputError
from ackclock.study.digest import PHYSICS
from ackclock.study.fingerprint import of_judgement, of_simulation
from ackclock.study.model import Study, Verdict

if TYPE_CHECKING:
    from ackclock.study.computed import Means
    from ackclock.study.load import LoadedStudy
    from ackclock.study.result import StudyResult
    from ackclock.study.run import Work

DIGITS = 8
"""The number of significant digits to which samples are rounded, both in a run and in its record."""
RECORDS = ":(top,exclude)python/ackclock/archive/records"
"""The pathspec that excludes the records when git looks for changes in the checkout."""
Values = Mapping[str, Sequence[float | None]]
"""The samples of each metric by seed; None where the metric has no value."""


@dataclass(frozen=True)
class Origin:
    """The date, the commit and the machine (without its name) from which the samples come."""

    date: str
    commit: str
    processor: str
    cores: int
    system: str


def origin() -> Origin:
    """Returns the origin of samples that are made now, on this machine, from the checkout of the package."""
    return Origin(
        date=datetime.now(timezone.utc).date().isoformat(),
        commit=_commit(),
        processor=_processor(),
        cores=os.cpu_count() or 1,
        system=f"{platform.system()} {platform.machine()}",
    )


@dataclass(frozen=True)
class Checked:
    """The version of the simulated behaviour that last reproduced the digests of a record, and the date."""

    core: int
    date: str


@dataclass(frozen=True)
class Other:
    """The samples of an alternative interpretation, in the runs that it changes."""

    assumption: str
    alternative: str
    samples: Mapping[str, Values]
    digests: Mapping[str, str]


@dataclass(frozen=True)
class Record:
    """A study's record."""

    study: str
    simulation: str
    """The hash of what the samples depend on: ``fingerprint.of_simulation``."""
    judgement: str
    """The hash of what results depend on besides the samples: ``fingerprint.of_judgement``."""
    origin: Origin
    checked: Checked
    simulations: int
    cpu_time_s: float | None
    fields: Sequence[str]
    """The fields of a result that the digests cover."""
    digests: Mapping[str, str]
    """The digest of the first seed's result in each run."""
    samples: Mapping[str, Values]
    others: Sequence[Other] = field(default_factory=tuple)

    def to_json(self) -> str:
        """Returns the text of the file: a line for each run."""
        head = {key: value for key, value in asdict(self).items() if key not in ("samples", "others")}
        lines = [f" {_compact(key)}: {_compact(value)}," for key, value in head.items()]
        lines += [' "samples": {', *_lines(self.samples, 2), " },", ' "others": [']
        for number, other in enumerate(self.others, start=1):
            lines += [
                f'  {{"assumption": {_compact(other.assumption)}, "alternative": {_compact(other.alternative)},',
                f'   "digests": {_compact(dict(other.digests))}, "samples": {{',
                *_lines(other.samples, 4),
                "  }}" + ("," if number < len(self.others) else ""),
            ]
        return "\n".join(["{", *lines, " ]", "}"]) + "\n"


def records_dir() -> Path:
    """Returns the folder of the records inside the installed package."""
    return folder("records")


def path_of(study: str) -> Path:
    """Returns the file of a study's record."""
    return records_dir() / f"{study}.json"


def record_of(work: Work, origin: Origin) -> Record:
    """Returns the record of a study that ran in full. ValueError for a quick run, or a study of another folder."""
    plan, measured, study = work.plan, work.measured, work.loaded.study
    if plan.quick:
        raise ValueError(
            f"{work.loaded.name}: found a quick run, expected a full run: only full runs are recorded"
        )
    if len(plan.readings) != 1 + sum(len(item.interpretations) for item in study.assumptions):
        raise ValueError(
            f"{work.loaded.name}: found a run without the alternative interpretations, expected a full run"
        )
    if work.loaded.name.endswith(".toml"):
        raise ValueError(
            f"{work.loaded.name}: is not a study of the package: only studies of the package are recorded"
        )

    def of(reading: int, c: int) -> dict[str, list[float | None]]:
        found = measured.samples(reading, c)
        # An interpretation that runs the scenario of the one taken only has metrics of its own.
        whole = reading == 0 or plan.changes(reading, c)
        alternative = plan.readings[reading]
        wanted = plan.metrics(alternative) if whole or alternative is None else alternative.metrics
        return {id: numbers.rounded(found[id], DIGITS) for id in wanted}

    others = []
    for reading, alternative in list(enumerate(plan.readings))[1:]:
        assert alternative is not None  # noqa: S101  (only the first interpretation is the one taken)
        runs = {run.name: of(reading, c) for c, run in enumerate(plan.runs) if measured.made(reading, c)}
        others.append(
            Other(
                next(item.what for item in study.assumptions if alternative in item.interpretations),
                alternative.label,
                {run: values for run, values in runs.items() if values},
                {
                    plan.runs[c].name: text
                    for (i, c), text in sorted(measured.digests.items())
                    if i == reading
                },
            )
        )
    return Record(
        study=work.loaded.name,
        simulation=of_simulation(study),
        judgement=of_judgement(study),
        origin=origin,
        checked=Checked(PHYSICS, origin.date),
        simulations=work.count,
        cpu_time_s=None if work.stored else numbers.rounded_one(work.cpu_time_s, 3),
        fields=sorted(measured.fields),
        digests={plan.runs[c].name: text for (i, c), text in sorted(measured.digests.items()) if i == 0},
        samples={run.name: of(0, c) for c, run in enumerate(plan.runs)},
        others=tuple(others),
    )


def write(record: Record) -> None:
    """Writes a record into the package."""
    path = path_of(record.study)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(record.to_json(), encoding="utf-8")


def read(study: str) -> Record | None:
    """Returns the record of a study of the package; None without one."""
    document = _document(study)
    if not document:
        return None
    others = tuple(Other(**other) for other in document.pop("others"))
    origin, checked = Origin(**document.pop("origin")), Checked(**document.pop("checked"))
    return Record(**document, origin=origin, checked=checked, others=others)


def is_stale(record: Record, study: Study) -> bool:
    """Returns whether the samples are those of another study, or of another simulated behaviour."""
    return record.simulation != of_simulation(study) or record.checked.core != PHYSICS


def judged(record: Record, loaded: LoadedStudy) -> StudyResult:
    """Returns the result of a study from the samples of its record, without a run. InputError if the record is
    stale.
    """
    work = _filled(record, loaded)
    work.count = record.simulations
    made = {"recorded": record.origin.date, "commit": record.origin.commit}
    return replace(work.result(), cpu_time_s=record.cpu_time_s, versions=made)


def is_short(record: Record, loaded: LoadedStudy) -> bool:
    """Returns whether a new full run would give runs of the study more seeds than the record has, so that claims may
    get other results: the record was made by an earlier rule for the number of seeds. InputError if it is stale.
    """
    return bool(_filled(record, loaded).due())


def _filled(record: Record, loaded: LoadedStudy) -> Work:
    """Returns a study with the samples of its record. InputError if the record is stale."""
    from ackclock.study.plan import Plan
    from ackclock.study.run import Work

    if record.simulation != of_simulation(loaded.study):
        raise InputError(
            f"{loaded.name}: the scenario, cases, metrics or interpretations have changed since the study was "
            f"recorded; for current results, run `ackclock reproduce {loaded.name}`"
        )
    if is_stale(record, loaded.study):
        raise InputError(
            f"{loaded.name}: the simulator now gives results that differ from the study's record; "
            f"for current results, run `ackclock reproduce {loaded.name}`"
        )
    work = Work(loaded, Plan(loaded, quick=False, sensitivity=True))
    place = {run.name: c for c, run in enumerate(work.plan.runs)}
    for run, samples in record.samples.items():
        work.measured.fill(0, place[run], samples)
    others = {(one.assumption, one.alternative): one for one in record.others}
    for assumption in loaded.study.assumptions:
        for alternative in assumption.interpretations:
            known = others.get((assumption.what, alternative.label))
            for run, samples in known.samples.items() if known is not None else ():
                work.measured.fill(work.plan.readings.index(alternative), place[run], samples)
    return work


def result_of(name: str) -> StudyResult | None:
    """Returns the recorded result of a study of the package; None if it is not recorded.

    Samples are judged with the current study. A stale record has no result.
    """
    from ackclock.study.load import load_study

    loaded = load_study(name)
    record = _of_today(name, loaded.study)
    return None if record is None else judged(record, loaded)


def _of_today(name: str, study: Study) -> Record | None:
    """Returns the record of a study; None without a record, or if it is stale."""
    record = None if name.endswith(".toml") else read(name)
    return None if record is None or is_stale(record, study) else record


def recorded_verdicts(name: str, study: Study) -> Mapping[str, Verdict]:
    """Returns the recorded results by claims; empty for a study that is not recorded or has changed since."""
    from ackclock.study.load import load_study

    record = _of_today(name, study)
    return {} if record is None else {one.id: one.verdict for one in judged(record, load_study(name)).claims}


def recorded_means(name: str, study: Study) -> Means | None:
    """Returns the means of the study's metrics; None if they are not recorded, or the study has changed since."""
    record = _of_today(name, study)
    if record is None:
        return None
    return {
        metric.id: {run: _mean(values[metric.id]) for run, values in record.samples.items()}
        for metric in study.metrics
    }


def rounded(value: float) -> float:
    """Returns a sample as it is judged and recorded."""
    return float(f"{value:.{DIGITS}g}")


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _document(study: str) -> dict[str, Any]:
    path = path_of(study)
    if not path.is_file():
        return {}
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document


def _lines(runs: Mapping[str, Values], indent: int) -> list[str]:
    lines = [f"{' ' * indent}{_compact(run)}: {_compact(dict(values))}" for run, values in runs.items()]
    return [f"{line}," for line in lines[:-1]] + lines[-1:]


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _commit() -> str:
    """Returns the commit of the checkout, and whether the core or the studies differ from it; empty without one."""
    git = shutil.which("git")
    if git is None:
        return ""

    def told(*arguments: str) -> str:
        made = subprocess.run(  # noqa: S603  (git, with arguments of this module)
            [git, *arguments], cwd=Path(__file__).parent, check=True, capture_output=True, text=True
        )
        return made.stdout.strip()

    try:
        commit = told("rev-parse", "--short=10", "HEAD")
        changed = told("status", "--porcelain", "--", ":/crates", ":/python/ackclock", RECORDS)
    except (OSError, subprocess.CalledProcessError):
        return ""  # an installed package has no checkout
    return f"{commit} with changes" if changed else commit


def _processor() -> str:
    """Returns the processor's model."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.machine()
