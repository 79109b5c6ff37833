"""What the recorded full runs of the package's studies found: ``records/THESIS/STUDY.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from pathlib import Path

from ackclock.study.model import Verdict


def records_dir() -> Path:
    """The folder of the records inside the installed package."""
    return Path(str(resources.files("ackclock"))) / "records"


@lru_cache(maxsize=256)
def recorded_verdicts(study: str) -> Mapping[str, Verdict]:
    """The verdicts by claims; none of a study that is not recorded, such as one of the user's own."""
    path = records_dir() / f"{study}.json"
    if study.endswith(".toml") or not path.is_file():
        return {}
    return {claim["id"]: claim["verdict"] for claim in json.loads(path.read_text(encoding="utf-8"))["claims"]}
