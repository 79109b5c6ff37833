"""Files that are hardly text, pipes, links, names that no file can have, and characters that steer a terminal."""

from __future__ import annotations

import os
import re
import threading
import time
from pathlib import Path

import pytest
from conftest import Command
from right_files import DUMBBELL

BYTES = [
    (b"\xff\xfed\x00", "odd.toml:1:1: byte 0xff is not UTF-8 text; is it UTF-16?"),
    ("duration = '10 s' # caf\xe9".encode("latin-1"), "odd.toml:1:24: byte 0xe9 is not UTF-8 text"),
    (b"\x7fELF\x02\x01\x01\x00", "odd.toml:1:1: found invalid unquoted key"),
    (b"\x00" * 100, "odd.toml:1:1: found invalid unquoted key"),
    (b"", "odd.toml:1:1: `duration`: found no `duration`"),
    (b"x = " + b"[" * 100_000, "odd.toml:1:85: found lists or tables nested too deeply"),
    (b"a." * 20_000 + b"b = 1", "odd.toml:1:1: found lists or tables nested too deeply"),
    (b'"a".' * 20_000 + b"b = 1", "odd.toml:1:1: found lists or tables nested too deeply"),
    (b'name = "' + b"x" * 1_000_000 + b'"', 'odd.toml:1:8: `name`: found "xxx'),
    (b"x" * 1_000_000 + b" = 1", "odd.toml:1:1: `xxx"),
    (b'"\\u001b[31m" = 1', "odd.toml:1:1: `\\u{1b}[31m`: found the key"),
    (b"x" * 10_000_001, "odd.toml: has more than 10000000 bytes"),
]
"""Files that are hardly text."""


@pytest.mark.parametrize(("data", "message"), BYTES, ids=range(len(BYTES)))
def test_files_that_are_hardly_text(ackclock: Command, data: bytes, message: str) -> None:
    Path("odd.toml").write_bytes(data)
    outcome = ackclock("run", "odd.toml", "--out", "results")
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err
    # Nothing steers the terminal, and nothing fills it.
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", outcome.err)
    assert len(outcome.err) < 3000
    assert [path.name for path in Path().iterdir()] == ["odd.toml"]


COMMANDS = ("run", "check", "reproduce", "lab --no-open")
"""The commands that are given a file."""


@pytest.mark.parametrize("command", COMMANDS)
def test_a_pipe_that_no_program_writes_into_is_refused(ackclock: Command, command: str) -> None:
    os.mkfifo("pipe.toml")
    outcome = ackclock(*command.split(), "pipe.toml")
    assert (outcome.code, outcome.out) == (2, "")
    assert "pipe.toml: is a pipe that no program is writing to" in outcome.err


def test_a_pipe_with_a_writer_is_read(ackclock: Command) -> None:
    # As in `ackclock check <(command)`: the writer has it open, begins late, and writes more than a pipe holds.
    reading, writing = os.pipe()
    text = (DUMBBELL + "# long\n" * 20_000).encode()
    writer = threading.Thread(target=lambda: (time.sleep(0.1), os.write(writing, text), os.close(writing)))
    writer.start()
    outcome = ackclock("check", f"/dev/fd/{reading}")
    writer.join()
    os.close(reading)
    assert outcome.code == 0, outcome.err


@pytest.mark.parametrize("command", COMMANDS)
def test_links_that_lead_nowhere_are_refused(ackclock: Command, command: str) -> None:
    Path("round.toml").symlink_to("round.toml")
    Path("gone.toml").symlink_to("nowhere")
    for name, message in (
        ("round.toml", "round.toml: is a symbolic link that leads back to itself"),
        ("gone.toml", "gone.toml: is a symbolic link to nowhere, which does not exist"),
    ):
        outcome = ackclock(*command.split(), name)
        assert (outcome.code, outcome.out) == (2, "")
        assert message in outcome.err
        assert "did you mean" not in outcome.err


