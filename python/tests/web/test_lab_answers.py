"""A lesson of a teacher in a page without answers: a student answers it, saves a file, and the file is marked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from assignment import LESSON, SCENARIO
from conftest import Command
from selenium import webdriver

from ackclock.lessons.files import read_lesson
from ackclock.lessons.marking import NOT_RUN, OWN, UNCHANGED, mark
from ackclock.web.page import Opening, write_lab

from .lab_page import DESKTOP, PHONE, Lab

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def lesson_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lesson")
    (folder / "rates.toml").write_text(SCENARIO)
    file = folder / "rates.lesson.toml"
    file.write_text(LESSON)
    return file


@pytest.fixture(scope="module")
def page(module: Path, lesson_file: Path) -> Path:
    assert module.exists()
    return write_lab(lesson_file.with_name("lab.html"), Opening(read_lesson(lesson_file)), answers=False)


@pytest.fixture
def given(window: webdriver.Chrome, page: Path, tmp_path: Path) -> Lab:
    """The page of the lesson, which saves into ``tmp_path``."""
    lab = Lab(window, page)
    lab.open()
    lab.driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    return lab


def saved(lab: Lab, student: str, text: str, file: Path) -> Any:
    """What the page saves for a student."""
    lab.run("document.querySelector('.answer').open = true")
    for selector, value in (("#answer-student", student), ("#answer-text", text)):
        lab.run("arguments[0].value = ''", lab.find(selector))
        lab.find(selector).send_keys(value)
    lab.click("#answer-save")
    lab.wait("the answer is written", lambda: file.exists() and file.stat().st_size)
    return json.loads(file.read_text(encoding="utf-8"))


def test_the_lesson_comes_first_and_no_answer_is_in_the_page(given: Lab) -> None:
    assert given.find("#lesson").get_property("value") == "rates"
    assert "What does a faster link carry?" in given.find("#lesson-box .question").text
    assert [button.text for button in given.all("[data-try]")] == ["slow", "fast"]
    folds = "return [...document.querySelectorAll('#lesson-box summary')].map((one) => one.textContent)"
    assert given.run(folds) == ["What to change", "Your answer"]
    # Those of the package follow, without theirs.
    given.run(
        "arguments[0].value = 'incast'; arguments[0].dispatchEvent(new Event('change'))",
        given.find("#lesson"),
    )
    given.finished()
    assert given.run(folds) == ["What to change", "Your answer"]


def test_an_answer_is_saved_and_marked(given: Lab, lesson_file: Path, tmp_path: Path) -> None:
    given.click("[data-try='fast']")
    given.finished()
    given.write(given.text().replace("reno", "cubic"))
    given.finished()
    text = 'Twice as much, "because" of ünïcödé \u2028 & <b>\n\t\\'
    given.run(
        "const area = document.querySelector('#answer-text'); area.value = arguments[0];", text.strip("\n")
    )
    answer = saved(
        given, "Łucja O'Neil", "More: the link carries 2 Mbit/s.", tmp_path / "answer-rates-łucja-o-neil.json"
    )
    assert '"slow", "fast", "fast" with further changes.' in given.find("#answer-runs").text
    assert [len(run["results"]) for run in answer["runs"]] == [1, 1, 1]
    assert answer["scenario"] == answer["runs"][-1]["scenario"] == given.text()
    (found,) = mark(read_lesson(lesson_file), tmp_path).answers
    assert (found.state, found.student) == (UNCHANGED, "Łucja O'Neil")
    assert found.answer == "More: the link carries 2 Mbit/s."
    assert [run.label for run in found.runs] == ["slow", "fast", "fast"]
    assert found.runs[1].measures["goodput"] > found.runs[0].measures["goodput"]
    assert "flows.tcp.control = cubic" in found.runs[2].changed
    assert list(found.statements) == ["holds", "holds"]


@pytest.mark.parametrize(
    "text", ['"quoted" \\ and <b> &amp;', "Zeile eins\nZeile zwei\tTab", "ünï 漢字 😀 \u2028 \x7f", "'" * 3]
)
def test_the_checksum_is_that_of_the_marking(
    given: Lab, tmp_path: Path, lesson_file: Path, text: str
) -> None:
    given.run("document.querySelector('.answer').open = true")
    given.run(
        "for (const [id, value] of [['answer-student', 'Ada'], ['answer-text', arguments[0]]]) {"
        "const field = document.getElementById(id); field.value = value; field.dispatchEvent(new Event('input')); }",
        text,
    )
    given.click("#answer-save")
    file = tmp_path / "answer-rates-ada.json"
    given.wait("the answer is written", lambda: file.exists() and file.stat().st_size)
    (found,) = mark(read_lesson(lesson_file), tmp_path).answers
    assert (found.state, found.answer) == (UNCHANGED, text)
    assert list(found.statements) == [NOT_RUN, NOT_RUN]
    file.write_text(file.read_text(encoding="utf-8").replace("Ada", "Bob"), encoding="utf-8")
    (found,) = mark(read_lesson(lesson_file), tmp_path).answers
    assert found.state.startswith("edited")


def test_ten_seeds_are_saved(given: Lab, lesson_file: Path, tmp_path: Path) -> None:
    given.click("#seeds")
    given.wait("ten runs", lambda: given.run("return globalThis.ackclock.board.a?.others?.length") == 9)
    given.click("[data-try='fast']")
    given.finished()
    given.wait("ten runs", lambda: given.run("return globalThis.ackclock.board.a?.others?.length") == 9)
    answer = saved(given, "Ada", "More.", tmp_path / "answer-rates-ada.json")
    assert [len(run["results"]) for run in answer["runs"]] == [10, 10]
    (found,) = mark(read_lesson(lesson_file), tmp_path).answers
    assert (found.state, list(found.statements)) == (UNCHANGED, ["holds", "holds"])


def test_the_runs_of_all_buttons_are_saved_after_another_change(
    given: Lab, lesson_file: Path, tmp_path: Path
) -> None:
    given.write(f"seed = 3\n{given.text()}")
    given.finished()
    for label in ("fast", "slow"):
        given.click(f"[data-try='{label}']")
        given.finished()
    given.write(given.text().replace("1 Mbit/s", "3 Mbit/s"))
    given.finished()
    saved(given, "Ada", "More.", tmp_path / "answer-rates-ada.json")
    assert 'these runs: "slow", "fast" with further changes, "slow" with further changes, your own.' in (
        given.find("#answer-runs").text
    )
    (found,) = mark(read_lesson(lesson_file), tmp_path).answers
    assert [(run.label, run.changed) for run in found.runs] == [
        ("slow", []),
        ("fast", ["seed = 3"]),
        ("slow", ["seed = 3"]),
        (OWN, ["seed = 3", "dumbbell.bottleneck.rate = 3 Mbit/s"]),
    ]
    assert list(found.statements) == ["holds with seed = 3", "holds with seed = 3"]


def test_a_missing_name_is_told_at_its_field(given: Lab, tmp_path: Path) -> None:
    given.run("document.querySelector('.answer').open = true")
    given.click("#answer-save")
    assert given.find("#answer-said").text == "Write your name first."
    assert given.find("#answer-student").get_attribute("aria-invalid") == "true"
    given.find("#answer-student").send_keys("Ada")
    given.click("#answer-save")
    assert given.find("#answer-said").text == "Write your answer first."
    assert not list(tmp_path.iterdir())


def test_the_text_of_a_lesson_stays_while_another_is_looked_at(given: Lab) -> None:
    choose = "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('change'))"
    given.run("document.querySelector('.answer').open = true")
    given.find("#answer-text").send_keys("so far")
    given.run(choose, given.find("#lesson"), "incast")
    given.finished()
    assert given.find("#answer-text").get_property("value") == ""
    given.run(choose, given.find("#lesson"), "rates")
    given.finished()
    assert given.find("#answer-text").get_property("value") == "so far"


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["wide", "narrow"])
def test_the_form_fits(given: Lab, size: tuple[int, int]) -> None:
    given.open(size)
    given.run("document.querySelector('.answer').open = true")
    assert given.run("return document.documentElement.scrollWidth") <= size[0]
    box = given.find("#answer-text").rect
    assert box["width"] > 0.6 * given.find(".answer").rect["width"]
    assert box["height"] > 80


def test_the_command_makes_such_a_page(
    module: Path, lesson_file: Path, ackclock: Command, tmp_path: Path
) -> None:
    assert module.exists()
    out = tmp_path / "lab.html"
    told = ackclock("lab", "--lesson", lesson_file, "--without-answers", "--out", out, "--no-open")
    assert (told.code, told.err) == (0, "")
    assert '"lesson":"rates"' in out.read_text(encoding="utf-8").replace(" ", "")
    wrong = lesson_file.with_name("wrong.lesson.toml")
    wrong.write_text(LESSON.replace("title", "titel"))
    told = ackclock(
        "lab", lesson_file.with_name("rates.toml"), "--lesson", wrong, "--out", tmp_path / "no.html"
    )
    assert (told.code, 'wrong.lesson.toml:1:1: titel: unknown key; did you mean "title"?' in told.err) == (
        2,
        True,
    )
    assert not (tmp_path / "no.html").exists()
