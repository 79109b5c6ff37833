"""What `make lint` finds wrong with the crates that a lock file pins."""

from __future__ import annotations

from pathlib import Path
from subprocess import CompletedProcess

import pytest
from conftest import script

ROOT = Path(__file__).parents[2]
dependencies = script("check-dependencies")

BYTES = ("bytes", "1.6.0", "registry+https://github.com/rust-lang/crates.io-index")


def test_a_licence_can_be_met_with_one_alternative_and_with_all_parts() -> None:
    met = (
        "MIT",
        "MIT/Apache-2.0",
        "GPL-3.0-only OR MIT",
        "(MIT OR Apache-2.0) AND Unicode-3.0",
        "MIT AND ISC",
    )
    assert [one for one in met if not dependencies.allows(one)] == []
    unmet = (
        "none",
        "GPL-3.0-only",
        "MIT AND GPL-3.0-only",
        "(MIT OR ISC) AND MPL-2.0",
        "Apache-2.0 WITH other",
    )
    assert [one for one in unmet if dependencies.allows(one)] == []


def test_a_crate_from_elsewhere_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = tmp_path / "Cargo.lock"
    lock.write_text('[[package]]\nname = "x"\nversion = "1.0.0"\nsource = "git+https://example.org/x#1"\n')
    monkeypatch.setattr(dependencies, "ROOT", tmp_path)
    monkeypatch.setattr(dependencies, "run", lambda *_: CompletedProcess((), 0, '{"packages": []}', ""))
    assert list(dependencies.check(lock)) == [
        "Cargo.lock: x 1.0.0 is from git+https://example.org/x#1, not from crates.io"
    ]


@pytest.mark.parametrize(
    ("said", "code", "found"),
    [
        (
            "warning: package `bytes v1.6.0` in Cargo.lock is yanked in registry `crates-io`, consider updating",
            0,
            ["Cargo.lock: bytes v1.6.0 was yanked"],
        ),
        ("error: [6] Could not resolve hostname (Could not resolve host: index.crates.io)", 101, []),
        ("error: another mistake", 101, ["Cargo.lock: yanked versions: error: another mistake"]),
    ],
)
def test_yanked_versions_are_found_where_crates_io_is_there(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    said: str,
    code: int,
    found: list[str],
) -> None:
    monkeypatch.setattr(dependencies, "run", lambda *_: CompletedProcess((), code, "", said))
    assert list(dependencies.yanked("Cargo.lock", "", [BYTES])) == found
    assert ("not checked" in capsys.readouterr().err) == ("resolve" in said)


def test_every_python_library_is_pinned_with_hashes() -> None:
    # pip then installs no file without its hash.
    for name in ("requirements.txt", "requirements-dev.txt"):
        lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
        pins = [number for number, line in enumerate(lines) if "==" in line and not line.startswith("#")]
        assert len(pins) > 20
        assert all(lines[number + 1].startswith("    --hash=sha256:") for number in pins), name
