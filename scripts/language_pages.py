"""The scenario language on the site: a page for each section of docs/scenario-language.md, and one of every key.

In the repository it is one file, whose tables are made from the declarations in the code; links lead to its headings.
On the site each section of the second level is a page, which has a place in the navigation and which a search finds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

SOURCE = "docs/scenario-language.md"
FOLDER = "scenario-language"
KEYS = "every-key"
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^(#{1,4}) (.+)$", re.MULTILINE)
_ROW = re.compile(r"^\| `(?P<key>[\w.\"-]+)` \| (?P<meaning>[^|]+?) \|", re.MULTILINE)
_TABLE = re.compile(r"<!-- generated: table [^>]*-->\n(.*?)<!-- end of what is generated -->", re.DOTALL)
_LOCAL = re.compile(r"\]\(#([\w-]+)\)")


@dataclass(frozen=True)
class Section:
    """A page of the language."""

    title: str
    slug: str
    text: str
    """In Markdown, its own heading of the first level included."""

    @property
    def place(self) -> str:
        """Its place on the site."""
        return f"{FOLDER}/{self.slug}.md"


def sections(text: str) -> tuple[str, list[Section]]:
    """What stands before the first section, and the sections, with local links between them."""
    heads = [found for found in _headings(text) if len(found[1]) == 2]
    begins = [found.start() for found in heads]
    parts = [text[begin:end] for begin, end in zip(begins, [*begins[1:], len(text)], strict=True)]
    found = [Section(head[2], slug(head[2]), _raised(part)) for head, part in zip(heads, parts, strict=True)]
    homes = anchors(found)
    return (
        _linked(text[: begins[0]], homes, f"{FOLDER}/"),
        [Section(one.title, one.slug, _linked(one.text, homes, "", one.slug)) for one in found],
    )


def anchors(found: list[Section]) -> dict[str, str]:
    """The section of each heading."""
    homes: dict[str, str] = {}
    for one in found:
        for head in _headings(one.text):
            homes.setdefault(slug(head[2]), one.slug)
    return homes


def every_key(found: list[Section]) -> Section:
    """A page with every key of every table, what it means and where it is described."""
    rows = sorted({(key, meaning, link) for one in found for key, meaning, link in _keys(one)})
    table = "".join(f"| `{key}` | {meaning} | {link} |\n" for key, meaning, link in rows)
    text = (
        "# Every key\n\nEvery key of a scenario in alphabetical order. A key may stand in several tables.\n\n"
        f"| key | meaning | table |\n| --- | --- | --- |\n{table}"
    )
    return Section("Every key", KEYS, text)


def _keys(section: Section) -> Iterator[tuple[str, str, str]]:
    heads = list(_headings(section.text))
    for table in _TABLE.finditer(section.text):
        head = next((one for one in reversed(heads) if one.start() < table.start()), heads[0])
        link = f"[{head[2]}]({section.slug}.md#{slug(head[2])})"
        for row in _ROW.finditer(table[1]):
            if row["key"] != "key":
                yield row["key"], re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", row["meaning"]), link


def _headings(text: str) -> Iterator[re.Match[str]]:
    fences = [(found.start(), found.end()) for found in _FENCE.finditer(text)]
    for found in _HEADING.finditer(text):
        if not any(start <= found.start() < end for start, end in fences):
            yield found


def _raised(text: str) -> str:
    """The text with every heading one level higher."""
    for head in reversed(list(_headings(text))):
        text = text[: head.start()] + text[head.start() + 1 :]
    return text


def _linked(text: str, homes: dict[str, str], before: str, own: str = "") -> str:
    """The text with links to headings that now stand on another page."""

    def link(found: re.Match[str]) -> str:
        home = homes.get(found[1], own)
        return found[0] if home == own else f"]({before}{home}.md#{found[1]})"

    return _LOCAL.sub(link, text)


def slug(title: str) -> str:
    """The anchor of a heading, as pages of the repository and of the site have it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")
