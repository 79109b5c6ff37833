"""Drills of the congestion window: RFC 9002 section 7, RFC 9406, and the basics of RFC 9743."""

from __future__ import annotations

import itertools
from bisect import bisect

from ackclock.drills.drill import Drill, Force, Law
from ackclock.drills.record import CannotTell, Record, Violation
from ackclock.drills.script import DATAGRAM, RTT_S, Script, batches, drop, hold, trickle

LOSS_BASED: frozenset[Law] = frozenset({"reno", "cubic"})
INITIAL_BYTES = 14_720
"""The largest initial window (RFC 9002 section 7.2) and the largest burst (section 7.7), in bytes."""
LARGEST_FACTOR: dict[str, float] = {"reno": 0.5, "cubic": 0.7}
"""The largest share of the window that remains after a loss (RFC 9002 section 7.3.2, RFC 9438 section 4.6)."""
ONE_LOSS = Script(1.6, rules=drop(60))
"""A greedy sender that loses a datagram of its third round trip."""
AT_ONCE_S = 1e-4
"""Datagrams sent within this time, in seconds, count as one burst. It is the transmission time of one datagram. A
millisecond would be too long: in Startup, BBR paces at 2.77 initial windows per millisecond or more
(draft-ietf-ccwg-bbr, section 5.6.2).
"""
PAUSE_S = 2.0
"""The time in seconds at which the application writes again after a pause."""


def _initial(record: Record) -> str:
    first = [one for one in record.datagrams("sent", 0.0, 0.9 * RTT_S) if one.is_full]
    sent = sum(one.bytes for one in first)
    said = f"{len(first)} datagrams with {sent:,} bytes were sent before the first acknowledgement"
    if sent > INITIAL_BYTES:
        raise Violation(f"{said}, expected at most {INITIAL_BYTES:,} bytes", first[-1].at_s)
    return said


def _slow_start(record: Record) -> str:
    begin = record.window(0.0)
    arrived = record.datagrams("arrived", 0.0, 0.4)
    for one in arrived:
        acknowledged = sum(other.bytes for other in arrived if other.at_s <= one.at_s)
        at = one.at_s + RTT_S / 2
        most = begin + acknowledged / DATAGRAM
        if record.window(at) > 1.05 * most + 1:
            raise Violation(
                f"the window is {record.window(at):.0f} datagrams after {acknowledged / DATAGRAM:.0f} datagrams were "
                f"acknowledged, expected at most {most:.0f}",
                at,
            )
    found = record.reduction()
    if found is not None and found[0] < 0.45:
        # The loss is of an early round trip of a large initial window.
        at, end, least = found[0], found[1], 1.5
        said = f"the window goes from {begin:.0f} to {end:.0f} datagrams before the loss"
    else:
        at, end, least = 0.45, record.window(0.45), 2.5
        said = f"the window goes from {begin:.0f} to {end:.0f} datagrams in four round trips"
    if end < least * begin:
        raise Violation(f"{said}, expected {least:g}-fold growth or more", at)
    return said


def _factor(law: Law) -> Drill:
    most = LARGEST_FACTOR[law]

    def judge(record: Record) -> str:
        found = record.reduction(record.the("dropped", 60).at_s)
        if found is None:
            raise Violation("a loss does not reduce the window", record.the("dropped", 60).at_s + RTT_S)
        at, before, after = found
        said = f"the loss reduced the window of {before:.0f} datagrams to {after / before:.2f} of its size"
        if after > most * before + 1.5:
            raise Violation(f"{said}, expected at most {most}", at)
        return said

    clause = "RFC 9002 7.3.2" if law == "reno" else "RFC 9438 4.6"
    force: Force = "MUST" if law == "reno" else "SHOULD"  # RFC 9438: beta_cubic SHOULD be 0.7
    demand = f"A loss reduces the window to at most {most} of its size."
    return Drill(f"loss-reduces-{law}", clause, force, demand, ONE_LOSS, judge, frozenset({law}))


def reductions(record: Record, first_s: float, last_s: float) -> list[tuple[float, float, float]]:
    """Returns the reductions of the window in a time, those of one moment as one."""
    told = record.series("window", first_s, last_s)
    found: list[tuple[float, float, float]] = []
    for (_, before), (at, after) in itertools.pairwise(told):
        if after < before - DATAGRAM / 4:
            if found and at - found[-1][0] < 5e-5:
                found[-1] = (found[-1][0], found[-1][1], after / DATAGRAM)
            else:
                found.append((at, before / DATAGRAM, after / DATAGRAM))
    return found


