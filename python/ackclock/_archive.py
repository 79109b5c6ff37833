"""The archive of the package: the studies, and what full runs of studies and evaluations found, as data.

| folder | a file |
| --- | --- |
| ``studies`` | ``THESIS/STUDY.toml``: a published experiment |
| ``records`` | ``THESIS/STUDY.json``: what a full run of that study found |
| ``evaluations`` | ``CONTROL.json.gz``: what ``ackclock evaluate CONTROL --json`` printed |
| ``characterisation`` | ``SECTION.json``: what a full run of a scenario of RFC 7928 found |
| ``searches`` | ``found.json``, ``variants.json``: what ``ackclock search`` found, and what variants of it do |
| ``stacks`` | ``agreement.json``: controls under QUIC stacks beside the same controls over this project's own QUIC |
| ``wire`` | ``path.json``, ``flows.json``, ``testbed.json``, ``controls.json``: what was measured on real hosts |
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Literal

_ENDING = ".json.gz"


Folder = Literal["studies", "records", "evaluations", "characterisation", "searches", "stacks", "wire"]


def folder(of: Folder) -> Path:
    """Returns a folder of the archive inside the installed package."""
    return Path(str(resources.files("ackclock"))) / "archive" / of


def stem(control: str) -> str:
    """Returns the name of the files of a control such as ``noq:bbr3``: a link may have no colon."""
    return control.replace(":", "-")


def evaluation_file(control: str) -> Path:
    """Returns the file with the record of an evaluation, which need not exist."""
    return folder("evaluations") / (stem(control) + _ENDING)


def evaluated() -> list[str]:
    """Returns the stems of the controls whose evaluations are recorded."""
    return sorted(path.name.removesuffix(_ENDING) for path in folder("evaluations").glob("*" + _ENDING))


def evaluation_text(control: str) -> str | None:
    """Returns the record of the evaluation of a control as JSON; None if it is not recorded."""
    file = evaluation_file(control)
    return gzip.decompress(file.read_bytes()).decode() if file.is_file() else None


def write_evaluation(control: str, record: Mapping[str, Any]) -> Path:
    """Writes the record of an evaluation and returns its file. Equal records have equal bytes: no time is in them."""
    file = evaluation_file(control)
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    return file
