"""The figures of printed numbers against measured ones, on the pages of theses and of all."""

from __future__ import annotations

import math
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from conftest import script

from ackclock.pages import figures, theses
from ackclock.pages.results import Recorded, anchor, found, of_theses, of_thesis
from ackclock.report.agreement import Agreement, agreement
from ackclock.study.load import theses as every_thesis
from ackclock.study.printed_numbers import Printed, of_studies

ROOT = Path(__file__).resolve().parents[2]
THESES = list(every_thesis())
SVG = "{http://www.w3.org/2000/svg}"
COUNTED = re.compile(r"\(\d{4}\): (\d+)")
"""What ends a line of the legend: the year of a publication, and its number of points."""


def recorded(key: str) -> list[Recorded]:
    """The records of a thesis, or of all theses."""
    return found(of_thesis(key) if key else of_theses())


def figure(key: str, *, linked: bool = False) -> ElementTree.Element:
    drawings = figures.number_drawings(figures.on_the_site if linked else None)
    texts = {path.name: text for path, text in drawings}
    return ElementTree.fromstring(texts[figures.numbers_file(key)])  # noqa: S314  (of the repository)


def data(key: str) -> Agreement:
    made = agreement([one.result for one in recorded(key)])
    assert made is not None
    return made


def drawn(key: str) -> list[Printed]:
    """The numbers that have a place on logarithmic axes, in the order in which they are drawn."""
    return [one for one in data(key).numbers if one.printed * one.measured > 0]


def scale(root: ElementTree.Element, axis: str) -> tuple[float, float]:
    """Where 1 lies on an axis, and how far a decade reaches, by the least and the greatest number at it."""
    look, key, shift = ("middle", "x", 0) if axis == "x" else ("end", "y", -4)
    found = [part for part in root.iter(f"{SVG}text") if part.get("class") == look]
    (value, place), *_, (last, end) = sorted(
        (float(part.text or ""), float(part.get(key, "")) + shift) for part in found
    )
    decade = (end - place) / math.log10(last / value)
    return place - math.log10(value) * decade, decade


def corners(mark: ElementTree.Element) -> tuple[list[float], list[float]]:
    if "cx" in mark.attrib:
        return [float(mark.get("cx", ""))], [float(mark.get("cy", ""))]
    pairs = [tuple(map(float, pair.split(","))) for pair in mark.get("points", "").split()]
    return [x for x, _ in pairs], [y for _, y in pairs]


@pytest.mark.parametrize("key", ["", *THESES])
def test_every_number_of_the_records_is_a_point_at_its_place(key: str) -> None:
    root, numbers = figure(key, linked=True), drawn(key)
    (one_x, across), (one_y, up) = scale(root, "x"), scale(root, "y")
    assert across == pytest.approx(-up, rel=0.002)
    points = list(root.iter(f"{SVG}a"))
    assert len(points) == len(numbers) > 0
    for (title, mark), number in zip(points, numbers, strict=True):
        assert title.text == str(number)
        assert ("hollow" in mark.get("class", "")) == bool(number.setup)
        xs, ys = corners(mark)
        # Within a pixel and a half: the middle of a triangle is not that of its corners.
        for ends, start, decade, value in (
            (xs, one_x, across, number.printed),
            (ys, one_y, up, number.measured),
        ):
            place = start + decade * math.log10(abs(value))
            assert min(ends) - 1.5 < place < max(ends) + 1.5
            assert (min(ends) + max(ends)) / 2 == pytest.approx(place, abs=1.5)


@pytest.mark.parametrize("key", THESES)
def test_a_point_has_the_numbers_of_its_record(key: str) -> None:
    studies = {one.study.name: one.result for one in recorded(key)}
    for number in of_studies(list(studies.values())):
        result = studies[number.study]
        claims = {claim.id: claim for claim in result.claims}
        claim = claims.get(number.claim)
        of_claim = claim is not None and (claim.paper, claim.measured) == (number.printed, number.measured)
        if number.metric:
            values = [case.values[number.metric] for case in result.cases if case.label in number.where]
            assert number.printed in [value.paper for value in values]
            assert of_claim or number.measured in [value.mean for value in values]
        else:
            assert of_claim
        assert not of_claim or (claim is not None and claim.tested)