def _once(record: Record) -> str:
    lost = record.datagrams("dropped")
    if len(lost) < 2:
        raise CannotTell(f"the stack sent {len(lost)} of the two datagrams that this test drops")
    if lost[1].at_s - lost[0].at_s > 0.9 * RTT_S:
        raise CannotTell("the two datagrams were sent in different round trips, expected one round trip")
    found = reductions(record, lost[0].at_s, lost[0].at_s + 5 * RTT_S)
    if len(found) != 1:
        raise Violation(
            f"the window was reduced {len(found)} times for two losses in one round trip, expected once",
            found[-1][0] if found else lost[0].at_s + RTT_S,
        )
    return f"the window was reduced once, from {found[0][1]:.0f} to {found[0][2]:.0f} datagrams"


def _again(record: Record) -> str:
    lost = record.datagrams("dropped")
    if len(lost) < 2:
        raise CannotTell(f"the stack sent {len(lost)} of the two datagrams that this test drops")
    found = reductions(record, lost[0].at_s, lost[1].at_s + 4 * RTT_S)
    if len(found) != 2:
        raise Violation(
            f"the window was reduced {len(found)} times for two losses in different round trips, expected twice",
            lost[1].at_s + RTT_S,
        )
    both = " and ".join(f"from {before:.0f} to {after:.0f}" for _, before, after in found)
    return f"the window was reduced twice, {both} datagrams"


def _limited_start(record: Record) -> str:
    begin, end = record.window(0.1), record.last("window") / DATAGRAM
    said = f"the window goes from {begin:.0f} to {end:.0f} datagrams, while the application sends two per round trip"
    most = 1.5 * begin + 1
    if end > most:
        raise Violation(f"{said}, expected at most {most:.0f}", record.changed("window", 0.1) or 0.1)
    return said


def _limited_later(record: Record) -> str:
    begin, end = record.window(2.5), record.last("window") / DATAGRAM
    said = f"the window goes from {begin:.0f} to {end:.0f} datagrams, while the application sends two per round trip"
    most = 1.15 * begin + 1
    if end > most:
        raise Violation(f"{said}, expected at most {most:.0f}", record.changed("window", 2.5) or 2.5)
    return said


def _burst(record: Record, first_s: float, last_s: float) -> str:
    sent = [one for one in record.datagrams("sent", first_s, last_s) if one.is_full]
    times = [one.at_s for one in sent]
    worst, at = 0, first_s
    for index, one in enumerate(sent):
        end = bisect(times, one.at_s + AT_ONCE_S)
        total = sum(other.bytes for other in sent[index:end])
        if total > worst:
            worst, at = total, one.at_s
    # A sender that paces sends up to twice its window a round trip, and may owe a millisecond of it: kGranularity.
    allowed = INITIAL_BYTES + round(2 * record.window(first_s) * DATAGRAM / RTT_S * 0.001)
    said = f"the largest burst was {worst:,} bytes within 0.1 ms, expected at most {allowed:,} bytes"
    if worst > allowed:
        raise Violation(said, at)
    return said


def _after_pause(record: Record) -> str:
    return _burst(record, PAUSE_S - 0.001, PAUSE_S + 0.09)


def _after_silence(record: Record) -> str:
    return _burst(record, 1.2, 1.4)


def _floor(record: Record) -> str:
    least = record.least_window(0.0, float("inf"))
    if least < 1.95:
        at = next(at for at, value in record.series("window") if value / DATAGRAM < 1.95)
        raise Violation(f"the window falls to {least:.2f} datagrams, expected at least 2", at)
    return f"the window is always at least {least:.1f} datagrams"


def _delivers(record: Record) -> str:
    if record.delivered_s is None:
        raise Violation(
            "a transfer of 300 kB does not complete within 60 s while every 15th datagram is lost", 59.9
        )
    return (
        f"a transfer of 300 kB completes after {record.delivered_s:.1f} s while every 15th datagram is lost"
    )


def _backs_off(record: Record) -> str:
    sent = len([one for one in record.datagrams("sent", 6.0, 8.0) if one.is_full])
    said = f"the sender sends {sent} datagrams in 2 s while every other datagram is lost"
    if sent > 10 * 2 / RTT_S:
        most = f"at most {20 / RTT_S:.0f} (an initial window of ten datagrams per round trip)"
        raise Violation(f"{said}, expected {most}", 8.0)
    return said


def _jitter(record: Record) -> str:
    begin, end = record.window(0.0), record.window(0.85)
    said = f"the window goes from {begin:.0f} to {end:.0f} datagrams in eight round trips with 3 ms of jitter"
    if end < 10 * begin:
        raise Violation(f"{said} and without a loss, expected at least tenfold growth", 0.8)
    return said


