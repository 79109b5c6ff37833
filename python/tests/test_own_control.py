"""``examples/own-control`` where a clone of the laboratory lies inside it, as on a runner of a forge."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "own-control"


def test_the_clone_may_lie_inside_the_crate(tmp_path: Path) -> None:
    crate = tmp_path / "mine"
    shutil.copytree(EXAMPLE, crate, ignore=shutil.ignore_patterns("target"))
    (crate / "ackclock").symlink_to(ROOT)
    manifest = crate / "Cargo.toml"
    text, paths = re.subn(
        r'path = "\.\./\.\./crates', 'path = "ackclock/crates', manifest.read_text(encoding="utf-8")
    )
    assert paths == 4
    manifest.write_text(text, encoding="utf-8")
    # Without `exclude` cargo takes the clone's crates for members of the crate's own workspace, and refuses them.
    command = [
        "cargo",
        "metadata",
        "--format-version=1",
        "--locked",
        "--filter-platform=x86_64-unknown-linux-gnu",
    ]
    done = subprocess.run(command, cwd=crate, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["workspace_members"]) == 1
