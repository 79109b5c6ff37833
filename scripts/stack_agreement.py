#!/usr/bin/env python3
"""Run controls of ours under a foreign QUIC stack and over our own QUIC endpoint, and compare: docs/quic-stacks.md.

    scripts/stack_agreement.py          both stacks: ten minutes on two processors
    scripts/stack_agreement.py noq      one of them

It adds the paths that are missing to python/ackclock/archive/stacks/agreement.json, from which
`scripts/document-registry` makes the page's tables; delete the file to run all of them again.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import product
from statistics import fmean as mean
from typing import Any

from ackclock import Scenario
from ackclock._archive import folder

RECORD = folder("stacks") / "agreement.json"
PACED = ("bbrv3", "copa")
"""The controls that decide a rate, which quinn does not run."""
CONTROLS = ("newreno", "cubic", "bbrv3", "vegas", "rbcc", "hstcp", "a-tcp", "ltcp-rc", "copa", "dctcp")
RATES = (10, 100)
ROUND_TRIPS = (20, 100)
BUFFERS = (0.5, 2.0)
FLOWS = (1, 2)
FAST = ("newreno", "cubic")
"""The controls that run at the higher rate, too, under noq and with one flow: a path of that rate takes ten seconds of
computing.
"""
PACKET_BITS = 12_000


@dataclass(frozen=True)
class Bounds:
    """How far a stack may be from our endpoint: goodput and the 95th percentile of the wait as shares of ours or, for
    the wait, in packets; drops as a factor or in packets.
    """

    goodput: float
    wait: float
    wait_packets: float
    drops: float
    drop_packets: float


BOUNDS = {"noq": Bounds(0.02, 0.05, 1.0, 2.0, 5.0), "quinn": Bounds(0.05, 0.10, 2.0, 3.0, 10.0)}
"""The bounds, which were written before the first run."""


@dataclass(frozen=True)
class Cell:
    """A control on a path: Mbit/s, ms, products of both, flows."""

    control: str
    rate: float
    rtt: float
    buffer: float
    flows: int

    def __str__(self) -> str:
        flows = "1 flow" if self.flows == 1 else f"{self.flows} flows"
        return f"{self.control}, {self.rate:g} Mbit/s, {self.rtt:g} ms, {self.buffer:g} BDP, {flows}"


@dataclass(frozen=True)
class Measured:
    """What the bottleneck and the receivers saw: goodput in Mbit/s, the wait in ms, dropped packets; and the number of
    connections that the stack closed.
    """

    goodput: float
    wait: float
    drops: float
    closed: int = 0


@dataclass(frozen=True)
class Compared:
    """A stack and our endpoint on one path."""

    stack: str
    cell: Cell
    theirs: Measured
    ours: Measured

    def failing(self) -> list[str]:
        """The measures that are out of bounds; that the stack closed a connection is the only one if it did."""
        if self.theirs.closed:
            return ["closed"]
        bounds, theirs, ours = BOUNDS[self.stack], self.theirs, self.ours
        packet = PACKET_BITS / self.cell.rate / 1000
        most, least = max(theirs.drops, ours.drops), min(theirs.drops, ours.drops)
        fits = {
            "goodput": abs(theirs.goodput / ours.goodput - 1) <= bounds.goodput,
            "wait": abs(theirs.wait - ours.wait)
            <= max(bounds.wait * ours.wait, bounds.wait_packets * packet),
            "drops": most <= bounds.drops * least or most - least <= bounds.drop_packets,
        }
        return [measure for measure, inside in fits.items() if not inside]


def cells(stack: str) -> Iterator[Cell]:
    """The paths of every control that the stack runs."""
    controls = [control for control in CONTROLS if stack == "noq" or control not in PACED]
    for control, rate, rtt, buffer, flows in product(controls, RATES, ROUND_TRIPS, BUFFERS, FLOWS):
        if rate == RATES[0] or ((stack, flows) == ("noq", 1) and control in FAST):
            yield Cell(control, rate, rtt, buffer, flows)


def scenario(cell: Cell, transport: Any, duration: float = 70.0) -> Scenario:
    """The path with ``cell.flows`` flows over ``transport``, of which the first ten seconds are not measured."""
    return Scenario.from_dict(
        {
            "duration": f"{duration:g} s",
            "warmup": "10 s",
            "dumbbell": {
                "bottleneck": {
                    "rate": f"{cell.rate:g} Mbit/s",
                    "delay": f"{cell.rtt / 2 - 1:g} ms",
                    "queue": {"name": "droptail", "limit": f"{cell.buffer:g} bdp"},
                },
                "access": {"rate": "1 Gbit/s", "delay": "0.5 ms"},
            },
            "flows": [
                {
                    "name": "flow",
                    "count": cell.flows,
                    "control": cell.control,
                    "transport": transport,
                    "start": {"uniform": ["0 s", "1 s"]},
                }
            ],
        }
    )


OURS = {"name": "quic", "pacing_slow_start": 1.25, "pacing_avoidance": 1.25, "pacing_burst": "10 packets"}
"""Our endpoint with the packets of 1500 B, the factor and the bursts of both stacks' pacers."""
SEEDS = (1, 2, 3)
"""The seeds of two flows in the small buffers of 10 Mbit/s, where it is chaotic which of them loses: means over three
draws of when they begin are compared. Elsewhere the first seed suffices.
"""


