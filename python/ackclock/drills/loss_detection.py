"""Drills of loss detection and of the probe timeout: RFC 9002 section 6."""

from __future__ import annotations

import itertools
from bisect import bisect

from ackclock.drills.drill import Drill
from ackclock.drills.record import CannotTell, Datagram, Record, Violation
from ackclock.drills.script import RTT_S, Script, delay, drop, first, hold, loss_of_all, outage, trickle

FINE = tuple(trickle(0.0, 2.0, 0.005))
"""Writes of one datagram each, every 5 ms for two seconds: 20 per round trip."""
WARM = tuple(trickle(0.0, 2.0, 0.06))
"""The writes of the first two seconds, in which the stack measures the RTT; the last one is at about 1.92 s."""
QUIET_S = 2.5
"""The time in seconds by which all datagrams of ``WARM`` are acknowledged."""
GRANULARITY_S = 0.001
"""kGranularity (RFC 9002 section 6.1.2)."""
ACK_DELAY_S = 0.026
"""The longest delay of an acknowledgement in seconds, by which an RTT sample can exceed the RTT of the path."""


def _not_early(record: Record) -> str:
    late = record.the("arrived", 200)
    before = [one.number for one in record.datagrams("arrived", 0.0, late.at_s) if one.number > 200]
    if not 1 <= len(before) <= 2:
        raise CannotTell(f"{len(before)} datagrams overtook datagram 200, but the test needs one or two")
    lost = record.last("lost")
    if lost > 0:
        at = record.changed("lost") or 0.0
        raise Violation("a datagram was declared lost although at most two others had overtaken it", at)
    return "no loss was declared"


def _three(record: Record) -> str:
    lost = record.the("sent", 400)
    declared = record.changed("lost", lost.at_s)
    if declared is None:
        raise Violation("datagram 400 was never declared lost", lost.at_s)
    after = declared - lost.at_s
    # The third datagram after it leaves 6 ms later, and is acknowledged a round trip after that, unless the receiver
    # waits for more. The threshold of time would have it lost after 112.5 ms.
    later = [one for one in record.datagrams("arrived", lost.at_s) if one.number > lost.number]
    told = record.datagrams("sent", later[2].at_s, forward=False) if len(later) > 2 else []
    most = max(RTT_S + 0.010, told[0].at_s + RTT_S / 2 + 0.004 - lost.at_s if told else 0.0)
    if after > most:
        raise Violation(
            f"datagram 400 was declared lost {1e3 * after:.1f} ms after it was sent, expected at most "
            f"{1e3 * most:.0f} ms",
            declared,
        )
    return f"datagram 400 was declared lost {1e3 * after:.1f} ms after it was sent"


def _tail(record: Record) -> list[Datagram]:
    """Returns the datagrams that leave once the path is quiet."""
    return record.datagrams("sent", QUIET_S - 0.001)


def _time_threshold(record: Record) -> str:
    first = record.datagrams("dropped", QUIET_S - 0.001)[0]
    declared = record.changed("lost", first.at_s)
    if declared is None:
        raise Violation(
            "the dropped datagram was never declared lost, although a later one was acknowledged", first.at_s
        )
    after = declared - first.at_s
    least, most = 9 / 8 * RTT_S, 9 / 8 * (RTT_S + ACK_DELAY_S) + 2 * GRANULARITY_S
    # A sender that paces may send the later datagram so late that its acknowledgement comes after the threshold.
    later = next((one.at_s for one in record.datagrams("arrived", first.at_s)), first.at_s)
    told = next((one.at_s for one in record.datagrams("arrived", later, forward=False)), later)
    most = max(most, told - first.at_s + 2 * GRANULARITY_S)
    said = (
        f"the dropped datagram was declared lost {1e3 * after:.1f} ms after it was sent, expected {1e3 * least:.1f} "
        f"to {1e3 * most:.1f} ms"
    )
    if after < least - GRANULARITY_S or after > most:
        raise Violation(said, declared)
    return said


def _groups(datagrams: list[Datagram]) -> list[list[Datagram]]:
    """Returns datagrams that leave within 10 ms of each other together."""
    groups: list[list[Datagram]] = []
    for one in datagrams:
        if groups and one.at_s - groups[-1][-1].at_s < 0.01:
            groups[-1].append(one)
        else:
            groups.append([one])
    return groups


