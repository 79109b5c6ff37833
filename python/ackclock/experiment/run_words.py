"""The vocabulary of a metric's expression: the result of one run.

    flows.X, flows("tcp").X, flows("tcp*").X
        field X of every flow, of the flows of a group, or of all groups whose names match: a vector
    links.X
        field X of every link
    flow("tcp-1").X, link("bottleneck").X, group("tcp").X
        field X of one flow, link or group
    fairness, duration
        the run's Jain index; its length in seconds
    measured_from
        the end of the warm-up, in seconds
    series("links.bottleneck.queue_packets")
        values over time; `series(path, from, to)` those between two times in seconds;
        `series("flows.tcp-*.goodput_bps")` the sum over all flows whose names match; patterns work in the
        functions below too
    time_of_max(path)
        the first time at which a series is largest; `time_of_max(path, from, to)` between two times; with a width
        in seconds as fourth argument, the start of the interval of that width with the largest mean
    time_of_reaching(path, level)
        the first time at which a series is at the level or above; `time_of_reaching(path, level, from, to)`
        between two times
    growth(path, width)
        the growth of a count such as `links.X.arrived_packets` in consecutive intervals of `width` seconds, a
        vector; `growth(path, width, from, to)` between two times
    hurst(path)
        Hurst parameter, by aggregated variances, of the growth of a count such as `links.X.arrived_packets`
        from sample to sample; `hurst(path, from, to)` between two times
    least_share(path, from, width)
        the smallest share of any flow in any window of `width` seconds, times the number of flows: 1 for equal
        shares, 0 if a flow got nothing
    drift(path, from, to)
        the least-squares slope of a series, per second; the times may be left out
    phase(path, cycle, from, to, start)
        the samples between the times `from` and `to` within every cycle; cycles last `cycle` seconds and begin
        at `start`
    settling_time(path, cycle, from, to, start)
        the number of seconds from the start of a phase (see `phase`) during which the mean over one second is
        still more than a quarter above the maximum in the second half of the phase; mean over the cycles
    spectral_line(path, segment, from, to)
        the share of a series' variance at its strongest frequency, from 0 to 1, by averaged periodograms of
        segments of `segment` seconds; the times may be left out
    spectral_period(path, segment, from, to)
        the period of the strongest frequency, in seconds
    convergence_time(first, second, start, from, to)
        the 45-55 % convergence time: the seconds from `start` until the first series has fallen to 55 %, and the
        second has risen to 45 %, of the maximum of the first between `from` and `to`, where it was alone
    loss_or_mark_rate(link)
        the share of the packets that arrived at a link which its queue dropped or marked
    worst_loss(link, width, from)
        the largest share of packets that a link's queue dropped in any `width` seconds
    goodput_ratio(delivered, sent)
        the useful packets delivered as a share of all packets sent, such as
        `goodput_ratio(flows.delivered_packets, flows.sent_packets)`
    tcp_rate(rtt, p)
        the rate of a standard TCP flow with the loss rate p, 1.2 / (rtt sqrt(p)), in packets per second
    rtt_exponent(goodput, rtt)
        the slope of log(goodput) over log(round trip): -1 if goodput is inversely proportional to the round trip
    delta_fair_time(first, second, delta, from[, kept])
        the time until the second flow has at least (1 - delta) / 2 of the total of both flows, as means over the
        preceding second; with `kept`, as means over the following `kept` seconds
    epsilon_fair_rounds(path, epsilon, rtt, from, width)
        the number of round trips of `rtt` until the slowest matching flow has at least 1 - epsilon of what the
        fastest has, as means over the preceding `width`: `epsilon_fair_rounds("flows.*.goodput_bps", 0.2,
        0.05, 20, 1)`
    least_share_of(path, all, from, width)
        the smallest share of any flow of `path` in the total of the flows of `all`, in any window, times the
        number of flows of `all`: 0 if a flow starves
    mean_of(path, from, to)
        the mean of a series
    time_of_keeping(path, level, from, width)
        the time until the mean over the next `width` seconds is at least the level
    time_of_amount(path, amount, from)
        the time until the integral of a rate reaches an amount, such as a number of bits
    largest_growth(path, width, from, to)
        the largest growth of a value, such as a window, within `width` seconds
    growth_of_gaps(path, from, to, first, cap)
        the smallest ratio of a gap between packets to the one before it, from a count such as
        `"links.bottleneck.arrived_packets"`, after the `first` gaps; gaps of `cap` seconds or more need not grow.
        2 if there are too few packets
    trips(link, share, width, windows, from)
        how often a circuit breaker of the network would have opened: after `windows` consecutive windows, in each
        of which more than `share` of the packets was dropped
    time_of_trip(link, share, width, windows, from)
        the time until such a circuit breaker would first have opened
    call_trips(sent, received, rtt, width, from)
        how often the circuit breaker of a call (RFC 8083) would have opened, from the packets of the call on two
        links and a report every `width`
    sum, mean, std, median, min, max, count, percentile(x, q)
        of a vector, ignoring missing samples; `std` divides by n - 1; `count` counts samples; `min` and `max`
        of several arguments go element by element
    jain, variation, correlation(x, y)
        Jain's index; standard deviation over mean; Pearson's correlation
    value_or(x, y)
        x, or y for a run in which x has no value, such as a time that is never reached
    abs, sqrt, log, log10, exp, pi, + - * / **
        as usual

X is any number in the result's records (`ackclock schema --of run`). Times and widths are in seconds. All functions
that reduce a vector ignore missing samples.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any, cast

import numpy as np

from ackclock import metrics
from ackclock._names import nearest
from ackclock.experiment import breakers, rfc5166, windows
from ackclock.experiment.expression import Array, Expression, ExpressionError, Join, Value
from ackclock.series import Series

SERIES_FUNCTIONS = (
    "series",
    "time_of_max",
    "time_of_reaching",
    "growth",
    "hurst",
    "convergence_time",
    "least_share",
    "drift",
    "phase",
    "settling_time",
    "spectral_line",
    "spectral_period",
    "growth_of_gaps",
    "trips",
    "time_of_trip",
    "call_trips",
    "worst_loss",
    "delta_fair_time",
    "epsilon_fair_rounds",
    "time_of_keeping",
    "time_of_amount",
    "largest_growth",
    "mean_of",
    "least_share_of",
)
"""The functions that need the series of the run. Each is a method of ``RunWords`` with the prefix ``_``."""


class RunWords:
    """The vocabulary of metric expressions over one result (a parsed run document)."""

    def __init__(self, result: Mapping[str, Any]) -> None:
        self._result = result
        self._end_s = float(result["measured_s"][1]) if "measured_s" in result else math.inf
        self.values: Mapping[str, Value] = {
            "flows": Records("flow", result["flows"], result.get("groups", ())),
            "links": Records("link", result["links"]),
            "fairness": _sample(result["fairness"]),
            "duration": _sample(result["duration_s"]),
            "measured_from": _sample(result["measured_s"][0] if "measured_s" in result else None),
            "pi": math.pi,
        }
        self.functions: Mapping[str, Callable[..., Value]] = {
            **ELEMENTWISE,
            **REDUCTIONS,
            "value_or": _value_or,
            "percentile": percentile,
            "correlation": correlation,
            "flow": lambda name: _named("flow", name, result["flows"]),
            "link": lambda name: _named("link", name, result["links"]),
            "group": lambda name: _named("group", name, result.get("groups", ())),
            **{name: getattr(self, f"_{name}") for name in SERIES_FUNCTIONS},
            "rtt_exponent": rfc5166.rtt_exponent,
            "tcp_rate": lambda rtt, p: rfc5166.tcp_rate(float(rtt), float(p)),
            "goodput_ratio": rfc5166.goodput_ratio,
            "loss_or_mark_rate": self._loss_or_mark_rate,
        }

    def compare(self, comparison: str, left: Array, right: Array, join: Join) -> Value:  # noqa: ARG002  (as SampleWords is asked)
        """Metrics have no truth values."""
        raise ValueError(
            f"a metric is a number, not a comparison ({comparison}): comparisons belong in the `direction` of a claim"
        )

    def _series(self, path: str, start: Array | None = None, end: Array | None = None) -> Array:
        """series("links.<link>.<quantity>") or series(path, from, to), times in seconds"""
        _, values = self._part(path, start, end)
        return values

    def _time_of_max(
        self, path: str, start: Array | None = None, end: Array | None = None, width: Array | None = None
    ) -> float:
        """time_of_max("links.<link>.<quantity>"), time_of_max(path, from, to) or time_of_max(path, from, to, width)"""
        times, values = self._part(path, start, end)
        if width is None:
            return metrics.time_of_max(times, values)
        return metrics.time_of_max(*metrics.stretches(times, values, float(start or 0), float(width)))

    def _time_of_reaching(
        self, path: str, level: Array, start: Array | None = None, end: Array | None = None
    ) -> float:
        """time_of_reaching("links.<link>.<quantity>", level), time_of_reaching(path, level, from, to)"""
        return metrics.time_of_reaching(*self._part(path, start, end), float(level))

    def _growth(self, path: str, width: Array, start: Array | None = None, end: Array | None = None) -> Array:
        """growth("links.<link>.arrived_packets", width) or growth(path, width, from, to), times in seconds"""
        times, values = self._part(path, start, end)
        first = float(start) if start is not None else float(times[0]) if times.size else 0.0
        return metrics.growth(times, values, first, float(width))

    def _hurst(self, path: str, start: Array | None = None, end: Array | None = None) -> float:
        """hurst("links.<link>.arrived_packets") or hurst(path, from, to), times in seconds"""
        _, values = self._part(path, start, end)
        return metrics.hurst(np.diff(values))

    def _part(self, path: str, start: Array | None, end: Array | None) -> tuple[Array, Array]:
        """Returns times and values of a series between two times."""
        times, values = self._path(path)
        if start is not None and float(start) > self._end_s:
            raise LookupError(
                f"there is no sample from {float(start):g} s on: the run ends at {self._end_s:g} s"
            )
        inside = np.ones(times.shape, dtype=bool)
        if start is not None:
            inside &= times >= start
        if end is not None:
            inside &= times <= end
        return times[inside], values[inside]

    def _convergence_time(
        self, first: str, second: str, start: Array, region_from: Array, region_to: Array
    ) -> float:
        """convergence_time("flows.<first>.cwnd_packets", "flows.<second>.cwnd_packets", start, from, to), in seconds"""
        times, first_values = self._path(first)
        _, second_values = self._path(second)
        region = (float(region_from), float(region_to))
        return metrics.convergence_time(times, first_values, second_values, float(start), region)

    def _least_share(self, path: str, start: Array, width: Array) -> float:
        """least_share("flows.tcp-*.goodput_bps", from, width), times in seconds"""
        times, _ = self._path(path)
        return windows.least_share(self._each(path), times, float(start), float(width))

    def _drift(self, path: str, start: Array | None = None, end: Array | None = None) -> float:
        """drift("links.<link>.<quantity>", from, to)"""
        return windows.drift(*self._part(path, start, end))

    def _spectral_line(
        self, path: str, segment: Array, start: Array | None = None, end: Array | None = None
    ) -> float:
        """spectral_line("links.<link>.<quantity>", segment, from, to), times in seconds"""
        return windows.spectral_line(*self._part(path, start, end), float(segment))[0]

    def _spectral_period(
        self, path: str, segment: Array, start: Array | None = None, end: Array | None = None
    ) -> float:
        """spectral_period("links.<link>.<quantity>", segment, from, to), times in seconds"""
        return windows.spectral_line(*self._part(path, start, end), float(segment))[1]

    def _phase(self, path: str, cycle: Array, start: Array, end: Array, first: Array) -> Array:
        """phase("links.<link>.<quantity>", cycle, from, to, start), times in seconds"""
        times, values = self._path(path)
        return values[windows.in_phase(times, float(cycle), float(start), float(end), float(first))]

    def _settling_time(self, path: str, cycle: Array, start: Array, end: Array, first: Array) -> float:
        """settling_time("links.<link>.<quantity>", cycle, from, to, start), times in seconds"""
        times, values = self._path(path)
        return windows.settling_time(times, values, float(cycle), float(start), float(end), float(first))

    def _growth_of_gaps(self, path: str, start: Array, end: Array, first: Array, cap: Array) -> float:
        """growth_of_gaps("links.<link>.arrived_packets", from, to, first, cap), times in seconds"""
        times, counts = self._part(path, start, end)
        sent = times[1:][np.diff(counts) > 0]
        least = rfc5166.least_growth(sent, int(first), float(cap))
        # Too few packets to compare two gaps: the sender has stopped, which is as good as any growth.
        return least if math.isfinite(least) else 2.0

    def _trips(self, link: str, share: Array, width: Array, windows: Array, start: Array) -> float:
        """trips("<link>", share, width, windows, from), times in seconds"""
        return float(len(self._opened(link, share, width, windows, start)))

    def _time_of_trip(self, link: str, share: Array, width: Array, windows: Array, start: Array) -> float:
        """time_of_trip("<link>", share, width, windows, from), times in seconds"""
        found = self._opened(link, share, width, windows, start)
        return (found[0] + 1) * float(width) if found else math.nan

    def _opened(self, link: str, share: Array, width: Array, windows: Array, start: Array) -> list[int]:
        """Returns the windows at whose end a breaker of the network opens."""
        return breakers.of_network(*self._counts(link, width, start), float(share), int(windows))

    def _call_trips(self, sent: str, received: str, rtt: Array, width: Array, start: Array) -> float:
        """call_trips("<link>", "<link>", rtt, width, from), times in seconds"""
        before, after = (self._grown(link, "arrived_packets", width, start) for link in (sent, received))
        return float(len(breakers.of_call(before, after, float(rtt), float(width))))

    def _worst_loss(self, link: str, width: Array, start: Array) -> float:
        """worst_loss("<link>", width, from), times in seconds"""
        return rfc5166.worst_share(*self._counts(link, width, start))

    def _counts(self, link: str, width: Array, start: Array) -> tuple[Array, Array]:
        """Returns the packets that arrived and those that were dropped in windows of ``width`` seconds."""
        arrived = self._grown(link, "arrived_packets", width, start)
        return arrived, self._grown(link, "dropped_packets", width, start)

    def _grown(self, link: str, what: str, width: Array, start: Array) -> Array:
        """Returns the growth of a count of a link in windows of ``width`` seconds."""
        return self._growth(f"links.{link}.{what}", width, start)

    def _delta_fair_time(
        self, first: str, second: str, delta: Array, start: Array, kept: Array | None = None
    ) -> float:
        """delta_fair_time("flows.<first>.goodput_bps", "flows.<second>.goodput_bps", delta, start[, kept])"""
        times, one = self._path(first)
        _, other = self._path(second)
        # A flow's rate over a few round trips, not within one.
        means = [_smooth(times, values, 1.0) for values in (one, other)]
        kept_s = 0.0 if kept is None else float(kept)
        return rfc5166.delta_fair_time(times, means[0], means[1], float(delta), float(start), kept_s)

    def _epsilon_fair_rounds(
        self, path: str, epsilon: Array, rtt: Array, start: Array, width: Array
    ) -> float:
        """epsilon_fair_rounds("flows.*.goodput_bps", epsilon, rtt, from, width), times in seconds"""
        if np.ndim(rtt) > 0 or not rtt > 0:
            raise ValueError("expected a single round-trip time above 0 s")
        times, _ = self._path(path)
        rates = [_smooth(times, values, float(width)) for values in self._each(path)]
        return rfc5166.epsilon_fair_time(times, rates, float(epsilon), float(start)) / float(rtt)

    def _loss_or_mark_rate(self, link: str) -> float:
        """loss_or_mark_rate("<link>")"""
        of_link = self.functions["link"](link)
        counts = ("arrived_packets", "dropped_packets", "marked_packets")
        return rfc5166.loss_or_mark_rate(*(of_link.attribute(name) for name in counts))

    def _time_of_keeping(self, path: str, level: Array, start: Array, width: Array) -> float:
        """time_of_keeping("flows.<flow>.goodput_bps", level, from, width), times in seconds"""
        return rfc5166.time_of_keeping(*self._path(path), float(level), float(start), float(width))

    def _time_of_amount(self, path: str, amount: Array, start: Array) -> float:
        """time_of_amount("flows.<flow>.goodput_bps", bits, from), times in seconds"""
        return rfc5166.time_of_amount(*self._path(path), float(amount), float(start))

    def _largest_growth(self, path: str, width: Array, start: Array, end: Array) -> float:
        """largest_growth("flows.<flow>.cwnd_packets", width, from, to), times in seconds"""
        return rfc5166.largest_growth(*self._part(path, start, end), float(width))

    def _least_share_of(self, path: str, every: str, start: Array, width: Array) -> float:
        """least_share_of("flows.other*.goodput_bps", "flows.*.goodput_bps", from, width), times in seconds"""
        times, _ = self._path(path)
        return windows.least_share(
            self._each(path), times, float(start), float(width), among=self._each(every)
        )

    def _mean_of(self, path: str, start: Array, end: Array) -> float:
        """mean_of("flows.<flow>.goodput_bps", from, to), times in seconds"""
        _, values = self._part(path, start, end)
        return float(np.mean(np.nan_to_num(values))) if values.size else math.nan

    def _each(self, path: str) -> list[Array]:
        """Returns the values of every series whose name matches ``path``."""
        if path.count(".") != 2:
            raise ValueError(f'found "{path}", expected a path such as flows.*.goodput_bps')
        kind, name, quantity = path.split(".")
        series = self._series_of_run()
        names = [
            other
            for other in series.owners(kind)
            if other == name or (name.endswith("*") and other.startswith(name[:-1]))
        ]
        return [series.values(kind, other, quantity) for other in names]

    def _path(self, path: str) -> tuple[Array, Array]:
        """Returns times and values of the series at ``path``."""
        series = self._series_of_run()
        times = series.time_s
        parts = str(path).split(".")
        if len(parts) != 3 or parts[0] not in ("flows", "links"):
            raise LookupError(
                f'found the series "{path}", expected flows.<flow>.<quantity> or links.<link>.<quantity>'
            )
        kind, name, quantity = parts
        if name.endswith("*"):
            alike = [other for other in series.owners(kind) if other.startswith(name[:-1])]
            together = [self._path(f"{kind}.{other}.{quantity}")[1] for other in alike]
            if together:
                return times, np.sum(together, axis=0)
        if name not in series.owners(kind):
            raise LookupError(
                f'there is no series of {kind[:-1]} "{name}"{nearest(name, series.owners(kind))}'
            )
        known = series.quantities(kind, name)
        if quantity not in known:
            raise LookupError(f'{name} has no series "{quantity}"{nearest(quantity, known)}')
        return times, series.values(kind, name, quantity)

    def _series_of_run(self) -> Series:
        series = self._result.get("series")
        if series is None:
            raise LookupError("this run was made without series, which the expression needs")
        return cast("Series", series)


class Records:
    """All flows or all links: an attribute is the vector over them; a call narrows flows to a group."""

    def __init__(
        self, kind: str, rows: Sequence[Mapping[str, Any]], groups: Sequence[Mapping[str, Any]] = ()
    ) -> None:
        self._kind, self._rows = kind, rows
        self._groups = [group["name"] for group in groups]
        # The metrics of a study ask for the same vectors.
        self._vectors: dict[str, Array] = {}

    def attribute(self, name: str) -> Array:
        """Returns the vector of ``name`` over the records, nan if a record has no sample."""
        if name not in self._vectors:
            values = [_field(self._kind, row, name) for row in self._rows]
            self._vectors[name] = np.array(values, dtype=np.float64)
        return self._vectors[name]

    def __call__(self, group: str) -> Records:
        """flows("<group>"), flows("<beginning of groups' names>*")"""
        if self._kind != "flow":
            raise LookupError(f"{self._kind}s have no groups; only flows(...) takes the name of a group")
        wanted = [name for name in self._groups if name == group]
        if str(group).endswith("*"):
            wanted = [name for name in self._groups if name.startswith(group[:-1])]
        if not wanted:
            raise LookupError(f'there is no group "{group}"{nearest(str(group).rstrip("*"), self._groups)}')
        return Records(self._kind, [row for row in self._rows if row["group"] in wanted])


class OneRecord:
    """One flow, link or group."""

    def __init__(self, kind: str, row: Mapping[str, Any]) -> None:
        self._kind, self._row = kind, row

    def attribute(self, name: str) -> float:
        """Returns the number called ``name``."""
        return _field(self._kind, self._row, name)


def _smooth(times: Array, values: Array, width_s: float) -> Array:
    """Returns the mean over the ``width_s`` before each time, with 0 before the first."""
    width = max(1, round(width_s / float(np.median(np.diff(times)))))
    means: Array = np.convolve(np.nan_to_num(values), np.ones(width) / width)[: times.size]
    return means


def needs_series(expression: Expression) -> bool:
    """Returns whether the expression can only be computed from a run with series."""
    return not expression.called.isdisjoint(SERIES_FUNCTIONS)


def measure(expression: Expression, words: RunWords) -> float:
    """Returns the metric's value for the run of ``words``: a finite number, or nan when there is no sample.

    ExpressionError when the expression names something that the run's result does not have, or is still a vector.
    """
    value = expression.evaluate(words)
    if value.ndim > 0:
        raise ExpressionError(
            f"the value is a vector of {value.size} numbers, expected one number per run: use sum, mean, "
            f"max...\n    " + expression.text
        )
    return float(value) if np.isfinite(value) else float("nan")


def percentile(values: Array, q: Array) -> float:
    """percentile(x, q) with q from 0 to 100, by linear interpolation"""
    present = _present(values)
    if np.ndim(q) > 0:
        raise ValueError(f"expected one percentile from 0 to 100, found {np.size(q)} numbers")
    if not 0 <= q <= 100:
        raise ValueError(f"expected a percentile from 0 to 100, found {float(q):g}")
    return float(np.percentile(present, float(q))) if present.size else math.nan


def correlation(first: Array, second: Array) -> float:
    """correlation(x, y) of two vectors of one length: Pearson's coefficient"""
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(f"expected two vectors of equal length, found {first.size} and {second.size} values")
    return metrics.correlation(first, second)


