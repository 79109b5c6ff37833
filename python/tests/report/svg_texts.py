"""The texts of a drawn SVG file with the places that they cover, by the metrics of the font that the file names."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from xml.etree import ElementTree as ET

import numpy as np
import numpy.typing as npt

SVG = "{http://www.w3.org/2000/svg}"
Matrix = npt.NDArray[np.float64]
DESCENT, ASCENT = 0.2, 0.73
"""Below and above the base line, as shares of the size; of DejaVu Sans, for letters without accents."""


@dataclass(frozen=True)
class Placed:
    """A text and the corners of its box in points."""

    text: str
    corners: Matrix
    size: float
    """The size of its font in points."""

    @property
    def upright(self) -> bool:
        """Whether its sides are those of the page."""
        sides = np.diff(self.corners, axis=0)
        return bool(np.all(np.min(np.abs(sides), axis=1) < 1e-6))

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right, bottom."""
        (left, top), (right, bottom) = self.corners.min(axis=0), self.corners.max(axis=0)
        return left, top, right, bottom

    def covers(self, other: Placed, slack: float = 0.3) -> bool:
        """Whether the boxes have more than ``slack`` points in common, however they are turned."""
        for corners in (self.corners, other.corners):
            for side in (corners[1] - corners[0], corners[3] - corners[0]):
                length = float(np.hypot(*side))
                if length == 0:
                    return False
                mine, its = self.corners @ side / length, other.corners @ side / length
                if min(mine.max(), its.max()) - max(mine.min(), its.min()) <= slack:
                    return False
        return True


def size(svg: str) -> tuple[float, float]:
    """Width and height of the page in points."""
    _, _, width, height = map(float, ET.fromstring(svg).attrib["viewBox"].split())  # noqa: S314 (a file of ours)
    return width, height


def placed(svg: str) -> list[Placed]:
    """Every text of the file."""
    return list(_walk(ET.fromstring(svg), np.eye(3), {}))  # noqa: S314


def _walk(element: ET.Element, matrix: Matrix, style: dict[str, str]) -> Iterator[Placed]:
    matrix = matrix @ _matrix(element.attrib.get("transform", ""))
    style = {**style, **dict(re.findall(r"([\w-]+):\s*([^;]+)", element.attrib.get("style", "")))}
    if element.tag in (f"{SVG}text", f"{SVG}tspan") and (element.text or "").strip():
        text = " ".join((element.text or "").split())
        font = float(style["font-size"].removesuffix("px"))
        bold = style.get("font-weight") in ("700", "bold")
        width = _width(text, bold) * font
        xs = [float(x) for x in element.attrib.get("x", "0").split()]
        left, base = xs[0], float(element.attrib.get("y", "0").split()[0])
        if len(xs) > 1:
            width = xs[-1] - xs[0] + _width(text[-1], bold) * font
        left -= width * {"middle": 0.5, "end": 1.0}.get(style.get("text-anchor", ""), 0.0)
        top, bottom = base - ASCENT * font, base + DESCENT * font
        corners = np.array(
            [[left, top, 1], [left + width, top, 1], [left + width, bottom, 1], [left, bottom, 1]]
        )
        scale = math.sqrt(abs(float(np.linalg.det(matrix[:2, :2]))))
        yield Placed(text, (corners @ matrix.T)[:, :2], font * scale)
    for child in element:
        yield from _walk(child, matrix, style)


def _matrix(transform: str) -> Matrix:
    found = np.eye(3)
    for name, arguments in re.findall(r"(\w+)\(([^)]*)\)", transform):
        values = [float(value) for value in re.split(r"[\s,]+", arguments.strip())]
        step = np.eye(3)
        if name == "translate":
            step[:2, 2] = (*values, 0.0)[:2]
        elif name == "scale":
            step[0, 0], step[1, 1] = values[0], values[-1]
        elif name == "rotate":
            angle = math.radians(values[0])
            step[:2, :2] = [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
            if len(values) == 3:
                centre = np.array(values[1:])
                step[:2, 2] = centre - step[:2, :2] @ centre
        found = found @ step
    return found


@lru_cache(maxsize=1024)
def _width(text: str, bold: bool) -> float:
    """The width of a text of size 1."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    font = FontProperties(family="DejaVu Sans", weight="bold" if bold else "normal")
    return float(TextPath((0, 0), text.replace("$", r"\$"), size=100, prop=font).get_extents().x1) / 100
