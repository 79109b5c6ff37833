"""Names and units of the recorded series, for axis titles."""

from __future__ import annotations

_NAMES = {
    "cwnd": "Congestion window",
    "ssthresh": "Slow start threshold",
    "rtt": "Round-trip time",
    "srtt": "Smoothed round-trip time",
    "rto": "Retransmission timeout",
    "queue": "Queue length",
    "goodput": "Goodput",
    "throughput": "Throughput",
    "inflight": "Data in flight",
    "rtt_mean": "Mean round-trip time",
    "rtt_p50": "Median round-trip time",
    "rtt_p95": "95th percentile of the round-trip time",
    "rtt_p99": "99th percentile of the round-trip time",
    "cwnd_mean": "Mean congestion window",
    "completion_mean": "Mean completion time",
    "completion_p50": "Median completion time",
    "completion_p95": "95th percentile of the completion time",
    "completion_p99": "99th percentile of the completion time",
    "queue_mean": "Mean queue",
    "wait_p95": "95th percentile of the wait",
    "wait_mean": "Mean wait",
    "pacing_rate": "Pacing rate",
}
_SHORT = {
    "rtt_mean": "Mean RTT",
    "rtt_p50": "RTT p50",
    "rtt_p95": "RTT p95",
    "rtt_p99": "RTT p99",
    "cwnd_mean": "Mean window",
    "completion_mean": "Mean completion",
    "completion_p50": "Completion p50",
    "completion_p95": "Completion p95",
    "completion_p99": "Completion p99",
    "wait_p95": "Wait p95",
}
"""Names for the head of a table, where the title of an axis is too wide."""
_UNITS = {"packets": "packets", "bytes": "bytes", "s": "s", "ms": "ms", "bps": "bit/s"}
_RATES = ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"))


def title_and_scale(quantity: str, largest: float) -> tuple[str, float]:
    """Returns the axis title of a series such as ``cwnd_packets``, and the divisor of its values.

    Only bit rates are scaled: packets and seconds stay comparable with a thesis's figure.
    """
    stem, _, last = quantity.rpartition("_")
    unit = _UNITS.get(last)
    if unit is None or not stem:
        return _words(quantity), 1.0
    scale = 1.0
    if last == "bps":
        scale, unit = next((rate for rate in _RATES if largest >= rate[0]), (1.0, unit))
    return f"{_words(stem)} ({unit})", scale


def short_name(quantity: str) -> str:
    """Returns a quantity such as ``rtt_p95_s`` in few words, without its unit: ``RTT p95``."""
    stem, _, last = quantity.rpartition("_")
    return _SHORT.get(stem) or _words(stem if last in _UNITS and stem else quantity)


def _words(name: str) -> str:
    return _NAMES.get(name) or (name[:1].upper() + name[1:]).replace("_", " ")
