#!/usr/bin/env python3
"""Run ns-2, ns-3, usrsctp, quinn and Linux on the reference workloads and keep the results as JSON lines.

    python3 collect.py                 run what is missing from data/
    python3 collect.py --only NAME     only this set (repeatable); --list shows the names
    python3 collect.py --force         run again what is already there
    python3 collect.py --table         print the table of means and put it into README.md

Each file data/NAME.jsonl starts with a line of provenance, then has one run a line.
"""

from __future__ import annotations

import argparse
import datetime
import functools
import hashlib
import importlib.util
import itertools
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from linux import machine

HERE = Path(__file__).resolve().parent
DATA = HERE / "data"
README = HERE / "README.md"
TABLE_START = "<!-- table: written by collect.py --table -->"
TABLE_END = "<!-- end of table -->"
NS3_LIBRARIES = ("core", "network", "internet", "point-to-point", "applications", "traffic-control")
NS3_FLAGS = ("-O3", "-DNS3_BUILD_PROFILE_RELEASE")
WHEEL_VERSION = "3.44"

Run = dict[str, Any]


@dataclass(frozen=True)
class RunSet:
    """Some runs of one script, kept in one file.

    `template` is the command line with {0}, {1}, ... where `values` go, one tuple a run; `words` names them.
    """

    name: str
    script: str
    template: str
    values: tuple[tuple[str, ...], ...]
    words: tuple[str, ...] = ("SEED",)

    @property
    def path(self) -> Path:
        """The file of results."""
        return DATA / f"{self.name}.jsonl"

    @property
    def digest(self) -> str:
        """The hash of the script and of one that it runs, to notice that results are of an older one."""
        scripts = [self.script, *(word for word in self.template.split() if word.endswith(".tcl"))]
        files = [HERE / script for script in scripts]
        if files[0].is_dir():
            place = files[0]
            sources = ("Cargo.lock", "src/*.rs", "*.c", "*.py")
            files = [file for pattern in sources for file in sorted(place.glob(pattern))]
        return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()

    def arguments(self, value: tuple[str, ...]) -> list[str]:
        """The command line of one run, without the program."""
        return self.template.format(*value).split()


def seeds(first: int, last: int) -> tuple[tuple[str, ...], ...]:
    """One run for each seed from `first` to `last`."""
    return tuple((str(seed),) for seed in range(first, last + 1))


def dumbbell(name: str, arguments: str, last: int, suffix: str = "") -> RunSet:
    """A set of ns-2 dumbbell runs with seeds 0 to `last`."""
    return RunSet(f"ns2-{name}", "ns2_dumbbell.tcl", f"{arguments} {{0}}{suffix}", seeds(0, last))


WIRED = ("FLOWS", "MINRTO", "SEED")


def wired(control: str) -> RunSet:
    """The runs of one control on the RBCC thesis's wired topology."""
    values = itertools.product(("5", "25", "40"), ("0.2", "1.0"), (str(seed) for seed in range(1, 21)))
    return RunSet(f"ns2-rbcc-{control}", "ns2_rbcc_wired.tcl", control + " {0} {1} {2}", tuple(values), WIRED)


def wired_within_a_second(control: str) -> RunSet:
    """The same with starts within a second and ns-2's own initial window of two packets."""
    values = itertools.product(("5", "25"), ("0.2", "1.0"), (str(seed) for seed in range(1, 21)))
    template = control + " {0} {1} {2} 1 2"
    return RunSet(f"ns2-rbcc-{control}-within-1s", "ns2_rbcc_wired.tcl", template, tuple(values), WIRED)


def jittered(plain: RunSet) -> RunSet:
    """The same runs, with a random delay before each packet."""
    template = f"{plain.script} {plain.template}"
    return RunSet(f"{plain.name}-jitter", "ns2_jitter.tcl", template, plain.values, plain.words)


def ns3(name: str, workload: str, queue: str, last: int) -> RunSet:
    """A set of ns-3 dumbbell runs with seeds 0 to `last`."""
    template = f"--workload={workload} --queue={queue} --seed={{0}}"
    return RunSet(f"ns3-{name}", "ns3_dumbbell.cc", template, seeds(0, last))


