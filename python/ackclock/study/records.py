"""The recorded results of full runs of the package's studies: ``archive/records/THESIS/STUDY.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock._archive import folder
from ackclock.study.fingerprint import fingerprint
from ackclock.study.model import Study, Verdict

if TYPE_CHECKING:
    from ackclock.study.computed import Means

Values = Mapping[str, Mapping[str, Sequence[float | None]]]
"""The mean, half the 95 % interval, and the published value if there is one, by the names of runs and of metrics."""


def records_dir() -> Path:
    """Returns the folder of the records inside the installed package."""
    return folder("records")


def recorded_verdicts(name: str, study: Study) -> Mapping[str, Verdict]:
    """Returns the verdicts by claims; empty for a study that is not recorded or has changed since."""
    record = _record(name, study)
    return {claim["id"]: claim["verdict"] for claim in record.get("claims", [])}


def recorded_means(name: str, study: Study) -> Means | None:
    """Returns the means of the study's metrics; None if they are not recorded, or the study has changed since."""
    return means_of(_record(name, study).get("values", {}), study)


def means_of(values: Values, study: Study) -> Means | None:
    """Returns the means of all metrics in all runs of ``study``; None if ``values`` lack one."""
    runs = [run.name for run in study.runs()]
    if any(metric.id not in values.get(run, {}) for run in runs for metric in study.metrics):
        return None
    return {metric.id: {run: values[run][metric.id][0] for run in runs} for metric in study.metrics}


def _record(name: str, study: Study) -> Mapping[str, Any]:
    path = records_dir() / f"{name}.json"
    if name.endswith(".toml") or not path.is_file():
        return {}
    record: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return record if record["fingerprint"] == fingerprint(study) else {}
