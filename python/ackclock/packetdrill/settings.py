"""Converts the settings of a script into the transport and the control of a flow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ackclock.packetdrill.commands import Effect, HyStart, Queue, Route, Sysctl, effects
from ackclock.packetdrill.handshake import Handshake
from ackclock.packetdrill.language import Call, Command, Inexpressible, Script, Segment, whole_number

LINUX = "linux"
"""The default profile, which imitates Linux's TCP."""
CONTROLS: Mapping[str, str] = {
    # The kernel's name: the name of ackclock's control.
    "cubic": "cubic",
    "reno": "newreno",
    "bbr": "bbrv1",
    "highspeed": "hstcp",
    **{name: name for name in ("bic", "dctcp", "htcp", "hybla", "illinois", "scalable", "vegas", "veno")},
    **{name: name for name in ("westwood", "yeah")},
}
"""The congestion controls of Linux that ackclock supports."""
_OF_LINUX: Mapping[str, Mapping[str, Any]] = {
    "cubic": {"name": "cubic", "variant": "linux"},
    "bbr": {"name": "bbrv1", "extra_acked_rounds": 10},
}
"""The controls for which the profile ``linux`` uses parameters that follow the kernel, as ``linux:cubic`` and
``linux:bbr`` do.
"""
_VARIABLES = """
wmem syn_retries synack_retries fastopen fastopen_key syncookies notsent_lowat tso_win_divisor min_tso_segs
limit_output_bytes autocorking no_metrics_save fack moderate_rcvbuf adv_win_scale app_win ecn_fallback
min_rtt_wlen tso_rtt_log challenge_ack_limit invalid_ratelimit retries1 retries2 orphan_retries mem
backlog_ack_defer tw_reuse ecn_option_beacon base_mss
sack timestamps window_scaling ecn ecn_option
"""
_WITHOUT_EFFECT = frozenset(f"tcp_{name}" for name in _VARIABLES.split())
"""Sysctl variables that are ignored. ackclock does not model what most of them configure, such as a send buffer,
segmentation offload and Fast Open. What the others configure, such as ``sack``, is read from the script's segments.
"""
_MOST_BYTES = 900_000_000
"""The largest receive window, in bytes: more than any script has in flight."""
_DETAILS: Mapping[str, Callable[[int], Mapping[str, Any]]] = {
    "tcp_dsack": lambda value: {"dsack": value > 0},
    "tcp_frto": lambda value: {"frto": value > 0},
    # tcp_schedule_loss_probe: 3 and 4 send probes; what 1 and 2 were for is RACK's today.
    "tcp_early_retrans": lambda value: {"tail_loss_probe": value in (3, 4)},
    "tcp_reordering": lambda value: {"dupack_threshold": value},
    "tcp_slow_start_after_idle": lambda value: {"after_idle": "halve" if value else "keep"},
    "tcp_pacing_ss_ratio": lambda value: {"pacing_slow_start": value / 100},
    "tcp_pacing_ca_ratio": lambda value: {"pacing_avoidance": value / 100},
    "tcp_rto_min_us": lambda value: {"min_rto": f"{value} us"},
    "tcp_rto_max_ms": lambda value: {"max_rto": f"{value} ms"},
}
"""The transport parameters that each sysctl variable sets, from its value."""
_ONLY = {"tcp_recovery": 1, "tcp_thin_linear_timeouts": 0, "tcp_mtu_probing": 0}
"""The only value of each sysctl variable that ackclock supports."""


@dataclass
class Settings:
    """The settings of a flow."""

    transport: dict[str, Any]
    flow: dict[str, Any] = field(default_factory=dict)
    control: str | None = None
    """The kernel's name of the control; None if the script names none."""
    control_line: int = 0
    """The line of the script that names the control."""
    refuses: bool = False


def settings(script: Script, agreed: Handshake, profile: str) -> Settings:
    """Returns what the script sets before its first segment. Inexpressible for what ackclock does not
    support.
    """
    found = Settings(_agreed(script, agreed))
    if profile == "ns2":
        found.transport["handshake"] = True
    for line, effect in _before_segments(script):
        _apply(found, effect, line)
    for event in script.events:
        match event.action:
            case Call(name="setsockopt", arguments=(_, _, "TCP_CONGESTION", name, *_)):
                found.control, found.control_line = name.strip('[]" '), event.line
    return found


