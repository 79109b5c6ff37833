"""Stacks in shared libraries: equal to the same stack inside, named in one way, and able to fail only their run."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

from ackclock import Scenario
from ackclock._stacks import stacks
from ackclock._store import Job
from ackclock.errors import InputError, RunError, ScenarioError

from .conftest import Command
from .libraries import FUNCTIONS, INCLUDE, changed_toy, compiled, noq_library, toy

SCENARIO = """
duration = "4 s"
[dumbbell]
rtt = "40 ms"
bottleneck = { rate = "10 Mbit/s", queue = { name = "droptail", limit = "50 kB" } }
access = { rate = "1 Gbit/s" }
[[flows]]
name = "flow"
control = "toy:newreno"
transport = "toy"
"""
TRANSFER = SCENARIO + 'application = { name = "bulk", size = "1 MB" }\n'
CRASH = "*(volatile int *)0 = 1;"


@pytest.fixture(scope="module")
def libtoy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The toy stack."""
    return toy(tmp_path_factory.mktemp("toy"))


@pytest.fixture
def scenario_file(tmp_path: Path) -> Path:
    """A flow of the toy."""
    file = tmp_path / "toy.toml"
    file.write_text(SCENARIO, encoding="utf-8")
    return file


def _random_scenario(number: int) -> str:
    """Returns a scenario with a flow over noq, whose text says ``noq`` for transport and controls."""
    one = random.Random(number)  # noqa: S311  (no cryptography)
    rate, rtt = one.choice([2, 5, 10, 30]), one.choice([5, 20, 60, 150])
    queue = one.choice(
        [
            '{ name = "droptail", limit = "1 bdp" }',
            f'{{ name = "droptail", limit = "{one.choice([10, 40, 120])} kB" }}',
            '{ name = "droptail", limit = "12 packets" }',
            '{ name = "codel", ecn = true, limit = "4 bdp" }',
            '{ name = "fq-codel", ecn = true, limit = "4 bdp" }',
        ]
    )
    impairment = one.choice(
        ["", ', loss = { name = "independent", probability = 0.01 }', ", reorder = { share = 0.01 }"]
    )
    application = one.choice(
        [
            "",
            f'application = {{ name = "bulk", size = "{one.choice([1, 30, 700, 2000])} kB" }}',
            'application = { name = "transfers", every = "300 ms", size = "60 kB" }',
            'application = { name = "cbr", rate = "1 Mbit/s" }',
        ]
    )
    count = "" if "transfers" in application else f"count = {one.choice([1, 1, 2, 3])}"
    details = one.choice(["", ', datagram = "1252 B"', ', window = "40 packets"'])
    beside = one.choice(
        ["", '[[flows]]\nname = "beside"\ncontrol = "cubic"\ntransport = "linux"\nstart = "0.5 s"\n']
    )
    return f"""
duration = "{one.choice([3, 5, 8])} s"
warmup = "{one.choice([0, 1])} s"
[dumbbell]
bottleneck = {{ rate = "{rate} Mbit/s", delay = "{rtt / 2 - 0.4} ms", queue = {queue}{impairment} }}
access = {{ rate = "1 Gbit/s", delay = "0.2 ms" }}
[[flows]]
name = "flow"
{count}
control = "noq:{one.choice(["cubic", "newreno"])}"
transport = {{ name = "noq"{details} }}
start = "{one.choice([0, 0.3])} s"
{application}
{beside}"""


def _differences(numbers: range) -> list[int]:
    """Returns the scenarios in which noq in a library has another document than noq inside. RunError if one fails."""
    found, busy = [], 0
    for number in numbers:
        text = _random_scenario(number)
        inside = Scenario.from_text(text).run(number)
        outside = Scenario.from_text(text.replace('"noq', '"noq-library'), stacks=[noq_library()]).run(number)
        busy += any(flow["sent_packets"] for flow in inside.result["flows"])
        if inside.document != json.loads(outside.to_json().replace('"noq-library', '"noq')):
            found.append(number)
    # In a few, all is over before the warm-up.
    assert busy > 0.8 * len(numbers)
    return found


def test_noq_in_a_library_has_the_document_of_noq_inside() -> None:
    assert _differences(range(6)) == []


@pytest.mark.nightly
def test_noq_in_a_library_has_the_document_of_noq_inside_in_200_scenarios() -> None:
    assert _differences(range(200)) == []


def test_a_library_in_c_runs_and_repeats(libtoy: Path) -> None:
    scenario = Scenario.from_text(SCENARIO, stacks=[libtoy])
    first = scenario.run(1)
    flow = first.result["flows"][0]
    assert 8.5e6 < flow["goodput_bps"] < 10e6
    assert flow["randomness"] == "seeded"
    assert flow["stack_reductions"] > 0
    assert first.document == scenario.run(1).document
    assert {"cwnd_packets", "rtt_s"} <= set(first.series.columns)
    # What the toy does not tell is null, as its pacing rate is, and not zero.
    assert flow["retransmitted_packets"] is None
    completed = Scenario.from_text(TRANSFER, stacks=[libtoy]).run(1).result["flows"][0]["completed_s"]
    assert 0.8 < completed < 3


