"""The laboratory's page in Firefox, where it is installed: it runs, is read by axe-core, and computes the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from firefox import Firefox, offline_firefox

from ackclock import Scenario
from ackclock.web.page import Opening, write_lab

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SIZES = {"phone": (390, 844), "desktop": (1440, 900)}
SCENARIO = """\
duration = "5 s"

[dumbbell]
bottleneck = { rate = "10 Mbit/s", delay = "20 ms", queue = { name = "droptail", limit = "100 packets" } }
access = { rate = "100 Mbit/s", delay = "5 ms" }

[[flows]]
control = "cubic"

[[flows]]
control = "newreno"
"""


@pytest.fixture(scope="module")
def page(module: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    assert module.exists()
    return write_lab(tmp_path_factory.mktemp("lab") / "lab.html", Opening(scenario=SCENARIO))


@pytest.fixture(scope="module")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    with offline_firefox(tmp_path_factory.mktemp("firefox") / "profile") as firefox:
        yield firefox


def finished(firefox: Firefox) -> None:
    over = "const a = globalThis.ackclock?.board.a; return document.body?.dataset.status === 'finished' && !!a?.result"
    firefox.wait("the run is over", lambda: firefox.run(over))


def test_the_page_computes_what_the_command_line_computes(firefox: Firefox, page: Path) -> None:
    firefox.open(page, SIZES["desktop"])
    finished(firefox)
    goodput = firefox.run("return globalThis.ackclock.board.a.result.flows.map((flow) => flow.goodput_bps)")
    assert goodput == Scenario.from_text(SCENARIO).run(seed=1).flows["goodput_bps"].to_list()
    slider = "document.querySelector('input[type=range][data-path=\"flows.0.count\"]')"
    firefox.run(
        f"const s = {slider}; s.value = s.max; s.dispatchEvent(new Event('input', {{ bubbles: true }}))"
    )
    firefox.wait(
        "the text has it", lambda: "count = " in firefox.run("return document.querySelector('#text').value")
    )
    assert firefox.errors == []


@pytest.mark.parametrize("size", SIZES)
def test_it_fits_and_axe_finds_no_serious_violation(firefox: Firefox, page: Path, size: str) -> None:
    firefox.open(page, SIZES[size])
    finished(firefox)
    assert firefox.run("return document.documentElement.scrollWidth") <= SIZES[size][0]
    wide, narrow = firefox.run(
        "const t = document.querySelector('#text'); return [t.scrollWidth, t.clientWidth]"
    )
    assert wide <= narrow
    for _ in range(2):
        assert firefox.violations() == []
        firefox.run("document.querySelector('#theme').click()")
