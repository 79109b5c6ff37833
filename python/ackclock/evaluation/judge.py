"""Derives findings from the samples of a scenario."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from ackclock.evaluation.files import Loaded
from ackclock.evaluation.language import Criterion, Metric, Setting, limits_hold
from ackclock.evaluation.verdict import Verdict
from ackclock.experiment.rfc5166 import harm_to_less, harm_to_more
from ackclock.statistics import log_ratios, paired_difference, summarise

Vector = npt.NDArray[np.float64]
TESTED, SOLO = "tested", "solo"
"""The names under which samples of the control under test, and of the scenario without it, are kept."""

TOLERANCE = 0.1
"""How much farther outside a limit than a reference a control may be and still be excused by it, as a share of the
reference's distance.
"""
FAIR_SHARE = 0.9
"""The part of an equal share that the others must keep for more harm than the reference's to be no concern."""


@dataclass
class Samples:
    """The values of one scenario: by contender, setting and metric, one for each seed, nan if a run had none."""

    settings: Sequence[Setting]
    seeds: Sequence[int]
    values: dict[tuple[str, int, str], Vector] = field(default_factory=dict)
    failures: dict[tuple[int, int], str] = field(default_factory=dict)
    """Why runs of the control under test failed, by setting and seed."""
    closed: dict[tuple[str, int, int], str] = field(default_factory=dict)
    """Why a stack closed a connection, by contender, setting and seed."""

    def of(self, contender: str, setting: int, metric: str) -> Vector:
        """Returns the samples; all nan if there are none."""
        return self.values.get((contender, setting, metric), np.full(len(self.seeds), np.nan))


@dataclass(frozen=True)
class Finding:
    """The outcome of a criterion in a setting."""

    criterion: Criterion
    metric: Metric
    setting: Setting
    verdict: Verdict
    mean: float | None
    """The judged quantity: the metric, a ratio, a difference, a harm..., with its 95 % interval."""
    interval: tuple[float, float] | None
    tested: float | None
    """The mean of the metric itself, or its worst value where any run decides."""
    references: Mapping[str, float | None]
    """The same of the reference controls."""
    reason: str = ""
    """What the numbers do not say, such as a missing sample."""
    failed: bool = False
    """Whether runs of the control under test failed."""
    lacking: bool = False
    """Whether they had nothing to judge, such as no goodput at all, though those of the reference had."""


def findings(loaded: Loaded, samples: Samples, references: Sequence[str]) -> list[Finding]:
    """Returns the outcome of each criterion in each setting to which it applies.

    The first of the ``references`` decides, but what is not surely met against it, and is surely met against another
    one, is no concern: the RFC asks to compare with standard controls, and names RFC 5681, RFC 9002 and RFC 9438 alike
    (section 5.2).
    """
    found: list[Finding] = []
    for criterion in loaded.about.criteria:
        own = list(_of_criterion(loaded, criterion, samples, references))
        found += _enough(criterion, own)
    return found


def _of_criterion(
    loaded: Loaded, criterion: Criterion, samples: Samples, references: Sequence[str]
) -> Iterator[Finding]:
    reference = references[0]
    metric = loaded.about.metric(criterion.metric)
    for index, setting in enumerate(samples.settings):
        if not setting.within(criterion.only):
            continue
        own, other = samples.of(TESTED, index, metric.id), samples.of(reference, index, metric.id)
        values = _judged(criterion, metric, samples, index, reference)
        if values is None:
            continue
        summary = summarise(values)
        means = {name: _mean(criterion, samples.of(name, index, metric.id)) for name in references}
        failed = _failed(criterion, samples, index)
        lacking = _lacking(criterion, own, other)
        if failed:
            verdict = Verdict.CONCERN
            reason = f"{len(failed)} of {len(samples.seeds)} runs failed: {failed[0]}"
        elif np.any(lacking) and (not criterion.info or metric.better == "less"):
            # A time that is never reached; of what better comes late, or never, the lack is no fault.
            verdict = Verdict.INFO if criterion.info else Verdict.CONCERN
            reason = f"{_nothing(own, lacking)}, where the reference has {_some(own)}"
        elif criterion.info:
            verdict, reason = Verdict.INFO, ""
        elif _is_itself(criterion, own, other):
            verdict, reason = Verdict.OK, ""
        else:
            verdict = _verdict(criterion, summary.mean, summary.interval)
            if verdict in (Verdict.CONCERN, Verdict.UNDECIDED):
                verdict, reason = _excused(metric, criterion, samples, index, references, verdict)
            else:
                verdict, reason = _compared(criterion, own, verdict, summary.mean)
        reason = reason or _beyond(criterion, verdict, summary.interval)
        if criterion.any_run and not failed and verdict in (Verdict.CONCERN, Verdict.INFO):
            reason = ", ".join(text for text in (_runs_outside(criterion, own), reason) if text)
        mean, interval = summary.mean, summary.interval
        if criterion.measure == "ratio" and mean is not None:
            mean, interval = (
                math.exp(mean),
                None if interval is None else (math.exp(interval[0]), math.exp(interval[1])),
            )
        yield Finding(
            criterion,
            metric,
            setting,
            verdict,
            mean,
            interval,
            _mean(criterion, own),
            means,
            reason,
            bool(failed),
            bool(np.any(lacking)) and not criterion.info,
        )


