"""The parser of packetdrill's language, and the evaluator of assertions."""

from __future__ import annotations

from pathlib import Path

import pytest

from ackclock.errors import InputError
from ackclock.packetdrill.expressions import CodeError, Evaluator, Unknown
from ackclock.packetdrill.language import Call, Code, Command, Inexpressible, Segment
from ackclock.packetdrill.parser import parse

SYN = "0 < S 0:0(0) win 65535 <mss 1000,sackOK,nop,wscale 7>\n"


def one(text: str):
    (event,) = parse(text, "x.pkt").events
    return event


def test_times_are_absolute_relative_ranges_or_any():
    events = parse(
        "0.1 close(3) = 0\n+.2 close(3) = 0\n1~2 close(3) = 0\n+.1~+.25 close(3) = 0\n* close(3) = 0", "x"
    ).events
    assert [(event.when.kind, event.when.start, event.when.end) for event in events] == [
        ("absolute", 100_000_000, None),
        ("relative", 200_000_000, None),
        ("absolute", 1_000_000_000, 2_000_000_000),
        ("relative", 100_000_000, 250_000_000),
        ("any", 0, None),
    ]


def test_a_segment_has_its_numbers_flags_and_options():
    text = (
        "+0 < [ect0] EAP. 1:1001(1000) ack 1 win 264 "
        "<nop,nop,TS val 7 ecr 9,ECN e0b 1 ceb 1000 e1b 1,nop,sack 3001:4001 1001:2001>"
    )
    segment = one(text).action
    assert isinstance(segment, Segment)
    assert (segment.start, segment.end, segment.acknowledgement, segment.window) == (1, 1001, 1, 264)
    assert (segment.ecn, segment.field, segment.has("P"), segment.has(".")) == ("ect0", 0b101, True, True)
    options = segment.options
    assert options.stamp == (7, 9)
    assert options.sack == ((3001, 4001), (1001, 2001))
    assert options.accurate == {"e0b": 1, "ceb": 1000, "e1b": 1}


@pytest.mark.parametrize(
    ("flags", "field"),
    [("SEW", 0b011), ("SEWA", 0b111), ("SWA.", 0b110), ("P.5", 5), (".6", 6), (".", 0), ("W.", 2)],
)
def test_the_field_of_three_flags_may_be_a_digit(flags: str, field: int):
    segment = one(f"+0 < {flags} 1:1(0) ack 1 win 10").action
    assert isinstance(segment, Segment)
    assert segment.field == field


def test_comments_lines_and_calls_that_wrap_are_read():
    text = """// a comment with /* in it
--tolerance_usecs=9000
/* several
   lines */ 0 socket(..., SOCK_STREAM,  // in the middle
      IPPROTO_TCP) = 3
+0 setsockopt(3, SOL_TCP, TCP_CONGESTION, "reno, or so", 4) = 0
+.1...0.3 connect(3, ..., ...) = -1 EINPROGRESS (Operation now in progress)
+0 fcntl(3, F_GETFL) = 0x2 (flags O_RDWR)
+0 `tc qdisc replace
    dev tun0 root fq`
+0 %{
assert tcpi_snd_cwnd == 10, \\
    tcpi_snd_cwnd
}%"""
    script = parse(text, "x.pkt")
    assert script.options == {"tolerance_usecs": (2, "9000")}
    assert [event.line for event in script.events] == [4, 6, 7, 8, 9, 11]
    first, second, third, fourth, fifth, sixth = (event.action for event in script.events)
    assert first == Call("socket", ("...", "SOCK_STREAM", "IPPROTO_TCP"), "3")
    assert isinstance(second, Call)
    assert second.arguments[3] == '"reno, or so"'
    assert isinstance(third, Call)
    assert (third.number, third.error, third.ends) == (-1, "EINPROGRESS", 200_000_000)
    assert isinstance(fourth, Call)
    assert fourth.number == 2
    assert isinstance(fifth, Command)
    assert isinstance(sixth, Code)
    assert [one.holds for one in Evaluator().examine(sixth.text, lookup)] == [True]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("// nothing\n", "is empty"),
        ("--mss=1000\n", "has no event"),
        ("\0\1", "binary"),
        ("hello", 'x.pkt:1: found "hello", expected the time of an event'),
        ("0 hello", "expected the arguments of a call"),
        (SYN + "+0 < Q 0:0(0)", "x.pkt:2: "),
        (SYN + "+0 < . 1:3(1) ack 1 win 5", "whose difference is the length"),
        (SYN + "+0 < . 1:1(0) ack 9999999999 win 5", "expected a number below 2^32"),
        (SYN + f"+0 < . 1:{'9' * 5000}(1) ack 1 win 5", "expected the sequence numbers"),
        (SYN + f"+0 < . 1:1(0) ack 1 win 5 <mss {'9' * 5000}>", "the option"),
        (SYN + "+0 < . 1:1(0) ack 1 win 5 <frob 3>", 'the option "frob 3"'),
        (SYN + "+0 < [ect9] . 1:1(0) ack 1 win 5", '"ect9"'),
        (SYN + "+1~+0.5 > . 1:1(0) ack 1", "ends before it begins"),
        (SYN + "+1~0.5 > . 1:1(0) ack 1", "a + before both times"),
        (SYN + "+0 %{ assert 1", "code in %{ }% that never ends"),
        (SYN + "+0 `ls", "a command in backquotes that never ends"),
        (SYN + "/* ", "a comment that never ends"),
        (SYN + "+0 write(4, ..., (1000) = 3", "never closed"),
        (SYN + '+0 write(4, "a, 3) = 3', "quotation mark"),
        (SYN + "+9999999 close(3) = 0", "at most 1000000"),
    ],
)
def test_a_mistake_names_the_line_and_what_was_expected(text: str, message: str):
    with pytest.raises(InputError, match=r"^x\.pkt") as error:
        parse(text, "x.pkt")
    assert message in str(error.value)


