"""The vocabulary of an evaluation's metrics: that of studies, and a few functions more.

growth_of_gaps(path, from, to, first, cap)      the smallest ratio of a gap between packets to the one before, from a
                                                count over time, without the first gaps; gaps above ``cap`` may stay
trips(link, share, width, windows, from)        how often a circuit breaker of the network would have opened (RFC 8084)
time_of_trip(link, share, width, windows, from) the time in s until it would have opened first
call_trips(sent, received, rtt, width, from)    how often that of a call would have opened (RFC 8083), from the counts
                                                of its packets on two links, and a report each ``width`` s
worst_loss(link, width, from)                   the greatest share of packets dropped in any window of ``width`` s
delta_fair_time(first, second, delta, start)    the time in s until the second flow has its share but for delta, both
                                                as means over a second
epsilon_fair_rounds(path, epsilon, rtt, from, width)
                                                the number of round trips of ``rtt`` s until the least of the flows has
                                                1 - epsilon of what the largest has, as means over ``width`` s
time_of_keeping(path, level, from, width)       the time in s until the mean over ``width`` s is at least ``level``
rtt_exponent(goodput, rtt)                      the slope of goodput over the round trip, both as logarithms
least_share_of(path, all, from, width)          the smallest share of any flow of ``path`` among those of ``all`` in any
                                                window of ``width`` s, times the number of the latter
time_of_amount(path, amount, from)              the time in s until a rate has made an amount, such as bits
largest_growth(path, width, from, to)           the largest growth of a value within ``width`` s
mean_of(path, from, to)                         the mean of a series
tcp_rate(rtt, p)                                1.2 / (RTT sqrt(p)), in packets per second
goodput_ratio(delivered, sent)                  the useful packets delivered as a share of all packets sent
loss_or_mark_rate(link)                         the share of the packets that its queue dropped or marked
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ackclock import metrics as common
from ackclock.characterisation import windows
from ackclock.evaluation import breakers, metrics
from ackclock.study.language import Array, Expression, Value
from ackclock.study.run_words import RunWords
from ackclock.study.run_words import needs_series as of_studies

OWN = (
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
"""The further functions that need series."""


class EvaluationWords(RunWords):
    """The vocabulary over the result of one run."""

    def __init__(self, result: Mapping[str, Any]) -> None:
        super().__init__(result)
        self.functions: Mapping[str, Callable[..., Value]] = {
            **self.functions,
            "growth_of_gaps": self._growth_of_gaps,
            "trips": self._trips,
            "time_of_trip": self._time_of_trip,
            "call_trips": self._call_trips,
            "worst_loss": self._worst_loss,
            "delta_fair_time": self._delta_fair_time,
            "epsilon_fair_rounds": self._epsilon_fair_rounds,
            "time_of_keeping": self._time_of_keeping,
            "time_of_amount": self._time_of_amount,
            "largest_growth": self._largest_growth,
            "mean_of": self._mean_of,
            "least_share_of": self._least_share_of,
            "rtt_exponent": metrics.rtt_exponent,
            "tcp_rate": lambda rtt, p: metrics.tcp_rate(float(rtt), float(p)),
            "goodput_ratio": metrics.goodput_ratio,
            "loss_or_mark_rate": self._loss_or_mark_rate,
        }

    def _growth_of_gaps(self, path: str, start: Array, end: Array, first: Array, cap: Array) -> float:
        """growth_of_gaps("links.<link>.arrived_packets", from, to, first, cap), times in seconds"""
        times, counts = self._part(path, start, end)
        sent = times[1:][np.diff(counts) > 0]
        least = metrics.least_growth(sent, int(first), float(cap))
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

        def arrived(link: str) -> Array:
            times, values = self._part(f"links.{link}.arrived_packets", start, None)
            return common.growth(times, values, float(start), float(width))

        found = breakers.of_call(arrived(sent), arrived(received), float(rtt), float(width))
        return float(len(found))

    def _worst_loss(self, link: str, width: Array, start: Array) -> float:
        """worst_loss("<link>", width, from), times in seconds"""
        return metrics.worst_share(*self._counts(link, width, start))

    def _counts(self, link: str, width: Array, start: Array) -> tuple[Array, Array]:
        """Returns the packets that arrived and those that were dropped in windows of ``width`` seconds."""

        def grown(what: str) -> Array:
            times, values = self._part(f"links.{link}.{what}", start, None)
            return common.growth(times, values, float(start), float(width))

        return grown("arrived_packets"), grown("dropped_packets")

    def _delta_fair_time(self, first: str, second: str, delta: Array, start: Array) -> float:
        """delta_fair_time("flows.<first>.goodput_bps", "flows.<second>.goodput_bps", delta, start)"""
        times, one = self._path(first)
        _, other = self._path(second)
        # A flow's rate over a few round trips, not within one.
        means = [_smooth(times, values, 1.0) for values in (one, other)]
        return metrics.delta_fair_time(times, means[0], means[1], float(delta), float(start))

    def _epsilon_fair_rounds(
        self, path: str, epsilon: Array, rtt: Array, start: Array, width: Array
    ) -> float:
        """epsilon_fair_rounds("flows.*.goodput_bps", epsilon, rtt, from, width), times in seconds"""
        if not rtt > 0:
            raise ValueError("a round trip is longer than 0 seconds")
        times, _ = self._path(path)
        rates = [_smooth(times, values, float(width)) for values in self._each(path)]
        return metrics.epsilon_fair_time(times, rates, float(epsilon), float(start)) / float(rtt)

    def _loss_or_mark_rate(self, link: str) -> float:
        """loss_or_mark_rate("<link>")"""
        of_link = self.functions["link"](link)
        counts = ("arrived_packets", "dropped_packets", "marked_packets")
        return metrics.loss_or_mark_rate(*(of_link.attribute(name) for name in counts))

    def _time_of_keeping(self, path: str, level: Array, start: Array, width: Array) -> float:
        """time_of_keeping("flows.<flow>.goodput_bps", level, from, width), times in seconds"""
        return metrics.time_of_keeping(*self._path(path), float(level), float(start), float(width))

    def _time_of_amount(self, path: str, amount: Array, start: Array) -> float:
        """time_of_amount("flows.<flow>.goodput_bps", bits, from), times in seconds"""
        return metrics.time_of_amount(*self._path(path), float(amount), float(start))

    def _largest_growth(self, path: str, width: Array, start: Array, end: Array) -> float:
        """largest_growth("flows.<flow>.cwnd_packets", width, from, to), times in seconds"""
        return metrics.largest_growth(*self._part(path, start, end), float(width))

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


def _smooth(times: Array, values: Array, width_s: float) -> Array:
    """Returns the mean over the ``width_s`` before each time, with 0 before the first."""
    width = max(1, round(width_s / float(np.median(np.diff(times)))))
    means: Array = np.convolve(np.nan_to_num(values), np.ones(width) / width)[: times.size]
    return means


def needs_series(expression: Expression) -> bool:
    """Returns whether the expression can only be computed from a run with series."""
    return of_studies(expression) or not expression.called.isdisjoint(OWN)
