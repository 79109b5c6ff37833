"""The glue in ``examples/stacks``: each stack is built from its registry into a folder for the test, and runs whole.

What takes more than half a minute of CPU time to build is left to ``make test-nightly``. picoquic is in no registry.
"""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from ackclock import Scenario
from ackclock._stacks import stacks
from ackclock.drills.alone import hashes
from ackclock.drills.check import EVENTFUL, check, target
from ackclock.drills.script import DATAGRAM, Script, delay, drop, mark
from ackclock.errors import InputError

from .libraries import ROOT

FOLDER = ROOT / "examples" / "stacks"
UNREACHABLE = re.compile(
    r"could not resolve|name resolution|network|dial tcp|timed? ?out|connection (refused|reset)|failed to download|"
    r"no matching distribution",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Glue:
    """A stack of ``examples/stacks``."""

    name: str
    control: str
    tools: tuple[str, ...]
    """The programs that its build needs."""
    randomness: str = "seeded"
    marks: bool = False
    """Whether its senders set ECT, and react to marks."""


QUICK = [
    Glue("ngtcp2", "cubic", ("cargo", "cc"), marks=True),
]
NIGHTLY = [
    Glue("aioquic", "reno", ("cc",)),
    Glue("quic-go", "reno", ("go", "cc"), randomness="not seeded"),
    Glue("quiche", "cubic", ("cargo", "cmake", "cc", "c++")),
    Glue("s2n-quic", "cubic", ("cargo", "cc"), marks=True),
]
SCENARIO = """
duration = "4 s"
warmup = "1 s"
[dumbbell]
rtt = "40 ms"
bottleneck = {{ rate = "10 Mbit/s", queue = {queue} }}
access = {{ rate = "1 Gbit/s" }}
[[flows]]
name = "flow"
control = "{name}:{control}"
transport = "{name}"
{application}
"""
BUFFER = '{ name = "droptail", limit = "50 kB" }'
MARKING = '{ name = "codel", ecn = true, limit = "200 kB" }'


PATHS = {
    "loss": Script(3.0, rules=drop(20, 33, *range(90, 1500, 61))),
    "a short queue": Script(3.0, rates=((0.0, 10e6),), queue_bytes=50_000),
    "reordering": Script(3.0, rules=delay(0.03, range(20, 1500, 37))),
    "marks": Script(3.0, rules=mark(*range(60, 1500, 150))),
    "a transfer": EVENTFUL,
    "a transfer in pieces": Script(
        4.0, rules=drop(3, 4, 60, 61), writes=[(0.4 * n, 25 * DATAGRAM) for n in range(5)], finishes=True
    ),
}
"""The paths and applications over which pairs of processes are compared."""
PAIRS = 20


def _text(glue: Glue, queue: str = BUFFER, application: str = "") -> str:
    return SCENARIO.format(queue=queue, application=application, name=glue.name, control=glue.control)


def _built(glue: Glue, folder: Path, **variables: str) -> Path:
    """Returns the library of a stack. Skips the test where a tool is missing or a registry is out of reach."""
    for tool in glue.tools:
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is missing, which builds {glue.name}")
    command = [FOLDER / glue.name / "build", folder]
    environment = os.environ | {"PYTHON": sys.executable, **variables}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode and UNREACHABLE.search(done.stderr):
        pytest.skip(f"the registry of {glue.name} cannot be reached: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    return folder / f"libackclock-{glue.name}.so"


def _elsewhere(text: str, library: Path) -> str:
    """Returns the document of a run in another process of Python, whose hashes have another seed."""
    code = (
        "import sys; from ackclock import Scenario; "
        "print(Scenario.from_text(sys.argv[1], stacks=[sys.argv[2]]).run(1).to_json())"
    )
    environment = os.environ | {"PYTHONHASHSEED": "7", "PYTHONPATH": str(ROOT / "python")}
    command = [sys.executable, "-c", code, text, str(library)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.rstrip("\n")


@pytest.mark.parametrize(
    "glue",
    [
        *(pytest.param(one, id=one.name) for one in QUICK),
        *(pytest.param(one, id=one.name, marks=pytest.mark.nightly) for one in NIGHTLY),
    ],
)
def test_a_stack_of_a_registry_runs_whole_and_repeats(glue: Glue, tmp_path: Path) -> None:
    library = _built(glue, tmp_path)
    run = Scenario.from_text(_text(glue), stacks=[library]).run(1)
    flow = run.result["flows"][0]
    assert 8.5e6 < flow["goodput_bps"] < 10e6
    assert flow["randomness"] == glue.randomness
    assert flow["closed_reason"] is None
    assert flow["cwnd_mean_packets"] > 10
    assert _elsewhere(_text(glue), library) == run.to_json().rstrip("\n")
    # 1 MB takes 0.8 s at the rate of the bottleneck.
    transfer = _text(glue, application='application = { name = "bulk", size = "1 MB" }')
    assert 0.8 < Scenario.from_text(transfer, stacks=[library]).run(1).result["flows"][0]["completed_s"] < 3
    over_marks = Scenario.from_text(_text(glue, queue=MARKING), stacks=[library]).run(1).result
    assert (over_marks["links"][0]["marked_packets"] > 0) == glue.marks
    assert over_marks["flows"][0]["goodput_bps"] > 4e6
    with pytest.raises(InputError, match=f"{glue.name} refuses: .*nonsense"):
        Scenario.from_text(_text(glue), stacks=[f"{library},nonsense=1"])


@pytest.mark.nightly
@pytest.mark.parametrize("glue", [pytest.param(one, id=one.name) for one in (*QUICK, *NIGHTLY)])
def test_pairs_of_processes_send_equal_datagrams_at_equal_times(glue: Glue, tmp_path: Path) -> None:
    (stack,) = stacks([_built(glue, tmp_path)])
    controls = [name.partition(":")[2] for name in stack.controls]
    settings = itertools.islice(itertools.cycle(itertools.product(PATHS, controls)), PAIRS)
    found = set()
    for seed, (path, control) in enumerate(settings, 1):
        one, other = (hashes(target(stack, control), PATHS[path], seed) for _ in range(2))
        assert one == other, f"{control} over {path}, seed {seed}"
        assert one[0] > 100, f"{control} over {path}, seed {seed}"
        found.add(one[2])
    assert len(found) == PAIRS, "seeds differ"


def test_every_folder_with_a_build_is_tested_or_says_why_not() -> None:
    built = {script.parent.name for script in FOLDER.glob("*/build")}
    assert built - {glue.name for glue in (*QUICK, *NIGHTLY)} == {"picoquic"}
    assert "ackclock's tests do not build it" in (FOLDER / "picoquic" / "build").read_text(encoding="utf-8")


NGTCP2_FAULTS = {
    # what is wrong: a file, a text that occurs there once, what takes its place, a control, the drills that it violates
    "no reduction at persistent congestion": (
        "ngtcp2_cc.c",
        "  (void)cc;\n  (void)ts;\n\n  cstat->cwnd = 2 * cstat->max_tx_udp_payload_size;\n",
        "  (void)cc;\n  (void)ts;\n",
        "reno",
        {"persistent-congestion"},
    ),
    "growth while the application limits": (
        "ngtcp2_cc.c",
        "cubic->rst->rs.is_app_limited && !cubic->rst->is_cwnd_limited;",
        "0;",
        "cubic",
        {"limited-in-slow-start", "limited-in-avoidance"},
    ),
    "an epoch that no loss begins": (
        "ngtcp2_cc.c",
        "  cubic->current.epoch_start = ts;\n  cubic->current.app_limited_start_ts = UINT64_MAX;\n",
        "  cubic->current.app_limited_start_ts = UINT64_MAX;\n",
        "cubic",
        {"cubic-convex"},
    ),
    "no backoff of the probe timeout": (
        "ngtcp2_conn.c",
        "  ++cstat->pto_count;\n",
        "",
        "reno",
        {"probe-backoff"},
    ),
}


@pytest.mark.nightly
def test_check_stack_finds_faults_in_ngtcp2(tmp_path: Path) -> None:
    glue = QUICK[0]
    (stack,) = stacks([_built(glue, tmp_path)])
    home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    (source,) = home.glob("registry/src/*/ngtcp2-sys-0.2.0/deps/ngtcp2/lib")
    for name, (file, old, new, control, drills) in NGTCP2_FAULTS.items():
        without = check(target(stack, control), only=sorted(drills), paths=False)
        assert without.of("VIOLATED") == [], name
        copy = tmp_path / name.replace(" ", "-")
        shutil.copytree(source, copy / "lib")
        text = (copy / "lib" / file).read_text(encoding="utf-8")
        assert text.count(old) == 1, name
        (copy / "lib" / file).write_text(text.replace(old, new), encoding="utf-8")
        (faulty,) = stacks([_built(glue, copy, NGTCP2=str(copy / "lib"))])
        report = check(target(faulty, control), only=sorted(drills), paths=False)
        assert {one.drill.id for one in report.of("VIOLATED")} == drills, name
