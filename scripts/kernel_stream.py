"""A transfer without a protocol of its own: ``send CONTROL SECONDS`` on one host, ``sink`` on the other.

iperf3 begins with a packet of 37 bytes, whose round trip is shorter than that of full packets by the time that the link
needs for one. Controls that compare with the shortest round trip then hold a packet less.
"""

from __future__ import annotations

import os
import socket
import sys
import time
from contextlib import suppress

ADDRESS = ("10.78.0.2", 5000)
PRIORITY = 5
"""Below that of the links. Any will do: without one the sender waits for other work, and the link runs empty."""


def send(control: str, seconds: float) -> None:
    """Sends for this long as much as the connection takes."""
    with socket.socket() as sender:
        sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control.encode())
        sender.settimeout(seconds)
        sender.connect(ADDRESS)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            sender.send(bytes(65536))


def sink() -> None:
    """Takes what one connection sends."""
    with socket.create_server(("", ADDRESS[1])) as server:
        connection, _ = server.accept()
        while connection.recv(1 << 20):
            pass


if __name__ == "__main__":
    # Without the right to it, the results are those of a busy machine.
    with suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
    match sys.argv[1:]:
        case ["send", control, seconds]:
            send(control, float(seconds))
        case ["sink"]:
            sink()