def _probe(record: Record) -> str:
    first, *rest = _groups(_tail(record)) or [[]]
    if not first:
        raise CannotTell("the stack did not send the data that the application wrote at 2.5 s")
    if not rest:
        raise Violation("the stack sends no probe after the loss of its last datagram", first[0].at_s)
    after = rest[0][0].at_s - first[0].at_s
    most = (RTT_S + ACK_DELAY_S) + 4 * ACK_DELAY_S + 0.025
    said = (
        f"a probe was sent {1e3 * after:.1f} ms after the lost datagram, expected 100 to {1e3 * most:.0f} ms"
    )
    if not RTT_S + GRANULARITY_S <= after <= most:
        raise Violation(said, rest[0][0].at_s)
    return said


def _probes(record: Record) -> list[list[Datagram]]:
    """Returns the datagrams of the blackout, and those that follow each probe timeout, together. Violation."""
    sent = record.datagrams("sent", QUIET_S - 0.001, 12.0)
    try:
        told = record.series("probe_timeouts", QUIET_S - 0.001, 12.0)
    except CannotTell:
        groups = _groups(sent)
    else:
        # Pacing may keep the two datagrams of a timeout apart.
        expired = [at for (_, before), (at, after) in itertools.pairwise(told) if after > before]
        since: list[list[Datagram]] = [[] for _ in range(len(expired) + 1)]
        for one in sent:
            since[bisect(expired, one.at_s + 1e-9)].append(one)
        groups = [group for group in since if group]
    if len(groups) < 4:
        raise Violation(
            f"the stack sent {max(0, len(groups) - 1)} probes while no acknowledgement arrived for 9.5 s, expected at "
            "least 3",
            QUIET_S + 1,
        )
    return groups


def _backoff(record: Record) -> str:
    times = [group[0].at_s for group in _probes(record)]
    waits = [after - before for before, after in itertools.pairwise(times)]
    for index, (before, after) in enumerate(itertools.pairwise(waits)):
        if after < 1.9 * before:
            raise Violation(
                f"the time between probes went from {1e3 * before:.0f} to {1e3 * after:.0f} ms, expected it to double",
                times[index + 2],
            )
    return "the times between probes are " + ", ".join(f"{1e3 * wait:.0f}" for wait in waits) + " ms"


def _two_at_most(record: Record) -> str:
    probes = _probes(record)[1:]
    most = max(probes, key=len)
    if len(most) > 2:
        raise Violation(
            f"the stack sent {len(most)} datagrams on a probe timeout, expected at most two", most[0].at_s
        )
    return f"the largest number of datagrams sent on a probe timeout was {len(most)}"


def _despite_window(record: Record) -> str:
    last = record.datagrams("sent", 0.0, 0.6)[-1]
    first_probe = next((one for one in record.datagrams("sent", 0.65, 2.0)), None)
    if first_probe is None:
        raise Violation("no probe is sent while the window is full and every datagram is lost", 0.65)
    return f"a probe was sent {1e3 * (first_probe.at_s - last.at_s):.0f} ms after the last datagram"


def _declares_nothing(record: Record) -> str:
    probe = record.datagrams("sent", 1.0, 1.39)
    early = record.value("lost", 1.39) - record.value("lost", 1.0)
    if early:
        raise Violation("packets were declared lost on a probe timeout", record.changed("lost", 1.0) or 1.39)
    if not probe:
        raise CannotTell("no probe was sent, although no acknowledgement arrived for 400 ms")
    return "no loss was declared"


def _starts_again(record: Record) -> str:
    tails = [group[0].at_s for group in _groups(_tail(record))]
    second = [at for at in tails if at >= 5.999]
    if len(second) < 2:
        raise Violation("the stack sends no probe after the loss of its last datagram", 6.0)
    after = second[1] - second[0]
    said = (
        "after acknowledgements had arrived, a datagram was lost, and the probe was sent "
        f"{1e3 * after:.0f} ms after this datagram"
    )
    if after > 0.3:
        raise Violation(f"{said}, expected at most 300 ms: the back-off was not reset", second[1])
    return said


def _persistent(record: Record) -> str:
    least = record.least_window(3.0, 5.5)
    before = record.window(0.99)
    said = f"the window went from {before:.0f} to {least:.1f} datagrams after an outage of two seconds"
    # The acknowledgement that shows the losses is of up to two probes, by which the window may grow.
    if least > 4 + 2.5:
        raise Violation(
            f"{said}, expected the minimum window of 2 datagrams (BBR: 4), plus at most two datagrams for "
            "acknowledged probes",
            record.datagrams("arrived", 3.0, forward=False)[0].at_s,
        )
    return said


