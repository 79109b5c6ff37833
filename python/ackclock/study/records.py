"""What the recorded full runs of the package's studies found: ``records/THESIS/STUDY.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from ackclock.study.fingerprint import fingerprint
from ackclock.study.model import Study, Verdict


def records_dir() -> Path:
    """The folder of the records inside the installed package."""
    return Path(str(resources.files("ackclock"))) / "records"


def recorded_verdicts(name: str, study: Study) -> Mapping[str, Verdict]:
    """The verdicts by claims; none of a study that is not recorded, or that has changed since it was."""
    path = records_dir() / f"{name}.json"
    if name.endswith(".toml") or not path.is_file():
        return {}
    record = json.loads(path.read_text(encoding="utf-8"))
    if record["fingerprint"] != fingerprint(study):
        return {}
    return {claim["id"]: claim["verdict"] for claim in record["claims"]}
