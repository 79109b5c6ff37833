"""What the script that writes the generated parts of the documentation refuses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"

PROGRAM = """
import runpy, sys
sys.path.insert(0, {scripts!r})
module = runpy.run_path({scripts!r} + "/document-registry")
print(module["generate"]({what!r}))
"""


def generate(what: str) -> subprocess.CompletedProcess[str]:
    program = PROGRAM.format(scripts=str(SCRIPTS), what=what)
    return subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True)


def test_a_traceback_is_not_documented() -> None:
    done = generate("run python -c 1/0")
    assert done.returncode == 1
    assert "`python -c 1/0` ended in a traceback" in done.stderr


def test_a_command_that_fails_with_a_message_is() -> None:
    done = generate("run echo wrong >&2; false")
    assert done.returncode == 0, done.stderr
    assert "$ echo wrong >&2; false\nwrong\n" in done.stdout
