"""Reads what the two hosts of a script negotiate from the segments of the handshake, before the script runs."""

from __future__ import annotations

from dataclasses import dataclass

from ackclock.packetdrill.language import Call, Inexpressible, Script, ScriptError, Segment, whole_number

USUAL_MSS = 536
"""The segment size towards a peer whose SYN has no MSS option, in bytes (RFC 9293 section 3.7.1)."""
HEADER_BYTES = 40
"""The size of the IPv4 and TCP headers without options, in bytes."""
OPTION_BYTES = 12
"""The size of the timestamps option, or of the AccECN option, with padding, in bytes."""


@dataclass(frozen=True)
class Handshake:
    """What the hosts negotiate."""

    connects: bool
    """Whether the host connects; otherwise it listens."""
    mss: int
    window_scale: int
    selective: bool
    stamps: bool
    classic_ecn: bool
    """Whether the connection uses ECN as in RFC 3168."""
    accurate_ecn: bool
    """Whether the connection uses Accurate ECN (RFC 9768)."""
    accurate_option: bool
    """Whether the host's data segments carry the AccECN option."""

    @property
    def packet_bytes(self) -> int:
        """Returns the payload of a full segment."""
        return max(self.mss - OPTION_BYTES * (self.stamps + self.accurate_option), 1)


def agreed(script: Script) -> Handshake:
    """Returns what the hosts agree on. Inexpressible if the script has no handshake, ScriptError for an option that is
    no size.
    """
    line, peer = _first(script, arrives=True)
    connects = peer.has(".")
    _, own = _first(script, arrives=False)
    mss = peer.options.mss or USUAL_MSS
    for name, headers in (("mss", 0), ("mtu", HEADER_BYTES)):
        given_at, given = script.options.get(name, (0, str(mss + headers)))
        size = whole_number(given) or 0
        if size <= headers:
            expected = f"expected a whole number of bytes above {headers}"
            raise ScriptError(script.file, given_at, f'--{name}: found "{given:.40}", {expected}')
        mss = min(mss, size - headers)
    # The answer to a SYN of RFC 9768 says how the SYN arrived; 1 is RFC 3168, 0 no ECN, and 7 a copy of the SYN.
    asked, answered = (own.field, peer.field) if connects else (peer.field, own.field)
    accurate = asked == 7 and answered not in (0, 1, 7)
    classic = asked in (3, 7) and answered == 1
    option = accurate and any(
        not one.arrives and one.has_data and one.options.accurate is not None for _, one in script.segments
    )
    calls = [one.action for one in script.events if isinstance(one.action, Call)]
    if not connects and any(call.name == "connect" for call in calls):
        raise Inexpressible(line, "ackclock does not support a simultaneous open")
    return Handshake(
        connects=connects,
        mss=_set_by_socket(script, mss),
        window_scale=peer.options.window_scale or 0,
        selective=peer.options.sack_permitted and (own.options.unchecked or own.options.sack_permitted),
        stamps=peer.options.stamp is not None and (own.options.unchecked or own.options.stamp is not None),
        classic_ecn=classic,
        accurate_ecn=accurate,
        accurate_option=option,
    )


def _set_by_socket(script: Script, mss: int) -> int:
    """Returns the segment size with the option TCP_MAXSEG of the socket."""
    for event in script.events:
        match event.action:
            case Call(name="setsockopt", arguments=(_, _, "TCP_MAXSEG", value, *_)):
                size = whole_number(value.strip("[] "))
                mss = mss if size is None else min(mss, size)
    return mss


def _first(script: Script, *, arrives: bool) -> tuple[int, Segment]:
    """Returns the first segment with a SYN in a direction, with its line."""
    found = next((one for one in script.segments if one[1].arrives == arrives and one[1].has("S")), None)
    if found is None:
        sender = "peer" if arrives else "host"
        raise Inexpressible(
            script.events[0].line, f"found no SYN or SYN-ACK of the {sender}, expected a handshake"
        )
    return found
