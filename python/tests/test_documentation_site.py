"""The documentation site: every page has its section, blocks of code run or say why not, the build has no warnings."""

from __future__ import annotations

import fcntl
import importlib.util
import json
import os
import posixpath
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from axe import violations
from chromium import offline_chromium
from conftest import script
from markdown_it import MarkdownIt

from ackclock import Scenario
from ackclock import _toml as toml
from ackclock.study.load import theses

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "reference" / "peers" / "README.md",
]
build = script("build-docs")
GENERATED = re.compile(
    r"<!-- (?:generated|on the site): (.*?) -->\n.*?<!-- end of what is generated -->", re.DOTALL
)
LINK = re.compile(r"\]\(([^)#\s]+\.md)(?:#[^)\s]*)?\)|^\[[^\]\n]+\]: ([^#\s]+\.md)", re.MULTILINE)
BLOCK = re.compile(r"^(.*)\n```(console|bash|sh|python|pycon)\n", re.MULTILINE)
NOT_RUN = re.compile(r"<!-- not run: (.+) -->")
FOUND = {"flow completion time": "results.html", "jain": "python.html", "bufferbloat": ".html"}
"""What a reader looks for, and a page that the search offers."""
NOT_RUN_BLOCKS = 27
"""A block more that is not run is a step back: change this number only with a reason. Three need a C compiler, a
registry or a connection of the kernel.
"""


