"""A report's page that runs its cases again, in a real browser without a network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from chromium import eventually
from selenium import webdriver
from selenium.webdriver.support.ui import Select

from ackclock import Scenario
from ackclock import _toml as toml
from ackclock import _typed_core as core
from ackclock.report import write_page, write_report
from ackclock.report.scenario_page import Origin, write_scenario_report
from ackclock.study.load import load_study, parse_study, study_names
from ackclock.study.plan import Plan
from ackclock.study.result import StudyResult
from ackclock.study.run import run_study

pytestmark = pytest.mark.browser

DUEL = """\
name = "Duel"
duration = "8 s"
replications = 2

[dumbbell]
bottleneck = { rate = "5 Mbit/s", delay = "20 ms", queue = { name = "droptail", limit = "40 packets" } }
access = { rate = "100 Mbit/s", delay = "5 ms" }

[[flows]]
name = "one"
control = "cubic"

[[flows]]
name = "two"
control = "newreno"
start = { uniform = ["0 s", "0.5 s"] }

[sweep]
"dumbbell.bottleneck.queue.limit" = ["20 packets", "40 packets"]
"""

STUDY = """\
title = "Two windows"
summary = "Made up for this test."
replications = 2

[source]
thesis = "rbcc"
item = "Figure 0"

[scenario]
duration = "5 s"
seed = 7

[scenario.dumbbell]
bottleneck = { rate = "5 Mbit/s", delay = "20 ms", queue = { name = "droptail", limit = "40 packets" } }
access = { rate = "100 Mbit/s", delay = "5 ms" }

[[scenario.flows]]
name = "tcp"
control = "newreno"
start = { uniform = ["0 s", "0.5 s"] }

[[cases]]
name = "loss-based"
label = "Loss-based"

[[cases]]
name = "slow"
label = "Slow & small"
overrides = { "flows.tcp.control" = { name = "cubic", beta = 0.5 }, "dumbbell.bottleneck.rate" = "2 Mbit/s" }

[[metrics]]
id = "goodput"
label = "Goodput"
unit = "bit/s"
expr = "sum(flows.goodput_bps)"

[[figures]]
id = "window"
kind = "time"
series = "flows.tcp.cwnd_packets"
cases = ["slow"]
caption = "The window."
"""

Ask = Callable[..., Any]


class Section:
    """The section of a page in a window."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(self, page: Path, size: tuple[int, int] = (1440, 900)) -> None:
        metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size[0] < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        self.driver.get(page.as_uri())

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def click(self, id: str) -> None:
        self.run("document.getElementById(arguments[0]).click()", id)

    def wait(self, what: str, condition: Callable[[], Any]) -> Any:
        return eventually(self.driver, what, condition, self.status)

    def status(self) -> str:
        return str(self.run("return document.getElementById('status').textContent"))

    def finished(self, begins: str) -> None:
        self.wait(f"it says {begins}", lambda: self.status().startswith(begins))

    def text(self) -> str:
        return str(self.run("return document.getElementById('text').value"))

    def write(self, text: str) -> None:
        self.run(
            "const area = document.getElementById('text'); area.value = arguments[0];"
            "area.dispatchEvent(new Event('input', { bubbles: true }))",
            text,
        )

    def result(self) -> str:
        """The last run's result with its series, as the simulator wrote it."""
        return str(self.run("return globalThis.ackclock.shown.result.text"))

    def curves(self, of: str) -> list[str]:
        """The paths of what was run ("a"), or of what is behind it ("b")."""
        script = f"return [...document.querySelectorAll('#alive-figure path.{of}')].map(path => path.getAttribute('d'))"
        return list(self.run(script))


@pytest.fixture
def section(window: webdriver.Chrome) -> Section:
    return Section(window)


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a scenario of one's own, with a sweep."""
    runs = Scenario.from_text(DUEL).run_many(series=True)
    path = tmp_path_factory.mktemp("own") / "own.html"
    return write_scenario_report(runs, path, Origin("ackclock run duel.toml --html", DUEL, {}))


@pytest.fixture(scope="module")
def studied() -> StudyResult:
    return run_study(parse_study(STUDY, "rbcc/small", "small.toml"))


