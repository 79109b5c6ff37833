"""The page as a document: what it says, that it is safe, that it is always the same."""

from __future__ import annotations

import base64
import dataclasses
import gzip
import itertools
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from ackclock.report import render_page, write_report
from ackclock.report.index_page import render_index
from ackclock.study.result import OtherResult, StudyResult

from .document import Document
from .synthetic import small_study, sweep_study, table_study


@pytest.fixture(scope="module")
def studies() -> list[StudyResult]:
    return [table_study(), sweep_study()]


@pytest.fixture(scope="module", params=[0, 1], ids=["table", "sweep"])
def study(request: pytest.FixtureRequest, studies: list[StudyResult]) -> StudyResult:
    return studies[request.param]


@pytest.fixture(scope="module")
def html(study: StudyResult) -> str:
    return render_page(study, "ackclock reproduce synthetic")


@pytest.fixture(scope="module")
def table(studies: list[StudyResult]) -> Document:
    return Document(render_page(studies[0], "ackclock reproduce synthetic"))


@pytest.fixture(scope="module")
def document(html: str) -> Document:
    return Document(html)


def index_of(studies: list[StudyResult]) -> str:
    """The index of a folder of studies, as text."""
    pages = {study.name: "study.html" for study in studies}
    return render_index(studies, "ackclock reproduce synthetic", pages=pages, indexes={})


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
    study: StudyResult, document: Document
) -> None:
    shown = document.all("li", "claim")
    for text, claim in zip(shown, study.claims, strict=True):
        assert claim.text in text
        assert claim.verdict in text
        assert claim.detail in text
        assert claim.expression in text
        assert (claim.finding or "") in text


def test_claims_have_their_numbers(table: Document) -> None:
    shown = table.all("li", "claim")
    assert "Published 71 % Measured 66.2 ± 1.1 % 95 % interval 65.1 to 67.3" in shown[2]
    assert "accepted: 68 to 74 %" in shown[2]
    assert "accepted: up to 0 s" in shown[4]
    assert "accepted:" not in shown[3]


def test_strips_show_what_is_accepted(table: Document) -> None:
    strips = [
        attributes["aria-label"]
        for tag, attributes in table.elements
        if attributes.get("class") == "strip" and attributes.get("role") == "img"
    ]
    assert "Measured 66.2 ± 1.1 %, published 71 %, accepted 68 to 74 %" in strips
    assert "Measured −0.054 ± 0.002 s, accepted up to 0 s" in strips
    assert "Measured 0.21 ± 0.03 %, published 0 %" in strips


def test_table_shows_the_thesis_beside_the_measured_value(table: Document) -> None:
    beta = next(text for text in table.all("tr") if text.startswith("Beta, 25 flows 12.2"))
    assert re.match(r"Beta, 25 flows 12\.2 1[01]\.\d+ ± 0\.\d+ – 0\.4\d+ ±", beta)


def test_table_headers_have_a_scope(document: Document) -> None:
    assert all(attributes.get("scope") for tag, attributes in document.elements if tag == "th")


def test_a_page_counts_its_verdicts(table: Document) -> None:
    assert table.all("ul", "tiles") == ["3 as printed 1 right order, other size 1 not as printed"]


def test_findings_stand_once(studies: list[StudyResult]) -> None:
    html = render_page(studies[0], "ackclock reproduce synthetic")
    for finding in studies[0].findings:
        assert html.count(finding.text) == 1


def test_assumptions_show_what_changes(table: Document) -> None:
    first, second, third = table.all("div", "assumption")
    assert first.startswith("Start times: uniform in 0 to 0.1 s (ackclock's own choice)")
    (changes,) = table.all("table", "sensitivity")
    # A row for each claim that changes, in words, and a column for each reading.
    assert changes.endswith(
        "Claim uniform in 0 to 0.1 s (taken) all at once (a robustness check) one every 10 s (a robustness check)"
        " 1b Alpha has no loss with 25 flows either (%)"
        " not as printed 0.21 not as printed 0.21 as printed, changed 0.01000"
    )
    assert "The other 2 results stay the same." in first
    assert (
        "With one every 10 s, 2 claims are undecided after 10 seeds: 2, 3. With the study's interpretation, they are "
        "decided." in first
    )
    assert "No alternative was run." in second
    assert "No result changes with twice as large; or half as large." in third
    assert (
        "With twice as large, a claim is undecided after 20 seeds: 3. With the study's interpretation, it is decided."
        in third
    )


def test_provenance(studies: list[StudyResult]) -> None:
    (first,), (second,) = (
        Document(render_page(study, "ackclock reproduce x")).all("dl", "provenance") for study in studies
    )
    assert "Seeds 1 to 20" in first
    assert "Study file studies/synthetic/table-1.toml" in first
    assert "Simulations 160, of which 40 from an earlier run" in first
    assert "CPU time about 3.2 s" in first
    assert "numpy 2.0.0" in first
    assert "CPU time about 2 min 05 s" in second