def _is_itself(criterion: Criterion, own: Vector, other: Vector) -> bool:
    """Returns whether a control has an allowance of itself, or of what is the same in every run: it is within, however
    much runs differ from each other.
    """
    return criterion.measure == "allowance" and criterion.factor >= 1 and np.array_equal(own, other)


def _compared(criterion: Criterion, own: Vector, verdict: Verdict, mean: float | None) -> tuple[Verdict, str]:
    """Returns the verdict on a criterion that is met as far as there are values, and what is missing: neither the
    control under test nor the reference has it.
    """
    absent = _absent(criterion, own)
    if np.any(absent) and (verdict is Verdict.OK or mean is None):
        return Verdict.INFO, f"{_nothing(own, absent)}, as with the reference"
    return verdict, "" if mean is not None else "nothing to compare: a value is missing, or 0"


def _nothing(own: Vector, where: npt.NDArray[np.bool_]) -> str:
    """Returns in how many runs there is nothing to judge."""
    what = "no value" if np.any(np.isnan(own)) else "0"
    return f"{what} in {np.sum(where)} of {own.size} runs"


def _some(own: Vector) -> str:
    """Returns what the reference has where the control under test has nothing."""
    return "one" if np.any(np.isnan(own)) else "more"


def _failed(criterion: Criterion, samples: Samples, index: int) -> list[str]:
    """Returns why runs of the control under test failed, those of the setting to compare with included."""
    settings = {index, _before(criterion, samples, index)}
    return [
        why
        for (setting, seed), why in sorted(samples.failures.items())
        if setting in settings and (setting == index or (index, seed) not in samples.failures)
    ]


def _absent(criterion: Criterion, values: Vector) -> npt.NDArray[np.bool_]:
    """Returns which runs have nothing to judge: no value, or 0 where a ratio should be large and has no logarithm."""
    if criterion.measure != "ratio" or criterion.low is None:
        return np.isnan(values)
    return np.isnan(values) | (np.maximum(values, criterion.floor) <= 0)


def _lacking(criterion: Criterion, own: Vector, other: Vector) -> npt.NDArray[np.bool_]:
    """Returns in which runs the control under test has nothing to judge though the reference has."""
    return _absent(criterion, own) & ~_absent(criterion, other)


def _mean(criterion: Criterion, values: Vector) -> float | None:
    """Returns the mean of the metric, for a ratio the geometric one, of which the judged quantity is the ratio; the
    worst value where any run decides.
    """
    present = values[np.isfinite(values)]
    if criterion.any_run:
        values = _worst(criterion, values)
    if criterion.measure != "ratio" or not present.size or np.min(present) <= 0:
        return summarise(values).mean
    return float(np.exp(np.mean(np.log(present))))


def _judged(
    criterion: Criterion, metric: Metric, samples: Samples, index: int, reference: str
) -> Vector | None:
    """Returns the judged quantity for each seed, of a ratio its logarithm; None if there is nothing to compare with."""
    own, other = samples.of(TESTED, index, metric.id), samples.of(reference, index, metric.id)
    if criterion.measure in ("value", "change"):
        return _alone(criterion, samples, index, TESTED)
    if criterion.measure == "difference":
        return own - other
    if criterion.measure == "allowance":
        return own - np.maximum(criterion.factor * other, criterion.least)
    if criterion.measure == "harm":
        solo = samples.of(SOLO, index, metric.id)
        harm = harm_to_more if metric.better == "more" else harm_to_less
        return harm(solo, own) - harm(solo, other)
    return log_ratios(np.maximum(own, criterion.floor), np.maximum(other, criterion.floor))


