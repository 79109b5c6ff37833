"""Where cargo builds."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def build_folder() -> Path:
    """The folder of what cargo builds in this workspace: ``target``, or what the environment sets."""
    command = ["cargo", "metadata", "--format-version=1", "--no-deps", "--locked"]
    described = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return Path(json.loads(described.stdout)["target_directory"])
