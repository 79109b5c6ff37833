"""Comments, strings and documents are in plain English: none has a word or phrase that the project has banned.

Code (spans in backticks, fenced blocks of documents) is not checked for these words, but names in the code are checked
for those of ``NAMES``. A word that recorded results fix is listed in ``RECORDED``. Another test checks that subjects of
commits are short.
"""

from __future__ import annotations

import io
import re
import subprocess
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]


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
    "docs/reproduction/parallel-and-adaptive-tcp.md": "sent again",
    "python/ackclock/studies/parallel-and-adaptive-tcp/ch2.base.toml": "sent again",
    "python/ackclock/studies/parallel-and-adaptive-tcp/ch3.base.toml": "nobody",
    "python/ackclock/studies/today/paths.toml": "resent",
    "python/ackclock/studies/today/slow-starts.toml": "resent",
    "reference/peers/collect.py": "resent",
    "reference/peers/quinn/src/main.rs": "so many",
    "reference/peers/quinn/src/path.rs": "so many",
}
"""For a file, a banned word that recorded results fix: as the name of a metric, a field or a pattern of losses, as the
label of another reading, or in a source whose hash they hold. Remove a file when its results are recorded anew with a
plain word; add nothing.
"""

FOLDERS = ("crates", "docs", "fuzz", "python", "reference", "scenarios", "scripts")
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
    return path.suffix in SUFFIXES and not built & set(parts) and path != Path(__file__).resolve()


@cache
def files() -> tuple[Path, ...]:
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
    if fences:
        text = re.sub(
            r"^( *)(```+|~~~+).*?^ *\2[^\S\n]*$",
            lambda code: "\n" * code[0].count("\n"),
            text,
            flags=re.MULTILINE | re.DOTALL,
        )
    yield Prose(1, text)


def prose(path: Path) -> Iterator[Prose]:
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
    for line, text, is_name in texts:
        if not (ANY_NAME if is_name else ANY_WORD).search(text):
            continue
        plain = text if is_name else without_code(text)
        for word, pattern in (NAME_PATTERNS if is_name else PROSE_PATTERNS).items():
            for found in pattern.finditer(plain):
                yield Hit(word, file, line + plain.count("\n", 0, found.start()), " ".join(found[0].split()))


@cache
def hits() -> tuple[Hit, ...]:
    return tuple(hit for path in files() for hit in hits_in(path.relative_to(ROOT).as_posix(), prose(path)))


@pytest.mark.parametrize("word", [*BANNED, *NAMES])
def test_a_banned_word_is_in_no_place(word: str) -> None:
    found = [hit for hit in hits() if hit.word == word and hit.found != RECORDED.get(hit.file)]
    places = "\n".join(f"{hit.file}:{hit.line}: {hit.found!r}" for hit in found)
    assert not found, f"write {(BANNED | NAMES)[word].instead} instead:\n{places}"


def test_the_list_of_recorded_words_only_shrinks() -> None:
    gone = RECORDED.items() - {(hit.file, hit.found) for hit in hits()}
    assert not gone, f"clean by now, so remove from RECORDED: {sorted(gone)}"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.rs", "//! So\n//! many packets.\nlet so_many = 1; // ok\n", [(1, "So many")]),
        ("a.rs", "let x = \"nobody's\";\nlet c = '\"'; // whoever asks", [(1, "nobody"), (2, "whoever")]),
        (
            "a.rs",
            '/// Runs `cargo run` and `Companions`; cargo test\nlet s = r#"it is one."#;',
            [(2, "it is one")],
        ),
        ("a.rs", "struct Guests; // News\nfn news(guest: u8) {}", [(1, "Guests"), (2, "guest")]),
        ("a.py", '"""Sent\nagain."""\nsomebody = "rehearsal" + somebody  # made-up\n', None),
        (
            "a.md",
            "A guest.\n\n```text\nnobody\n```\nmade up of two, made up\n",
            [(1, "guest"), (6, "made up")],
        ),
        (
            "a.js",
            "// so many that it fails\nconst a = 'so many'; /* resent */",
            [(2, "so many"), (2, "resent")],
        ),
    ],
)
def test_words_are_found_in_prose_and_not_in_code(
    tmp_path: Path, name: str, text: str, expected: list[tuple[int, str]] | None
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    found = sorted((hit.line, hit.found) for hit in hits_in(name, prose(path)))
    python = [(1, "Sent again"), (3, "made-up"), (3, "rehearsal")]
    assert found == sorted(python if expected is None else expected)


LONG_BEFORE = "44ac3127c5d86229e8e823ce2d9f0f22cbd5af0e"
"""The last commit whose subject may be longer than ``MOST`` characters."""

MOST = 72


def git(*arguments: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=False)
    except OSError as error:
        pytest.skip(f"git does not run: {error}")


def test_subjects_of_commits_have_at_most_72_characters() -> None:
    top = git("rev-parse", "--show-toplevel")
    if top.returncode or Path(top.stdout.strip()).resolve() != ROOT:
        pytest.skip("the sources are not in a git repository of their own, so there is no history to check")
    if git("merge-base", "--is-ancestor", LONG_BEFORE, "HEAD").returncode:
        pytest.skip(f"the history does not reach back to {LONG_BEFORE}: it is shallow or another one")
    log = git("log", "--no-merges", "--format=%h %s", f"{LONG_BEFORE}..HEAD")
    assert not log.returncode, log.stderr
    subjects = [line.partition(" ") for line in log.stdout.splitlines()]
    assert [f"{commit}: {subject}" for commit, _, subject in subjects if len(subject) > MOST] == []
