"""The reproduction report: one HTML file that holds everything and loads nothing."""

from ackclock.report.page import render_report, write_report

__all__ = ["render_report", "write_report"]