def today(simulator: str, script: str, control: str, flows: int, last: int) -> RunSet:
    """One or two flows of a control of today, with seeds 0 to `last`."""
    ns2_words, ns3_words = f"{control} {flows} {{0}}", f"--control={control} --flows={flows} --seed={{0}}"
    template = ns3_words if simulator == "ns3" else ns2_words
    return RunSet(f"{simulator}-today-{flows}-{control}", script, template, seeds(0, last))


def sctp(name: str, arguments: str, first: int, last: int) -> RunSet:
    """An association over two paths, with seeds `first` to `last`."""
    return RunSet(f"ns2-sctp-{name}", "ns2_sctp.tcl", f"{arguments} {{0}}", seeds(first, last))


MULTIHOMED = ("ASSOCIATIONS", "DELAYED", "RETURN", "SEED")


def multihomed() -> RunSet:
    """Associations over two bottlenecks, as in chapter 6 of the thesis on RBCC: loads and seeds."""
    loads = (("5", "0", "1", 10), ("5", "1", "1", 10), ("25", "1", "1", 16), ("40", "1", "1", 16))
    values = tuple((*load, str(seed)) for *load, last in loads for seed in range(1, last + 1))
    return RunSet("ns2-rbcc-multihomed", "ns2_rbcc_multihomed.tcl", "{0} {1} {2} {3}", values, MULTIHOMED)


def multihomed_jittered() -> RunSet:
    """Five associations over access links that add up to a microsecond to the delay of each packet."""
    values = tuple(("5", delayed, "1", str(seed)) for delayed in ("0", "1") for seed in range(1, 11))
    template = "ns2_rbcc_multihomed.tcl {0} {1} {2} {3}"
    return RunSet("ns2-rbcc-multihomed-jitter", "ns2_link_jitter.tcl", template, values, MULTIHOMED)


def radio_pairs() -> RunSet:
    """TCP to mobiles that stand at places of their own: control, agent, pairs, flows, seeds."""
    loads = (
        ("newreno", "none", "5", "50"),
        ("sack", "none", "5", "50"),
        ("newreno", "snoop", "5", "10"),
        ("newreno", "snoop", "10", "10"),
        ("newreno", "snoop", "5", "50"),
        ("newreno", "snoop", "50", "50"),
    )
    values = tuple((*load, str(seed)) for load in loads for seed in range(1, 11))
    words = ("CONTROL", "AGENT", "PAIRS", "FLOWS", "SEED")
    return RunSet("ns2-radio-pairs", "ns2_radio_pairs.tcl", "{0} {1} 2.2 {2} {3} {4}", values, words)


def usrsctp() -> RunSet:
    """An association of usrsctp over one path with fixed losses: pattern, messages, lost data, lost SACKs."""
    patterns = (
        ("no-loss", "-", "-"),
        ("one-loss", "60", "-"),
        ("early-loss", "1", "-"),
        ("burst", "60-67", "-"),
        ("scattered", "60,63,70,71,90", "-"),
        ("two-windows", "60,61,130,160", "-"),
        ("apart", "60,64,70,76", "-"),
        ("first-window-lost", "0-3", "-"),
        ("resent-lost", "60,60/2", "-"),
        ("resent-lost-in-burst", "60-67,62/2", "-"),
        ("last-lost", "399", "-"),
        ("last-two-lost", "398,399", "-"),
        ("last-lost-twice", "399,399/2,399/3", "-"),
        ("sacks-lost", "-", "10,20-25,40,60-69"),
        ("data-and-sacks-lost", "60,64", "28-33"),
        ("all-sacks-lost", "-", "20-300"),
    )
    values = tuple((name, "400", data, sacks) for name, data, sacks in patterns)
    words = ("PATTERN", "MESSAGES", "LOST_DATA", "LOST_SACKS")
    return RunSet(
        "usrsctp-one-path", "usrsctp_path.c", "{0} {1} {2} {3} credit=1 burst=0 fast_burst=1", values, words
    )


def usrsctp_two_paths() -> RunSet:
    """The same over two paths: pattern, messages, lost data, when the first path is dead, what is set."""
    patterns = (
        ("no-loss", "400", "-", "0", "0", "path_errors=5"),
        ("one-loss", "400", "60", "0", "0", "path_errors=5"),
        ("last-lost", "400", "399", "0", "0", "path_errors=5"),
        ("first-window-lost", "400", "0-3", "0", "0", "path_errors=5"),
        ("failure", "2000", "-", "500", "200000", "path_errors=2"),
        ("failure-after-five", "2000", "-", "500", "200000", "path_errors=5"),
        ("return", "10000", "-", "500", "4000", "path_errors=1 heartbeat_ms=3000"),
    )
    words = ("PATTERN", "MESSAGES", "LOST_DATA", "FROM", "UNTIL", "SETTINGS")
    template = "{0} {1} {2} {3} {4} credit=1 burst=0 fast_burst=1 {5}"
    return RunSet("usrsctp-two-paths", "usrsctp_two_paths.c", template, patterns, words)


