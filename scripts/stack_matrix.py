"""The part of the documentation on pairs of QUIC stacks, from the record of scripts/record-stack-matrix."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from pathlib import Path
from statistics import fmean
from typing import Any

from ackclock.report import svg_chart

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "reference" / "stack-matrix.json"
PICTURE = ROOT / "docs" / "images" / "stack-matrix.svg"
ALT = "The mean share of each control beside each other control"
UNEQUAL = 2.0
"""Where one flow carries this many times what the other does, the page calls a duel unequal."""


@dataclass(frozen=True)
class Side:
    """One control beside another one on one path, over all seeds: the mean share of the goodput of both, the mean 95th
    percentile of its delay beyond the propagation, in milliseconds, and the mean share of its packets that were lost.
    """

    own: str
    other: str
    path: tuple[float, float, float]
    share: float
    delay_ms: float | None
    lost_pct: float
    closed: int


@lru_cache(maxsize=1)
def record() -> dict[str, Any]:
    """Returns the record."""
    return dict(json.loads(RECORD.read_text(encoding="utf-8")))


@lru_cache(maxsize=1)
def sides() -> list[Side]:
    """Returns both sides of each duel; a control beside itself has two, which differ by chance."""
    return [side for duel in record()["duels"] for side in _sides(duel)]


def _sides(duel: dict[str, Any]) -> Iterator[Side]:
    who = duel["first"], duel["second"]
    path = duel["rate_mbps"], duel["rtt_ms"], duel["buffer_bdp"]
    for place in (0, 1):
        shares = [run["goodput_mbps"][place] / sum(run["goodput_mbps"]) for run in duel["runs"]]
        delays = [run["delay_p95_ms"][place] for run in duel["runs"]]
        told = [delay - duel["rtt_ms"] / 2 for delay in delays if delay is not None]
        lost = [run["lost_pct"][place] or 0.0 for run in duel["runs"]]
        closed = sum(any(run["closed"]) for run in duel["runs"])
        yield Side(
            who[place],
            who[1 - place],
            path,
            fmean(shares),
            fmean(told) if told else None,
            fmean(lost),
            closed,
        )


@lru_cache(maxsize=1)
def changes() -> list[Side]:
    """Returns this laboratory's CUBIC with one change each, beside itself without the change. As the CUBICs of stacks
    beside it, it is the second flow: equal seeds give the flows of all duels equal starts, which favour one of the two.
    """
    return [list(_sides(duel))[1] for duel in record()["changes"]]


def mean_share(chosen: Iterable[Side]) -> float | None:
    """Returns the mean share of the sides in which no stack closed its connection, if there is any."""
    shares = [side.share for side in chosen if not side.closed]
    return fmean(shares) if shares else None


def beside(own: str, other: str) -> list[Side]:
    """Returns one control beside another one, on each path."""
    return [side for side in sides() if (side.own, side.other) == (own, other)]


def answer() -> str:
    """Returns in how many duels of two controls one takes twice what the other does, and which are the most unequal."""
    duels = [side for side in sides() if side.own < side.other]
    lasting = [side for side in duels if not side.closed]
    limit = UNEQUAL / (1 + UNEQUAL)
    unequal = [side for side in lasting if max(side.share, 1 - side.share) >= limit]
    ranked = sorted(
        (share, own, other)
        for own, other in permutations(record()["controls"], 2)
        if (share := mean_share(beside(own, other))) is not None
    )
    share, own, other = ranked[-1]
    text = (
        f"**In {len(unequal)} of {len(lasting)} duels between two different controls, one has at least "
        f"{UNEQUAL:g} times the goodput of the other.** The most unequal pair is {own} beside {other}: "
        f"averaged over all paths, {own} has {100 * share:.0f} % of the sum of both goodputs."
    )
    ended = len(duels) - len(lasting)
    more = f"In {ended} more {'duel' if ended == 1 else 'duels'}"
    text += f" {more}, a stack closed its connection, and no share is counted." if ended else ""
    return f"{text}\n\n![{ALT}](images/{PICTURE.name})"


def picture() -> str:
    """Returns the mean share of each control beside each other one, as a map."""
    controls = record()["controls"]
    shares = [[mean_share(beside(own, other)) for other in controls] for own in controls]
    words = ("the control of the row carries more", "it carries less")
    return svg_chart.heat_map(ALT, words, controls, shares)


def table() -> str:
    """Returns for each control what it comes to beside the others: its share by the size of the buffer, delay, loss."""
    buffers = sorted({side.path[2] for side in sides()})
    heads = [f"share at {size:g} BDP" for size in buffers]
    lines = [
        f"| control | {' | '.join(heads)} | lowest share beside | delay, ms | lost, % | closed |",
        "| --- " + "| ---: " * len(buffers) + "| --- | ---: | ---: | ---: |",
    ]
    for own in record()["controls"]:
        duels = [side for side in sides() if side.own == own != side.other]
        lasting = [side for side in duels if not side.closed]
        by_size = [mean_share(side for side in lasting if side.path[2] == size) for size in buffers]
        by_other = [
            (share, other)
            for other in record()["controls"]
            if other != own and (share := mean_share(beside(own, other))) is not None
        ]
        least, who = min(by_other)
        delay = fmean([side.delay_ms for side in lasting if side.delay_ms is not None])
        lost = fmean([side.lost_pct for side in lasting])
        cells = [in_percent(share) for share in by_size]
        cells += [f"{in_percent(least)}, {who}", f"{delay:.1f}", f"{lost:.2f}"]
        lines.append(f"| {own} | {' | '.join(cells)} | {len(duels) - len(lasting)} of {len(duels)} |")
    return "\n".join(lines)


def in_percent(share: float | None) -> str:
    """Returns a share in words of the tables."""
    return "–" if share is None else f"{100 * share:.0f} %"


def most_unequal() -> str:
    """Returns the twelve duels of different controls whose shares are the most unequal, with their paths."""
    duels = [side for side in sides() if side.own != side.other and side.share > 0.5 and not side.closed]
    duels.sort(key=lambda side: -side.share)
    lines = ["| control | beside | path | share |", "| --- | --- | --- | ---: |"]
    for side in duels[:12]:
        rate, rtt, buffer = side.path
        where = f"{rate:g} Mbit/s, {rtt:g} ms, {buffer:g} BDP"
        lines.append(f"| {side.own} | {side.other} | {where} | {in_percent(side.share)} |")
    return "\n".join(lines)


def beside_itself() -> str:
    """Returns how far the two flows of one control differ, which says what chance and the start do."""
    own = [side for side in sides() if side.own == side.other and not side.closed]
    worst = max(own, key=lambda side: abs(side.share - 0.5))
    return (
        "In a duel of two flows of the same control, the share of a flow is "
        f"{100 * min(side.share for side in own):.0f} to {100 * max(side.share for side in own):.0f} % "
        f"(mean of {record()['seeds']} seeds); the flows of {worst.own} differ most."
    )


def one_change_each() -> str:
    """Returns the shares beside this laboratory's CUBIC: of itself with one change, and of the CUBICs of stacks."""
    buffers = sorted({side.path[2] for side in sides()})
    unchanged = changes()[0].other
    stacks = [own for own in record()["controls"] if own.endswith(":cubic")]
    rows = {f"{unchanged}, unchanged": beside(unchanged, unchanged)[1::2]}
    rows |= {f"with {name}": [side for side in changes() if side.own == name] for name in named(changes())}
    rows |= {own: beside(own, unchanged) for own in stacks}
    lines = [
        f"| beside {unchanged} | {' | '.join(f'{size:g} BDP' for size in buffers)} | all |",
        "| --- " + "| ---: " * (len(buffers) + 1) + "|",
    ]
    for name, chosen in rows.items():
        by_size = [mean_share(side for side in chosen if side.path[2] == size) for size in buffers]
        lines.append(f"| {name} | {' | '.join(map(in_percent, [*by_size, mean_share(chosen)]))} |")
    return "\n".join(lines)


def named(chosen: Iterable[Side]) -> list[str]:
    """Returns the names of the first flows, each once, in their order."""
    return list(dict.fromkeys(side.own for side in chosen))


def generated(what: str) -> str:
    """Returns a part: answer, table, unequal, itself or changes."""
    parts = {"answer": answer, "table": table, "unequal": most_unequal, "itself": beside_itself}
    return (parts | {"changes": one_change_each})[what]()
