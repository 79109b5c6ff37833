"""Comments, strings and documents are in plain English: none has a word or phrase that the project has banned.

Code (spans in backticks, fenced blocks of documents) is not checked for these words, but names in the code are checked
for those of ``NAMES``. A word that recorded results fix is listed in ``RECORDED``.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent


class Banned(NamedTuple):
    """A pattern that prose must not match, and what to write instead."""

    pattern: str
    instead: str


BANNED = {
    "aftermath": Banned("aftermath", "the resolution of a loss"),
    "anybody": Banned("(any|every|some)(body|one)", "who or what it is: the user, a host, a flow"),
    "at ease": Banned("at ease", "the fast path"),
    "companions": Banned("companions?", "published defaults"),
    "credit of an acknowledgement": Banned(
        "credits? of (an|the) (ack|acknowledgement)", "the ABC increment (RFC 3465)"
    ),
    "discernment": Banned("discern(ment|ing|s|ed)?", "loss differentiation"),
    "disproof": Banned("disproofs?", "spurious-loss detection"),
    "guest": Banned("guests?", "a plugin (Python code), a queued packet"),
    "it is one": Banned(r"it is one(?=[.,;:)])", "the noun again"),
    "made up": Banned("made[- ]up(?! (of|for))", "synthetic"),
    "nobody": Banned("nobody", "no user, no host, no packet"),
    "rehearsal": Banned("rehears(al|als|e|es|ed)", "a dry run"),
    "sent again": Banned("sen[dt]s? again|resen[dt]s?", "retransmitted"),
    "so many": Banned("so (many|much)(?! that| more| as)", "this number of, or the number itself"),
    "whoever": Banned("who(so)?ever|whomever", "the user, the caller, the flow that"),
}

NAMES = {
    "an Aftermath": Banned("aftermath", "Resolution"),
    "a Cargo": Banned("cargo", "StreamData"),
    "Companions": Banned("companion", "PublishedDefaults"),
    "a Discernment": Banned("discern", "LossDifferentiation"),
    "a Disproof": Banned("disproof", "the detection of spurious losses"),
    "a Guest": Banned("guest", "Plugin, QueuedPacket"),
    "News": Banned("News", "AckSummary"),
    "a rehearsal": Banned("rehears", "DryRun"),
}
"""Names, or parts of them, that no code may give to anything. Case counts only where a capital is given."""

RECORDED = {
    "crates/lab/tests/scenarios/sctp_peers.rs": "resent",
    "crates/lab/tests/scenarios/usrsctp.rs": "resent",
    "python/ackclock/archive/studies/today/paths.toml": "resent",
    "python/ackclock/archive/studies/today/slow-starts.toml": "resent",
    "reference/peers/collect.py": "resent",
    "reference/peers/quinn/src/main.rs": "so many",
    "reference/peers/quinn/src/path.rs": "so many",
}
"""For a file, a banned word that recorded results fix: as the name of a metric, a field or a pattern of losses, as the
label of another reading, or in a source whose hash they hold. Remove a file when its results are recorded anew with a
plain word; add nothing.
"""

FOLDERS = ("crates", "docs", "fuzz", "python", "reference", "scenarios", "scripts")
ITS_OWN = ("plain_words.py", "test_check_text.py")
"""The files that are about banned words, and so have them."""
SUFFIXES = {".css", ".html", ".js", ".md", ".py", ".pyi", ".rs", ".toml"}

C_LIKE = re.compile(
    r"""(?P<line>//[^\n]*)|(?P<block>/\*.*?\*/)|b?r(?P<hashes>\#*)"(?P<raw>.*?)"(?P=hashes)"""
    r"""|"(?P<string>(?:\\.|[^"\\])*)"|'(?:\\.|[^'\\\n])'""",
    re.DOTALL,
)
JAVASCRIPT = re.compile(
    r"""(?P<line>(?<!:)//[^\n]*)|(?P<block>/\*.*?\*/)"""
    r"""|"(?P<string>(?:\\.|[^"\\\n])*)"|'(?P<single>(?:\\.|[^'\\\n])*)'|`(?P<template>(?:\\.|[^`\\])*)`""",
    re.DOTALL,
)


class Prose(NamedTuple):
    """A text without code: a comment of one or more lines, a string, or a document. Or a name, which is code alone."""

    line: int
    text: str
    is_name: bool = False


class Hit(NamedTuple):
    """A banned word in a file."""

    word: str
    file: str
    line: int
    found: str


def is_read(path: Path) -> bool:
    """Whether a file is prose or code of the project: not built, not generated, not recorded."""
    parts = path.relative_to(ROOT).parts
    built = {"target", "node_modules", "__pycache__", "vendor", "corpus", "records"}
    return path.suffix in SUFFIXES and not built & set(parts) and path.name not in ITS_OWN


@cache
def files() -> tuple[Path, ...]:
    """Returns every file of the project that people write."""
    below = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file())
    scripts = (path for path in (ROOT / "scripts").iterdir() if path.is_file() and not path.suffix)
    return tuple(sorted({path for path in (*below, *ROOT.glob("*.md")) if is_read(path)} | set(scripts)))


