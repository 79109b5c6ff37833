"""Generates pages of the documentation from the archive, in a clone of the repository. Wheels do not contain it."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
"""The root folder of the repository."""
DOCS = ROOT / "docs"
