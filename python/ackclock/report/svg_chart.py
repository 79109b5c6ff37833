"""A small chart as SVG: lines with intervals and the published values beside them, or a row for each case.

One file serves light and dark pages: its style asks the reader's browser which colours are preferred, and it paints its
own background, so that it can be read wherever it stands. The same data give the same bytes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape

WIDTH, LEFT, RIGHT, BOTTOM = 720, 62, 20, 52
LINE_HEIGHT = 20
COLOURS = (
    ("#005fa8", "#56b4e9"),
    ("#b84e00", "#e8662a"),
    ("#007a59", "#1fa37c"),
    ("#a1417f", "#e3a3cb"),
    ("#1b1b1b", "#f2f2f2"),
    ("#7a5c00", "#e9c72e"),
    ("#5a4fcf", "#a79cff"),
    ("#6b6b6b", "#a8a8a8"),
)
"""The line colours in the light and the dark theme, each with a contrast of at least 4.5:1 to the background."""
_GRID_LOOKS = ("c2 full", "c1 full", "c3 full", "c7 hollow")
"""The CSS classes of a grid's marks: the colours that reports use for met, not met, undecided and no verdict."""
_SIDES = ("c1", "c0")
"""The colours of a heat map for shares from 0.5 up, and below 0.5."""
_DEEPEST = 0.5
"""The opacity of a cell with share 0 or 1, on which a number still has a contrast of 4.5:1 in both themes."""
DASHES = ("", "6 3", "2 3", "9 3 2 3", "12 4", "1 4", "4 2 1 2", "8 2")
SHAPES = 5


@dataclass(frozen=True)
class Point:
    """A measured mean with its 95 % interval."""

    x: float
    y: float
    low: float
    high: float


@dataclass(frozen=True)
class Line:
    """The points of a case in the order in which they are joined, and what was published of it."""

    label: str
    points: Sequence[Point]
    published: Sequence[tuple[float, float]] = ()


@dataclass(frozen=True)
class Axis:
    """A direction of the chart. ``names`` stand at 0, 1, 2 and so on in place of numbers."""

    label: str
    log: bool = False
    names: Sequence[str] = ()


@dataclass(frozen=True)
class Scale:
    """Where values lie between two places of the picture."""

    axis: Axis
    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """The place of a value in the picture."""
        low, high, here = (self._linear(one) for one in (self.low, self.high, value))
        return self.start + (here - low) / (high - low) * (self.end - self.start)

    def ticks(self) -> list[tuple[float, str]]:
        """The values at which the axis has a number or a name."""
        if self.axis.names:
            return [(float(index), name) for index, name in enumerate(self.axis.names)]
        return log_ticks(self.low, self.high) if self.axis.log else linear_ticks(self.low, self.high)

    def _linear(self, value: float) -> float:
        return math.log10(value) if self.axis.log else value


@dataclass
class Picture:
    """The elements drawn so far."""

    parts: list[str] = field(default_factory=list)

    @contextmanager
    def link(self, words: str, href: str, target: str = "") -> Iterator[None]:
        """Makes what is drawn within it a link with a tooltip. It is no stop of the tab key: a picture has hundreds."""
        where = f' target="{target}"' if target else ""
        self.parts.append(f'<a href="{escape(href)}"{where} tabindex="-1"><title>{escape(words)}</title>')
        yield
        self.parts.append("</a>")

    def add(self, name: str, text: str = "", /, **attributes: object) -> None:
        """Draws an element."""
        words = "".join(
            f' {key.rstrip("_").replace("_", "-")}="{escape(_short(value))}"'
            for key, value in attributes.items()
            if value != ""
        )
        self.parts.append(f"<{name}{words}>{escape(text)}</{name}>" if text else f"<{name}{words}/>")


def chart(title: str, x: Axis, y: Axis, lines: Sequence[Line], level: float | None = None) -> str:
    """Lines over a horizontal axis; ``level`` is a value of the vertical axis to be marked."""
    legend = list(_legend_places([line.label for line in lines], any(line.published for line in lines)))
    top = 34 + LINE_HEIGHT * (1 + legend[-1][2])
    height = top + 300 + BOTTOM
    xs = [value for line in lines for value in _xs(line)]
    ys = [*([level] if level is not None else []), *(value for line in lines for value in _values(line))]
    across = _scale(x, xs, xs, LEFT, WIDTH - RIGHT)
    up = _scale(y, ys, _means(lines), height - BOTTOM, top)
    picture = Picture()
    _grid(picture, across, up, height - BOTTOM)
    if level is not None:
        _line(picture, LEFT, up.at(level), WIDTH - RIGHT, up.at(level), class_="level")
    for number, line in enumerate(lines):
        _draw(picture, line, number, across, up)
    _legend(picture, legend, len(lines), 34, joined=True)
    picture.add("text", y.label, x=12, y=20, class_="title")
    picture.add("text", x.label, x=(LEFT + WIDTH - RIGHT) / 2, y=height - 12, class_="title middle")
    return document(title, height, picture)


