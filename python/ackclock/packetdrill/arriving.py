"""Delivers the segments of the peer to the host."""

from __future__ import annotations

from ackclock.packetdrill.language import Inexpressible, Segment
from ackclock.packetdrill.world import World

_STAMP = 1_000_000
"""The duration of a tick of the peer's timestamps, in nanoseconds. It affects only echoed timestamps."""
_MOST_BLOCKS = 3
_MARKED = 0b110
"""The flags AE, CWR and ECE of a handshake's third segment if the SYN-ACK was marked CE (RFC 9768 section 3.1.1)."""
_COUNTER = 1 << 16


def arrive(world: World, line: int, segment: Segment) -> None:
    """Delivers a segment to the host now."""
    world.row(line, world.now, f"< {segment.text[1:].strip()}")
    if segment.has("R"):
        raise Inexpressible(line, "ackclock does not support a RST from the peer")
    if segment.has("S"):
        _handshake(world, line, segment)
    else:
        if segment.has("F"):
            world.has_closed = True
            world.leave_out(line, "the peer's FIN")
        _established(world, line, segment)
    world.collect()


def _handshake(world: World, line: int, segment: Segment) -> None:
    if segment.has_data:
        raise Inexpressible(line, "ackclock does not support a SYN with data")
    if not segment.has("."):
        world.host.on_syn(world.now, segment.field if world.uses_ecn else 0, segment.ecn or "noecn")
        world.awaits_third = True
        return
    if segment.ecn == "ce":
        raise Inexpressible(line, "ackclock does not support a CE mark on a SYN-ACK")
    window = None if segment.window is None else _packets(world, line, segment.window)
    field = segment.field if world.agreed.accurate_ecn else 0
    world.host.on_segment(world.now, (0, window, world.handshake_sent, [], None, field, None, 0, True), None)
    world.third_is_due = True


def _established(world: World, line: int, segment: Segment) -> None:
    if world.awaits_third and world.agreed.accurate_ecn and segment.field == _MARKED and not segment.has_data:
        raise Inexpressible(line, "ackclock does not support a CE mark on a SYN-ACK")
    world.awaits_third = False
    if segment.ecn == "ce" and not segment.has_data and world.uses_ecn:
        raise Inexpressible(line, "ackclock does not support a CE mark on a segment without data")
    data = _data(world, line, segment) if segment.has_data else None
    acknowledgement = None
    if segment.has(".") or segment.acknowledgement is not None:
        acknowledgement = _acknowledgement(world, line, segment)
    if acknowledgement is None and data is None:
        return
    try:
        world.host.on_segment(world.now, acknowledgement, data)
    except ValueError as error:
        raise Inexpressible(line, str(error)) from None


def _data(world: World, line: int, segment: Segment) -> tuple[int, int, str, int]:
    if world.has_closed and not segment.has("F"):
        raise Inexpressible(line, "ackclock does not support data from the peer after its FIN")
    number = world.incoming.number(segment.start - 1, segment.end - 1, line)
    stamp, known = world.now, 0
    if segment.options.stamp is not None:
        value, echoed = segment.options.stamp
        stamp = value * _STAMP
        if echoed in world.stamps:
            known = max((sent for at, sent in world.acknowledged if at <= world.stamps[echoed]), default=0)
    return number, stamp, segment.ecn or "noecn", known % _COUNTER


def _acknowledgement(
    world: World, line: int, segment: Segment
) -> (
    tuple[int, int | None, int, list[tuple[int, int]], tuple[int, int] | None, int, int | None, int, bool]
    | None
):
    number = _number(world, line, segment)
    window = (
        None if segment.window is None else _packets(world, line, segment.window << world.agreed.window_scale)
    )
    blocks, duplicate = _blocks(world, line, segment)
    accurate = segment.options.accurate
    marked = accurate.get("ceb") if accurate and world.agreed.accurate_ecn else None
    field = 0
    if world.uses_ecn:
        field = segment.field if world.agreed.accurate_ecn else segment.field & 1
    heard = number, window, field
    una = world.state().una
    if not world.agreed.accurate_ecn and field:
        world.echoes += max(number - una, 0)
    # A segment with data is no duplicate acknowledgement (RFC 5681 section 2).
    says_nothing = number <= una and not blocks and duplicate is None and heard == world.heard
    world.heard = heard
    if segment.has_data and says_nothing:
        return None
    stamp = _stamp(world, line, segment)
    return number, window, stamp, blocks, duplicate, field, marked, world.echoes % _COUNTER, False


def _number(world: World, line: int, segment: Segment) -> int:
    """Returns the number of the first packet that is not acknowledged."""
    byte = (segment.acknowledgement or 1) - 1
    if byte > world.written.bytes:
        # A FIN takes a byte. An acknowledgement of more than was ever sent is the sender's to ignore.
        return world.written.packets + (0 if world.is_closed and byte == world.written.bytes + 1 else 1)
    number = world.written.below(byte)
    if world.written.start(number) != byte:
        raise Inexpressible(
            line,
            f"the acknowledgement number {byte + 1} is inside a segment, but ackclock supports only whole segments",
        )
    return number


def _packets(world: World, line: int, window: int) -> int:
    """Returns a window of bytes in packets."""
    if 0 < window < world.packet_bytes:
        raise Inexpressible(
            line,
            f"the window of {window} bytes is smaller than a segment of {world.packet_bytes} bytes, but ackclock "
            "counts windows in whole segments",
        )
    return window // world.packet_bytes


def _blocks(
    world: World, line: int, segment: Segment
) -> tuple[list[tuple[int, int]], tuple[int, int] | None]:
    """Returns the blocks in packets, and the duplicate that the first one reports (RFC 2883 section 4). Left out are
    blocks that begin below the acknowledgement and end above it, as in Linux (tcp_is_sackblock_valid).
    """
    found = list(segment.options.sack)
    if len(found) > _MOST_BLOCKS:
        raise Inexpressible(
            line, f"found an acknowledgement with {len(found)} SACK blocks, expected at most {_MOST_BLOCKS}"
        )
    duplicate = None
    acknowledged = segment.acknowledgement or 1
    if found:
        first, end = found[0]
        inside = len(found) > 1 and found[1][0] <= first and end <= found[1][1]
        if inside or end <= acknowledged:
            duplicate = world.written.inside(first - 1, end - 1)
            found = found[1:]
    packets = (world.written.inside(first - 1, end - 1) for first, end in found if first > acknowledged)
    return [block for block in packets if block is not None], duplicate


def _stamp(world: World, line: int, segment: Segment) -> int:
    """Returns when the segment was sent whose timestamp is echoed. Without timestamps only the handshake is timed."""
    if not world.agreed.stamps:
        return world.handshake_sent
    if segment.options.stamp is None:
        raise Inexpressible(
            line,
            "found an acknowledgement without a timestamp, expected the timestamps that the handshake negotiated",
        )
    return world.stamp_of(line, segment.options.stamp[1])
