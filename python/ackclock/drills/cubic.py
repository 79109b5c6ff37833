"""Drills of CUBIC: the expected numbers follow from RFC 9438. Windows are in datagrams, for its segments.

A greedy sender over 100 ms loses a datagram of its fifth round trip, at a window W of about 150. It keeps 0.7 W, and
comes back to W after K = cbrt(0.3 W / 0.4): 4.8 s (equation 2).
"""

from __future__ import annotations

from ackclock.drills.drill import Drill, Law
from ackclock.drills.record import CannotTell, Record, Violation
from ackclock.drills.script import DATAGRAM, RTT_S, Script, drop, loss_of_all

CUBIC: frozenset[Law] = frozenset({"cubic"})
C = 0.4
"""The constant C in segments per second cubed (RFC 9438 section 5)."""
BETA = 0.7
ALPHA = 3 * (1 - BETA) / (1 + BETA)
"""The additive increase of the Reno-friendly region: 0.53 segments per round trip (RFC 9438 section 4.3)."""
SHORT_RTT_S = 0.01
LONG_RTT_S = 2.0
CLAMP_END_S = 24.0
SHORT = Script(2.5, rules=drop(25), rtt_s=SHORT_RTT_S, rates=((0.0, 1e9),))


def _epoch(record: Record, most_left: float = 0.85) -> tuple[float, float, float, float]:
    """Returns when the first reduction was, the window before and after it, and K."""
    found = record.reduction()
    if found is None:
        raise CannotTell("no loss reduced the window")
    at, before, _ = found
    after = record.window(at + 1.5 * RTT_S)
    if not 40 <= before <= 400:
        raise CannotTell(
            f"the window was {before:.0f} datagrams at the loss, expected 40 to 400 for this test"
        )
    if after > most_left * before:
        raise CannotTell(
            f"the loss reduced the window only from {before:.0f} to {after:.0f} datagrams, expected at most "
            f"{most_left * before:.0f} for this test"
        )
    return at, before, after, (max(0.0, before - after) / C) ** (1 / 3)


def _beta(record: Record) -> str:
    at, before, after, _ = _epoch(record, 1.0)
    said = f"the loss reduced the window of {before:.0f} datagrams to {after / before:.3f} of its size"
    if abs(after / before - BETA) > 0.02:
        raise Violation(f"{said}, expected {BETA - 0.02:.2f} to {BETA + 0.02:.2f}", at)
    return said


def _plateau(record: Record) -> str:
    at, before, _, k = _epoch(record)
    there = record.window(at + k + RTT_S)
    said = f"K = {k:.2f} s after the loss, the window is {there:.1f} datagrams; before the loss it was {before:.1f}"
    if abs(there / before - 1) > 0.04:
        raise Violation(f"{said}, expected a difference of at most 4 %", at + k + RTT_S, at)
    return said


def _concave(record: Record) -> str:
    at, _, _, k = _epoch(record)
    first = record.window(at + k / 3 + RTT_S) - record.window(at + 2 * RTT_S)
    last = record.window(at + k) - record.window(at + 2 * k / 3)
    said = (
        f"the window grew by {first:.1f} datagrams in the first third of the K seconds after the loss, and by "
        f"{last:.1f} in the last third"
    )
    if first < 2 * max(last, 1.0):
        raise Violation(
            f"{said}, expected at least twice as much growth in the first third as in the last third",
            at + k,
            at,
        )
    return said


def _convex(record: Record) -> str:
    at, before, _, k = _epoch(record)
    grown = record.window(at + k + 4) - before
    # 0.4 x 4^3 = 25.6; the time begins up to two round trips later, 0.4 x 3.8^3 = 21.9, and an estimate may be a round
    # trip ahead, 0.4 x 4.1^3 = 27.6.
    said = f"K + 4 s after the loss, the window is {grown:.1f} datagrams larger than before the loss, expected 19 to 31"
    if not 19 <= grown <= 31:
        raise Violation(said, at + k + 4, at)
    return said


