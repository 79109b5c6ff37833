"""The command ``ackclock packetdrill``: its exit codes, its words, its document, and what it does with odd input."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from conftest import Command

from ackclock.packetdrill import Choices, Verdict, drill
from ackclock.schemas import schema

EXAMPLE = Path(__file__).resolve().parents[3] / "docs" / "examples" / "fast-retransmit.pkt"

BEGIN = """
    0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
   +0 < S 0:0(0) win 65535 <mss 1000,sackOK,nop,wscale 7>
   +0 > S. 0:0(0) ack 1 <...>
  +.1 < . 1:1(0) ack 1 win 1000
   +0 accept(3, ..., ...) = 4
"""
SENDS = BEGIN + "   +0 write(4, ..., 2000) = 2000\n   +0 > P. 1:2001(2000) ack 1\n"
DIFFERS = BEGIN + "   +0 write(4, ..., 2000) = 2000\n   +1 > P. 1:2001(2000) ack 1\n"
CANNOT = SENDS + "   +0 > R. 2001:2001(0) ack 1\n"
MINE = '''
from ackclock import Control, Decision

class Three(Control):
    """A window of three packets."""

    def decision(self):
        return Decision(3.0)

    def on_ack(self, ack, random): ...
    def on_loss(self, loss, random): ...
    def on_timeout(self, timeout, random): ...

class Fails(Three):
    """It raises at the first acknowledgement."""

    def on_ack(self, ack, random):
        raise KeyError("gone")
'''


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    texts = {"passes": SENDS, "differs": DIFFERS, "cannot": CANNOT, "wrong": "hello\n"}
    found = {name: tmp_path / f"{name}.pkt" for name in texts}
    for name, path in found.items():
        path.write_text(texts[name])
    return found


def of(text: str, tmp_path: Path, *arguments: str):
    path = tmp_path / "one.pkt"
    path.write_text(text)
    return drill(path, Choices.of(arguments, "test"))


@pytest.mark.parametrize(
    ("names", "code"),
    [
        (["passes"], 0),
        (["differs"], 1),
        (["wrong"], 2),
        (["cannot"], 3),
        (["passes", "cannot"], 3),
        (["cannot", "differs", "passes"], 1),
        (["differs", "wrong", "cannot"], 2),
    ],
)
def test_the_exit_code_is_that_of_the_gravest_script(
    ackclock: Command, files: dict[str, Path], names: list[str], code: int
) -> None:
    assert ackclock("packetdrill", *(files[name] for name in names)).code == code


def test_a_difference_is_said_with_its_line_and_a_timeline_of_both(
    ackclock: Command, files: dict[str, Path]
) -> None:
    done = ackclock("packetdrill", files["differs"])
    first, *timeline = done.out.splitlines()
    assert "differs.pkt:8: expected P. 1:2001(2000) ack 1 at 1.100000 s (± 4 ms)" in first
    assert "is sent at 0.100000 s: 1:1001(1000)" in first
    assert timeline[0].split() == ["line", "time", "(s)", "script", "ackclock"]
    assert any("write(4, ..., 2000) = 2000" in row for row in timeline)
    assert done.err == ""


def test_several_scripts_get_a_line_each_and_a_sum(ackclock: Command, files: dict[str, Path]) -> None:
    done = ackclock("packetdrill", files["passes"], files["differs"], files["cannot"], files["wrong"])
    lines = done.out.splitlines()
    assert [line.split("  ")[0] for line in lines] == [
        "pass",
        "difference",
        "cannot be expressed",
        "1 pass, 1 difference, 1 cannot be expressed, 1 wrong input",
    ]
    assert "cannot.pkt:9: ackclock does not support a RST" in lines[2]
    assert 'wrong.pkt:1: found "hello"' in done.err


def test_the_document_agrees_with_its_schema(ackclock: Command, files: dict[str, Path]) -> None:
    done = ackclock("packetdrill", "--json", *files.values())
    document = json.loads(done.out)
    jsonschema.validate(document, schema("packetdrill"), cls=jsonschema.Draft202012Validator)
    assert [script["verdict"] for script in document["scripts"]] == [
        "pass",
        "difference",
        "cannot be expressed",
        "wrong input",
    ]
    assert document["scripts"][0]["compared"]["segments"] == 2
    assert document["totals"] == dict.fromkeys(
        ("pass", "difference", "cannot be expressed", "wrong input"), 1
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "No such file"),
        (b"", "is empty, expected a packetdrill script"),
        (b"\x7fELF\0\1", "binary"),
        (b"\xff\xfe0", "is not UTF-8"),
        (b"duration = '1 s'", "expected the time of an event"),
    ],
)
def test_a_file_that_is_no_script_is_refused(
    ackclock: Command, tmp_path: Path, content: bytes | None, message: str
) -> None:
    path = tmp_path / "odd.pkt"
    if content is not None:
        path.write_bytes(content)
    done = ackclock("packetdrill", path)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert "odd.pkt" in done.err


def test_a_folder_is_refused_with_a_script_in_it(
    ackclock: Command, files: dict[str, Path], tmp_path: Path
) -> None:
    done = ackclock("packetdrill", tmp_path)
    assert done.code == 2
    assert "is a folder, expected a packetdrill script such as" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--set", "min_rtoo=1 s"], 'there is no parameter "min_rtoo"; did you mean "min_rto"?'),
        (["--set", "min_rto=soon"], "min_rto: found"),
        (["--set", "min_rto"], "expected PATH=VALUE"),
        (["--profile", "linus"], '--profile: there is no transport profile "linus"; did you mean "linux"?'),
        (["--profile", "quic"], "--profile: quic is not a TCP profile, expected one of linux, ns2, rfc"),
        (["--control", "cubicc"], 'there is no control "cubicc"'),
        (["--control", "nothing.py"], "No such file"),
    ],
)
def test_a_wrong_choice_is_refused(
    ackclock: Command, files: dict[str, Path], arguments: list[str], message: str
) -> None:
    done = ackclock("packetdrill", files["passes"], *arguments)
    assert done.code == 2
    assert message in done.err


def test_a_control_in_python_drives_the_host(ackclock: Command, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    path = tmp_path / "three.pkt"
    path.write_text(
        BEGIN
        + "+0 write(4, ..., 9000) = 9000\n+0 > . 1:3001(3000) ack 1\n+0 %{ assert tcpi_unacked == 3 }%\n"
    )
    assert ackclock("packetdrill", path).code == 1
    assert ackclock("packetdrill", path, "--control", tmp_path / "mine.py:Three").code == 0
    path.write_text(path.read_text() + "\n+.1 < . 1:1(0) ack 3001 win 1000\n")
    done = ackclock("packetdrill", path, "--control", tmp_path / "mine.py:Fails")
    assert done.code == 1
    assert "KeyError" in done.err


def test_what_a_control_prints_is_shown_and_is_not_among_the_results(tmp_path: Path) -> None:
    path = tmp_path / "sends.pkt"
    path.write_text(SENDS + "+.1 < . 1:1(0) ack 2001 win 1000\n", encoding="utf-8")
    prints = f"{MINE}\nclass Prints(Three):\n    def on_ack(self, *_):\n        print('heard')\n"
    (tmp_path / "mine.py").write_text(prints, encoding="utf-8")
    command = [sys.executable, "-m", "ackclock", "packetdrill", path, "--control", "mine.py:Prints", "--json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["totals"]["pass"] == 1
    assert "heard" in done.stderr


def test_a_script_may_choose_in_a_comment_and_the_command_wins(tmp_path: Path) -> None:
    text = "// ackclock: --profile rfc --set initial_window='1 packet'\n" + SENDS
    assert of(text, tmp_path).verdict is Verdict.DIFFERENCE
    assert of(text, tmp_path, "--set", "initial_window=2 packets").verdict is Verdict.PASSED
    assert of("// ackclock: --frob 1\n" + SENDS, tmp_path).verdict is Verdict.WRONG_INPUT


def test_the_timeline_names_what_was_not_compared(ackclock: Command, tmp_path: Path) -> None:
    path = tmp_path / "some.pkt"
    path.write_text(SENDS + "+0 %{ assert tcpi_reordering == 3 }%\n+0 %{ assert tcpi_unacked == 2 }%\n")
    done = ackclock("packetdrill", path, "--timeline")
    assert done.code == 0
    assert "1 line not compared" in done.out
    assert "line 9: ackclock has no value for tcpi_reordering" in done.out


@pytest.mark.parametrize(
    ("more", "line", "reason"),
    [
        ("+0 frobnicate(4) = 0", 9, "does not support the system call frobnicate"),
        ("+0 setsockopt(4, SOL_TCP, TCP_FROB, [1], 4) = 0", 9, "the socket option TCP_FROB"),
        ("+0 send(4, ..., 100, MSG_MORE) = 100", 9, "the flag MSG_MORE of send"),
        ("+0 sendmsg(4, {msg_iov(1)=[{..., 100}]}, MSG_MORE) = 100", 9, "the flag MSG_MORE of sendmsg"),
        ("+0...0.5 write(4, ..., 100) = 100", 9, "ackclock has no send buffer"),
        ("+0 write(4, ..., 100) = -1 EAGAIN (again)", 9, "write to fail (EAGAIN)"),
        ("+0 write(4, ..., 9999999999) = 9999999999", 9, "expected at most 1000000 segments"),
        ("+0 `iptables -F`\n+0 < . 1:1(0) ack 1 win 9", 9, "does not support the command `iptables -F`"),
        (
            "+0 `sysctl net.ipv4.tcp_frto=0`\n+0 < . 1:1(0) ack 1 win 9",
            9,
            "a setting changes during the connection",
        ),
        ("+0 < . 1:1(0) ack 501 win 1000", 9, "the acknowledgement number 501 is inside a segment"),
        ("+0 < . 1:1(0) ack 1 win 1", 9, "the window of 128 bytes"),
        ("+0 < R. 1:1(0) ack 1 win 1", 9, "a RST from the peer"),
        ("+0 < F. 1:1(0) ack 1 win 100\n+0 %{ assert tcpi_unacked == 2 }%", 10, "after the peer's FIN"),
        ("+0 %{ assert tcpi_reordering == 3 }%", 9, "no value for tcpi_reordering"),
        (
            "+0 < P. 1:1001(1000) ack 1 win 1000\n+0 < P. 501:1001(500) ack 1 win 1000",
            9,
            "shares only some of its bytes with another segment from the peer",
        ),
    ],
)
def test_what_cannot_be_expressed_is_said_with_its_line(
    tmp_path: Path, more: str, line: int, reason: str
) -> None:
    outcome = of(SENDS + more + "\n", tmp_path)
    assert outcome.verdict is Verdict.INEXPRESSIBLE, outcome.reason
    assert outcome.line == line
    assert reason in outcome.reason


@pytest.mark.parametrize(
    "text",
    [
        "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n",
        BEGIN,
        "--frob=3\n" + SENDS,
        "`sysctl -q net.ipv4.tcp_frob=3`\n" + SENDS,
        "`./nowhere.sh`\n" + SENDS,
        "`sysctl -q net.ipv4.tcp_congestion_control=frob`\n" + SENDS,
    ],
)
def test_a_script_with_nothing_to_compare_or_unknown_settings_is_no_pass(tmp_path: Path, text: str) -> None:
    assert of(text, tmp_path).verdict in (Verdict.INEXPRESSIBLE, Verdict.WRONG_INPUT)


@pytest.mark.parametrize(
    "option", ["--mss=²", "--mtu=30", "--tolerance_usecs=" + "9" * 5000, "--mss=" + "9" * 5000]
)
def test_a_number_that_is_none_is_refused(tmp_path: Path, option: str) -> None:
    outcome = of(f"{option}\n{SENDS}", tmp_path)
    assert outcome.verdict is Verdict.WRONG_INPUT
    assert "one.pkt:1: --" in outcome.reason
    assert "expected a whole number" in outcome.reason


def test_a_control_without_counterpart_is_named_with_its_line_unless_another_is_chosen(
    tmp_path: Path,
) -> None:
    text = f"\n`sysctl -q net.ipv4.tcp_congestion_control=cdg`\n{SENDS}"
    outcome = of(text, tmp_path)
    assert (outcome.line, outcome.reason) == (
        2,
        "ackclock does not support the congestion control cdg; choose one with --control",
    )
    assert of(text, tmp_path, "--control", "newreno").verdict is Verdict.PASSED


def test_a_wrong_choice_of_a_script_is_said_with_its_file(tmp_path: Path) -> None:
    outcome = of(f"// ackclock: --set min_rtoo=3\n{SENDS}", tmp_path)
    assert outcome.reason.startswith(f'{tmp_path / "one.pkt"}: --set: there is no parameter "min_rtoo"')


def test_a_block_that_begins_below_the_acknowledgement_and_ends_above_it_says_nothing(tmp_path: Path) -> None:
    # A report that segment 1:1001 arrived twice takes the reduction to 0.7 * 10 back.
    text = (
        BEGIN
        + """+0 write(4, ..., 10000) = 10000
   +0 > P. 1:10001(10000) ack 1
  +.1 < . 1:1(0) ack 1 win 1000 <sack 1001:4001,nop,nop>
   +0 > . 1:1001(1000) ack 1
 +.01 < . 1:1(0) ack 10001 win 1000
   +0 write(4, ..., 9000) = 9000
   +0 > . 10001:17001(7000) ack 1
 +.09 < . 1:1(0) ack 10001 win 1000 <sack {block},nop,nop>
   +0 %{{ assert tcpi_snd_ssthresh == 7 }}%
