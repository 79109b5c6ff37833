"""Converts between the bytes of a script, counted from 0, and the packets of ackclock's TCP."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from ackclock.packetdrill.language import Inexpressible


class Written:
    """The packets of what the application has written. A write ends in a shorter packet if it is no whole number of
    full ones; what is written next fills that packet up if it has not been sent.
    """

    def __init__(self, packet_bytes: int) -> None:
        self.packet_bytes = packet_bytes
        self._ends: list[int] = []
        self._complete = 0
        """The number of packets up to the end of the last write with MSG_EOR; later writes do not extend them."""

    @property
    def bytes(self) -> int:
        """Returns the number of bytes written."""
        return self._ends[-1] if self._ends else 0

    @property
    def packets(self) -> int:
        """Returns the number of packets written."""
        return len(self._ends)

    def write(self, count: int, sent: int, *, closes: bool = False) -> int:
        """Adds ``count`` bytes, of which the first fill up a last packet that is not among the ``sent`` ones. Returns
        the number of new packets. ``closes`` keeps what is written later out of the last packet.
        """
        before = len(self._ends)
        while count > 0:
            last = len(self._ends) - 1
            room = 0
            if last >= max(sent, self._complete):
                room = self.packet_bytes - self.size(last)
            if room > 0:
                added = min(count, room)
                self._ends[last] += added
            else:
                added = min(count, self.packet_bytes)
                self._ends.append(self.bytes + added)
            count -= added
        if closes:
            self._complete = len(self._ends)
        return len(self._ends) - before

    def start(self, packet: int) -> int:
        """Returns the first byte of a packet, or of one past the last."""
        return self._ends[packet - 1] if packet else 0

    def size(self, packet: int) -> int:
        """Returns the bytes of a packet."""
        return self._ends[packet] - self.start(packet)

    def is_short(self, packet: int) -> bool:
        """Returns whether a packet is shorter than a full one."""
        return self.size(packet) < self.packet_bytes

    def below(self, byte: int) -> int:
        """Returns the number of packets all of whose bytes are below ``byte``."""
        return bisect_right(self._ends, byte)

    def inside(self, first: int, end: int) -> tuple[int, int] | None:
        """Returns the packets that lie wholly in a range of bytes, as Linux counts a block that ends within a
        segment; None if there is none.
        """
        start = bisect_left(self._ends, first) + 1 if first > 0 else 0
        stop = self.below(end)
        return (start, stop) if start < stop else None


class Incoming:
    """The packets of the peer's data. Where they begin and end is known from all segments that the script lets
    arrive.
    """

    def __init__(self, segments: Iterable[tuple[int, int]]) -> None:
        ranges = list(segments)
        self._bounds = sorted({0, *(bound for one in ranges for bound in one)})

    def number(self, first: int, end: int, line: int) -> int:
        """Returns the packet of a segment. Inexpressible if the segment is no single packet."""
        start, stop = bisect_left(self._bounds, first), bisect_left(self._bounds, end)
        if stop - start != 1:
            raise Inexpressible(
                line,
                "found a segment that shares only some of its bytes with another segment from the peer, expected "
                "segments that are identical or disjoint, because ackclock receives only whole segments",
            )
        return start

    def byte(self, packet: int) -> int:
        """Returns the first byte of a packet, or of one past the last."""
        return self._bounds[packet] if packet < len(self._bounds) else self._bounds[-1]

    @property
    def sizes(self) -> set[int]:
        """Returns the sizes of the packets."""
        return {after - before for before, after in zip(self._bounds, self._bounds[1:], strict=False)}
