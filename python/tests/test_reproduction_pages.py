"""The pages of the reproduction: an index, a page for each thesis, and on the site a page for each study."""

from __future__ import annotations

import csv
import dataclasses
import os
import re
from pathlib import Path
from xml.etree import ElementTree

import finding_rules as rules
import pytest
from chromium import offline_chromium
from conftest import STUDY, replaced, script

from ackclock.errors import InputError
from ackclock.pages import figures, markdown, studies, systems, theses
from ackclock.pages.results import Recorded, anchor, distance, found, of_thesis, recorded
from ackclock.report import svg_chart as chart
from ackclock.study.load import load_study, parse_study, study_names
from ackclock.study.load import theses as every_thesis
from ackclock.study.model import Verdict
from ackclock.study.records import Origin, records_dir
from ackclock.study.run import run_study

ROOT = Path(__file__).resolve().parents[2]
ORIGIN = Origin("2026-01-02", "0123456789", "A processor", 2, "Linux x86_64")
THESES = list(every_thesis())
HEADINGS = [
    "What was proposed",
    "Three things that hold",
    "Three things that do not",
    "What is lost or open",
    "Today",
    "Every claim",
]
OURS = ("bbr", "findings", "profiles", "today", "validation")
"""The pages on which questions of our own are answered."""


@pytest.fixture(scope="module")
def small() -> Recorded:
    """A full run of the small study, as if it were one of the package."""
    return ran(STUDY)


def ran(text: str) -> Recorded:
    study = parse_study(text, "rbcc/small", "study.toml")
    return Recorded(study, run_study(study), ORIGIN)


@pytest.mark.parametrize("key", THESES)
def test_every_claim_recorded_is_a_line_of_its_thesis(key: str) -> None:
    lines = [line for line in theses.claims_part(key).splitlines() if line.startswith("| [")]
    table = list(csv.DictReader(theses.claims_csv(found(of_thesis(key))).splitlines()))
    claims = [(one, claim) for one in found(of_thesis(key)) for claim in one.result.claims]
    assert len(lines) == len(table) == len(claims) > 0
    for line, cells, (one, claim) in zip(lines, table, claims, strict=True):
        stem, id, *_, result, _, setup = line.strip("| ").split(" | ")
        name = one.study.name.partition("/")[2]
        place = f'<a id="{anchor(name, claim.id)}"></a>'
        assert (stem, id) == (f"[{name}]", f"{place}{markdown.escaped(claim.id)}")
        assert claim.verdict in result
        assert setup == ("partly unknown" if claim.setup else "printed")
        assert (cells["study"], cells["claim"], cells["result"]) == (one.study.name, claim.id, claim.verdict)