def rows(title: str, x: Axis, cases: Sequence[Line]) -> str:
    """A row for each case: its measured mean with the interval, and the published value."""
    left = 24 + 7 * max(len(case.label) for case in cases)
    top, published = 56, any(case.published for case in cases)
    height = top + 24 * len(cases) + BOTTOM
    values = [value for case in cases for value in _values(case)]
    across = _scale(x, values, _means(cases), left, WIDTH - RIGHT)
    picture = Picture()
    for value, text in across.ticks():
        _line(picture, across.at(value), top, across.at(value), height - BOTTOM, class_="grid")
        picture.add("text", text, x=across.at(value), y=height - BOTTOM + 18, class_="middle")
    for number, case in enumerate(cases):
        _row(picture, case, across, top + 12 + 24 * number, left)
    _legend(picture, list(_legend_places(["measured"], published)), 1, 14, joined=False)
    picture.add("text", x.label, x=(left + WIDTH - RIGHT) / 2, y=height - 12, class_="title middle")
    return document(title, height, picture)


def bars(title: str, groups: Sequence[tuple[str, Sequence[tuple[str, float]]]], labels: Sequence[str]) -> str:
    """Bars from 0, each with its value: the groups below each other, and within each a bar for some of the labels."""
    left, right, step = 24.0 + 7 * max(map(len, labels)), 60.0, 20
    largest = max(value for _, found in groups for _, value in found)
    picture, y = Picture(), 20
    picture.add("text", title, x=12, y=y, class_="title")
    for name, found in groups:
        y += 30
        picture.add("text", name, x=12, y=y)
        y += 8
        for label, value in found:
            wide = value / largest * (WIDTH - left - right)
            picture.add("text", label, x=left - 8, y=y + 13, class_="end")
            look = f"c{labels.index(label)} full"
            picture.add("rect", x=left, y=y + 2, width=max(wide, 1.0), height=step - 6, class_=look)
            picture.add("text", f"{value:.2g}", x=left + wide + 8, y=y + 13)
            y += step
    return document(title, y + 16, picture)


def grid(
    title: str, columns: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]], words: Sequence[str]
) -> str:
    """A mark for each word: a row for each name, and in it a word, or none, for each column."""
    left, step = 24.0 + 7 * max(len(name) for name, _ in rows), 22.0
    wide = (WIDTH - RIGHT - left) / len(columns)
    top = 44 + 7 * max(map(len, columns))
    picture, x = Picture(), 12.0
    for number, word in enumerate(words):
        mark(picture.add, number, x + 6, 20, 5, _GRID_LOOKS[number])
        picture.add("text", word, x=x + 18, y=24)
        x += 48 + 7 * len(word)
    for number, name in enumerate(columns):
        at = left + wide * (number + 0.5)
        _head(picture, name, at, top)
        _line(picture, at, top, at, top + step * len(rows), class_="grid")
    for down, (name, found) in enumerate(rows):
        y = top + step * (down + 0.5)
        picture.add("text", name, x=left - 8, y=y + 4, class_="end")
        _line(picture, left, y, WIDTH - RIGHT, y, class_="grid")
        for number, word in enumerate(found):
            if word in words:
                look = words.index(word)
                mark(picture.add, look, left + wide * (number + 0.5), y, 5, _GRID_LOOKS[look])
    return document(title, top + step * len(rows) + 16, picture)


def heat_map(
    title: str, words: tuple[str, str], names: Sequence[str], shares: Sequence[Sequence[float | None]]
) -> str:
    """Shares as a square of cells: a row for each name, and in it its share beside the name of each column, in percent.

    A cell is the stronger in colour the further its share is from a half, above it in one colour and below in another:
    ``words`` say which is which. A cell without a share is empty.
    """
    left = 24.0 + 7 * max(map(len, names))
    top, wide, step = left + 30, (WIDTH - RIGHT - left) / len(names), 34.0
    picture, x = Picture(), 12.0
    for look, word in zip(_SIDES, words, strict=True):
        picture.add("rect", x=x, y=14, width=14, height=14, class_=f"{look} full tint", fill_opacity=_DEEPEST)
        picture.add("text", word, x=x + 20, y=26)
        x += 48 + 7 * len(word)
    for number, name in enumerate(names):
        _head(picture, name, left + wide * (number + 0.5), top)
    for down, (name, found) in enumerate(zip(names, shares, strict=True)):
        y = top + step * down
        picture.add("text", name, x=left - 8, y=y + step / 2 + 4, class_="end")
        for number, share in enumerate(found):
            if share is None:
                continue
            at, look = left + wide * number, _SIDES[share < 0.5]
            depth = f"{_DEEPEST * abs(2 * share - 1):.2f}"
            place_of = {"x": at + 1, "y": y + 1, "width": wide - 2, "height": step - 2}
            picture.add("rect", **place_of, class_=f"{look} full tint", fill_opacity=depth)
            picture.add("text", f"{100 * share:.0f}", x=at + wide / 2, y=y + step / 2 + 4, class_="middle")
    return document(title, top + step * len(names) + 16, picture, style=".tint{stroke:none}")


