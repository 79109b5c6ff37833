"""The figure at the top of a report: every printed number against the measured one."""

from __future__ import annotations

import re
from dataclasses import replace

from ackclock.report import render_page
from ackclock.report.agreement import agreement
from ackclock.report.index_page import render_index
from ackclock.study.load import theses
from ackclock.study.result import CaseResult, MetricValue, StudyResult

from .document import Document
from .synthetic import METRICS, OTHER_THESIS, claim, small_study, table_study


def study(*numbers: tuple[float, float], name: str = "s") -> StudyResult:
    """A study of one metric with these printed and measured numbers, each of a case."""
    cases = tuple(
        CaseResult(
            f"c{k}", f"c{k}", "", None, {}, (1,), {"rtt": MetricValue(measured, None, None, (), printed)}
        )
        for k, (printed, measured) in enumerate(numbers)
    )
    return replace(small_study(1), name=name, metrics=(METRICS[1],), cases=cases, claims=())


def links(html: str) -> list[str]:
    """The addresses that points open."""
    drawing = html[html.index('<figure class="agreement">') : html.index("A point opens its claim")]
    return re.findall(r'<a href="(.*?)" tabindex="-1">', drawing)


def test_without_a_number_there_is_no_figure() -> None:
    assert agreement([study()]) is None
    assert "agreement" not in Document(render_page(study(), "x")).all("figure")


def test_it_counts_what_it_cannot_draw() -> None:
    made = agreement([study((1.0, 1.05), (2.0, 2.4), (-1.0, -5.0), (0.0, 0.0), (1.0, -1.0))])
    assert made is not None
    # Equal zeros are within 10 %.
    assert made.title == "2 of 5 numbers reproduced within 10 %, 3 within 25 %"
    assert made.left_out == "Not drawn: 2 pairs with a zero or opposite signs."
    assert made.file().count("point c") == 3 + 1  # and that of the legend


def test_numbers_of_which_none_can_be_drawn_have_axes_too() -> None:
    made = agreement([study((0.0, 1.0))])
    assert made is not None
    assert made.title == "0 of 1 number reproduced within 10 %, 0 within 25 %"
    assert made.file().count("point c") == 1


def test_axes_reach_over_a_decade() -> None:
    made = agreement([study((3.0, 3.0))])
    assert made is not None
    assert {">1<", ">2<", ">5<"} <= set(re.findall(r">\d+<", made.file()))


def test_a_publication_that_is_no_thesis_of_the_package_has_a_look_of_its_own() -> None:
    key, thesis = next(iter(theses().items()))
    results = [
        replace(made, name=str(k), source=replace(made.source, thesis=one))
        for k, (made, one) in enumerate([(study((1, 1)), OTHER_THESIS), (study((1, 1), (2, 2)), thesis)])
    ]
    made = agreement(results)
    assert made is not None
    # The one with the most numbers is drawn first.
    assert [(group.label, group.look) for group in made.groups] == [
        (f"{thesis.author} ({thesis.year})", list(theses()).index(key)),
        ("B. Namesake (2003)", len(theses())),
    ]


def test_a_point_opens_its_claim_or_the_results() -> None:
    tests = [
        claim("1", "as printed", "RTT", expression="rtt('c1')", paper=2.0),
        claim("2", "undecided", "All", paper=7.0),
    ]
    made = replace(study((1.0, 1.0), (2.0, 2.0)), claims=tuple(tests))
    assert links(render_page(made, "x")) == ["#study-results", "#study-claim-1", "#study-claim-2"]
    index = render_index([made], "x", pages={"s": "page.html"}, indexes={})
    assert links(index) == ["page.html#study-results", "page.html#study-claim-1", "page.html#study-claim-2"]


def test_texts_are_escaped() -> None:
    evil = '</title><script>alert("1")</script>'
    made = study((1.0, 1.0), name=evil)
    metric = METRICS[1].model_copy(update={"label": evil, "unit": evil})
    page = Document(render_page(replace(made, metrics=(metric,)), "x"))
    assert not page.mistakes
    assert any(evil in text for text in page.all("title"))
    assert not [text for text in page.all("script") if text.startswith("alert")]


def test_a_figure_is_said_in_words() -> None:
    made = agreement([table_study()])
    assert made is not None
    page = Document(render_page(table_study(), "x"))
    (label,) = [a["aria-label"] for tag, a in page.elements if tag == "svg" and a.get("role") == "group"]
    assert label == made.words
    assert label.startswith("Measured numbers versus printed numbers, on logarithmic axes: ")
