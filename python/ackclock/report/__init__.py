"""Reports as HTML: a page for one study, a folder of pages for several. They load nothing from a network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ackclock.report.folder import write_report
    from ackclock.report.study_page import render_page, write_page

__all__ = ["render_page", "write_page", "write_report"]


def __getattr__(name: str) -> Any:
    """Imports the report writers on first use: a run on the terminal only needs the names of quantities."""
    if name == "write_report":
        from ackclock.report.folder import write_report

        return write_report
    if name in __all__:
        from ackclock.report import study_page

        return getattr(study_page, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
