"""Fits the texts of a printed figure: each is measured in the drawn figure, and wrapped, turned or thinned until it
covers no other and none is cut.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend
    from matplotlib.text import Text

_BEFORE_UNIT = re.compile(r"(?<=\d) (?=[^\W\d_])")
"""Matches the space between a number and the word after it, such as a unit."""
TITLE = "title"
"""The id of the title of a panel."""
_CHARACTER_IN = 0.07
"""The approximate width of a character of a title, in inches."""
_GAP_PT = 4.0
"""The least distance in points between two texts side by side."""
_MOST_COLUMNS = 4
"""The largest number of columns of a legend."""
_ROUNDS = 6
"""The largest number of passes in which texts are changed until the layout fits."""
_LEAST_IN = 0.95
"""The least height of a panel in inches."""
_TURNED = 60
"""The angle in degrees of tick labels that do not fit side by side."""


def legend(figure: Figure, handles: Sequence[Any], labels: Sequence[str], title: str) -> Legend:
    """Draws the legend below the panels, in as many columns as fit, with labels wrapped if even one column is too
    wide, and makes the figure higher by its height.
    """
    width = float(figure.get_window_extent().width)
    shown, found = list(labels), width
    for columns in range(min(_MOST_COLUMNS, len(shown)), 0, -1):
        drawn = _legend(figure, handles, shown, title, columns)
        # A removed legend has no extent.
        if (found := float(drawn.get_window_extent().width)) <= width:
            break
        drawn.remove()
    else:
        widest = max(len(label) for label in shown)
        room = max(12, int(widest * 0.9 * width / found))
        shown = ["\n".join(_lines(label, room)) for label in shown]
        drawn = _legend(figure, handles, shown, title, 1)
    higher = float(drawn.get_window_extent().height) / figure.dpi
    figure.set_figheight(float(figure.get_figheight()) + higher)
    return drawn


def _legend(
    figure: Figure, handles: Sequence[Any], labels: Sequence[str], title: str, columns: int
) -> Legend:
    return figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=columns,
        frameon=False,
        title=title or None,
        title_fontsize=7,
        handlelength=2.4,
    )


def fit(figure: Figure, rows: int) -> None:
    """Fits the titles, labels and ticks of every panel, of which ``rows`` are above each other.

    The layout is computed anew after each change, because it depends on the texts.
    """
    _foresee(figure)
    for _ in range(_ROUNDS):
        figure.draw_without_rendering()
        # A list first: every panel is to change, not only the first that has to.
        turned = [_fit_ticks(ax) for ax in figure.axes]
        changes = [_fit_panel(ax) for ax in figure.axes] + [_fit_labels(figure)]
        if higher := max(turned):
            figure.set_figheight(float(figure.get_figheight()) + higher)
        elif not any(changes) and not _raise(figure, rows):
            return


def _foresee(figure: Figure) -> None:
    """Wraps titles before the first layout, in which long ones would leave their panels no width."""
    specs = [ax.get_subplotspec() for ax in figure.axes]
    across = len({spec.colspan.start for spec in specs if spec is not None})
    room_in = float(figure.get_figwidth()) / max(1, across)
    for ax in figure.axes:
        for title in (cast("Text", found) for found in ax.findobj(_is_title)):
            title.set_text("\n".join(_lines(title.get_text(), max(8, int(room_in / _CHARACTER_IN)))))


def _raise(figure: Figure, rows: int) -> bool:
    """Makes the figure higher if its texts leave a panel too little height. Returns whether it did."""
    heights = [float(ax.get_window_extent().height) / figure.dpi for ax in figure.axes]
    lacking = _LEAST_IN - min(heights)
    if lacking <= 0.02:
        return False
    figure.set_figheight(float(figure.get_figheight()) + rows * lacking)
    return True


def _fit_panel(ax: Axes) -> bool:
    """Returns whether a text of the panel changed."""
    box = ax.get_window_extent()
    changed = False
    for title in ax.findobj(_is_title):
        changed |= _wrap(cast("Text", title), float(box.width))
    changed |= _wrap(ax.yaxis.label, float(box.height))
    changed |= _wrap(ax.xaxis.label, float(box.width))
    return changed | _fit_cells(ax)


def _fit_labels(figure: Figure) -> bool:
    """Wraps the labels that all panels share."""
    size = figure.get_window_extent()
    changed = [
        _wrap(label, 0.8 * float(size.height if _upright(label) else size.width)) for label in figure.texts
    ]
    return any(changed)


def _is_title(artist: Artist) -> bool:
    return artist.get_gid() == TITLE


def _lines(text: str, characters: int) -> list[str]:
    """Returns the text in lines. A word is broken only if it is longer than a line, then rather at a hyphen than
    elsewhere: ``fq-codel`` is a name.
    """
    for hyphens, anywhere in ((False, False), (True, False)):
        found = textwrap.wrap(text, characters, break_on_hyphens=hyphens, break_long_words=anywhere)
        if max(map(len, found), default=0) <= characters:
            return found
    return textwrap.wrap(text, characters)


def _upright(text: Text) -> bool:
    return float(text.get_rotation()) == 90.0


def _wrap(text: Text, room: float) -> bool:
    """Wraps a text that is longer than ``room`` pixels. Returns whether it changed."""
    words = text.get_text().replace("\n", " ")
    if not words or room <= 0:
        return False
    box = text.get_window_extent()
    length = float(box.height if _upright(text) else box.width)
    if length <= room:
        return False
    longest = max(len(line) for line in text.get_text().split("\n"))
    # A number stays with its unit.
    lines = _lines(_BEFORE_UNIT.sub("\u00a0", words), max(6, int(longest * room / length)))
    wrapped = "\n".join(lines).replace("\u00a0", " ")
    if wrapped == text.get_text():
        return False
    text.set_text(wrapped)
    return True


def _fit_ticks(ax: Axes) -> float:
    """Wraps the words below an axis, or turns them, and thins out numbers, until they do not touch. Returns the height
    in inches that changed labels need; 0 without a change.
    """
    labels = [label for label in ax.get_xticklabels() if label.get_text() and label.get_visible()]
    if not _touch(labels) or float(labels[0].get_rotation()) == _TURNED:
        return 0.0
    dpi = float(ax.figure.dpi)
    line = float(labels[0].get_window_extent().height) / dpi
    if _numbers(labels):
        ax.locator_params(axis="x", nbins=max(2, len(labels) // 2))
        return line
    each = float(ax.get_window_extent().width) / len(labels)
    texts = [label.get_text() for label in labels]
    rooms = [_characters(label, each) for label in labels]
    wrapped = [_lines(text, room) for text, room in zip(texts, rooms, strict=True)]
    if all(max(map(len, lines)) <= room for lines, room in zip(wrapped, rooms, strict=True)) and not any(
        _broken(text, lines) for text, lines in zip(texts, wrapped, strict=True)
    ):
        ax.set_xticks(ax.get_xticks(), ["\n".join(lines) for lines in wrapped])
        return line * (max(map(len, wrapped)) - 1)
    ax.set_xticks(ax.get_xticks(), texts, rotation=_TURNED, ha="right", rotation_mode="anchor")
    longest = max(float(label.get_window_extent().width) for label in labels)
    return longest / dpi


def _broken(text: str, lines: Sequence[str]) -> bool:
    """Returns whether a word of the text is broken."""
    return " ".join(lines) != text


def _fit_cells(ax: Axes) -> bool:
    """Leaves out of a heat map's squares the interval that does not fit, and then the number."""
    if not ax.images or not ax.texts:
        return False
    rows, columns = ax.images[0].get_size()
    box = ax.get_window_extent()
    width, height = float(box.width) / columns, float(box.height) / rows
    found = [text.get_window_extent() for text in ax.texts if text.get_text()]
    if all(one.width <= width and one.height <= height for one in found):
        return False
    for text in ax.texts:
        short = text.get_gid() or ""
        text.set_text(short if short != text.get_text() else "")
    return True


def _characters(label: Text, room: float) -> int:
    """Returns how many characters of the label fit into ``room`` pixels."""
    longest = max(len(line) for line in label.get_text().split("\n"))
    return max(4, int(longest * (room - _GAP_PT) / max(1.0, float(label.get_window_extent().width))))


def _numbers(labels: Sequence[Text]) -> bool:
    """Returns whether all labels are numbers, which Matplotlib writes with its command ``mathdefault``."""
    return all(any(character.isdigit() for character in label.get_text()) for label in labels) and not any(
        character.isalpha() for label in labels for character in label.get_text().replace("mathdefault", "")
    )


def _touch(labels: Sequence[Text]) -> bool:
    boxes = [label.get_window_extent() for label in labels if label.get_text()]
    gap = _GAP_PT / 72 * float(labels[0].figure.dpi) / 2 if labels else 0.0
    return any(
        one.x1 + gap > other.x0 and one.y0 < other.y1 and other.y0 < one.y1 for one, other in pairwise(boxes)
    )