@pytest.mark.parametrize("key", THESES)
def test_a_thesis_has_the_parts_of_a_review(key: str) -> None:
    text = (ROOT / "docs" / "reproduction" / f"{key}.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert headings == HEADINGS
    answer = text.split("\n\n")[1]
    assert answer.startswith("**Was the thesis right?")
    for heading in ("Three things that hold", "Three things that do not"):
        part = text.partition(f"## {heading}\n")[2].partition("\n## ")[0]
        assert re.findall(r"^\d\.", part, re.MULTILINE) == ["1.", "2.", "3."]
    by_hand = re.sub(
        r"<!-- generated.*?end of what is generated -->|<!-- = .*? -->", "", text, flags=re.DOTALL
    )
    assert len(by_hand.split()) <= 1200


@pytest.mark.parametrize("key", THESES)
def test_every_number_of_a_thesis_page_is_of_a_record_that_counts(key: str) -> None:
    text = (ROOT / "docs" / "reproduction" / f"{key}.md").read_text(encoding="utf-8")
    names = set(re.findall(r"<!-- = (\S+):", text))
    assert names
    for name in names:
        assert recorded(name) is not None, name


def test_each_system_has_a_sentence_that_its_claims_carry() -> None:
    every = systems.systems()
    assert len({one.name for one in every}) == len(every) == 25
    for one in every:
        assert one.thesis in every_thesis()
        assert one.claims()
        assert one.text()


def test_a_sentence_that_its_claims_do_not_carry_is_refused() -> None:
    one = dataclasses.replace(systems.systems()[0], carried_by=["rbcc/table-4.1 1a not as printed"])
    with pytest.raises(
        InputError, match=r'claim 1a of rbcc/table-4.1 has the result "as printed", but carried_by expects'
    ):
        one.text()
    with pytest.raises(InputError, match="has no claim 1z; it has 1a"):
        dataclasses.replace(one, carried_by=["rbcc/table-4.1 1z as printed"]).text()
    with pytest.raises(InputError, match=r'found "rbcc/table-4.1 1a", expected STUDY CLAIM RESULT'):
        dataclasses.replace(one, carried_by=["rbcc/table-4.1 1a"]).text()


def test_a_page_begins_with_the_counts_in_words(small: Recorded) -> None:
    # Of the two claims of the study the first holds: 8 flows are 4 times 2. The second says that no packet arrives.
    assert theses.answer([small]) == (
        "Where the thesis prints the whole set-up, 1 of 2 claims hold and 1 does not."
    )
    assert theses.answer([]) == "No claim of the thesis is recorded."
    lost = ran(replaced(STUDY, ('item = "Table', 'setup_unknown = "The start times."\nitem = "Table')))
    assert theses.answer([small, lost]).endswith(
        ". Where the thesis leaves a part of the set-up open, 1 of 2 claims hold and 1 does not."
    )
    assert list(theses.about([small, lost])) == [
        "Of the tested claims, 4 compare only baselines and no system of the thesis."
    ]
    # The flows that are seen, and the goodput of one case, which the study prints as 1 Mbit/s.
    (numbers,) = theses.numbers([small])
    assert numbers.startswith("Of 2 printed numbers, ")
    assert list(theses.notes([small], [small.study, small.study])) == [
        "Without an up-to-date recorded result: 1 study."
    ]


def test_the_table_of_claims_has_a_line_and_a_row_of_numbers(small: Recorded) -> None:
    page = theses.claims_table("rbcc", [small])
    assert "[A CSV file](rbcc-claims.csv)" in page
    claim = '| [small] | <a id="small-1"></a>1 | There are four times as many flows | 4 | 4 ± 0 | equal | as printed |'
    assert claim in page
    assert "\n[small]: ../../python/ackclock/archive/studies/rbcc/small.toml\n" in page
    first, second = list(csv.DictReader(theses.claims_csv([small]).splitlines()))
    assert (first["printed"], first["measured"], first["low"], first["result"]) == (
        "4",
        "4",
        "4",
        "as printed",
    )
    assert second["result"] == "not as printed"


@pytest.mark.parametrize(
    ("measured", "text"), [(4.0, "equal"), (4.68, "17 % above"), (3.0, "25 % below"), (None, "")]
)
def test_a_distance_is_a_share_of_the_printed_number(
    small: Recorded, measured: float | None, text: str
) -> None:
    claim = dataclasses.replace(small.result.claims[0], paper=4.0, tolerance=1.0, measured=measured)
    assert distance(claim) == text
    assert distance(dataclasses.replace(claim, tolerance=None)) == ""


def test_the_page_of_a_study_answers_first(small: Recorded) -> None:
    page = studies.page(small, "https://example.org")
    title, answer = page.split("\n\n")[:2]
    assert title == "# Few flows and many"
    assert answer.startswith("**")
    assert "No packet arrives<br>**Finding:** Packets do arrive. |" in page
    assert "recorded on 2026-01-02, commit `0123456789`, on A processor with 2 cores, Linux x86_64." in page
    assert "(https://example.org/blob/main/python/ackclock/archive/studies/rbcc/small.toml)" in page
    assert "| Number of flows | 2 and 8 | The tests need two. | 6 and 6; count the bits |" in page


def test_the_page_of_a_study_computes_the_numbers_of_findings(small: Recorded) -> None:
    text = replaced(STUDY, ("Packets do arrive.", "{= flows_seen('many') | .1f} flows send."))
    one = dataclasses.replace(small, study=parse_study(text, "rbcc/small", "study.toml"))
    assert "**Finding:** 8.0 flows send. |" in studies.page(one, "https://example.org")
    without = dataclasses.replace(one, result=dataclasses.replace(one.result, cases=()))
    assert "**Finding:** (not recorded) flows send. |" in studies.page(without, "https://example.org")


def test_what_is_not_a_test_is_shown_and_not_counted() -> None:
    one = ran(replaced(STUDY, ("paper = 4\n", 'paper = 4\nnot_a_test = "Flows are what the cases set."\n')))
    assert "*Not judged: Flows are what the cases set.*" in studies.page(one, "https://example.org")
    assert theses.answer([one]).startswith(
        "Where the thesis prints the whole set-up, 0 of 1 claim holds and 1 does not."
    )


def test_every_question_of_ours_is_answered_on_its_page() -> None:
    made = script("page_parts.py")
    files = (ROOT / "docs" / f"{name}.md" for name in OURS)
    pages = "".join(made.on_the_site(file.read_text(encoding="utf-8")) for file in files)
    ours = [
        one
        for name in study_names()
        if name.startswith(("blind/", "today/")) and (one := recorded(name)) is not None
    ]
    assert ours
    for one in ours:
        kind = "grids" if one.study.name.startswith(("today/paths", "today/policers")) else "claims"
        part = pages.split(f"<!-- generated: {kind} {one.study.name} -->")[1].split("<!-- end")[0]
        rows = [line for line in part.splitlines() if line.startswith("| ") and "---" not in line]
        verdicts = [claim.verdict for claim in one.result.claims]
        if kind == "claims":
            assert [row.rpartition(" | ")[2].split(" (")[0].rstrip(" |") for row in rows[1:]] == verdicts
        else:
            assert sum(row.count("**") // 2 + row.endswith("| yes |") for row in rows) == verdicts.count(
                "yes"
            )
            assert sum(row.count("±") for row in rows) == len(verdicts)


def test_predictions_count_what_cannot_be_said_and_leave_out_extras_and_later_studies(
    small: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    def with_verdicts(*verdicts: Verdict) -> Recorded:
        claims = tuple(dataclasses.replace(small.result.claims[0], verdict=one) for one in verdicts)
        return dataclasses.replace(small, result=dataclasses.replace(small.result, claims=claims))

    of = {
        "blind/a": with_verdicts("yes", "yes", "no", "undecided", "not a test"),
        "blind/b": with_verdicts("yes", "no"),
        "blind/a-after": with_verdicts("yes"),
        "today/a": with_verdicts("yes"),
    }
    monkeypatch.setattr(studies, "study_names", lambda: list(of))
    monkeypatch.setattr(studies, "recorded", of.get)
    text = studies.predictions("blind 3 b")
    assert "**2 of 7 predicted numbers lie inside" in text
    assert "1 lie outside, 1 are undecided, and 3 have no study." in text
    assert "In the studies marked as extra, 1 of 2 predicted numbers lie inside the bands." in text
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    assert rows == ["| `blind/a` | 2 | 1 | 1 |", "| `blind/b`, extra | 1 | 1 |  |"]


def test_findings_keep_to_their_rules() -> None:
    """Numbers that were measured are computed, and a verdict that is named is the recorded one."""
    listed = rules.found([load_study(name) for name in study_names()], recorded)
    assert not rules.beyond(listed, rules.listed()), "see python/tests/finding_rules.py"
    assert not rules.beyond(rules.listed(), listed), "strike these out of findings_to_mend.toml"


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("It falls by 12 % to 0.83, and 1,204 packets are dropped.", ["12", "0.83", "1,204"]),
        ("It is {= goodput('few') | .2f} Mbit/s, {= 100 * goodput('few') } % of it.", []),
        ("See Figure 4.2, section 3.1 and Tables 5.1 and 5.2; claim 4.9 and figure-3.8 say so too.", []),
        # Of the sentence (four), its test (0.001), the scenario (1 Mbit/s, 0.5 s) and what was published (1.0).
        ("At 1 % and 0.5 s of 0.001, in place of 1.0, eight flows and 8 runs.", []),
        ("In about 15 of 20 runs.", []),
    ],
)
def test_what_is_typed_by_hand(text: str, numbers: list[str]) -> None:
    study = parse_study(
        replaced(STUDY, ("Packets do arrive.", text), ('claim = "2"', 'claim = "1"')), "s", "s"
    )
    assert rules.typed_numbers(study.study.findings[0], study) == numbers


