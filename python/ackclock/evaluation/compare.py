"""Compares an evaluation with a stored record: what got worse, beyond noise."""

from __future__ import annotations

import fnmatch
import json
import math
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pydantic

from ackclock import _toml as toml
from ackclock._archive import evaluated, evaluation_text
from ackclock._files import is_there, read_text
from ackclock._names import nearest
from ackclock.errors import InputError
from ackclock.evaluation.document import KIND
from ackclock.evaluation.spelling import words_of_record
from ackclock.evaluation.words import AS_STANDARD, CONCERN, NO_LIMIT, OK, UNDECIDED
from ackclock.schemas.evaluate import EvaluateDocument
from ackclock.statistics import Summary, paired_difference, summarise
from ackclock.study.placed import not_toml, placed

Vector = npt.NDArray[np.float64]

TOLERANCE = 0.05
"""The default tolerance: a relative change of a metric up to this fraction is not reported."""
ERROR = 0.05
"""The probability that at least one change is reported although nothing got worse, over all comparisons (Holm 1979)."""
RANKS: Mapping[str, int] = {OK: 0, AS_STANDARD: 0, NO_LIMIT: 0, UNDECIDED: 1, CONCERN: 2}
"""The rank of each verdict on a condition; a higher rank is worse."""


@dataclass(frozen=True)
class Thresholds:
    """What counts as worse."""

    tolerance: float = TOLERANCE
    metrics: Mapping[str, float] = field(default_factory=dict)
    """The tolerances of metrics, by patterns of their names, such as ``*.loss`` for ``N-03.loss``."""
    ignore: tuple[str, ...] = ()
    """Patterns of the names of scenarios and metrics that are not compared."""

    def of(self, name: str) -> float | None:
        """Returns the tolerance of a metric such as ``N-03.loss``; None if it is not compared."""
        if any(_ignores(one, name) for one in self.ignore):
            return None
        return next(
            (value for one, value in self.metrics.items() if fnmatch.fnmatch(name, one)), self.tolerance
        )


def _ignores(pattern: str, name: str) -> bool:
    """Returns whether a pattern names a metric such as ``N-03.loss``, or its scenario."""
    return fnmatch.fnmatch(name, pattern) or fnmatch.fnmatch(name.partition(".")[0], pattern)


def read_thresholds(file: Path, known: Collection[str]) -> Thresholds:
    """Returns the thresholds in a TOML file with ``tolerance``, ``[metrics]`` and ``ignore``.

    ``known`` are the metrics that there are, such as ``N-03.loss``. InputError if the file is wrong, or if one of its
    patterns matches none of them.
    """
    text = read_text(file)
    try:
        document = toml.loads(text)
    except toml.TOMLDecodeError as error:
        raise not_toml(text, str(file), error) from None

    def wrong(what: str) -> InputError:
        return InputError(placed(f"{file}: {what}", text, str(file)))

    keys = ("tolerance", "metrics", "ignore")
    for key in document:
        if key not in keys:
            raise wrong(f"{key}: unknown key{nearest(key, keys)}")
    tolerance, metrics = document.get("tolerance", TOLERANCE), document.get("metrics", {})
    if not isinstance(metrics, dict):
        raise wrong(f'metrics: found {metrics!r}, expected a table with entries such as "N-05.p99" = 0.2')
    for what, value in [("tolerance", tolerance), *((f'metrics: "{one}"', metrics[one]) for one in metrics)]:
        if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
            raise wrong(f"{what}: found {value!r}, expected a relative change of at least 0, such as 0.05")
    ignore = document.get("ignore", [])
    if not isinstance(ignore, list) or not all(isinstance(one, str) for one in ignore):
        raise wrong(f'ignore: found {ignore!r}, expected a list of names such as ["N-24"]')
    for one in metrics:
        if not fnmatch.filter(known, one):
            raise wrong(f'metrics: "{one}": no metric matches this name or pattern{nearest(one, known)}')
    for one in ignore:
        if not any(_ignores(one, name) for name in known):
            alike = known if "." in one else {name.partition(".")[0] for name in known}
            raise wrong(
                f'ignore: "{one}": no scenario or metric matches this name or pattern{nearest(one, sorted(alike))}'
            )
    return Thresholds(tolerance, metrics, tuple(ignore))


def read_record(file: Path) -> Mapping[str, Any]:
    """Returns the record in a file that ``ackclock evaluate --json`` wrote, or that of a control whose record is in the
    package. InputError if it is none, or lacks what this version needs.
    """
    packaged = None if is_there(file) else evaluation_text(str(file))
    if packaged is None and not is_there(file, Path.exists) and len(file.parts) == 1 and not file.suffix:
        raise InputError(
            f"{file}: there is neither a file nor a recorded evaluation with this name{nearest(str(file), evaluated())}"
        )
    try:
        document = json.loads(read_text(file) if packaged is None else packaged)
    except json.JSONDecodeError as error:
        raise InputError(f"{file}:{error.lineno}:{error.colno}: not valid JSON: {error.msg}") from None
    return as_record(document, file)


