"""The indexes of a folder of reports in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from .browser import PHONE, Page
from .synthetic import many_studies

pytestmark = pytest.mark.browser


def test_the_index_finds_studies_and_claims(page: Page, folder: Path) -> None:
    page.open(folder / "index.html", (1440, 900))

    def lines() -> int:
        return len(page.find("#index .line:not([hidden])"))

    def claims() -> int:
        return len(page.find("#index .line:not([hidden]) .found[open] li:not([hidden])"))

    (find,), (shown,) = page.find("#find"), page.find("#shown")
    assert lines() == 40
    find.send_keys("namesake figure 7")
    # The study itself is meant: its claims stay folded.
    assert (lines(), claims()) == (1, 0)
    find.clear()
    find.send_keys("71 % below")
    assert (lines(), claims()) == (1, 1)
    assert shown.text == "1 of 40 studies, 1 claim"
    find.clear()
    find.send_keys("no such words")
    assert lines() == 0
    assert page.find("#nothing")[0].is_displayed()
    find.clear()
    find.send_keys(" ")
    page.find("#system option")[-1].click()
    assert page.find("#system option")[-1].text == "gamma"
    assert lines() == 1
    page.find("#system option")[0].click()
    page.find("[data-show='not as printed']")[0].click()
    wanted = sum(claim.verdict == "not as printed" for study in many_studies() for claim in study.claims)
    assert claims() == wanted
    page.find("#index .line:not([hidden]) .found li:not([hidden]) a")[0].click()
    page.wait("the claim is there", lambda: page.find(".claim:target"))
    assert page.errors() == []


@pytest.mark.parametrize("size", [(1440, 900), PHONE])
def test_a_point_of_the_figure_opens_its_claim(page: Page, folder: Path, size: tuple[int, int]) -> None:
    page.open(folder / "index.html", size)
    # A point that no other one covers, whose number a claim is about.
    found = page.run(
        """
        const figure = document.querySelector(".agreement");
        figure.scrollIntoView({ block: "center" });
        const whole = figure.getBoundingClientRect();
        for (const link of figure.querySelectorAll("a[href*='#study-claim-']")) {
          const box = link.getBoundingClientRect();
          const at = [box.x + box.width / 2, box.y + box.height / 2];
          if (link.contains(document.elementFromPoint(...at))) {
            return { at, words: link.querySelector("title").textContent, inside: box.right < whole.right };
          }
        }
        """
    )
    assert found["inside"]
    x, y = found["at"]
    for kind in ("mousePressed", "mouseReleased"):
        page.command(
            "Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
        )
    (claim,) = page.wait("the claim is there", lambda: page.find(".claim:target"))
    study, id = found["words"].partition(": ")[0].split(", claim ")
    assert claim.find_element("css selector", ".id").text == id
    assert study in page.find(".eyebrow code")[0].text
    assert 0 <= page.box(claim)["top"] < size[1]
    assert page.errors() == []


def test_the_pages_of_a_folder_lead_to_each_other(page: Page, folder: Path) -> None:
    page.open(folder / "index.html")
    page.find("#index .listed summary")[0].click()
    page.find("#index .line a")[0].click()
    page.wait("the first study is there", lambda: "table-1" in page.driver.current_url)
    page.find("[rel=next]")[0].click()
    page.wait("the next one is there", lambda: "figure-2" in page.driver.current_url)
    page.find(".crumbs a")[-1].click()
    page.wait("its thesis is there", lambda: page.driver.current_url.endswith("/synthetic.html"))
    assert page.errors() == []
