"""The recorded answers of a study as tables of one arm a row, where its claims are called QUANTITY.ARM.COLUMN."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ackclock._numbers import mean_and_spread
from ackclock.pages.records import Claim, all_records, is_stale
from ackclock.study.load import LoadedStudy, load_study

QUANTITIES = {
    "tenth": "Off the contract over 100 ms, in % of it",
    "second": "Off over 1 s, in %",
    "ten": "Off over 10 s, in %",
    "passed": "Passed, in % of the contract",
    "drops": "Dropped, in % of the packets that arrive",
    "delay": "Mean wait at the edge, in ms",
    "fair": "Jain's index",
    "used": "Goodput, in % of what the path carries",
    "rtt": "Mean round trip, in ms",
}


def grids(name: str) -> str:
    """A table for each quantity; bold where the question of the claim is answered by yes."""
    one = all_records().get(name)
    if one is None:
        return f"Not recorded yet: `ackclock reproduce {name}`."
    study = load_study(name)
    stale = "; recorded before the study changed" if is_stale(one, study) else ""
    parts = [f"{one.replications} replications, {one.simulations} simulations, recorded {one.origin}{stale}."]
    for quantity, title in QUANTITIES.items():
        cells = {tuple(claim.id.split(".", 2)[1:]): claim for claim in one.claims if _is_of(claim, quantity)}
        if cells:
            parts += ["", *_grid(title, cells, study)]
    others = [claim for claim in one.claims if not any(_is_of(claim, quantity) for quantity in QUANTITIES)]
    if others:
        parts += ["", *_sentences(others, study)]
    return "\n".join(parts)


def _is_of(claim: Claim, quantity: str) -> bool:
    return claim.id.startswith(f"{quantity}.")


def _grid(title: str, cells: dict[tuple[str, ...], Claim], study: LoadedStudy) -> Iterator[str]:
    columns = list(dict.fromkeys(column for _, column in cells))
    yield _row(title, *columns)
    yield _row("---", *["---:"] * len(columns))
    for arm in dict.fromkeys(arm for arm, _ in cells):
        of_arm = [cells.get((arm, column)) for column in columns]
        yield _row(_label(arm, columns, study), *["" if claim is None else _cell(claim) for claim in of_arm])


def _cell(claim: Claim) -> str:
    measured = mean_and_spread(claim.measured, claim.interval)
    return f"**{measured}**" if claim.verdict == "yes" else measured


def _label(arm: str, columns: Sequence[str], study: LoadedStudy) -> str:
    """What the arm's cases are called, without what tells them apart."""
    labels = {case.name: case.title for case in study.study.cases}
    if arm in labels:
        return labels[arm]
    return next(labels[f"{arm}-{column}"] for column in columns if f"{arm}-{column}" in labels).rpartition(
        ", "
    )[0]


def _sentences(claims: Sequence[Claim], study: LoadedStudy) -> Iterator[str]:
    words = {claim.id: claim.text for claim in study.study.claims}
    yield _row("that", "measured", "holds")
    yield _row("---", "---:", "---")
    for claim in claims:
        text = words.get(claim.id, claim.text)
        yield _row(text, mean_and_spread(claim.measured, claim.interval), claim.verdict)


def _row(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"
