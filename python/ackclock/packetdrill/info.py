"""The fields of Linux's ``tcp_info`` (include/uapi/linux/tcp.h) for which ackclock has a value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ackclock._names import nearest
from ackclock.packetdrill.expressions import CodeError, Number, Unknown

if TYPE_CHECKING:
    from ackclock._core import HostState
    from ackclock.packetdrill.stream import Written

INFINITE_THRESHOLD = 0x7FFFFFFF
"""Linux's TCP_INFINITE_SSTHRESH: the value of the slow-start threshold while none is set."""
STATES = ("Open", "Disorder", "CWR", "Recovery", "Loss")
"""The states of loss recovery, by their number in Linux (``enum tcp_ca_state``)."""
CONSTANTS: Mapping[str, int] = {
    **{f"TCP_CA_{name}": number for number, name in enumerate(STATES)},
    "TCP_INFINITE_SSTHRESH": INFINITE_THRESHOLD,
    "TCP_ESTABLISHED": 1,
    "TCP_SYN_SENT": 2,
    "TCP_SYN_RECV": 3,
}
_MICROSECOND = 1000
_FIELDS = """
state options options2 snd_wscale rcv_wscale delivery_rate delivery_rate_app_limited ato rcv_mss fackets
last_data_sent last_ack_sent last_data_recv last_ack_recv pmtu rcv_ssthresh advmss reordering max_pacing_rate
rcv_space bytes_acked bytes_received segs_out segs_in data_segs_in sndbuf_limited dsack_dups reord_seen
rcv_ooopack snd_wnd rcv_wnd rehash total_rto_recoveries total_rto_time ecn_mode accecn_opt_seen
accecn_fail_mode received_ce delivered_e1_bytes delivered_e0_bytes delivered_ce_bytes received_e1_bytes
received_e0_bytes received_ce_bytes
"""
WITHOUT_COUNTERPART = frozenset(f"tcpi_{name}" for name in _FIELDS.split())
"""The fields of tcp_info for which ackclock has no value. Assertions that name them are not compared."""


def fields(state: HostState, written: Written, *, stamps: bool) -> dict[str, Number]:
    """Returns the fields that have a value now. Times are microseconds, as in Linux. Without timestamps (``stamps``)
    ``rcv_rtt`` has no value, because the peer's segments do not show which acknowledgements it had received.
    """
    window, pacing, receive_window, _ = state.limited
    unsent = written.bytes - written.start(min(state.high, written.packets))
    found: dict[str, Number | None] = {
        "snd_cwnd": int(state.cwnd),
        "snd_ssthresh": INFINITE_THRESHOLD if state.ssthresh is None else int(state.ssthresh),
        "ca_state": STATES.index(state.state),
        "unacked": state.high - state.una,
        "sacked": state.sacked,
        "lost": state.lost,
        "retrans": state.resent,
        "total_retrans": state.retransmitted,
        "retransmits": state.expiries,
        "backoff": state.expiries,
        "probes": state.window_probes,
        "total_rto": state.timeouts,
        "rto": state.rto // _MICROSECOND,
        "rtt": state.srtt // _MICROSECOND,
        "rttvar": state.rttvar // _MICROSECOND,
        "min_rtt": None if state.min_rtt is None else state.min_rtt // _MICROSECOND,
        "rcv_rtt": (state.receiver_rtt or 0) // _MICROSECOND if stamps else None,
        "snd_mss": written.packet_bytes,
        "delivered": int(state.delivered),
        "delivered_ce": int(state.delivered_marked),
        "data_segs_out": state.sent,
        "notsent_bytes": unsent,
        "pacing_rate": None if state.pacing_rate is None else state.pacing_rate // 8,
        "busy_time": (window + pacing + receive_window) // _MICROSECOND,
        "rwnd_limited": receive_window // _MICROSECOND,
    }
    return {f"tcpi_{name}": value for name, value in found.items() if value is not None}


_MAYBE = ("tcpi_min_rtt", "tcpi_rcv_rtt", "tcpi_pacing_rate")
"""The fields of tcp_info that do not have a value in every state of a connection."""


def lookup(values: Mapping[str, Number]) -> Callable[[str], Number]:
    """Returns the function by which assertions find the value of a name."""

    def value(name: str) -> Number:
        if name in values:
            return values[name]
        if name in CONSTANTS:
            return CONSTANTS[name]
        if name in WITHOUT_COUNTERPART or name in _MAYBE or name.startswith(("TCPI_", "TCP_")):
            raise Unknown(name)
        raise CodeError(f'tcp_info has no field or constant "{name}"{nearest(name, [*values, *CONSTANTS])}')

    return value


def shown(name: str, value: Number) -> str:
    """Returns a field as a message shows it."""
    if name == "tcpi_ca_state":
        return f"{name} = TCP_CA_{STATES[int(value)]}"
    return f"{name} = {value}"
