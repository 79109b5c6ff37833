"""Numbers of the documentation that are computed from records."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ackclock.errors import InputError
from ackclock.pages import numbers
from ackclock.study.load import load_study
from ackclock.study.records import records_dir

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "page.md"
STUDY = "rbcc/figure-3.3"


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """A folder with a record of which every mean is 2.5."""
    study = load_study(STUDY).study
    values = {run.name: {metric.id: [2.5, 0.1] for metric in study.metrics} for run in study.runs()}
    record = json.loads((records_dir() / f"{STUDY}.json").read_text(encoding="utf-8"))
    path = tmp_path / f"{STUDY}.json"
    path.parent.mkdir()
    path.write_text(json.dumps({**record, "values": values}), encoding="utf-8")
    return tmp_path


def first() -> tuple[str, str]:
    """A run and a metric of the study."""
    study = load_study(STUDY).study
    return study.runs()[0].name, study.metrics[0].id


def test_no_number_begins_a_line(records: Path) -> None:
    number = f"<!-- = {STUDY}: 1e3 -->1000<!-- / -->"
    for before, after in (
        (f"* It is about\n  {number} packets.\n", f"* It is\n  about {number} packets.\n"),
        # What would begin a list, and a number, stay where they are.
        (f"It is 12.\n{number} is more.\n", f"It is 12. {number} is more.\n"),
        (f"It is {number}\n{number}\n", f"It is {number} {number}\n"),
        (f"long\n   {number}\n", f"long {number}\n"),
        (f"```\na b\n{number}\n```\n", f"```\na b\n{number}\n```\n"),
    ):
        assert numbers.with_numbers(before, PAGE, records) == after
        assert numbers.with_numbers(after, PAGE, records) == after
    for first in ("", "* ", "   - ", "12. ", "Text.\n\n"):
        with pytest.raises(InputError, match=r"page\.md:\d+: a number begins a paragraph"):
            numbers.with_numbers(f"{first}{number}\n", PAGE, records)


def test_readers_of_the_site_get_no_marks() -> None:
    number = f"<!-- = {STUDY}: 1e3 -->1000<!-- / -->"
    page = f"<!-- generated: x -->\nIt is {number}, as `{number}`.\n```\n{number}\n```\n"
    expected = f"<!-- generated: x -->\nIt is 1000, as `{number}`.\n```\n{number}\n```\n"
    assert numbers.without_marks(page) == expected


def test_numbers_come_from_records(records: Path) -> None:
    run, metric = first()
    twice = f"<!-- = {STUDY}: 2 * {metric}('{run}') | .1f -->?<!-- / -->"
    page = f"It is {twice} and <!-- = {STUDY}: 1e3 -->7<!-- / -->.\n"
    made = numbers.with_numbers(page, PAGE, records)
    assert made == page.replace("-->?<", "-->5.0<").replace("-->7<", "-->1000<")
    assert numbers.with_numbers(made, PAGE, records) == made
    # Of what is not recorded, or was recorded without values, there is nothing to compute: what is written stays.
    without = records / "rbcc"
    assert numbers.with_numbers(page, PAGE, without) == page
    assert numbers.with_numbers(page.replace("?", ""), PAGE, without).count("-->(not recorded)<") == 1
    assert numbers.without_values(page, without) == [STUDY]
    assert numbers.without_values(page, records) == []


def test_code_shows_how_numbers_are_written(records: Path) -> None:
    page = f"Write `<!-- = {STUDY}: 1 --><!-- / -->` or\n\n```markdown\n<!-- = THESIS/STUDY: 1 -->?<!-- / -->\n```\n"
    assert numbers.with_numbers(page, PAGE, records) == page


@pytest.mark.parametrize(
    ("number", "message"),
    [
        ("rbcc/table-9: 1", 'docs/page.md:2: there is no study "rbcc/table-9"'),
        ("rbcc: 1", 'docs/page.md:2: there is no study "rbcc"'),
        ("1 + 1", 'docs/page.md:2: found "1 + 1", expected a study and an expression'),
        (f"{STUDY}: nothing('a')", f'docs/page.md:2: {STUDY}: there is no function "nothing"'),
        (f"{STUDY}: METRIC('nothing')", f'docs/page.md:2: {STUDY}: there is no case "nothing"'),
        (f"{STUDY}: 1 | short", f'docs/page.md:2: {STUDY}: found "short" after |'),
    ],
)
def test_mistakes_are_located(records: Path, number: str, message: str) -> None:
    page = f"A page.\n<!-- = {number.replace('METRIC', first()[1])} --><!-- / -->\n"
    for folder in (records, records / "rbcc"):
        with pytest.raises(InputError) as caught:
            numbers.with_numbers(page, PAGE, folder)
        assert str(caught.value).startswith(message)


def test_a_number_has_an_end(records: Path) -> None:
    page = f"<!-- = {STUDY}: 1 --> and <!-- = {STUDY}: 2 --><!-- / -->\n"
    with pytest.raises(InputError, match=r"docs/page\.md:1: nothing ends the number"):
        numbers.with_numbers(page, PAGE, records)


def test_no_page_lacks_a_number() -> None:
    pages = [
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "python" / "ackclock" / "archive" / "studies").rglob("*.md"),
    ]
    assert pages
    assert [path.name for path in pages if "-->(not recorded)<" in path.read_text(encoding="utf-8")] == []
