"""The parts that all pages share: templates, styles, scripts, and the drawing library."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from ackclock import _numbers as numbers
from ackclock._files import replacing
from ackclock.report import alive as live
from ackclock.report.library import LIBRARY, packed, packed_plotly
from ackclock.study.result import tested
from ackclock.web.module import packed_module

_ASSETS = Path(__file__).with_name("assets")
_FIGURES = (
    "plotly",
    "text",
    "panels",
    "trade-off",
    "dots",
    "sweep",
    "traces",
    "layout",
    "table",
    "export",
    "drawings",
    "draw",
)
MOST_PLAIN = 10_000
"""The largest number of characters of a figure's description that a page contains uncompressed."""
SCRIPTS = ("page.js", "tables.js")
"""The scripts at the end of every page."""


def rendered(
    template: str,
    *,
    title: str,
    figures: bool,
    styles: Sequence[str] = ("report.css",),
    scripts: Sequence[str] = SCRIPTS,
    library_beside: bool = False,
    alive: live.Alive | None = None,
    quick_notice: str = "",
    **values: Any,
) -> str:
    """Returns a page made by ``template``, from the values that ``layout.html.j2`` needs and the page's own ``values``.

    The drawing library is inside the page if there are ``figures``, or lies beside the pages of a folder. The same
    holds for the simulator's module, if the page can run its cases: ``alive``.
    """
    inside = figures and not library_beside
    running = alive is not None and alive.there
    return (
        environment()
        .get_template(template)
        .render(
            title=title,
            css=Markup("").join(
                [*(asset(style) for style in styles), live.styles() if running else Markup("")]
            ),
            theme_js=asset("theme.js"),
            scripts=[asset(script) for script in scripts],
            figures_js=figures_script() if figures else "",
            plotly=packed_plotly() if inside else "",
            library=LIBRARY if figures and library_beside else "",
            quick_notice=quick_notice,
            alive=alive,
            alive_js=live.script() if running else "",
            module=packed_module() if running and not library_beside else "",
            module_beside=live.BESIDE if running and library_beside else "",
            **values,
        )
    )


def written(text: str, path: Path) -> Path:
    """Writes a page, completely or not at all, and returns its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write_text(text, encoding="utf-8", newline="\n")
    return path


@cache
def environment() -> jinja2.Environment:
    """Returns the templates with their functions. Cached, because compiling the templates takes longer than most
    pages.
    """
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("ackclock.report", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    made.filters["duration"] = numbers.duration
    made.filters["json"] = script_json
    made.filters["description"] = description
    made.filters["tested"] = tested
    made.filters["slug"] = lambda verdict: verdict.replace(",", "").replace(" ", "-")
    return made


def script_json(data: Any) -> Markup:
    """Returns JSON for a script element: nothing in it may look like a tag to the HTML parser."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 (escaped just above)


def description(figure: Any) -> Markup:
    """Returns the script element from which the page's script draws a figure. One with long series is packed, to a
    sixth.
    """
    text = script_json(figure)
    if len(text) <= MOST_PLAIN:
        return Markup('<script type="application/json">{}</script>').format(text)
    return Markup('<script type="text/plain" data-packed>{}</script>').format(packed(text))


def figures_script() -> Markup:
    """Returns the parts of the script for figures, in a scope of their own."""
    parts = Markup("\n").join(asset(f"figures/{name}.js") for name in _FIGURES)
    return Markup('(function () {\n"use strict";\n') + parts + Markup("})();")


def asset(name: str) -> Markup:
    """Returns a style sheet or script of the package, which is put into the page unchanged."""
    return Markup((_ASSETS / name).read_text(encoding="utf-8"))  # noqa: S704 (a file of ours)
