"""What `make lint` finds in texts: banned words, and what is too long."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import script


@pytest.fixture(scope="module")
def texts() -> Any:
    """The program."""
    return script("check-text")


@pytest.fixture(scope="module")
def words(texts: Any) -> Any:
    """The module with the banned words."""
    return texts.plain_words


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
        (
            "a.py",
            '"""Sent\nagain."""\nsomebody = "rehearsal" + somebody  # made-up\n',
            [(1, "Sent again"), (3, "made-up"), (3, "rehearsal")],
        ),
        (
            "a.md",
            "A guest.\n\n```text\nnobody\n```\nmade up of two, made up\n",
            [(1, "guest"), (6, "made up")],
        ),
        (
            "a.js",
            "// so many that it fails\nconst a = 'so many'; /* resent */",
            [(2, "resent"), (2, "so many")],
        ),
    ],
)
def test_words_are_found_in_prose_and_not_in_code(
    words: Any, tmp_path: Path, name: str, text: str, expected: list[tuple[int, str]]
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert sorted((hit.line, hit.found) for hit in words.hits_in(name, words.prose(path))) == expected


def test_a_recorded_word_is_excused_until_it_is_gone(words: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def found(*hits: Any) -> list[str]:
        monkeypatch.setattr(words, "hits", lambda: hits)
        return list(words.complaints())

    monkeypatch.setattr(words, "RECORDED", {"a.md": "resent"})
    kept = words.Hit("sent again", "a.md", 3, "resent")
    assert found(kept) == []
    assert found(kept, words.Hit("nobody", "b.md", 7, "Nobody")) == [
        "b.md:7: 'Nobody': write no user, no host, no packet instead"
    ]
    assert found() == [
        "a.md: has no recorded word any more, so remove it from RECORDED in scripts/plain_words.py"
    ]


def test_what_is_too_long_is_found(texts: Any) -> None:
    log = f"abc {'x' * 72}\ndef {'x' * 73}\n"
    assert list(texts.too_long(log)) == ["commit def: the subject has 73 characters, the most is 72"]
    assert list(texts.long_lines("a.toml", f"{'x' * 140}\n{'x' * 141}")) == [
        "a.toml:2: 141 characters, the most is 140"
    ]
    page = (
        "Two words.\n<!-- generated: x -->\nmany more\n<!-- end of what is generated -->\n<!-- not read -->"
    )
    assert texts.words_by_hand(page) == 2
    assert list(texts.long_parts(page)) == []
    (long,) = texts.long_parts(page.replace("many", "many " * 750))
    assert long == ("the part x has 751 words, the most is 750: begin it with <!-- on the site: x -->")
