"""The connection of a script in virtual time: the host, the packets of its data, and what it has sent."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ackclock.packetdrill.language import Inexpressible, Script, ScriptError, whole_number
from ackclock.packetdrill.outcome import Compared, Row
from ackclock.packetdrill.stream import Incoming, Written

if TYPE_CHECKING:
    from ackclock._core import Departure, Host, HostState
    from ackclock.packetdrill.handshake import Handshake

USUAL_TOLERANCE = 4_000_000
"""The default tolerance of times, in nanoseconds, which is packetdrill's.

Packetdrill also allows an eighth of the time since the previous event, because a real machine can be late. In virtual
time no event is late, so ackclock allows a share of that time only if the script sets ``--tolerance_percent``.
"""
_PATIENCE = 10**12
"""The longest wait, in nanoseconds, for a segment that the script expects at any time (``*``)."""
_NAMES = """
tolerance_usecs tolerance_percent mss mtu tcp_ts_tick_usecs strict_segments ip_version
bind_port connect_port local_ip remote_ip gateway_ip netmask_ip speed is_anyip debug verbose
"""
KNOWN_OPTIONS = tuple(_NAMES.split())
"""The packetdrill options that a script can set. Those listed after tcp_ts_tick_usecs have no effect in ackclock."""
_OTHERS = """
code_command code_format code_sockopt define dry_run init_scripts non_fatal psp_udp_port send_omit_free so_filename
so_flags tcp_ts_ecr_scaled wire_client wire_client_dev wire_server wire_server_at wire_server_dev wire_server_ip
wire_server_port
"""
OTHER_OPTIONS = frozenset(_OTHERS.split())
"""The packetdrill options that ackclock does not support."""


@dataclass
class World:
    """The state of a running script."""

    script: Script
    agreed: Handshake
    host: Host
    packet_bytes: int
    uses_ecn: bool
    now: int = 0
    last_event: int = 0
    """The time of the previous event, in nanoseconds."""
    queue: deque[Departure] = field(default_factory=deque)
    """The segments that the host has sent and that have not been compared with an event yet."""
    rows: list[Row] = field(default_factory=list)
    compared: Compared = field(default_factory=Compared)
    not_compared: dict[int, str] = field(default_factory=dict)
    stamps: dict[int, int] = field(default_factory=dict)
    """When the host sent the segment that has a timestamp in the script, in nanoseconds, by that timestamp."""
    acknowledged: list[tuple[int, int]] = field(default_factory=list)
    """For each acknowledgement of the host, its time and the number of the peer's packets that it acknowledges."""
    handshake_sent: int = 0
    """The time at which the host sent its last handshake segment, in nanoseconds."""
    third_is_due: bool = False
    """Whether the host should send the third segment of the handshake, which ackclock's TCP does not send."""
    awaits_third: bool = False
    """Whether a SYN has arrived at the listening host, but not yet the third segment of the handshake."""
    nodelay: bool = False
    is_closed: bool = False
    has_closed: bool = False
    """Whether the peer has sent a FIN."""
    echoes: int = 0
    """The number of packets that acknowledgements with the flag ECE (RFC 3168) have covered."""
    heard: tuple[int, int | None, int] = (0, None, 0)
    """The number of acknowledged packets, the window and the ECN flags in the peer's last acknowledgement."""

    def __post_init__(self) -> None:
        self.written = Written(self.packet_bytes)
        arriving = [one for _, one in self.script.segments if one.arrives and one.has_data]
        self.incoming = Incoming((one.start - 1, one.end - 1) for one in arriving)
        self.tolerance = self._option("tolerance_usecs", USUAL_TOLERANCE // 1000) * 1000
        self.tolerance_share = self._option("tolerance_percent", 0) / 100
        self.tick = self._option("tcp_ts_tick_usecs", 0) * 1000

    def _option(self, name: str, otherwise: int) -> int:
        line, value = self.script.options.get(name, (0, str(otherwise)))
        number = whole_number(value)
        if number is None:
            raise ScriptError(
                self.script.file, line, f'--{name}: found "{value:.40}", expected a whole number'
            )
        return number

    def state(self) -> HostState:
        """Returns the state of the host now."""
        return self.host.state(self.now)

    def advance(self, until: int, *, inclusive: bool) -> None:
        """Lets time pass up to ``until``, with the timers that are due before then, or then too."""
        self.host.run(until, inclusive)
        self.now = max(self.now, until)
        self.collect()

    def collect(self) -> None:
        """Takes what the host has sent."""
        for departure in self.host.take_departures():
            if departure.kind == "handshake":
                self.handshake_sent = departure.at
            elif departure.kind == "acknowledgement":
                self.acknowledged.append((departure.at, departure.number))
            self.queue.append(departure)

    def next_departure(self, until: int | None) -> Departure | None:
        """Takes the next segment that the host sends by ``until``, or at any time; None if it sends none."""
        limit = self.now + _PATIENCE if until is None else until
        while not self.queue:
            due = self.state().timer
            if due is None or due > limit:
                return None
            self.advance(max(due, self.now), inclusive=True)
        departure = self.queue.popleft()
        self.now = max(self.now, departure.at)
        return departure

    def show_the_rest(self) -> int:
        """Adds the data segments that the host has sent and the script did not expect to the timeline. Returns their
        number.
        """
        rest = [one for one in self.queue if one.kind not in ("handshake", "acknowledgement")]
        for departure in rest:
            before = sum(row.time <= departure.at for row in self.rows)
            row = Row(departure.at, "", f"{self.shown(departure)} (not expected)")
            self.rows.insert(before, row)
        return len(rest)

    def leave_out(self, line: int, what: str) -> None:
        """Records what the script says at a line that is not compared."""
        before = self.not_compared.get(line)
        self.not_compared[line] = what if before is None else f"{before}; {what}"

    def row(self, line: int, time: int, script: str = "", host: str = "", *, differs: bool = False) -> None:
        """Adds a row to the timeline."""
        self.rows.append(Row(time, script, host, line, differs))

    def shown(self, departure: Departure) -> str:
        """Returns a segment of the host as the script would write it."""
        match departure.kind:
            case "handshake":
                return f"{'S' if self.agreed.connects else 'S.'} 0:0(0)"
            case "probe":
                at = self.written.start(departure.number)
                return f"window probe {at}:{at}(0)"
            case "acknowledgement":
                at = 1 + self.written.start(min(self.state().high, self.written.packets))
                blocks = " ".join(
                    f"{1 + self.incoming.byte(first)}:{1 + self.incoming.byte(end)}"
                    for first, end in departure.blocks
                )
                acknowledged = 1 + self.incoming.byte(departure.number)
                return f". {at}:{at}(0) ack {acknowledged}" + (f" <sack {blocks}>" if blocks else "")
            case _:
                first = 1 + self.written.start(departure.number)
                size = self.written.size(departure.number)
                again = " again" if departure.again else ""
                return f"{first}:{first + size}({size}){again}"

    def stamp_of(self, line: int, echoed: int) -> int:
        """Returns when the segment was sent whose timestamp the peer echoes."""
        if echoed not in self.stamps:
            raise Inexpressible(
                line,
                f"found the echoed timestamp {echoed}, expected the timestamp of an earlier segment of the host",
            )
        return self.stamps[echoed]
