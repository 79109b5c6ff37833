"""What the laboratory's page draws and says: utilisation, ticks, mistakes at fields, sizes for walls and fingers."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from ackclock.lessons import LESSONS

from .lab_page import DESKTOP, DUEL, LONG, PHONE, Lab

pytestmark = pytest.mark.browser

TARGETS = """
const seen = (one) => one.getClientRects().length && getComputedStyle(one).visibility !== "hidden";
const area = (one) => (one.type === "checkbox" ? one.closest("label") : one).getBoundingClientRect();
return [...document.querySelectorAll("button, select, input, summary, textarea, [role=button]")]
  .filter((one) => seen(one) && !one.classList.contains("unseen"))
  .map((one) => [one.outerHTML.slice(0, 90), area(one).width, area(one).height])
"""
"""Everything that can be touched: what it is, and its width and height."""


def row(lab: Lab, label: str) -> list[str]:
    """The cells of a row of the table."""
    read = (
        "return [...document.querySelectorAll('#summary tbody tr')].map((row) => "
        "[...row.querySelectorAll('th, td')].map((cell) => cell.textContent))"
    )
    return next(cells for name, *cells in lab.run(read) if name.startswith(label))


def panels(lab: Lab) -> dict[str, list[float]]:
    """The ticks beside each panel of the figure over time, by its title."""
    read = (
        "return [...document.querySelectorAll('#figure svg > g')].map((panel) => "
        "[panel.querySelector('.title').textContent, "
        "[...panel.querySelectorAll('.tick[text-anchor=end]')].filter((tick) => +tick.getAttribute('x') < 46)"
        ".map((tick) => Number(tick.textContent))])"
    )
    return dict(lab.run(read))


class TestUtilisation:
    def test_it_is_a_row_and_a_figure(self, lab: Lab) -> None:
        lab.open(link=f"{lab.page.as_uri()}#buffer-sizing")
        assert "Utilisation of bottleneck (%)" in panels(lab)
        for variant in (None, "1/10 BDP"):
            if variant is not None:
                lab.click(f"[data-try='{variant}']")
                lab.finished()
            (link,) = (one for one in lab.result()["links"] if one["name"] == "bottleneck")
            assert float(row(lab, "Utilisation of bottleneck")[0]) == pytest.approx(
                100 * link["utilisation"], rel=1e-2
            )
            assert self.mean(lab) == pytest.approx(100 * link["utilisation"], rel=0.02)
        # What the lesson says: with a tenth of a bandwidth-delay product the link is idle for a part of the time.
        assert self.mean(lab) < 90

    def mean(self, lab: Lab) -> float:
        """The mean of the curve that is drawn, in percent, by the heights of its points over the panel's."""
        points, zero, full = lab.run(
            "const panel = [...document.querySelectorAll('#figure svg > g')]"
            ".find((one) => one.textContent.startsWith('Utilisation'));"
            "const ticks = [...panel.querySelectorAll('.tick[text-anchor=end]')];"
            "const y = (text) => +ticks.find((one) => one.textContent === text).getAttribute('y') - 4;"
            "return [panel.querySelector('path.a').getAttribute('d'), y('0'), y('100')]"
        )
        places = [tuple(map(float, point.split())) for point in re.findall(r"[\d.]+ [\d.]+", points)]
        area = sum((x - before) * (zero - (y + last) / 2) for (before, last), (x, y) in pairwise(places))
        return float(100 * area / (zero - full) / (places[-1][0] - places[0][0]))

    def test_it_begins_after_the_warm_up_and_is_never_above_one(self, lab: Lab) -> None:
        lab.open(link=f"{lab.page.as_uri()}#bufferbloat")
        used = lab.run(USED)
        assert max(value for value in used if value is not None) <= 100
        lab.open(link=f"{lab.page.as_uri()}#buffer-sizing")
        times = lab.run("return ackclock.board.a.series.time_s")
        assert all(value is None for value, at in zip(lab.run(USED), times, strict=True) if at < 10)

    def test_a_link_whose_rate_changes_has_the_number_alone(self, lab: Lab) -> None:
        lab.write(
            DUEL.replace(
                'rate = "10 Mbit/s"', 'rate = { cycle = [["5 s", "10 Mbit/s"], ["5 s", "2 Mbit/s"]] }'
            )
        )
        lab.finished()
        assert not [title for title in panels(lab) if title.startswith("Utilisation")]
        assert float(row(lab, "Utilisation of bottleneck")[0]) > 50