"""
    )
    assert of(text.format(block="1:19001"), tmp_path).verdict is Verdict.PASSED
    assert of(text.format(block="1:1001"), tmp_path).line == 15


def test_variables_are_read_from_the_shell_script_beside_and_nothing_is_run(tmp_path: Path) -> None:
    (tmp_path / "defaults.sh").write_text(
        "#!/bin/bash\n# A comment\nsysctl -q net.ipv4.tcp_early_retrans=0 \\\n  net.ipv4.tcp_frto=2 > /dev/null 2>&1\n"
    )
    # Without a probe the timeout of 300 ms comes first.
    text = "`./defaults.sh`\n" + SENDS + "+.3 > . 1:1001(1000) ack 1\n"
    assert of(text, tmp_path).verdict is Verdict.PASSED
    (tmp_path / "defaults.sh").write_text(f"touch {tmp_path}/made\n")
    outcome = of(text, tmp_path)
    assert outcome.verdict is Verdict.INEXPRESSIBLE
    assert "touch" not in outcome.reason
    assert not (tmp_path / "made").exists()


def test_a_segment_that_the_script_does_not_expect_is_shown(tmp_path: Path) -> None:
    lines = EXAMPLE.read_text().splitlines()
    retransmission = next(line for line in lines if "> . 1:1001(1000)" in line)
    outcome = of("\n".join(line for line in lines if line != retransmission), tmp_path)
    assert (outcome.verdict, outcome.not_expected) == (Verdict.PASSED, 1)
    hosts = [row.host for row in outcome.rows]
    assert "1:1001(1000) again (not expected)" in hosts
    assert [row.time for row in outcome.rows] == sorted(row.time for row in outcome.rows)
    assert of(EXAMPLE.read_text(), tmp_path).not_expected == 0


def test_scripts_that_call_each_other_without_end_are_named_as_such(tmp_path: Path) -> None:
    (tmp_path / "again.sh").write_text("./again.sh\n")
    outcome = of("`./again.sh`\n" + SENDS, tmp_path)
    assert outcome.reason == "found shell scripts that call each other, nested more than 8 deep"


def test_an_option_without_a_value_is_named(tmp_path: Path) -> None:
    outcome = of(SENDS + "+0 setsockopt(4, SOL_TCP) = 0\n", tmp_path)
    assert "expected setsockopt(fd, level, option, [value], ...)" in outcome.reason


def test_times_relative_to_a_segment_of_the_host_count_from_when_it_was_sent(tmp_path: Path) -> None:
    # The probe leaves 200 ms after the data, within the range, and the acknowledgement arrives 50 ms after the probe.
    text = SENDS + "+.15~+.25 > P. 1001:2001(1000) ack 1\n+.05 < . 1:1(0) ack 2001 win 1000\n"
    outcome = of(text + "+0 write(4, ..., 1000) = 1000\n* > P. 2001:3001(1000) ack 1\n", tmp_path)
    assert outcome.verdict is Verdict.PASSED
    sent = [row.time for row in outcome.rows if row.script.startswith("> P.")]
    assert sent[2] - sent[1] == 50_000_000


def test_short_segments_are_told_apart(tmp_path: Path) -> None:
    text = BEGIN + "+0 write(4, ..., 1500) = 1500\n+0 > P. 1:1501(1500) ack 1\n"
    more = "+.1 < . 1:1(0) ack 1501 win 1000\n+0 write(4, ..., 700) = 700\n+0 > P. 1501:2201(700) ack 1\n"
    assert of(text + more, tmp_path).verdict is Verdict.PASSED
    # Nagle's algorithm: a second short segment waits for the first, unless TCP_NODELAY says otherwise.
    second = "+0 write(4, ..., 100) = 100\n+0 > P. 1501:1601(100) ack 1\n"
    assert of(text + second, tmp_path).verdict is Verdict.INEXPRESSIBLE
    option = "+0 setsockopt(4, SOL_TCP, TCP_NODELAY, [1], 4) = 0\n"
    assert of(text.replace("+0 write", option + "+0 write") + second, tmp_path).verdict is Verdict.PASSED


@pytest.mark.parametrize("where", ["__init__", "decision", "on_ack"])
@pytest.mark.parametrize(
    ("ends", "said"),
    [("os._exit(0)", "exit code 0"), ("os.abort()", "signal 6"), ("sys.exit(0)", "raised SystemExit(0)")],
)
def test_a_control_that_ends_the_process_is_no_pass(
    ackclock: Command, tmp_path: Path, where: str, ends: str, said: str
) -> None:
    path = tmp_path / "sends.pkt"
    script = SENDS + "+.1 < . 1:1(0) ack 2001 win 1000\n"
    path.write_text(script, encoding="utf-8")
    ending = f"import os, sys\n{MINE}\nclass Ends(Three):\n    def {where}(self, *_):\n        {ends}\n"
    (tmp_path / "mine.py").write_text(ending, encoding="utf-8")
    done = ackclock("packetdrill", path, "--control", tmp_path / "mine.py:Ends")
    assert (done.code, done.out) == (1, "")
    assert "mine.py" in done.err
    assert said in done.err
    path.write_text(f"// ackclock: --control {tmp_path / 'mine.py:Ends'}\n{script}", encoding="utf-8")
    done = ackclock("packetdrill", path)
    assert (done.code, done.out) == (1, "")
    assert "sends.pkt" in done.err or "mine.py" in done.err
