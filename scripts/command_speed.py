"""CPU time and memory of commands: all of it, the core's share, and what is spent before the first simulation.

The core's share is the time of the threads that simulate, which the core has besides the one of Python. Reading and
checking a scenario is on Python's thread, so it counts as outside of the core.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

FLOWS = (2, 1_000, 10_000)
STUDY = "rbcc/table-4.1"
SHORT_RUNS = 300

_DRIVER = """
import json, os, sys, time
from pathlib import Path
told = {}

def watch(core):
    class Batch(core.Batch):
        def __init__(self, *given):
            told.setdefault("before_s", time.process_time())
            super().__init__(*given)
        def __iter__(self):
            yield from super().__iter__()
            # Until here no other thread has worked: libraries for tables come later.
            told["core_s"] = time.process_time() - time.thread_time()
    core.Batch = Batch

if sys.argv[1]:
    from ackclock import _typed_core as core
    watch(core)
from ackclock.cli import invoke
code = invoke(sys.argv[3:])
Path(sys.argv[2]).write_text(json.dumps(told))
sys.exit(code)
"""


@dataclass(frozen=True)
class Cost:
    """What a command took."""

    cpu_s: float
    """Of the whole process."""
    core_s: float
    """Of the threads that simulate."""
    before_s: float | None
    """Until the first run began; None if the command simulates nothing."""
    memory_mb: float
    """The most memory that the process had."""

    @property
    def outside_s(self) -> float:
        """Returns the CPU time outside of the core."""
        return self.cpu_s - self.core_s


def scenario(flows: int) -> str:
    """Returns flows of 1 Mbit/s each over one bottleneck for five seconds, as `bench --scale` has them."""
    return f"""name = "scale"
duration = "5 s"
[dumbbell]
pairs = {flows}
bottleneck = {{ rate = "{flows} Mbit/s", delay = "10 ms", queue = {{ name = "droptail", limit = "70 ms" }} }}
left = {{ rate = "100 Mbit/s", delay = {{ evenly = ["9 ms", "39 ms"] }} }}
right = {{ rate = "100 Mbit/s", delay = "1 ms" }}
[[flows]]
name = "sack"
count = {flows}
control = "sack"
start = {{ uniform = ["0 s", "1 s"] }}
"""


def short_runs(runs: int) -> str:
    """Returns a sweep of runs of one flow over a second."""
    return f"""name = "short"
duration = "1 s"
[dumbbell]
pairs = 1
bottleneck = {{ rate = "10 Mbit/s", delay = "10 ms", queue = {{ name = "droptail", limit = "50 packets" }} }}
access = {{ rate = "100 Mbit/s", delay = "1 ms" }}
[[flows]]
name = "tcp"
control = "reno"
[sweep]
"dumbbell.bottleneck.rate" = {{ from = "5 Mbit/s", to = "15 Mbit/s", scale = "log" }}
samples = {{ count = {runs} }}
"""


@dataclass(frozen=True)
class Command:
    """A command line of ``ackclock``."""

    what: str
    arguments: Sequence[str]
    simulates: bool = False
    results: str | None = None
    """The folder of its results, if an earlier command has filled it."""


def commands(folder: Path) -> Iterator[Command]:
    """Returns the commands to measure, after writing their scenarios into ``folder``."""
    short = folder / "short.toml"
    short.write_text(short_runs(SHORT_RUNS), encoding="utf-8")
    yield Command("`--help`", ["--help"])
    for flows in FLOWS:
        file = folder / f"{flows}.toml"
        file.write_text(scenario(flows), encoding="utf-8")
        yield Command(f"`run`, {flows:,} flows", ["run", str(file)], simulates=True)
    out = str(folder / "out")
    yield Command(f"`run --out`, {flows:,} flows", ["run", str(file), "--out", out], simulates=True)
    yield Command(f"`run`, {SHORT_RUNS} runs of 1 s", ["run", str(short)], simulates=True)
    yield Command(f"`reproduce {STUDY}`, stored", ["reproduce", STUDY], results="study")
    yield Command("`evaluate cubic --plan`", ["evaluate", "cubic", "--plan"])


def compare(repeat: int) -> None:
    """Prints the costs of all commands as a table, medians of ``repeat`` measurements after one that does not count."""
    rows = []
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        for command in commands(folder):
            measured = [measure(command, folder, number) for number in range(repeat + 1)][1:]
            rows.append((command.what, _median(measured)))
        imported = [_python(["-c", "from ackclock import Scenario, Run"], folder) for _ in range(repeat + 1)][
            1:
        ]
        empty = [_python(["-c", ""], folder) for _ in range(repeat + 1)][1:]
    rows.insert(0, ("`from ackclock import Scenario, Run`", _median(imported)))
    rows.insert(0, ("Python alone", _median(empty)))
    print(table(rows), end="", flush=True)


def table(rows: Sequence[tuple[str, Cost]]) -> str:
    """Returns the costs as a table in Markdown."""
    heads = ["command", "CPU s", "in the core", "outside", "before the first run", "memory, MB"]
    lines = [heads, ["---", *["---:"] * 5]]
    for what, cost in rows:
        before = "" if cost.before_s is None else f"{cost.before_s:.2f}"
        times = [f"{value:.2f}" for value in (cost.cpu_s, cost.core_s, cost.outside_s)]
        lines.append([what, *times, before, f"{cost.memory_mb:.0f}"])
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def measure(command: Command, folder: Path, number: int) -> Cost:
    """Runs a command in a process of its own, without results of an earlier one unless it is to find them."""
    told = folder / "told.json"
    results = folder / (command.results or f"results-{number}")
    arguments = [
        str(folder / f"out-{number}") if one == str(folder / "out") else one for one in command.arguments
    ]
    flag = "watch" if command.simulates else ""
    cost = _python(["-c", _DRIVER, flag, str(told), *arguments], folder, results)
    found: Mapping[str, float] = json.loads(told.read_text(encoding="utf-8"))
    return Cost(cost.cpu_s, found.get("core_s", 0.0), found.get("before_s"), cost.memory_mb)


def _python(arguments: Sequence[str], folder: Path, results: Path | None = None) -> Cost:
    """Runs Python with its compiled modules kept, as an installation has them."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")
    environment["ACKCLOCK_RESULTS"] = str(results or folder)
    silent = subprocess.DEVNULL
    process = subprocess.Popen([sys.executable, *arguments], stdout=silent, stderr=silent, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"error: {' '.join(arguments[-3:])} ended with {process.returncode}")
    return Cost(usage.ru_utime + usage.ru_stime, 0.0, None, usage.ru_maxrss / 1024)


def _median(measured: Sequence[Cost]) -> Cost:
    before = [cost.before_s for cost in measured if cost.before_s is not None]
    return Cost(
        median(cost.cpu_s for cost in measured),
        median(cost.core_s for cost in measured),
        median(before) if before else None,
        median(cost.memory_mb for cost in measured),
    )
