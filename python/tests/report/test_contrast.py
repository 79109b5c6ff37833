"""The colours of both themes, by the contrast ratio of WCAG 2.2."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import ackclock.report
from ackclock.report.style import COLOURS

CSS = (Path(ackclock.report.__file__).with_name("assets") / "report.css").read_text(encoding="utf-8")


def theme(selector: str) -> dict[str, str]:
    block = CSS[CSS.index(selector + " {") :]
    return dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6});", block[: block.index("}")]))


THEMES = {"light": theme(":root"), "dark": theme(':root[data-theme="dark"]')}


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("name", THEMES)
def test_text_can_be_read(name: str) -> None:
    colours = THEMES[name]
    pairs = [(text, back) for text in ("text", "muted", "accent") for back in ("back", "surface")]
    pairs += [(tone, f"{tone}-back") for tone in ("good", "half", "open", "bad")]
    pairs += [(tone, "back") for tone in ("good", "half", "open", "bad")]
    pairs += [("text", "half-back")]
    for text, back in pairs:
        assert contrast(colours[text], colours[back]) >= 4.5, (text, back)


@pytest.mark.parametrize("name", THEMES)
def test_curves_and_marks_can_be_seen(name: str) -> None:
    colours = THEMES[name]
    marks = [f"curve-{index}" for index in range(COLOURS)] + [
        "good-mark",
        "half-mark",
        "open-mark",
        "bad-mark",
    ]
    for mark in marks:
        assert contrast(colours[mark], colours["back"]) >= 3, mark


def test_both_themes_have_the_same_colours() -> None:
    assert THEMES["light"].keys() == THEMES["dark"].keys()