USED = "return globalThis.ackclock.board.views()[0].links[0].used"


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["wide", "narrow"])
@pytest.mark.parametrize("lesson", ["buffer-sizing", "rtt-unfairness", "incast", "satellite"])
def test_every_axis_has_three_ticks(lab: Lab, lesson: str, size: tuple[int, int]) -> None:
    lab.open(size, link=f"{lab.page.as_uri()}#{lesson}")
    lab.run("arguments[0].value = 4", lab.find("#whatif-steps"))
    lab.click("#whatif-run")
    lab.wait("four runs", lambda: lab.find("#whatif-said").text.startswith("4 runs"))
    for title, ticks in panels(lab).items():
        assert len(ticks) >= 3, title
    others = lab.run(
        "return ['#figure', '#plane', '#whatif-figure'].flatMap((box) => [...document.querySelectorAll(`${box} svg`)]"
        ".map((drawing) => [box, [...drawing.querySelectorAll('.tick')]"
        ".filter((tick) => tick.textContent.match(/^[\\d.e+-]+$/)).map((tick) => tick.getAttribute('text-anchor'))]))"
    )
    for box, anchors in others:
        panes = lab.run("return document.querySelectorAll(arguments[0] + ' .title').length", box)
        # Each panel has at least three ticks on its vertical axis, and the last panel at least three on its time axis.
        assert len(anchors) >= 3 * panes + 3, box
    labels = lab.run(
        "return [...document.querySelectorAll('#figure .tick[text-anchor=end], #whatif-figure .tick[text-anchor=end]')]"
        ".map((one) => { const box = one.getBoundingClientRect(); return [box.left, box.top, box.height]; })"
    )
    columns: dict[float, list[tuple[float, float]]] = {}
    for left, top, height in labels:
        columns.setdefault(round(left / 100), []).append((top, height))
    for places in columns.values():
        places.sort()
        for (top, height), (below, _) in pairwise(places):
            assert below - top > 0.6 * height or below == top


def test_a_call_behind_many_downloads_is_in_the_table_and_in_what_if(lab: Lab) -> None:
    lab.open(DESKTOP)
    text = (LESSONS / "bufferbloat.toml").read_text(encoding="utf-8").replace('"30 s"', '"5 s"')
    lab.write(text.replace('name = "download"\n', 'name = "download"\ncount = 6\n'))
    lab.finished()
    assert float(row(lab, "Mean one-way delay of call")[0]) > 10
    assert "The table shows 4 of 7 flows" in lab.find("#summary").text
    # A call over UDP has no RTT; its one-way delay is no zero.
    lab.run("arguments[0].value = 3", lab.find("#whatif-steps"))
    lab.click("#whatif-run")
    lab.wait("three runs", lambda: lab.find("#whatif-said").text.startswith("3 runs"))
    delays = lab.run(
        "const panel = [...document.querySelectorAll('#whatif-figure svg > g')]"
        ".find((one) => one.querySelector('.title').textContent.startsWith('Mean RTT'));"
        "return [panel.querySelector('.title').textContent, "
        "[...panel.querySelectorAll('circle title')].map((one) => one.textContent)"
        ".filter((one) => one.startsWith('call'))]"
    )
    assert delays[0] == "Mean RTT, one-way delay of call (ms)"
    assert len(delays[1]) == 3
    assert all(float(one.removeprefix("call: ")) > 10 for one in delays[1])


