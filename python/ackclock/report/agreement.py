"""The figure of every printed number against the measured one, on logarithmic axes: at the top of a report, on the page
of a thesis, and of all theses together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ackclock._numbers import number_of
from ackclock.report import svg_chart
from ackclock.report.svg_chart import Axis, Picture, Scale
from ackclock.study.load import theses
from ackclock.study.printed_numbers import WIDE, Printed, of_studies, within
from ackclock.study.result import StudyResult, Thesis

WIDTH, LEFT, RIGHT, BOTTOM = 480.0, 58.0, 14.0, 72.0
SIDE = WIDTH - LEFT - RIGHT
"""The side length of the square plot area, in pixels."""
ROOM = 1.3
"""The factor by which the axes extend beyond the smallest and the largest number."""
LOST, BAND = "set-up partly unknown", "within 25 %"
STYLE = (
    ".within{fill:var(--grid)}.frame{fill:none}.point{pointer-events:all}"
    ".point.full{stroke:var(--paper);stroke-width:.8}"
)
"""The CSS that an SVG file of the figure needs besides the CSS of all charts. On a page of the report, ``report.css``
contains it. It makes a click in the middle of a hollow point count as a click on the point.
"""

Link = Callable[[Printed], str]
"""A function that returns the address that a click on a point opens."""


@dataclass(frozen=True)
class Group:
    """The numbers of one publication. ``look`` is the number of its colour and its mark."""

    label: str
    look: int
    numbers: Sequence[Printed]


@dataclass(frozen=True)
class Agreement:
    """The figure. ``link`` is None for a figure without links."""

    groups: Sequence[Group]
    link: Link | None

    @property
    def numbers(self) -> list[Printed]:
        """Returns all numbers, those that are not drawn included."""
        return [one for group in self.groups for one in group.numbers]

    @property
    def title(self) -> str:
        """Returns how many of the numbers are reproduced to within 10 % and 25 %."""
        near, wide = within(self.numbers)
        return (
            f"{near} of {number_of(len(self.numbers), 'number')} reproduced within 10 %, {wide} within 25 %"
        )

    @property
    def words(self) -> str:
        """Returns what the figure shows, in a sentence."""
        near, wide = within(self.numbers)
        verb = "is" if near == 1 else "are"
        return (
            "Measured numbers versus printed numbers, on logarithmic axes: "
            f"{near} of {len(self.numbers)} {verb} reproduced to within 10 % and {wide} to within 25 %."
        )

    @property
    def left_out(self) -> str:
        """Returns how many numbers logarithmic axes cannot show, in a line; empty if there are none."""
        count = sum(not _drawn(one) for one in self.numbers)
        return f"Not drawn: {number_of(count, 'pair')} with a zero or opposite signs." if count else ""

    @property
    def inline(self) -> Markup:
        """Returns the drawing as a part of a page, which has the style."""
        picture, height = self._picture("")
        parts = Markup("\n").join(map(Markup, picture.parts))
        return Markup(
            '<svg viewBox="0 0 {} {}" width="{}" height="{}" role="group" aria-label="{}">\n{}\n</svg>'
        ).format(round(WIDTH), round(height), round(WIDTH), round(height), self.words, parts)

    def file(self) -> str:
        """Returns the drawing as a file. Its links open in the page that shows it."""
        picture, height = self._picture("_parent")
        linked = self.link is not None
        return svg_chart.document(self.words, height, picture, WIDTH, linked=linked, style=STYLE)

    def _picture(self, target: str) -> tuple[Picture, float]:
        """Returns the drawing and its height."""
        picture = Picture()
        picture.add("text", self.title, x=12, y=20, class_="title")
        top = 34 + svg_chart.LINE_HEIGHT * self._legend(picture, 34)
        scale = self._scale()
        across = Scale(Axis("printed", log=True), *scale, LEFT, LEFT + SIDE)
        up = Scale(Axis("measured", log=True), *scale, top + SIDE, top)
        _ground(picture, across, up)
        for group in self.groups:
            for one in filter(_drawn, group.numbers):
                self._point(
                    picture, one, group.look, (across.at(abs(one.printed)), up.at(abs(one.measured))), target
                )
        if self.left_out:
            picture.add("text", self.left_out, x=12, y=top + SIDE + 62)
        return picture, top + SIDE + (BOTTOM if self.left_out else BOTTOM - 20)

    def _point(
        self, picture: Picture, one: Printed, look: int, place: tuple[float, float], target: str
    ) -> None:
        if self.link is None:
            _mark(picture, look, *place, hollow=bool(one.setup))
            return
        with picture.link(str(one), self.link(one), target):
            _mark(picture, look, *place, hollow=bool(one.setup))

    def _scale(self) -> tuple[float, float]:
        """Returns the ends of both axes, at least a decade apart."""
        ends = [
            abs(value) for one in self.numbers if _drawn(one) for value in (one.printed, one.measured)
        ] or [1.0]
        low, high = min(ends) / ROOM, max(ends) * ROOM
        more = max(1.0, math.sqrt(10 * low / high))
        return low / more, high * more

    def _legend(self, picture: Picture, top: float) -> int:
        """Draws the legend in two columns and returns its number of lines."""
        labels = [f"{group.label}: {len(group.numbers)}" for group in self.groups]
        lost = [LOST] if any(one.setup for one in self.numbers) else []
        entries = [*labels, *lost, BAND]
        for number, label in enumerate(entries):
            x = 12 + number % 2 * (WIDTH - 24) / 2
            y = top + svg_chart.LINE_HEIGHT * (number // 2) + 10
            if label == BAND:
                picture.add("rect", x=x + 4, y=y - 10, width=16, height=12, class_="within")
            elif number == len(self.groups):
                _mark(picture, None, x + 12, y - 4, hollow=True)
            else:
                _mark(picture, self.groups[number].look, x + 12, y - 4, hollow=False)
            picture.add("text", label, x=x + 30, y=y)
        return -(-len(entries) // 2)


def agreement(results: Sequence[StudyResult], link: Link | None = None) -> Agreement | None:
    """Returns the figure; None if no number is printed and measured. ``link`` makes every point a link."""
    publications: dict[str, Thesis] = {}
    numbers: dict[str, list[Printed]] = {}
    of_study = {result.name: result.source.thesis for result in results}
    for one in of_studies(results):
        thesis = of_study[one.study]
        publications[thesis.key] = thesis
        numbers.setdefault(thesis.key, []).append(one)
    groups = [
        Group(publications[key].cited, look, own)
        for (key, own), look in zip(numbers.items(), _looks(list(numbers)), strict=True)
    ]
    # The marks of the smallest group are on top.
    return Agreement(sorted(groups, key=lambda group: -len(group.numbers)), link) if groups else None


def _looks(keys: Sequence[str]) -> list[int]:
    """Returns the number of each publication: that of a thesis of the package is the same in all figures."""
    known = list(theses())
    others = [key for key in keys if key not in known]
    return [known.index(key) if key in known else len(known) + others.index(key) for key in keys]


def _drawn(one: Printed) -> bool:
    """Returns whether the number has a place on logarithmic axes."""
    return one.printed * one.measured > 0


def _mark(picture: Picture, look: int | None, x: float, y: float, *, hollow: bool) -> None:
    """Draws a full or a hollow mark of a publication; a hollow circle without one."""
    colour = "axis" if look is None else f"c{look % len(svg_chart.COLOURS)}"
    svg_chart.mark(picture.add, look or 0, x, y, 3.4, f"point {colour} {'hollow' if hollow else 'full'}")


def _ground(picture: Picture, across: Scale, up: Scale) -> None:
    """Draws the band within 25 %, the line of equal numbers, and the axes."""
    # In decades: where a number that is 25 % larger, or smaller, than another lies beside it.
    more, less = (
        SIDE * math.log10(1 + sign * WIDE) / math.log10(across.high / across.low) for sign in (1, -1)
    )
    left, right, bottom, top = across.start, across.end, up.start, up.end
    corners = [
        (left, bottom),
        (left, bottom - more),
        (right - more, top),
        (right, top),
        (right, top - less),
        (left - less, bottom),
    ]
    picture.add("polygon", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in corners), class_="within")
    picture.add("line", x1=left, y1=bottom, x2=right, y2=top, class_="axis")
    picture.add("rect", x=left, y=top, width=SIDE, height=SIDE, class_="axis frame")
    for value, text in across.ticks():
        picture.add("line", x1=across.at(value), y1=bottom, x2=across.at(value), y2=bottom + 5, class_="axis")
        picture.add("text", text, x=across.at(value), y=bottom + 20, class_="middle")
        picture.add("line", x1=left - 5, y1=up.at(value), x2=left, y2=up.at(value), class_="axis")
        picture.add("text", text, x=left - 8, y=up.at(value) + 4, class_="end")
    middle = (up.start + up.end) / 2
    picture.add("text", "printed", x=(left + right) / 2, y=bottom + 40, class_="title middle")
    turned = f"translate(14 {middle:.1f}) rotate(-90)"
    picture.add("text", "measured", transform=turned, class_="title middle")
