"""The page of the characterisation and what the terminal shows, of a short run of two scenarios."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import pytest
from conftest import Command

from ackclock.report.characterisation import render
from ackclock.study.load import parse_study, studies_dir
from ackclock.study.result import StudyResult
from ackclock.study.run import run_study

SCENARIO = studies_dir() / "aqm" / "rfc7928-5.1.1.toml"
SHORT = 'quick = { replications = 2, overrides = { duration = "10 s", warmup = "2 s" } }\n'


def short_study() -> str:
    """A scenario of the package, so short that it runs in a moment, with three of the disciplines."""
    text = SCENARIO.read_text(encoding="utf-8").replace(
        "[disciplines]", '[disciplines]\nonly = ["droptail", "red", "pie"]'
    )
    return text.replace("[source]", SHORT + "\n[source]", 1)


@pytest.fixture(scope="module")
def result() -> StudyResult:
    return run_study(parse_study(short_study(), "aqm/rfc7928-5.1.1", str(SCENARIO)), quick=True)


def test_the_page_has_a_cell_for_each_discipline(result: StudyResult) -> None:
    page = render([result], "ackclock reproduce aqm --quick")
    assert "<title>Characterisation of queue disciplines" in page
    for name in ("droptail", "red", "pie"):
        assert f'href="#study-aqm-rfc7928-5.1.1-{name}"' in page
        assert f'id="study-aqm-rfc7928-5.1.1-{name}"' in page
        assert f'id="discipline-{name}"' in page
    assert "RFC 7928 has no thresholds" in page
    assert "thesis" not in page.split("<body")[1].split("<script")[0].lower()


def test_the_page_names_every_parameter_and_what_did_not_run(result: StudyResult) -> None:
    page = render([result], "ackclock reproduce aqm --quick")
    assert "<code>max_probability</code>" in page
    assert "83 packets" in page
    assert "; not run: 5.1.2," in page
    assert '<span class="muted">8.2.5 not run</span>' in page


def test_every_link_leads_somewhere(result: StudyResult) -> None:
    about = result.characterisation
    assert about is not None
    silent = dataclasses.replace(
        result,
        name="aqm/silent",
        characterisation=about.model_copy(update={"criteria": [], "section": "4.3"}),
    )
    # What follows the footer are scripts.
    page = render([result, silent], "ackclock reproduce aqm --quick").split("</footer>")[0].split("<body")[1]
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= {*ids}


def test_the_same_results_give_the_same_page(result: StudyResult) -> None:
    assert render([result], "x") == render([result], "x")


def test_a_queue_is_evaluated_in_the_words_of_an_evaluation(ackclock: Command, tmp_path: Path) -> None:
    done = ackclock("evaluate", "queue", "pie", "--only", "5.1.1", "--html")
    assert done.code == 0, done.err
    assert "pie: evaluation by RFC 7928, quick" in done.out
    (line,) = [line.split() for line in done.out.splitlines() if line.startswith("5.1.1")]
    assert line[2] in ("OK", "CONCERN", "undecided", "INFO")
    page = (tmp_path / "ackclock-results" / "evaluate-queue-pie.html").read_text(encoding="utf-8")
    assert 'id="discipline-pie"' in page
    assert 'id="discipline-red"' not in page
    document = json.loads(ackclock("evaluate", "queue", "pie", "--only", "5.1.1", "--json").out)
    (study,) = document["studies"]
    assert [one["discipline"] for one in study["characterisation"]["disciplines"]] == ["droptail", "pie"]
    assert study["characterisation"]["disciplines"][1]["verdict"] == line[2]


def test_a_queue_that_does_not_exist_is_refused(ackclock: Command) -> None:
    assert 'did you mean "codel"' in ackclock("evaluate", "queue", "coddel").err
    assert "no scenario for section" in ackclock("evaluate", "queue", "codel", "--only", "99").err
    for ignored in (["--seeds", "5"], ["--fail-on", "CONCERN"], ["--plan"]):
        refused = ackclock("evaluate", "queue", "codel", *ignored)
        assert refused.code == 2
        assert f"{ignored[0]}: `ackclock evaluate queue` accepts only" in " ".join(refused.err.split())
    assert "queue: expected one queue discipline" in ackclock("evaluate", "queue").err


def test_the_command_writes_a_page_and_its_data(ackclock: Command, tmp_path: Path) -> None:
    (tmp_path / "r10.base.toml").write_text(
        (studies_dir() / "aqm" / "r10.base.toml").read_text(encoding="utf-8")
    )
    (tmp_path / "short.toml").write_text(short_study())
    done = ackclock("reproduce", "short.toml", "--quick")
    assert done.code == 0, done.err
    assert "Characterisation by RFC 7928" in done.out
    assert "reference" in done.out
    assert (
        "Characterisation of queue disciplines" in (tmp_path / "ackclock-results" / "short.html").read_text()
    )
    (study,) = json.loads((tmp_path / "ackclock-results" / "short.json").read_text())["studies"]
    found = study["characterisation"]
    assert [one["discipline"] for one in found["disciplines"]] == ["droptail", "red", "pie"]
    assert {one["criterion"] for one in found["disciplines"][1]["findings"]} == {"Latency", "Goodput", "Loss"}