def _not_persistent(record: Record) -> str:
    before = record.window(0.99)
    least = record.least_window(1.0, 1.6)
    said = f"the window went from {before:.0f} to {least:.1f} datagrams after an outage of 60 ms"
    # A control that reduces what is in flight, and not its window, may do so when the lost datagrams no longer count.
    if least < 0.3 * before:
        raise Violation(f"{said}, expected at least {0.3 * before:.0f}", record.changed("window", 1.0) or 1.0)
    return said


BLACKOUT = Script(12.0, rules=outage(QUIET_S - 0.001, 12.0), writes=(*WARM, (QUIET_S, 1000)))
# Probes leave at intervals that double, so one leaves by 5.3 s: 3 s, two seconds more and a probe timeout.
LONG_OUTAGE = Script(5.5, rules=[*drop(60), *loss_of_all(1.0, 3.0)])

DRILLS = (
    Drill(
        "packet-threshold",
        "RFC 9002 6.1.1",
        "SHOULD",
        "A datagram is not declared lost before the time threshold if at most two later datagrams overtake it.",
        Script(2.0, rules=delay(0.011, [200]), writes=FINE),
        _not_early,
    ),
    Drill(
        "packet-threshold-of-three",
        "RFC 9002 6.1.1",
        "SHOULD",
        "A datagram is declared lost when the third datagram after it, or a later one, is acknowledged.",
        Script(2.0, rules=drop(400), writes=tuple(trickle(0.0, 2.0, 0.002))),
        _three,
    ),
    Drill(
        "time-threshold",
        "RFC 9002 6.1.2",
        "SHOULD",
        "A datagram is declared lost 9/8 of an RTT after it was sent if a later one is acknowledged.",
        Script(5.0, rules=first(QUIET_S - 0.001), writes=(*WARM, (QUIET_S, 3000))),
        _time_threshold,
    ),
    Drill(
        "probe",
        "RFC 9002 6.2.1",
        "SHOULD",
        "If the last datagram is lost, a probe follows after smoothed RTT + 4 x RTT variation + max_ack_delay.",
        Script(5.0, rules=outage(QUIET_S - 0.001, QUIET_S + 0.01), writes=(*WARM, (QUIET_S, 1000))),
        _probe,
    ),
    Drill(
        "probe-backoff",
        "RFC 9002 6.2.1",
        "MUST",
        "The probe timeout doubles each time that it expires without an acknowledgement.",
        BLACKOUT,
        _backoff,
    ),
    Drill(
        "probe-count",
        "RFC 9002 6.2.4",
        "SHOULD",
        "At most two datagrams are sent when a probe timeout expires.",
        BLACKOUT,
        _two_at_most,
    ),
    Drill(
        "probe-despite-window",
        "RFC 9002 7.5",
        "MUST",
        "Congestion control does not block a probe.",
        Script(2.0, rules=[*drop(60), *outage(0.6, 2.0)]),
        _despite_window,
    ),
    Drill(
        "probe-declares-nothing",
        "RFC 9002 6.2",
        "MUST",
        "The expiry of a probe timeout does not cause packets to be declared lost.",
        Script(2.0, rules=hold(0.95, 1.4), writes=tuple(trickle(0.0, 2.0, 0.02))),
        _declares_nothing,
    ),
    Drill(
        "probe-backoff-ends",
        "RFC 9002 6.2.1",
        "MUST",
        "An acknowledgement resets the back-off of the probe timeout.",
        Script(
            8.0,
            rules=[*outage(QUIET_S - 0.001, QUIET_S + 0.5), *outage(5.999, 6.01)],
            writes=(*WARM, (QUIET_S, 1000), *trickle(4.0, 5.5, 0.06), (6.0, 1000)),
        ),
        _starts_again,
    ),
    Drill(
        "persistent-congestion",
        "RFC 9002 7.6.2",
        "MUST",
        "If all packets sent over more than three probe timeouts are lost, the window falls to its minimum.",
        LONG_OUTAGE,
        _persistent,
    ),
    Drill(
        "no-persistent-congestion",
        "RFC 9002 7.6.1",
        "MUST",
        "An outage shorter than three probe timeouts does not reduce the window to its minimum.",
        Script(2.0, rules=[*drop(60), *outage(1.0, 1.06)]),
        _not_persistent,
        frozenset({"reno", "cubic"}),
    ),
)
