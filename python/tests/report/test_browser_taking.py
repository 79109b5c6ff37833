"""What can be taken from the page in a real browser: figures, tables, prints, commands."""

from __future__ import annotations

import base64
import io
import re
from pathlib import Path

import polars as pl
import pytest

import ackclock
from ackclock.report.rows import csv

from .browser import Page
from .synthetic import table_study

pytestmark = pytest.mark.browser


SAVED = (
    "window.saved = []; HTMLAnchorElement.prototype.click ="
    " function () { window.saved.push([this.download, this.href]); };"
)


@pytest.mark.parametrize(
    ("what", "start"), [("png", "data:image/png"), ("svg", "data:image/svg"), ("csv", "blob:")]
)
@pytest.mark.parametrize(("of", "name"), [("figure", "queue"), (".card", "loss"), (".plane", "")])
def test_figures_can_be_taken_away(
    page: Page, kinds: dict[str, Path], what: str, start: str, of: str, name: str
) -> None:
    page.open(kinds["characterisation" if of == ".plane" else "study alone"])
    page.run(SAVED)
    button = page.find(f"{of} [data-do={what}]")[0]
    page.run("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()
    ((file, url),) = page.wait("a file is offered", lambda: page.run("return window.saved"))
    stem = f"synthetic-table-1-{name}" if name else "study-aqm-rfc7928-5.1.1-plane-1"
    assert file == f"{stem}.{what}"
    assert url.startswith(start)
    assert page.errors() == []


@pytest.mark.parametrize("number", range(3))
def test_the_page_and_the_library_write_the_same_table(page: Page, report: Path, number: int) -> None:
    """Those of long series the page makes itself."""
    page.open(report)
    figure = [one for one in ackclock.figures(table_study()) if one.chart.kind == "time"][number]
    page.run(
        SAVED
        + "URL.createObjectURL = (blob) => { blob.text().then((text) => { window.csv = text; }); return 'blob:x'; };"
    )
    button = page.find("figure [data-do=csv]")[number]
    page.run("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()
    text = page.wait("the table is there", lambda: page.run("return window.csv"))
    ours, theirs = (
        pl.read_csv(io.StringIO(one), infer_schema_length=None) for one in (csv(figure.chart), text)
    )
    assert theirs.equals(ours)


@pytest.mark.parametrize("of", ["figure", ".card"])
def test_a_figure_is_printed_alone_on_a_page_of_its_size(page: Page, report: Path, of: str) -> None:
    page.open(report)
    page.run("window.print = () => { window.asked = document.title; }")
    button = page.find(f"{of} [data-do=pdf]")[0]
    page.run("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()
    title = page.wait("it is printed", lambda: page.run("return window.asked"))
    assert title.startswith("synthetic-table-1-")
    printed = page.command("Page.printToPDF", {"preferCSSPageSize": True, "printBackground": True})
    pdf = base64.b64decode(printed["data"])
    assert len(re.findall(rb"/Type /Page\b", pdf)) == 1
    # 1200 px at 96 px an inch are 900 points.
    (width,) = {float(found) for found in re.findall(rb"/MediaBox \[0 0 ([0-9.]+) ", pdf)}
    assert width == pytest.approx(900, abs=1)
    # Text, in fonts: not a picture of text.
    assert b"/FontFile2" in pdf
    page.run("dispatchEvent(new Event('afterprint'))")
    assert page.run("return document.documentElement.dataset.printing") is None
    assert page.errors() == []


def test_the_command_can_be_copied(page: Page, report: Path) -> None:
    page.open(report)
    page.command(
        "Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
    )
    button = page.find("button.copy")[0]
    page.run("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()
    page.wait("the button says so", lambda: button.text == "Copied")
    copied = page.driver.execute_async_script(
        "navigator.clipboard.readText().then(arguments[0], arguments[0])"
    )
    assert copied == "ackclock reproduce synthetic"
    page.wait("it can be pressed again", lambda: button.text == "Copy")


def test_copying_works_where_the_clipboard_is_not_given(page: Page, report: Path) -> None:
    page.open(report)
    page.run(
        "Object.defineProperty(navigator, 'clipboard', {value: undefined});"
        "document.execCommand = () => { window.selected = getSelection().toString()"
        " || document.activeElement.value; return true; };"
    )
    button = page.find("button.copy")[0]
    button.click()
    page.wait("the button says so", lambda: button.text == "Copied")
    assert page.run("return window.selected") == "ackclock reproduce synthetic"