@pytest.mark.parametrize(
    ("verdict", "claim", "against"),
    [
        ("not as printed", "2", False),
        ("cannot tell", "2", True),
        ("right order, other size", "1", True),
    ],
)
def test_a_finding_that_explains_another_verdict_contradicts_the_record(
    small: Recorded, verdict: str, claim: str, against: bool
) -> None:
    text = replaced(
        STUDY,
        ('"Packets do arrive."', f'"Packets do arrive."\nverdict = "{verdict}"'),
        ('claim = "2"', f'claim = "{claim}"'),
    )
    study = parse_study(text, "rbcc/small", "study.toml")
    assert rules.contradicts(study.study.findings[0], small) == against


def test_a_long_claim_loses_its_brackets_first() -> None:
    assert markdown.short("A  short one (within 10 %)") == "A short one (within 10 %)"
    assert markdown.short(f"{'long ' * 20}one (within 10 %)") == f"{'long ' * 20}one"
    assert markdown.short("long " * 40) == "long " * 21 + "long …"


def test_every_figure_can_be_drawn_and_says_what_it_shows() -> None:
    wanted = figures.figures()
    assert {one.thesis for one in wanted} == set(THESES)
    assert len({one.name for one in wanted}) == len(wanted)
    for one in wanted:
        assert len(one.alt) > 40, one.name
        assert one.kind in ("sweep", "cases", "trade-off"), one.name
        assert one.study.partition("/")[0] in (one.thesis, "today"), one.name
        study = load_study(one.study)
        names = [one.x, *one.metrics] if one.kind == "trade-off" else one.metrics
        # Any numbers will do: the picture has a mark for each, and one for each printed value.
        values = {
            (name, run.name): chart.Point(0, 2, 1.5, 2.5) for run in study.study.runs() for name in names
        }
        text = figures.drawing(one, lambda _, values=values: values)
        assert text is not None
        root = ElementTree.fromstring(text)  # noqa: S314  (of the repository, from no network)
        assert root[0].text == one.alt
        marks = [part for part in root.iter() if " full" in part.get("class", "")]
        assert len(marks) >= len([run for run in study.study.runs() if run.matches(one.cases)])
        assert figures.drawing(one, lambda _: {}) is None