def commands(document: Document) -> list[str | None]:
    return [
        attributes["data-copy"]
        for tag, attributes in document.elements
        if tag == "button" and "data-copy" in attributes
    ]


def test_a_page_has_the_command_that_makes_it_again(html: str) -> None:
    assert commands(Document(html)) == ["ackclock reproduce synthetic"]


def test_the_title_is_that_of_the_study() -> None:
    document = Document(render_page(sweep_study(), "ackclock reproduce my/file.toml"))
    assert document.all("title")[:1] == ["Packet loss over the number of connections (synthetic) · ackclock"]


def test_quick_runs_say_so(study: StudyResult, document: Document) -> None:
    assert any(text.startswith("Quick run") for text in document.all("p", "notice")) == study.quick


def test_nothing_is_loaded_from_elsewhere(document: Document, html: str) -> None:
    for tag, attributes in document.elements:
        for name in ("src", "href", "srcset", "action", "data", "poster"):
            value = attributes.get(name) or ""
            assert value.startswith(("#", "data:")) or not value, (tag, name, value)
    policy = next(a["content"] for t, a in document.elements if t == "meta" and "http-equiv" in a)
    assert policy is not None
    assert policy.startswith("default-src 'none'")
    assert "http" not in policy
    # The simulator's module is packed in letters that may spell anything.
    told = re.sub(r'(<script type="text/plain" id="module">)[^<]*', r"\1", html)
    assert not re.search(r"@import|url\(", told)


def test_the_library_is_there_once_and_only_for_figures(html: str) -> None:
    assert html.count('id="plotly-packed"') == 1
    bare = dataclasses.replace(small_study(1), figures=(), metrics=())
    assert 'id="plotly-packed"' not in render_page(bare, "ackclock reproduce x")


def test_the_same_input_gives_the_same_bytes(study: StudyResult, html: str) -> None:
    again = {made.name: made for made in (table_study(), sweep_study())}[study.name]
    assert render_page(again, "ackclock reproduce synthetic") == html


def test_a_claim_has_its_set_up_and_its_interpretations_beside_its_result() -> None:
    study = table_study()
    interpretations = (
        OtherResult(
            "Start times", "all at once", "not as printed", evidence="Section 3.2: at once.", differs=True
        ),
        OtherResult(
            "Start times",
            "one every 10 s",
            "undecided",
            evidence="x",
            against="Section 3.1 has one a second.",
        ),
        OtherResult("Buffer", "64 packets", "not as printed", differs=True),
    )
    claims = (
        dataclasses.replace(study.claims[0], interpretations=interpretations),
        dataclasses.replace(study.claims[1], setup="the rates"),
        dataclasses.replace(study.claims[2], verdict="not a test", detail="It was chosen so."),
    )
    page = Document(render_page(dataclasses.replace(study, claims=claims), "ackclock reproduce synthetic"))
    reversed_, lost, untested = (" ".join(text.split()) for text in page.all("li", "claim"))
    assert (
        "Set-up: printed. Other interpretations: 1 of 1 reverses the result: Start times; "
        "1 of 1 robustness checks would reverse the result." in reversed_
    )
    assert "Reversed (not as printed) by Start times: all at once. For it: Section 3.2: at once." in reversed_
    assert "Set-up: partly unknown: the rates." in lost
    assert "Not judged: It was chosen so." in untested
    assert "Set-up" not in untested


def test_what_is_not_a_test_is_not_among_the_claims_counted() -> None:
    study = table_study()
    claims = (dataclasses.replace(study.claims[0], verdict="not a test"), *study.claims[1:])
    page = index_of([dataclasses.replace(study, claims=claims)])
    assert f"Of {len(claims) - 1} claims about the proposed systems, " in page
    assert "1 more is shown and not tested." in page


def test_texts_of_studies_are_escaped(tmp_path: Path) -> None:
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
        scenario_text=f"# {evil}",
        source=dataclasses.replace(
            study.source,
            item=evil,
            section=evil,
            thesis=dataclasses.replace(study.source.thesis, author=evil, title=evil, degree=evil, where=evil),
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
    folder = write_report([study, small_study(1)], tmp_path, evil).parent
    for path in sorted(folder.glob("*.html")):
        safe(Document(path.read_text(encoding="utf-8")))
    page = Document(render_page(study, evil))
    packed = [
        "".join(text)
        for (tag, attributes), text in zip(page.elements, page.texts, strict=True)
        if tag == "script" and "data-packed" in attributes
    ]
    drawings = [json.loads(gzip.decompress(base64.b64decode(text))) for text in packed]
    assert any(drawing["entries"][0]["label"] == evil for drawing in drawings)


def safe(document: Document) -> None:
    """Nothing of what was put in is an element or a script."""
    assert not document.mistakes
    assert not [tag for tag, attributes in document.elements if "onerror" in attributes or tag == "img"]
    assert "alert" not in " ".join(
        text
        for (tag, attributes), text in zip(document.elements, map("".join, document.texts), strict=True)
        if tag == "script" and "type" not in attributes
    )