@pytest.mark.parametrize(
    "text",
    ["+0 < icmp unreachable frag_needed mtu 1200 [1:1(0)]", "+0 < udp (1000)", "+0 > . 1:1(0) ack 1 urg 3"],
)
def test_what_is_no_tcp_cannot_be_expressed(text: str):
    with pytest.raises(Inexpressible):
        parse(SYN + text, "x.pkt")


def lookup(name: str) -> int:
    known = {"tcpi_snd_cwnd": 10, "tcpi_lost": 0, "TCP_CA_Open": 0}
    if name == "tcpi_reordering":
        raise Unknown(name)
    if name not in known:
        raise CodeError(name)
    return known[name]


@pytest.mark.parametrize(
    ("code", "holds"),
    [
        ("assert tcpi_snd_cwnd == 10, 'cwnd=%d' % tcpi_snd_cwnd", [True]),
        ("assert 8 <= tcpi_snd_cwnd <= 9", [False]),
        ("assert tcpi_snd_cwnd == 2 * 5 and not tcpi_lost", [True]),
        ("assert tcpi_lost or tcpi_snd_cwnd & 2", [True]),
        ("cwnd = tcpi_snd_cwnd\ncwnd += 1\nassert cwnd == 11\nprint(cwnd)", [True]),
        ("assert max(1, -2) == abs(-1); assert min(3, 4) == int(3.5)", [True, True]),
        ("assert tcpi_reordering == 3", [None]),
        ("x = tcpi_reordering\nassert x == 3", [None]),
        ("x = tcpi_reordering\nx += 1\nassert x == 4\nx = 1\nassert x == 1", [None, True]),
    ],
)
def test_assertions_are_evaluated(code: str, holds: list[bool | None]):
    assert [statement.holds for statement in Evaluator().examine(code, lookup)] == holds


@pytest.mark.parametrize(
    "code",
    [
        "import os",
        "assert __import__('os').system('true') == 0",
        "assert tcpi_snd_cwnd.real == 10",
        "assert [x for x in (1,)]",
        "assert (lambda: 1)()",
        "open('x')",
        "assert 2 ** 100",
        "assert 'a' * 3",
        "assert 10 ** 10 ** 10",
        "assert 1000000000 * 1000000000 * 1000000000",
        "assert 1 / 0",
        "assert tcpi_snd_cwmd == 10",
        "assert max(1, key=2)",
        "while True: pass",
        "def f(): pass",
        "assert (",
        "(" * 5000 + ")" * 5000,
        "assert " + "-" * 50_000 + "1",
    ],
)
def test_code_that_is_no_assertion_is_refused_and_never_run(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CodeError):
        list(Evaluator().examine(code, lookup))
    assert list(tmp_path.iterdir()) == []
