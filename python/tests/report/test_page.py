"""The page as a document: what it says, that it is safe, that it is always the same."""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest

from ackclock.report import render_report, write_report
from ackclock.study.result import StudyResult

from .synthetic import many_studies, small_study, sweep_study, table_study

APART = {"td", "th", "dt", "dd", "p", "summary", "code", "h4"}
VOID = {"meta", "link", "br", "input", "circle", "rect", "path", "line", "use"}


class Document(HTMLParser):
    """Elements with their attributes and the text under each, and whether tags are balanced."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[list[str]] = []
        self.open: list[int] = []
        self.mistakes: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in APART:
            self.handle_data(" ")
        self.elements.append((tag, dict(attrs)))
        self.texts.append([])
        if tag not in VOID:
            self.open.append(len(self.elements) - 1)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.texts.append([])

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.elements[self.open[-1]][0] != tag:
            self.mistakes.append(f"</{tag}> at {self.getpos()}")
            return
        self.open.pop()

    def handle_data(self, data: str) -> None:
        for index in self.open:
            self.texts[index].append(data)

    def all(self, tag: str, kind: str = "") -> list[str]:
        """The texts of all elements with this tag (and class), with spaces made plain."""
        return [
            " ".join("".join(text).split())
            for (name, attributes), text in zip(self.elements, self.texts, strict=True)
            if name == tag and (not kind or kind in (attributes.get("class") or "").split())
        ]


@pytest.fixture(scope="module")
def studies() -> list[StudyResult]:
    return [table_study(), sweep_study()]


@pytest.fixture(scope="module")
def html(studies: list[StudyResult]) -> str:
    return render_report(studies, "ackclock reproduce synthetic")


@pytest.fixture(scope="module")
def document(html: str) -> Document:
    return Document(html)


def test_tags_are_balanced(document: Document) -> None:
    assert not document.mistakes
    assert not document.open


def test_ids_are_unique_and_references_lead_somewhere(document: Document) -> None:
    ids = Counter(attributes["id"] for _, attributes in document.elements if "id" in attributes)
    assert not [id for id, count in ids.items() if count > 1]
    for _, attributes in document.elements:
        for name in ("href", "aria-labelledby", "for"):
            for target in (attributes.get(name) or "").split():
                if name != "href" or target.startswith("#"):
                    assert target.lstrip("#") in ids


def test_headings_never_skip_a_level(document: Document) -> None:
    levels = [int(tag[1]) for tag, _ in document.elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


def test_every_claim_has_its_sentence_its_numbers_and_its_verdict(
    studies: list[StudyResult], document: Document
) -> None:
    shown = document.all("li", "claim")
    claims = [claim for study in studies for claim in study.claims]
    assert len(shown) == len(claims)
    for text, claim in zip(shown, claims, strict=True):
        assert claim.text in text
        assert claim.verdict in text
        assert claim.detail in text
        assert claim.expression in text
        assert (claim.finding or "") in text
    assert "Thesis 71 % Measured 66.2 ± 1.1 % 95 % interval 65.1 to 67.3" in shown[2]
    assert "accepted: 68 to 74 %" in shown[2]
    assert "accepted: up to 0 s" in shown[4]
    assert "accepted:" not in shown[3]


def test_strips_show_what_is_accepted(document: Document) -> None:
    strips = [
        attributes["aria-label"]
        for tag, attributes in document.elements
        if attributes.get("class") == "strip" and attributes.get("role") == "img"
    ]
    assert "Measured 66.2 ± 1.1 %, thesis 71 %, accepted 68 to 74 %" in strips
    assert "Measured −0.054 ± 0.002 s, accepted up to 0 s" in strips
    assert "Measured 0.21 ± 0.03 %, thesis 0 %" in strips


def test_table_shows_the_thesis_beside_the_measured_value(document: Document) -> None:
    beta = next(text for text in document.all("tr") if text.startswith("Beta, 25 flows 12.2"))
    assert re.match(r"Beta, 25 flows 12\.2 1[01]\.\d+ ± 0\.\d+ – 0\.4\d+ ±", beta)


def test_table_headers_have_a_scope(document: Document) -> None:
    assert all(attributes.get("scope") for tag, attributes in document.elements if tag == "th")


def test_index_counts_verdicts_and_has_a_line_per_study(document: Document) -> None:
    assert document.all("ul", "tiles") == ["4 reproduced 1 direction only 2 not reproduced show them"]
    assert document.all("div", "tally") == ["4 reproduced, 1 direction only, 2 not reproduced"]
    (lines,) = document.all("ol", "studies")
    assert "Table 1 Alpha against Beta" in lines
    assert "Figure 2 Packet loss over" in lines


def test_findings_stand_once(studies: list[StudyResult], html: str) -> None:
    for finding in studies[0].findings:
        # A claim that was not reproduced has its finding in the index as well.
        assert html.count(finding.text) == (2 if finding.claim == "1b" else 1)


def test_assumptions_show_what_changes(document: Document) -> None:
    first, second, third = document.all("div", "assumption")
    assert first.startswith("Start times: uniform in 0 to 0.1 s")
    (table,) = document.all("table", "sensitivity")
    assert table.endswith(
        "Reading 1b uniform in 0 to 0.1 s (taken) not reproduced, 0.21"
        " all at once not reproduced, 0.21 one every 10 s reproduced, changed, 0.01000"
    )
    assert "The other 4 verdicts stay the same." in first
    assert "No alternative was run." in second
    assert "No verdict changes with twice as large; or half as large." in third


def test_provenance(document: Document) -> None:
    first, second = document.all("dl", "provenance")
    assert "Seeds 1 to 20" in first
    assert "Study file studies/synthetic/table-1.toml" in first
    assert "Simulations 160, of which 40 from an earlier run" in first
    assert "CPU time about 3.2 s" in first
    assert "numpy 2.0.0" in first
    assert "CPU time about 2 min 05 s" in second


def test_commands(document: Document) -> None:
    commands = [
        attributes["data-copy"]
        for tag, attributes in document.elements
        if tag == "button" and "data-copy" in attributes
    ]
    assert commands == [
        "ackclock reproduce synthetic",
        "ackclock reproduce synthetic/table-1",
        "ackclock reproduce synthetic/figure-2 --quick",
    ]


def test_a_single_study_is_made_again_by_the_command_given() -> None:
    document = Document(render_report([sweep_study()], "ackclock reproduce my/file.toml"))
    assert "ackclock reproduce my/file.toml" in document.all("code")
    assert document.all("title") == ["Packet loss over the number of connections (made up) · ackclock"]


def test_quick_runs_say_so(document: Document) -> None:
    assert sum(text.startswith("Quick run") for text in document.all("p", "notice")) == 1


def test_nothing_is_loaded_from_elsewhere(document: Document, html: str) -> None:
    for tag, attributes in document.elements:
        for name in ("src", "href", "srcset", "action", "data", "poster"):
            value = attributes.get(name) or ""
            assert value.startswith(("#", "data:")) or not value, (tag, name, value)
    policy = next(a["content"] for t, a in document.elements if t == "meta" and "http-equiv" in a)
    assert policy is not None
    assert policy.startswith("default-src 'none'")
    assert "http" not in policy
    assert not re.search(r"@import|url\(", html)


def test_the_library_is_there_once_and_only_for_figures(html: str) -> None:
    assert html.count('id="plotly-packed"') == 1
    assert 'id="plotly-packed"' not in render_report([small_study(1)], "ackclock reproduce x")


def test_the_same_input_gives_the_same_bytes(html: str) -> None:
    assert render_report([table_study(), sweep_study()], "ackclock reproduce synthetic") == html


def test_texts_of_studies_are_escaped() -> None:
    evil = "</script><script>alert(1)</script><img src=x onerror=alert(2)> & \"quoted\" 'too' \u2028"
    study = table_study(f"evil/{evil}")
    claims = tuple(
        dataclasses.replace(claim, text=evil, detail=evil, expression=evil, finding=evil, id=evil, unit=evil)
        for claim in study.claims[:1]
    )
    assumption = dataclasses.replace(
        study.assumptions[0],
        what=evil,
        taken=evil,
        why=evil,
        sensitivity=(
            dataclasses.replace(
                study.assumptions[0].sensitivity[0], alternative=evil, claims=claims, changed=(evil,)
            ),
        ),
    )
    study = dataclasses.replace(
        study,
        title=evil,
        summary=evil,
        file=evil,
        scenario_text=evil,
        source=dataclasses.replace(
            study.source,
            item=evil,
            section=evil,
            thesis=dataclasses.replace(
                study.source.thesis, author=evil, title=evil, degree=evil, university=evil
            ),
        ),
        metrics=tuple(
            metric.model_copy(update={"label": evil, "unit": evil, "definition": evil})
            for metric in study.metrics
        ),
        cases=tuple(
            dataclasses.replace(case, label=evil, overrides={evil: {evil: evil}}) for case in study.cases
        ),
        claims=claims,
        assumptions=(assumption,),
        findings=tuple(finding.model_copy(update={"text": evil}) for finding in study.findings),
        figures=tuple(
            figure.model_copy(update={"title": evil, "caption": evil, "y_label": evil})
            for figure in study.figures
        ),
        versions={evil: evil},
    )
    document = Document(render_report([study, small_study(1)], evil))
    assert not document.mistakes
    assert not [tag for tag, attributes in document.elements if "onerror" in attributes or tag == "img"]
    assert "alert" not in " ".join(
        text
        for (tag, attributes), text in zip(document.elements, map("".join, document.texts), strict=True)
        if tag == "script" and "type" not in attributes
    )
    drawings = [
        "".join(text)
        for (tag, attributes), text in zip(document.elements, document.texts, strict=True)
        if tag == "script" and attributes.get("type") == "application/json"
    ]
    assert json.loads(drawings[0])["entries"][0]["label"] == evil


def test_dozens_of_studies_stay_small(tmp_path: Path) -> None:
    path = write_report(many_studies(), tmp_path / "new" / "report.html", "ackclock reproduce --all")
    assert path == tmp_path / "new" / "report.html"
    assert path.stat().st_size < 3e6
    document = Document(path.read_text(encoding="utf-8"))
    assert len(document.all("article", "study")) == 40
    assert len(document.all("nav", "sidebar")) == 1


def test_studies_of_one_name_keep_apart() -> None:
    document = Document(render_report([small_study(1), small_study(1)], "ackclock reproduce x"))
    ids = [attributes["id"] for tag, attributes in document.elements if tag == "article"]
    assert ids == ["study-synthetic-figure-1", "study-synthetic-figure-1-2"]


def test_no_study_at_all() -> None:
    assert "0 published experiments, 0 claims" in render_report([], "ackclock reproduce")


def test_what_was_not_reproduced_is_in_the_index_with_its_finding(document: Document) -> None:
    first, second = document.all("li", "miss")
    assert "Alpha has no loss with 25 flows either" in first
    assert "Finding. With 25 flows the made-up queue overflows" in first
    assert "thesis 0 % measured 0.21 ± 0.03 %" in first
    assert "Gamma has no loss No finding is written about it." in second
    assert "thesis 0.125 % measured – accepted 0.11875" in second


def test_one_study_needs_no_list_of_what_was_not_reproduced() -> None:
    html = render_report([table_study()], "ackclock reproduce synthetic/table-1")
    assert not Document(html).all("li", "miss")
    assert 'href="#misses"' not in html


def test_theses_are_counted_in_a_table() -> None:
    studies = many_studies()
    document = Document(render_report(studies, "ackclock reproduce --all"))
    counted = [row.split() for row in document.all("tr") if row.startswith("All ")]
    claims = [claim.verdict for study in studies for claim in study.claims]
    assert [list(map(int, row[1:])) for row in counted] == [
        [
            len(studies),
            len(claims),
            claims.count("reproduced"),
            claims.count("direction only"),
            claims.count("not reproduced"),
        ]
    ]
    # One thesis alone is counted by the tiles.
    assert not Document(render_report(studies[:3], "x")).all("table", "tallies")