def joined(lines: list[Prose]) -> Iterator[Prose]:
    """Joins comments on consecutive lines, so that a phrase is found across the end of a line."""
    start, last, texts = 0, -1, list[str]()
    for line, text, _ in lines:
        if texts and line != last + 1:
            yield Prose(start, " ".join(texts))
            texts = []
        start, last = (start if texts else line), line
        texts.append(text)
    if texts:
        yield Prose(start, " ".join(texts))


def of_tokens(text: str, pattern: re.Pattern[str]) -> Iterator[Prose]:
    """Yields the comments, strings and names of a source in Rust or JavaScript."""
    comments = []
    line, end = 1, 0
    for token in pattern.finditer(text):
        yield Prose(line, text[end : token.start()], is_name=True)
        line += text.count("\n", end, token.start())
        if token["line"]:
            comments.append(Prose(line, token["line"].lstrip("/!").strip()))
        else:
            found = next((part for name, part in token.groupdict().items() if part and name != "hashes"), "")
            yield Prose(line, re.sub(r"\\\n\s*", "", found))
        line, end = line + token[0].count("\n"), token.end()
    yield Prose(line, text[end:], is_name=True)
    yield from joined(comments)


def of_python(text: str) -> Iterator[Prose]:
    """Yields the comments, strings and names of a source in Python."""
    comments = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            comments.append(Prose(token.start[0], token.string.lstrip("#").strip()))
        elif token.type == tokenize.STRING or tokenize.tok_name[token.type] == "FSTRING_MIDDLE":
            yield Prose(token.start[0], token.string)
        elif token.type == tokenize.NAME:
            yield Prose(token.start[0], token.string, is_name=True)
    yield from joined(comments)


def of_lines(text: str, fences: bool) -> Iterator[Prose]:
    """Yields a document, with empty lines in place of its fenced blocks."""
    if fences:
        text = re.sub(
            r"^( *)(```+|~~~+).*?^ *\2[^\S\n]*$",
            lambda code: "\n" * code[0].count("\n"),
            text,
            flags=re.MULTILINE | re.DOTALL,
        )
    yield Prose(1, text)


def prose(path: Path) -> Iterator[Prose]:
    """Yields the texts of a file, by its kind."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".rs":
        yield from of_tokens(text, C_LIKE)
    elif path.suffix == ".js":
        yield from of_tokens(text, JAVASCRIPT)
    elif path.suffix in {".py", ".pyi"} or (
        not path.suffix and text.startswith("#!") and "python" in text[:60]
    ):
        yield from of_python(text)
    else:
        yield from of_lines(text, path.suffix == ".md")


def without_code(text: str) -> str:
    """The text with spaces in place of spans in backticks, which are code."""
    return re.sub(
        r"(`+)(?!`).*?(?<!`)\1(?!`)", lambda code: re.sub(r"\S", " ", code[0]), text, flags=re.DOTALL
    )


PROSE_PATTERNS = {
    word: re.compile(rf"\b(?:{banned.pattern})\b".replace(" ", r"\s+"), re.IGNORECASE)
    for word, banned in BANNED.items()
}
NAME_PATTERNS = {
    word: re.compile(rf"{banned.pattern}\w*", re.IGNORECASE if banned.pattern.islower() else 0)
    for word, banned in NAMES.items()
}


ANY_WORD, ANY_NAME = (
    re.compile("|".join(f"(?:{pattern.pattern})" for pattern in patterns.values()), re.IGNORECASE)
    for patterns in (PROSE_PATTERNS, NAME_PATTERNS)
)


def hits_in(file: str, texts: Iterator[Prose]) -> Iterator[Hit]:
    """Yields the banned words of a file's texts."""
    for line, text, is_name in texts:
        if not (ANY_NAME if is_name else ANY_WORD).search(text):
            continue
        plain = text if is_name else without_code(text)
        for word, pattern in (NAME_PATTERNS if is_name else PROSE_PATTERNS).items():
            for found in pattern.finditer(plain):
                yield Hit(word, file, line + plain.count("\n", 0, found.start()), " ".join(found[0].split()))


@cache
def hits() -> tuple[Hit, ...]:
    """Returns the banned words of all files."""
    return tuple(hit for path in files() for hit in hits_in(path.relative_to(ROOT).as_posix(), prose(path)))


def complaints() -> Iterator[str]:
    """Yields each banned word with its place, and each entry of ``RECORDED`` that the files no longer need."""
    for hit in hits():
        if hit.found != RECORDED.get(hit.file):
            instead = (BANNED | NAMES)[hit.word].instead
            yield f"{hit.file}:{hit.line}: {hit.found!r}: write {instead} instead"
    for file, _ in sorted(RECORDED.items() - {(hit.file, hit.found) for hit in hits()}):
        yield f"{file}: has no recorded word any more, so remove it from RECORDED in scripts/plain_words.py"