def lossy_hop(control: str, agent: str) -> RunSet:
    """TCP over a last hop that loses packets: probabilities of a loss, flows, seeds."""
    values = itertools.product(
        ("0.001", "0.01", "0.03", "0.1", "0.2"), ("1", "5"), (str(seed) for seed in range(1, 11))
    )
    name = f"ns2-lossy-hop-{control}" + ("-snoop" if agent == "snoop" else "")
    template = f"{control} {agent} {{0}} {{1}} {{2}}"
    return RunSet(name, "ns2_lossy_hop.tcl", template, tuple(values), ("LOSS", "FLOWS", "SEED"))


def fading() -> RunSet:
    """Losses of a fading channel: path loss exponents, distances, a seed."""
    values = itertools.product(("2.0", "2.2", "2.4"), ("50", "100", "200", "300", "424"), ("1",))
    words = ("EXPONENT", "DISTANCE", "SEED")
    return RunSet("ns2-radio-fading", "ns2_radio.tcl", "fading {0} {1} {2}", tuple(values), words)


def saturated() -> RunSet:
    """Stations that always have something to send: how many, seeds."""
    values = itertools.product(("1", "2", "3", "5", "10", "15", "20"), ("1", "2", "3"))
    words = ("STATIONS", "SEED")
    return RunSet("ns2-radio-saturated", "ns2_radio.tcl", "saturated {0} {1}", tuple(values), words)


# Lost packets, late packets, lost acknowledgements, outage: of a transfer of 600 packets over one path.
ONE_PATH = (
    ("no-loss", "-", "-", "-", "-"),
    ("one-loss", "120", "-", "-", "-"),
    ("early-loss", "3", "-", "-", "-"),
    ("burst", "120-127", "-", "-", "-"),
    ("scattered", "120,123,130,131,150", "-", "-", "-"),
    ("two-windows", "120,121,300,330", "-", "-", "-"),
    ("every-tenth", "120,130,140,150,160,170", "-", "-", "-"),
    ("acks-lost", "-", "-", "10,20-25,40,60-69", "-"),
    ("data-and-acks-lost", "120,124", "-", "55-60", "-"),
    ("overtaken-by-two", "-", "120:2", "-", "-"),
    ("overtaken-by-many", "-", "120:8", "-", "-"),
    ("short-outage", "-", "-", "-", "0.2-0.22"),
    ("long-outage", "-", "-", "-", "0.2-3.2"),
)


def one_path(name: str, script: str, control: str) -> RunSet:
    """A connection of a real stack over one path, in each pattern of losses."""
    words = ("PATTERN", "LOST", "LATE", "LOST_ACKS", "OUTAGE")
    return RunSet(name, script, f"{{0}} {control} 600 {{1}} {{2}} {{3}} {{4}}", ONE_PATH, words)


