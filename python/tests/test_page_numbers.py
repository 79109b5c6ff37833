"""Numbers of the documentation that are computed from records."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from ackclock.errors import InputError
from ackclock.pages import numbers
from ackclock.study.computed import words_of_means
from ackclock.study.load import load_study

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "page.md"
STUDY = "rbcc/figure-3.3"


@pytest.fixture(autouse=True)
def records(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes every recorded mean of the study 2.5."""
    study = load_study(STUDY).study
    means = {metric.id: dict.fromkeys((run.name for run in study.runs()), 2.5) for metric in study.metrics}
    claims = [SimpleNamespace(id=claim.id, verdict="undecided") for claim in study.claims]
    one = SimpleNamespace(words=words_of_means(means, study.runs()), result=SimpleNamespace(claims=claims))
    monkeypatch.setattr(numbers, "recorded", lambda name: one if name == STUDY else None)


def first() -> tuple[str, str]:
    """A run and a metric of the study."""
    study = load_study(STUDY).study
    return study.runs()[0].name, study.metrics[0].id


def test_no_number_begins_a_line() -> None:
    number = f"<!-- = {STUDY}: 1e3 -->1000<!-- / -->"
    for before, after in (
        (f"* It is about\n  {number} packets.\n", f"* It is\n  about {number} packets.\n"),
        # What would begin a list, and a number, stay where they are.
        (f"It is 12.\n{number} is more.\n", f"It is 12. {number} is more.\n"),
        (f"It is {number}\n{number}\n", f"It is {number} {number}\n"),
        (f"long\n   {number}\n", f"long {number}\n"),
        (f"```\na b\n{number}\n```\n", f"```\na b\n{number}\n```\n"),
    ):
        assert numbers.with_numbers(before, PAGE) == after
        assert numbers.with_numbers(after, PAGE) == after
    for first in ("", "* ", "   - ", "12. ", "Text.\n\n"):
        with pytest.raises(InputError, match=r"page\.md:\d+: a computed number begins a paragraph"):
            numbers.with_numbers(f"{first}{number}\n", PAGE)


def test_readers_of_the_site_get_no_marks() -> None:
    number = f"<!-- = {STUDY}: 1e3 -->1000<!-- / -->"
    page = f"<!-- generated: x -->\nIt is {number}, as `{number}`.\n```\n{number}\n```\n"
    expected = f"<!-- generated: x -->\nIt is 1000, as `{number}`.\n```\n{number}\n```\n"
    assert numbers.without_marks(page) == expected


def test_numbers_come_from_records(monkeypatch: pytest.MonkeyPatch) -> None:
    run, metric = first()
    twice = f"<!-- = {STUDY}: 2 * {metric}('{run}') | .1f -->?<!-- / -->"
    page = f"It is {twice} and <!-- = {STUDY}: 1e3 -->7<!-- / -->.\n"
    made = numbers.with_numbers(page, PAGE)
    assert made == page.replace("-->?<", "-->5.0<").replace("-->7<", "-->1000<")
    assert numbers.with_numbers(made, PAGE) == made
    # Of what is not recorded, or was recorded without values, there is nothing to compute: what is written stays.
    monkeypatch.setattr(numbers, "recorded", lambda _: None)
    assert numbers.with_numbers(page, PAGE) == page
    assert numbers.with_numbers(page.replace("?", ""), PAGE).count("-->(not recorded)<") == 1


def test_verdicts_come_from_records(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = load_study(STUDY).study.claims[0].id
    page = f"It is <!-- = {STUDY}: verdict {claim} -->?<!-- / -->.\n"
    assert numbers.with_numbers(page, PAGE) == page.replace("?", "undecided")
    with pytest.raises(InputError, match='there is no claim "none"'):
        numbers.with_numbers(page.replace(f"verdict {claim}", "verdict none"), PAGE)
    monkeypatch.setattr(numbers, "recorded", lambda _: None)
    assert numbers.with_numbers(page, PAGE) == page


def test_code_shows_how_numbers_are_written() -> None:
    page = f"Write `<!-- = {STUDY}: 1 --><!-- / -->` or\n\n```markdown\n<!-- = THESIS/STUDY: 1 -->?<!-- / -->\n```\n"
    assert numbers.with_numbers(page, PAGE) == page


@pytest.mark.parametrize(
    ("number", "message"),
    [
        ("rbcc/table-9: 1", 'docs/page.md:2: there is no study "rbcc/table-9"'),
        ("rbcc: 1", 'docs/page.md:2: there is no study "rbcc"'),
        ("1 + 1", 'docs/page.md:2: computed number: found "1 + 1", expected THESIS/STUDY'),
        (f"{STUDY}: nothing('a')", f'docs/page.md:2: {STUDY}: there is no function "nothing"'),
        (f"{STUDY}: METRIC('nothing')", f'docs/page.md:2: {STUDY}: there is no case "nothing"'),
        (f"{STUDY}: 1 | short", f'docs/page.md:2: {STUDY}: found "short" after |'),
    ],
)
def test_mistakes_are_located(monkeypatch: pytest.MonkeyPatch, number: str, message: str) -> None:
    page = f"A page.\n<!-- = {number.replace('METRIC', first()[1])} --><!-- / -->\n"
    for _ in ("recorded", "not recorded"):
        with pytest.raises(InputError) as caught:
            numbers.with_numbers(page, PAGE)
        assert str(caught.value).startswith(message)
        monkeypatch.setattr(numbers, "recorded", lambda _: None)


def test_a_number_has_an_end() -> None:
    page = f"<!-- = {STUDY}: 1 --> and <!-- = {STUDY}: 2 --><!-- / -->\n"
    with pytest.raises(InputError, match=r"docs/page\.md:1: the computed number has no end marker"):
        numbers.with_numbers(page, PAGE)


def test_no_page_lacks_a_number() -> None:
    pages = [
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "python" / "ackclock" / "archive" / "studies").rglob("*.md"),
    ]
    assert pages
    assert [path.name for path in pages if "-->(not recorded)<" in path.read_text(encoding="utf-8")] == []