@pytest.mark.parametrize("key", ["", *THESES])
def test_the_counts_on_the_figure_are_those_of_the_page(key: str) -> None:
    (sentence, *_) = theses.numbers(recorded(key))
    count, near, _, wide, *_ = map(int, re.findall(r"\d+", sentence))
    root = figure(key)
    title, *texts = [part.text or "" for part in root.iter(f"{SVG}text")]
    numbers = f"{count} number{'s' if count > 1 else ''}"
    assert title == f"{near} of {numbers} reproduced within 10 %, {wide} within 25 %"
    counts = [int(found[1]) for text in texts if (found := COUNTED.search(text))]
    assert sum(counts) == count
    assert len(counts) == len(data(key).groups)
    left_out = [int(text.split()[2]) for text in texts if text.startswith("Not drawn: ")]
    marks = [part for part in root.iter() if "point" in part.get("class", "")]
    legend = len(counts) + texts.count("set-up partly unknown")
    assert len(marks) - legend == len(drawn(key)) == count - sum(left_out)


def test_publications_differ_by_colour_and_by_shape() -> None:
    looks = set()
    for key in THESES:
        # On the page of a thesis it looks as it does beside the others.
        (look,) = {look_of(part) for part in figure(key).iter() if "point c" in part.get("class", "")}
        looks.add(look)
    assert looks == {look_of(part) for part in figure("").iter() if "point c" in part.get("class", "")}
    assert len({colour for colour, _ in looks}) == len({shape for _, shape in looks}) == len(THESES)


def look_of(mark: ElementTree.Element) -> tuple[str, tuple[tuple[float, float], ...]]:
    """The colour of a mark and its shape: the signs of its corners' distances from their middle."""
    xs, ys = corners(mark)
    x, y = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
    shape = tuple((round(one - x), round(other - y)) for one, other in zip(xs, ys, strict=True))
    return mark.get("class", "").split()[1], shape


def test_a_point_opens_its_claim_in_the_table_of_its_thesis() -> None:
    pages: dict[str, set[str]] = {f"../../reproduction/{one.study.name}.html": {""} for one in recorded("")}
    for key in THESES:
        ids = re.findall(r'<a id="(.+?)"></a>', theses.claims_table(key, recorded(key)))
        assert len(ids) == len(set(ids)) > 0
        pages[f"../../reproduction/{key}-claims.html"] = set(ids)
    for key in ("", *THESES):
        for link, number in zip(figure(key, linked=True).iter(f"{SVG}a"), drawn(key), strict=True):
            file, _, place = link.get("href", "").partition("#")
            assert place in pages[file]
            assert place == (anchor(number.study.partition("/")[2], number.claim) if number.claim else "")


def test_each_page_has_its_figure_and_the_repository_a_picture_without_links() -> None:
    for key in ("", *THESES):
        page = ROOT / "docs" / (f"reproduction/{key}.md" if key else "reproduction.md")
        assert figures.numbers(key).startswith("![Measured numbers versus printed numbers")
        assert figures.numbers(key) in page.read_text(encoding="utf-8")
        assert not list(figure(key).iter(f"{SVG}a"))
        assert figure(key).get("role") == "img"
        assert figure(key, linked=True).get("role") == "group"
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"(docs/images/reproduction/{figures.numbers_file()})" in readme


def test_on_the_site_the_figure_is_more_than_a_picture() -> None:
    build = script("build-docs")
    source, image = "docs/reproduction/rbcc.md", "docs/images/reproduction/rbcc-numbers.svg"
    places = {source: "reproduction/rbcc.md", image: "images/reproduction/rbcc-numbers.svg"}
    text = build.page(f"Text.\n\n{figures.numbers('rbcc')}\n", source, places[source], places, {})
    assert (
        '<object class="numbers" type="image/svg+xml" data="../images/reproduction/rbcc-numbers.svg"' in text
    )
    assert "![" not in text
    other = "![A picture of 5 numbers](../images/reproduction/rbcc-loss.svg)"
    assert build.OF_NUMBERS.sub(build.opened, other) == other