LONG = "x" * 300 + ".toml"


@pytest.mark.parametrize(
    "arguments",
    [
        *(f"{command} {LONG}" for command in COMMANDS),
        f"lab {LONG[:300]} --no-open",
        f"study copy rbcc/table-4.1 {LONG}",
        f"examples incast --out {LONG}",
        f"examples incast --out {LONG}/x.toml",
        f"run good.toml --out {LONG}",
        "run long.toml",
    ],
)
def test_names_that_no_file_can_have(ackclock: Command, arguments: str) -> None:
    Path("good.toml").write_text(DUMBBELL)
    Path("long.toml").write_text(DUMBBELL.replace('rate = "10 Mbit/s"', f'rate = {{ trace = "{LONG}" }}'))
    outcome = ackclock(*arguments.split())
    assert (outcome.code, outcome.out) == (2, "")
    assert "File name too long" in outcome.err


HIDDEN = {
    "\u202e": "\\u{202e}",
    "\u2028": "\\u{2028}",
    "\u2066": "\\u{2066}",
    "\ufeff": "\\u{feff}",
    "\x1b": "\\u{1b}",
}
"""Characters that reverse or break a line, or that steer a terminal, as messages write them."""


@pytest.mark.parametrize("hidden", HIDDEN)
def test_hidden_characters_never_reach_the_terminal(ackclock: Command, hidden: str) -> None:
    named = f"a{hidden}b"
    Path("good.toml").write_text(
        DUMBBELL.replace('duration = "10 s"', 'duration = "2 s"').replace("9 s", "1.9 s")
    )
    Path(f"{named}.toml").write_text(DUMBBELL)
    written = f"a{HIDDEN[hidden].replace('{', '').replace('}', '').replace('u1b', 'u001b')}b"
    for key in ('name = "right"', 'name = "tcp"'):
        Path("odd.toml").write_text(DUMBBELL.replace(key, f'name = "{written}"'))
        outcome = ackclock("check", "odd.toml")
        assert outcome.code == 2
        assert "a name of 1 to 200 characters on one line" in outcome.err
        assert hidden not in outcome.out + outcome.err
    for arguments in (
        ("run", named),
        ("run", f"none-{named}.toml"),
        ("run", "good.toml", "--set", f"{named}=1"),
        ("run", "good.toml", "--out", named),
        ("run", "good.toml", f"--{named}"),
        ("check", f"{named}.toml"),
        ("reproduce", named),
        ("examples", named),
        ("list", named),
        (named,),
    ):
        outcome = ackclock(*arguments)
        assert hidden not in outcome.out + outcome.err, arguments
        assert HIDDEN[hidden] in outcome.out + outcome.err or "Usage:" in outcome.err, arguments


def test_bytes_that_are_no_text_in_the_name_of_a_file(ackclock: Command) -> None:
    outcome = ackclock("run", os.fsdecode(b"a\xffb.toml"))
    assert outcome.code == 2
    assert "a\\u{dcff}b.toml: No such file" in outcome.err


@pytest.mark.parametrize("text", ["root:x:0", "[bold]x[/bold]", "[/]", "a:smile:b"])
def test_texts_of_users_are_neither_markup_nor_emoji(ackclock: Command, text: str) -> None:
    Path("passwd").write_text(f"{text}\n")
    outcome = ackclock("run", "passwd")
    assert outcome.code == 2
    assert f"1 | {text}" in outcome.err
    quick = DUMBBELL.replace('duration = "10 s"', 'duration = "2 s"').replace("9 s", "1.9 s")
    Path("named.toml").write_text(
        quick.replace('name = "tcp"', f'name = "{text}"').replace("right", f"of {text}")
    )
    for arguments in (["--replications", "1"], ["--replications", "2"]):
        outcome = ackclock("run", "named.toml", *arguments)
        assert outcome.code == 0, outcome.err
        assert outcome.out.count(text) >= 2
