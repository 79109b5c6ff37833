"""Lessons in files of users, the answers that students save, and how they are marked."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from assignment import LESSON, SCENARIO
from conftest import Command

from ackclock import Scenario
from ackclock import _typed_core as core
from ackclock.errors import InputError
from ackclock.lessons import LESSONS, names
from ackclock.lessons.answers import FORMAT, Answer, checksum
from ackclock.lessons.files import read_lesson
from ackclock.lessons.marking import NOT_RUN, UNCHANGED, mark
from ackclock.lessons.outcome import play

ROOT = Path(__file__).resolve().parents[2]
PAGE, DUEL = ROOT / "docs" / "teaching.md", ROOT / "scenarios" / "examples" / "duel.toml"
Write = Callable[..., Path]


@pytest.fixture
def lesson_file(tmp_path: Path) -> Write:
    """Writes a lesson with its scenario, a part of it replaced, and returns its file."""

    def write(old: str = "", new: str = "", scenario: str = SCENARIO) -> Path:
        assert old in LESSON
        file = tmp_path / "rates.lesson.toml"
        file.write_text(LESSON.replace(old, new, 1) if old else LESSON)
        (tmp_path / "rates.toml").write_text(scenario)
        return file

    return write


def answer(*scenarios: str, seeds: int = 1, **changes: Any) -> dict[str, Any]:
    """An answer as the page saves it, with the results of these scenarios."""
    runs = [
        {
            "scenario": text,
            "results": [
                {
                    key: value
                    for key, value in json.loads(core.document(text, "", {}, seed)).items()
                    if key != "series"
                }
                for seed in range(1, seeds + 1)
            ],
        }
        for text in scenarios
    ]
    whole = {
        "format": FORMAT,
        "version": "0.2.0",
        "lesson": "rates",
        "student": "Ada",
        "answer": "More.",
        "scenario": SCENARIO,
        "runs": runs,
        "checksum": "",
        **changes,
    }
    whole["checksum"] = checksum(Answer.model_validate(whole).texts())
    return whole


SLOW, FAST = SCENARIO, SCENARIO.replace('"1 Mbit/s"', '"2 Mbit/s" ').replace("# two rates\n", "")
MINE = SCENARIO.replace("reno", "cubic")


@pytest.fixture
def hand_in(tmp_path: Path) -> Callable[..., Path]:
    """Puts an answer, or any other text, into the folder of answers."""

    def put(content: Any, name: str = "ada.json") -> Path:
        file = tmp_path / "answers" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return file.parent

    return put


HUGE = (
    SCENARIO.replace('"1 Mbit/s"', '"10 Gbit/s"').replace('"10 Mbit/s"', '"10 Gbit/s"').replace("2 s", "60 s")
)


def edited(one: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The answer with other numbers of a flow, which the checksum does not cover."""
    one["runs"][0]["results"][0]["flows"][0].update(changes)
    return one


def seeded(one: dict[str, Any], seed: int) -> dict[str, Any]:
    one["runs"][0]["results"][0]["seed"] = seed
    return one


def versioned(one: dict[str, Any]) -> dict[str, Any]:
    one["runs"][0]["results"][0]["version"] = "0.0.1"
    return edited(one, goodput_bps=1.0)


