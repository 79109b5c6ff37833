"""Drills of explicit congestion notification: RFC 9002 section 7.1, RFC 9000 section 13.4."""

from __future__ import annotations

from ackclock.drills.drill import Drill
from ackclock.drills.record import CannotTell, Record, Violation
from ackclock.drills.script import RTT_S, Rule, Script, drop, mark
from ackclock.drills.window import LOSS_BASED, reductions


def _capable(record: Record) -> None:
    if all(one.ecn == "not-ect" for one in record.datagrams("sent")):
        raise CannotTell("the stack sends no ECN-capable datagrams")


def _reduces(record: Record) -> str:
    _capable(record)
    marked = record.the("sent", 60)
    found = record.reduction(marked.at_s)
    if found is None or found[0] > marked.at_s + 2 * RTT_S:
        raise Violation("an ECN mark does not reduce the window", marked.at_s + RTT_S)
    lost = record.last("lost")
    if lost:
        raise Violation(
            "a loss was declared, although the path only marked datagrams", record.changed("lost") or 0.0
        )
    at, before, after = found
    if after > 0.9 * before:
        raise Violation(
            f"an ECN mark reduces the window only from {before:.0f} to {after:.0f} datagrams, expected at most "
            f"{0.9 * before:.0f}",
            at,
        )
    return (
        f"an ECN mark reduces the window from {before:.0f} to {after:.0f} datagrams, and no loss is declared"
    )


def _once(record: Record) -> str:
    _capable(record)
    marked = record.the("sent", 60)
    found = reductions(record, marked.at_s, marked.at_s + 5 * RTT_S)
    if len(found) != 1:
        raise Violation(
            f"the window was reduced {len(found)} times for two marks in one round trip, expected once",
            found[-1][0] if found else marked.at_s + RTT_S,
        )
    return f"the window was reduced once, from {found[0][1]:.0f} to {found[0][2]:.0f} datagrams"


def _validates(record: Record) -> str:
    _capable(record)
    late = record.datagrams("sent", 1.5, 2.0)
    capable = [one for one in late if one.ecn != "not-ect"]
    if capable:
        raise Violation(
            f"{len(capable)} of {len(late)} datagrams are still ECN-capable 15 round trips after the path began to "
            "clear the ECN field",
            capable[0].at_s,
        )
    return "the stack stops sending ECN-capable datagrams"


DRILLS = (
    Drill(
        "mark-reduces",
        "RFC 9002 7.1",
        "MUST",
        "An ECN mark reduces the window as a loss does, but is not counted as a loss.",
        Script(1.6, rules=mark(60)),
        _reduces,
        LOSS_BASED,
    ),
    Drill(
        "one-reduction-for-marks",
        "RFC 9002 7.3.2",
        "MUST",
        "Two ECN marks in one round trip reduce the window once.",
        Script(1.6, rules=mark(60, 62)),
        _once,
        LOSS_BASED,
    ),
    Drill(
        "validates-marks",
        "RFC 9000 13.4.2.1",
        "MUST",
        "A stack stops using ECN if the receiver's ECN counts show that the path clears the ECN field.",
        Script(2.0, rules=[Rule(True, "times", 0.0, 10.0, "bleach"), *drop(60)]),
        _validates,
    ),
)
