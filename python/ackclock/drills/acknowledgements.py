"""Drills of acknowledgements (RFC 9000 section 13.2) and of the RTT estimates that follow (RFC 9002 section 5)."""

from __future__ import annotations

from ackclock.drills.drill import Drill
from ackclock.drills.record import CannotTell, Record, Violation
from ackclock.drills.script import RTT_S, Rule, Script, delay, drop, mark, trickle

MAX_ACK_DELAY_S = 0.025
"""The default of max_ack_delay in seconds (RFC 9000 section 18.2). The handshake encrypts the stack's own value."""
AT_ONCE_S = 0.0005
"""The longest delay, in seconds, of an acknowledgement that counts as immediate. A timer would delay it by a
millisecond or more.
"""
EVERY_S = 0.06
"""The interval between the writes of ``TRICKLE``, in seconds: longer than max_ack_delay, and shorter than the RTT."""
TRICKLE = tuple(trickle(0.0, 3.0, EVERY_S))


def _answers(record: Record, number: int) -> tuple[float, float]:
    """Returns when a datagram arrived, and when the server next sent something."""
    at = record.the("arrived", number).at_s
    answers = record.datagrams("sent", at, forward=False)
    if not answers:
        raise Violation(f"datagram {number} is never acknowledged", at)
    return at, answers[0].at_s


def _every_two(record: Record) -> str:
    arrived = [one for one in record.datagrams("arrived") if one.is_full]
    answers = record.datagrams("sent", forward=False)
    ratio = len(arrived) / max(1, len(answers))
    said = f"the receiver sent {len(answers)} acknowledgements for {len(arrived)} datagrams"
    if ratio > 2.5:
        raise Violation(f"{said}, expected at least one per 2.5 datagrams", arrived[0].at_s)
    return said


def _in_time(record: Record) -> str:
    worst, at = 0.0, 0.0
    for one in record.datagrams("arrived", 0.5, 2.5):
        if not one.is_full:
            continue  # it may carry acknowledgements alone, which are not acknowledged
        arrived, answered = _answers(record, one.number)
        if answered - arrived > worst:
            worst, at = answered - arrived, arrived
    if worst > MAX_ACK_DELAY_S + 0.001:
        raise Violation(
            f"a datagram was acknowledged {1e3 * worst:.1f} ms after it arrived, expected at most 26 ms: 25 ms, the "
            "default of max_ack_delay, and 1 ms for timers (the handshake is encrypted, so this test cannot see "
            "whether the stack announces another value)",
            at,
        )
    return f"every datagram that arrived between 0.5 and 2.5 s was acknowledged within {1e3 * worst:.1f} ms"


def _gap(record: Record) -> str:
    lost = record.datagrams("dropped")[0]
    after = next(one for one in record.datagrams("arrived", lost.at_s) if one.number > lost.number)
    arrived, answered = _answers(record, after.number)
    if answered - arrived > AT_ONCE_S:
        raise Violation(
            f"the datagram after a gap was acknowledged {1e3 * (answered - arrived):.1f} ms after it arrived, expected "
            f"at most {1e3 * AT_ONCE_S:g} ms",
            arrived,
        )
    return "the datagram after a gap was acknowledged at once"


def _marked(record: Record) -> str:
    marked = [one for one in record.datagrams("arrived") if one.ecn == "ce"]
    if not marked:
        raise CannotTell("the stack sends no ECN-capable datagrams")
    arrived, answered = _answers(record, marked[0].number)
    if answered - arrived > AT_ONCE_S:
        raise Violation(
            f"a CE-marked datagram was acknowledged {1e3 * (answered - arrived):.1f} ms after it arrived, expected at "
            f"most {1e3 * AT_ONCE_S:g} ms",
            arrived,
        )
    return "a CE-marked datagram was acknowledged at once"


def _first_rtt(record: Record) -> str:
    rtt = record.value("rtt_ns", 0.5) / 1e9
    said = f"at 0.5 s, on a path with an RTT of 100 ms, the smoothed RTT was {1e3 * rtt:.1f} ms"
    if not RTT_S - 0.001 <= rtt <= RTT_S + MAX_ACK_DELAY_S + 0.002:
        least, most = 1e3 * (RTT_S - 0.001), 1e3 * (RTT_S + MAX_ACK_DELAY_S + 0.002)
        raise Violation(f"{said}, expected {least:.0f} to {most:.0f} ms", 0.5)
    return said