def control_for(found: Settings, profile: str) -> str | Mapping[str, Any]:
    """Returns the control that stands for that of a script, by default CUBIC, in a profile. Inexpressible if none
    does.
    """
    name = found.control or "cubic"
    if name not in CONTROLS:
        raise Inexpressible(
            found.control_line,
            f"ackclock does not support the congestion control {name}; choose one with --control",
        )
    return _OF_LINUX[name] if profile == LINUX and name in _OF_LINUX else CONTROLS[name]


def _agreed(script: Script, agreed: Handshake) -> dict[str, Any]:
    """Returns the details of the transport on which the hosts agree."""
    details: dict[str, Any] = {
        "packet": f"{_packet(script, agreed)} B",
        "timestamps": agreed.stamps,
        "window": "1000000 packets",
        "receive_window": "autotuned",
        "max_receive_window": f"{_MOST_BYTES} B",
        "ecn": agreed.classic_ecn or agreed.accurate_ecn,
        "accurate_ecn": agreed.accurate_ecn,
    }
    if not agreed.selective:
        details["recovery"] = "newreno"
    return details


def _packet(script: Script, agreed: Handshake) -> int:
    """Returns the payload of a full segment. It is the host's own, or the peer's if only the peer sends data."""
    if any(not one.arrives and one.has_data for _, one in script.segments):
        return agreed.packet_bytes
    sizes = [one.length for _, one in script.segments if one.arrives and one.has_data]
    return max(sizes, default=agreed.packet_bytes)


def _before_segments(script: Script) -> Iterator[tuple[int, Effect]]:
    """Yields the effects of the commands before the first segment."""
    place = Path(script.file)
    for line, command in script.setup:
        yield from ((line, one) for one in effects(command, line, place))
    for event in script.events:
        if isinstance(event.action, Segment):
            return
        if isinstance(event.action, Command):
            yield from ((event.line, one) for one in effects(event.action, event.line, place))


def changes(script: Script, found: Settings, command: Command, line: int) -> Queue | None:
    """Returns the queue that a command during the connection sets; None if it sets none. Inexpressible for a command
    that changes a setting, which connections of Linux and of ackclock keep as they began.
    """
    queue = None
    before = Settings(dict(found.transport), dict(found.flow), found.control)
    for effect in effects(command, line, Path(script.file)):
        if isinstance(effect, Queue):
            queue = effect
        else:
            _apply(before, effect, line)
    if (before.transport, before.flow, before.control) != (found.transport, found.flow, found.control):
        raise Inexpressible(line, "a setting changes during the connection, which ackclock does not support")
    return queue


def _apply(found: Settings, effect: Effect, line: int) -> None:
    transport = found.transport
    match effect:
        case Sysctl(name="tcp_congestion_control", value=value):
            found.control, found.control_line = value, line
        case Sysctl(name=name, value=value):
            transport |= _sysctl(name, value, line)
        case Queue(paces=paces, refuses=refuses):
            transport["pacing"], found.refuses = paces, refuses
        case HyStart(name="hystart", value=value):
            transport["hystart"] = value != 0
        case HyStart(value=value):
            found.flow["slow_start"] = {
                "name": "hystart",
                "train": bool(value & 1),
                "delay": bool(value & 2),
            }
        case Route(attributes=attributes):
            transport |= _route(attributes, line)


def _sysctl(name: str, value: str, line: int) -> Mapping[str, Any]:
    """Returns the details of the transport that a variable sets."""
    if name in _WITHOUT_EFFECT:
        return {}
    if name == "tcp_rmem":
        initial = whole_number("".join(value.split()[1:2]))
        # Half of the memory serves as window (tcp_adv_win_scale of 1).
        return {} if initial is None else {"initial_receive_window": f"{initial // 2} B"}
    try:
        number = int(value, 0)
    except ValueError:
        raise Inexpressible(
            line, f"ackclock does not support the sysctl variable {name} with the value {value}"
        ) from None
    if name in _DETAILS:
        return _DETAILS[name](number)
    if _ONLY.get(name) != number:
        raise Inexpressible(
            line, f"ackclock does not support the sysctl variable {name} with the value {value}"
        )
    return {}


def _route(attributes: Mapping[str, str], line: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in attributes.items():
        match name:
            case "initcwnd":
                found["initial_window"] = f"{value} packets"
            case "rto_min":
                found["min_rto"] = value.replace("ms", " ms") if value.endswith("ms") else f"{value} ms"
            case _:
                raise Inexpressible(line, f"ackclock does not support the route attribute {name}")
    return found
