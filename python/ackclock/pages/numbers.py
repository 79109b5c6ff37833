"""Numbers of a page that are computed from records: ``<!-- = rbcc/table-4.1: loss('rbcc-5') | .1f -->12.3<!-- / -->``.

The expression is one of ``ackclock.study.computed``, over the recorded means of the study. ``verdict CLAIM`` stands for
the recorded result of a claim: ``<!-- = rbcc/table-4.1: verdict 1a -->as printed<!-- / -->``. If the study is not
recorded, what is written stays.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from ackclock._names import nearest
from ackclock.errors import InputError
from ackclock.experiment.expression import ExpressionError
from ackclock.experiment.sample_words import SampleWords
from ackclock.pages import ROOT
from ackclock.pages.results import recorded
from ackclock.study.computed import NOT_RECORDED, Number, words_of_means
from ackclock.study.load import load_study, study_names

VERDICT = "verdict "
"""The word before the id of a claim in a page; the page then shows the recorded result of that claim."""
_PLACE = re.compile(r"(<!-- = (?P<what>.*?) -->)(?P<shown>.*?)(?P<end><!-- / -->|(?=<!-- = )|\Z)", re.DOTALL)
_BROKEN = re.compile(r"(?<=\S)(?:[ \t]+(?P<word>[^\W\d]\w*))?[ \t]*\n(?P<indent>[ \t]*)(?=<!-- = )")
"""Matches the end of a line if the next line begins with a computed number. ``word`` is the last word of the line, if a
line can begin with this word.

Markdown treats a line that begins with a comment as an HTML block, which ends the paragraph and is copied unchanged.
"""
_ITEM = r"(?:[*+-]|\d+[.)])[ \t]+"
_FIRST = re.compile(
    rf"(?:(?:\A|\n[ \t]*\n)[ \t]*(?:{_ITEM})?|^[ \t]*{_ITEM})<!-- = (?P<what>.*?) -->", re.MULTILINE
)
_CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.DOTALL | re.MULTILINE)


def with_numbers(text: str, path: Path) -> str:
    """``text``, a page, with its numbers computed. InputError with file and line for one that cannot be.

    A number at the beginning of a line gets a word before it. What stands in
    code shows how numbers are written, and stays.
    """
    problems: list[str] = []

    def number(found: re.Match[str]) -> str:
        if _in_code(found, text):
            return found[0]
        line = text.count("\n", 0, found.start()) + 1
        try:
            if not found["end"]:
                raise InputError(
                    f"the computed number has no end marker: expected <!-- / --> after {found[1]}"
                )
            made = written(found["what"])
            return f"{found[1]}{made or found['shown'].strip() or NOT_RECORDED}{found['end']}"
        except InputError as error:
            problems.append(f"{_shown(path)}:{line}: {error}")
            return found[0]

    made = _PLACE.sub(number, text)
    for first in _FIRST.finditer(text):
        if not _in_code(first, text):
            line = text.count("\n", 0, first.start("what")) + 1
            problems.append(
                f"{_shown(path)}:{line}: a computed number begins a paragraph or list item: put a word before it"
            )
    if problems:
        raise InputError("\n".join(problems))
    return _BROKEN.sub(lambda found: found[0] if _in_code(found, made) else _mended(found), made)


def _mended(found: re.Match[str]) -> str:
    """The end of a line so that the number after it does not begin the next: its last word does, or nothing."""
    return f"\n{found['indent']}{found['word']} " if found["word"] else " "


def without_marks(text: str) -> str:
    """``text``, a page, without what marks its computed numbers, for a reader who does not compute them."""
    return _PLACE.sub(
        lambda found: found[0] if _in_code(found, text) or not found["end"] else found["shown"], text
    )


def _in_code(found: re.Match[str], text: str) -> bool:
    """Whether a match in ``text`` begins within code."""
    return any(start <= found.start() < end for start, end in _code(text))


@cache
def _code(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(block.span() for block in _CODE.finditer(text))


def written(what: str) -> str:
    """Returns the number of ``STUDY: EXPRESSION | FORMAT``; nothing where the record keeps no values. InputError for
    what cannot be computed.
    """
    name, colon, expression = (part.strip() for part in what.partition(":"))
    if not colon:
        raise InputError(f'computed number: found "{what}", expected THESIS/STUDY: EXPRESSION')
    if name not in study_names():
        raise InputError(f'there is no study "{name}"{nearest(name, study_names())}')
    if expression.startswith(VERDICT):
        return _verdict(name, expression.removeprefix(VERDICT).strip())
    words, known = _words(name)
    try:
        made = Number(expression).written(words)
    except ExpressionError as error:
        raise InputError(f"{name}: {error}") from None
    return made if known else ""


def _verdict(name: str, claim: str) -> str:
    """Returns the recorded result of a claim; nothing without a record. InputError if there is no such claim."""
    ids = [one.id for one in load_study(name).study.claims]
    if claim not in ids:
        raise InputError(f'{name}: there is no claim "{claim}"{nearest(claim, ids)}')
    one = recorded(name)
    return "" if one is None else next(found.verdict for found in one.result.claims if found.id == claim)


def _words(name: str) -> tuple[SampleWords, bool]:
    """Returns what an expression can name, and whether the record has the values of all of it."""
    one = recorded(name)
    if one is not None and (words := one.words) is not None:
        return words, True
    study = load_study(name).study
    runs = study.runs()
    nothing = {metric.id: dict.fromkeys((run.name for run in runs), None) for metric in study.metrics}
    return words_of_means(nothing, runs), False


def _shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
