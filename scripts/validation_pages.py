"""The tables of docs/validation.md: how far the simulator may be from theory and from other programs.

The tolerances are those that the Rust tests read. Where packets are compared one by one, the tests' tables say up to
which packet a pattern of losses is equal, and why the next one differs; the tests fail when that moves either way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import clauses
import wire_measurements as wire
from path_measurements import markdown

from ackclock import _toml as toml

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "crates" / "lab" / "tests" / "scenarios"
DRILLS = ROOT / "python" / "tests" / "packetdrill" / "drills"

QUANTITIES = {
    "delivered": "packets delivered",
    "mean_queue": "mean queue",
    "drops": "drops",
    "jain": "Jain's index",
    "arrived": "chunks that arrive",
    "received": "packets that arrive",
    "acked": "packets acknowledged",
    "acked_less": "packets acknowledged less by at most",
    "rtt": "round trip",
    "utilisation": "utilisation",
    "retransmitted": "share retransmitted",
    "latency": "round trip",
    "timeouts": "timeouts",
}
"""What the fractions of a comparison are about."""

STACKS = (
    ("usrsctp", "usrsctp", {"usrsctp-one-path": "SCTP, its own control"}),
    ("quinn", "quinn", {"quinn-newreno": "QUIC, NewReno", "quinn-cubic": "QUIC, CUBIC"}),
    (
        "linux_kernel",
        "linux",
        {"linux-cubic": "TCP, CUBIC", "linux-reno": "TCP, Reno", "linux-bbr": "TCP, BBRv1"},
    ),
)
"""A test, its tolerances, and its records in the order of the columns of its table, with what runs."""
LATER_TIMEOUT = "a timeout comes at another time, and the packets after it are equal again"


def generated(what: str) -> str:
    """Returns the part ``rules``, ``models``, ``simulators``, ``packets`` or ``wire``."""
    parts = {
        "rules": rules,
        "models": models,
        "simulators": simulators,
        "packets": packets,
        "wire": on_the_wire,
    }
    return parts[what]()


def rules() -> str:
    """Returns the counts of clauses and of drills."""
    listed = clauses.read()
    drills = sum(1 for _ in DRILLS.rglob("*.pkt"))
    return (
        f"{len(listed.documents)} documents: {clauses.counts(listed)} {drills} scripts of packetdrill pass, and each "
        "fails when the rule that it names is changed."
    )


def models() -> str:
    """Returns the models with a closed form."""
    found = tolerances()["analytic"]
    rows = [[words, percent(found[name])] for name, words in found["what"].items()]
    return markdown(["model", "the simulation is within"], rows)


def simulators() -> str:
    """Returns the comparisons of means with other simulators."""
    rows = []
    for families in tolerances().values():
        for one in families.values():
            if not isinstance(one, Mapping) or not isinstance(one.get("what"), str):
                continue
            cells = [f"{words} {percent(one[name])}" for name, words in QUANTITIES.items() if name in one]
            if "standard_errors" in one:
                cells.append(f"{one['standard_errors']:g} standard errors")
            rows.append([one["what"], ", ".join(cells)])
    return markdown(["beside", "means over the runs are within"], rows)


def packets() -> str:
    """Returns how many patterns of losses are equal to those of real stacks, and why the others differ."""
    rows = []
    for test, name, records in STACKS:
        source = (TESTS / f"{test}.rs").read_text(encoding="utf-8")
        bound = tolerances()[name]
        unit = "packet" if "window_packets" in bound else "chunk"
        window = bound[f"window_{unit}s"]
        for place, (record, what) in enumerate(records.items()):
            program, counts = of_record(record)
            found = of_patterns(source, place, counts)
            rows.append(
                [
                    f"{program}: {what}",
                    f"{1e3 * bound['time_s']:g} ms, {window:g} {unit}{'s' * (window != 1)}",
                    f"{sum(not reason for reason, _ in found)} of {len(found)}",
                    "; ".join(apart(found)),
                ]
            )
    return markdown(
        [
            "stack",
            "within",
            "patterns equal throughout",
            "why the others differ (number of patterns: equal packets before the difference)",
        ],
        rows,
    )


def of_record(name: str) -> tuple[str, dict[str, int]]:
    """Returns what made a record, and how many packets each of its patterns has."""
    lines = (ROOT / "reference" / "peers" / "data" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    about, *runs = map(json.loads, lines)
    program = about["provenance"]["simulator"].partition("+")[0].replace("linux", "Linux")
    return program, {run["pattern"]: len(run["packets"]) for run in runs}


def of_patterns(source: str, place: int, counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Returns for each recorded pattern the reason of the first difference, empty if there is none, and how many
    packets are equal.
    """
    reasons = dict(re.findall(r'^const (\w+): &str = "(.*)";$', source, re.MULTILINE))
    table = source[source.index("const PATTERNS") :].partition("];\n")[0]
    rows = dict(re.findall(r'^    \("([\w-]+)", (.*)\),$', table, re.MULTILINE))
    if not counts.keys() <= rows.keys():
        raise SystemExit(f"error: no test compares the patterns {sorted(counts.keys() - rows.keys())}")
    found = []
    for name, total in counts.items():
        reach = re.findall(r"(Whole)|Packets\((\d+), (\w+)\)|Timeout\((\d+)\)", rows[name])[place]
        whole, count, reason, timeout = reach
        why = "" if whole else reasons[reason] if reason else LATER_TIMEOUT
        found.append((why, int(count or timeout or total)))
    return found


def apart(found: Iterable[tuple[str, int]]) -> list[str]:
    """Returns the reasons of differences, each with how many patterns it is in and after how many packets."""
    by_reason: dict[str, list[int]] = {}
    for reason, count in found:
        if reason:
            by_reason.setdefault(reason, []).append(count)
    return [f"{reason} ({len(counts)}: {ends(counts)})" for reason, counts in by_reason.items()]


def ends(counts: list[int]) -> str:
    """Returns the least and the greatest of some counts."""
    low, high = min(counts), max(counts)
    return f"{low}" if low == high else f"{low} to {high}"


def on_the_wire() -> str:
    """Returns for each control how many of its measured paths are within all bounds."""
    record = json.loads(wire.RECORD.read_text(encoding="utf-8"))
    rows: dict[str, list[bool]] = {}
    for case in record["cases"]:
        if case.get("seconds", 40) == 40:
            under = "" if ":" in case["control"] else f" under {case['transport']}"
            within = all(wire.agrees(case, metric) for metric, *_ in wire.COLUMNS)
            rows.setdefault(f"`{case['control']}`{under}", []).append(within)
    cells = [f"{name} {sum(paths)} of {len(paths)}" for name, paths in rows.items()]
    return ", ".join(cells) + "."


def tolerances() -> dict[str, Any]:
    """Returns the tolerances of all comparisons."""
    return toml.loads((ROOT / "reference" / "tolerances.toml").read_text(encoding="utf-8"))


def percent(share: float) -> str:
    """Returns a fraction as a percentage."""
    return f"{100 * share:g} %"
