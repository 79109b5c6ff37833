"""Lessons: each has all that the page shows, and a scenario that runs, whatever its buttons change."""

from __future__ import annotations

import pytest

from ackclock import Scenario, toml
from ackclock.lessons import LESSONS, Lesson, lessons

ALL = lessons()


def test_every_scenario_of_a_lesson_has_its_words_and_the_other_way_round() -> None:
    names = {file.name.removesuffix(".toml") for file in LESSONS.glob("*.toml")}
    scenarios = {name for name in names if not name.endswith(".lesson")}
    assert (
        scenarios
        == {lesson.name for lesson in ALL}
        == {name[: -len(".lesson")] for name in names - scenarios}
    )


def test_lessons_stand_in_their_order() -> None:
    orders = [lesson.order for lesson in ALL]
    assert orders == sorted(set(orders))


@pytest.mark.parametrize("lesson", ALL, ids=[lesson.name for lesson in ALL])
def test_a_lesson_runs_with_each_of_its_buttons(lesson: Lesson) -> None:
    assert toml.loads(lesson.scenario)["name"]
    assert lesson.question.endswith("?")
    for overrides in [{}, *(variant.set for variant in lesson.variants)]:
        scenario = Scenario.from_text(lesson.scenario)
        described = scenario.with_overrides(overrides).describe() if overrides else scenario.describe()
        assert described["expected_packets"] < 3e6, "the page would ask before it runs this"
