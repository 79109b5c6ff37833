"""What the tests of reports in a browser look at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import offline_chromium
from test_characterisation_page import SCENARIO, short_study

from ackclock import Scenario
from ackclock.report import write_page, write_report
from ackclock.report.characterisation import write_characterisation
from ackclock.report.scenario_page import Origin, write_scenario_report
from ackclock.study.load import parse_study
from ackclock.study.run import run_study

from .browser import LIMITS, RATES, Page
from .synthetic import DUEL, many_studies, table_study


@pytest.fixture(scope="session")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with offline_chromium(tmp_path_factory.mktemp("profile")) as driver:
        yield Page(driver)


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of its own: four figures that can be drawn."""
    path = tmp_path_factory.mktemp("report") / "table.html"
    return write_page(table_study(), path, "ackclock reproduce synthetic")


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty pages with their indexes."""
    return write_report(many_studies(), tmp_path_factory.mktemp("folder"), "ackclock reproduce --all").parent


@pytest.fixture(scope="session")
def swept(folder: Path) -> Path:
    """A page of the folder, with two figures over a sweep."""
    return folder / "synthetic-figure-2.html"


@pytest.fixture(scope="session")
def kinds(report: Path, folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A page of each kind."""
    place = tmp_path_factory.mktemp("kinds")
    text = f"{DUEL}\n[sweep]\n{LIMITS}\n{RATES}\n"
    runs = Scenario.from_text(text, {"duration": "1 s"}).run_many(replications=2)
    study = parse_study(short_study(), "aqm/rfc7928-5.1.1", str(SCENARIO))
    return {
        "study alone": report,
        "study": folder / "synthetic-figure-2.html",
        "index": folder / "index.html",
        "index of a thesis": folder / "synthetic.html",
        "scenario": write_scenario_report(
            runs, place / "own.html", Origin("ackclock run own.toml", text, {})
        ),
        "characterisation": write_characterisation([run_study(study, quick=True)], place / "aqm.html", "x"),
    }
