"""Circuit breakers, computed from the counts of a run: those of the network (RFC 8084), and those of a call (RFC 8083).

A breaker is counted here and cuts nothing off: the run goes on as if there were none, so that it says what the control
does where nothing stops it.

Of RFC 8083 the opening of section 4.3 was read. Its numbers are those that the documentation of the crate
rtci-interceptor gives with their sections; the equation and the formula of ``reports_averaged`` are from memory.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]
MUCH_FASTER = 10.0
"""The largest allowed ratio of a call's rate to that of TCP while packets are lost: RFC 8083 section 4.3, which speaks
of an order of magnitude.
"""
SILENT_REPORTS = 5
"""The number of consecutive reports without any delivery after which a call has to stop: k of RFC 8083 section 4.2, if
the interval between reports is at least a frame interval and at least a round trip.
"""


def opened(over: npt.NDArray[np.bool_], in_a_row: int) -> list[int]:
    """Returns the intervals at whose end a breaker opens: the last of each ``in_a_row`` intervals in a row that are
    over its limit.
    """
    found, count = [], 0
    for index, one in enumerate(over):
        count = count + 1 if one else 0
        if count == in_a_row:
            found.append(index)
            count = 0
    return found


def of_network(arrived: Vector, dropped: Vector, share: float, in_a_row: int) -> list[int]:
    """Returns the intervals at whose end a breaker of the network opens (RFC 8084): after ``in_a_row`` intervals in
    each of which more than ``share`` of the packets that arrived were dropped. An interval without packets is none of
    them.

    RFC 8084 leaves the numbers to the breaker.
    """
    with np.errstate(all="ignore"):
        over = (arrived > 0) & (dropped / arrived > share)
    return opened(over, in_a_row)


def tcp_throughput(rtt_s: float, loss: float) -> float:
    """Returns what a TCP flow would send in packets per second with this share of them lost, which is above 0:
    1 / (RTT sqrt(2 p / 3)), the equation of RFC 8083 section 4.3 without the size of a packet.
    """
    return 1 / (rtt_s * math.sqrt(2 * loss / 3))


def reports_averaged(rtt_s: float, interval_s: float) -> int:
    """Returns over how many reports the rate and the losses of a call are averaged: CB_INTERVAL of RFC 8083 section
    4.3, with a report each ``interval_s`` seconds from both ends, and frames that are not rarer than a round trip.
    """
    # Ten round trips or three reports, whichever is longer, but no longer than 15 s or three reports.
    needed = max(10 * rtt_s, 3 * interval_s)
    return math.ceil(min(needed, max(15.0, 3 * interval_s)) / interval_s)


def of_call(sent: Vector, received: Vector, rtt_s: float, interval_s: float) -> list[int]:
    """Returns the reports at which the sender of a call has to stop (RFC 8083): after ``SILENT_REPORTS`` in a row with
    nothing received of what was sent (section 4.2, media timeout), or when over the last ``reports_averaged`` of them
    packets were lost and its rate was more than ten times that of TCP with packets of the same size (section 4.3,
    congestion). Counting begins anew then.

    ``sent`` and ``received`` are the packets of each report's ``interval_s`` seconds.
    Reports arrive here; the timeout of section 4.1, for lost reports, is not among these.
    """
    silent = opened((sent > 0) & (received <= 0), SILENT_REPORTS)
    count = reports_averaged(rtt_s, interval_s)
    congested, first = [], 0
    for last in range(sent.size):
        if last + 1 - first < count:
            continue
        of = slice(last + 1 - count, last + 1)
        packets, arrived = float(np.sum(sent[of])), float(np.sum(received[of]))
        # Without a delivery there is no report of a loss, but the media timeout.
        if not 0 < arrived < packets:
            continue
        rate = packets / (count * interval_s)
        if rate > MUCH_FASTER * tcp_throughput(rtt_s, 1 - arrived / packets):
            congested.append(last)
            first = last + 1
    return sorted({*silent, *congested})