def _friendly(record: Record) -> str:
    found = record.reduction()
    if found is None:
        raise CannotTell("no loss reduced the window")
    at, before, after = found
    # In the time until the old window, alpha is 0.53; later, 1.
    rounds = (1.0 - 3 * SHORT_RTT_S) / SHORT_RTT_S
    least = after + ALPHA * rounds
    there = record.window(at + 1.0)
    said = (
        f"1 s after a loss at a window of {before:.0f} datagrams, the window is {there:.0f} datagrams; the "
        f"Reno-friendly estimate is {least:.0f}"
    )
    if there < 0.9 * least:
        raise Violation(f"{said}, expected a window of at least 90 % of the estimate", at + 1.0, at)
    return said


def _alpha_one(record: Record) -> str:
    found = record.reduction()
    if found is None:
        raise CannotTell("no loss reduced the window")
    at, before, _ = found
    first, last = record.window(at + 1.0), record.window(at + 2.0)
    grown = last - first
    if first < before:
        raise CannotTell(
            f"1 s after the loss the window is {first:.0f} datagrams, but this test needs at least {before:.0f}, the "
            "size before the loss"
        )
    # A datagram a round trip of 10 ms, and a little more where an acknowledgement waits.
    said = (
        "from 1 s to 2 s after the loss, with a window at least as large as before the loss, the window grew by "
        f"{grown:.0f} datagrams, expected at least 75 (75 % of one datagram per RTT of 10 ms)"
    )
    if grown < 75:
        raise Violation(said, at + 2.0, at + 1.0)
    return said


def _fast_convergence(record: Record) -> str:
    second = record.datagrams("dropped")
    if len(second) < 2:
        raise CannotTell(f"the stack sent {len(second)} of the two datagrams that this test drops")
    first_at, first, _, k = _epoch(record)
    found = record.reduction(max(second[1].at_s, first_at + 0.2))
    if found is None:
        raise Violation("the second loss does not reduce the window", second[1].at_s + RTT_S)
    at, before, _ = found
    after = record.window(at + 1.5 * RTT_S)
    if not 0.75 * first <= before <= 0.97 * first:
        raise CannotTell(
            f"the window was {before:.0f} datagrams at the second loss, expected {0.75 * first:.0f} to "
            f"{0.97 * first:.0f} for this test ({first:.0f} datagrams at the first loss)"
        )
    plateau = before * (1 + BETA) / 2
    k = (max(0.0, plateau - after) / C) ** (1 / 3)
    there = record.window(at + k + RTT_S)
    said = (
        f"K = {k:.2f} s after the second loss, the window is {there:.1f} datagrams, expected {plateau:.1f} ± 6 % "
        f"(0.85 of the {before:.1f} before the second loss)"
    )
    if abs(there / plateau - 1) > 0.06:
        raise Violation(said, at + k + RTT_S, at)
    return said


def _after_timeout(record: Record) -> str:
    begin = next((at for at, value in record.series("window", 8.5) if value <= 4.5 * DATAGRAM), None)
    if begin is None:
        raise CannotTell("the outage of two seconds did not reduce the window to its minimum")
    # Slow start ends where a round trip brings less than a twelfth.
    at = begin + 3 * RTT_S
    while record.window(at + RTT_S) > 1.08 * record.window(at) and at < 16:
        at += RTT_S / 2
    left = record.window(at)
    grown = record.window(at + 3.0) - left
    # W(3 s) with K = 0 is 0.4 x 27 = 10.8; the Reno-friendly window grows by 0.53 x 30 = 15.9, by 30 where alpha is 1.
    said = (
        f"the window grew by {grown:.0f} datagrams in the 3 s after slow start ended at a window of {left:.0f}, "
        "expected 9 to 33"
    )
    if not 9 <= grown <= 33:
        raise Violation(said, at + 3.0, at)
    return said


