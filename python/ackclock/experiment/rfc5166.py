"""Metrics of RFC 5166, "Metrics for the Evaluation of Congestion Control Mechanisms", as functions of plain numbers,
and those of the evaluation's own.

Section numbers are those of draft-irtf-tmrg-metrics-11. Vectors are one-dimensional float arrays. A metric that is a
number of one run is an expression over that run, which a scenario of an evaluation and a study can have:

    flow("tested").goodput_bps / flow("tested").one_way_delay_mean_s
        section 2.1: power
    tcp_rate(flow("tested").rtt_mean_s, link("bottleneck").dropped_packets / link("bottleneck").arrived_packets)
        section 2.1: the rate of standard TCP
    link("bottleneck").utilisation, flow("tested").goodput_bps
        section 2.1.1: utilisation, goodput; of transfers their completion times
    link("bottleneck").wait_mean_s, flow("tested").one_way_delay_p99_s,
    max(series("links.bottleneck.queue_packets", 10, 60))
        section 2.1.2: delay, its mean, its tail, over time
    loss_or_mark_rate("bottleneck"), link("bottleneck").marked_packets, link("bottleneck").corrupted_packets
        section 2.1.3: loss or mark rate, marks, corruption
    link("bottleneck").loss_events, link("bottleneck").loss_synchronisation
        sections 2.1.3 and 2.2.2: events and synchronisation of losses, if the scenario has `observe = { at
        = "bottleneck", loss_events = "50 ms" }`, where the time is the round trip without queues
    largest_growth("flows.tested.cwnd_packets", 0.05, 10, 60)
        section 2.2.1: aggressiveness, in packets of the window
    variation(series("flows.tested.goodput_bps", 10, 60)),
    variation(growth("links.bottleneck.arrived_packets", 1, 10, 60))
        section 2.2.2: oscillation of a flow, of all together
    flow("tested").rtt_std_s, variation(growth("links.bottleneck.dropped_packets", 1, 10, 60))
        section 2.2.2: jitter of round trips, of loss
    jain(flows.goodput_bps), 1 - min(flows.goodput_bps) / max(flows.goodput_bps)
        section 2.3.1: Jain's index, epsilon
    link("bottleneck").wait_p95_s, link("bottleneck").wait_std_s, loss_or_mark_rate("bottleneck")
        section 2.3.2: fairness by congestion, each in a criterion with a limit whose measure is `"ratio"`, as in
        N-02 and N-03
    delta_fair_time("flows.tested.goodput_bps", "flows.other.goodput_bps", 0.1, 20),
    epsilon_fair_rounds("flows.*.goodput_bps", 0.2, 0.05, 20, 1)
        section 2.3.3: convergence
    rtt_exponent(flows.goodput_bps, flows.rtt_min_s), jain(flows.delivered_packets)
        section 2.3.3: fairness over round trips; in packets
    goodput_ratio(flows.delivered_packets, flows.sent_packets)
        section 2.4: goodput ratio

The functions of this module need what the result of a run does not have, such as the time of every loss or a rate for
each round trip. Nowhere are: aggressiveness in each mode, fairness between packet sizes, energy, deployability and a
utility of applications. Robustness and misbehaviour are scenarios of an evaluation.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]
LEAST_GAP = 16
"""Gmin of RFC 3611 section 4.7.2: the number of packets received in a row that ends a burst of losses."""


def power(throughput_bps: float, delay_s: float) -> float:
    """Returns throughput over delay, in bit/s², of section 2.1; nan for a delay of 0."""
    return throughput_bps / delay_s if delay_s > 0 else math.nan


def tcp_rate(rtt_s: float, loss: float) -> float:
    """Returns the rate of a standard TCP flow in packets per second, 1.2 / (RTT sqrt(p)), of section 2.1; nan without
    losses.
    """
    return 1.2 / (rtt_s * math.sqrt(loss)) if loss > 0 and rtt_s > 0 else math.nan


def loss_events(times_s: Vector, rtt_s: float) -> int:
    """Returns the number of loss events of section 2.1.3: losses within a round trip of an event's first one are one
    event. ``times_s`` are the times of the losses, ascending.
    """
    events, until = 0, -math.inf
    for time in times_s:
        if time > until:
            events, until = events + 1, float(time) + rtt_s
    return events


def loss_or_mark_rate(arrived: float, dropped: float, marked: float) -> float:
    """Returns the share of the packets that arrived at a queue which it dropped or marked, of section 2.1.3; nan if
    none arrived. Packets that were corrupted on the wire are no sign of congestion, and not among these.
    """
    return (dropped + marked) / arrived if arrived > 0 else math.nan


@dataclass(frozen=True)
class LossBursts:
    """Bursts and gaps of RFC 3611 section 4.7.2: densities are shares of packets lost, lengths are in packets."""

    burst_density: float
    gap_density: float
    burst_packets: float
    gap_packets: float


def loss_bursts(lost: Sequence[bool], least_gap: int = LEAST_GAP) -> LossBursts:
    """Returns the bursts and gaps of a sequence of packets.

    A burst is the longest run that begins and ends with a loss and contains no ``least_gap`` packets received in a row.
    A loss alone belongs to a gap. Lengths are means, 0 without any.
    """
    places = [index for index, one in enumerate(lost) if one]
    runs: list[list[int]] = []
    for place in places:
        if runs and place - runs[-1][-1] - 1 < least_gap:
            runs[-1].append(place)
        else:
            runs.append([place])
    bursts = [(run[0], run[-1] + 1, len(run)) for run in runs if len(run) > 1]
    inside = sum(end - start for start, end, _ in bursts)
    lost_inside = sum(count for *_, count in bursts)
    borders = [0, *(border for start, end, _ in bursts for border in (start, end)), len(lost)]
    gaps = [end - start for start, end in zip(borders[::2], borders[1::2], strict=True) if end > start]
    outside = len(lost) - inside
    return LossBursts(
        burst_density=lost_inside / inside if inside else 0.0,
        gap_density=(len(places) - lost_inside) / outside if outside else 0.0,
        burst_packets=inside / len(bursts) if bursts else 0.0,
        gap_packets=float(np.mean(gaps)) if gaps else 0.0,
    )


def smoothness(rates: Vector) -> float:
    """Returns the largest reduction from one round trip to the next as a share of the rate, of section 2.2.1.

    ``rates`` has one value for each round trip. 0 if the rate never falls; nan for fewer than two values.
    """
    before, after = _steps(rates)
    return float(np.max(np.maximum(before - after, 0) / before)) if before.size else math.nan


def responsiveness(rates: Vector) -> float:
    """Returns the number of round trips of sustained congestion until the rate is at most half of the first, of section
    2.2.1; nan if it never is.
    """
    halved = np.flatnonzero(rates <= rates[0] / 2) if rates.size else np.empty(0)
    return float(halved[0]) if halved.size else math.nan


def aggressiveness(rates: Vector) -> float:
    """Returns the largest increase of the rate from one round trip to the next, in the unit of ``rates``, of section
    2.2.1; nan for fewer than two values.
    """
    before, after = _steps(rates)
    return float(np.max(after - before)) if before.size else math.nan


def oscillation(rates: Vector, samples: int) -> float:
    """Returns the coefficient of variation of the means of ``samples`` values each, of section 2.2.2; nan for fewer
    than two means.
    """
    from ackclock.metrics import coefficient_of_variation

    count = rates.size // samples
    means = rates[: count * samples].reshape(count, samples).mean(axis=1)
    return coefficient_of_variation(means) if count > 1 else math.nan


def product_measure(shares: Vector) -> float:
    """Returns the product of the shares, of section 2.3.1."""
    return float(np.prod(shares))


def epsilon(shares: Vector) -> float:
    """Returns the least epsilon for which an allocation is epsilon-fair, 1 - min / max, of section 2.3.1."""
    most = float(np.max(shares))
    return 1 - float(np.min(shares)) / most if most > 0 else math.nan


def delta_fair_time(
    time_s: Vector, first: Vector, second: Vector, delta: float, start_s: float, kept_s: float = 0.0
) -> float:
    """Returns the time in seconds after ``start_s`` until the second flow has at least a share of (1 - delta) / 2 and
    the first at most (1 + delta) / 2, of section 2.3.3: of what both have in the ``kept_s`` that follow, all of which
    have to be there; nan if that never happens.
    """
    step = float(np.median(np.diff(time_s))) if time_s.size > 1 else 1.0
    length = 1 + round(kept_s / step)
    own, total = (np.convolve(values, np.ones(length), "valid") for values in (second, np.add(first, second)))
    with np.errstate(all="ignore"):
        share = np.where(total > 0, own / total, 0.0)
    reached = np.flatnonzero((time_s[: share.size] >= start_s) & (share >= (1 - delta) / 2))
    return float(time_s[reached[0]]) - start_s if reached.size else math.nan


def epsilon_fair_time(time_s: Vector, rates: Sequence[Vector], most: float, start_s: float) -> float:
    """Returns the time in seconds after ``start_s`` until ``epsilon`` of the flows' ``rates`` is at most ``most``; nan
    if that never happens. Divided by the round trip, it is the number of round trips of section 2.3.3.
    """
    for time, shares in zip(time_s, np.transpose(rates), strict=True):
        if time >= start_s and epsilon(shares) <= most:
            return float(time) - start_s
    return math.nan


def max_min(capacities: Mapping[str, float], routes: Sequence[Sequence[str]]) -> list[float]:
    """Returns the max-min fair rates of flows over links, by progressive filling, of section 2.3.2.

    ``routes`` are the links of each flow. All rates grow together; those of a full link stay.
    """
    rates, growing, left = [0.0] * len(routes), set(range(len(routes))), dict(capacities)
    while growing:
        users = {link: sum(link in routes[flow] for flow in growing) for link in left}
        step, full = min((left[link] / count, link) for link, count in users.items() if count)
        for link, count in users.items():
            left[link] -= step * count
        for flow in growing:
            rates[flow] += step
        growing = {flow for flow in growing if full not in routes[flow]}
    return rates


def proportional_gain(rates: Sequence[float], other: Sequence[float]) -> float:
    """Returns the sum of (x* - x) / x, of section 2.3.2: not positive for every feasible ``other`` if ``rates`` are
    proportionally fair.
    """
    return sum((there - here) / here for here, there in zip(rates, other, strict=True))


def potential_delay(rates: Sequence[float]) -> float:
    """Returns the sum of 1 / x, which the allocation of minimum potential delay minimises, of section 2.3.2."""
    return sum(1 / rate for rate in rates)


def harm_to_more(solo: Vector, beside: Vector) -> Vector:
    """harm_to_more(solo, beside): (solo - beside) / solo, for a quantity of which more is better, such as goodput.

    R. Ware, M. K. Mukerjee, S. Seshan, J. Sherry, "Beyond Jain's Fairness Index", HotNets 2019. nan where solo is 0.
    """
    with np.errstate(all="ignore"):
        return np.where(solo > 0, (solo - beside) / solo, math.nan)


def harm_to_less(solo: Vector, beside: Vector) -> Vector:
    """harm_to_less(solo, beside): (beside - solo) / beside, for a quantity of which less is better, such as delay.

    0 where both are 0, such as losses.
    """
    with np.errstate(all="ignore"):
        return np.where(beside > 0, (beside - solo) / beside, np.where(beside == solo, 0.0, math.nan))


def rtt_exponent(goodput: Vector, rtt_s: Vector) -> float:
    """rtt_exponent(goodput, rtt): the least-squares slope of log(goodput) over log(rtt), over all flows.

    -1 if goodput is inversely proportional to the round trip; nan for fewer than two flows, a flow without goodput,
    or a flow whose round trip is unknown.
    """
    if goodput.size < 2 or np.any(goodput <= 0) or not np.all(np.isfinite(rtt_s)):
        return math.nan
    return float(np.polyfit(np.log(rtt_s), np.log(goodput), 1)[0])


def goodput_ratio(delivered: Vector, sent: Vector) -> float:
    """goodput_ratio(delivered, sent): the useful data delivered as a share of all data sent, over all flows.

    Section 2.4. Both are counts of packets, or both of bytes; nan if nothing was sent.
    """
    total = float(np.sum(sent))
    return float(np.sum(delivered)) / total if total > 0 else math.nan


def least_growth(times_s: Vector, first: int, cap_s: float) -> float:
    """Returns the smallest ratio of a gap between packets to the gap before it, after the ``first`` gaps.

    ``times_s`` are the times of the packets, ascending. Gaps of ``cap_s`` or more need not grow further. infinite with
    too few packets to compare.
    """
    gaps = np.diff(times_s)[first:]
    ratios = [after / before for before, after in pairwise(gaps) if after < cap_s]
    return float(min(ratios, default=math.inf))


def worst_share(arrived: Vector, dropped: Vector) -> float:
    """Returns the greatest share of packets dropped in any window; 0 if nothing arrived."""
    busy = arrived > 0
    return float(np.max(dropped[busy] / arrived[busy])) if np.any(busy) else 0.0


def time_of_keeping(time_s: Vector, values: Vector, level: float, start_s: float, width_s: float) -> float:
    """Returns the time in seconds from ``start_s`` to the first window of ``width_s`` whose mean is at least
    ``level``; nan if there is none.
    """
    step = float(np.median(np.diff(time_s))) if time_s.size > 1 else 0.0
    inside = time_s > start_s
    length = max(1, round(width_s / step)) if step > 0 else 0
    if not length or np.count_nonzero(inside) < length:
        return math.nan
    sums = np.cumsum(np.pad(np.nan_to_num(values[inside]), (1, 0)))
    kept = np.flatnonzero((sums[length:] - sums[:-length]) / length >= level * (1 - 1e-9))
    return float(kept[0]) * step if kept.size else math.nan


def time_of_amount(time_s: Vector, rate: Vector, amount: float, start_s: float) -> float:
    """Returns the time in seconds from ``start_s`` until a rate has made ``amount``, such as bits of bits per second;
    nan if it never does.

    A sample is the mean rate of the interval before it, in which the amount is taken to grow evenly.
    """
    inside = time_s > start_s
    step = float(np.median(np.diff(time_s))) if time_s.size > 1 else 0.0
    sums = np.cumsum(np.nan_to_num(rate[inside])) * step
    reached = np.flatnonzero(sums >= amount * (1 - 1e-9))
    if not reached.size:
        return math.nan
    last = int(reached[0])
    before = float(sums[last - 1]) if last else 0.0
    return (last + (amount - before) / (float(sums[last]) - before)) * step


def largest_growth(time_s: Vector, values: Vector, width_s: float) -> float:
    """Returns the largest growth of a value within ``width_s``, 0 if it never grows; nan without two such times."""
    step = float(np.median(np.diff(time_s))) if time_s.size > 1 else 0.0
    length = max(1, round(width_s / step)) if step > 0 else 0
    if not length or values.size <= length:
        return math.nan
    return max(float(np.max(values[length:] - values[:-length])), 0.0)


def _steps(rates: Vector) -> tuple[Vector, Vector]:
    """Returns each value and the one after it, where the first is above 0."""
    before, after = rates[:-1], rates[1:]
    return before[before > 0], after[before > 0]
