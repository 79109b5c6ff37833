"""The laboratory's page changes a scenario: by its text, by its controls, by a lesson."""

from __future__ import annotations

from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys

from ackclock import _toml as toml

from .lab_page import DUEL, Lab

pytestmark = pytest.mark.browser


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
        "Number of the flow's packets queued in the network below which the window grows",
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
    next(
        button for button in lab.all("#inspector button") if button.text == "Set an RTT for each group"
    ).click()
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
    assert "# without queueing" in lab.text()