def test_options_reach_the_library(libtoy: Path) -> None:
    text = SCENARIO.replace("toy:newreno", "toy:fixed")
    goodput = [
        Scenario.from_text(text, stacks=[f"{libtoy},initial={window}"])
        .run(1)
        .result["flows"][0]["goodput_bps"]
        for window in (4, 8)
    ]
    # A window of four packets in 41 ms, and of eight.
    assert goodput[0] == pytest.approx(4 * 8 * 1447 / 0.0412, rel=0.05)
    assert goodput[1] == pytest.approx(2 * goodput[0], rel=0.05)


def test_another_build_takes_the_place_of_a_library(tmp_path: Path, libtoy: Path) -> None:
    scenario = Scenario.from_text(SCENARIO, stacks=[libtoy])
    slow = changed_toy(tmp_path, "slow", {"write": "if (now < 2000000000) return 0;"})
    assert scenario.run(1, stacks=[slow]).result["flows"][0]["goodput_bps"] < 5.5e6
    assert scenario.run(1).result["flows"][0]["goodput_bps"] > 8.5e6


def test_a_transfer_that_is_noticed_at_a_timer_completes(tmp_path: Path) -> None:
    first = "static uint64_t due = ACKCLOCK_NEVER; static int noticed;"
    own = "ackclock_state state; toy_state(end, &state); if (end->role == ACKCLOCK_CLIENT && state.delivered == 1)"
    late = {
        "timeout": f"{own} {{ if (!noticed && due == ACKCLOCK_NEVER) due = now + 500000000; return due; }}",
        "on_timeout": f"{own} {{ noticed = 1; due = ACKCLOCK_NEVER; return; }}",
        "state": "toy_state(end, state); if (!noticed && end->role == ACKCLOCK_CLIENT) state->delivered = 0; return;",
    }
    library = changed_toy(tmp_path, "late", late, first)
    completed = Scenario.from_text(TRANSFER, stacks=[library]).run(1).result["flows"][0]["completed_s"]
    at_once = Scenario.from_text(TRANSFER, stacks=[toy(tmp_path)]).run(1).result["flows"][0]["completed_s"]
    assert completed == pytest.approx(at_once + 0.5, abs=1e-6)


@pytest.mark.parametrize("function", ["abi", "about", "new"])
def test_a_crash_before_the_run_is_an_error_of_the_input(
    tmp_path: Path, scenario_file: Path, function: str, ackclock: Command
) -> None:
    library = changed_toy(tmp_path, "faulty", {function: CRASH})
    made = ackclock("run", scenario_file, "--stack", library)
    assert made.code == 2
    assert f"{library}: the library crashed with SIGSEGV in ackclock_stack_{function}" in made.err


@pytest.mark.parametrize("function", [name for name in FUNCTIONS if name not in ("abi", "about", "new")])
def test_a_crash_in_a_run_fails_that_run(
    tmp_path: Path, scenario_file: Path, function: str, ackclock: Command
) -> None:
    # An end is freed once before the first run, when options are tried.
    guard = (
        "static int calls; if (calls++ > 0)"
        if function == "free"
        else "if (end->sent > 100 || end->base > 100)"
    )
    functions = {function: f"{guard} {CRASH}"}
    if function == "on_timeout":  # which nothing needs on this path
        functions["timeout"] = "if (end->sent > 100) return 2000000000;"
    library = changed_toy(tmp_path, "faulty", functions)
    made = ackclock("run", scenario_file, "--stack", library, "--seed", "3", "--set", "flows.flow.stop=3 s")
    assert made.code == 1, made.err
    pattern = (
        rf"seed 3: toy crashed with SIGSEGV in ackclock_stack_{function} at \d+\.\d{{9}} s of simulated time "
        rf"\({library}\)"
    )
    assert re.search(pattern, made.err), made.err


def test_a_loop_ends_by_the_limit_of_time(tmp_path: Path, scenario_file: Path, ackclock: Command) -> None:
    library = changed_toy(tmp_path, "loop", {"recv": 'if (now > 1000000000) for (;;) __asm__ volatile("");'})
    made = ackclock("run", scenario_file, "--stack", library, "--limit", "1")
    assert made.code == 1
    assert re.search(r"toy took more than 1 s of CPU time in ackclock_stack_recv at 1\.0\d+ s", made.err), (
        made.err
    )


