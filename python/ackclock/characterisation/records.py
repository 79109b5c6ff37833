"""Records of full runs of RFC 7928's scenarios: the verdict and the worst findings of each discipline."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeAlias

from ackclock._archive import folder
from ackclock._numbers import ranges
from ackclock.characterisation.words import WORST_FIRST
from ackclock.study.records import Origin

FOLDER = folder("characterisation")
Record: TypeAlias = Mapping[str, Any]
"""The record of a scenario: the verdict on each discipline, and its worst finding for each criterion."""


def record(result: Mapping[str, Any], origin: Origin) -> Record:
    """Returns the record of a scenario in the document of ``ackclock reproduce --json``. ValueError for a quick run."""
    if result["quick"]:
        raise ValueError(
            f"{result['name']}: found a quick run, expected a full run: only full runs are recorded"
        )
    labels = {
        case["name"].partition("[")[0].partition("+")[0]: case["label"].partition(", ")[0]
        for case in result["cases"]
    }
    seeds = {tuple(case["seeds"]) for case in result["cases"]}
    return {
        "study": result["name"],
        "section": result["characterisation"]["section"],
        "fingerprint": result["fingerprint"],
        "origin": asdict(origin),
        "replications": result["replications"],
        "seeds": ranges(seeds.pop()) if len(seeds) == 1 else "differ between cases",
        "simulations": result["runs"],
        "cpu_time_s": _rounded(result["cpu_time_s"], 3),
        "disciplines": [
            {
                "discipline": one["discipline"],
                "label": labels[one["discipline"]],
                "verdict": one["verdict"],
                "criteria": list(_criteria(one["findings"])),
            }
            for one in result["characterisation"]["disciplines"]
        ],
    }


def write(new: Record, into: Path = FOLDER) -> Path:
    """Writes the file of a scenario, and returns its path."""
    path = into / f"{new['section']}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(new, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def all_records() -> dict[str, Record]:
    """Returns all records by the names of their studies."""
    found = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))]
    return {one["study"]: one for one in found}


def _criteria(findings: Sequence[Mapping[str, Any]]) -> Iterator[Record]:
    by_criterion: dict[str, list[Mapping[str, Any]]] = {}
    for finding in findings:
        by_criterion.setdefault(finding["criterion"], []).append(finding)
    for found in by_criterion.values():
        worst = min(found, key=lambda one: WORST_FIRST.index(one["verdict"]))
        interval = worst["interval"]
        yield {
            **{key: worst[key] for key in ("criterion", "kind", "verdict", "metric", "setting")},
            "mean": _rounded(worst["mean"], 4),
            "interval": None if interval is None else [_rounded(end, 4) or 0.0 for end in interval],
            "of": len(found),
            "alike": sum(one["verdict"] == worst["verdict"] for one in found),
            "reason": worst["reason"],
        }


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else float(f"{value:.{digits}g}")
