"""How surely a comparison of evaluations finds a change, and how seldom it finds one where there is none.

`scripts/record-power` makes the samples: quick evaluations of CUBIC, of four changes of it, and of other recorded
controls, each with many seeds. The tests and the table of docs/evaluate.md draw from these and run nothing.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ackclock.evaluation import compare
from ackclock.evaluation.files import load
from ackclock.evaluation.judge import Judged, findings
from ackclock.evaluation.language import SOLO, TESTED
from ackclock.evaluation.measured import Measured
from ackclock.pages import ROOT
from ackclock.pages.markdown import table

FOLDER = ROOT / "reference" / "power"
FOUND = FOLDER / "found.json"
TRIES = 100
Stored = Mapping[str, Any]


@dataclass(frozen=True)
class Change:
    """A known change of CUBIC."""

    control: str
    what: str


CHANGES: Mapping[str, Change] = {
    "cubic-beta-0.8": Change('{ name = "cubic", beta = 0.8 }', "keeps 0.8 of its window at a loss, not 0.7"),
    "cubic-beta-0.6": Change('{ name = "cubic", beta = 0.6 }', "keeps 0.6 of its window at a loss"),
    "cubic-c-1": Change('{ name = "cubic", c = 1.0 }', "grows back by C = 1.0 after a loss, not 0.4"),
    "cubic-no-fast-convergence": Change(
        '{ name = "cubic", fast_convergence = false }', "makes no room for new flows (no fast convergence)"
    ),
}
OTHERS: Mapping[str, int] = {"bbrv3": 20, "sack": 20}
"""Other controls, which are compared with themselves, and their number of seeds."""


def reduced(document: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the samples of the control and of the scenarios without it, of the document of an evaluation."""
    scenarios = {
        one["name"]: {
            "metrics": one["metrics"],
            "settings": [
                {"name": of["name"], "tested": _short(of["tested"]), "solo": _short(of["solo"])}
                for of in one["settings"]
            ],
        }
        for criterion in document["criteria"]
        for one in criterion["scenarios"]
    }
    return {"control": document["control"], "scenarios": scenarios}


def _short(samples: Mapping[str, Sequence[float | None]]) -> dict[str, list[float | None]]:
    return {
        metric: [None if value is None else float(f"{value:.6g}") for value in values]
        for metric, values in samples.items()
    }


def stored(name: str) -> Stored:
    """Returns the samples called ``name``."""
    found: Stored = json.loads(gzip.decompress(_path(name).read_bytes()))
    return found


def write(name: str, samples: Stored) -> Path:
    """Writes samples, so that equal ones give equal bytes, and returns the path."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    text = json.dumps(samples, separators=(",", ":"), ensure_ascii=False)
    _path(name).write_bytes(gzip.compress(text.encode(), mtime=0))
    return _path(name)


def _path(name: str) -> Path:
    return FOLDER / f"{name}.json.gz"


def drawn(samples: Stored, seeds: Sequence[int]) -> dict[str, Any]:
    """Returns the record of an evaluation with only these seeds, without findings."""
    scenarios = [
        {
            "name": name,
            "metrics": one["metrics"],
            "failed_runs": 0,
            "failure": "",
            "findings": [],
            "settings": [
                {
                    "name": of["name"],
                    "tested": {id: [values[k] for k in seeds] for id, values in of["tested"].items()},
                }
                for of in one["settings"]
            ],
        }
        for name, one in samples["scenarios"].items()
    ]
    return {"criteria": [{"scenarios": scenarios}]}


def times_found(name: str, seeds: int) -> int:
    """Returns in how many of ``TRIES`` comparisons with CUBIC, each of that many seeds, a change is worse."""
    now, before = stored(name), stored("cubic")
    random = np.random.default_rng(1)
    found = 0
    for _ in range(TRIES):
        chosen = random.choice(30, seeds, replace=False).tolist()
        found += bool(compare.compared(drawn(now, chosen), drawn(before, chosen), compare.Thresholds()).worse)
    return found


def false_alarms(seeds: int) -> int:
    """Returns in how many of ``TRIES`` comparisons of CUBIC with itself, with other seeds, it is worse."""
    samples = stored("cubic")
    random = np.random.default_rng(2)
    found = 0
    for _ in range(TRIES):
        order = random.permutation(30).tolist()
        one, other = order[:seeds], order[seeds : 2 * seeds]
        found += bool(
            compare.compared(drawn(samples, one), drawn(samples, other), compare.Thresholds()).worse
        )
    return found


def against_itself(name: str) -> list[Judged]:
    """Returns what an evaluation finds of a control, with the eleventh to the twentieth seed, whose reference is the
    same control with the first ten.
    """
    found = []
    for scenario, one in stored(name)["scenarios"].items():
        loaded = load(scenario)
        settings = {of.name: of for of in loaded.about.settings(quick=True)}
        measured = Measured([settings[of["name"]] for of in one["settings"]], range(10))
        for index, of in enumerate(one["settings"]):
            for who, samples, first in (
                (TESTED, of["tested"], 10),
                ("itself", of["tested"], 0),
                (SOLO, of["solo"], 0),
            ):
                for metric, values in samples.items():
                    numbers = np.array(values[first : first + 10], dtype=np.float64)
                    measured.values[who, index, metric] = numbers
        found += findings(loaded, measured, ["itself"])
    return [one for one in found if one.condition.limit is not None]


def counts() -> dict[str, dict[str, int]]:
    """Returns in how many comparisons of 5 and of 10 seeds each change is found, and CUBIC unchanged is worse."""
    found = {name: {str(seeds): times_found(name, seeds) for seeds in (5, 10)} for name in CHANGES}
    return found | {"unchanged": {str(seeds): false_alarms(seeds) for seeds in (5, 10)}}


def counted() -> dict[str, dict[str, int]]:
    """Returns ``counts`` as `scripts/record-power` wrote them."""
    found: dict[str, dict[str, int]] = json.loads(FOUND.read_text(encoding="utf-8"))
    return found


def generated() -> str:
    """Returns in how many of a hundred comparisons each known change is found."""
    labels = {name: f"CUBIC {change.what}" for name, change in CHANGES.items()}
    labels["unchanged"] = "CUBIC unchanged, with other seeds"
    rows = [[labels[name], *map(str, of.values())] for name, of in counted().items()]
    return "\n".join(table([f"found in how many of {TRIES} comparisons", "5 seeds", "10 seeds"], rows))