class TestMistakes:
    """A wrong value is told at its field."""

    @pytest.mark.parametrize(
        ("element", "path", "wrong", "told"),
        [
            ("link:bottleneck", "dumbbell-bottleneck-rate", "300 apples", 'found "300 apples", expected a rate'),
            ("link:bottleneck", "dumbbell-bottleneck-queue-limit", "-1 packets", "expected"),
            ("flow:1", "flows-1-start", "1 parsec", 'found "1 parsec", expected a time'),
            ("run", "duration", "soon", 'found "soon", expected a time'),
        ],
    )  # fmt: skip
    def test_at_the_field_that_is_written(
        self, lab: Lab, element: str, path: str, wrong: str, told: str
    ) -> None:
        lab.click("#run-settings") if element == "run" else lab.choose(element)
        field = lab.find(f"#field-{path}")
        right = field.get_property("value")
        set_value = "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input'))"
        lab.run(set_value, field, wrong)
        lab.wait("the mistake is told", lambda: lab.all("#inspector .wrong"))
        assert field.get_attribute("aria-invalid") == "true"
        message = lab.find(f"#{field.get_attribute('aria-describedby')}")
        assert told in message.text
        assert lab.run("return arguments[0].closest('.row').contains(arguments[1])", field, message)
        assert len(lab.all("#inspector [aria-invalid=true]")) == 1
        lab.run(set_value, field, right)
        lab.finished()
        assert not lab.all("#inspector .wrong, #inspector [aria-invalid=true]")

    def test_at_the_field_whose_value_the_text_has_wrong(self, lab: Lab) -> None:
        lab.write(DUEL.replace('"cubic"', '"qubic"'))
        lab.wait("the mistake is told", lambda: lab.all("#inspector .wrong"))
        assert "did you mean `cubic`" in lab.find("#inspector .wrong").text
        assert lab.find("#field-flows-0-control").get_attribute("aria-invalid") == "true"

    @pytest.mark.parametrize(
        ("field", "wrong", "told"),
        [
            ("from", "1 s", "from: found 1 s, expected a number of packets such as 100 packets."),
            ("to", "", "to: found nothing, expected a number of packets such as 100 packets."),
            ("to", "25 packets", 'to: expected a value that differs from "from".'),
            ("steps", "1", "number of values: found 1, expected a whole number from 2 to 40."),
        ],
    )  # fmt: skip
    def test_at_the_fields_of_what_if(self, lab: Lab, field: str, wrong: str, told: str) -> None:
        lab.run(
            "arguments[0].value = 'dumbbell.bottleneck.queue.limit'; arguments[0].dispatchEvent(new Event('change'))",
            lab.find("#whatif-number"),
        )
        lab.run("arguments[0].value = arguments[1]", lab.find(f"#whatif-{field}"), wrong)
        lab.click("#whatif-run")
        assert lab.find("#whatif-said").text == told
        invalid = [one.get_attribute("id") for one in lab.all(".whatif [aria-invalid=true]")]
        assert invalid == [f"whatif-{field}"]
        assert lab.run("return document.activeElement.id") == f"whatif-{field}"
        assert not lab.all("#whatif-figure svg")


