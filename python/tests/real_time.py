"""What the tests of ``ackclock path``, ``ackclock wire`` and ``ackclock control`` share."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ackclock.kernel_controls import PROGRAM

MISSING = (
    "the two hosts need network namespaces",
    "a PID namespace cannot be created",
    "the kernel has no packet sockets",
    "the kernel needs CONFIG_VETH",
    "Linux 4.20 or later is needed",
    "install iproute2",
    "real time needs Linux",
)
"""What the command says where a machine cannot run it. Any other error is a fault of the command."""
NO_TUN = "needs TUN devices, but"
"""What the command says where a machine has no TUN devices, or the user may not make them."""
NOT_OFFERED = (
    f"the program {PROGRAM} is missing",
    "requires root, but this process lacks",
    "requires root on the host",
    "the kernel has no type information",
    "or later, found",
    "the kernel cannot load congestion controls in BPF",
    "the kernel's BPF JIT compiler is off",
    "the kernel rejects all bpf() calls",
)
"""What a command says where a machine cannot offer controls to its kernel. Tests fail where it rejects our program."""
PATIENCE_S = 180.0
"""After this time something that should happen never will. It decides about nothing else."""


def until(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.05)


def ports() -> set[str]:
    """Returns the interfaces with the names of the commands' own, which belong in namespaces that the commands make."""
    return {name for _, name in socket.if_nameindex()} & {"port1", "port2"}


def network_namespaces(of: int | None = None) -> set[str]:
    """Returns the network namespaces that a process is in, holds open or has mounted: what keeps them alive. ``of`` is
    the process; without it, those of all.
    """
    found: set[str] = set()
    for process in Path("/proc").glob("[0-9]*" if of is None else str(of)):
        links: list[Path] = []
        with suppress(OSError):
            links += [task / "ns" / "net" for task in (process / "task").iterdir()]
        with suppress(OSError):
            links += (process / "fd").iterdir()
        for link in links:
            with suppress(OSError):
                found.add(str(link.readlink()))
        with suppress(OSError):
            mounts = (process / "mountinfo").read_text().splitlines()
            found.update(line.split()[3] for line in mounts if " nsfs " in line)
    return {name for name in found if name.startswith("net:[")}
