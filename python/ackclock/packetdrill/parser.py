"""Parses a packetdrill script."""

from __future__ import annotations

import re
import shlex

from ackclock.packetdrill.language import Call, Code, Command, Event, Script, ScriptError, When
from ackclock.packetdrill.scanner import Scanner
from ackclock.packetdrill.segments import parse_segment

_NUMBER = r"\d*\.\d+|\d+"
_TIME = re.compile(rf"(\*)|(\+)?\s*({_NUMBER})(?:\s*~\s*(\+)?\s*({_NUMBER}))?")
_END = re.compile(rf"\.\.\.\s*(\+)?\s*({_NUMBER})")
_OPTION = re.compile(r"--(\w+)(?:=(\"[^\"\n]*\"|[^\s\"]+))?")
_NAME = re.compile(r"[A-Za-z_]\w*")
_RESULT = re.compile(r"\.\.\.|-?0x[0-9a-fA-F]+|-?\d+|[A-Za-z_]\w*")
_ERROR = re.compile(r"E[A-Z0-9]+")
_NOTE = re.compile(r"\([^()]*\)")
_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
"""Matches a comment, or a quoted string, in which no comment begins."""
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_DIRECTIVE = re.compile(r"^\s*//\s*ackclock:(.*)$", re.MULTILINE)
MAX_SECONDS = 1e6
"""The largest time of an event, in seconds (11.6 days)."""


def parse(text: str, file: str) -> Script:
    """Returns the script. ScriptError says where it is wrong."""
    if "\0" in text:
        raise ScriptError(file, None, "is a binary file, expected a packetdrill script")
    scanner = Scanner(text, file)
    if scanner.at_end():
        raise ScriptError(file, None, "is empty, expected a packetdrill script")
    options = _options(scanner)
    setup: list[tuple[int, Command]] = []
    events: list[Event] = []
    while not scanner.at_end():
        line = scanner.line()
        if not events and scanner.peek() == "`":
            setup.append((line, _command(scanner)))
        elif scanner.peek() == "`" and _is_last(scanner):
            _command(scanner)  # cleans up after packetdrill's own run
        else:
            events.append(_event(scanner, line))
    if not events:
        raise ScriptError(file, None, "has no event, expected a packetdrill script with at least one event")
    return Script(file, options, _arguments(text, file), setup, events)


def _arguments(text: str, file: str) -> list[str]:
    found: list[str] = []
    for match in _DIRECTIVE.finditer(text):
        try:
            found += shlex.split(match[1])
        except ValueError as error:
            line = text.count("\n", 0, match.start(1)) + 1
            raise ScriptError(file, line, f'cannot parse the options after "// ackclock:": {error}') from None
    return found


def _options(scanner: Scanner) -> dict[str, tuple[int, str]]:
    found: dict[str, tuple[int, str]] = {}
    while scanner.peek(2) == "--":
        line = scanner.line()
        match = scanner.expect(_OPTION, "an option such as --tolerance_usecs=10000")
        found[match[1]] = line, (match[2] or "").strip('"')
    return found


def _event(scanner: Scanner, line: int) -> Event:
    when = _time(scanner)
    begins = scanner.peek()
    if begins in ("<", ">"):
        return Event(line, when, parse_segment(scanner))
    if begins == "`":
        return Event(line, when, _command(scanner))
    if scanner.peek(2) == "%{":
        scanner.place += 2
        code = scanner.until("}%", "code in %{ }%")
        return Event(line, when, Code(_plain(code)))
    return Event(line, when, _call(scanner, when))


def _time(scanner: Scanner) -> When:
    match = scanner.expect(_TIME, "the time of an event, such as 0.1, +.01, 0.1~0.2 or *")
    anything, plus, start, end_plus, end = match.groups()
    if anything:
        return When("any")
    if end is not None and plus != end_plus:
        raise scanner.error(f'found the range "{match[0]}", expected a + before both times or before neither')
    first = _nanoseconds(scanner, start)
    last = None if end is None else _nanoseconds(scanner, end)
    if last is not None and last < first:
        raise scanner.error(f'found the range "{match[0]}", which ends before it begins')
    return When("relative" if plus else "absolute", first, last)


def _nanoseconds(scanner: Scanner, text: str) -> int:
    seconds = float(text)
    if seconds > MAX_SECONDS:
        raise scanner.error(f"found the time {text} s, expected at most {MAX_SECONDS:.0f} s")
    return round(seconds * 1e9)


def _command(scanner: Scanner) -> Command:
    scanner.place += 1
    return Command(scanner.until("`", "a command in backquotes"))


def _is_last(scanner: Scanner) -> bool:
    """Returns whether the command that begins here ends the script."""
    end = scanner.text.find("`", scanner.place + 1)
    if end < 0:
        return False
    rest = Scanner(scanner.text, scanner.file)
    rest.place = end + 1
    return rest.at_end()


def _plain(code: str) -> str:
    """Returns code without the indentation of the script and with its continued lines joined."""
    joined = code.replace("\\\n", " ")
    return "\n".join(line.strip() for line in joined.split("\n")).strip()


def _call(scanner: Scanner, when: When) -> Call:
    ends = None
    if (blocks := scanner.take(_END)) is not None:
        end = _nanoseconds(scanner, blocks[2])
        ends = end - when.start
        if ends < 0:
            raise scanner.error(f"found a call that ends at {blocks[2]} s, before it begins")
    name = scanner.expect(_NAME, "a segment (< or >), a system call, a `command` or %{ code }%")[0]
    if scanner.peek() != "(":
        raise scanner.error(f'found {scanner.shown()} after "{name}", expected the arguments of a call')
    arguments = _split(_balanced(scanner))
    scanner.expect(re.compile("="), f"= and the result of {name}")
    result = scanner.expect(_RESULT, f"the result of {name}")[0]
    error = scanner.take(_ERROR)
    scanner.take(_NOTE)
    return Call(name, tuple(arguments), result, None if error is None else error[0], ends)


def _balanced(scanner: Scanner) -> str:
    """Takes a text in parentheses and returns what is in them."""
    start, depth = scanner.place, []
    place, text = scanner.place, scanner.text
    while place < len(text):
        one = text[place]
        if one == '"':
            place = _end_of_text(scanner, place)
        elif one in _PAIRS:
            depth.append(_PAIRS[one])
        elif depth and one == depth[-1]:
            depth.pop()
            if not depth:
                scanner.place = place + 1
                return _COMMENT.sub(lambda found: found[1] or " ", text[start + 1 : place])
        place += 1
    raise scanner.error("found a parenthesis that is never closed, expected )")


def _end_of_text(scanner: Scanner, place: int) -> int:
    end = re.compile(r'"(?:\\.|[^"\\])*"', re.DOTALL).match(scanner.text, place)
    if end is None:
        raise ScriptError(
            scanner.file, scanner.line(place), "found a string without a closing quotation mark"
        )
    return end.end() - 1


def _split(text: str) -> list[str]:
    """Splits arguments at the commas that are in no bracket."""
    parts, depth, quoted = [""], 0, False
    for one in text:
        quoted ^= one == '"'
        depth += 0 if quoted else (one in "([{") - (one in ")]}")
        if one == "," and depth == 0 and not quoted:
            parts.append("")
        else:
            parts[-1] += one
    return [" ".join(part.split()) for part in parts if part.strip()]