def _alone(criterion: Criterion, samples: Samples, index: int, contender: str) -> Vector | None:
    """Returns the judged quantity of a contender where no other one matters; None in the setting to compare with."""
    own = samples.of(contender, index, criterion.metric)
    if criterion.measure == "value":
        return _worst(criterion, own) if criterion.any_run else own
    before = _before(criterion, samples, index)
    if before is None or before == index:
        return None
    with np.errstate(all="ignore"):
        return own / samples.of(contender, before, criterion.metric)


def _before(criterion: Criterion, samples: Samples, index: int) -> int | None:
    """Returns the setting with which a change compares; None for another measure, or if there is none."""
    if criterion.measure != "change":
        return None
    wanted = samples.settings[index].but(criterion.against)
    return next((k for k, one in enumerate(samples.settings) if one.at == wanted), None)


def _worst(criterion: Criterion, values: Vector) -> Vector:
    """Returns the worst value for each seed: what happens in one run is judged as if it happened in all."""
    present = values[np.isfinite(values)]
    if not present.size:
        return values
    return np.full_like(values, np.min(present) if criterion.low is not None else np.max(present))


def _runs_outside(criterion: Criterion, values: Vector) -> str:
    """Returns in how many runs a value is outside the limits; nothing if it is in none."""
    lowest, highest = _limits(criterion, criterion.low, criterion.high)
    outside = int(np.sum((values < lowest) | (values > highest)))
    return f"in {outside} of {values.size} runs" if outside else ""


def _verdict(criterion: Criterion, mean: float | None, interval: tuple[float, float] | None) -> Verdict:
    """Returns the verdict from where the whole interval lies.

    What is surely not met is a concern, unless it surely lies within the second limit.
    """
    if criterion.info or mean is None:
        return Verdict.INFO
    if interval is None:
        return Verdict.UNDECIDED
    if _inside(criterion, criterion.low, criterion.high, interval):
        return Verdict.OK
    low = criterion.low if criterion.info_low is None else criterion.info_low
    high = criterion.high if criterion.info_high is None else criterion.info_high
    if _inside(criterion, low, high, interval):
        return Verdict.INFO
    return (
        Verdict.CONCERN if _outside(criterion, criterion.low, criterion.high, interval) else Verdict.UNDECIDED
    )


def _beyond(criterion: Criterion, verdict: Verdict, interval: tuple[float, float] | None) -> str:
    """Returns what is known of a criterion with a second limit that is not surely met; empty for another one."""
    wider = (criterion.info_low, criterion.info_high) != (None, None)
    if criterion.info or interval is None or not wider or verdict not in (Verdict.INFO, Verdict.CONCERN):
        return ""
    above = interval[1] > _limits(criterion, criterion.low, criterion.high)[1]
    limit, second = (criterion.high, criterion.info_high) if above else (criterion.low, criterion.info_low)
    side = "above" if above else "below"
    sure = _outside(criterion, criterion.low, criterion.high, interval)
    first = f"{'' if sure else 'perhaps '}{side} {limit:g}"
    if second is None or math.isinf(second):
        return first if verdict is Verdict.INFO else ""
    if verdict is Verdict.INFO:
        return f"{first}, but not {side} {second:g}"
    lowest, highest = _limits(criterion, criterion.info_low, criterion.info_high)
    beyond = interval[0] > highest if above else interval[1] < lowest
    return "" if beyond else f"{first}, perhaps {side} {second:g}"


def _limits(criterion: Criterion, low: float | None, high: float | None) -> tuple[float, float]:
    """Returns the limits in the scale of the judged quantity, infinite where there is none."""
    logarithm = criterion.measure == "ratio"
    lowest = -math.inf if low is None else math.log(low) if logarithm else low
    highest = math.inf if high is None else math.log(high) if logarithm else high
    return lowest, highest


def _inside(
    criterion: Criterion, low: float | None, high: float | None, interval: tuple[float, float]
) -> bool:
    lowest, highest = _limits(criterion, low, high)
    # A ratio of equal values is 1 but for the rounding of logarithms.
    return interval[0] >= lowest - 1e-12 and interval[1] <= highest + 1e-12


def _outside(
    criterion: Criterion, low: float | None, high: float | None, interval: tuple[float, float]
) -> bool:
    lowest, highest = _limits(criterion, low, high)
    return interval[1] < lowest - 1e-12 or interval[0] > highest + 1e-12