class TestOutside:
    """The declaration of a lesson that is no lesson of the package."""

    def test_a_lesson_is_read_with_the_scenario_beside_it(self, lesson_file: Write, tmp_path: Path) -> None:
        lesson = read_lesson(lesson_file())
        assert (lesson.name, lesson.scenario, lesson.order) == ("rates", SCENARIO, 0)
        other = tmp_path / "other.toml"
        other.write_text(MINE)
        assert read_lesson(lesson_file(), other).scenario == MINE

    @pytest.mark.parametrize("name", names())
    def test_the_lessons_of_the_package_are_right_files(self, name: str) -> None:
        assert read_lesson(LESSONS / f"{name}.lesson.toml").title

    @pytest.mark.parametrize(
        ("old", "new", "told"),
        [
            ("title", "titel", ':1:1: titel: unknown key; did you mean "title"?'),
            ('label = "fast"', 'lable = "fast"', ':12:1: try[2].lable: unknown key; did you mean "label"?'),
            ('"What does', '3 # "What does', ":2:12: question: found 3, expected string"),
            ('"fast"', '"slow"', ':11:1: try[2] ("slow"): the name "slow" is used twice'),
            ("bottleneck.rate", "botleneck.rate", ':9:9: try[1] ("slow").set: found "dumbbell.botleneck.rate"'),
            ("bottleneck.rate", "botleneck.rate", 'did you mean "bottleneck"?'),
            ("2 Mbit/s", "2 Mbt/s", ':13:9: try[2] ("fast").set: "dumbbell.bottleneck.rate": found "2 Mbt/s"'),
            ('dumbbell.bottleneck.rate" = "2 Mbit/s"', 'duration" = "1e5 s"', ':11:1: try[2] ("fast"): the variant'),
            ('"tcp"', '"tpc"', ':19:8: measure[1] ("goodput").expr: there is no flow "tpc"; did you mean "tcp"?'),
            ("goodput_bps", "goodputt_bps", 'did you mean "goodput_bps"?'),
            ("'fast'", "'fats'", ':23:9: check[1].holds: there is no case "fats"; did you mean "fast"?'),
            ("look = 2", "look = 3", ":26:8: check[2].look: found 3, expected the number of a statement in"),
            ("look = 2", "look = 3", ":5:42: look[2]: has no check, expected a [[check]] with look = 2"),
            ("learn", 'figure = "flows.*.cwnd"\nlearn', ":3:10: figure: found"),
            ("[[try]]", "[[try]", "rates.lesson.toml:7:7: found unclosed array table"),
        ],
    )  # fmt: skip
    def test_a_mistake_has_its_place_and_what_was_expected(
        self, lesson_file: Write, old: str, new: str, told: str
    ) -> None:
        with pytest.raises(InputError) as error:
            read_lesson(lesson_file(old, new))
        assert told in str(error.value)

    def test_a_mistake_in_its_scenario_is_that_of_the_scenario(self, lesson_file: Write) -> None:
        with pytest.raises(InputError, match=r"rates\.toml:8:11: .*did you mean `reno`"):
            read_lesson(lesson_file(scenario=SCENARIO.replace('"reno"', '"rano"')))

    def test_other_files_are_refused(self, lesson_file: Write, tmp_path: Path, ackclock: Command) -> None:
        file = lesson_file()
        with pytest.raises(InputError, match="did you mean"):
            read_lesson(tmp_path / "rate.lesson.toml")
        with pytest.raises(InputError, match="whose name ends in"):
            read_lesson(tmp_path / "rates.toml")
        (tmp_path / "rates.toml").rename(tmp_path / "there.toml")
        with pytest.raises(InputError, match=r"its scenario .* does not exist"):
            read_lesson(file)
        file.write_text(SCENARIO)
        with pytest.raises(InputError, match="is a scenario, expected a lesson file"):
            read_lesson(file, tmp_path / "there.toml")
        told = ackclock("lab", file, "--no-open")
        assert (told.code, "`ackclock lab --lesson" in told.err) == (2, True)

    def test_the_lesson_of_the_page_is_right_and_holds(self, tmp_path: Path) -> None:
        (text,) = re.findall(
            r"^```toml\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
        )
        file = tmp_path / "duel.lesson.toml"
        file.write_text(text)
        lesson = read_lesson(file, DUEL)
        outcome = play(lesson)
        assert all(outcome.finding(check).met for check in lesson.checks)

    def test_check_knows_it(self, lesson_file: Write, ackclock: Command) -> None:
        assert "valid lesson: 2 variants, 1 measure, 2 checks" in ackclock("check", lesson_file()).out
        told = ackclock("check", lesson_file("titl", "tilt"))
        assert (told.code, "did you mean" in told.err) == (2, True)


