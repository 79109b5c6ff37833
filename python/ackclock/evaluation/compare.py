"""Compares an evaluation with a stored record: what got worse, beyond noise."""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pydantic

from ackclock import toml
from ackclock.errors import InputError
from ackclock.evaluation.document import KIND
from ackclock.evaluation.verdict import Verdict
from ackclock.files import read_text
from ackclock.names import nearest
from ackclock.schemas.evaluate import EvaluateDocument
from ackclock.statistics import paired_difference

TOLERANCE = 0.05
"""The relative change of a metric up to which nothing is reported, by default."""
ERROR = 0.05
"""The probability of any false report where nothing got worse, over all comparisons (Holm 1979)."""
MET = (Verdict.OK.value, Verdict.INFO.value)


@dataclass(frozen=True)
class Thresholds:
    """What counts as worse."""

    tolerance: float = TOLERANCE
    metrics: Mapping[str, float] = field(default_factory=dict)
    """Tolerances of metrics, by patterns of ``N-03.loss``."""
    ignore: tuple[str, ...] = ()
    """Patterns of names of scenarios, or of their metrics, that are not compared."""

    def of(self, name: str) -> float | None:
        """Returns the tolerance of a metric such as ``N-03.loss``; None if it is not compared."""
        scenario = name.partition(".")[0]
        if any(fnmatch.fnmatch(name, one) or fnmatch.fnmatch(scenario, one) for one in self.ignore):
            return None
        return next(
            (value for one, value in self.metrics.items() if fnmatch.fnmatch(name, one)), self.tolerance
        )


def read_thresholds(file: Path) -> Thresholds:
    """Returns the thresholds in a TOML file with ``tolerance``, ``[metrics]`` and ``ignore``. InputError if it is
    wrong.
    """
    try:
        document = toml.loads(read_text(file))
    except toml.TOMLDecodeError as error:
        raise InputError(f"{file}: not valid TOML: {error}") from None
    known = ("tolerance", "metrics", "ignore")
    for key in document:
        if key not in known:
            raise InputError(f'{file}: unknown key "{key}"{nearest(key, known)}')
    tolerance, metrics = document.get("tolerance", TOLERANCE), document.get("metrics", {})
    if not isinstance(metrics, dict):
        raise InputError(f'{file}: metrics: found {metrics!r}, expected a table such as "N-05.p99" = 0.2')
    for key, value in [("tolerance", tolerance), *metrics.items()]:
        if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
            raise InputError(f"{file}: {key}: found {value!r}, expected a relative change such as 0.05")
    ignore = document.get("ignore", [])
    if not isinstance(ignore, list) or not all(isinstance(one, str) for one in ignore):
        raise InputError(f'{file}: ignore: found {ignore!r}, expected a list of names such as ["N-24"]')
    return Thresholds(tolerance, metrics, tuple(ignore))


def read_record(file: Path) -> Mapping[str, Any]:
    """Returns the record in a file that ``ackclock evaluate --json`` wrote. InputError if it is none, or lacks what
    this version needs.
    """
    try:
        document = json.loads(read_text(file))
    except json.JSONDecodeError as error:
        raise InputError(f"{file}:{error.lineno}:{error.colno}: not valid JSON: {error.msg}") from None
    if not isinstance(document, dict) or document.get("kind") != KIND:
        raise InputError(
            f"{file}: is no record of an evaluation; `ackclock evaluate CONTROL --json > FILE` writes one"
        )
    try:
        EvaluateDocument.model_validate(document)
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InputError(
            f"{file}: {where}: {first['msg']}: is this the record of another version? Record it anew"
        ) from None
    return document


@dataclass(frozen=True)
class Change:
    """A metric in a setting, compared with the record."""

    name: str
    """Such as ``N-03.loss``."""
    setting: str
    before: float
    now: float
    p: float
    """The probability of a difference at least as bad if there were none."""
    tolerance: float

    @property
    def relative(self) -> float:
        """Returns the size of the change as a share of the value before; infinite if that was 0."""
        return abs(self.now - self.before) / abs(self.before) if self.before else float("inf")

    def __str__(self) -> str:
        where = f" ({self.setting})" if self.setting else ""
        return f"{self.name}{where}: {self.before:.4g} before, {self.now:.4g} now"


def worse(now: Mapping[str, Any], before: Mapping[str, Any], thresholds: Thresholds) -> list[str]:
    """Returns a sentence for everything that got worse: criteria that were met and are a concern now, and metrics that
    are worse by more than their tolerance, each with an error of ``ERROR`` over all comparisons.

    Seeds are compared in pairs. InputError when the two have no scenario, or no seeds, in common.
    """
    if now["seeds"] != before["seeds"] or now["quick"] != before["quick"]:
        raise InputError(
            f"the record has seeds {before['seeds']} and quick = {before['quick']}, this evaluation {now['seeds']} and "
            f"{now['quick']}: record it anew, or evaluate alike"
        )
    scenarios = {one["name"]: one for family in now["criteria"] for one in family["scenarios"]}
    old = {one["name"]: one for family in before["criteria"] for one in family["scenarios"]}
    shared = [name for name in scenarios if name in old]
    if not shared:
        raise InputError("the record and this evaluation have no scenario in common")
    found = [text for name in shared for text in _verdicts(name, scenarios[name], old[name], thresholds)]
    changes = [one for name in shared for one in _changes(name, scenarios[name], old[name], thresholds)]
    return found + [str(one) for one in significant(changes)]


def significant(changes: list[Change]) -> list[Change]:
    """Returns the changes that are no noise by Holm's procedure, those within their tolerance left out."""
    found = []
    for place, one in enumerate(sorted(changes, key=lambda change: change.p)):
        if one.p > ERROR / (len(changes) - place):
            break
        if one.relative > one.tolerance:
            found.append(one)
    return found


def _verdicts(
    name: str, now: Mapping[str, Any], before: Mapping[str, Any], thresholds: Thresholds
) -> Iterator[str]:
    then = {(one["text"], one["setting"]): one["verdict"] for one in before["findings"]}
    for one in now["findings"]:
        if thresholds.of(f"{name}.{one['metric']}") is None or one["verdict"] != Verdict.CONCERN.value:
            continue
        if then.get((one["text"], one["setting"])) in MET:
            where = f" ({one['setting']})" if one["setting"] else ""
            why = f": {one['reason']}" if one["reason"] else ""
            yield f"{name}{where}: no longer so: {one['text']}{why}"


def _changes(
    name: str, now: Mapping[str, Any], before: Mapping[str, Any], thresholds: Thresholds
) -> Iterator[Change]:
    then = {setting["name"]: setting["tested"] for setting in before["settings"]}
    for setting in now["settings"]:
        for metric in now["metrics"]:
            tolerance = thresholds.of(f"{name}.{metric['id']}")
            old = then.get(setting["name"], {}).get(metric["id"])
            if tolerance is None or old is None or metric["better"] == "neither":
                continue
            a = np.array(setting["tested"][metric["id"]], dtype=np.float64)
            b = np.array(old, dtype=np.float64)
            difference = paired_difference(a, b)
            both = np.isfinite(a) & np.isfinite(b)
            if difference.mean is None or difference.mean == 0:
                continue
            p = difference.p_below(0) if metric["better"] == "more" else difference.p_above(0)
            means = float(np.mean(b[both])), float(np.mean(a[both]))
            yield Change(f"{name}.{metric['id']}", setting["name"], *means, p, tolerance)
