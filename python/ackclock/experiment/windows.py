"""Measures over windows of a run, which RFC 7928 wants to be sampled often rather than averaged over everything."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]


def least_share(
    flows: Sequence[Vector],
    time_s: Vector,
    start_s: float,
    width_s: float,
    among: Sequence[Vector] | None = None,
) -> float:
    """Returns the smallest share of any of ``flows`` in any window, times the number of flows that share.

    These are ``among``, of which ``flows`` are some; without it, ``flows`` alone. 1 for equal shares, 0 for a flow that
    got nothing for ``width_s``. Windows begin at every sample from ``start_s`` on; nan if none is complete, or if all
    flows got nothing in every window.
    """
    inside = time_s > start_s
    step = float(np.median(np.diff(time_s))) if time_s.size > 1 else 0.0
    length = round(width_s / step) if step > 0 else 0
    if not flows or length < 1 or np.count_nonzero(inside) < length:
        return float("nan")

    def in_windows(rates: Sequence[Vector]) -> Vector:
        got = np.nan_to_num(np.array(rates)[:, inside])
        total = np.cumsum(np.pad(got, ((0, 0), (1, 0))), axis=1)
        return np.asarray(total[:, length:] - total[:, :-length])

    among = flows if among is None else among
    together = in_windows(among).sum(axis=0)
    if not np.any(together > 0):
        return float("nan")
    return float(np.min(in_windows(flows)[:, together > 0] / together[together > 0]) * len(among))


def drift(time_s: Vector, values: Vector) -> float:
    """Returns the least-squares slope of ``values`` over time, per second; nan for fewer than three samples."""
    good = np.isfinite(values)
    if np.count_nonzero(good) < 3:
        return float("nan")
    t = time_s[good] - np.mean(time_s[good])
    spread = float(np.sum(t**2))
    return float(np.sum(t * values[good])) / spread if spread > 0 else float("nan")


def in_phase(
    time_s: Vector, cycle_s: float, start_s: float, end_s: float, from_s: float
) -> npt.NDArray[np.bool_]:
    """Returns which times from ``from_s`` on lie between ``start_s`` and ``end_s`` of a cycle of ``cycle_s``."""
    within = np.mod(time_s - from_s + 1e-9, cycle_s)
    found: npt.NDArray[np.bool_] = (time_s >= from_s - 1e-9) & (within >= start_s) & (within < end_s)
    return found


def settling_time(
    time_s: Vector, values: Vector, cycle_s: float, start_s: float, end_s: float, from_s: float
) -> float:
    """Returns how long after the beginning of a phase a level is still above its settled value: the mean over all
    cycles.

    The phase lies between ``start_s`` and ``end_s`` of each cycle of ``cycle_s`` from ``from_s`` on. Values are
    averaged over each second; the level has settled when no later second is more than a quarter above the highest of
    the phase's second half. A band around the mean would not work: a sawtooth leaves any narrow band again and again.
    """
    found = []
    step = float(np.median(np.diff(time_s))) if time_s.size > 1 else 0.0
    cycles = int((time_s[-1] + step + 1e-9 - from_s) // cycle_s) if time_s.size else 0
    for k in range(cycles):
        began = from_s + k * cycle_s + start_s
        means = []
        for second in range(round(end_s - start_s)):
            part = (time_s > began + second) & (time_s <= began + second + 1)
            means.append(float(np.mean(values[part])) if np.any(part) else float("nan"))
        late = np.array(means[len(means) // 2 :])
        if not np.any(np.isfinite(late)):
            continue
        above = [second for second, mean in enumerate(means) if mean > 1.25 * float(np.nanmax(late))]
        found.append(float(above[-1] + 1) if above else 0.0)
    return float(np.mean(found)) if found else float("nan")


def spectral_line(time_s: Vector, values: Vector, segment_s: float) -> tuple[float, float]:
    """Returns the share of the variance at the strongest frequency, from 0 to 1, and its period in seconds.

    The spectrum is the mean of the periodograms of segments of ``segment_s`` that overlap by half, each without its
    mean and under a Hann window (Welch 1967). The line is the strongest bin with its two neighbours, over which that
    window spreads a pure tone. nan if no segment is complete or nothing varies.
    """
    step = float(np.median(np.diff(time_s))) if time_s.size > 1 else 0.0
    length = round(segment_s / step) if step > 0 else 0
    if length < 8 or values.size < length:
        return float("nan"), float("nan")
    window = np.hanning(length + 1)[:-1]
    power = np.zeros(length // 2 + 1)
    for start in range(0, values.size - length + 1, length // 2):
        part = values[start : start + length]
        power += np.abs(np.fft.rfft(window * (part - np.mean(part)))) ** 2
    power = power[1:]
    total = float(np.sum(power))
    if not total > 0:
        return float("nan"), float("nan")
    strongest = int(np.argmax(power))
    line = float(np.sum(power[max(strongest - 1, 0) : strongest + 2]))
    return line / total, length * step / (strongest + 1)