def test_a_leak_ends_by_the_limit_of_memory(tmp_path: Path, scenario_file: Path, ackclock: Command) -> None:
    leak = "static char *volatile all; all = malloc(1 << 24); memset(all, 1, 1 << 24);"
    library = changed_toy(tmp_path, "leak", {"recv": leak})
    made = ackclock("run", scenario_file, "--stack", library)
    assert made.code == 1
    assert re.search(
        r"toy crashed with SIGSEGV after it used [12]\.\d GiB of memory \(limit: 2 GiB\) in ackclock_stack_recv",
        made.err,
    ), made.err


def test_what_a_library_prints_last_is_in_the_message(tmp_path: Path) -> None:
    abort = 'if (now > 1000000000) { fprintf(stderr, "assertion failed: cwnd > 0\\n"); abort(); }'
    library = changed_toy(tmp_path, "aborts", {"recv": abort})
    with pytest.raises(
        RunError, match=r"crashed with SIGABRT in .*; its last line of output: assertion failed: cwnd > 0"
    ):
        Scenario.from_text(SCENARIO, stacks=[library]).run(1)


def test_an_exit_of_a_library_is_no_success(tmp_path: Path) -> None:
    library = changed_toy(tmp_path, "exits", {"recv": "if (now > 1000000000) exit(0);"})
    with pytest.raises(
        RunError, match=r"toy ended its process with exit code 0 in ackclock_stack_recv at 1\."
    ):
        Scenario.from_text(SCENARIO, stacks=[library]).run(1)


@pytest.mark.parametrize(
    ("functions", "message"),
    [
        (
            {"timeout": "if (now > 1000000000) return now;"},
            "toy still had a timer due after 10000 calls of ackclock_stack_on_timeout without time advancing, at 1",
        ),
        (
            {"send": "return size + 1;"},
            "toy sent a datagram of 1473 bytes, expected at most 1472 bytes, at 0 s",
        ),
        (
            {"write": "return bytes + 1;"},
            "toy accepted 65537 bytes in ackclock_stack_write, but was offered only 65536, at 0 s",
        ),
        (
            {"write": "return bytes;"},
            "toy accepted more than 1 GiB in ackclock_stack_write without time advancing",
        ),
        (
            {"read": "return now > 1000000000 ? 1000000000 : 0;"},
            "toy delivered 1000000000 bytes in ackclock_stack_read, but the client has accepted only",
        ),
    ],
)
def test_a_breach_of_the_boundary_fails_the_run(
    tmp_path: Path, functions: dict[str, str], message: str
) -> None:
    library = changed_toy(tmp_path, "breach", functions)
    with pytest.raises(RunError, match=f"scenario, seed 1: .*{message}"):
        Scenario.from_text(SCENARIO, stacks=[library]).run(1)


def test_one_run_that_fails_leaves_the_others(tmp_path: Path) -> None:
    library = changed_toy(tmp_path, "some", {"new": f"if (role == 0 && seed == 1) {CRASH}"})
    broken = changed_toy(
        tmp_path, "some", {"recv": f"if (end->connection % 3 == 0 && now > 1000000000) {CRASH}"}
    )
    assert broken == library  # the last one built
    runs = Scenario.from_text(SCENARIO, stacks=[broken]).run_many(range(1, 13), threads=2)
    assert 0 < len(runs.failures) < 12
    assert len(runs) + len(runs.failures) == 12
    assert f"--stack {library}" in runs.failures[0].command