def as_record(document: Any, file: Path | str) -> Mapping[str, Any]:
    """Returns ``document``, which was read from ``file``, if it is the record of an evaluation in the present format.
    InputError if it is not; the message names the command that makes it.
    """
    if not isinstance(document, dict) or document.get("kind") != KIND:
        raise InputError(
            f"{file}: not the record of an evaluation; `ackclock evaluate CONTROL --json > FILE` writes one"
        )
    try:
        EvaluateDocument.model_validate(document)
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InputError(
            f"{file}: {where}: {first['msg']}: the record is from another version of ackclock; "
            f"`{document.get('command', 'ackclock evaluate')} --json > {file}` makes a new one"
        ) from None
    return document


def metrics_of(record: Mapping[str, Any]) -> list[str]:
    """Returns the metrics of a record, such as ``N-03.loss``."""
    return [
        f"{scenario['name']}.{metric['id']}"
        for family in record["criteria"]
        for scenario in family["scenarios"]
        for metric in scenario["metrics"]
    ]


def transport_of(record: Mapping[str, Any]) -> str | None:
    """Returns what ``--transport`` of the command of a record was; None if it had none."""
    words = shlex.split(record["command"])
    return words[words.index("--transport") + 1] if "--transport" in words else None


def require_alike(
    record: Mapping[str, Any],
    *,
    seeds: Sequence[int],
    quick: bool,
    most_packets: int | None,
    references: Sequence[str],
) -> None:
    """Raises InputError if an evaluation with these seeds, settings and references cannot be compared with a record."""
    if list(seeds) != record["seeds"] or quick != record["quick"]:
        kind = "a quick" if record["quick"] else "a full"
        asked = "a quick" if quick else "a full"
        known, given = (", ".join(map(str, some)) for some in (record["seeds"], seeds))
        raise InputError(
            f"the record is of {kind} evaluation (seeds {known}), but this is {asked} one (seeds {given}): make a new "
            "record, or use the record's options"
        )
    before = record.get("most_packets")
    if most_packets != before:
        alike = "without --most-packets" if before is None else f"with --most-packets {before}"
        raise InputError(
            f"the record covers {_settings_up_to(before)}, but this evaluation covers "
            f"{_settings_up_to(most_packets)}: make a new record, or evaluate {alike}"
        )
    if list(references) != record["references"]:
        raise InputError(
            f"the record has the references {', '.join(record['references'])}, but this evaluation has "
            f"{', '.join(references)}: make a new record, or evaluate with --against '{','.join(record['references'])}'"
        )


def _settings_up_to(most_packets: int | None) -> str:
    if most_packets is None:
        return "all settings"
    return f"the settings whose links carry up to {most_packets:,} packets in a run"


@dataclass(frozen=True)
class Change:
    """A metric compared with the record: in one setting, or over all settings of its scenario."""

    name: str
    """Such as ``N-03.loss``."""
    setting: str
    """The setting compared; over several settings, the one with the largest change for the worse."""
    before: float
    """The mean in ``setting`` in the record."""
    now: float
    p: float
    """The one-sided p-value: the probability of a difference at least as bad if nothing had changed."""
    tolerance: float
    settings: int = 1
    change: float | None = None
    """The mean relative change over all settings of the scenario; None for a comparison in one setting."""

    @property
    def relative(self) -> float:
        """Returns the size of the change as a share of the value before; infinite if that was 0."""
        if self.change is not None:
            return abs(self.change)
        return abs(self.now - self.before) / abs(self.before) if self.before else float("inf")

    def __str__(self) -> str:
        where = f" ({self.setting})" if self.setting else ""
        there = f"{self.name}{where}: {self.before:.4g} before, {self.now:.4g} now"
        if self.change is None or self.settings == 1:
            return there
        side = "higher" if self.change > 0 else "lower"
        return (
            f"{self.name}: {100 * abs(self.change):.3g} % {side} on average over {self.settings} settings; largest "
            f"change in {self.setting}: {self.before:.4g} before, {self.now:.4g} now"
        )


