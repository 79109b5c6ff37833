"""The glue in ``examples/stacks``: each stack is built from its registry into a folder for the test, and runs whole.

What takes more than half a minute of CPU time to build is left to ``make test-nightly``. picoquic is in no registry.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from ackclock import Scenario
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
    Glue("aioquic", "reno", ("cc",)),
]
NIGHTLY = [
    Glue("quic-go", "cubic", ("go", "cc"), randomness="not seeded"),
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


def _text(glue: Glue, queue: str = BUFFER, application: str = "") -> str:
    return SCENARIO.format(queue=queue, application=application, name=glue.name, control=glue.control)


def _built(glue: Glue, folder: Path) -> Path:
    """Returns the library of a stack. Skips the test where a tool is missing or a registry is out of reach."""
    for tool in glue.tools:
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is missing, which builds {glue.name}")
    command = [FOLDER / glue.name / "build", folder]
    environment = os.environ | {"PYTHON": sys.executable}
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


def test_every_folder_with_a_build_is_tested_or_says_why_not() -> None:
    built = {script.parent.name for script in FOLDER.glob("*/build")}
    assert built - {glue.name for glue in (*QUICK, *NIGHTLY)} == {"picoquic"}
    assert "ackclock's tests do not build it" in (FOLDER / "picoquic" / "build").read_text(encoding="utf-8")
