"""The laboratory's page on a phone, in both themes, by keyboard and for screen readers."""

from __future__ import annotations

import pytest
from axe import violations
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from .lab_page import DESKTOP, DUEL, PHONE, Lab

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("size", [PHONE, DESKTOP])
def test_no_line_of_the_text_is_cut(lab: Lab, size: tuple[int, int]) -> None:
    lab.open(size)
    lab.write(DUEL + f"# {'a long remark ' * 30}\n" * 20)
    lab.finished()
    wide, narrow = lab.run("const t = document.getElementById('text'); return [t.scrollWidth, t.clientWidth]")
    assert wide <= narrow
    # The copy that shows the colours has its lines where the text has them, and each number stands at its line. The
    # text ends with an empty line, and the copy has one more.
    high = (
        "const row = parseFloat(getComputedStyle(document.getElementById('behind')).lineHeight);"
        "return [...['text', 'behind'].map(id => document.getElementById(id).scrollHeight), row]"
    )
    text, copy, row = lab.run(high)
    assert text == pytest.approx(copy - row, abs=1.5)
    rows = (
        "const top = (element, at) => { const range = document.createRange(); range.setStart(element, at);"
        "range.setEnd(element, at + 1); return range.getBoundingClientRect().top; };"
        "const numbers = document.getElementById('numbers').firstChild, behind = document.getElementById('behind');"
        "const last = [...behind.querySelectorAll('.header')].at(-1).firstChild;"
        "return [top(numbers, numbers.data.indexOf('12')), top(last, 0)]"
    )
    number, line = lab.run(rows)
    assert number == pytest.approx(line, abs=2)


def test_the_keyboard_alone_is_enough(lab: Lab) -> None:
    """From the top with Tab to the bottleneck in the picture, to its rate, and on to the text and out of it again."""
    active = "return document.activeElement"

    def tab() -> None:
        ActionChains(lab.driver).send_keys(Keys.TAB).perform()

    def go(what: str, wanted: str) -> None:
        for _ in range(120):
            tab()
            if lab.run("return document.activeElement.matches(arguments[0])", wanted):
                return
        pytest.fail(f"Tab does not come to {what}")

    go("the lesson", "#lesson")
    go("keeping B", "#keep")
    go("the bottleneck", '[data-id="link:bottleneck"]')
    ActionChains(lab.driver).send_keys(Keys.ENTER).perform()
    assert lab.run("return document.activeElement.getAttribute('aria-pressed')") == "true"
    go("its rate", 'input[type="range"][data-path="dumbbell.bottleneck.rate"]')
    ring = lab.run("return getComputedStyle(document.activeElement).outlineStyle")
    assert ring != "none"
    ActionChains(lab.driver).send_keys(Keys.ARROW_UP * 30).perform()
    lab.finished()
    assert lab.run(active).get_attribute("data-path") == "dumbbell.bottleneck.rate"
    assert lab.result()["links"][0]["rate_bps"] > 1e7
    go("the text", "#text")
    go("what if", "#whatif-run")


def test_everything_has_a_name_for_those_who_cannot_see_it(lab: Lab) -> None:
    for element in ("flow:0", "link:bottleneck", "run"):
        lab.run("document.querySelector('#run-settings').click()") if element == "run" else lab.choose(
            element
        )
        names = lab.run(
            "return [...document.querySelectorAll('input, select, textarea, button, progress, [role=button]')]"
            ".filter((one) => !(one.labels?.length || one.getAttribute('aria-label') || one.textContent.trim()))"
            ".filter((one) => one.offsetParent || one.closest('svg'))"
            ".map((one) => one.outerHTML)"
        )
        assert names == []


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["wide", "narrow"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_no_serious_violation(lab: Lab, theme: str, size: tuple[int, int]) -> None:
    lab.open(size=size, theme=theme)
    assert violations(lab.driver) == []
    # A mistake and a kept run have texts and colours of their own.
    lab.click("#keep")
    lab.write(DUEL.replace("cubic", "qubic"))
    lab.wait("a mistake is told", lambda: lab.all("#problems .error"))
    assert violations(lab.driver) == []


def test_on_a_telephone_the_figure_is_directly_below_the_question(lab: Lab) -> None:
    lab.open(size=PHONE)
    lab.run(
        "arguments[0].value = 'rtt-unfairness'; arguments[0].dispatchEvent(new Event('change'))",
        lab.find("#lesson"),
    )
    lab.finished()

    def top(selector: str) -> float:
        script = "return arguments[0].getBoundingClientRect().top + scrollY"
        return float(lab.run(script, lab.find(selector)))

    assert top("#lesson-box") < top("#figure") < top("#picture") < top("#inspector")
    # A button of the lesson shows its effect without scrolling.
    assert top("#figure") + 150 < PHONE[1]


def test_the_button_of_the_theme_says_what_it_does(lab: Lab) -> None:
    button = lab.find("#theme")
    assert button.text == "Dark colours"
    button.click()
    assert lab.run("return document.documentElement.dataset.theme") == "dark"
    assert button.text == "Light colours"
    lab.run("try { localStorage.clear() } catch (error) { /* not allowed for files: nothing to clear */ }")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_a_telephone(lab: Lab, theme: str) -> None:
    lab.open(size=PHONE, theme=theme)
    assert lab.run("return document.documentElement.dataset.theme") == theme
    lab.choose("link:bottleneck")
    lab.find("#keep").click()
    assert lab.run("return document.documentElement.scrollWidth") <= PHONE[0]
    for selector in ("#picture svg", "#figure svg", "#plane svg", "#text", "#whatif-number"):
        assert lab.find(selector).rect["width"] <= PHONE[0]
    lab.click("#seeds")
    lab.wait("intervals", lambda: lab.all("#summary .half"))
    assert lab.find("#summary table").rect["width"] <= lab.find("#summary").rect["width"]
