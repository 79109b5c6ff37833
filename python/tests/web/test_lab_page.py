"""The laboratory's page in a real browser without a network: tried as somebody tries it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from axe import violations
from chromium import eventually, offline_chromium
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from ackclock import statistics, toml
from ackclock.web.page import write_lab

pytestmark = pytest.mark.browser

PHONE, DESKTOP = (390, 844), (1440, 900)
MOST_BYTES = 1 << 20

DUEL = """\
# who gets how much?
name = "Duel"
duration = "20 s"

[dumbbell]
bottleneck = { rate = "10 Mbit/s", delay = "20 ms", queue = { name = "droptail", limit = "100 packets" } } # the link
access = { rate = "100 Mbit/s", delay = "5 ms" }

[[flows]]
control = "cubic"

[[flows]]
control = "newreno"
start = "1 s"
"""
LONG = DUEL.replace("20 s", "1000 s").replace("10 Mbit/s", "30 Mbit/s")
"""It runs for more than a moment, but not so long that the page asks first, as it does about ``HUGE``."""
HUGE = DUEL.replace('"10 Mbit/s"', '"10 Gbit/s"').replace('"100 Mbit/s"', '"100 Gbit/s"')


class Lab:
    """The page in a window."""

    def __init__(self, driver: webdriver.Chrome, page: Path) -> None:
        self.driver = driver
        self.page = page

    def open(self, size: tuple[int, int] = DESKTOP, theme: str = "light", link: str | None = None) -> None:
        width, height = size
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": size == PHONE}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        media = {"features": [{"name": "prefers-color-scheme", "value": theme}]}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        self.driver.get("about:blank")
        self.driver.get(link or self.page.as_uri())
        self.finished()

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def find(self, selector: str) -> WebElement:
        return self.driver.find_element("css selector", selector)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements("css selector", selector)

    def wait(self, what: str, condition: Callable[[], Any]) -> Any:
        return eventually(self.driver, what, condition, self.status)

    def status(self) -> str:
        return str(
            self.run(
                "return `${document.body.dataset.status}: ${document.getElementById('status').textContent}`"
            )
        )

    def reach(self, status: str) -> None:
        self.wait(status, lambda: self.run("return document.body.dataset.status") == status)

    def finished(self) -> None:
        """The run of what the page holds now is over."""
        done = (
            "const { state, board } = globalThis.ackclock ?? {};"
            "return document.body.dataset.status === 'finished' && board?.a?.result && state.shown === state.text"
        )
        self.wait("the run is over", lambda: self.run(done))

    def write(self, text: str) -> None:
        """Replace the text, as somebody does who pastes one."""
        script = (
            "const [area, text] = arguments; area.value = text;"
            "area.dispatchEvent(new Event('input', { bubbles: true }))"
        )
        self.run(script, self.find("#text"), text)

    def text(self) -> str:
        return str(self.find("#text").get_property("value"))

    def curve(self) -> str:
        return str(self.find("#figure").get_attribute("innerHTML"))

    def result(self) -> Any:
        return json.loads(self.run("return JSON.stringify(globalThis.ackclock.board.a.result)"))

    def slider(self, path: str) -> WebElement:
        return self.find(f'input[type="range"][data-path="{path}"]')

    def click(self, selector: str) -> None:
        """Click what may have to be scrolled to, behind the bar at the top."""
        self.run("arguments[0].scrollIntoView({ block: 'center' })", self.find(selector))
        self.find(selector).click()

    def choose(self, element: str) -> None:
        """Choose what is drawn in the picture."""
        selector = f'[data-id="{element}"]'
        self.find(selector)
        # Found again in the page: the picture may be drawn anew in between.
        self.run(
            "document.querySelector(arguments[0]).dispatchEvent(new MouseEvent('click', { bubbles: true }))",
            selector,
        )


@pytest.fixture(scope="module")
def page(module: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    assert module.exists()
    return write_lab(tmp_path_factory.mktemp("lab") / "lab.html", {"scenario": DUEL})


@pytest.fixture(scope="module")
def driver(page: Path) -> Iterator[webdriver.Chrome]:
    with offline_chromium(page.parent / "profile") as driver:
        driver.set_script_timeout(30)
        yield driver


@pytest.fixture
def lab(driver: webdriver.Chrome, page: Path) -> Iterator[Lab]:
    lab = Lab(driver, page)
    driver.get_log("performance")
    lab.open()
    yield lab
    # Whatever a test does, nothing is wrong on the console and nothing is asked of a network.
    assert [entry for entry in driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")] == []
    messages = (json.loads(entry["message"])["message"] for entry in driver.get_log("performance"))
    asked = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:", "about:"))] == []


def test_the_page_is_small_and_runs_by_itself(lab: Lab) -> None:
    assert lab.page.stat().st_size < MOST_BYTES
    assert {flow["name"] for flow in lab.result()["flows"]} == {"cubic", "newreno"}
    titles = [title.text for title in lab.all("#figure .title")]
    assert titles == [
        "Congestion window (packets)", "Round trip (ms)", "Queue at bottleneck (packets)", "Share of goodput (%)",
    ]  # fmt: skip
    assert len(lab.all("#plane circle.a")) == 2
    assert "packets in" in lab.find("#speed").text


def test_a_moved_slider_edits_the_text_and_changes_the_curve(lab: Lab) -> None:
    before = lab.curve()
    lab.choose("link:bottleneck")
    lab.slider("dumbbell.bottleneck.rate").send_keys(Keys.PAGE_DOWN)
    lab.finished()
    rate = toml.loads(lab.text())["dumbbell"]["bottleneck"]["rate"]
    assert rate != "10 Mbit/s"
    # All the rest of the text is as it was written.
    assert lab.text().replace(rate, "10 Mbit/s") == DUEL
    assert lab.curve() != before
    assert lab.result()["links"][0]["rate_bps"] < 1e7


def test_a_changed_text_moves_the_sliders_and_the_picture(lab: Lab) -> None:
    lab.choose("link:bottleneck")
    slider = lab.slider("dumbbell.bottleneck.rate")
    before = int(slider.get_property("value"))
    lab.write(DUEL.replace('"10 Mbit/s"', '"40 Mbit/s"'))
    lab.finished()
    assert int(slider.get_property("value")) > before
    assert "40 Mbit/s" in lab.find("#picture").text


def test_another_control_is_chosen_from_a_list_with_its_documentation(lab: Lab) -> None:
    lab.run(
        "arguments[0].value = 'vegas'; arguments[0].dispatchEvent(new Event('change'))",
        lab.find('select[data-path="flows.0.control"]'),
    )
    lab.finished()
    assert toml.loads(lab.text())["flows"][0] == {"control": "vegas"}
    assert lab.result()["flows"][0]["control"] == "vegas"
    parameters = lab.find('details[data-title="Parameters of vegas"]')
    lab.run("arguments[0].open = true", parameters)
    for words in (
        "Brakmo and Peterson",
        "Number of packets waiting in the network below which the window grows",
        "default 1 packet",
        "v_alpha_",
    ):
        assert words in parameters.text
    # A parameter that is moved is written beside the name.
    lab.slider("flows.0.control.alpha").send_keys(Keys.PAGE_UP)
    lab.finished()
    assert toml.loads(lab.text())["flows"][0]["control"]["name"] == "vegas"


def test_a_parameter_of_a_default_is_written_with_the_default(lab: Lab) -> None:
    """A transport that is not named has its parameters too; one of them alone would be no transport."""
    lab.find('input[data-path="flows.0.transport.ecn"]').click()
    lab.finished()
    assert toml.loads(lab.text())["flows"][0]["transport"] == {"name": "rfc", "ecn": True}


@pytest.mark.parametrize(
    ("right", "wrong", "line"),
    [("droptail", "dropptail", 6), ('"1 s"', '"1 parsec"', 14), ("[dumbbell]", "[dumbbell", 5)],
)
def test_a_mistake_is_marked_at_its_line_and_the_last_picture_stays(
    lab: Lab, right: str, wrong: str, line: int
) -> None:
    picture, curve = lab.find("#picture").get_attribute("innerHTML"), lab.curve()
    lab.write(DUEL.replace(right, wrong))
    lab.wait("a mistake is told", lambda: lab.all("#problems .error"))
    told = lab.find("#problems .error").text
    assert told.startswith(f"Line {line}, column ")
    assert lab.find("#numbers b").text == str(line)
    assert lab.find("#text").get_attribute("aria-invalid") == "true"
    assert lab.all("#behind mark.wrong")
    assert (lab.find("#picture").get_attribute("innerHTML"), lab.curve()) == (picture, curve)
    # The place in the message leads to the place in the text.
    lab.find("#problems button").click()
    caret = lab.run("return arguments[0].selectionStart", lab.find("#text"))
    assert lab.text()[:caret].count("\n") + 1 == line
    lab.write(DUEL)
    lab.finished()
    assert not lab.all("#problems .error, #numbers b, #behind mark.wrong")


def test_a_run_is_cancelled_and_the_next_one_goes_on(lab: Lab) -> None:
    lab.write(LONG)
    lab.wait("it runs", lambda: lab.run("return document.body.dataset.status") == "progress")
    assert float(lab.find("#progress").get_property("value")) < 1
    # What there is so far is drawn.
    assert lab.run("return globalThis.ackclock.board.a.result") is None
    assert lab.all("#figure path.a")
    lab.find("#cancel").click()
    lab.reach("cancelled")
    assert "Cancelled" in lab.status()
    lab.write(DUEL)
    lab.finished()


def test_what_would_take_too_long_is_asked_about(lab: Lab) -> None:
    lab.write(HUGE)
    lab.reach("capped")
    assert "million packets" in lab.find("#cap").text
    lab.find("#shorten").click()
    lab.wait(
        "it runs after all",
        lambda: lab.run("return document.body.dataset.status") in ("started", "progress", "finished"),
    )
    assert toml.loads(lab.text())["duration"] != "20 s"
    lab.write(DUEL)
    lab.finished()


def test_a_sweep_is_left_to_the_command_line(lab: Lab) -> None:
    lab.write(
        DUEL.replace("[dumbbell]", "replications = 5\n\n[dumbbell]") + '\n[sweep]\n"flows.0.count" = [1, 2]\n'
    )
    lab.finished()
    assert "ackclock run makes the sweep and replications" in lab.find("#problems .warning").text
    assert len(lab.result()["flows"]) == 2


def test_a_link_opened_in_a_second_tab_gives_the_same_picture(lab: Lab) -> None:
    lab.write(DUEL.replace("cubic", "bbrv3"))
    lab.finished()
    lab.find("#keep").click()
    lab.write(DUEL.replace("cubic", "vegas"))
    lab.finished()
    lab.find("#link").click()
    lab.wait("the link is there", lambda: lab.find("#link-said").text)
    link = lab.driver.current_url
    seen = (lab.text(), lab.result(), lab.curve(), lab.find("#summary").text)
    first = lab.driver.current_window_handle
    lab.driver.switch_to.new_window("tab")
    try:
        lab.open(link=link)
        assert (lab.text(), lab.result(), lab.curve(), lab.find("#summary").text) == seen
    finally:
        lab.driver.close()
        lab.driver.switch_to.window(first)


def test_two_set_ups_are_on_one_picture(lab: Lab) -> None:
    assert not lab.all("#figure path.b")
    goodput = lab.result()["flows"][0]["goodput_bps"]
    lab.find("#keep").click()
    lab.write(DUEL.replace('"100 packets"', '"10 packets"'))
    lab.finished()
    # Windows and round trips of two flows, a queue, and the border between two shares.
    assert len(lab.all("#figure path.b")) == 6
    assert len(lab.all("#plane circle.b")) == 2
    heads = [head.text for head in lab.all("#summary thead th")]
    assert heads == ["", "A (now)", "B (kept)", "A − B"]
    row = next(row for row in lab.all("#summary tbody tr") if row.text.startswith("Goodput of cubic"))
    kept = float(row.find_elements("css selector", "td")[1].text)
    assert kept == pytest.approx(goodput / 1e6, rel=0.01)
    lab.find("#drop").click()
    assert not lab.all("#figure path.b")


def test_ten_seeds_give_means_with_intervals(lab: Lab) -> None:
    seeds = "return globalThis.ackclock.board.a?.others?.map(one => one.flows[0].goodput_bps / 1e6)"
    first = lab.result()["flows"][0]["goodput_bps"] / 1e6
    lab.click("#seeds")
    others = lab.wait("ten runs", lambda: lab.run(seeds))
    summary = statistics.summarise([first, *others])
    cell = "return document.querySelectorAll('#summary tbody tr')[5].querySelector('td').textContent"
    mean, half = (float(part) for part in lab.run(cell).split("±"))
    assert mean == pytest.approx(summary.mean, rel=1e-3)
    assert half == pytest.approx(summary.half_width, rel=0.1)
    assert lab.find("#summary caption").text == "Means of the seeds 1 to 10, ± half of the 95 % interval."
    # The next change is run with as many, and the difference is that of pairs.
    lab.find("#keep").click()
    lab.write(DUEL.replace('"100 packets"', '"10 packets"'))
    lab.finished()
    lab.wait("ten runs", lambda: lab.run(seeds))
    lab.wait("both", lambda: lab.run("return document.querySelectorAll('#summary td').length > 9"))
    change = "return document.querySelectorAll('#summary tbody tr')[5].querySelectorAll('td')[2].textContent"
    pairs = zip(lab.run(seeds), others, strict=True)
    now = lab.result()["flows"][0]["goodput_bps"] / 1e6
    difference = statistics.paired_difference(*zip((now, first), *pairs, strict=True))
    told = lab.wait("the difference", lambda: lab.run(change) if "±" in lab.run(change) else None)
    assert float(told.split("±")[0].replace("−", "-")) == pytest.approx(difference.mean, rel=0.01)
    lab.click("#seeds")
    assert "±" not in lab.find("#summary").text


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


def test_a_number_goes_through_a_range(lab: Lab) -> None:
    select = lab.find("#whatif-number")
    lab.run(
        "arguments[0].value = 'dumbbell.bottleneck.queue.limit'; arguments[0].dispatchEvent(new Event('change'))",
        select,
    )
    assert lab.find("#whatif-from").get_property("value") == "25 packets"
    assert lab.find("#whatif-to").get_property("value") == "400 packets"
    lab.run("arguments[0].value = 4", lab.find("#whatif-steps"))
    lab.find("#whatif-run").click()
    lab.wait("four runs are done", lambda: lab.find("#whatif-said").text.startswith("4 runs"))
    # Three quantities of two groups of flows at four points.
    assert len(lab.all("#whatif-figure circle")) == 3 * 2 * 4
    assert "25 packets to 400 packets" in lab.find("#whatif-said").text


def test_everything_can_be_taken_away(lab: Lab, tmp_path: Path) -> None:
    lab.driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    files = {kind: tmp_path / f"duel.{kind}" for kind in ("svg", "png", "csv", "toml")}
    for kind, file in files.items():
        lab.click(f"#{kind}")
        lab.wait(f"{kind} is written", lambda file=file: file.exists() and file.stat().st_size)
    assert files["toml"].read_text() == DUEL
    assert files["png"].read_bytes().startswith(b"\x89PNG")
    header, *lines = files["csv"].read_text().splitlines()
    assert header.split(",")[0] == "time_s"
    assert "cubic.cwnd_packets" in header.split(",")
    assert len(lines) == 999
    drawing = files["svg"].read_text()
    assert ElementTree.fromstring(drawing).tag.endswith("svg")  # noqa: S314 (the page's own)
    # It has its colours in it: there is no style sheet beside it.
    assert "var(" not in drawing


def test_the_keyboard_alone_is_enough(lab: Lab) -> None:
    """From the top with Tab to the bottleneck in the picture, to its rate, and on to the text and out of it again."""
    tab = lambda: ActionChains(lab.driver).send_keys(Keys.TAB).perform()  # noqa: E731
    active = "return document.activeElement"

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


def test_a_damaged_link_says_so(lab: Lab) -> None:
    lab.click("#link")
    whole = str(
        lab.wait("the link is in the address", lambda: lab.run("return location.hash && location.href"))
    )
    lab.open(link=whole[:-9])
    assert "is damaged" in lab.find("#damaged").text
    lab.open(link=whole)
    assert not lab.find("#damaged").is_displayed()
    lab.open()
    assert not lab.find("#damaged").is_displayed()


@pytest.mark.parametrize("wrong", ["300 apples", "300 s", "-", "lots"])
def test_a_wrong_value_leaves_the_slider_and_its_message_leaves_when_it_is_mended(
    lab: Lab, wrong: str
) -> None:
    lab.choose("link:bottleneck")
    slider = lab.slider("dumbbell.bottleneck.rate")
    place = slider.get_property("value")
    text = lab.find("#field-dumbbell-bottleneck-rate")
    write = (
        "const [area, text] = arguments; area.focus(); area.value = text;"
        "area.dispatchEvent(new Event('input', { bubbles: true }))"
    )
    lab.run(write, text, wrong)
    lab.wait("a mistake is told", lambda: lab.all("#problems .error"))
    assert len(lab.all("#problems .error")) == 1
    assert slider.get_property("value") == place
    lab.run(write, text, "10 Mbit/s")
    lab.finished()
    assert not lab.all("#problems .error")
    assert slider.get_property("value") == place


def test_a_number_of_steps_that_cannot_be_is_refused(lab: Lab) -> None:
    steps = lab.find("#whatif-steps")
    lab.run("arguments[0].value = '100000'", steps)
    lab.click("#whatif-run")
    assert lab.find("#whatif-said").text == "100000 is no number of steps: from 2 to 40, please."
    assert steps.get_property("value") == "100000"
    assert not lab.all("#whatif-figure svg")


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


def test_behind_an_access_point_its_queue_is_shown(lab: Lab) -> None:
    lab.run(
        "arguments[0].value = 'wifi'; arguments[0].dispatchEvent(new Event('change'))", lab.find("#lesson")
    )
    lab.finished()
    assert "Queue at access-1-right (packets)" in lab.curve()
    assert "bottleneck" not in lab.curve()
    # With more laptops each has a link of its own behind the access point.
    lab.write(lab.text().replace("count = 1", "count = 3"))
    lab.finished()
    assert "access-3-right" in lab.curve()


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


def test_a_trace_is_taken_from_a_file(lab: Lab, tmp_path: Path) -> None:
    trace = tmp_path / "slow.trace"
    trace.write_text("2\n4\n")  # two packets of 1504 B in 4 ms: 6.016 Mbit/s
    lab.choose("link:bottleneck")
    lab.find('input[type="file"]').send_keys(str(trace))
    lab.wait("the file is read", lambda: "slow.trace" in lab.text())
    lab.finished()
    document = toml.loads(lab.text())
    assert document["dumbbell"]["bottleneck"]["rate"] == {"trace": "slow.trace"}
    assert document["files"]["slow.trace"]["text"] == "2\n4\n"
    assert lab.result()["links"][0]["rate_bps"] == 6_016_000


def test_groups_of_flows_come_and_go(lab: Lab) -> None:
    buttons = {button.text: button for button in lab.all("#inspector .actions button")}
    buttons["Add a group like this"].click()
    lab.finished()
    assert [flow["name"] for flow in lab.result()["flows"]] == ["cubic", "newreno", "cubic-2"]
    lab.choose("flow:1")
    next(
        button for button in lab.all("#inspector .actions button") if button.text == "Remove this group"
    ).click()
    lab.finished()
    assert [flow["name"] for flow in lab.result()["flows"]] == ["cubic", "cubic-2"]
    assert "# who gets how much?" in lab.text()


def test_a_group_goes_with_its_round_trip(lab: Lab) -> None:
    pairs = DUEL.replace(', delay = "5 ms" }', ' }\nrtt = ["50 ms", "90 ms"]').replace(
        'control = "newreno"', 'control = "newreno"\npair = 2'
    )
    lab.write(pairs.replace('control = "cubic"', 'control = "cubic"\npair = 1'))
    lab.finished()
    next(
        button for button in lab.all("#inspector .actions button") if button.text == "Remove this group"
    ).click()
    lab.finished()
    document = toml.loads(lab.text())
    assert document["dumbbell"]["rtt"] == ["90 ms"]
    assert document["flows"] == [{"control": "newreno", "pair": 1, "start": "1 s"}]


def test_an_application_over_udp_has_no_control(lab: Lab) -> None:
    application = 'select[data-path="flows.0.application"]'
    choose = "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('change'))"
    lab.run(choose, lab.find(application), "cbr")
    lab.finished()
    assert toml.loads(lab.text())["flows"][0] == {"application": "cbr"}
    assert lab.result()["flows"][0]["control"] == "cbr"
    lab.run(choose, lab.find(application), "bulk")
    lab.finished()
    assert toml.loads(lab.text())["flows"][0] == {"application": "bulk", "control": "cubic"}


def test_each_group_gets_a_round_trip_that_stays_its_own(lab: Lab) -> None:
    next(button for button in lab.all("#inspector button") if button.text == "One for each group").click()
    lab.choose("flow:1")
    lab.slider("dumbbell.rtt.1").send_keys(Keys.END)
    lab.finished()
    assert toml.loads(lab.text())["dumbbell"]["rtt"] == ["60 ms", "2 s"]
    lab.choose("flow:0")
    lab.slider("flows.0.count").send_keys(Keys.ARROW_RIGHT * 200)
    lab.finished()
    assert toml.loads(lab.text())["flows"][0]["count"] > 1
    least = {flow["group"]: flow["rtt_min_s"] for flow in lab.result()["flows"]}
    # Without queues 2 s and 60 ms, and sending takes 2 ms. A full queue adds at most 101 times the 1.2 ms of a packet.
    assert 2 < least["newreno"] < 2.13
    assert 0.06 < least["cubic"] < 0.19


def test_a_lesson_asks_and_its_buttons_change_the_text(lab: Lab) -> None:
    lab.run(
        "arguments[0].value = 'rtt-unfairness'; arguments[0].dispatchEvent(new Event('change'))",
        lab.find("#lesson"),
    )
    lab.finished()
    assert "Who gets how much?" in lab.find("#lesson-box .question").text
    near, far = (flow["goodput_bps"] for flow in lab.result()["flows"])
    assert near > 2 * far
    lab.find('[data-try="BBRv1"]').click()
    lab.finished()
    assert [flow["control"] for flow in lab.result()["flows"]] == ["bbrv1", "bbrv1"]
    near, far = (flow["goodput_bps"] for flow in lab.result()["flows"])
    assert far > 2 * near
    assert "# without queues" in lab.text()