class TestMarking:
    """The table of answers."""

    def test_statements_are_judged_on_the_lesson_and_on_each_student(
        self, lesson_file: Write, hand_in: Callable[..., Path]
    ) -> None:
        hand_in(answer(SLOW, FAST))
        hand_in(answer(FAST, MINE, student="Bob"), "group 2/bob.json")
        folder = hand_in("not for us", "notes.txt")
        marks = mark(read_lesson(lesson_file()), folder)
        assert (marks.statements, marks.others) == (["holds", "holds"], 1)
        ada, bob = marks.answers
        assert (ada.file, ada.student, ada.state, ada.answer) == ("ada.json", "Ada", UNCHANGED, "More.")
        # The second run has other comments and other blanks than the variant.
        assert [run.label for run in ada.runs] == ["slow", "fast"]
        assert list(ada.statements) == ["holds", "holds"]
        goodput = Scenario.from_text(FAST).run(seed=1).flows["goodput_bps"][0] / 1e6
        assert ada.runs[1].measures == {"goodput": goodput}
        assert (bob.file, [run.label for run in bob.runs]) == ("group 2/bob.json", ["fast", "slow"])
        assert list(bob.runs[1].changed) == ["flows.tcp.control = cubic"]
        assert list(bob.statements) == [NOT_RUN, "holds"]

    def test_a_variant_with_other_changes_keeps_its_label(
        self, lesson_file: Write, hand_in: Callable[..., Path]
    ) -> None:
        # With another seed and another control the buttons of the lesson set what they set.
        other = {old: f"seed = 3\n{old.replace('reno', 'cubic')}" for old in (SLOW, FAST)}
        folder = hand_in(answer(SLOW, other[SLOW], other[FAST]))
        (found,) = mark(read_lesson(lesson_file()), folder).answers
        changes = ["flows.tcp.control = cubic", "seed = 3"]
        assert [(run.label, sorted(run.changed)) for run in found.runs] == [
            ("slow", []),
            ("slow", changes),
            ("fast", changes),
        ]
        assert sorted(found.statements[0].removeprefix("holds with ").split(", ")) == changes
        # Runs with different other changes are not compared.
        (found,) = mark(read_lesson(lesson_file()), hand_in(answer(SLOW, other[FAST]))).answers
        assert found.statements[0] == NOT_RUN
        # Seed 1 is the default.
        (found,) = mark(read_lesson(lesson_file()), hand_in(answer(f"seed = 1\n{SLOW}", FAST))).answers
        assert (found.runs[0].changed, list(found.statements)) == ([], ["holds", "holds"])

    def test_a_lesson_that_was_changed_after_it_was_handed_out_is_told(
        self, lesson_file: Write, hand_in: Callable[..., Path]
    ) -> None:
        hand_in(answer(SLOW, FAST))
        folder = hand_in(answer(FAST, MINE, student="Bob"), "bob.json")
        longer = SCENARIO.replace('duration = "2 s"', 'duration = "3 s"')
        assert longer != SCENARIO
        changed = mark(read_lesson(lesson_file(scenario=longer)), folder)
        assert changed.common_changes == ["duration = 2 s"]
        assert mark(read_lesson(lesson_file()), folder).common_changes == []
        # Another title is no other scenario.
        titled = f'name = "Of my own"\n{SCENARIO}'
        renamed = mark(read_lesson(lesson_file(scenario=titled)), folder)
        assert [run.label for run in renamed.answers[0].runs] == ["slow", "fast"]
        assert renamed.common_changes == []

    def test_a_statement_may_fail_in_the_runs_of_a_student(
        self, lesson_file: Write, hand_in: Callable[..., Path]
    ) -> None:
        folder = hand_in(answer(SLOW, FAST, seeds=3))
        (found,) = mark(read_lesson(lesson_file("('fast') >", "('fast') <")), folder).answers
        assert list(found.statements) == ["does not hold", "holds"]
        assert found.runs[0].seeds == 3

    def test_a_scenario_without_what_is_measured_has_no_number(
        self, lesson_file: Write, hand_in: Callable[..., Path]
    ) -> None:
        folder = hand_in(answer(SCENARIO.replace('name = "tcp"', 'name = "mine"')))
        (found,) = mark(read_lesson(lesson_file()), folder).answers
        assert str(found.runs[0].measures["goodput"]) == "nan"

    @pytest.mark.parametrize(
        ("edit", "told"),
        [
            (lambda one: "{", "line 1, column 2: "),
            (lambda one: "[" * 100_000, "nested too deeply"),
            (lambda one: "[]", "found no format"),
            (lambda one: {**one, "format": "ackclock answer 9"}, 'found the format "ackclock answer 9"'),
            (lambda one: {**one, "answer": "Less."}, "edited: a text in the file was changed after"),
            (lambda one: {**one, "student": "Eve"}, "edited: a text in the file was changed after"),
            (lambda one: {**one, "runs": 3}, "edited: runs: found 3, expected list"),
            (lambda one: {key: one[key] for key in one if key != "answer"}, 'edited: answer: "answer" is missing'),
            (lambda one: {**one, "grade": 1}, "edited: grade: unknown key"),
            (lambda one: answer(lesson="incast"), 'found an answer to the lesson "incast", expected "rates"'),
            (lambda one: edited(one, goodput_bps=5e6), "edited: run 1 with seed 1 has results that differ"),
            (lambda one: seeded(one, -1), "edited: run 1: found the seed -1"),
            (lambda one: seeded(one, 2), "edited: run 1 with seed 2 has results that differ"),
            (versioned, "saved with ackclock 0.0.1, whose results differ"),
            (lambda one: answer(runs=[{"scenario": "x", "results": [{}]}]), "edited: run 1:1:2: "),
            (lambda one: answer(runs=[{"scenario": HUGE, "results": [{}]}]), "runs not repeated: they send about"),
        ],
    )  # fmt: skip
    def test_a_wrong_or_edited_file_is_told_in_the_table(
        self, lesson_file: Write, hand_in: Callable[..., Path], edit: Any, told: str
    ) -> None:
        folder = hand_in(edit(answer(SLOW)))
        (found,) = mark(read_lesson(lesson_file()), folder).answers
        assert told in found.state
        assert "\n" not in found.state
        assert (list(found.runs), list(found.statements)) == ([], [])

    def test_a_scenario_reads_no_file_of_the_teacher(
        self, lesson_file: Write, hand_in: Callable[..., Path], tmp_path: Path
    ) -> None:
        (tmp_path / "trace.txt").write_text("1\n2\n")
        text = SCENARIO.replace('rate = "1 Mbit/s"', f'rate = {{ trace = "{tmp_path}/trace.txt" }}')
        folder = hand_in(answer(runs=[{"scenario": text, "results": [{}]}]))
        (found,) = mark(read_lesson(lesson_file()), folder).answers
        assert found.state.startswith("edited: run 1:4:")

    def test_the_command_prints_and_writes_it(
        self, lesson_file: Write, hand_in: Callable[..., Path], ackclock: Command, tmp_path: Path
    ) -> None:
        hand_in(answer(SLOW, FAST, answer="=1+1"))
        folder = hand_in("{", "broken.json")
        table = tmp_path / "marks.csv"
        told = ackclock("lab", "--lesson", lesson_file(), "--mark", folder, "--out", table)
        assert (told.code, told.err) == (0, "")
        out = " ".join(told.out.split())
        for text in (
            "The faster link carries more.",
            "goodput('fast') < 10",
            "Ada",
            "slow: goodput 0.5",
            "holds",
        ):
            assert text in out  # fmt: skip
        assert "2 answer files, 1 invalid or edited" in out
        ada, broken = csv.DictReader(io.StringIO(table.read_text(encoding="utf-8")))
        assert (ada["student"], ada["answer"], ada["statement 1"]) == ("Ada", "'=1+1", "holds")
        assert (broken["file"], broken["state"].startswith("line 1, column 2")) == ("broken.json", True)

    def test_the_command_says_what_is_missing(self, ackclock: Command, tmp_path: Path) -> None:
        assert "expected a lesson: its name" in ackclock("lab", "--mark", tmp_path).err
        assert "is not a folder" in ackclock("lab", "incast", "--mark", tmp_path / "none").err
        assert 'did you mean "incast"' in ackclock("lab", "incats", "--mark", tmp_path).err
        empty = ackclock("lab", "incast", "--mark", tmp_path)
        assert (empty.code, "no answers (*.json)" in empty.out) == (0, True)
