"""The stub of the compiled core says what the compiled core has."""

import subprocess
import sys
from pathlib import Path

# The stub is compared with the module, not with the package around it, which takes half a minute to read.
CONFIGURATION = "[mypy]\nfollow_imports = skip\n"


def test_the_stub_agrees_with_the_module(tmp_path: Path) -> None:
    configuration = tmp_path / "mypy.ini"
    configuration.write_text(CONFIGURATION)
    command = [sys.executable, "-m", "mypy.stubtest", "ackclock._core", "--ignore-missing-stub", "--concise"]
    command += ["--mypy-config-file", str(configuration)]
    root = Path(__file__).parents[2]
    outcome = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
