"""Packets per CPU second of ns-2 and ns-3 on the dumbbells of reference/peers, measured in turn with ours.

A shared machine is now faster and now slower. What is measured in turn has the same of both, so the ratio of the
medians counts, not the figures of two runs an hour apart. Ours is measured twice over: as the benchmark, a program of
Rust, and as a user calls it from Python, with the core that is installed.
"""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
PEERS = ROOT / "reference" / "peers"
WORKLOADS = {"W1": "droptail", "W2": "droptail", "W3": "red"}
NS3_LIBRARIES = ("core", "network", "internet", "point-to-point", "applications", "traffic-control")
MIN_CPU_S = 1.0
"""What is measured from Python takes so long at least; the benchmark does the same by itself."""


def compare(bench: Path, repeat: int) -> None:
    """Print the medians of ours, the installed core and ns-2 on each workload; ns-3, which takes long, runs once."""
    with tempfile.TemporaryDirectory() as directory:
        ns2, ns3 = find_ns2(), build_ns3(Path(directory))
        if ns2 is not None:
            say("ns2-start", f"{start_of_ns2(ns2, Path(directory)):.3f} cpu-s")
        for workload, queue in WORKLOADS.items():
            rates = measure_in_turn(bench, ns2, workload, queue, repeat)
            medians = {name: median(values) for name, values in rates.items()}
            for name, rate in medians.items():
                say(f"{name}-{workload.lower()}", f"{rate:.0f} packets/cpu-s")
            for name in ("ours", "installed") if "ns2" in medians else ():
                ratio = medians[name] / medians["ns2"]
                say(f"{name}-{workload.lower()}-over-ns2", f"{ratio:.2f} times")
            if ns3 is not None and workload == "W2":
                print("ns-3 on W2 is left out: it takes hours", file=sys.stderr)
            elif ns3 is not None:
                rate = rate_of_peer([*ns3, f"--workload={workload}", f"--queue={queue}", "--seed=0"])
                say(f"ns3-{workload.lower()}", f"{rate:.0f} packets/cpu-s")


def measure_in_turn(
    bench: Path, ns2: list[str] | None, workload: str, queue: str, repeat: int
) -> dict[str, list[float]]:
    """Packets per CPU second of each that there is, one round after the other."""
    measured: dict[str, Callable[[], float]] = {
        "ours": lambda: rate_of_benchmark(bench, workload),
        "installed": lambda: rate_from_python(workload),
    }
    if ns2 is not None:
        measured["ns2"] = lambda: rate_of_peer([*ns2, workload, "sack", queue, "0"])
    rates: dict[str, list[float]] = {name: [] for name in measured}
    for _ in range(repeat):
        for name, measure in measured.items():
            rates[name].append(measure())
    return rates


def rate_of_benchmark(bench: Path, workload: str) -> float:
    """One measurement of the benchmark."""
    command: list[str | Path] = [bench, "--repeat", "1", scenario_of(workload)]
    printed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return float(printed.split()[2])


def rate_from_python(workload: str) -> float:
    """One measurement of the installed core, called from Python: reading the file, running, and taking the results.

    Without values over time, which ns-2 and ns-3 do not take here either.
    """
    from ackclock.scenario import Scenario

    def packets_delivered() -> int:
        run = Scenario.from_file(scenario_of(workload)).run(series=False)
        return int(run.links.item(0, "delivered_packets"))

    packets_delivered()  # the first run of a process loads libraries besides
    packets, started = 0, time.process_time()
    while (spent_s := time.process_time() - started) < MIN_CPU_S:
        packets += packets_delivered()
    return packets / spent_s


def rate_of_peer(command: list[str]) -> float:
    """One run of a peer, from its start to its end."""
    spent_s, printed = run_peer(command)
    return float(json.loads(printed.strip().splitlines()[-1])["delivered"]) / spent_s


def start_of_ns2(ns2: list[str], directory: Path) -> float:
    """CPU seconds that ns-2 takes to do nothing: part of what each of its runs takes."""
    nothing = directory / "nothing.tcl"
    nothing.write_text("exit 0\n", encoding="utf-8")
    return sum(run_peer([ns2[0], str(nothing)])[0] for _ in range(10)) / 10


def run_peer(command: list[str]) -> tuple[float, str]:
    """CPU seconds that a peer takes, and what it prints; the end if it fails."""
    before = children_cpu_seconds()
    run = subprocess.run(command, check=False, capture_output=True, text=True)
    spent_s = children_cpu_seconds() - before
    if run.returncode != 0:
        sys.exit(f"error: {' '.join(command)} failed: {run.stderr.strip()[:200]}")
    return spent_s, run.stdout


def find_ns2() -> list[str] | None:
    """The beginning of the command that runs a dumbbell in ns-2."""
    ns2 = shutil.which("ns")
    if ns2 is None:
        print("ns-2 is not installed (Debian: apt-get install ns2)", file=sys.stderr)
        return None
    return [ns2, str(PEERS / "ns2_dumbbell.tcl")]


def build_ns3(directory: Path) -> list[str] | None:
    """The same in ns-3, whose scenario is a program."""
    program = directory / "ns3_dumbbell"
    libraries = [f"-lns3-{library}" for library in NS3_LIBRARIES]
    compiler = ["g++", "-O3", "-march=native", "-std=c++17", "-DNS3_BUILD_PROFILE_RELEASE"]
    source = str(PEERS / "ns3_dumbbell.cc")
    try:
        subprocess.run([*compiler, source, "-o", str(program), *libraries], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        print("ns-3 is not installed (Debian: apt-get install libns3-dev g++)", file=sys.stderr)
        return None
    return [str(program)]


def scenario_of(workload: str) -> Path:
    """A dumbbell as a scenario file."""
    return ROOT / "scenarios" / "peers" / f"{workload.lower()}.toml"


def say(name: str, measured: str) -> None:
    """A line as the benchmark prints them."""
    print(f"bench {name} {measured}", flush=True)


def children_cpu_seconds() -> float:
    """User and system time of the finished child processes."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
