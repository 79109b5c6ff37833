"""Reads what the shell commands of a script set, as far as ackclock supports it. No command is run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from ackclock.packetdrill.language import Command, Inexpressible, whole_number


class NestedTooDeepError(Inexpressible):
    """Raised if shell scripts call each other too often. The message quotes none of them."""


@dataclass(frozen=True)
class Sysctl:
    """A variable under net.ipv4."""

    name: str
    value: str


@dataclass(frozen=True)
class HyStart:
    """A parameter of the kernel module tcp_cubic: hystart or hystart_detect."""

    name: str
    value: int


@dataclass(frozen=True)
class Route:
    """The attributes of a route."""

    attributes: dict[str, str]


@dataclass(frozen=True)
class Queue:
    """The queue of the host's own interface."""

    paces: bool
    refuses: bool
    """Whether the queue refuses every packet (``limit 0``)."""


Effect = Sysctl | HyStart | Route | Queue

_ASSIGNMENT = re.compile(r"(?:/proc/sys/)?net[./]ipv4[./](\w+)=(.*)", re.DOTALL)
_MODULE = re.compile(r"echo\s+(\S+)\s*>\s*/sys/module/tcp_cubic/parameters/(\w+)$")
_REDIRECTION = re.compile(r"\d?>{1,2}\s*(?:&\d|/dev/null)")
_WITHOUT_EFFECT = ("modprobe", "sleep", "sync", "true", "set", "echo", "ethtool", "killall", "rm")
"""Programs that change nothing that ackclock models."""
_QUEUES_WITHOUT_PACING = ("pfifo", "pfifo_fast", "bfifo", "noqueue", "fq_codel")
_MOST_FILES = 8
"""The largest nesting depth of shell scripts that call other shell scripts."""


def effects(command: Command, line: int, script: Path, depth: int = 0) -> Iterator[Effect]:
    """Yields what a command sets. Names of shell scripts are relative to the folder of ``script``, and their commands
    count as those of ``script``. Raises Inexpressible for a command that ackclock does not support.
    """
    for text in _lines(command.text):
        module = _MODULE.fullmatch(text)
        if module is not None:
            yield _hystart(module, line)
            continue
        try:
            words = shlex.split(_REDIRECTION.sub("", text), comments=True)
        except ValueError as error:
            raise Inexpressible(line, f"cannot parse the command `{text}`: {error}") from None
        if words:
            yield from _effects_of(words, line, script, depth)


def _lines(text: str) -> Iterator[str]:
    for line in text.replace("\\\n", " ").split("\n"):
        if not line.lstrip().startswith("#"):
            yield from (part.strip() for part in re.split(r"&&|;(?![^(]*\))", line) if part.strip())


def _effects_of(words: list[str], line: int, script: Path, depth: int) -> Iterator[Effect]:
    program, shown = Path(words[0]).name, " ".join(words)
    assigned = [match for word in words[1:] if (match := _ASSIGNMENT.fullmatch(word)) is not None]
    if program in ("sysctl", "set_sysctls.py"):
        others = [word for word in words[1:] if not _ASSIGNMENT.fullmatch(word) and not word.startswith("-")]
        if others:
            raise Inexpressible(line, f"the command `{shown}`: ackclock does not support {others[0]}")
        yield from (Sysctl(match[1], match[2].strip()) for match in assigned)
    elif program == "tc":
        yield _queue(words, line, shown)
    elif program == "ip" and words[1:2] == ["tcp_metrics"]:
        pass  # nothing is cached from an earlier connection
    elif program == "ip" and words[1:2] == ["route"]:
        yield Route({name: value for name, value in pairwise(words) if name in _ROUTE})
    elif program.startswith("sysctl_restore"):
        pass
    elif words[0].endswith(".sh") and not words[1:]:
        yield from _of_file(Path(words[0]), line, script, depth)
    elif program not in _WITHOUT_EFFECT:
        raise Inexpressible(line, f"ackclock does not support the command `{shown}`")


_ROUTE = ("initcwnd", "rto_min", "initrwnd", "cwnd", "ssthresh", "quickack", "features", "congctl")


def _hystart(module: re.Match[str], line: int) -> HyStart:
    value, name = whole_number(module[1]), module[2]
    if name not in ("hystart", "hystart_detect") or value is None:
        raise Inexpressible(
            line,
            f"found {name} = {module[1]} for the module tcp_cubic, expected hystart or hystart_detect with a "
            "whole number",
        )
    return HyStart(name, value)


def _queue(words: list[str], line: int, shown: str) -> Queue:
    kind = next((word for word in words[1:] if word == "fq" or word in _QUEUES_WITHOUT_PACING), None)
    if kind is None:
        queues = f"fq, {', '.join(_QUEUES_WITHOUT_PACING[:-1])} or {_QUEUES_WITHOUT_PACING[-1]}"
        raise Inexpressible(
            line, f"the command `{shown}`: found no queue that ackclock supports, expected {queues}"
        )
    refuses = any(pair == ("limit", "0") for pair in pairwise(words))
    return Queue(kind == "fq", refuses)


def _of_file(name: Path, line: int, script: Path, depth: int) -> Iterator[Effect]:
    """Yields what the commands of a shell script set."""
    path = name if name.is_absolute() else script.parent / name
    if depth >= _MOST_FILES:
        raise NestedTooDeepError(
            line, f"found shell scripts that call each other, nested more than {_MOST_FILES} deep"
        )
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise Inexpressible(line, f"the command {name}: cannot read the shell script {path}: {why}") from None
    try:
        yield from effects(Command(text), line, path, depth + 1)
    except NestedTooDeepError:
        raise
    except Inexpressible:
        # The file can be outside the folder of the script, so its text is not shown.
        raise Inexpressible(
            line, f"the shell script {path} contains a command that ackclock does not support"
        ) from None
