"""The laboratory's page: it runs scenarios, compares them, and gives its results away."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from selenium import webdriver

from ackclock import _toml as toml
from ackclock import statistics
from ackclock.lessons import LESSONS, lesson
from ackclock.web.page import Opening, write_lab

from .lab_page import DUEL, HUGE, LONG, MOST_BYTES, PHONE, Lab

pytestmark = pytest.mark.browser


def test_the_page_is_small_and_runs_by_itself(lab: Lab) -> None:
    assert lab.page.stat().st_size < MOST_BYTES
    assert {flow["name"] for flow in lab.result()["flows"]} == {"cubic", "newreno"}
    titles = [title.text for title in lab.all("#figure .title")]
    assert titles == [
        "Congestion window (packets)", "RTT (ms)", "Queue at bottleneck (packets)",
        "Utilisation of bottleneck (%)", "Share of goodput (%)",
    ]  # fmt: skip
    assert len(lab.all("#plane circle.a")) == 2
    assert "packets in" in lab.find("#speed").text


def test_the_points_of_goodput_over_delay_are_those_of_the_table(lab: Lab) -> None:
    # With a warm-up, means over the whole run are others.
    lab.write(DUEL.replace("[dumbbell]", 'warmup = "10 s"\n\n[dumbbell]', 1))
    lab.finished()
    titles = [title.get_property("textContent") for title in lab.all("#plane circle.a title")]
    measured = {
        flow["name"]: (flow["goodput_bps"] / 1e6, 1e3 * flow["rtt_mean_s"]) for flow in lab.result()["flows"]
    }
    found = {
        name: tuple(map(float, re.findall(r"[\d.]+", numbers)))
        for name, _, numbers in (title.partition(":") for title in titles)
    }
    assert found.keys() == measured.keys()
    for name, values in measured.items():
        assert found[name] == pytest.approx(values, rel=0.01)


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
    warnings = [warning.text for warning in lab.all("#problems .warning")]
    assert any("to run the sweep and the replications, use ackclock run" in warning for warning in warnings)
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
    # Windows and round trips of two flows, a queue, its link's utilisation, and the border between two shares.
    assert len(lab.all("#figure path.b")) == 7
    assert len(lab.all("#plane circle.b")) == 2
    heads = [head.text for head in lab.all("#summary thead th")]
    assert heads == ["", "A (now)", "B (kept)", "A − B"]
    row = next(row for row in lab.all("#summary tbody tr") if row.text.startswith("Goodput of cubic"))
    kept = float(row.find_elements("css selector", "td")[1].text)
    assert kept == pytest.approx(goodput / 1e6, rel=0.01)
    lab.find("#drop").click()
    assert not lab.all("#figure path.b")


def test_a_call_has_one_way_delays_and_a_download_has_round_trip_times(lab: Lab) -> None:
    lab.write((LESSONS / "bufferbloat.toml").read_text(encoding="utf-8"))
    lab.finished()
    rows = [row.text for row in lab.all("#summary tbody th")]
    for name, delay in (("download", "RTT"), ("call", "one-way delay")):
        assert f"95th percentile of the {delay} of {name} (ms)" in rows
    flow = next(flow for flow in lab.result()["flows"] if flow["name"] == "call")
    at = rows.index("95th percentile of the one-way delay of call (ms)")
    shown = float(lab.all("#summary tbody td")[at].text)
    assert shown == pytest.approx(1000 * flow["one_way_delay_p95_s"], rel=0.01)


def test_a_link_is_selected_by_its_text(lab: Lab) -> None:
    def settings() -> str:
        return str(
            lab.run(
                "return document.querySelector('[data-id=\"link:bottleneck\"]').getAttribute('aria-pressed')"
            )
        )

    assert settings() == "false"
    lab.click('.about[data-id="link:bottleneck"] text')
    assert settings() == "true"


def test_means_stand_beside_a_single_run(lab: Lab) -> None:
    lab.find("#keep").click()
    lab.write(DUEL.replace('"100 packets"', '"10 packets"'))
    lab.finished()
    lab.click("#seeds")
    lab.wait("ten runs", lambda: "B is a single run with seed 1" in lab.find("#summary").text)


def test_ten_seeds_give_means_with_intervals(lab: Lab) -> None:
    seeds = "return globalThis.ackclock.board.a?.others?.map(one => one.flows[0].goodput_bps / 1e6)"
    first = lab.result()["flows"][0]["goodput_bps"] / 1e6
    lab.click("#seeds")
    others = lab.wait("ten runs", lambda: lab.run(seeds))
    summary = statistics.summarise([first, *others])
    cell = "return document.querySelectorAll('#summary tbody tr')[6].querySelector('td').textContent"
    mean, half = (float(part) for part in lab.run(cell).split("±"))
    assert mean == pytest.approx(summary.mean, rel=1e-3)
    assert half == pytest.approx(summary.half_width, rel=0.1)
    assert (
        lab.find("#summary caption").text
        == "Means over seeds 1 to 10 ± half the width of the 95 % confidence interval. The figures show seed 1."
    )
    # The next change is run with as many, and the difference is that of pairs.
    lab.find("#keep").click()
    lab.write(DUEL.replace('"100 packets"', '"10 packets"'))
    lab.finished()
    lab.wait("ten runs", lambda: lab.run(seeds))
    lab.wait("both", lambda: lab.run("return document.querySelectorAll('#summary td').length > 9"))
    assert "B is a single run" not in lab.find("#summary caption").text
    change = "return document.querySelectorAll('#summary tbody tr')[6].querySelectorAll('td')[2].textContent"
    pairs = zip(lab.run(seeds), others, strict=True)
    now = lab.result()["flows"][0]["goodput_bps"] / 1e6
    difference = statistics.paired_difference(*zip((now, first), *pairs, strict=True))
    told = lab.wait("the difference", lambda: lab.run(change) if "±" in lab.run(change) else None)
    assert float(told.split("±")[0].replace("−", "-")) == pytest.approx(difference.mean, rel=0.01)
    lab.click("#seeds")
    assert "±" not in lab.find("#summary").text


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
    # Three quantities of two groups of flows, and the utilisation of one link, at four points.
    assert len(lab.all("#whatif-figure circle")) == (3 * 2 + 1) * 4
    assert "25 packets to 400 packets; one seed for each value" in lab.find("#whatif-said").text


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


def test_a_page_may_begin_with_another_lesson_than_the_first(
    window: webdriver.Chrome, module: Path, tmp_path: Path
) -> None:
    assert module.exists()
    lab = Lab(window, write_lab(tmp_path / "lab.html", Opening(lesson("incast"))))
    lab.open()
    assert lab.find("#lesson").get_property("value") == "incast"
    assert lab.text() == lesson("incast").scenario


def test_the_address_may_name_a_lesson(lab: Lab) -> None:
    lab.open(link=f"{lab.page.as_uri()}#incast")
    assert lab.find("#lesson").get_property("value") == "incast"
    assert not lab.find("#damaged").is_displayed()
    assert lab.find("#lesson-box .learn").text.startswith("You will learn why a single lost packet")
    last = next(
        row for row in lab.all("#summary tbody tr") if row.text.startswith("Last transfer complete at")
    )
    completed = lab.run("return ackclock.board.a.result.flows.map(flow => flow.completed_s)")
    assert float(last.find_element("css selector", "td").text) == pytest.approx(
        1e3 * max(completed), rel=1e-2
    )


@pytest.mark.parametrize(
    ("link", "said"), [("#bufferblaot", 'no lesson "bufferblaot"'), ("#s1.%%%%notbase64", "is damaged")]
)
def test_another_word_in_the_address_is_told(lab: Lab, link: str, said: str) -> None:
    lab.driver.get_log("browser")
    lab.open(link=lab.page.as_uri() + link)
    assert said in lab.find("#damaged").text
    assert lab.text() == DUEL
    assert not [entry for entry in lab.driver.get_log("browser") if entry["level"] == "SEVERE"]


def test_the_button_whose_values_the_scenario_has_is_pressed(lab: Lab) -> None:
    def pressed() -> list[str]:
        return [button.text for button in lab.all("[data-try][aria-pressed='true']")]

    lab.open(link=f"{lab.page.as_uri()}#rtt-unfairness")
    assert pressed() == ["Reno"]
    assert "In the settings, Reno is called sack" in lab.find("#lesson-box").text
    lab.click("[data-try='CUBIC']")
    lab.finished()
    assert pressed() == ["CUBIC"]
    text = lab.text().replace('"50 packets"', '"60 packets"')
    lab.run(
        "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input'))",
        lab.find("#text"),
        text,
    )
    lab.wait("no button has these values", lambda: not pressed())


def test_the_answer_is_seen_without_scrolling(lab: Lab) -> None:
    lab.open(link=f"{lab.page.as_uri()}#rtt-unfairness")
    top = "return document.querySelector(arguments[0]).getBoundingClientRect().top"
    bottom = "return document.querySelector('#figure').getBoundingClientRect().bottom"
    assert lab.run(bottom) < 700
    assert lab.run(top, "#summary tbody tr:nth-child(9)") < 900
    before = lab.run(top, "#figure")
    lab.run("for (const one of document.querySelectorAll('#lesson-box details')) one.open = true")
    assert lab.run(top, "#figure") == before


def test_a_phone_leads_to_the_path_and_back(lab: Lab) -> None:
    lab.open(PHONE, link=f"{lab.page.as_uri()}#rtt-unfairness")
    lab.run("document.querySelector('#lesson-box details').open = true")
    lab.click("#lesson-box .jump button")
    top = "return document.querySelector(arguments[0]).getBoundingClientRect().top"
    assert 0 <= lab.run(top, "#path-title") < 100
    lab.click("#to-figure")
    assert 0 <= lab.run(top, "#outcome-title") < 100


def test_each_flow_has_its_losses(lab: Lab) -> None:
    lab.open(link=f"{lab.page.as_uri()}#bufferbloat")
    rows = [row for row in lab.all("#summary tbody tr") if row.text.startswith("Lost packets of ")]
    flows = {flow["name"]: flow for flow in lab.result()["flows"]}
    for name, flow in flows.items():
        (row,) = (row for row in rows if row.text.startswith(f"Lost packets of {name} "))
        shown = row.find_element("css selector", "td").text
        assert float(shown) == pytest.approx(100 * flow["lost_packets"] / flow["sent_packets"], rel=1e-2)


def test_a_number_of_steps_that_cannot_be_is_refused(lab: Lab) -> None:
    steps = lab.find("#whatif-steps")
    lab.run("arguments[0].value = '100000'", steps)
    lab.click("#whatif-run")
    assert (
        lab.find("#whatif-said").text
        == "number of values: found 100000, expected a whole number from 2 to 40."
    )
    assert steps.get_attribute("aria-invalid") == "true"
    assert steps.get_property("value") == "100000"
    assert not lab.all("#whatif-figure svg")


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
