"""Instructions of the processor for each packet that W1, W2, W3, S1 and W2 under bbrv3 deliver, counted by callgrind.

A count has no noise: the same program and compiler give the same number. Two runs of different length are
subtracted, so what comes before the first packet, and the first rounds of slow start, do not count.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from build_folder import build_folder

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "reference" / "instructions.json"
# Simulated seconds of the shorter and the longer run; under BBRv3 from when what its Startup has lost is repaired.
RUNS = {"W1": (4, 8), "W2": (3, 5), "W3": (2, 4), "S1": (4, 8), "W2-BBRv3": (6, 8)}


def valgrind() -> str | None:
    """Where valgrind is, if it is installed."""
    return shutil.which("valgrind")


def compiler() -> str:
    """The compiler's version: another one makes other instructions."""
    return subprocess.run(["rustc", "--version"], check=True, capture_output=True, text=True).stdout.strip()


def program() -> Path:
    """The benchmark, built without QUIC stacks: no workload has one, and they take five times as long to build."""
    command = ["cargo", "build", "--quiet", "--release", "--locked", "-p", "ackclock-lab", "--bin", "bench"]
    command += ["--no-default-features"]
    subprocess.run(command, cwd=ROOT, check=True)
    return build_folder() / "release" / "bench"


def per_packet(bench: Path, workload: str) -> float:
    """Instructions for each packet that a workload delivers between the ends of its two runs."""
    (short_packets, short), (long_packets, long) = (
        run(bench, workload, seconds) for seconds in RUNS[workload]
    )
    return (long - short) / (long_packets - short_packets)


def run(bench: Path, workload: str, seconds: int) -> tuple[int, int]:
    """Packets delivered and instructions taken in `seconds` of simulated time."""
    name = f"{workload.lower()}.toml"
    scenario = next((ROOT / "scenarios").glob(f"*/{name}"))
    with tempfile.TemporaryDirectory() as folder:
        callgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out"]
        command = [*callgrind, str(bench), "--count", str(seconds), str(scenario)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    packets = re.search(r"packets (\d+)", done.stdout)
    instructions = re.search(r"Collected : (\d+)", done.stderr)
    if packets is None or instructions is None:
        message = f"callgrind said something else: {done.stdout} {done.stderr}"
        raise ValueError(message)
    return int(packets[1]), int(instructions[1])