def _head(picture: Picture, name: str, x: float, y: float) -> None:
    """Writes the name of a column upwards, to end above ``y``."""
    place = f"rotate(-90 {_short(x + 4)} {_short(y - 8)})"
    picture.add("text", name, x=x + 4, y=y - 8, transform=place)


def linear_ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Round values from ``low`` to ``high``, about five."""
    step = nice((high - low) / 5)
    first = math.ceil(low / step - 1e-9)
    return [
        (index * step, _number(index * step)) for index in range(first, math.floor(high / step + 1e-9) + 1)
    ]


def log_ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Powers of ten, with 2 and 5 between them where that makes few."""
    among = (1, 2, 5) if high / low < 500 else (1,)
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    values = [digit * 10.0**exponent for exponent in exponents for digit in among]
    return [(value, _number(value)) for value in values if low * 0.999 <= value <= high * 1.001]


def nice(step: float) -> float:
    """The least of 1, 2, 2.5 and 5 times a power of ten that is not below ``step``."""
    power = 10.0 ** math.floor(math.log10(step))
    return next(digit * power for digit in (1, 2, 2.5, 5, 10) if digit * power >= step * (1 - 1e-9))


def _scale(axis: Axis, values: Sequence[float], means: Sequence[float], start: float, end: float) -> Scale:
    """Room for all values. Names have half a step at either end; numbers whose means are never negative begin at 0."""
    if axis.names:
        return Scale(axis, -0.5, len(axis.names) - 0.5, start, end)
    if axis.log:
        positive = [value for value in values if value > 0]
        return Scale(axis, min(positive) / 1.1, max(positive) * 1.1, start, end)
    low, high = min(values), max(values)
    if all(mean >= 0 for mean in means):
        low = 0.0
    room = 0.05 * ((high - low) or 1.0)
    return Scale(axis, low if low == 0 else low - room, high + room, start, end)


def _grid(picture: Picture, across: Scale, up: Scale, bottom: float) -> None:
    for value, text in up.ticks():
        _line(picture, LEFT, up.at(value), WIDTH - RIGHT, up.at(value), class_="grid")
        picture.add("text", text, x=LEFT - 8, y=up.at(value) + 4, class_="end")
    for value, text in across.ticks():
        _line(picture, across.at(value), bottom, across.at(value), bottom + 5, class_="axis")
        picture.add("text", text, x=across.at(value), y=bottom + 20, class_="middle")
    _line(picture, LEFT, bottom, WIDTH - RIGHT, bottom, class_="axis")


def _draw(picture: Picture, line: Line, number: int, across: Scale, up: Scale) -> None:
    """A line, its intervals, a mark at each mean, and a larger hollow mark at what was published."""
    shown = [point for point in line.points if not up.axis.log or point.y > 0]
    places = [(across.at(point.x), up.at(point.y)) for point in shown]
    look = f"c{number % len(COLOURS)}"
    if len(places) > 1:
        path = " ".join(f"{_short(x)},{_short(y)}" for x, y in places)
        picture.add("polyline", points=path, class_=look, stroke_dasharray=DASHES[number % len(DASHES)])
    for point, (x, y) in zip(shown, places, strict=True):
        low = max(point.low, up.low)
        if up.at(low) - up.at(point.high) > 1:
            _line(picture, x, up.at(low), x, up.at(point.high), class_=look)
        mark(picture.add, number, x, y, 3.5, f"{look} full")
    for at, value in line.published:
        if not up.axis.log or value > 0:
            mark(picture.add, number, across.at(at), up.at(value), 7, f"{look} hollow")


def _row(picture: Picture, case: Line, across: Scale, y: float, left: float) -> None:
    picture.add("text", case.label, x=left - 10, y=y + 4, class_="end")
    _line(picture, left, y + 12, WIDTH - RIGHT, y + 12, class_="grid")
    for point in case.points:
        low = max(point.low, across.low)
        if across.at(point.high) - across.at(low) > 1:
            _line(picture, across.at(low), y, across.at(point.high), y, class_="c0")
        mark(picture.add, 0, across.at(point.y), y, 4, "c0 full")
    for _, value in case.published:
        mark(picture.add, 0, across.at(value), y, 7, "c1 hollow")


