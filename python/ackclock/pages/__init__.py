"""Makes the pages of the documentation from the archive. It works in a clone of the repository, and no wheel has it."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
"""The folder of the repository."""
DOCS = ROOT / "docs"