def navigation() -> list[tuple[str, str]]:
    """Each page of the navigation with its title there."""
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    return re.findall(r"^ +- (.*?): (\S+\.md)$", text[text.index("\nnav:") :], re.MULTILINE)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    """What building the site said, which one of several processes of tests does for all. Without Zensical, which needs
    Python 3.11, only its pages are written.
    """
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    command = [sys.executable, str(ROOT / "scripts" / "build-docs")]
    command += ["--pages"] if importlib.util.find_spec("zensical") is None else []
    said = shared / "site.json"
    with (shared / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not said.exists():
            done = subprocess.run(command, check=False, capture_output=True, text=True)
            said.write_text(json.dumps([done.returncode, done.stdout, done.stderr]), encoding="utf-8")
    return subprocess.CompletedProcess(command, *json.loads(said.read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def site(built: subprocess.CompletedProcess[str]) -> subprocess.CompletedProcess[str]:
    """What building the site said. Skips the test where Zensical is missing, which builds it from the pages."""
    if importlib.util.find_spec("zensical") is None:
        pytest.skip("Zensical needs Python 3.11")
    return built


@pytest.fixture(scope="module")
def pages(built: subprocess.CompletedProcess[str]) -> dict[str, str]:
    """Every page that the site is built from, by its place."""
    assert built.returncode == 0, built.stdout + built.stderr
    return {
        path.relative_to(build.PAGES).as_posix(): path.read_text(encoding="utf-8")
        for path in build.PAGES.rglob("*.md")
    }


def test_every_page_has_its_place_on_the_site_under_its_own_title(pages: dict[str, str]) -> None:
    listed = [place for _, place in navigation()]
    assert len(listed) == len(set(listed)), "a page stands twice"
    studies = {place for place in pages if re.match(r"reproduction/.+/", place)}
    assert set(listed) == set(pages) - studies
    for title, place in navigation():
        found = re.search(r"^# (.+)$", pages[place], re.MULTILINE)
        assert found, place
        assert found[1].replace("\\", "") == title, place


def test_links_lead_from_the_navigation_to_every_page_of_a_study(pages: dict[str, str]) -> None:
    linked = {
        posixpath.normpath(posixpath.join(posixpath.dirname(place), found[1] or found[2]))
        for _, place in navigation()
        for found in LINK.finditer(pages[place])
    }
    studies = {place for place in pages if re.match(r"reproduction/.+/", place)}
    assert len(studies) > 100
    assert not studies - linked


def test_no_page_of_the_site_lacks_what_only_the_site_has(pages: dict[str, str]) -> None:
    """In the repository a line stands in place of a part, and in place of a page of the site its data."""
    assert not [place for place, text in pages.items() if "#what-only-the-site-has) shows the" in text]
    assert "| [sack](evaluations/sack.md) |" in pages["evaluations.md"]
    assert "| [table-4.1] |" in pages["reproduction/rbcc-claims.md"]


def test_the_site_has_the_contents_of_a_page_beside_it_only(pages: dict[str, str]) -> None:
    assert "* [Set up](#set-up)" in (ROOT / "docs" / "getting-started.md").read_text(encoding="utf-8")
    for place, text in pages.items():
        assert not re.search(r"^\* \[[^\]\n]*\]\(#", text.partition("\n## ")[0], re.MULTILINE), place


def test_the_page_of_every_key_leads_to_each_key_of_the_language(pages: dict[str, str]) -> None:
    from ackclock import _typed_core as core

    keys = pages["scenario-language/every-key.md"]
    for table in core.tables():
        for key in table["keys"]:
            assert f"| `{key['name']}` |" in keys, (table["name"], key["name"])
    for place, anchor in set(re.findall(r"\]\(([\w-]+\.md)#([\w-]+)\)", keys)):
        heads = re.findall(r"^#+ (.+)$", pages[f"scenario-language/{place}"], re.MULTILINE)
        slugs = [re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads]
        assert anchor in slugs, (place, anchor)


@pytest.mark.parametrize("words", ["flow completion time", "jain", "bufferbloat", "small multiples", "latex"])
def test_a_search_has_something_to_find(words: str) -> None:
    """A reader looks for what papers call things, outside of the findings too."""
    files = [path for path in SOURCES if path.parent.name == "docs" and "today" not in path.name]
    texts = [" ".join(path.read_text(encoding="utf-8").lower().split()) for path in files]
    assert any(words in text for text in texts)


def test_one_version_stands_everywhere() -> None:
    manifest = toml.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]
    version = manifest["package"]["version"]
    crates = [one for name, one in manifest["dependencies"].items() if name.startswith("ackclock-")]
    assert {crate["version"] for crate in crates} == {version}
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    newest = re.search(r"^## \[(.*?)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert newest
    assert newest[1] == version


def test_nothing_is_asked_for_that_fetches() -> None:
    """Seen in a browser: a repository's address makes pages ask for its stars, `offline` for a script."""
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert not re.search(r"^repo_url:|^ +- offline", text, re.MULTILINE)
    assert "  font: false\n" in text


def test_every_command_and_program_of_a_page_runs_or_says_why_not() -> None:
    """What ``scripts/document-registry`` makes is run by its own test; a copied file is one that a test or it runs."""
    reasons = 0
    for path in SOURCES:
        for found in BLOCK.finditer(GENERATED.sub("", path.read_text(encoding="utf-8"))):
            assert NOT_RUN.fullmatch(found[1]), f"{path.name}: {found[0]}"
            reasons += 1
    assert reasons == NOT_RUN_BLOCKS


def test_a_program_shown_is_run_on_its_page_or_by_a_test() -> None:
    tests = [one for one in (ROOT / "python" / "tests").glob("test_*.py") if one != Path(__file__)]
    tested = "".join(one.read_text(encoding="utf-8") for one in tests)
    for path in SOURCES:
        made = GENERATED.findall(path.read_text(encoding="utf-8"))
        for what in made:
            if what.startswith("file ") and what.endswith(".py"):
                program = Path(what.removeprefix("file "))
                run = f"run python {program}" in made or f'"{program.name}"' in tested
                assert run, f"{what} in {path.name}"


@pytest.mark.parametrize(
    "path", sorted((ROOT / "docs" / "examples").glob("*.toml")), ids=lambda path: path.name
)
def test_scenarios_that_the_pages_show_are_right(path: Path) -> None:
    # One names a control in Python, which a command lets run.
    if path.name not in ("mistakes.toml", "own-control.toml"):
        assert Scenario.from_file(path).run(seed=1).flows["goodput_bps"].min() > 0


COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.DOTALL | re.MULTILINE)


def without_comments(text: str) -> str:
    """Returns a page without its comments, but for those that stand in code."""
    code = [found.span() for found in CODE.finditer(text)]
    return COMMENT.sub(
        lambda found: found[0] if any(start <= found.start() < end for start, end in code) else "", text
    )


class Blocks(HTMLParser):
    """Counts the list items and the paragraphs of a page, within its article if it has one."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.counts: Counter[str] = Counter()
        self._outside = "<article" in html
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "article":
            self._outside = "md-content__inner" not in (dict(attrs).get("class") or "")
        elif tag in ("li", "p") and not self._outside:
            self.counts[tag] += 1

    def handle_endtag(self, tag: str) -> None:
        self._outside |= tag == "article"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_comment_breaks_a_page_in_the_repository(path: Path) -> None:
    """A line that begins with a comment is a block (CommonMark section 4.6): it ends a paragraph, and its text stays as
    it is written.
    """
    text = path.read_text(encoding="utf-8")
    rendered = [
        COMMENT.sub("", MarkdownIt("commonmark").enable("table").render(one)).split()
        for one in (text, without_comments(text))
    ]
    assert rendered[0] == rendered[1]


@pytest.mark.slow
@pytest.mark.browser
def test_the_search_finds_where_the_site_is_opened_from_files(
    site: subprocess.CompletedProcess[str], tmp_path: Path
) -> None:
    from chromium import eventually, offline_chromium

    assert site.returncode == 0
    # The dialog is in a shadow tree.
    dialog = "const box = [...document.querySelectorAll('*')].find(one => one.shadowRoot)?.shadowRoot;"
    ask = (
        f"{dialog} const field = box.querySelector('input'); field.focus(); field.value = arguments[0];"
        "field.dispatchEvent(new Event('input', { bubbles: true }))"
    )
    found = f"{dialog} return [...(box?.querySelectorAll('ol a') ?? [])].map(one => one.getAttribute('href'))"
    ready = f"{dialog} return box?.querySelector('[role=status]')?.textContent === ''"
    with offline_chromium(tmp_path / "profile") as driver:

        def wait(what: str, condition: Callable[[], Any]) -> None:
            eventually(driver, what, condition, lambda: str(driver.execute_script(found)))

        # From a folder below too, whose links lead elsewhere.
        for page in ("index.html", "scenario-language/queues.html"):
            driver.get((ROOT / "site" / page).as_uri())
            wait("the index", lambda: driver.execute_script("return typeof __index === 'object'"))
            driver.execute_script("document.querySelector('.md-search__button').click()")
            wait("the search", lambda: driver.execute_script(ready))
            for words, place in FOUND.items():
                driver.execute_script(ask, words)
                wait(words, lambda place=place: any(place in link for link in driver.execute_script(found)))


@pytest.mark.slow
def test_the_points_of_figures_lead_to_claims(site: subprocess.CompletedProcess[str]) -> None:
    assert site.returncode == 0
    figures = sorted((ROOT / "site" / "images" / "reproduction").glob("*-numbers.svg"))
    assert len(figures) == 1 + len(theses())
    pages: dict[Path, str] = {}
    for figure in figures:
        links = re.findall(
            r'<a href="([^"#]*)#?([^"]*)" target="_parent"', figure.read_text(encoding="utf-8")
        )
        assert links
        for link, place in links:
            path = (figure.parent / link).resolve()
            text = pages.setdefault(path, path.read_text(encoding="utf-8"))
            assert not place or re.search(rf'id="?{re.escape(place)}[">]', text), (figure.name, link, place)


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("size", [(1440, 900), (390, 844)])
@pytest.mark.parametrize("page", ["index", "reproduction", "reproduction/rbcc"])
def test_a_click_on_a_point_opens_its_claim(
    site: subprocess.CompletedProcess[str], tmp_path: Path, page: str, size: tuple[int, int]
) -> None:
    from chromium import eventually, offline_chromium

    assert site.returncode == 0
    with offline_chromium(tmp_path / "profile") as driver:
        driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size[0] < 500},
        )
        driver.get((ROOT / "site" / f"{page}.html").as_uri())
        driver.execute_script("document.querySelector('object.numbers').scrollIntoView({ block: 'center' })")
        box = driver.execute_script(
            "return document.querySelector('object.numbers').getBoundingClientRect().toJSON()"
        )
        assert box["left"] >= 0
        assert box["right"] <= size[0]
        # The last point of the drawing, which lies over all others: a circle or a shape with corners.
        name = driver.execute_script("return document.querySelector('object.numbers').data").rpartition("/")[
            2
        ]
        text = (ROOT / "site" / "images" / "reproduction" / name).read_text(encoding="utf-8")
        width = float(re.search(r'viewBox="0 0 (\S+)', text)[1])  # type: ignore[index]
        place, mark = re.findall(r'<a href="[^"#]*#([^"]+)".*?\n(.*?)\n</a>', text)[-1]
        at = re.findall(r"([\d.]+),([\d.]+)", mark) or [re.findall(r'c[xy]="([\d.]+)"', mark)]
        x, y = (sum(float(one[k]) for one in at) / len(at) * box["width"] / width for k in (0, 1))
        for kind in ("mousePressed", "mouseReleased"):
            event = {
                "type": kind,
                "x": box["left"] + x,
                "y": box["top"] + y,
                "button": "left",
                "clickCount": 1,
            }
            driver.execute_cdp_cmd("Input.dispatchMouseEvent", event)
        seen = "const at = document.querySelector('.claims tr :target'); return [at?.id, at?.getBoundingClientRect().y]"
        eventually(
            driver,
            "the claim",
            lambda: driver.execute_script(seen)[0] == place,
            lambda: f"{driver.current_url} in place of {place}",
        )
        # Below the bar at the top, and on the screen.
        assert 40 < driver.execute_script(seen)[1] < size[1]


@pytest.mark.slow
def test_pages_have_the_items_and_paragraphs_of_their_sources(
    site: subprocess.CompletedProcess[str],
) -> None:
    """Those of the theses had half of their items and twice as many paragraphs: their lines began with comments."""
    import markdown  # which Zensical needs, and brings

    assert site.returncode == 0
    extensions = ["attr_list", "md_in_html", "tables", "toc", "pymdownx.highlight", "pymdownx.superfences"]
    folder, counted = ROOT / "target" / "docs" / "pages", Counter()
    sources = {build.site_places()[source]: text for source, text in build.tracked_texts()}
    # The scenario language is one file in the repository, and the laboratory a frame where it was built.
    made_here = ("scenario-language.md", "laboratory.md")
    for page in sorted(folder.rglob("*.md")):
        place = page.relative_to(folder)
        text = page.read_text(encoding="utf-8")
        if place.name not in made_here and (source := sources.get(place.as_posix())):
            text = build.OF_NUMBERS.sub(build.opened, build.without_contents(source))
        expected = Blocks(markdown.markdown(without_comments(text), extensions=extensions)).counts
        found = Blocks((ROOT / "site" / place.with_suffix(".html")).read_text(encoding="utf-8")).counts
        assert found == expected, place
        counted += found
    assert counted["li"] > 1000
    assert counted["p"] > 1000


@pytest.mark.slow
def test_the_site_is_built_without_a_warning_and_fetches_nothing(
    site: subprocess.CompletedProcess[str],
) -> None:
    done = site
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No issues found" in done.stderr
    pages = list((ROOT / "site").rglob("*.html"))
    assert len(pages) > 30
    for page in pages:
        if page.name != "lab.html":
            text = page.read_text(encoding="utf-8")
            fetched = re.findall(
                r"<(?:script|img|iframe|source)[^>]* src(?:set)?=\"?(https?:[^\s\">]+)", text
            )
            fetched += re.findall(
                r"<link[^>]* rel=\"?(?:stylesheet|preconnect|icon)[^>]* href=\"?(https?:[^\s\">]+)", text
            )
            assert not fetched, page.name


@pytest.mark.browser
@pytest.mark.usefixtures("site")
@pytest.mark.parametrize(("theme", "width"), [("light", 1440), ("dark", 390)])
def test_pages_fit_their_window_and_axe_finds_no_serious_violation(
    tmp_path: Path, theme: str, width: int
) -> None:
    found = {}
    with offline_chromium(tmp_path) as driver:
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        features = [{"name": "prefers-color-scheme", "value": theme}]
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        for name in ("index", "bbr", "check-stack", "getting-started", "python", "results", "stack-matrix"):
            driver.get((ROOT / "site" / f"{name}.html").as_uri())
            assert driver.execute_script("return document.documentElement.scrollWidth") <= width, name
            if worse := violations(driver):
                found[name] = worse
    assert found == {}
