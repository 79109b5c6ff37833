"""Cumulative distributions of delay and goodput (RFC 7928 section 2.7), a curve for each discipline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ackclock._numbers import significant
from ackclock.characterisation.distributions import Distribution
from ackclock.characterisation.language import Kept
from ackclock.report import plane, style
from ackclock.report.chart import Chart
from ackclock.report.curves import Axis as Named
from ackclock.report.curves import Curve, Entry, Panel
from ackclock.report.plane import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Mark, Plane
from ackclock.study.result import CaseResult

AXES: Mapping[Kept, tuple[str, str]] = {
    "wait": ("Queueing delay", "ms"),
    "variation": ("Packet delay variation", "ms"),
    "goodput": ("Goodput of a flow, averaged over 1 s", "Mbit/s"),
}
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)


def drawn(title: str, cases: Sequence[tuple[int, str, CaseResult]], kind: Kept) -> Plane | None:
    """Returns the distributions of ``kind`` of the cases, each with its number among the disciplines and its label."""
    found = [
        (index, label, case.distributions[kind]) for index, label, case in cases if kind in case.distributions
    ]
    if not found:
        return None
    name, unit = AXES[kind]
    across = plane.axis([value for *_, one in found for value in one.quantiles], may_be_log=kind != "goodput")

    def place(value: float, probability: float) -> tuple[float, float]:
        return (
            round(LEFT + across.share(value) * (WIDTH - LEFT - RIGHT), 1),
            round(HEIGHT - BOTTOM - probability * (HEIGHT - TOP - BOTTOM), 1),
        )

    def mark(index: int, label: str, one: Distribution) -> Mark:
        stops = [place(value, share) for share, value in zip(one.probabilities, one.quantiles, strict=True)]
        middle = one.probabilities.index(0.5)
        said = f"median {significant(one.quantiles[middle], 3)} {unit}"
        return Mark(
            label=label,
            look=style.style(index),
            at=stops[middle],
            contour="",
            runs=(),
            words=f"{label}: {said}",
            line=" ".join("{},{}".format(*stop) for stop in stops),
        )

    whole = f"{name}{', ' if title else ''}{title}"
    share = "Share of " + ("the packets" if kind != "goodput" else "the intervals")
    curves = [
        Curve(Entry(label, index), {"x": list(one.quantiles), "y": list(one.probabilities)})
        for index, label, one in found
    ]
    return Plane(
        title=whole,
        x_label=f"{name} ({unit})",
        y_label=share,
        x_ticks=[(place(value, 0)[0], text) for value, text in across.ticks],
        y_ticks=[(place(across.low, share)[1], f"{share:g}") for share in SHARES],
        marks=[mark(*one) for one in found],
        chart=Chart(
            "distribution",
            whole,
            Named(f"{name} ({unit})", across.log, (across.low, across.high)),
            [Panel("", Named(share, range=(0.0, 1.0)), curves)],
        ),
    )
