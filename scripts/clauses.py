"""Clauses of standards that the program claims to follow: docs/clauses.toml, and the citations in the Rust sources.

A citation stands on a line of its own. On code it has the requirement, word for word as the list has it; on a test it
names the clause that the test holds, and stands above the test's attributes::

    //= RFC 9438 section 4.6 beta: the window after a loss is 0.7 of the window before
    //= test RFC 9438 section 4.6 beta
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ackclock import _toml as toml

ROOT = Path(__file__).resolve().parent.parent
LIST = Path("docs") / "clauses.toml"
LEVELS = ("MUST", "SHOULD", "MAY", "text")
"""Key words of RFC 2119 with those that mean the same (REQUIRED, RECOMMENDED), and what has no such word."""

_CITATION = re.compile(r"^\s*//=\s*(?P<test>test )?(?P<clause>[^:]+?)(?:: (?P<says>.+))?$")
_CLAUSE = re.compile(r"^(?P<document>[\w -]+?) section (?P<section>[\w.]+)(?: (?P<name>[a-z0-9-]+))?$")
_FUNCTION = re.compile(r"^\s*(?:pub(?:\([\w:]+\))? )?(?:const |async |unsafe )*fn (\w+)")
_ITEM = re.compile(r"^\s*(?:pub(?:\([\w:]+\))? )?(?:const|static|struct|enum|trait|type) (\w+)")
_FIELD = re.compile(r"^\s*(?:pub(?:\([\w:]+\))? )?(\w+): ")
_HOLDER = re.compile(r"^\s*(?:pub(?:\([\w:]+\))? )?(?:struct|enum|impl(?:<[^>]*>)?(?: [\w<>:]+ for)?) (\w+)")
_BESIDE = re.compile(r"^\s*(?://|#\[|#!\[)|^\s*$")


@dataclass(frozen=True)
class Site:
    """Where a clause is cited: a file below the root, a line from 1, and the function or item that it is about."""

    file: str
    line: int
    name: str


@dataclass
class Clause:
    """A clause of the list."""

    name: str
    """Document, section, and a word where the section has several."""
    document: str
    section: str
    level: str
    says: str
    reason: str | None
    """Why the program does not follow it; None where it does."""
    code: list[Site] = field(default_factory=list)
    tests: list[Site] = field(default_factory=list)


@dataclass
class Clauses:
    """The list with its citations, and what is wrong with them."""

    documents: dict[str, dict[str, str]]
    clauses: dict[str, Clause]
    untested: list[str]
    """Clauses that are claimed and have no test yet."""
    problems: list[str]


def read(root: Path = ROOT) -> Clauses:
    """The list and the citations below a folder."""
    listed = _listed(toml.loads((root / LIST).read_text(encoding="utf-8")))
    for file in sorted((root / "crates").rglob("*.rs")):
        path = str(file.relative_to(root))
        if "target" not in file.parts:
            _take_citations(listed, path, file.read_text(encoding="utf-8").split("\n"))
    for clause in listed.clauses.values():
        listed.problems += _problems_of(clause, clause.name in listed.untested)
    return listed


def _listed(document: dict[str, Any]) -> Clauses:
    listed = Clauses(document["documents"], {}, document["no_test_yet"], [])
    for entry in document["clause"]:
        name = entry["name"]
        parts = _CLAUSE.match(name)
        if parts is None or parts["document"] not in listed.documents:
            listed.problems.append(f"{LIST}: {name!r} is no section of a document that is listed")
            continue
        if name in listed.clauses:
            listed.problems.append(f"{LIST}: {name} is listed twice")
        if entry["level"] not in LEVELS:
            listed.problems.append(
                f"{LIST}: {name}: found the level {entry['level']!r}, expected one of {LEVELS}"
            )
        listed.clauses[name] = Clause(
            name, parts["document"], parts["section"], entry["level"], entry["says"], entry.get("not")
        )
    for name in listed.untested:
        if name not in listed.clauses:
            listed.problems.append(f"{LIST}: no_test_yet names {name}, which is not listed")
    return listed


def _take_citations(listed: Clauses, path: str, lines: Sequence[str]) -> None:
    for number, line in enumerate(lines):
        if not line.lstrip().startswith("//="):
            continue
        where = f"{path}:{number + 1}"
        cited = _CITATION.match(line)
        if cited is None or (cited["test"] is None) == (cited["says"] is None):
            listed.problems.append(f"{where}: no citation: {line.strip()}")
            continue
        clause = listed.clauses.get(cited["clause"])
        if clause is None:
            listed.problems.append(f"{where}: cites {cited['clause']}, which {LIST} does not have")
            continue
        if cited["test"]:
            test = _test_below(lines, number)
            if test is None:
                listed.problems.append(f"{where}: cites {clause.name} on what is not a test")
            else:
                clause.tests.append(Site(path, number + 1, test))
            continue
        if cited["says"] != clause.says:
            listed.problems.append(f"{where}: {clause.name} says {cited['says']!r}, expected {clause.says!r}")
        clause.code.append(Site(path, number + 1, _name_at(lines, number)))


def _problems_of(clause: Clause, untested: bool) -> Iterator[str]:
    if clause.reason is not None:
        if clause.code or clause.tests:
            yield f"{clause.name}: cited, and {LIST} says that it is not followed"
        return
    if not clause.code:
        yield f"{clause.name}: claimed, and no code cites it"
    if untested and clause.tests:
        yield f"{clause.name}: has a test, so it is to leave no_test_yet"
    if not untested and not clause.tests:
        yield f"{clause.name}: claimed, and no test cites it"


def _below(lines: Sequence[str], number: int) -> int | None:
    """The first line below a citation that is neither a comment nor an attribute."""
    return next((at for at in range(number + 1, len(lines)) if not _BESIDE.match(lines[at])), None)


def _test_below(lines: Sequence[str], number: int) -> str | None:
    """The test that a citation stands above."""
    at = _below(lines, number)
    function = None if at is None else _FUNCTION.match(lines[at])
    between = [line.strip() for line in lines[number + 1 : at]]
    return function[1] if function is not None and "#[test]" in between and "" not in between else None


def _name_at(lines: Sequence[str], number: int) -> str:
    """The function or item below a citation, or the one that it stands in."""
    at = _below(lines, number)
    if at is None:
        return ""
    for pattern in (_FUNCTION, _ITEM):
        if found := pattern.match(lines[at]):
            return found[1]
    own = _FIELD.match(lines[at])
    indent = _indent(lines[at])
    for line in reversed(lines[:at]):
        if _BESIDE.match(line) or _indent(line) >= indent:
            continue
        indent = _indent(line)
        if found := _FUNCTION.match(line):
            return found[1]
        if found := _HOLDER.match(line):
            return f"{found[1]}::{own[1]}" if own else found[1]
    return own[1] if own else ""


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def generated(root: Path = ROOT) -> str:
    """What the page has of the list: counts, and a table for each document."""
    listed = read(root)
    clauses = listed.clauses.values()
    parts = [counts(listed)]
    for document, about in listed.documents.items():
        parts += ["", f"### {document}: {about['title']}", "", f"[The text]({about['url']}).", ""]
        parts += [
            "| section | level | requirement | in the code | held by the test |",
            "| --- | --- | --- | --- | --- |",
        ]
        parts += [_row(clause) for clause in clauses if clause.document == document]
    return "\n".join(parts)


def counts(listed: Clauses) -> str:
    """Returns how many clauses are claimed, held by a test, and not followed."""
    followed = [clause for clause in listed.clauses.values() if clause.reason is None]
    tested = sum(1 for clause in followed if clause.tests)
    return (
        f"{len(followed)} clauses are claimed, of which {tested} are held by a test; "
        f"{len(listed.clauses) - len(followed)} are listed that are not followed."
    )


def _row(clause: Clause) -> str:
    section = clause.name.removeprefix(f"{clause.document} section ")
    if clause.reason is not None:
        found = [f"not followed: {clause.reason}", ""]
    else:
        found = [_links(clause.code), _links(clause.tests) or "none yet"]
    cells = [section, clause.level, clause.says, *found]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _links(sites: Sequence[Site]) -> str:
    """Links to files, without lines: those change with every edit above them."""
    links = {f"[`{site.name}`](../{site.file})": None for site in sites}
    return ", ".join(links)
