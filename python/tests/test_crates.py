"""What docs/architecture.md says of the crates is what their manifests say."""

from __future__ import annotations

import re
from pathlib import Path

from conftest import script

ROOT = Path(__file__).resolve().parents[2]
layers = script("crate_layers.py")


def test_architecture_lists_every_crate() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| \d+ \| \[`(\w+)`\]\(\.\./crates/", text, re.MULTILINE)
    assert sorted(listed) == sorted(layers.manifests())


def test_every_folder_of_crates_is_in_the_workspace() -> None:
    assert {path.parent.name for path in (ROOT / "crates").glob("*/Cargo.toml")} == set(layers.manifests())


def test_only_lab_reads_the_scenario_language() -> None:
    """A scenario is TOML. Of the other crates only ``soak``, which writes random scenarios, has a reader of it."""
    readers = {name for name, one in layers.manifests().items() if "toml" in one["dependencies"]}
    assert readers == {"lab", "soak"}
    knowing = {name for name in layers.manifests() if "lab" in layers.all_below(name)}
    assert knowing == {"py", "soak", "wasm", "wire"}


def test_the_verifier_and_the_laws_depend_on_base_alone() -> None:
    for name in ("cc", "aqm", "verify"):
        assert layers.below(name) == {"base"}, name