def test_no_drawing_is_left_of_a_figure_that_is_gone() -> None:
    assert set(figures.IMAGES.glob("*")) == {path for path, _ in figures.drawings()}


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
    places = {source: "reproduction/rbcc.md", file: studies.place("rbcc/table-4.1")}
    text = f"| [table-4.1] | 1a |\n\n[table-4.1]: ../../{file}"
    linked = build.relinked(text, source, places[source], places, {})
    assert linked == "| [table-4.1] | 1a |\n\n[table-4.1]: rbcc/table-4.1.md"
    elsewhere = build.relinked(
        "[records](../../python/ackclock/archive/records)", source, places[source], places, {}
    )
    assert elsewhere == f"[records]({build.repository()}/tree/main/python/ackclock/archive/records)"


ROWS = """
<div class="claims"><table><thead>
<tr><th>study</th><th>claim</th><th>what</th><th>printed</th><th>measured</th><th>result</th><th>set-up</th></tr>
</thead><tbody>
<tr><td>figure-10</td><td>1</td><td>RBCC loses nothing</td><td></td><td>0</td><td>as printed</td><td>printed</td></tr>
<tr><td>figure-2</td><td>2</td><td>Vegas loses more</td><td></td><td>11 ± 1</td><td><b>not as printed</b></td>
<td>printed</td></tr>
<tr><td>figure-2</td><td>3</td><td>RBCC is fair</td><td></td><td>0.9 ± 0.1</td><td>as printed</td><td>lost</td></tr>
</tbody></table></div>
"""


@pytest.mark.browser
def test_claims_are_sorted_and_filtered_by_result_and_words(tmp_path: Path) -> None:
    script = (ROOT / "docs" / "assets" / "claims.js").read_text(encoding="utf-8")
    style = (ROOT / "docs" / "assets" / "claims.css").read_text(encoding="utf-8")
    path = tmp_path / "page.html"
    path.write_text(f"<style>{style}</style>{ROWS}<script>{script}</script>", encoding="utf-8")
    with offline_chromium(tmp_path / "profile") as driver:
        driver.get(path.as_uri())

        def shown() -> list[str]:
            rows = driver.find_elements("css selector", "tbody tr")
            return [row.text.split()[1] for row in rows if row.is_displayed()]

        buttons = driver.find_elements("css selector", ".claims-filter button")
        assert [one.text for one in buttons] == ["all 3", "as printed 2", "not as printed 1"]
        assert shown() == ["1", "2", "3"]
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
        # A head sorts by its column, numbers by their value, and the other way round when it is pressed again.
        heads = driver.find_elements("css selector", "th button")
        heads[4].click()
        assert shown() == ["1", "3", "2"]
        heads[4].click()
        assert shown() == ["2", "3", "1"]
        heads[0].click()  # figure-2 comes before figure-10
        assert shown() == ["2", "3", "1"]
        ordered = driver.find_elements("css selector", "th")[0]
        assert ordered.get_attribute("aria-sort") == "ascending"


def test_records_are_of_studies_and_show_no_machine() -> None:
    files = sorted(records_dir().glob("*/*.json"))
    assert files
    for path in files:
        name = path.relative_to(records_dir()).with_suffix("").as_posix()
        assert name in study_names(), "a record of a study that is gone: delete its file"
        text = path.read_text(encoding="utf-8")
        assert os.sep + "root" not in text
        assert os.uname().nodename not in text