RUN_SETS = (
    dumbbell("w1-sack", "W1 sack droptail", 20),
    dumbbell("w1-newreno", "W1 newreno droptail", 20),
    dumbbell("w1-sack-waiting50", "W1 sack droptail", 20, " 51"),
    dumbbell("w1-newreno-waiting50", "W1 newreno droptail", 20, " 51"),
    dumbbell("w2-sack", "W2 sack droptail", 9),
    dumbbell("w3-sack-red", "W3 sack red", 5),
    dumbbell("w3-sack-droptail", "W3 sack droptail", 5),
    wired("newreno"),
    wired("sack"),
    wired("vegas"),
    wired("vegas-stock"),
    wired_within_a_second("newreno"),
    wired_within_a_second("sack"),
    wired_within_a_second("vegas"),
    wired_within_a_second("vegas-stock"),
    jittered(dumbbell("w1-sack", "W1 sack droptail", 20)),
    jittered(dumbbell("w1-newreno", "W1 newreno droptail", 20)),
    jittered(wired("newreno")),
    jittered(wired("sack")),
    jittered(wired("vegas")),
    jittered(wired_within_a_second("newreno")),
    jittered(wired_within_a_second("sack")),
    jittered(wired_within_a_second("vegas")),
    jittered(wired_within_a_second("vegas-stock")),
    ns3("w1-newreno-sack", "W1", "droptail", 20),
    ns3("w3-newreno-sack-red", "W3", "red", 0),
    ns3("w3-newreno-sack-droptail", "W3", "droptail", 0),
    sctp("no-loss", "0 0 100", 0, 0),
    sctp("1-percent", "0.01 0 200", 1, 20),
    sctp("5-percent", "0.05 0 200", 1, 20),
    sctp("10-percent", "0.1 0 200", 1, 20),
    sctp("failure", "0 20 200", 0, 0),
    RunSet("ns2-sctp-cmt-no-loss", "ns2_sctp_cmt.tcl", "ns2_sctp.tcl 0 0 100 {0}", seeds(0, 0)),
    RunSet("ns2-sctp-cmt-1-percent", "ns2_sctp_cmt.tcl", "ns2_sctp.tcl 0.01 0 100 {0}", seeds(1, 20)),
    RunSet("ns2-sctp-packets", "ns2_sctp_packets.tcl", "ns2_sctp.tcl 0.1 1000 {0}", seeds(1, 5)),
    usrsctp(),
    usrsctp_two_paths(),
    lossy_hop("newreno", "none"),
    lossy_hop("sack", "none"),
    lossy_hop("vegas", "none"),
    lossy_hop("newreno", "snoop"),
    fading(),
    saturated(),
    multihomed(),
    multihomed_jittered(),
    radio_pairs(),
    one_path("quinn-newreno", "quinn", "newreno"),
    one_path("quinn-cubic", "quinn", "cubic"),
    *(one_path(f"linux-{control}", "linux", control) for control in ("cubic", "reno", "bbr")),
    *(today("ns2", "ns2_today.tcl", "cubic", flows, last) for flows, last in ((1, 0), (2, 2))),
    today("ns3", "ns3_today.cc", "cubic", 1, 0),
    today("ns3", "ns3_today.cc", "cubic", 2, 2),
    today("ns3", "ns3_today.cc", "bbr", 1, 0),
    today("ns3", "ns3_today.cc", "bbr", 2, 0),
)


def wheel() -> list[str]:
    """The flags for the ns-3 of the wheel, which has its headers and libraries beside its Python modules."""
    found = importlib.util.find_spec("ns3")
    if found is None or found.submodule_search_locations is None:
        sys.exit(f"no wheel: python3 -m pip install ns3=={WHEEL_VERSION}")
    root = Path(found.submodule_search_locations[0])
    libraries = [f"-lns{WHEEL_VERSION}-{library}" for library in NS3_LIBRARIES]
    places = [
        f"-I{root}/include",
        f"-L{root}/lib64",
        f"-Wl,-rpath,{root}/lib64",
        "-Wl,--allow-shlib-undefined",
    ]
    return ["-std=c++23", *places, *libraries]


def build_ns3(script: str, directory: Path) -> str:
    """Compile an ns-3 program once and return its path: with Debian's ns-3 3.37, or that of the wheel."""
    program = directory / Path(script).stem
    if not program.exists():
        debian = ["-std=c++17", *(f"-lns3-{library}" for library in NS3_LIBRARIES)]
        flags = wheel() if script == "ns3_today.cc" else debian
        command = ["g++", *NS3_FLAGS, str(HERE / script), "-o", str(program), *flags]
        subprocess.run(command, check=True)  # noqa: S603 (our own source and flags)
    return str(program)


def build_usrsctp(script: str, directory: Path) -> str:
    """The same for the program that runs usrsctp."""
    program = directory / Path(script).stem
    if not program.exists():
        command = ["gcc", "-O2", "-rdynamic", str(HERE / script), "-o", str(program), "-lusrsctp", "-ldl"]
        subprocess.run(command, check=True)  # noqa: S603 (our own source and flags)
    return str(program)


def build_quinn(script: str) -> str:
    """The same for the program that runs quinn, with the versions of its Cargo.lock."""
    place = HERE / script
    command = ["cargo", "build", "--release", "--locked", "--quiet", "--target-dir", "target"]
    subprocess.run(command, cwd=place, check=True)  # noqa: S603 (our own source and flags)
    return str(place / "target" / "release" / "quinn-path")


