"""Clauses of standards: what is claimed is in the code, what is in the code is listed, and a test holds it."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]

LIST = """
no_test_yet = []
[documents]
"RFC 1" = { title = "Host software", url = "https://example.org" }
[[clause]]
name = "RFC 1 section 2.1"
level = "MUST"
says = "one and one is two"
[[clause]]
name = "RFC 1 section 2.2 odd"
level = "SHOULD"
says = "three is odd"
not = "it is even here"
"""
CODE = """
/// Adds.
pub const fn add() {
    //= RFC 1 section 2.1: one and one is two
    let two = 1 + 1;
}

//= test RFC 1 section 2.1
/// What it adds.
#[test]
fn two() {}
"""


@pytest.fixture
def clauses(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module of the folder of scripts."""
    monkeypatch.syspath_prepend(ROOT / "scripts")
    return importlib.import_module("clauses")


def read(clauses: Any, folder: Path, code: str = CODE, listed: str = LIST) -> Any:
    """The clauses of a folder with one source."""
    (folder / "docs").mkdir(exist_ok=True)
    (folder / "docs" / "clauses.toml").write_text(listed, encoding="utf-8")
    (folder / "crates").mkdir(exist_ok=True)
    (folder / "crates" / "a.rs").write_text(code, encoding="utf-8")
    return clauses.read(folder)


def test_every_clause_is_in_the_code_and_held_by_a_test(clauses: Any) -> None:
    assert clauses.read().problems == []


def test_no_clause_waits_for_its_test(clauses: Any) -> None:
    assert clauses.read().untested == []


def test_a_citation_names_the_function_that_it_stands_in(clauses: Any, tmp_path: Path) -> None:
    found = read(clauses, tmp_path)
    assert found.problems == []
    clause = found.clauses["RFC 1 section 2.1"]
    assert [(site.name, site.line) for site in clause.code] == [("add", 4)]
    assert [(site.name, site.line) for site in clause.tests] == [("two", 8)]
    table = clauses.generated(tmp_path)
    assert "| 2.1 | MUST | one and one is two | [`add`](../crates/a.rs) | [`two`](../crates/a.rs) |" in table
    assert "| 2.2 odd | SHOULD | three is odd | not followed: it is even here |  |" in table


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (
            "parameters! {\n    pub struct P {\n        //= {}\n        /// Beta\n        beta: f64 = 0.7,",
            "P::beta",
        ),
        ("//= {}\n/// Four.\npub const MOST: u32 = 4;", "MOST"),
        ("impl Law for Cubic {\n    //= {}\n    #[inline]\n    fn grow(&self) {", "grow"),
        (
            "impl Law for Cubic {\n    fn grow(&self) {\n        if x {\n            //= {}\n            y",
            "grow",
        ),
    ],
)
def test_a_citation_names_what_it_stands_on(clauses: Any, tmp_path: Path, code: str, name: str) -> None:
    cited = code.replace("{}", "RFC 1 section 2.1: one and one is two")
    (site,) = read(clauses, tmp_path, cited).clauses["RFC 1 section 2.1"].code
    assert site.name == name


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ("//= RFC 1 section 2.1: one", "//= RFC 1 section 2.3: one", "cites RFC 1 section 2.3, which"),
        ("//= RFC 1 section 2.1: one", "//= RFC 1 section 2.1: two", "says 'two and one is two', expected"),
        ("//= RFC 1 section 2.1: one and one is two", "", "claimed, and no code cites it"),
        (": one and one is two", "", "no citation: //= RFC 1 section 2.1"),
        ("//= test RFC 1 section 2.1", "", "claimed, and no test cites it"),
        ("//= test RFC 1 section 2.1", "//= test RFC 1 section 9", "cites RFC 1 section 9, which"),
        ("#[test]", "#[inline]", "cites RFC 1 section 2.1 on what is not a test"),
        ("fn two() {}", "", "cites RFC 1 section 2.1 on what is not a test"),
        ("#[test]\nfn two() {}", "\n#[test]\nfn two() {}", "cites RFC 1 section 2.1 on what is not a test"),
        (
            "//= RFC 1 section 2.1",
            "//= RFC 1 section 2.2 odd: three is odd\n    //= RFC 1 section 2.1",
            "says that it is not followed",
        ),
    ],
)
def test_what_is_wrong_with_a_citation_is_said(
    clauses: Any, tmp_path: Path, before: str, after: str, problem: str
) -> None:
    assert before in CODE
    problems = read(clauses, tmp_path, CODE.replace(before, after)).problems
    assert any(problem in found for found in problems), problems


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ("no_test_yet = []", 'no_test_yet = ["RFC 1 section 2.1"]', "has a test, so it is to leave"),
        (
            "no_test_yet = []",
            'no_test_yet = ["RFC 1 section 7"]',
            "names RFC 1 section 7, which is not listed",
        ),
        ("section 2.2 odd", "section 2.1", "is listed twice"),
        ("RFC 1 section 2.2", "RFC 2 section 2.2", "is no section of a document that is listed"),
        ('level = "MUST"', 'level = "OUGHT"', "found the level 'OUGHT', expected one of"),
    ],
)
def test_what_is_wrong_with_the_list_is_said(
    clauses: Any, tmp_path: Path, before: str, after: str, problem: str
) -> None:
    problems = read(clauses, tmp_path, listed=LIST.replace(before, after)).problems
    assert any(problem in found for found in problems), problems


def test_a_clause_may_wait_for_its_test(clauses: Any, tmp_path: Path) -> None:
    waiting = LIST.replace("no_test_yet = []", 'no_test_yet = ["RFC 1 section 2.1"]')
    code = CODE.replace("//= test RFC 1 section 2.1", "")
    assert read(clauses, tmp_path, code, waiting).problems == []
    assert "| none yet |" in clauses.generated(tmp_path)
