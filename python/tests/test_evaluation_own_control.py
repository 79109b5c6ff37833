"""A control in a file of the user's own: what ``ackclock evaluate`` says of it before it runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Command

OWN = """
import ackclock

class Mine(ackclock.Control):
    def __init__(self, initial):
        self.cwnd = 2.0
    def decision(self):
        return ackclock.Decision(self.cwnd)
    def on_ack(self, ack, random): ...
    def on_loss(self, loss, random): ...
    def on_timeout(self, timeout, random): ...
"""


def test_a_control_without_a_window_to_set_is_remarked_on(ackclock: Command, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(OWN, encoding="utf-8")
    asked = ("--only", "N-17", "--seeds", "2", "--html")
    done = ackclock("evaluate", "mine.py", *asked)
    assert done.code == 0, done.err
    remark = "Mine does not define both set_cwnd and set_ssthresh, so it counts as a model-based control"
    assert done.err.count(remark) == 1
    assert remark in Path("ackclock-results/evaluate-mine-only-N-17-seeds-2.html").read_text(encoding="utf-8")
    setters = "\n".join(
        f"    def {name}(self, value): self.cwnd = value" for name in ("set_cwnd", "set_ssthresh")
    )
    (tmp_path / "mine.py").write_text(f"{OWN}\n{setters}\n", encoding="utf-8")
    assert remark not in ackclock("evaluate", "mine.py", *asked).err


@pytest.mark.parametrize(
    ("given", "source", "message"),
    [
        ("mine.py", OWN.replace("on_loss", "on_los"), 'controls: the class "Mine" does not define on_loss'),
        ("mine.py", OWN + "    def on_recoverd(self, recovered): ...\n", 'did you mean "on_recovered"?'),
        ("mine", OWN, 'did you mean "mine.py"?'),
    ],
)
def test_what_is_wrong_with_a_control_is_said_before_anything_runs(
    ackclock: Command, tmp_path: Path, given: str, source: str, message: str
) -> None:
    (tmp_path / "mine.py").write_text(source, encoding="utf-8")
    # Nothing of this scenario would run: it is about marks, which these packets cannot get.
    done = ackclock("evaluate", given, "--only", "N-11")
    assert done.code == 2
    assert message in done.err


@pytest.mark.parametrize(
    ("last_line", "said"),
    [
        ("import sys; sys.exit(0)", "the file raises SystemExit when it is loaded: 0"),
        ("raise SystemExit", "the file raises SystemExit when it is loaded"),
        ("raise GeneratorExit", "GeneratorExit"),
        ("import os; os._exit(0)", "loading the file ended the process (exit code 0)"),
        ("import os; os._exit(3)", "loading the file ended the process (exit code 3)"),
        ("import os; os.abort()", "loading the file ended the process (signal 6)"),
        (
            "print('returned', flush=True); import os; os._exit(0)",
            "loading the file ended the process (exit code 0)",
        ),
    ],
)
@pytest.mark.parametrize("command", ["evaluate", "search"])
def test_a_file_that_ends_the_program_is_named(
    ackclock: Command, tmp_path: Path, command: str, last_line: str, said: str
) -> None:
    (tmp_path / "mine.py").write_text(f"{OWN}\n{last_line}\n", encoding="utf-8")
    done = ackclock(command, "mine.py")
    assert (done.code, done.out) == (2, "")
    assert "mine.py: " in done.err
    assert said in done.err