@functools.cache
def build_linux(directory: Path) -> list[str]:
    """Make the virtual machine of Linux once; the command that runs it."""
    place = directory / "linux"
    place.mkdir()
    return machine.build(place)


def commands(script: str, directory: Path, arguments: list[str]) -> list[list[str]]:
    """The command line of a run, and others to be tried in turn if it gives no result."""
    if script == "linux":
        # The emulated kernel dies at its start with some command lines, with each always or never.
        more = [[], *([f"attempt={number}"] for number in range(2, 6))]
        return [machine.command(build_linux(directory), [*arguments, *words]) for words in more]
    return [[*launcher(script, directory), *arguments]]


def launcher(script: str, directory: Path) -> list[str]:
    """The words before the arguments in a run's command line, of a program that runs on this machine."""
    if script.endswith(".cc"):
        return [build_ns3(script, directory)]
    if script.endswith(".c"):
        return [build_usrsctp(script, directory)]
    if script == "quinn":
        return [build_quinn(script)]
    return ["ns", str(HERE / script)]


def execute(commands: Sequence[Sequence[str]]) -> Run:
    """Run one simulation; its JSON output and the user CPU seconds it took."""
    for words in commands:
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603 (ours too)
        used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        # ns-2 says besides which module of Linux it takes.
        for line in done.stdout.splitlines():
            if line.startswith("{"):
                run: Run = json.loads(line)
                run["cpu_user_s"] = round(used, 2)
                return run
    message = f"no result of {' '.join(commands[0])}"
    raise ValueError(message)


def read(path: Path) -> tuple[dict[str, str], list[Run]]:
    """A results file: its provenance and its runs (nothing if there is no file)."""
    if not path.exists():
        return {}, []
    first, *rest = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return first["provenance"], rest


def write(run_set: RunSet, runs: Iterable[Run]) -> None:
    """Write a results file whole, so that it is never half an answer."""
    runs = list(runs)
    program = "ns " + run_set.script if run_set.script.endswith(".tcl") else Path(run_set.script).stem
    provenance = {
        "command": f"{program} {run_set.template.format(*run_set.words)}",
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "script": run_set.script,
        "script_sha256": run_set.digest,
        "simulator": f"{runs[0]['simulator']} {runs[0]['version']}",
    }
    lines = [{"provenance": provenance}, *runs]
    run_set.path.parent.mkdir(exist_ok=True)
    temporary = run_set.path.with_suffix(".tmp")
    temporary.write_text("".join(json.dumps(line, sort_keys=True) + "\n" for line in lines), encoding="utf-8")
    temporary.replace(run_set.path)


def collect(run_set: RunSet, directory: Path, *, force: bool) -> None:
    """Bring one results file up to date."""
    provenance, old = read(run_set.path)
    fresh = provenance.get("script_sha256") == run_set.digest and not force
    known = {tuple(run["arguments"]): run for run in old} if fresh else {}
    wanted = [run_set.arguments(value) for value in run_set.values]
    missing = sum(tuple(arguments) not in known for arguments in wanted)
    sys.stderr.write(f"{run_set.name}: {len(wanted)} runs, {missing} to do\n")
    if not missing and len(known) == len(wanted):
        return
    runs = []
    for arguments in wanted:
        run = known.get(tuple(arguments))
        if run is None:
            run = execute(commands(run_set.script, directory, arguments))
            run["arguments"] = arguments
        runs.append(run)
    write(run_set, runs)


def spread(values: Sequence[float], digits: int) -> str:
    """Mean and standard deviation as one cell (the value alone if there is one run)."""
    mean = f"{statistics.fmean(values):,.{digits}f}"
    return mean if len(values) == 1 else f"{mean} ± {statistics.stdev(values):,.{digits}f}"


Column = tuple[str, int, Callable[[Run], float]]


def field(name: str, digits: int, scale: float = 1.0, title: str = "") -> Column:
    """A column that shows one field of the runs."""
    return title or name, digits, lambda run: run[name] * scale


DUMBBELL_COLUMNS: tuple[Column, ...] = (
    field("delivered", 0),
    field("drops", 0),
    field("mean_queue", 1),
    field("retransmitted", 0),
    field("timeouts", 1),
    field("jain", 3),
    field("cpu_user_s", 2),
)
WIRED_COLUMNS: tuple[Column, ...] = (
    ("loss %", 2, lambda run: 100 * run["retransmitted"] / run["injected"]),
    field("drops", 0),
    field("timeouts", 0),
    field("mean_queue", 1),
    field("rtt_mean", 4),
    field("rtt_sd", 4),
    field("utilisation", 1, 100, "utilisation %"),
    field("throughput", 1, 100, "throughput %"),
    field("throughput_payload", 1, 100, "payload %"),
    field("jain", 3),
)