def _reduction(
    name: str, reduced: Callable[[Array], Any], pairwise: Callable[[Any, Any], Any] | None = None
) -> Callable[..., Value]:
    def function(first: Array, *more: Array) -> Value:
        if not more:
            present = _present(first)
            return float(reduced(present)) if present.size else math.nan
        if pairwise is None:
            raise ValueError(f"{name}() takes one vector, found {1 + len(more)} arguments")
        return reduce(pairwise, more, first)

    several = f" of a vector, or {name}(a, b, ...) element by element"
    function.__doc__ = f"{name}(x)" + (several if pairwise else " of one vector")
    return function


def _elementwise(name: str, apply: Callable[[Any], Any]) -> Callable[..., Value]:
    def function(value: Array) -> Value:
        return apply(value)

    function.__doc__ = f"{name}(x)"
    return function


def _value_or(value: Array, instead: Array) -> Value:
    """value_or(x, y): x, or y where there is no sample"""
    return np.where(np.isnan(value), instead, value)


def _count(values: Array) -> float:
    """count(x): how many samples are not missing"""
    return float(_present(values).size)


ELEMENTWISE: Mapping[str, Callable[..., Value]] = {
    name: _elementwise(name, getattr(np, name)) for name in ("abs", "sqrt", "log", "log10", "exp")
}
REDUCTIONS: Mapping[str, Callable[..., Value]] = {
    "sum": _reduction("sum", np.sum),
    "mean": _reduction("mean", np.mean),
    "std": _reduction("std", lambda x: np.std(x, ddof=1) if x.size > 1 else np.nan),
    "median": _reduction("median", np.median),
    "jain": _reduction("jain", metrics.jain_index),
    "variation": _reduction("variation", metrics.coefficient_of_variation),
    "min": _reduction("min", np.min, np.minimum),
    "max": _reduction("max", np.max, np.maximum),
    "count": _count,
}


def _present(values: Array) -> Array:
    values = np.atleast_1d(values)
    return values[np.isfinite(values)]


def _named(kind: str, name: Any, rows: Sequence[Mapping[str, Any]]) -> OneRecord:
    for row in rows:
        if row["name"] == name:
            return OneRecord(kind, row)
    raise LookupError(f'there is no {kind} "{name}"{nearest(str(name), [str(row["name"]) for row in rows])}')


def _field(kind: str, row: Mapping[str, Any], name: str) -> float:
    if name not in row:
        raise LookupError(f'a {kind} has no field "{name}"{nearest(name, row)}')
    if isinstance(row[name], str):
        raise LookupError(f'"{name}" of a {kind} is text, not a number')
    return _sample(row[name])


def _sample(value: float | None) -> float:
    return math.nan if value is None else float(value)
