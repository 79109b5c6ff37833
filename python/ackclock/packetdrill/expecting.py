"""Compares the segments that the host sends with those that a script expects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.packetdrill.language import Inexpressible, Segment
from ackclock.packetdrill.outcome import Difference
from ackclock.packetdrill.world import World

if TYPE_CHECKING:
    from ackclock._core import Departure

_STAMP = 1_000_000


def expect(world: World, line: int, start: int | None, end: int | None, segment: Segment) -> None:
    """Compares the next segments of the host with ``segment``, which is expected from ``start`` to ``end``, or at any
    time if ``start`` is None.
    """
    expected = _Expected(world, line, start, end, segment)
    if segment.has("R"):
        raise Inexpressible(line, "ackclock does not support a RST from the host")
    if segment.has("S"):
        expected.handshake()
    elif segment.has_data:
        expected.data()
    elif segment.has("F"):
        world.leave_out(line, "the host's FIN")
        world.row(line, world.now, expected.shown(), "(not compared)")
    else:
        expected.without_data()


class _Expected:
    """A segment that is expected, and what was sent for it."""

    def __init__(self, world: World, line: int, start: int | None, end: int | None, segment: Segment) -> None:
        self.world, self.line, self.segment = world, line, segment
        tolerance = max(
            world.tolerance,
            0 if start is None else round(world.tolerance_share * max(start - world.last_event, 0)),
        )
        self.tolerance = tolerance
        self.earliest = None if start is None else start - tolerance
        self.latest = None if start is None else (start if end is None else end) + tolerance
        self.start, self.end = start, end
        self.before = ""
        """The beginning of a message: which part of the expected data was sent; empty if none was sent."""

    def shown(self) -> str:
        """Returns the segment as the script has it."""
        return f"> {self.segment.text[1:].strip()}"

    def when(self) -> str:
        """Returns the expected time as a message shows it."""
        if self.start is None:
            return "at any time"
        at = f"at {_seconds(self.start)} s"
        if self.end is not None:
            at = f"from {_seconds(self.start)} s to {_seconds(self.end)} s"
        return f"{at} (± {self.tolerance / 1e6:g} ms)"

    def differ(self, found: str) -> Difference:
        """Returns the difference."""
        world = self.world
        time = world.now if self.start is None else self.start
        found = f"{self.before}{found}"
        world.row(self.line, time, self.shown(), found, differs=True)
        for departure in world.queue:
            world.row(self.line, departure.at, "", world.shown(departure))
        return Difference(self.line, f"expected {self.segment.text[1:].strip()} {self.when()}, but {found}")

    def take(self, kind: tuple[str, ...], what: str) -> Departure:
        """Takes the next segment of the host. Difference if it is of another kind or sent at another time."""
        departure = self.world.next_departure(self.latest)
        if departure is None:
            due = self.world.state().timer
            timer = "no timer runs" if due is None else f"the next timer expires at {_seconds(due)} s"
            by = "" if self.latest is None else f" by {_seconds(self.latest)} s"
            raise self.differ(f"nothing is sent{by}; {timer}")
        if departure.kind not in kind:
            raise self.differ(f"{self.world.shown(departure)} is sent at {_seconds(departure.at)} s")
        if (self.earliest is not None and departure.at < self.earliest) or self._is_late(departure):
            raise self.differ(f"{what} is sent at {_seconds(departure.at)} s: {self.world.shown(departure)}")
        return departure

    def _is_late(self, departure: Departure) -> bool:
        return self.latest is not None and departure.at > self.latest

    def agree(self, what: str, expected: object, found: object) -> None:
        """Raises Difference if two values differ."""
        if expected != found:
            raise self.differ(f"{what} is {_value(found)}, not {_value(expected)}")

    def handshake(self) -> None:
        """Compares a SYN or SYN-ACK."""
        world = self.world
        departure = self.take(("handshake",), "the SYN" if world.agreed.connects else "the SYN-ACK")
        if world.agreed.accurate_ecn:
            self.agree(
                "the value of the flags AE, CWR, ECE", f"{self.segment.field:03b}", f"{departure.field:03b}"
            )
            world.compared.handshakes += 1
        elif self.segment.field:
            world.leave_out(self.line, "the flags ECE and CWR of a handshake segment")
        self.note_stamp(departure)
        world.row(self.line, departure.at, self.shown(), world.shown(departure))

    def data(self) -> None:
        """Compares data, which may be several segments."""
        world, written, segment = self.world, self.world.written, self.segment
        if world.has_closed:
            raise Inexpressible(
                self.line, "ackclock does not support data from the host after the peer's FIN"
            )
        sent: list[Departure] = []
        byte = segment.start - 1
        while byte < segment.end - 1:
            departure = self.take(("data",), "the segment")
            first, size = written.start(departure.number), written.size(departure.number)
            if first != byte:
                raise self.differ(f"{world.shown(departure)} is sent at {_seconds(departure.at)} s")
            if first + size > segment.end - 1:
                raise self.differ(
                    f"{world.shown(departure)} is sent, a segment that extends beyond the end of the expected data"
                )
            self._fields(departure)
            sent.append(departure)
            byte += size
            self.before = f"{segment.start}:{byte + 1} is sent, and then "
        world.compared.segments += len(sent)
        self.note_stamp(sent[-1])
        if world.agreed.accurate_ecn and (segment.field or segment.options.accurate):
            world.leave_out(
                self.line,
                "the ACE field and the AccECN option of a data segment, which ackclock's data segments do not have",
            )
        if segment.has("F"):
            world.leave_out(self.line, "the host's FIN")
        count = "" if len(sent) == 1 else f" and {len(sent) - 1} more"
        world.row(self.line, sent[0].at, self.shown(), f"{world.shown(sent[0])}{count}")

    def _fields(self, departure: Departure) -> None:
        """Compares the ECN field of a data segment, and the flag CWR of RFC 3168."""
        world, segment = self.world, self.segment
        if segment.ecn is not None:
            self.agree("the ECN field", segment.ecn, departure.ecn)
        if world.agreed.classic_ecn:
            self.agree("the flag CWR", segment.has("W"), departure.announces_reduction)

    def without_data(self) -> None:
        """Compares an acknowledgement, or a probe of a closed window."""
        world, segment = self.world, self.segment
        if world.third_is_due and segment.start == segment.acknowledgement == 1 and not world.queue:
            world.third_is_due = False
            if world.agreed.accurate_ecn:
                raise Inexpressible(
                    self.line,
                    "ackclock's TCP does not send the third segment of the handshake, which Accurate ECN requires",
                )
            world.leave_out(
                self.line, "the third segment of the handshake, which ackclock's TCP does not send"
            )
            world.row(self.line, world.now, self.shown(), "(not compared)")
            return
        if world.has_closed:
            world.leave_out(self.line, "an acknowledgement after the peer's FIN")
            world.row(self.line, world.now, self.shown(), "(not compared)")
            return
        departure = self.take(("acknowledgement", "probe"), "the segment")
        if departure.kind == "probe":
            self.agree(
                "the sequence number of the window probe",
                segment.start,
                world.written.start(departure.number),
            )
            world.compared.segments += 1
        else:
            self._acknowledgement(departure)
            world.compared.acknowledgements += 1
        self.note_stamp(departure)
        world.row(self.line, departure.at, self.shown(), world.shown(departure))

    def _acknowledgement(self, departure: Departure) -> None:
        world, segment, options = self.world, self.segment, self.segment.options
        place = world.incoming.byte
        self.agree("the acknowledgement number", segment.acknowledgement, 1 + place(departure.number))
        if not options.unchecked:
            blocks = tuple((1 + place(first), 1 + place(end)) for first, end in departure.blocks)
            self.agree("the SACK option", _blocks(options.sack), _blocks(blocks))
            if options.stamp is not None and not departure.stamp:
                world.leave_out(
                    self.line,
                    "the echoed timestamp of an acknowledgement sent before any data arrives in order",
                )
            elif options.stamp is not None:
                self.agree("the echoed timestamp", options.stamp[1], departure.stamp // _STAMP)
        if world.agreed.accurate_ecn:
            self.agree(
                "the value of the flags AE, CWR, ECE", f"{segment.field:03b}", f"{departure.field:03b}"
            )
            self._counters(departure)
        elif world.agreed.classic_ecn:
            self.agree("the flag ECE", segment.has("E"), bool(departure.field & 1))

    def _counters(self, departure: Departure) -> None:
        """Compares the counters of Accurate ECN. The host counts unmarked bytes together, whichever ECT they have."""
        world, accurate = self.world, self.segment.options.accurate
        if accurate is None:
            world.leave_out(self.line, "the absence of the AccECN option")
            return
        if len(world.incoming.sizes) > 1 or world.incoming.sizes != {world.packet_bytes}:
            raise Inexpressible(
                self.line,
                "ackclock does not support the byte counters of Accurate ECN if the peer's segments are not all of "
                f"{world.packet_bytes} bytes",
            )
        found = None if departure.counters is None else departure.counters[0]
        self.agree("the number of CE-marked bytes in the AccECN option", accurate.get("ceb", 0), found)
        if departure.counters is not None and "e0b" in accurate and "e1b" in accurate:
            unmarked = accurate["e0b"] + accurate["e1b"] - 2
            self.agree(
                "the number of unmarked ECT bytes in the AccECN option", unmarked, departure.counters[1]
            )

    def note_stamp(self, departure: Departure) -> None:
        """Records when the segment with the timestamp of the script was sent, and compares the timestamp if the script
        says how long a tick is.
        """
        world, stamp = self.world, self.segment.options.stamp
        if stamp is None or not world.agreed.stamps:
            return
        value = stamp[0]
        if world.tick and world.stamps:
            first, at = next(iter(world.stamps.items()))
            off = abs((value - first) * world.tick - (departure.at - at))
            if off > world.tolerance + world.tick:
                found = first + (departure.at - at) // world.tick
                raise self.differ(f"the timestamp is {found}, not {value}")
        world.stamps[value] = departure.at


def _value(value: object) -> str:
    """Returns a compared value as a message shows it."""
    if isinstance(value, bool):
        return "set" if value else "clear"
    return "absent" if value is None else str(value)


def _blocks(blocks: tuple[tuple[int, int], ...]) -> str:
    return " ".join(f"{first}:{end}" for first, end in blocks) or "absent"


def _seconds(time: int) -> str:
    return f"{time / 1e9:.6f}"
