"""Makes the system calls of a script."""

from __future__ import annotations

from ackclock.packetdrill.language import Call, Inexpressible
from ackclock.packetdrill.world import World

_WRITES = ("write", "writev", "send", "sendto", "sendmsg", "sendfile")
_WITHOUT_EFFECT = ("socket", "bind", "listen", "accept", "accept4", "fcntl")
"""Calls that have no effect in ackclock. Their results are not compared, but they must not fail."""
_CALLS = """
read readv recv recvfrom recvmsg poll getsockopt ioctl epoll_create epoll_create1 epoll_ctl epoll_wait
"""
_NOT_COMPARED = frozenset(_CALLS.split())
"""Calls whose results are not compared, because ackclock's application reads data as soon as it arrives."""
_OPTIONS = """
SO_REUSEADDR SO_SNDBUF SO_RCVBUF SO_ZEROCOPY SO_TIMESTAMPING SO_PRIORITY SO_DEBUG SO_ERROR SO_SNDLOWAT
TCP_CONGESTION TCP_MAXSEG TCP_NOTSENT_LOWAT TCP_INQ TCP_WINDOW_CLAMP TCP_SYNCNT TCP_SAVE_SYN IP_TOS IPV6_TCLASS
IP_RECVERR IPV6_RECVERR IP_MTU_DISCOVER IPV6_MTU_DISCOVER IP_FREEBIND IP_BIND_ADDRESS_NO_PORT SO_RCVTIMEO
SO_SNDTIMEO SO_INCOMING_CPU SO_REUSEPORT SO_MARK
"""
_OPTIONS_WITHOUT_EFFECT = frozenset(_OPTIONS.split())
"""Socket options that are ignored here: they have no effect in ackclock, or were read before the script began."""
_MOST_PACKETS = 1_000_000
"""The largest number of full segments that one call can write."""
_SENDING_FLAGS = ("0", "MSG_EOR", "MSG_DONTWAIT", "MSG_NOSIGNAL", "MSG_ZEROCOPY")


def call(world: World, line: int, made: Call) -> None:
    """Makes a system call now. Raises Inexpressible for a call that ackclock does not support."""
    world.row(line, world.now, str(made))
    _check_result(line, made)
    match made.name:
        case name if name in _WRITES:
            _write(world, line, made)
        case "connect":
            world.host.connect(world.now)
        case "close":
            _close(world)
        case "shutdown":
            if made.arguments[1:2] != ("SHUT_RD",):
                _close(world)
        case "setsockopt":
            _option(world, line, made)
        case "socket":
            if made.arguments[1:2] and "SOCK_STREAM" not in made.arguments[1]:
                raise Inexpressible(
                    line, f"found a socket of type {made.arguments[1]}, expected SOCK_STREAM (TCP)"
                )
        case name if name in _WITHOUT_EFFECT:
            pass
        case name if name in _NOT_COMPARED:
            world.leave_out(line, f"the result of {name}")
        case name:
            raise Inexpressible(line, f"ackclock does not support the system call {name}")
    world.collect()


def _check_result(line: int, made: Call) -> None:
    """Raises Inexpressible for a call that fails. One that connects without waiting does not."""
    waits = made.name == "connect" and made.error == "EINPROGRESS"
    if made.number is not None and made.number < 0 and not waits:
        raise Inexpressible(
            line,
            f"the script expects {made.name} to fail ({made.error or made.result}), but ackclock does not "
            "support calls that fail",
        )


def _close(world: World) -> None:
    if not world.is_closed:
        world.is_closed = True
        world.host.close(world.now)


def _option(world: World, line: int, made: Call) -> None:
    if len(made.arguments) < 4:
        raise Inexpressible(
            line,
            "found setsockopt without an option and a value, expected setsockopt(fd, level, option, [value], ...)",
        )
    name, value = made.arguments[2], made.arguments[3].strip("[] ")
    if name == "TCP_NODELAY":
        world.nodelay = value != "0"
    elif name not in _OPTIONS_WITHOUT_EFFECT and value != "0":
        raise Inexpressible(line, f"ackclock does not support the socket option {name}")


def _write(world: World, line: int, made: Call) -> None:
    count = made.number
    if count is None:
        raise Inexpressible(
            line, f"found {made.name} without a number as its result, expected the number of bytes"
        )
    if made.ends is not None and made.ends > world.tolerance:
        raise Inexpressible(
            line,
            f"the script expects {made.name} to block, but ackclock has no send buffer, so its writes never block",
        )
    if count // world.packet_bytes > _MOST_PACKETS:
        raise Inexpressible(
            line,
            f"found {made.name} of {count} bytes, expected at most {_MOST_PACKETS} segments of {world.packet_bytes} "
            "bytes",
        )
    place = 2 if made.name == "sendmsg" else 3
    flags = [flag.strip() for flag in "|".join(made.arguments[place : place + 1]).split("|") if flag.strip()]
    for flag in flags if made.name.startswith("send") else ():
        if flag not in _SENDING_FLAGS:
            raise Inexpressible(line, f"ackclock does not support the flag {flag} of {made.name}")
    if world.is_closed:
        raise Inexpressible(
            line, f"found {made.name} after the application closed the connection, expected no further write"
        )
    state = world.state()
    new = world.written.write(count, state.high, closes="MSG_EOR" in flags)
    _check_nagle(world, line, state.una, state.high)
    world.host.write(world.now, new)


def _check_nagle(world: World, line: int, una: int, high: int) -> None:
    """Raises Inexpressible if Nagle's algorithm would hold a short segment back until an earlier short one is
    acknowledged (RFC 9293 section 3.7.4, with Minshall's change).
    """
    written = world.written
    if world.nodelay or not written.packets or not written.is_short(written.packets - 1):
        return
    if any(written.is_short(packet) for packet in range(una, min(high, written.packets - 1))):
        raise Inexpressible(
            line,
            "Nagle's algorithm would delay this short segment, but ackclock does not implement it: set TCP_NODELAY in "
            "the script",
        )