@dataclass(frozen=True)
class Comparison:
    """What a comparison with a record found."""

    worse: Sequence[str]
    """One sentence for each result that is worse than in the record."""
    compared: int
    """The number of comparisons made. Each compares a condition, or a metric whose ``better`` is more or less, in one
    setting.
    """
    recorded: int
    """The value that ``compared`` would have with all scenarios of the record and all their metrics."""

    def __str__(self) -> str:
        """Returns the outcome with the number of comparisons made, and of those possible."""
        made = f"{self.compared:,} of {self.recorded:,} possible comparisons made"
        if not self.worse:
            return f"no worse than the record ({made})"
        respects = "1 respect" if len(self.worse) == 1 else f"{len(self.worse)} respects"
        return f"worse than the record in {respects} ({made})"


def scenarios_of(record: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Returns the scenarios of a record by their names."""
    return {one["name"]: one for family in record["criteria"] for one in family["scenarios"]}


def require_shared(names: Collection[str], record: Mapping[str, Any]) -> None:
    """Raises InputError if none of the scenarios with these names is in the record."""
    if not set(names) & set(scenarios_of(record)):
        raise InputError(
            f"the record has none of the scenarios {', '.join(names)}, expected at least one of those in the record: "
            f"{', '.join(scenarios_of(record))}"
        )


def compared(now: Mapping[str, Any], before: Mapping[str, Any], thresholds: Thresholds) -> Comparison:
    """Returns what got worse: runs of the control that failed, whatever the record has; conditions whose word is a
    worse one; metrics that have no value in more runs than before; and metrics that are worse by more than their
    tolerance, over all settings of a scenario or in one of them, with an error of ``ERROR`` over all comparisons.

    Seeds are compared in pairs, so that ``require_alike`` comes first. InputError when the two have no scenario in
    common.
    """
    scenarios, old = scenarios_of(now), scenarios_of(before)
    require_shared(list(scenarios), before)
    shared = [name for name in scenarios if name in old]
    found = [text for name in shared for text in _failures(name, scenarios[name], thresholds)]
    found += [text for name in shared for text in _verdicts(name, scenarios[name], old[name], thresholds)]
    found += [text for name in shared for text in _lost(name, scenarios[name], old[name], thresholds)]
    pairs = [pair for name in shared for pair in _pairs(name, scenarios[name], old[name], thresholds)]
    pooled = significant(_over_settings(pairs), ERROR / 2)
    known = {one.name for one in pooled}
    alone = [one for one in significant(_in_settings(pairs), ERROR / 2) if one.name not in known]
    return Comparison(
        found + [str(one) for one in (*pooled, *alone)],
        sum(_comparisons(name, scenarios[name], old[name], thresholds) for name in shared),
        sum(_comparisons(name, one, one, Thresholds()) for name, one in old.items()),
    )


def _comparisons(name: str, now: Mapping[str, Any], before: Mapping[str, Any], thresholds: Thresholds) -> int:
    """Returns the number of conditions and metrics of a scenario that are compared, each in a setting."""
    then = {(one["text"], one["setting"]) for one in before["findings"]}
    conditions = [
        one
        for one in now["findings"]
        if (one["text"], one["setting"]) in then and thresholds.of(f"{name}.{one['metric']}") is not None
    ]
    return len(conditions) + sum(1 for _ in _pairs(name, now, before, thresholds))


def _failures(name: str, now: Mapping[str, Any], thresholds: Thresholds) -> Iterator[str]:
    """Yields how many runs of the control failed in a scenario of which anything is compared."""
    names = [f"{name}.{metric['id']}" for metric in now["metrics"]]
    if now["failed_runs"] and any(thresholds.of(one) is not None for one in names):
        runs = "1 run" if now["failed_runs"] == 1 else f"{now['failed_runs']} runs"
        yield f"{name}: {runs} of the control failed: {now['failure']}"


def significant(changes: Sequence[Change], error: float) -> list[Change]:
    """Returns the changes that are no noise by Holm's procedure, those within their tolerance left out."""
    found = []
    for place, one in enumerate(sorted(changes, key=lambda change: change.p)):
        if one.p > error / (len(changes) - place):
            break
        if one.relative > one.tolerance:
            found.append(one)
    return found


def _verdicts(
    name: str, now: Mapping[str, Any], before: Mapping[str, Any], thresholds: Thresholds
) -> Iterator[str]:
    then = {(one["text"], one["setting"]): one["verdict"] for one in before["findings"]}
    for one in now["findings"]:
        was = then.get((one["text"], one["setting"]), one["verdict"])
        if thresholds.of(f"{name}.{one['metric']}") is None or RANKS[one["verdict"]] <= RANKS[was]:
            continue
        where = f" ({one['setting']})" if one["setting"] else ""
        why = f", {one['reason']}" if one["reason"] else ""
        yield f"{name}{where}: {one['verdict']} (was {was}): {words_of_record(now, one)}{why}"


@dataclass(frozen=True)
class _Pair:
    """The samples of a metric in a setting, now and in the record, nan where a run had none."""

    name: str
    setting: str
    better: str
    now: Vector
    before: Vector
    tolerance: float

    @property
    def means(self) -> tuple[float, float]:
        """Returns the mean before and now, of the seeds that have both; nan without any."""
        both = np.isfinite(self.now) & np.isfinite(self.before)
        if not both.any():
            return math.nan, math.nan
        return float(np.mean(self.before[both])), float(np.mean(self.now[both]))

    @property
    def relative(self) -> Vector:
        """Returns twice the difference over the sum of the absolute values, 0 where both are 0, seed by seed."""
        total = np.abs(self.now) + np.abs(self.before)
        with np.errstate(all="ignore"):
            return np.where(total == 0, 0.0, 2 * (self.now - self.before) / total)


def _pairs(
    name: str, now: Mapping[str, Any], before: Mapping[str, Any], thresholds: Thresholds
) -> Iterator[_Pair]:
    """Yields the metrics that are compared."""
    then = {setting["name"]: setting["tested"] for setting in before["settings"]}
    for setting in now["settings"]:
        for metric in now["metrics"]:
            full = f"{name}.{metric['id']}"
            tolerance = thresholds.of(full)
            old = then.get(setting["name"], {}).get(metric["id"])
            if tolerance is None or old is None or metric["better"] == "neither":
                continue
            a, b = (np.array(values, dtype=np.float64) for values in (setting["tested"][metric["id"]], old))
            # Each may have stopped with fewer seeds, where these were enough to decide.
            shared = min(a.size, b.size)
            a, b = a[:shared], b[:shared]
            yield _Pair(full, setting["name"], metric["better"], a, b, tolerance)


def _lost(
    name: str, now: Mapping[str, Any], before: Mapping[str, Any], thresholds: Thresholds
) -> Iterator[str]:
    """Yields the metrics with fewer values than before, such as a time that is no longer reached.

    Where more is better, no value may be the best: a circuit breaker that never opens.
    """
    for one in _pairs(name, now, before, thresholds):
        lacking, lacked = (int(np.sum(np.isnan(values))) for values in (one.now, one.before))
        if one.better == "less" and lacking > lacked:
            where = f" ({one.setting})" if one.setting else ""
            yield f"{one.name}{where}: no value in {lacking} of {one.now.size} runs ({lacked} in the record)"


def _in_settings(pairs: Sequence[_Pair]) -> list[Change]:
    """Returns the change of each metric in each setting that has one."""
    found = []
    for one in pairs:
        p = _worse(paired_difference(one.now, one.before), one.better)
        if p is not None:
            found.append(Change(one.name, one.setting, *one.means, p, one.tolerance))
    return found


def _over_settings(pairs: Sequence[_Pair]) -> list[Change]:
    """Returns the change of each metric over all settings of its scenario, by the mean over these of the relative
    change with each seed: twice the difference of its two runs over their sum, 0 where both are 0.

    A change that is too small in each of many settings, with few seeds, is found where it is the same in all of them.
    Settings with one seed share its random numbers, so that only seeds count as independent.
    """
    metrics: dict[str, list[_Pair]] = {}
    for one in pairs:
        metrics.setdefault(one.name, []).append(one)
    found = []
    for name, own in metrics.items():
        changes = [one.relative for one in own]
        summary = summarise(_means_by_seed(changes))
        p = _worse(summary, own[0].better)
        if p is None or summary.mean is None:
            continue
        sign = -1.0 if own[0].better == "more" else 1.0
        means = [sign * float(np.nanmean(of)) if np.isfinite(of).any() else -np.inf for of in changes]
        most = own[int(np.argmax(means))]
        found.append(
            Change(name, most.setting, *most.means, p, most.tolerance, len(own), _ratio(summary.mean))
        )
    return found


def _means_by_seed(settings: Sequence[Vector]) -> list[float]:
    """Returns the mean over the settings that have a value with a seed, seed by seed; nan without any."""
    longest = max(values.size for values in settings)
    by_seed = ([values[seed] for values in settings if seed < values.size] for seed in range(longest))
    present = ([value for value in values if np.isfinite(value)] for values in by_seed)
    return [float(np.mean(values)) if values else math.nan for values in present]


def _ratio(change: float) -> float:
    """Returns the relative change to the value before, from twice a difference over the sum."""
    return (2 + change) / (2 - change) - 1 if change < 2 else math.inf


def _worse(difference: Summary, better: str) -> float | None:
    """Returns the probability of a difference at least as bad if there were none; None without a difference."""
    if difference.mean is None or difference.mean == 0:
        return None
    return difference.p_below(0) if better == "more" else difference.p_above(0)