def _excused(
    metric: Metric,
    criterion: Criterion,
    samples: Samples,
    index: int,
    references: Sequence[str],
    verdict: Verdict,
) -> tuple[Verdict, str]:
    """Returns the verdict on a criterion that is not surely met, INFO if a standard control or an equal share of the
    others excuses it, and why.
    """
    if criterion.measure in ("value", "change"):
        if not criterion.excused:
            return verdict, ""
        outside = [one for one in references if _reference_fails(criterion, samples, index, one)]
        for one in outside:
            if not _surely_farther(criterion, samples, index, one):
                return Verdict.INFO, f"{one} does not meet the limit either"
        if verdict is Verdict.UNDECIDED:
            own = samples.of(TESTED, index, metric.id)
            alike = [one for one in references if np.array_equal(own, samples.of(one, index, metric.id))]
            return (Verdict.INFO, f"{alike[0]} is not surely within it either") if alike else (verdict, "")
        farther = f"farther outside than {' and '.join(outside)}, not within the limit either"
        return verdict, farther if outside else ""
    own = samples.of(TESTED, index, metric.id)
    for other in references[1:]:
        values = _judged(criterion, metric, samples, index, other)
        lacking = _lacking(criterion, own, samples.of(other, index, metric.id))
        summary = summarise(values if values is not None else [])
        met = summary.mean is not None and _verdict(criterion, summary.mean, summary.interval) is Verdict.OK
        met |= _is_itself(criterion, own, samples.of(other, index, metric.id))
        if met and not np.any(lacking):
            return Verdict.INFO, f"it is met against {other}"
    if criterion.fair and _is_fair(criterion, samples, index, references[0]):
        return Verdict.INFO, "the others keep an equal share"
    return verdict, ""


def _is_fair(criterion: Criterion, samples: Samples, index: int, reference: str) -> bool:
    """Returns whether the others surely keep ``FAIR_SHARE`` of an equal share: of what all flows have together, and of
    what they have with the reference, so that a path that collapses for all is no excuse.
    """
    own = samples.of(TESTED, index, criterion.metric)
    equal = np.maximum(*(samples.of(name, index, criterion.fair) for name in (TESTED, reference)))
    interval = summarise(own - FAIR_SHARE * equal).interval
    return interval is not None and interval[0] >= 0


def _reference_fails(criterion: Criterion, samples: Samples, index: int, reference: str) -> bool:
    """Returns whether the reference itself is outside the limits in the mean."""
    values = _alone(criterion, samples, index, reference)
    mean = None if values is None else summarise(values).mean
    return mean is not None and not limits_hold(criterion, mean)


def _surely_farther(criterion: Criterion, samples: Samples, index: int, reference: str) -> bool:
    """Returns whether the control under test is farther outside the limits than the reference by more than
    ``TOLERANCE``, with the whole interval of the paired difference.
    """
    own, other = (
        _distance(criterion, _alone(criterion, samples, index, name)) for name in (TESTED, reference)
    )
    interval = paired_difference(own, (1 + TOLERANCE) * other).interval
    return interval is not None and interval[0] > 1e-12


def _distance(criterion: Criterion, values: Vector | None) -> Vector:
    """Returns how far each value is outside the limits, 0 inside; nan for a missing value."""
    if values is None:
        return np.array([])
    lowest, highest = _limits(criterion, criterion.low, criterion.high)
    return np.maximum(np.maximum(lowest - values, values - highest), 0.0)


def _enough(criterion: Criterion, own: Sequence[Finding]) -> list[Finding]:
    """Returns the findings; those outside become INFO if the criterion holds in enough of the settings. Those that
    failed, or had nothing to judge, stay.
    """
    if criterion.cells == 1:
        return list(own)
    held = sum(one.verdict in (Verdict.OK, Verdict.INFO) for one in own)
    # The nearest whole number, halves upwards: 11 of 12 and 119 of 125 for 95 %, and all of a few.
    if held < math.floor(criterion.cells * len(own) + 0.5):
        return list(own)
    reason = f"it holds in {held} of {len(own)} settings, which is enough"
    return [
        one
        if one.failed or one.lacking or one.verdict in (Verdict.OK, Verdict.INFO)
        else replace(one, verdict=Verdict.INFO, reason=reason)
        for one in own
    ]
