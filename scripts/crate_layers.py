"""The crates of the workspace in layers, from their manifests: for docs/architecture.md."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from ackclock import _toml as toml

CRATES = Path(__file__).resolve().parent.parent / "crates"
PREFIX = "ackclock-"


@cache
def manifests() -> dict[str, dict[str, Any]]:
    """The manifest of each member of the workspace, by the name of its folder."""
    workspace = toml.loads((CRATES.parent / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]
    names = [Path(member).name for member in workspace["members"]]
    return {name: toml.loads((CRATES / name / "Cargo.toml").read_text(encoding="utf-8")) for name in names}


def below(name: str) -> set[str]:
    """The crates that a crate names as dependencies, optional ones too, without those of its tests."""
    names = manifests()[name].get("dependencies", {})
    return {one.removeprefix(PREFIX) for one in names if one.startswith(PREFIX)}


@cache
def all_below(name: str) -> frozenset[str]:
    """The crates that a crate depends on, by way of others too."""
    return frozenset(below(name)).union(*map(all_below, below(name)))


def direct(name: str) -> set[str]:
    """The crates that a crate depends on, without those that come with another of them."""
    return below(name).difference(*map(all_below, below(name)))


@cache
def layer(name: str) -> int:
    """The layer of a crate: above all that it depends on."""
    return 1 + max(map(layer, below(name)), default=-1)


def generated() -> str:
    """Every crate with what it depends on, the highest layer first."""
    lines = ["| layer | crate | directly above | what it is |", "| --- | --- | --- | --- |"]
    for name in sorted(manifests(), key=lambda name: (-layer(name), name)):
        under = ", ".join(f"`{one}`" for one in sorted(direct(name)))
        what = manifests()[name]["package"]["description"]
        lines.append(f"| {layer(name)} | [`{name}`](../crates/{name}) | {under} | {what} |")
    return "\n".join(lines)
