"""What several tests share."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import math
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ackclock._store import Store


def folders_of_studies() -> list[str]:
    """The folder of each thesis that has studies."""
    from ackclock.study.load import study_names

    return sorted({name.split("/")[0] for name in study_names()})


def cheapest_study(folder: str) -> str:
    """The study of a folder whose quick run sends the fewest packets: what the tests can afford to run of each."""
    from ackclock.study.load import load_study, study_names
    from ackclock.study.plan import Plan

    def cost(name: str) -> float:
        plan = Plan(load_study(name), quick=True, sensitivity=True)
        plan.check()
        return sum(planned.cost for planned in plan.every_run(1))

    return min((name for name in study_names() if name.startswith(f"{folder}/")), key=cost)


def script(name: str) -> Any:
    """Returns a program of the folder of scripts as a module."""
    folder = Path(__file__).resolve().parents[2] / "scripts"
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), str(folder / name))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        # A dataclass looks up its module there.
        patch.setitem(sys.modules, loader.name, module)
        loader.exec_module(module)
    return module


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    code: int
    out: str
    err: str


Command = Callable[..., Outcome]


@pytest.fixture
def ackclock(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run the command line inside this process, in an empty folder, which has the one for results."""
    from ackclock.cli import invoke

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ACKCLOCK_RESULTS", "ackclock-results")
    monkeypatch.setenv("COLUMNS", "160")
    # A slow machine says no more than a fast one.
    monkeypatch.setattr("ackclock.cli.terminal.LINE_EVERY_S", math.inf)

    def run(*arguments: str | Path) -> Outcome:
        code = invoke([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return run


@pytest.fixture(scope="session")
def finished_runs(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The runs that this session has finished, in whichever of its processes."""
    from ackclock._store import Store

    folder = tmp_path_factory.getbasetemp()
    # Each process of pytest-xdist has a folder of its own below that of the session.
    return Store((folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "finished")


@pytest.fixture
def scenario_file(tmp_path: Path) -> Path:
    """A small scenario that runs in a moment."""
    path = tmp_path / "small.toml"
    path.write_text(SCENARIO)
    return path


def sender(control: str) -> str:
    """A flow's keys: a control that a foreign stack brings along runs over that stack."""
    stack, _, _ = control.rpartition(":")
    return f'control = "{control}"' + (f'\ntransport = "{stack}"' if stack else "")


@pytest.fixture
def study_file(tmp_path: Path) -> Path:
    """A small study that runs in a moment."""
    path = tmp_path / "small-study.toml"
    path.write_text(STUDY)
    return path


@pytest.fixture
def derived_file(tmp_path: Path) -> Path:
    """A study with a base, both in one folder."""
    (tmp_path / "small.base.toml").write_text(BASE)
    path = tmp_path / "derived.toml"
    path.write_text(DERIVED)
    return path


LINKS = """\
bottleneck = { rate = "1 Mbit/s", delay = "10 ms", queue = { name = "droptail", limit = "20 packets" } }
access = { rate = "10 Mbit/s", delay = "1 ms" }
"""
"""The links of the dumbbell that the tests share."""

SCENARIO = (
    """\
name = "Two flows through 1 Mbit/s"
duration = "5 s"

[dumbbell]
"""
    + LINKS
    + """\

[[flows]]
name = "tcp"
count = 2
control = "newreno"
start = { uniform = ["0 s", "0.5 s"] }
"""
)

STUDY = (
    """\
title = "Few flows and many"
summary = "A study for the tests. Its claims hold by construction."
replications = 3
quick = { replications = 2, overrides = { "duration" = "3 s" } }

[source]
thesis = "rbcc"
item = "Table 0.0"
section = "0.0"

[scenario]
duration = "5 s"

[scenario.dumbbell]
"""
    + LINKS
    + """\

[[scenario.flows]]
name = "tcp"
count = 2
control = "newreno"
start = { uniform = ["0 s", "0.5 s"] }

[[cases]]
name = "few"
label = "2 flows"

[[cases]]
name = "many"
label = "8 flows"
overrides = { "flows.tcp.count" = 8 }

[[metrics]]
id = "goodput"
label = "Goodput of all flows"
unit = "Mbit/s"
expr = "sum(flows.goodput_bps) / 1e6"
paper = { few = 1.0 }

[[metrics]]
id = "flows_seen"
label = "Number of flows"
expr = "count(flows.goodput_bps)"

[[claims]]
id = "1"
text = "There are four times as many flows"
measured = "flows_seen('many') / flows_seen('few')"
paper = 4
tolerance = "0.001"
direction = "flows_seen('few') < flows_seen('many')"

[[claims]]
id = "2"
text = "No packet arrives"
measured = "goodput('few')"
expect = "< 0"

[[figures]]
id = "cwnd"
kind = "time"
series = "flows.tcp-1.cwnd_packets"
cases = ["few"]
caption = "Congestion window of the first flow"

[[assumptions]]
what = "Number of flows"
taken = "2 and 8"
why = "The tests need two."
interpretations = [
    { label = "6 and 6", against = "The title.", overrides = { "flows.tcp.count" = 6 } },
    { label = "count the bits", metrics = { flows_seen = "sum(flows.goodput_bps)" } },
]

[[findings]]
claim = "2"
text = "Packets do arrive."
"""
)


BASE = (
    """\
# What the tests share.
replications = 3
quick = { replications = 2, overrides = { "duration" = "3 s" } }

[source]
thesis = "rbcc"

[scenario]
duration = "5 s"

# one bottleneck
[scenario.dumbbell]
"""
    + LINKS
    + """\

[[scenario.flows]]
name = "tcp"
count = 2
# the control
control = "newreno"
start = { uniform = ["0 s", "0.5 s"] }

[[assumptions]]
id = "flows"
what = "Number of flows"
taken = "2 and 8"
why = "The tests need two."
interpretations = [
    { label = "6 and 6", against = "The title.", overrides = { "flows.tcp.count" = 6 } },
    { label = "count the bits", metrics = { flows_seen = "sum(flows.goodput_bps)", other = "fairness" } },
]

[[assumptions]]
id = "control"
what = "Control"
taken = "NewReno"
why = "It is not said."
[[assumptions.interpretations]]
label = "SACK"
changes = [
    { cases = ["few*", "none*"], overrides = { "flows.tcp.control" = "sack" } },
    { cases = ["other"], overrides = { "flows.tcp.control" = "vegas" } },
]
"""
)
"""What ``STUDY`` says, as far as a base can say it."""

DERIVED = (
    """\
title = "Few flows and many"
summary = "A study for the tests. Its claims hold by construction."
base = "small.base.toml"
assume = ["flows"]

[source]
item = "Table 0.0"
section = "0.0"

"""
    + STUDY[STUDY.index("[[cases]]") : STUDY.index("[[assumptions]]")]
    + STUDY[STUDY.index("[[findings]]") :]
)
"""``STUDY`` on top of ``BASE``."""


def replaced(text: str, *changes: Sequence[str]) -> str:
    """``text`` with each (old, new) replaced; the old must be there."""
    for old, new in changes:
        assert old in text, f"{old!r} is not in the text"
        text = text.replace(old, new)
    return text


EVALUATED = """
family = "N-02"
title = "Small"
summary = "A small scenario."

[[axes]]
name = "buffer"
path = "dumbbell.bottleneck.queue.limit"
values = ["10 packets", "40 packets"]
quick = ["10 packets"]

[[metrics]]
id = "delay"
label = "Queueing delay"
unit = "ms"
expr = '1000 * link("bottleneck").wait_p95_s'
better = "less"

[[criteria]]
metric = "delay"
limit = { measure = "ratio", high = 1.05 }

[scenario]
duration = "6 s"
warmup = "1 s"

[scenario.dumbbell]
rtt = "40 ms"
bottleneck = { rate = "5 Mbit/s", delay = "1 ms", queue = { name = "droptail", limit = "10 packets" } }
access = { rate = "50 Mbit/s" }

[[scenario.flows]]
name = "tested"
control = "cubic"
start = { uniform = ["0 ms", "100 ms"] }
"""
"""A small scenario of an evaluation, which runs in a moment."""