def _after_idle(record: Record) -> str:
    before = record.window(2.9)
    at = record.datagrams("sent", 12.999)[0].at_s
    after = record.most_window(at, at + 3 * RTT_S)
    said = (
        f"the window went from {before:.0f} to {after:.0f} datagrams in the first three round trips after a "
        "pause of ten seconds"
    )
    if after > 1.12 * before + 2:
        raise Violation(f"{said}, expected at most {1.12 * before + 2:.0f}", at + 3 * RTT_S, at)
    return said


def _clamp(record: Record) -> str:
    found = record.reduction()
    if found is None:
        raise CannotTell("no loss reduced the window")
    worst, at = 0.0, 0.0
    moment = found[0] + 2 * LONG_RTT_S
    while moment + LONG_RTT_S < CLAMP_END_S:
        ratio = record.window(moment + LONG_RTT_S) / record.window(moment)
        if ratio > worst:
            worst, at = ratio, moment + LONG_RTT_S
        moment += LONG_RTT_S
    said = (
        f"on a path with an RTT of two seconds, the window grew by a factor of up to {worst:.2f} in one RTT"
    )
    if worst > 1.5 * 1.05:
        raise Violation(f"{said}, expected a factor of at most 1.5", at, at - LONG_RTT_S)
    return said


ONE_LOSS = Script(12.0, rules=drop(140))

DRILLS = (
    Drill(
        "cubic-beta",
        "RFC 9438 4.6",
        "SHOULD",
        "A loss reduces the window to 0.7 of its size.",
        ONE_LOSS,
        _beta,
        CUBIC,
    ),
    Drill(
        "cubic-plateau",
        "RFC 9438 4.2",
        "MUST",
        "K seconds (equation 2) after the first loss, the window is as large as before the loss.",
        ONE_LOSS,
        _plateau,
        CUBIC,
    ),
    Drill(
        "cubic-concave",
        "RFC 9438 4.4",
        "MUST",
        "The window grows fast after a loss, and slowly as it approaches its size before the loss.",
        ONE_LOSS,
        _concave,
        CUBIC,
    ),
    Drill(
        "cubic-convex",
        "RFC 9438 4.5",
        "MUST",
        "At a time t > K after a loss, the window is 0.4 (t - K)^3 datagrams larger than before the loss.",
        ONE_LOSS,
        _convex,
        CUBIC,
    ),
    Drill(
        "cubic-clamp",
        "RFC 9438 4.2",
        "MUST",
        "In congestion avoidance the window grows by at most half in a round trip.",
        Script(CLAMP_END_S, rules=drop(8), rtt_s=LONG_RTT_S),
        _clamp,
        CUBIC,
    ),
    Drill(
        "cubic-reno-friendly",
        "RFC 9438 4.3",
        "SHOULD",
        "On a path with a short RTT, the window is at least the Reno-friendly estimate W_est.",
        SHORT,
        _friendly,
        CUBIC,
    ),
    Drill(
        "cubic-alpha-one",
        "RFC 9438 4.3",
        "SHOULD",
        "The Reno-friendly window grows by one datagram per round trip once it is as large as before the "
        "loss.",
        SHORT,
        _alpha_one,
        CUBIC,
    ),
    Drill(
        "cubic-fast-convergence",
        "RFC 9438 4.7",
        "SHOULD",
        "If a second loss occurs before the window has regained its size, the next plateau is 0.85 of the "
        "window at the second loss.",
        Script(10.0, rules=drop(140, 1800)),
        _fast_convergence,
        CUBIC,
    ),
    Drill(
        "cubic-after-a-timeout",
        "RFC 9438 4.8",
        "MUST",
        "After persistent congestion, congestion avoidance begins with K = 0.",
        Script(20.0, rules=[*drop(140), *loss_of_all(8.5, 10.5)]),
        _after_timeout,
        CUBIC,
    ),
    Drill(
        "cubic-after-idle",
        "RFC 9438 4.2",
        "MUST",
        "Time in which the application has nothing to send does not count as time since the loss.",
        Script(14.0, rules=drop(140), writes=((0.0, 1800 * DATAGRAM), (13.0, 1 << 30))),
        _after_idle,
        CUBIC,
    ),
)
