"""The page of the laboratory: one file with the simulator inside."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path

import jinja2
from markupsafe import Markup

from ackclock._files import replacing, writable
from ackclock.lessons import Lesson, lessons
from ackclock.report.page import asset, script_json
from ackclock.web.bundle import bundle
from ackclock.web.module import packed, packed_module

LAB = Path(__file__).with_name("lab")
"""The folder with ``index.html.j2``, the module ``main.js`` and its imports, and the style sheet."""

SIMULATING = Path(__file__).with_name("simulating.css")
"""The style sheet of every page that simulates, added to the style sheet of reports."""

_TOLD = {"name", "title", "question", "learn", "change", "look", "variants"}
"""The parts of a lesson that the page shows."""


@dataclass(frozen=True)
class Opening:
    """The lesson, or the scenario outside the lessons, that the page opens with; by default the first lesson."""

    lesson: Lesson | None = None
    """A lesson of the package, or the user's own lesson, which the page lists first."""
    scenario: str | None = None


def write_lab(path: Path, opening: Opening, *, answers: bool = True) -> Path:
    """Writes the page to ``path``. Without ``answers`` no lesson says what to look for."""
    writable(path.parent)
    text = render_lab(opening, answers=answers)
    with replacing(path) as file:
        file.write_text(text, encoding="utf-8", newline="\n")
    return path


def render_lab(opening: Opening, *, answers: bool = True) -> str:
    """Returns the page as HTML text, see ``write_lab``.

    Colours, theme and the common parts of pages are those of the reports.
    """
    theme, page, script = asset("theme.js"), asset("page.js"), Markup(bundle(LAB / "main.js"))  # noqa: S704
    own = (LAB / "lab.css").read_text(encoding="utf-8") + SIMULATING.read_text(encoding="utf-8")
    asked, known = opening.lesson, lessons()
    if asked is not None and asked not in known:
        known = [asked, *(lesson for lesson in known if lesson.name != asked.name)]
    parts = _TOLD if answers else _TOLD - {"look"}
    told = [
        {**lesson.model_dump(by_alias=True, include=parts), "scenario": lesson.scenario} for lesson in known
    ]
    given = {"scenario": opening.scenario, "lesson": None if asked is None else asked.name}
    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(LAB), autoescape=True, undefined=jinja2.StrictUndefined
    )
    return templates.get_template("index.html.j2").render(
        policy=content_policy(theme, page, script),
        style=Markup(compact(str(asset("report.css")) + own)),  # noqa: S704 (files of ours, here and above)
        theme=theme,
        page=page,
        script=script,
        given=script_json(given),
        lessons=packed(json.dumps(told, ensure_ascii=False).encode()),
        module=packed_module(),
    )


def compact(css: str) -> str:
    """Returns a style sheet without comments, indentation and empty lines, to keep the page small."""
    lines = re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL).split("\n")
    return "\n".join(filter(None, map(str.strip, lines)))


def content_policy(*scripts: str) -> str:
    """Returns the content security policy of a page with only these scripts, which fetches nothing.

    The text of ``scripts`` has to be unchanged between the tags. WebAssembly modules need a keyword of their
    own; the worker is made from text.
    """
    hashes = " ".join(f"'sha256-{_sha256(script)}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {hashes} 'wasm-unsafe-eval'; worker-src blob:; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _sha256(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