def mark(add: Callable[..., None], number: int, x: float, y: float, size: float, look: str) -> None:
    """The mark of a line: a circle, square, triangle or diamond, so that lines differ without colour too."""
    shape = number % SHAPES
    if shape == 0:
        add("circle", cx=x, cy=y, r=size, class_=look)
        return
    corners = {
        1: ((-1, -1), (1, -1), (1, 1), (-1, 1)),
        2: ((0, -1.2), (1.2, 1), (-1.2, 1)),
        3: ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)),
        4: ((0, 1.2), (-1.2, -1), (1.2, -1)),
    }[shape]
    path = " ".join(f"{_short(x + size * dx)},{_short(y + size * dy)}" for dx, dy in corners)
    add("polygon", points=path, class_=look)


def _legend_places(labels: Sequence[str], published: bool) -> Iterator[tuple[str, float, int]]:
    """Each entry with its place from the left and its line. The last one is the mark of published values."""
    x, line = 12.0, 0
    for label in [*labels, *(["published"] if published else [])]:
        wide = 48 + 7 * len(label)
        if x + wide > WIDTH and x > 12:
            x, line = 12.0, line + 1
        yield label, x, line
        x += wide


def _legend(
    picture: Picture, places: Sequence[tuple[str, float, int]], lines: int, top: float, *, joined: bool
) -> None:
    for number, (label, x, line) in enumerate(places):
        y = top + LINE_HEIGHT * line + 10
        if number == lines:
            look = "c1" if places[0][0] == "measured" else "c4"
            mark(picture.add, 0, x + 12, y - 4, 7, f"{look} hollow")
        else:
            look = f"c{number % len(COLOURS)}"
            if joined:
                dash = DASHES[number % len(DASHES)]
                _line(picture, x, y - 4, x + 24, y - 4, class_=look, stroke_dasharray=dash)
            mark(picture.add, number, x + 12, y - 4, 3.5, f"{look} full")
        picture.add("text", label, x=x + 30, y=y)


def _line(
    picture: Picture, x1: float, y1: float, x2: float, y2: float, class_: str, stroke_dasharray: str = ""
) -> None:
    picture.add("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_, stroke_dasharray=stroke_dasharray)


def document(
    title: str,
    height: float,
    picture: Picture,
    width: float = WIDTH,
    *,
    linked: bool = False,
    style: str = "",
) -> str:
    """Returns the picture as a file, with more ``style``. One with links has the size of its place in a page."""
    size = "" if linked else f'width="{_short(width)}" height="{_short(height)}" '
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_short(width)} {_short(height)}" {size}'
        f'role="{"group" if linked else "img"}">'
    )
    paper = f'<rect class="paper" width="{_short(width)}" height="{_short(height)}" rx="6"/>'
    parts = [
        opening,
        f"<title>{escape(title)}</title>",
        f"<style>{_style()}{style}</style>",
        paper,
        *picture.parts,
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _style() -> str:
    common = (
        "text{font:13px system-ui,sans-serif;fill:var(--ink)}.title{font-weight:600}.middle{text-anchor:middle}"
        ".end{text-anchor:end}.paper{fill:var(--paper)}.grid{stroke:var(--grid)}.axis{stroke:var(--ink)}"
        ".level{stroke:var(--ink);stroke-dasharray:3 3}polyline{fill:none;stroke-width:1.6}"
        "line{stroke-width:1.2}"
    )
    common += "".join(
        f".c{number}{{stroke:var(--c{number})}}.c{number}.full{{fill:var(--c{number})}}"
        for number in range(len(COLOURS))
    )
    # What is published must be seen over what is measured.
    common += ".hollow{fill:none;stroke-width:1.8}"
    return f"{_theme(0)}{common}@media(prefers-color-scheme:dark){{{_theme(1)}}}"


def _theme(which: int) -> str:
    """The colours of light (0) or dark (1) pages."""
    paper, ink, grid = (("#ffffff", "#1d2530", "#dfe3e8"), ("#1e2129", "#e6e9ee", "#3a404b"))[which]
    lines = "".join(f"--c{number}:{pair[which]};" for number, pair in enumerate(COLOURS))
    return f":root{{--paper:{paper};--ink:{ink};--grid:{grid};{lines}}}"


def _xs(line: Line) -> list[float]:
    return [*(point.x for point in line.points), *(x for x, _ in line.published)]


def _means(lines: Sequence[Line]) -> list[float]:
    return [point.y for line in lines for point in line.points]


def _values(line: Line) -> list[float]:
    """The values of a line in the direction of what is measured, the ends of intervals included."""
    ends = [end for point in line.points for end in (point.y, point.low, point.high)]
    return [*ends, *(value for _, value in line.published)]


def _short(value: object) -> str:
    """A number of the picture with at most one decimal."""
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)


def _number(value: float) -> str:
    return f"{value:.10g}".replace("-", "−")
