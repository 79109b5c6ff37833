"""A folder of pages: what its indexes say and find, and that every link leads somewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from ackclock.report import write_report
from ackclock.report.alive import BESIDE
from ackclock.report.library import LIBRARY
from ackclock.report.systems import systems_of
from ackclock.web.module import MODULE

from .document import Document
from .synthetic import OTHER_THESIS, many_studies, small_study, sweep_study, table_study


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("pages") / "new"
    assert write_report(many_studies(), place, "ackclock reproduce --all") == place / "index.html"
    return place


@pytest.fixture(scope="module")
def pages(folder: Path) -> dict[str, Document]:
    return {path.name: Document(path.read_text(encoding="utf-8")) for path in folder.glob("*.html")}


def test_there_is_a_page_for_each_study_an_index_for_each_thesis_and_one_over_all(
    pages: dict[str, Document],
) -> None:
    assert {"index.html", "synthetic.html", "other.html", "synthetic-table-1.html"} < set(pages)
    assert len(pages) == 3 + len(many_studies())


def test_every_link_leads_to_a_part_of_a_page(pages: dict[str, Document]) -> None:
    ids = {
        name: {attributes["id"] for _, attributes in page.elements if "id" in attributes}
        for name, page in pages.items()
    }
    count = 0
    for name, page in pages.items():
        for tag, attributes in page.elements:
            if tag == "a" and (href := attributes.get("href")):
                file, _, part = href.partition("#")
                assert not part or part in ids[file or name], (name, href)
                assert (file or name) in ids, (name, href)
                count += 1
    assert count > 4 * len(pages)


def test_tags_are_balanced_and_ids_unique(pages: dict[str, Document]) -> None:
    for name, page in pages.items():
        ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
        assert (page.mistakes, page.open) == ([], []), name
        assert len(ids) == len(set(ids)), name


def test_pages_are_small_and_share_the_library(folder: Path, pages: dict[str, Document]) -> None:
    shared = (folder / LIBRARY, folder / BESIDE) if MODULE.exists() else (folder / LIBRARY,)
    beside = sum(path.stat().st_size for path in shared)
    for path in folder.glob("*.html"):
        assert path.stat().st_size < 1e6
        # All that a page loads when its figures are seen and one of its cases is run again.
        assert path.stat().st_size + beside < 5e6
    used = [
        attributes["data-library"]
        for page in pages.values()
        for tag, attributes in page.elements
        if tag == "script" and "data-library" in attributes
    ]
    assert set(used) == {LIBRARY}


def test_the_pages_follow_each_other(pages: dict[str, Document]) -> None:
    """From the first study over "next" to the last, each once."""
    seen = ["synthetic-table-1.html"]
    while True:
        following = {
            attributes["href"]
            for _, attributes in pages[seen[-1]].elements
            if attributes.get("rel") == "next"
        }
        if not following:
            break
        seen.append(str(following.pop()))
    assert len(seen) == len(set(seen)) == len(many_studies())
    assert seen[1] == "synthetic-figure-2.html"
    back = [
        attributes["href"] for _, attributes in pages[seen[1]].elements if attributes.get("rel") == "prev"
    ]
    assert set(back) == {seen[0]}


def test_the_index_counts_verdicts_of_each_thesis(pages: dict[str, Document]) -> None:
    studies = many_studies()
    claims = [claim.verdict for study in studies for claim in study.claims]
    counts = [
        claims.count(verdict) for verdict in ("as printed", "right order, other size", "not as printed")
    ]
    (row,) = (text.split() for text in pages["index.html"].all("tr") if text.startswith("All "))
    assert list(map(int, row[1:])) == [len(studies), len(claims), *counts]
    assert pages["index.html"].all("ul", "tiles") == [
        f"{counts[0]} as printed {counts[1]} right order, other size show them {counts[2]} not as printed show them"
    ]
    # One thesis alone is counted by the tiles.
    assert not pages["other.html"].all("table", "tallies")


def test_a_study_is_found_by_its_name_its_thesis_its_systems_and_its_claims(
    pages: dict[str, Document],
) -> None:
    (line,) = (
        attributes
        for tag, attributes in pages["index.html"].elements
        if tag == "li" and "synthetic/table-1" in (attributes.get("data-text") or "")
    )
    for words in ("alpha against beta", "a. nonymous (1999)", "table 1", "gamma"):
        assert words in (line["data-text"] or "")
    assert (line["data-systems"] or "").split() == ["alpha", "beta", "delta", "droptail", "gamma"]
    (claims,) = (text for text in pages["index.html"].all("details", "found") if "71 %" in text)
    assert "right order, other size Claim 2b Alpha's mean RTT is 71 % below Beta's" in claims


def test_systems_are_what_the_scenario_and_its_cases_name() -> None:
    assert systems_of(sweep_study()) == ["alpha", "droptail"]
    assert systems_of(table_study()) == ["alpha", "beta", "delta", "droptail", "gamma"]


def test_what_was_not_reproduced_is_on_the_index_of_its_thesis_with_its_finding(
    pages: dict[str, Document],
) -> None:
    first, second, *_ = pages["synthetic.html"].all("li", "miss")
    assert "Alpha has no loss with 25 flows either" in first
    assert "Finding. With 25 flows the synthetic queue overflows" in first
    assert "published 0 % measured 0.21 ± 0.03 %" in first
    assert "Gamma has no loss The study has no finding on this claim." in second
    assert "published 0.125 % measured – accepted 0.11875" in second


def test_one_thesis_has_one_index(tmp_path: Path) -> None:
    write_report([small_study(1), small_study(2)], tmp_path, "ackclock reproduce synthetic")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        # The simulator, where it was built for pages.
        *([BESIDE] if MODULE.exists() else []),
        "index.html",
        LIBRARY,
        "synthetic-figure-1.html",
        "synthetic-figure-2.html",
    ]


def test_a_report_without_the_simulators_module_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ackclock.report.alive.MODULE", tmp_path / "none")
    monkeypatch.setattr("ackclock.report.folder.MODULE", tmp_path / "none")
    index = write_report([small_study(1)], tmp_path / "report", "ackclock reproduce synthetic")
    page = index.with_name("synthetic-figure-1.html").read_text(encoding="utf-8")
    assert "without the simulator's WebAssembly module" in page
    assert "wasm-unsafe-eval" not in page
    assert not index.with_name(BESIDE).exists()


def test_pages_of_an_earlier_report_are_gone(tmp_path: Path) -> None:
    write_report([small_study(1), small_study(2)], tmp_path, "x")
    write_report([small_study(2), small_study(3, OTHER_THESIS)], tmp_path, "x")
    assert not (tmp_path / "synthetic-figure-1.html").exists()
    assert (tmp_path / "other-figure-3.html").exists()


def test_the_same_results_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_report([small_study(1), table_study()], tmp_path / name, "x")
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()
