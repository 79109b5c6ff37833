"""The wheel goes into an empty environment, without Rust, and works there; what its core was trained with exists."""

from __future__ import annotations

import os
import re
import subprocess
import venv
import zipfile
from pathlib import Path

import pytest

from ackclock.study.load import study_names

ROOT = Path(__file__).resolve().parents[2]
WHEELS = sorted((ROOT / "dist").glob("*.whl"), key=lambda path: path.stat().st_mtime)


def test_the_profile_is_taken_of_studies_of_every_folder() -> None:
    script = (ROOT / "scripts" / "train-core").read_text(encoding="utf-8")
    listed = re.findall(r"\S+", script.split("studies=(")[1].split(")")[0])
    assert set(listed) <= set(study_names())
    # Of what it has never seen the compiler thinks that it is seldom run.
    assert {name.split("/")[0] for name in listed} == {name.split("/")[0] for name in study_names()}


@pytest.mark.slow
@pytest.mark.skipif(not WHEELS, reason="`make wheel` has not been run")
def test_the_wheel_works_in_an_empty_environment(tmp_path: Path) -> None:
    wheel = WHEELS[-1]
    assert "-abi3-" in wheel.name
    names = zipfile.ZipFile(wheel).namelist()
    assert not [name for name in names if "/tests/" in name or "target/" in name]
    kinds = (
        "archive/studies/rbcc/table-4.1.toml",
        "archive/records/rbcc/table-4.1.json",
        "report/assets/report.css",
    )
    for kind in kinds:
        assert f"ackclock/{kind}" in names

    venv.create(tmp_path / "empty", with_pip=True)
    programs = tmp_path / "empty" / "bin"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    # No compiler is on the path, and nothing of the repository.
    environment = {"HOME": str(elsewhere), "PATH": f"{programs}{os.pathsep}/usr/bin{os.pathsep}/bin"}

    def run(*command: object) -> str:
        done = subprocess.run(
            [str(word) for word in command],
            cwd=elsewhere,
            env=environment,
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    # pip checks the hashes of all files that a command installs, and the wheel has none yet.
    run(programs / "pip", "install", "--quiet", "--requirement", ROOT / "requirements.txt")
    run(programs / "pip", "install", "--quiet", "--no-deps", wheel)
    assert run(programs / "ackclock", "--version").startswith("ackclock ")
    if "ackclock/web/ackclock.wasm" in names:
        run(programs / "ackclock", "lab", "rtt-unfairness", "--no-open", "--out", "lab.html")
        assert (elsewhere / "lab.html").stat().st_size < 1_500_000
    assert "cubic" in run(programs / "ackclock", "list", "controls")
    scenario = elsewhere / "duel.toml"
    scenario.write_text((ROOT / "scenarios" / "examples" / "duel.toml").read_text())
    assert "fairness (Jain)" in run(programs / "ackclock", "run", scenario)
    run(programs / "ackclock", "reproduce", "rbcc/table-4.1", "--quick", "--out", "out")
    assert (elsewhere / "out" / "rbcc-table-4.1.html").exists()