def measure(scenario: Scenario, seeds: Sequence[int]) -> Measured:
    """Returns the means over runs with these seeds."""
    results = [scenario.run(seed, series=False).result for seed in seeds]
    links = [next(link for link in result["links"] if link["name"] == "bottleneck") for result in results]
    return Measured(
        goodput=mean(sum(flow["goodput_bps"] for flow in result["flows"]) / 1e6 for result in results),
        wait=mean(1e3 * (link["wait_p95_s"] or 0.0) for link in links),
        drops=mean(link["dropped_packets"] for link in links),
        closed=sum(flow.get("closed_s") is not None for result in results for flow in result["flows"]),
    )


def compare(stack: str, cell: Cell, duration: float = 70.0) -> Compared:
    """Runs a path over the stack and over our endpoint."""
    seeds = SEEDS if (cell.rate, cell.flows) == (10, 2) else SEEDS[:1]
    theirs, ours = (measure(scenario(cell, transport, duration), seeds) for transport in (stack, OURS))
    return Compared(stack, cell, theirs, ours)


def recorded() -> list[Compared]:
    """What the record holds."""
    rows: Sequence[Mapping[str, Any]] = (
        json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else []
    )
    return [
        Compared(row["stack"], Cell(**row["cell"]), Measured(**row["theirs"]), Measured(**row["ours"]))
        for row in rows
    ]


def generated(what: str) -> str:
    """The part of the page about a stack: a row for each control, or a row for each path that is out of bounds."""
    stack, _, part = what.partition(" ")
    rows = [one for one in recorded() if one.stack == stack]
    if part == "outside":
        return "\n".join(outside(rows))
    lines = [
        "| control | paths | within all bounds | goodput, stack / ours | p95 of the wait | drops |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for control in CONTROLS:
        of_control = [row for row in rows if row.cell.control == control]
        if of_control:
            inside = sum(not row.failing() for row in of_control)
            ratios = (
                [spread(row.theirs.goodput, row.ours.goodput) for row in of_control],
                [spread(row.theirs.wait, row.ours.wait) for row in of_control],
                [spread(row.theirs.drops, row.ours.drops) for row in of_control],
            )
            cells = " | ".join(range_of([ratio for ratio in each if ratio is not None]) for each in ratios)
            lines.append(f"| `{control}` | {len(of_control)} | {inside} | {cells} |")
    return "\n".join(lines)


def spread(theirs: float, ours: float) -> float | None:
    """Their value over ours; None where ours is zero."""
    return theirs / ours if ours else None


def range_of(ratios: Sequence[float]) -> str:
    """The least and the largest ratio."""
    return f"{min(ratios):.3f} to {max(ratios):.3f}" if ratios else "none"


def outside(rows: Sequence[Compared]) -> Iterator[str]:
    """A table of the paths that are out of bounds."""
    yield "| path | out of bounds | goodput, Mbit/s | p95 of the wait, ms | drops |"
    yield "| --- | --- | --- | --- | --- |"
    for row in rows:
        if failing := row.failing():
            theirs, ours = row.theirs, row.ours
            yield (
                f"| {row.cell} | {', '.join(failing)} | {theirs.goodput:.2f} / {ours.goodput:.2f} "
                f"| {theirs.wait:.2f} / {ours.wait:.2f} | {theirs.drops:.1f} / {ours.drops:.1f} |"
            )


def main(stacks: Sequence[str]) -> int:
    """Runs every path of these stacks that the record does not hold, and writes the record as it goes. Returns 1 if any
    is out of bounds.
    """
    jobs = [(stack, cell) for stack in stacks for cell in cells(stack)]
    rows = {(row.stack, row.cell): row for row in recorded()}
    # The slow paths come last, so that a run that is stopped has a whole part of both stacks.
    missing = sorted((job for job in jobs if job not in rows), key=lambda job: job[1].rate)
    with ThreadPoolExecutor(2) as pool:
        for row in pool.map(lambda job: compare(*job), missing):
            rows[row.stack, row.cell] = row
            print(f"{row.stack}: {row.cell}: {', '.join(row.failing()) or 'within the bounds'}", flush=True)
            write(rows.values())
    outside = sum(bool(rows[job].failing()) for job in jobs)
    print(f"{len(jobs) - outside} of {len(jobs)} paths within the bounds")
    return int(outside > 0)


def write(rows: Iterable[Compared]) -> None:
    """Writes the record: one path a line, in the order of the stacks and of the paths."""
    order = {
        job: place for place, job in enumerate((stack, cell) for stack in BOUNDS for cell in cells(stack))
    }
    kept = sorted(
        (row for row in rows if (row.stack, row.cell) in order), key=lambda row: order[row.stack, row.cell]
    )
    lines = ",\n".join(json.dumps(asdict(row)) for row in kept)
    RECORD.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:] or list(BOUNDS)))
