"""The generated parts of the documentation are fresh, and the script that writes them refuses a traceback."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import script

registry = script("document-registry")
PAGES = registry.pages()
TAKES_LONG = re.compile(r"run ackclock (search|evaluate (?!list ))")


def is_long(what: str) -> bool:
    return TAKES_LONG.match(what) is not None


def is_short(what: str) -> bool:
    return what.startswith("run ") and not is_long(what)


def name(page: Path) -> str:
    return str(page.relative_to(registry.ROOT))


def check(page: Path, text: str) -> None:
    difference = registry.difference(page, text)
    assert not difference, f"stale: run .venv/bin/python scripts/document-registry\n{difference}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_tables_and_numbers_are_fresh(page: Path) -> None:
    check(page, registry.with_parts(page, lambda what: not what.startswith("run ")))


def test_pictures_are_fresh() -> None:
    for path, text in registry.pictures():
        check(path, text)


def test_a_part_that_only_the_site_has_is_a_line_in_the_repository() -> None:
    mark, end = "<!-- {}: kind backoffs -->", "<!-- end of what is generated -->"
    parts, page = script("page_parts.py"), registry.ROOT / "docs" / "reproduction" / "page.md"
    text = parts.in_the_repository(f"{mark.format('on the site')}\n{end}\n", page)
    site = "[The documentation site](../index.md#what-only-the-site-has)"
    line = f"*{site} shows the table here; `ackclock list backoffs` prints it.*"
    assert text == f"{mark.format('on the site')}\n{line}\n{end}\n"
    made = parts.on_the_site(text)
    assert made.startswith(f"{mark.format('generated')}\n### `exponential`\n")
    assert parts.on_the_site(made) == made
    with pytest.raises(SystemExit, match="nothing in the repository has 'speed'"):
        parts.line_instead("speed", page)


@pytest.mark.slow
@pytest.mark.parametrize("page", [one for one in PAGES if any(map(is_short, registry.parts(one)))], ids=name)
def test_commands_print_what_a_page_shows(page: Path) -> None:
    check(page, registry.with_parts(page, is_short))


@pytest.mark.nightly
@pytest.mark.parametrize("page", [one for one in PAGES if any(map(is_long, registry.parts(one)))], ids=name)
def test_searches_and_evaluations_find_what_a_page_shows(page: Path) -> None:
    check(page, registry.with_parts(page, is_long))


def test_a_traceback_is_not_documented() -> None:
    with pytest.raises(SystemExit, match="`python -c 1/0` ended in a traceback"):
        script("page_parts.py").generate("run python -c 1/0")


def test_a_command_that_is_not_installed_is_not_documented() -> None:
    with pytest.raises(SystemExit, match=r"`no-such-command`: .*not found"):
        script("page_parts.py").generate("run no-such-command")


def test_a_command_that_fails_with_a_message_is() -> None:
    made = script("page_parts.py").generate("run echo wrong >&2; false")
    assert "$ echo wrong >&2; false\nwrong\n" in made
