"""Reports as HTML: a page for one study, a folder of pages for several. They load nothing from a network."""

from ackclock.report.folder import write_report
from ackclock.report.study_page import render_page, write_page

__all__ = ["render_page", "write_page", "write_report"]
