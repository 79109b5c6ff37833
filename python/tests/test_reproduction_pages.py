"""The pages of the reproduction: an index, a page for each thesis, and on the site a page for each study."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest
from chromium import offline_chromium
from conftest import STUDY, Command, replaced, script

from ackclock.pages import claims as recorded
from ackclock.pages import figures, markdown, records
from ackclock.pages import reproduction as index
from ackclock.pages import studies as study_page
from ackclock.pages import theses as thesis_page
from ackclock.report import svg_chart as chart
from ackclock.study.load import load_study, parse_study, theses

ROOT = Path(__file__).resolve().parents[2]

ORIGIN = records.Origin("2026-01-02", "0123456789", "A processor", 2, "Linux x86_64")
RECORDED = records.all_records()
THESES = list(theses())
PART = re.compile(r"<!-- generated: (.*?) -->\n(.*?)<!-- end of what is generated -->", re.DOTALL)
HEADINGS = [
    "What was proposed",
    "What holds",
    "What does not hold, and why",
    "What hangs on what is not stated",
    "Is it of use today?",
    "The author's objections",
    "Every claim",
]


@pytest.fixture
def result(ackclock: Command, study_file: Path) -> dict[str, Any]:
    """A full run of the small study, as if it were one of the package."""
    (study,) = json.loads(ackclock("reproduce", study_file, "--json").out)["studies"]
    return {**study, "name": "rbcc/small"}


def small(text: str = STUDY) -> Any:
    return parse_study(text, "rbcc/small", "study.toml")


def parts(path: Path) -> dict[str, str]:
    return dict(PART.findall(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("key", THESES)
def test_every_claim_recorded_is_a_line_of_its_thesis(key: str) -> None:
    text = parts(ROOT / "docs" / "reproduction" / f"{key}.md")[f"thesis-claims {key}"]
    lines = [line for line in text.splitlines() if line.startswith("| [")]
    for one in (one for one in RECORDED.values() if one.study.startswith(f"{key}/")):
        stem = one.study.partition("/")[2]
        own = [line for line in lines if line.startswith(f"| [{stem}]")]
        assert len(own) == len(one.claims)
        for line, claim in zip(own, one.claims, strict=True):
            assert line.split(" | ")[1] == markdown.escaped(claim.id)
            assert claim.verdict in line.rpartition(" | ")[2]


@pytest.mark.parametrize("key", THESES)
def test_the_claims_are_folded_by_chapter(key: str) -> None:
    text = parts(ROOT / "docs" / "reproduction" / f"{key}.md")[f"thesis-claims {key}"]
    outside = re.sub(
        r"<details class=\"claims\" markdown=\"1\">\n<summary>.*?</details>", "", text, flags=re.DOTALL
    )
    assert "|" not in outside
    assert text.count("<details") == text.count("</details>") == text.count("| study | claim |") > 1


@pytest.mark.parametrize("key", THESES)
def test_a_thesis_has_the_parts_of_a_review(key: str) -> None:
    text = (ROOT / "docs" / "reproduction" / f"{key}.md").read_text(encoding="utf-8")
    found = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert [heading for heading in found if heading in HEADINGS] == HEADINGS
    assert (found[0], found[-1]) == (HEADINGS[0], HEADINGS[-1])


def test_the_index_has_a_line_for_each_system() -> None:
    systems = index.systems()
    assert len({one["name"] for one in systems}) == len(systems) == 25
    for one in systems:
        assert set(one) == {"name", "thesis", "idea", "verdict"}
        assert one["thesis"] in theses()


def test_the_counts_leave_out_what_is_stale(result: dict[str, Any]) -> None:
    one = records.record(result, ORIGIN)
    page = index.counts({"rbcc/small": one}, [small()])
    assert "|  | studies | claims | reproduced | not reproduced |" in page
    assert "| [Manoj Dahal (2007)](reproduction/rbcc.md), about baselines alone | 1 | 2 | 1 | 1 |" in page
    changed = small(replaced(STUDY, ("replications = 3", "replications = 4")))
    stale = index.counts({"rbcc/small": one}, [changed])
    assert "Recorded before it changed, and not counted: 1 study." in stale
    assert "Not recorded yet: 1 study." in index.counts({}, [small()])


@pytest.mark.parametrize(
    ("replications", "needed", "goes_on"),
    [
        (3, 12, True),  # four times 3
        (3, 13, False),
        (5, 12, False),  # it has gone on, which a run does once
    ],
)
def test_the_counts_say_what_a_full_run_of_today_would_add(
    result: dict[str, Any], replications: int, needed: int, goes_on: bool
) -> None:
    one = records.record(result, ORIGIN)
    undecided = dataclasses.replace(one.claims[0], verdict="undecided", replications_needed=needed)
    one = dataclasses.replace(one, replications=replications, readings=0, claims=(undecided, *one.claims[1:]))
    page = index.counts({"rbcc/small": one}, [small()])
    assert ("goes on by itself: 1 claim in 1 study." in page) == goes_on
    assert "Recorded without the other readings of what a thesis leaves open: 1 study." in page
    assert "; without the other readings." in study_page.facts(one, small())


def test_a_thesis_shows_a_claim_in_a_line(result: dict[str, Any]) -> None:
    one = records.record(result, ORIGIN)
    text = "\n".join(thesis_page.claims({"rbcc/small": one}, [small()]))
    assert "<summary>Chapter 0: 1 reproduced, 1 not reproduced</summary>" in text
    otherwise = (
        "otherwise: Number of flows: 6 and 6 (not reproduced, which the thesis speaks against) and 1 more"
    )
    assert f"| 4 | 4 ± 0 | reproduced ({otherwise}) |" in text
    assert "Finding" not in text
    assert "\n[small]: ../../python/ackclock/archive/studies/rbcc/small.toml" in text
    changed = small(replaced(STUDY, ("replications = 3", "replications = 4")))
    assert "| [small] (changed since) |" in "\n".join(thesis_page.claims({"rbcc/small": one}, [changed]))
    assert "Not recorded yet: [small]." in "\n".join(thesis_page.claims({}, [small()]))


def test_readings_are_named_where_the_record_names_them(result: dict[str, Any]) -> None:
    one = records.record(result, ORIGIN)
    reading = records.Reading("Start: all at 0 s", "not as printed")
    named = dataclasses.replace(one.claims[0], readings=(reading,))
    assert [recorded.other_readings(claim) for claim in (named, one.claims[1])] == [1, 0]
    one = dataclasses.replace(one, claims=(named, *one.claims[1:]))
    text = "\n".join(thesis_page.claims({"rbcc/small": one}, [small()]))
    assert "| reproduced (otherwise: Start: all at 0 s (not reproduced)) |" in text
    page = study_page.page(index.Recorded(small(), one, False), "https://example.org")
    assert "**Otherwise where it is read as:** Start: all at 0 s (not reproduced) |" in page


def test_the_page_of_a_study_has_the_findings_and_what_is_left_open(result: dict[str, Any]) -> None:
    one = records.record(result, ORIGIN)
    page = study_page.page(index.Recorded(small(), one, False), "https://example.org")
    assert "No packet arrives<br>**Finding:** Packets do arrive. |" in page
    assert "| 4 | 4 ± 0 | reproduced (another in 2 of 2 readings) |" in page
    assert "Recorded on 2026-01-02, commit `0123456789`, on A processor with 2 cores, Linux x86_64." in page
    assert "(https://example.org/blob/main/python/ackclock/archive/studies/rbcc/small.toml)" in page
    assert "before the study changed" not in page
    stale = study_page.page(index.Recorded(small(), one, True), "https://example.org")
    assert "**Recorded before the study changed**" in stale


def test_a_long_claim_loses_its_brackets_first() -> None:
    assert markdown.short("A  short one (within 10 %)") == "A short one (within 10 %)"
    assert markdown.short(f"{'long ' * 20}one (within 10 %)") == f"{'long ' * 20}one"
    assert markdown.short("long " * 40) == "long " * 21 + "long …"


def test_every_figure_can_be_drawn_and_says_what_it_shows() -> None:
    wanted = figures.figures()
    assert {one.thesis for one in wanted} == set(THESES)
    assert len({one.name for one in wanted}) == len(wanted)
    assert list(figures.complaints()) == []
    for one in wanted:
        assert len(one.alt) > 40, one.name
        if one.kind == "published":
            continue
        study = load_study(one.study)
        names = [one.x, *one.metrics] if one.kind == "trade-off" else one.metrics
        # A record of any numbers will do: the picture has a mark for each, and one for each published value.
        values = {run.name: dict.fromkeys(names, (2.0, 0.5)) for run in study.study.runs()}
        text = figures.drawing(one, {one.study: SimpleNamespace(values=values)})
        root = ElementTree.fromstring(text)  # noqa: S314  (of the repository, from no network)
        assert root[0].text == one.alt
        marks = [part for part in root.iter() if " full" in part.get("class", "")]
        assert len(marks) >= len([run for run in study.study.runs() if run.matches(one.cases)])


def test_no_drawing_is_left_of_a_figure_that_is_gone() -> None:
    assert set(figures.IMAGES.glob("*")) == {path for path, _ in figures.drawings()}


def test_a_record_without_values_has_no_figure() -> None:
    (one, *_) = [one for one in figures.figures() if one.kind == "sweep"]
    assert figures.drawing(one, {one.study: SimpleNamespace(claims=(), values={})}) is None
    assert figures.drawing(one, {}) is None


def test_a_chart_has_means_intervals_and_published_values() -> None:
    points = [chart.Point(0, 1, 0.5, 1.5), chart.Point(10, 3, 3, 3)]
    line = chart.Line("A & B", points, [(10, 2)])
    text = chart.chart("A title", chart.Axis("x"), chart.Axis("y (s)"), [line])
    root = ElementTree.fromstring(text)  # noqa: S314  (of the repository, from no network)
    seen = [part.get("class", "") for part in root.iter()]
    # Of the legend there is one mark of each kind besides.
    assert (seen.count("c0 full"), seen.count("c0 hollow"), seen.count("c4 hollow")) == (3, 1, 1)
    assert {"A & B", "published", "y (s)", "x"} <= {part.text for part in root.iter()}
    # 3 lies at 3/3.15 of the height, since a twentieth is left above it: 14.3 below the top.
    places = [float(part.get("cy", 0)) for part in root.iter() if part.get("class") == "c0 full"]
    assert places[1] == pytest.approx(34 + 20 + 300 * (1 - 3 / 3.15), abs=0.1)
    assert "prefers-color-scheme:dark" in text


def test_axes_have_round_numbers() -> None:
    assert [text for _, text in chart.linear_ticks(0, 23)] == ["0", "5", "10", "15", "20"]
    assert [text for _, text in chart.linear_ticks(-0.4, 0.6)] == ["−0.4", "−0.2", "0", "0.2", "0.4", "0.6"]
    assert [text for _, text in chart.log_ticks(0.02, 0.6)] == ["0.02", "0.05", "0.1", "0.2", "0.5"]
    assert [text for _, text in chart.log_ticks(0.01, 100)] == ["0.01", "0.1", "1", "10", "100"]
    assert chart.nice(0.13) == 0.2


def test_on_the_site_a_study_leads_to_its_page() -> None:
    build = script("build-docs")
    source, file = "docs/reproduction/rbcc.md", "python/ackclock/archive/studies/rbcc/table-4.1.toml"
    places = {source: "reproduction/rbcc.md", file: study_page.place("rbcc/table-4.1")}
    text = f"| [table-4.1] | 1a |\n\n[table-4.1]: ../../{file}"
    linked = build.relinked(text, source, places[source], places, {})
    assert linked == "| [table-4.1] | 1a |\n\n[table-4.1]: rbcc/table-4.1.md"
    elsewhere = build.relinked(
        "[records](../../python/ackclock/archive/records)", source, places[source], places, {}
    )
    assert elsewhere == f"[records]({build.repository()}/tree/main/python/ackclock/archive/records)"


ROWS = """
<details class="claims"><summary>Chapter 1</summary><table><tbody>
<tr><td>figure-1</td><td>1</td><td>RBCC loses nothing</td><td></td><td>0</td><td>reproduced</td></tr>
<tr><td>figure-1</td><td>2</td><td>Vegas loses more</td><td></td><td>1</td>
<td><b>not reproduced</b> (1 of 2 readings differ)</td></tr>
</tbody></table></details>
<details class="claims"><summary>Chapter 2</summary><table><tbody>
<tr><td>figure-2</td><td>3</td><td>RBCC is fair</td><td></td><td>0.9</td><td>reproduced</td></tr>
</tbody></table></details>
"""


@pytest.mark.browser
def test_claims_are_filtered_by_verdict_and_words(tmp_path: Path) -> None:
    script = (ROOT / "docs" / "assets" / "claims.js").read_text(encoding="utf-8")
    style = (ROOT / "docs" / "assets" / "claims.css").read_text(encoding="utf-8")
    path = tmp_path / "page.html"
    path.write_text(f"<style>{style}</style>{ROWS}<script>{script}</script>", encoding="utf-8")
    with offline_chromium(tmp_path / "profile") as driver:
        driver.get(path.as_uri())

        def shown() -> list[str]:
            rows = driver.find_elements("css selector", "tr")
            return [row.text.split()[1] for row in rows if row.is_displayed()]

        buttons = driver.find_elements("css selector", ".claims-filter button")
        assert [one.text for one in buttons] == ["all 3", "reproduced 2", "not reproduced 1"]
        assert shown() == []  # folded
        # By the keyboard: the next button, pressed by the space bar.
        driver.execute_script("arguments[0].focus()", buttons[1])
        driver.switch_to.active_element.send_keys(" ")
        assert shown() == ["1", "3"]
        assert buttons[1].get_attribute("aria-pressed") == "true"
        field = driver.find_element("css selector", "#claims-find")
        field.send_keys("RBCC fair")
        assert shown() == ["3"]
        assert driver.find_element("css selector", ".claims-filter output").text == "1 of 3 claims"
        field.clear()
        field.send_keys(" ")
        buttons[0].click()
        assert shown() == []  # folded again
        assert len(driver.find_elements("css selector", "tr")) == 3