class TestWhatIf:
    """It runs what the text says, and nothing else."""

    def test_a_wrong_text_is_not_run(self, lab: Lab) -> None:
        lab.write(DUEL.replace("cubic", "qubic"))
        lab.wait("the mistake is told", lambda: lab.all("#problems .error"))
        assert not lab.find("#whatif-run").is_enabled()
        assert "has an error" in lab.find("#whatif-said").text
        lab.write(DUEL)
        lab.finished()
        assert lab.find("#whatif-run").is_enabled()
        assert lab.find("#whatif-said").text == ""

    def test_nothing_is_run_between_a_change_and_its_check(self, lab: Lab) -> None:
        enabled = lab.run(
            "const [area, text] = arguments; area.value = text; area.dispatchEvent(new Event('input'));"
            "const run = document.querySelector('#whatif-run'); run.click(); return !run.disabled",
            lab.find("#text"),
            DUEL.replace("20 s", "10 s"),
        )
        lab.finished()
        assert not enabled
        assert not lab.all("#whatif-figure svg")

    def test_a_curve_of_an_earlier_text_says_so(self, lab: Lab) -> None:
        lab.run("arguments[0].value = 3", lab.find("#whatif-steps"))
        lab.click("#whatif-run")
        lab.wait("three runs", lambda: lab.find("#whatif-said").text.startswith("3 runs"))
        lab.write(DUEL.replace("20 s", "10 s"))
        lab.finished()
        assert (
            lab.find("#whatif-said").text == "The curve belongs to an earlier version of the scenario text."
        )

    def test_runs_end_when_the_text_changes(self, lab: Lab) -> None:
        lab.write(LONG.replace("1000 s", "100 s"))
        lab.finished()
        lab.run("arguments[0].value = 20", lab.find("#whatif-steps"))
        lab.click("#whatif-run")
        lab.wait("the first is over", lambda: lab.all("#whatif-figure circle"))
        lab.write(DUEL)
        lab.finished()
        lab.wait("it has ended", lambda: not lab.find("#whatif-cancel").is_enabled())
        assert lab.find("#whatif-said").text == "Cancelled: the scenario text has changed."


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_presentation_size_has_letters_of_16_pixels(lab: Lab, theme: str) -> None:
    lab.open(theme=theme)
    letters = """return ["#figure", "#plane", "#picture", "#whatif-figure"].flatMap((box) =>
      [...document.querySelectorAll(`${box} svg text`)].map((text) =>
        parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a))"""
    lab.run("arguments[0].value = 3", lab.find("#whatif-steps"))
    lab.click("#whatif-run")
    lab.wait("three runs", lambda: lab.find("#whatif-said").text.startswith("3 runs"))
    assert min(lab.run(letters)) < 12
    lab.click("#size")
    assert lab.find("#size").get_attribute("aria-pressed") == "true"
    assert min(lab.run(letters)) >= 16
    assert lab.run("return document.documentElement.scrollWidth") <= DESKTOP[0]
    # The line at a time is where the curve is.
    lab.run("document.querySelector('#figure').focus()")
    lab.run(
        "document.querySelector('#figure').dispatchEvent(new KeyboardEvent('keydown', { key: 'PageDown' }))"
    )
    line, left, right = lab.run(
        "const box = document.querySelector('#figure svg > g path[stroke=\"var(--axis)\"]').getBoundingClientRect();"
        "return [document.querySelector('.instant').getBoundingClientRect().left, box.left, box.right]"
    )
    assert line == pytest.approx(left + 0.6 * (right - left), abs=3)
    # A browser remembers it.
    lab.open(theme=theme)
    assert min(lab.run(letters)) >= 16
    lab.click("#size")
    assert min(lab.run(letters)) < 12


@pytest.mark.parametrize("element", ["flow:0", "link:bottleneck", "run"])
def test_what_is_touched_has_44_pixels(lab: Lab, element: str) -> None:
    lab.open(PHONE, link=f"{lab.page.as_uri()}#rtt-unfairness")
    lab.click("#run-settings") if element == "run" else lab.choose(element)
    lab.run("for (const one of document.querySelectorAll('details')) one.open = true")
    small = [
        (what, width, height)
        for what, width, height in lab.run(TARGETS)
        # A link of the picture is a line with a reach.
        if (width < 43.9 or height < 43.9) and 'class="element link"' not in what
    ]
    assert small == []
    reach = lab.run(
        "return [...document.querySelectorAll('.element .reach')]"
        ".map((one) => parseFloat(getComputedStyle(one).strokeWidth))"
    )
    assert min(reach) >= 44


def test_a_mouse_has_smaller_targets(lab: Lab) -> None:
    assert min(height for _, _, height in lab.run(TARGETS)) < 44


def test_the_page_says_how_fast_it_is(lab: Lab) -> None:
    said = lab.find("#speed").text
    found = re.fullmatch(
        r"([\d,]+) packets in ([\d.]+) s: ([\d,.]+) packets/s, ([\d,.]+) times real time",
        said,
    )
    assert found, said
    packets, seconds, rate, simulated = (float(one.replace(",", "")) for one in found.groups())
    assert rate == pytest.approx(packets / seconds, rel=0.1)
    assert simulated == pytest.approx(20 / seconds, rel=0.1)
    assert packets == pytest.approx(sum(flow["sent_packets"] for flow in lab.result()["flows"]), rel=0.05)