@pytest.mark.parametrize(
    ("functions", "message"),
    [
        ({"abi": "return 2;"}, "the library is built for ABI 2 of ackclock_stack.h, expected ABI 1"),
        ({"read": ""}, "the library lacks the function ackclock_stack_read"),
        (
            {"about": 'if (!strcmp(key, "name")) return "quic";'},
            'the library reports the name "quic", which is the name of a built-in transport',
        ),
        (
            {"about": 'if (!strcmp(key, "name")) return "Toy 1";'},
            'the library reports the name "Toy 1", expected lower',
        ),
        (
            {"about": 'if (!strcmp(key, "controls")) return "";'},
            r"the library \(toy\) names no congestion control",
        ),
        ({"about": "exit(0);"}, "the library ended its process with exit code 0 in ackclock_stack_about"),
        ({"about": "for (;;);"}, "the library took more than 1 s of CPU time in ackclock_stack_about"),
    ],
)
def test_what_cannot_be_run_is_refused_before_the_run(
    tmp_path: Path,
    scenario_file: Path,
    functions: dict[str, str],
    message: str,
    ackclock: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ackclock._stacks.INSPECTION_S", 1.0)
    library = changed_toy(tmp_path, "refused", functions)
    made = ackclock("run", scenario_file, "--stack", library)
    assert made.code == 2
    assert re.search(f"{library}: {message}", made.err), made.err


def test_options_are_checked_before_the_run(libtoy: Path, tmp_path: Path) -> None:
    for word, message in {
        f"{libtoy},colour=red": "toy refuses: the option colour = red",
        f"{libtoy},initial=1": "toy refuses: the option initial = 1: expected initial = 2 or more",
        f"{libtoy},control=fixed": "the option control is reserved",
        f"{libtoy},initial": "found 'initial', expected key=value after the path",
        f"{libtoy},initial=4,initial=5": "found the option initial twice",
        f"{tmp_path}/none.so": "none.so: No such file",
        f"{tmp_path}": "cannot be|Is a directory",
    }.items():
        with pytest.raises(InputError, match=message):
            stacks([word])
    text = tmp_path / "text.so"
    text.write_text("no library", encoding="utf-8")
    with pytest.raises(
        InputError, match=r"text\.so: the library cannot be loaded: .*file too short|invalid ELF header"
    ):
        stacks([text])


def test_two_libraries_of_one_name_are_refused(tmp_path: Path, libtoy: Path) -> None:
    other = changed_toy(tmp_path, "other", {"free": ";"})
    with pytest.raises(InputError, match=r"found a stack called 'toy', and another with this name in .*toy"):
        stacks([libtoy, other])


def test_a_scenario_that_names_no_loaded_stack_says_how_to_load_it(
    scenario_file: Path, ackclock: Command
) -> None:
    made = ackclock("run", scenario_file)
    assert made.code == 2
    assert made.err.count("a stack in a library, loaded with `--stack PATH`") == 2, made.err


def test_a_control_of_ours_does_not_run_under_a_library(libtoy: Path) -> None:
    with pytest.raises(
        ScenarioError,
        match=r"the congestion control \"cubic\" over toy, expected one of toy:newreno, toy:cubic, toy:fixed",
    ):
        Scenario.from_text(SCENARIO.replace("toy:newreno", "cubic"), stacks=[libtoy])


def test_stored_runs_belong_to_the_library_and_its_options(tmp_path: Path, libtoy: Path) -> None:
    (first,) = stacks([libtoy])
    (with_option,) = stacks([f"{libtoy},initial=4"])
    (other,) = stacks([changed_toy(tmp_path, "other", {"free": ";"})])
    without = Job(SCENARIO, "f", {}, 1).key()
    keys = {Job(SCENARIO, "f", {}, 1, stacks=[one]).key() for one in (first, with_option, other)}
    assert len(keys | {without}) == 4
    # A run that does not name the stack is the same run whatever libraries are there.
    plain = SCENARIO.replace("toy:newreno", "cubic").replace('"toy"', '"quic"')
    assert Job(plain, "f", {}, 1, stacks=[first]).key() == Job(plain, "f", {}, 1).key()
    overridden = {"flows.flow.transport": "toy", "flows.flow.control": "toy:fixed"}
    assert Job(plain, "f", overridden, 1, stacks=[first]).key() != Job(plain, "f", overridden, 1).key()


def test_runs_are_stored_and_found(scenario_file: Path, libtoy: Path, ackclock: Command) -> None:
    arguments = ["run", scenario_file, "--stack", libtoy, "--json", "--replications", "2"]
    first, second = (ackclock(*arguments) for _ in range(2))
    assert (first.code, first.out) == (0, second.out)
    assert "stack toy 1: " in first.err


def test_the_header_is_c_and_cpp(tmp_path: Path) -> None:
    header = (INCLUDE / "ackclock_stack.h").read_text(encoding="utf-8")
    compiled(tmp_path, "header", header + "int unused;\n")
    for name in FUNCTIONS:
        assert f"ackclock_stack_{name}(" in header


def test_a_library_takes_part_in_the_bench(libtoy: Path, ackclock: Command) -> None:
    arguments = ["bench-stack", "toy:newreno", "newreno@quic", "--path", "app-limited", "--replications", "1"]
    made = ackclock(*arguments, "--stack", libtoy, "--json")
    assert made.code == 0, made.err
    cells = json.loads(made.out)["paths"]["app-limited"]
    # The application writes 12 Mbit/s, which both carry.
    assert [cell["goodput"]["mean"] for cell in cells] == pytest.approx([12, 12], rel=0.01)


@pytest.mark.slow
def test_a_library_is_evaluated_beside_controls_over_our_quic(libtoy: Path, ackclock: Command) -> None:
    words = ["--against", "newreno", "--only", "N-02", "--seeds", "2"]
    made = ackclock("evaluate", "toy:newreno", "--transport", "toy", "--stack", libtoy, *words)
    assert made.code == 0, made.err
    assert "newreno uses the loss recovery quic, not rack" in made.out
    assert re.search(r"^1 (OK|CONCERN|undecided|as standard controls)", made.out, re.MULTILINE), made.out