def _leaves(record: Record) -> str:
    dropped = record.datagrams("dropped")
    if dropped:
        raise Violation(
            f"slow start continues until the queue drops a datagram at {dropped[0].at_s:.2f} s",
            dropped[0].at_s,
        )
    return f"slow start ends without a loss; the window is {record.last('window') / DATAGRAM:.0f} datagrams"


PAUSED = Script(3.0, rules=drop(60), writes=((0.0, 300 * DATAGRAM), (PAUSE_S, 300 * DATAGRAM)))

DRILLS = (
    Drill(
        "initial-window",
        "RFC 9002 7.2",
        "SHOULD",
        "At most 14,720 bytes are sent before the first acknowledgement.",
        ONE_LOSS,
        _initial,
    ),
    Drill(
        "slow-start",
        "RFC 9002 7.3.1",
        "MUST",
        "In slow start the window grows by the number of bytes acknowledged, and no more.",
        ONE_LOSS,
        _slow_start,
        LOSS_BASED,
    ),
    _factor("reno"),
    _factor("cubic"),
    Drill(
        "one-reduction",
        "RFC 9002 7.3.2",
        "MUST",
        "Two losses in one round trip reduce the window once.",
        Script(1.6, rules=drop(60, 62)),
        _once,
        LOSS_BASED,
    ),
    Drill(
        "two-reductions",
        "RFC 9002 7.3.2",
        "MUST",
        "The loss of a datagram that was sent after recovery began reduces the window again.",
        Script(2.5, rules=drop(60, 260)),
        _again,
        LOSS_BASED,
    ),
    Drill(
        "limited-in-slow-start",
        "RFC 9002 7.8",
        "SHOULD",
        "A window that the application does not fill does not grow in slow start.",
        Script(5.0, writes=tuple(trickle(0.0, 5.0, 0.05))),
        _limited_start,
        LOSS_BASED,
    ),
    Drill(
        "limited-in-avoidance",
        "RFC 9002 7.8",
        "SHOULD",
        "A window that the application does not fill does not grow in congestion avoidance.",
        Script(20.0, rules=drop(60), writes=((0.0, 200 * DATAGRAM), *trickle(2.0, 20.0, 0.05))),
        _limited_later,
        LOSS_BASED,
    ),
    Drill(
        "burst-after-a-pause",
        "RFC 9002 7.7",
        "SHOULD",
        "After a pause of the application, the largest burst (the data sent within 0.1 ms) is at most an initial "
        "window plus the data of 1 ms of pacing at two windows per RTT.",
        PAUSED,
        _after_pause,
    ),
    Drill(
        "burst-after-silence",
        "RFC 9002 7.7",
        "SHOULD",
        "After 200 ms without an acknowledgement, the largest burst (the data sent within 0.1 ms) is at most an "
        "initial window plus the data of 1 ms of pacing at two windows per RTT.",
        Script(1.6, rules=[*drop(60), *hold(1.0, 1.2)]),
        _after_silence,
    ),
    Drill(
        "least-window",
        "RFC 9002 7.2",
        "SHOULD",
        "The window is never less than two datagrams.",
        Script(8.0, rules=drop(*range(2, 4000, 2))),
        _floor,
    ),
    Drill(
        "delivers",
        "RFC 9000 13.3",
        "MUST",
        "Lost data is retransmitted until it is acknowledged.",
        Script(60.0, rules=drop(*range(7, 20_000, 15)), writes=((0.0, 300_000),), finishes=True),
        _delivers,
    ),
    Drill(
        "backs-off",
        "RFC 9743 5.1.3",
        "SHOULD",
        "While every second datagram is lost, a sender sends at most ten per round trip (ackclock's own limit).",
        Script(8.0, rules=drop(*range(2, 40_000, 2))),
        _backs_off,
        LOSS_BASED,
    ),
    Drill(
        "slow-start-under-jitter",
        "RFC 9406 4.2",
        "SHOULD",
        "RTT samples that vary by less than 4 ms do not end slow start.",
        Script(0.9, rules=batches(0.003, 0.9, forward=True)),
        _jitter,
        LOSS_BASED,
    ),
    Drill(
        "slow-start-ends-by-delay",
        "RFC 9406 4.2",
        "MAY",
        "Slow start ends when the RTT grows, before a deep queue is full.",
        Script(4.0, rates=((0.0, 20e6),), queue_bytes=1_500_000),
        _leaves,
        LOSS_BASED,
    ),
)