SCTP_COLUMNS: tuple[Column, ...] = (
    field("arrived", 0),
    ("sent over 1", 0, lambda run: run["sent"][0]),
    ("sent over 2", 0, lambda run: run["sent"][1]),
    ("retransmitted over 1", 0, lambda run: run["resent"][0]),
    ("retransmitted over 2", 0, lambda run: run["resent"][1]),
    field("drops", 0),
)


# Packets one by one, and what docs/validation.md shows beside ours.
NOT_IN_TABLE = (
    "sctp-one-path",
    "sctp-packets",
    "quic-one-path",
    "tcp-one-path",
    "sctp-two-paths-packets",
    "lossy-hop",
    "radio-fading",
    "radio-saturated",
    "radio-pairs",
    "rbcc-multihomed",
)


def rows(columns: Sequence[Column], groups: Iterable[tuple[Sequence[str], list[Run]]]) -> list[str]:
    """Table rows: the words of each group, the number of runs, then its columns."""
    lines = []
    for words, runs in groups:
        cells = [spread([value(run) for run in runs], digits) for _, digits, value in columns]
        lines.append("| " + " | ".join([*words, str(len(runs)), *cells]) + " |")
    return lines


def header(words: Sequence[str], columns: Sequence[Column]) -> list[str]:
    """The two first lines of a table."""
    titles = [*words, "runs", *(title for title, _, _ in columns)]
    return ["| " + " | ".join(titles) + " |", "|" + " --- |" * len(titles)]


def table() -> str:
    """The means and standard deviations of all the data, as Markdown tables."""
    plain: list[tuple[Sequence[str], list[Run]]] = []
    grouped: list[tuple[Sequence[str], list[Run]]] = []
    associations: list[tuple[Sequence[str], list[Run]]] = []
    for run_set in RUN_SETS:
        _, runs = read(run_set.path)
        if not runs:
            continue
        if runs[0]["workload"] in NOT_IN_TABLE:
            continue
        if runs[0]["workload"] == "sctp-two-paths":
            associations.append(([run_set.name], runs))
            continue
        if runs[0]["workload"] != "rbcc-wired":
            plain.append(([run_set.name], runs))
            continue
        for key in sorted({(run["flows"], run["minrto"]) for run in runs}):
            group = [run for run in runs if (run["flows"], run["minrto"]) == key]
            grouped.append(([run_set.name, *(f"{part:g}" for part in key)], group))
    lines = [*header(["data"], DUMBBELL_COLUMNS), *rows(DUMBBELL_COLUMNS, plain), ""]
    lines += [*header(["data", "flows", "minrto"], WIRED_COLUMNS), *rows(WIRED_COLUMNS, grouped), ""]
    lines += [*header(["data"], SCTP_COLUMNS), *rows(SCTP_COLUMNS, associations)]
    return "\n".join(lines)


def put_table(text: str) -> None:
    """Replace the table in README.md."""
    readme = README.read_text(encoding="utf-8")
    before, rest = readme.split(TABLE_START)
    _, after = rest.split(TABLE_END)
    README.write_text(f"{before}{TABLE_START}\n{text}\n{TABLE_END}{after}", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and do what it says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    names = [run_set.name for run_set in RUN_SETS]
    parser.add_argument("--only", action="append", choices=names, metavar="NAME", help="one set (repeatable)")
    parser.add_argument("--force", action="store_true", help="run again what is there")
    parser.add_argument("--list", action="store_true", help="show the names of the sets")
    parser.add_argument("--table", action="store_true", help="print the table and put it into README.md")
    options = parser.parse_args(arguments)
    if options.list:
        sys.stdout.write("\n".join(names) + "\n")
    elif options.table:
        text = table()
        sys.stdout.write(text + "\n")
        put_table(text)
    else:
        os.nice(10)
        with tempfile.TemporaryDirectory() as directory:
            for run_set in RUN_SETS:
                if run_set.name in (options.only or names):
                    collect(run_set, Path(directory), force=options.force)
    return 0


if __name__ == "__main__":
    sys.exit(main())
