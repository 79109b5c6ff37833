"""Traffic for tests of ``ackclock path``.

``send FILE`` on one host and ``receive FILE`` on the other: numbered datagrams. The sender repeats a last one until the
receiver has written what it has received to the file.

``stream ADDRESS SECONDS`` and ``sink``: a transfer over the kernel's CUBIC.
"""

from __future__ import annotations

import json
import socket
import sys
import time
from pathlib import Path

PACKETS = 200
PORT = 5000
LAST = 65535


def send(file: Path) -> None:
    """Sends the datagrams with ECT(0)."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, 2)
        for number in range(PACKETS):
            sender.sendto(number.to_bytes(2, "big") * 50, ("10.78.0.2", PORT))
        while not file.exists():
            sender.sendto(LAST.to_bytes(2, "big"), ("10.78.0.2", PORT))
            time.sleep(0.02)


def receive(file: Path) -> None:
    """Receives datagrams until the last, and writes their numbers and ECN fields."""
    numbers, fields = [], []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)
        receiver.bind(("", PORT))
        while True:
            data, ancillary, _, _ = receiver.recvmsg(2048, 64)
            number = int.from_bytes(data[:2], "big")
            if number == LAST:
                break
            numbers.append(number)
            fields.extend(value[0] & 3 for _, _, value in ancillary)
    written = file.with_suffix(".part")
    written.write_text(json.dumps({"numbers": numbers, "ecn": fields}))
    written.rename(file)


def stream(address: str, seconds: float) -> None:
    """Sends as much as the connection takes."""
    end = time.monotonic() + seconds
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as sender:
        sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"cubic")
        sender.settimeout(seconds)
        sender.connect((address, PORT))
        while time.monotonic() < end:
            sender.send(bytes(65536))


def sink() -> None:
    """Takes what one connection sends, over IPv4 or IPv6."""
    with socket.create_server(("", PORT), family=socket.AF_INET6, dualstack_ipv6=True) as server:
        connection, _ = server.accept()
        while connection.recv(1 << 20):
            pass


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["send", file]:
            send(Path(file))
        case ["receive", file]:
            receive(Path(file))
        case ["stream", address, seconds]:
            stream(address, float(seconds))
        case ["sink"]:
            sink()