@pytest.fixture(scope="module")
def page(studied: StudyResult, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_page(studied, tmp_path_factory.mktemp("page") / "page.html", "ackclock reproduce small.toml")


@pytest.fixture(scope="module")
def folder(studied: StudyResult, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same page in a folder, with the module beside it."""
    index = write_report([studied], tmp_path_factory.mktemp("folder"), "ackclock reproduce --all")
    return index.with_name("rbcc-small.html")


def native(text: str, overrides: Mapping[str, Any], seed: int) -> str:
    """What the command line computes."""
    return core.document(text, "scenario", overrides, seed)


def test_nothing_starts_before_the_button_and_the_page_stays_small(section: Section, page: Path) -> None:
    section.open(page)
    assert page.stat().st_size < 5e6
    assert section.run("return globalThis.ackclock.engine") is None
    assert not section.run("return document.getElementById('alive-bench').checkVisibility()")


@pytest.mark.parametrize("where", ["page", "folder"])
@pytest.mark.parametrize("index", [0, 1])
def test_an_unchanged_case_is_what_the_study_ran(
    section: Section, studied: StudyResult, where: str, index: int, request: pytest.FixtureRequest
) -> None:
    section.open(request.getfixturevalue(where))
    list_of_cases = Select(section.driver.find_element("id", "alive-case"))
    assert [option.text for option in list_of_cases.options] == ["Loss-based", "Slow & small"]
    list_of_cases.select_by_index(index)
    section.click("alive-open")
    section.finished("Original run, seed 7")
    case = studied.cases[index]
    assert section.result() == native(studied.scenario_text, case.overrides, case.seeds[0])
    if case.series is None:
        assert section.curves("b") == []
    else:
        assert case.series.time_s.size > 100
        assert f"equal to all {case.series.time_s.size} recorded values" in section.status()


def test_a_changed_number_changes_the_curve_and_what_was_recorded_stays(section: Section, page: Path) -> None:
    section.open(page)
    Select(section.driver.find_element("id", "alive-case")).select_by_index(1)
    section.click("alive-open")
    section.finished("Original run")
    before = section.curves("a")
    text = section.text()
    changed = text.replace('"2 Mbit/s"', '"3 Mbit/s"')
    assert changed != text
    section.write(changed)
    section.click("alive-run")
    section.finished("The changed text")
    assert section.result() == native(changed, {}, 7)
    assert section.curves("a") != before
    assert len(section.curves("b")) == len(before)
    rows = section.run(
        "return [...document.querySelectorAll('#alive-summary thead th')].map(th => th.textContent)"
    )
    assert rows == ["", "Changed", "Original run", "Change"]
    section.click("alive-reset")
    section.finished("Original run")
    assert (section.text(), section.curves("a")) == (text, before)


def test_a_recorded_value_that_a_run_does_not_have_is_told(section: Section, page: Path) -> None:
    section.open(page)
    Select(section.driver.find_element("id", "alive-case")).select_by_index(1)
    section.click("alive-open")
    section.finished("Original run")
    section.run(
        "const { ackclock } = globalThis; ackclock.cases[1].recorded.flows.tcp.cwnd_packets[50] += 1;"
        "document.getElementById('alive-reset').click()"
    )
    section.wait("a difference is told", lambda: ", 1 of " in section.status())
    # What was recorded is behind, and nothing else.
    assert len(section.curves("b")) == 1


def test_a_mistake_is_marked(section: Section, page: Path) -> None:
    section.open(page)
    section.click("alive-open")
    section.finished("Original run")
    before = section.curves("a")
    section.write(section.text().replace("droptail", "dropptail"))
    section.wait(
        "a mistake is marked", lambda: section.driver.find_elements("css selector", "#behind mark.wrong")
    )
    told = section.run("return document.getElementById('problems').textContent")
    assert told.startswith("Line ")
    assert "droptail" in told
    section.click("alive-run")
    section.finished("The text has errors")
    assert section.curves("a") == before


@pytest.mark.parametrize("index", [0, 1])
def test_a_point_of_a_scenario_of_ones_own(section: Section, own: Path, index: int) -> None:
    section.open(own)
    Select(section.driver.find_element("id", "alive-case")).select_by_index(index)
    section.click("alive-open")
    section.finished("Original run, seed 1, equal to all ")
    limit = ["20 packets", "40 packets"][index]
    assert section.result() == native(DUEL, {"dumbbell.bottleneck.queue.limit": limit}, 1)
    document = toml.loads(section.text())
    assert document["dumbbell"]["bottleneck"]["queue"]["limit"] == limit
    assert "sweep" not in document
    # As few samples as these are drawn as they were recorded: the curves lie on each other.
    assert section.curves("a")[:4] == section.curves("b")[:4]


def test_the_text_of_a_case_means_what_the_study_runs(ask: Ask) -> None:
    """The first and the last case of every study of the package: written as text and read again, they are the same."""
    wanted = []
    for name in study_names():
        plan = Plan(load_study(name), quick=False, sensitivity=False)
        first, last = plan.runs[0], plan.runs[-1]
        wanted += [[name, plan.loaded.scenario.text, plan.overrides(run)] for run in (first, last)]
    other = ask(
        """
        const plain = ({ seed, replications, precision, sweep, ...others }) => JSON.stringify(others);
        // A start of a case at or after the end of the run is written as "never".
        const isLate = (start, end) => typeof start === "string" && parseFloat(start) >= parseFloat(end);
        const never = ({ flows, ...others }) => ({
          ...others,
          flows: flows.map(one => isLate(one.start, others.duration) ? { ...one, start: "never" } : one),
        });
        // Of a start that is too late there is a warning.
        const isOfStart = (warning) => warning.includes(" and sends nothing, because the run lasts ");
        const told = (meaning) =>
          plain({ ...meaning, warnings: meaning.warnings.filter(one => !isOfStart(one)) });
        const found = [];
        for (const [name, text, overrides] of given) {
          const asked = await lab.engine.check(text, { overrides });
          const written = await lab.engine.check(lab.oneRun(asked.document, 12));
          const same = written.errors.length === 0 && written.document.seed === 12
            && plain(never(written.document)) === plain(never(asked.document))
            && told(written.meaning) === told(asked.meaning);
          if (!same) found.push(name);
        }
        return found;
        """,
        wanted,
    )
    assert len(wanted) > 100
    assert other == []


def test_nothing_is_wider_than_a_telephone(section: Section, page: Path) -> None:
    section.open(page, (390, 844))
    section.click("alive-open")
    section.finished("Original run")
    assert section.run("return document.documentElement.scrollWidth") <= 390
