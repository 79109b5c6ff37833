"""Circuit breakers, computed from the counts of a run: those of the network (RFC 8084), and those of a call (RFC 8083).

A breaker is counted here and cuts nothing off: the run goes on as if there were none, so that it says what the control
does where nothing stops it.

Of RFC 8083 the opening of section 4.3 was read. The equation and the numbers of its sections are from memory.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]
MUCH_FASTER = 10.0
"""How many times faster than TCP a call may send while packets are lost: RFC 8083 section 4.3, which compares orders of
magnitude.
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


def tcp_throughput(packet_bits: float, rtt_s: float, loss: Vector) -> Vector:
    """Returns what a TCP flow would send in bit/s with these shares of packets lost: s / (RTT sqrt(2 p / 3)), the
    equation of RFC 8083 section 4.3; infinite without losses.
    """
    with np.errstate(all="ignore"):
        return np.where(loss > 0, packet_bits / (rtt_s * np.sqrt(2 * loss / 3)), math.inf)


def of_call(
    sent: Vector, received: Vector, packet_bits: float, rtt_s: float, interval_s: float, in_a_row: int
) -> list[int]:
    """Returns the reports at which the sender of a call has to stop (RFC 8083): after ``in_a_row`` reports in a row
    with nothing received of what was sent (section 4.2, media timeout), or with losses while it sends more than ten
    times what TCP would (section 4.3, congestion).

    ``sent`` and ``received`` are the packets of each report's ``interval_s`` seconds, of ``packet_bits`` on the wire.
    Reports arrive here; the timeout of section 4.1, for lost reports, is not among these.
    """
    with np.errstate(all="ignore"):
        loss = np.clip(np.where(sent > 0, (sent - received) / sent, 0.0), 0.0, 1.0)
    nothing = (sent > 0) & (received <= 0)
    rate = sent * packet_bits / interval_s
    congested = (loss > 0) & ~nothing & (rate > MUCH_FASTER * tcp_throughput(packet_bits, rtt_s, loss))
    return sorted({*opened(nothing, in_a_row), *opened(congested, in_a_row)})