def _least(record: Record) -> str:
    least = record.last("least_rtt_ns") / 1e9
    said = f"after the path's RTT rose from 100 to 160 ms, the minimum RTT is {1e3 * least:.1f} ms"
    most = RTT_S + MAX_ACK_DELAY_S + 0.002
    if least > most:
        raise Violation(f"{said}, expected at most {1e3 * most:.0f} ms", 2.5)
    return said


STEP_S = 1.0
"""The time in seconds at which the RTT of the path grows by 100 ms in the drill ``rtt-smooth``."""
LONGER = [Rule(True, "times", STEP_S, 10.0, "delay", 0.1)]


def _smooth(record: Record) -> str:
    before = record.value("rtt_ns", STEP_S) / 1e9
    first = record.changed("rtt_ns", STEP_S + RTT_S + 0.05)
    if first is None:
        raise Violation("the smoothed RTT did not change although the path's RTT grew by 100 ms", STEP_S)
    after = record.value("rtt_ns", first) / 1e9
    # One sample of 200 to 226 ms moves it by an eighth of the difference; two may come at one time.
    most = before + 2 * (0.226 - before) / 8
    if after > most + 0.001:
        raise Violation(
            f"an RTT sample of 200 ms moved the smoothed RTT from {1e3 * before:.0f} to {1e3 * after:.0f} "
            f"ms, expected at most {1e3 * most:.0f} ms",
            first,
        )
    end = record.last("rtt_ns") / 1e9
    if end < 0.19:
        raise Violation(
            f"four seconds after the path's RTT grew to 200 ms, the smoothed RTT is {1e3 * end:.0f} ms, expected at "
            "least 190 ms",
            4.0,
        )
    return (
        f"an RTT sample of 200 ms moved the smoothed RTT from {1e3 * before:.0f} to {1e3 * after:.0f} ms; four "
        f"seconds after the path's RTT grew, it is {1e3 * end:.0f} ms"
    )


DRILLS = (
    Drill(
        "ack-every-two",
        "RFC 9000 13.2.2",
        "SHOULD",
        "A receiver acknowledges after it has received two ack-eliciting packets.",
        Script(1.0, writes=((0.0, 150_000),)),
        _every_two,
    ),
    Drill(
        "ack-in-time",
        "RFC 9000 13.2.1",
        "MUST",
        "A receiver acknowledges a datagram within max_ack_delay.",
        Script(3.0, writes=TRICKLE),
        _in_time,
    ),
    Drill(
        "ack-of-a-gap",
        "RFC 9000 13.2.1",
        "SHOULD",
        "A receiver acknowledges a datagram at once if an earlier one is missing.",
        Script(2.0, rules=drop(12), writes=TRICKLE),
        _gap,
    ),
    Drill(
        "ack-of-a-mark",
        "RFC 9000 13.2.1",
        "SHOULD",
        "A receiver acknowledges a datagram at once if its ECN field is CE.",
        Script(2.0, rules=mark(12), writes=TRICKLE),
        _marked,
    ),
    Drill(
        "rtt-first",
        "RFC 9002 5.3",
        "MUST",
        "The first RTT sample initialises the smoothed RTT.",
        Script(3.0, writes=TRICKLE),
        _first_rtt,
    ),
    Drill(
        "rtt-least",
        "RFC 9002 5.2",
        "SHOULD",
        "The minimum RTT is the minimum of all RTT samples, and no larger value replaces it within a few seconds.",
        Script(4.0, rules=delay(0.06, range(16, 200)), writes=tuple(trickle(0.0, 4.0, EVERY_S))),
        _least,
    ),
    Drill(
        "rtt-smooth",
        "RFC 9002 5.3",
        "MUST",
        "An RTT sample moves the smoothed RTT by an eighth of the difference between them.",
        Script(5.0, rules=LONGER, writes=tuple(trickle(0.0, 5.0, EVERY_S))),
        _smooth,
    ),
)
