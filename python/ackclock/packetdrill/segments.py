"""Parses the segments of a script."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ackclock.packetdrill.language import Inexpressible, Options, Segment
from ackclock.packetdrill.scanner import Scanner

_INFO = re.compile(r"[\[(]\s*([^\])]*?)\s*[\])]")
_PORTS = re.compile(r"\d+\s*>\s*\d+(?=\s)")
_FLAGS = re.compile(r"-(?=\s)|(?=[A-Z.])[A-Z]*\d?\.?\d?(?=\s)")
_NUMBER = "([0-9]{1,10})"
"""Matches a number of at most ten digits, enough for 32 bits."""
_NUMBERS = re.compile(rf"{_NUMBER}\s*:\s*{_NUMBER}\s*\(\s*{_NUMBER}\s*\)")
_ACK, _WIN, _URG = (re.compile(rf"{word}\s+{_NUMBER}\b") for word in ("ack", "win", "urg"))
_OPTIONS = re.compile(r"<([^<>]*)>")
_OTHER = re.compile(
    r"(?:[\[(][^\])]*[\])][\s\])]*)?(icmp|udp|udplite|sctp|ipv4|ipv6|gre|mpls|encap)\b", re.IGNORECASE
)
_ECN = ("noecn", "ect0", "ect1", "ce")
_KNOWN_FLAGS = "FSRPUEWA.C-0123456789"
_COUNTERS = ("e0b", "ceb", "e1b")
_LARGEST = 1 << 32


def parse_segment(scanner: Scanner) -> Segment:
    """Takes a segment from its direction on."""
    start = scanner.place
    arrives = scanner.peek() == "<"
    scanner.place += 1
    if (other := scanner.take(_OTHER)) is not None:
        raise Inexpressible(
            scanner.line(),
            f"found a packet of the protocol {other[1].lower()}, but ackclock supports only TCP",
        )
    info = scanner.take(_INFO)
    scanner.take(_PORTS)
    flags = scanner.expect(_FLAGS, "the flags of a segment, such as S, S., ., P. or SEW")[0]
    if unknown := [one for one in flags if one not in _KNOWN_FLAGS]:
        raise scanner.error(f'found the flag "{unknown[0]}", expected F, S, R, P, E, W, A, U or a dot')
    numbers = scanner.expect(_NUMBERS, "the sequence numbers of a segment, such as 1:1001(1000)")
    first, last, length = map(int, numbers.groups())
    if last - first != length or last >= _LARGEST:
        raise scanner.error(
            f'found "{numbers[0]}", expected sequence numbers below 2^32 whose difference is the length in parentheses'
        )
    acknowledged, window = scanner.take(_ACK), scanner.take(_WIN)
    for taken in (acknowledged, window):
        if taken is not None and int(taken[1]) >= _LARGEST:
            raise scanner.error(f'found "{taken[0]}", expected a number below 2^32')
    if scanner.take(_URG) is not None:
        raise Inexpressible(scanner.line(), "ackclock does not support urgent data")
    line = scanner.line()
    options = _options(scanner, line)
    return Segment(
        arrives=arrives,
        text=" ".join(scanner.text[start : scanner.place].split()),
        flags=flags,
        start=first,
        end=last,
        acknowledgement=None if acknowledged is None else int(acknowledged[1]),
        window=None if window is None else int(window[1]),
        ecn=None if info is None else _ecn(scanner, info[1]),
        options=options,
    )


def _ecn(scanner: Scanner, text: str) -> str | None:
    """Returns the ECN field of the IP header; None if the script says nothing of it."""
    for part in (one.strip() for one in text.split(",")):
        if part in _ECN:
            return part
        if part == "ect01":
            raise Inexpressible(
                scanner.line(), "ackclock does not support the ECN field ect01 (ect0 or ect1)"
            )
        if not re.fullmatch(r"(tos|flowlabel) 0x[0-9a-f]+|ttl \d+", part):
            raise scanner.error(f'found "{part}", expected {", ".join(_ECN)}, tos, ttl or flowlabel')
        raise Inexpressible(scanner.line(), f"ackclock does not support the IP header field {part}")
    return None


def _options(scanner: Scanner, line: int) -> Options:
    match = scanner.take(_OPTIONS)
    if match is None:
        return Options()
    if match[1].strip() == "...":
        return Options(unchecked=True)
    found: dict[str, Any] = {}
    for text in (" ".join(one.split()) for one in match[1].split(",")):
        for pattern, read in _READERS:
            if (option := pattern.fullmatch(text)) is not None:
                found |= read(option)
                break
        else:
            word = text.split(" ", 1)[0]
            if word in ("FO", "FOEXP", "md5"):
                raise Inexpressible(line, f"ackclock does not support the TCP option {word}")
            raise scanner.error(
                f'found the option "{text}", expected nop, mss, wscale, sackOK, sack, TS val, ECN or eol'
            )
    return Options(**found)


def _read_sack(match: re.Match[str]) -> dict[str, Any]:
    blocks = (block.split(":") for block in match[1].split())
    return {"sack": tuple((int(first), int(last)) for first, last in blocks)}


def _read_counters(match: re.Match[str]) -> dict[str, Any]:
    words = match[1].split()
    return {"accurate": {name: int(value) for name, value in zip(words[::2], words[1::2], strict=True)}}


_READERS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], dict[str, Any]]], ...] = (
    (re.compile("nop|eol|NOP|EOL"), lambda _: {}),
    (re.compile(rf"mss {_NUMBER}"), lambda match: {"mss": int(match[1])}),
    (re.compile(r"wscale ([0-9]{1,2})"), lambda match: {"window_scale": int(match[1])}),
    (re.compile("sackOK"), lambda _: {"sack_permitted": True}),
    (re.compile(r"sack ((?:[0-9]{1,10}:[0-9]{1,10} ?)+)"), _read_sack),
    (re.compile(rf"TS val {_NUMBER} ecr {_NUMBER}"), lambda match: {"stamp": (int(match[1]), int(match[2]))}),
    (re.compile(rf"(?:ECN|AccECN) ((?:(?:{'|'.join(_COUNTERS)}) [0-9]{{1,10}} ?)+)"), _read_counters),
)
