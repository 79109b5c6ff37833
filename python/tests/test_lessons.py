"""The classroom: what lessons say is true of their runs, and how they are listed, shown and written."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Command

from ackclock import Scenario
from ackclock import _toml as toml
from ackclock.cli.examples import complete
from ackclock.errors import InputError
from ackclock.experiment.model import Result
from ackclock.lessons import LESSONS, Lesson, lesson, lessons, names
from ackclock.lessons import notebook as notebook_of_lesson
from ackclock.lessons.outcome import curves, play, table
from ackclock.schemas.experiment import FindingRecord, finding_record

MOST_PACKETS = 100_000
"""A browser simulates this number of packets in well under half a second."""

SCENARIO = """
duration = "2 s"
[dumbbell]
bottleneck = { rate = "1 Mbit/s", delay = "10 ms" }
access = { rate = "10 Mbit/s", delay = "1 ms" }
[[flows]]
name = "tcp"
control = "reno"
start = { uniform = ["0 s", "1 s"] }
"""


def made(**changes: Any) -> Lesson:
    """A small lesson."""
    words = {
        "order": 1,
        "title": "Small",
        "question": "Who?",
        "learn": "what it shows.",
        "change": ["The control."],
        "look": ["The faster link carries more."],
        "try": [
            {"label": "slow", "set": {}},
            {"label": "fast", "set": {"dumbbell.bottleneck.rate": "2 Mbit/s"}},
        ],
        "measure": [
            {"id": "goodput", "label": "Goodput", "unit": "bit/s", "expr": 'flow("tcp").goodput_bps'}
        ],
        "check": [{"look": 1, "holds": "goodput('fast') > goodput('slow')"}],
    }
    return Lesson.model_validate({**words, "name": "small", "scenario": SCENARIO, **changes})


@pytest.mark.parametrize("name", names())
def test_what_a_lesson_says_is_true(name: str) -> None:
    outcome = play(lesson(name))
    for check in outcome.lesson.checks:
        finding = outcome.finding(check)
        assert finding.met, f"{finding.criterion.text}\n{check.holds}\n{finding.truth}"
        # A check is recorded as what every other product finds.
        recorded = FindingRecord.model_validate(finding_record(finding))
        assert (recorded.order, recorded.result) == (check.holds, "met")
    for label, runs in outcome.runs.items():
        assert max(sum(run.flows["sent_packets"]) for run in runs) < MOST_PACKETS, label
    curves(outcome.runs, outcome.lesson.figure)


def test_a_statement_that_is_false_is_found() -> None:
    false = made(check=[{"look": 1, "holds": "goodput('fast') < goodput('slow')"}])
    outcome = play(false, replications=3)
    assert outcome.finding(false.checks[0]).result is Result.NOT_MET
    assert outcome.finding(made().checks[0]).met


def test_each_thesis_has_a_lesson() -> None:
    titles = [one.title for one in lessons()]
    assert len([title for title in titles if title.startswith("Thesis: ")]) >= 5
    assert len(titles) == len(set(titles)) >= 17


def test_a_variant_takes_back_what_another_sets() -> None:
    slow, fast = made().variants
    assert slow.set == {"dumbbell.bottleneck.rate": "1 Mbit/s"}
    assert (made().changed(slow), made().changed(fast)) == ({}, fast.set)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"look": ["Checked.", "Not checked."]}, r"look\[2\]: has no check"),
        (
            {"check": [{"look": 3, "holds": "goodput('fast') > 0"}]},
            r"look: found 3, expected the number of a statement in .*`look`, from 1 to 1\nlook\[1\]: has no",
        ),
        (
            {"try": [{"label": "a", "set": {}}, {"label": "b", "set": {"flows.tcp.count": 2}}]},
            "expected the path of a value that is in the scenario",
        ),
        (
            {
                "try": [
                    {"label": "a", "set": {"dumbbell.bottleneck": {}}},
                    {"label": "b", "set": {"dumbbell.bottleneck.rate": "2 Mbit/s"}},
                ]
            },
            "lies within",
        ),
    ],
)
def test_a_lesson_that_cannot_be_held_to_its_words_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        made(**changes)


def test_a_table_has_a_mean_and_its_interval_for_each_variant() -> None:
    runs = {"one": Scenario.from_text(SCENARIO).run_many(replications=3)}
    shown = table(runs, {"Begins (s)": 'flow("tcp").start_s', "Length (s)": "duration"})
    assert "<td>one</td>" in shown._repr_html_()
    assert shown.frame.columns == ["", "Begins (s)", "Length (s)"]
    assert shown.frame["Length (s)"].to_list() == ["2 ± 0"]
    starts = runs["one"].flows["start_s"]
    mean, half = map(float, shown.frame["Begins (s)"][0].split(" ± "))
    # Of three samples the interval is 4.303 standard errors to each side: t(0.975) with two degrees of freedom.
    assert mean == pytest.approx(starts.mean(), rel=0.2)
    assert half == pytest.approx(4.303 * starts.std() / 3**0.5, rel=0.1)


def test_a_figure_of_nothing_is_refused() -> None:
    runs = {"one": Scenario.from_text(SCENARIO).run_many(replications=1, series=True)}
    assert len(curves(runs, "flows.*.cwnd_packets").data) == 1
    with pytest.raises(InputError, match="nothing_packets"):
        curves(runs, "flows.*.nothing_packets")


class TestExamples:
    def test_all_are_listed(self, ackclock: Command) -> None:
        outcome = ackclock("examples")
        assert outcome.code == 0
        for one in lessons():
            assert one.name in outcome.out
            assert one.title in outcome.out

    def test_one_is_shown(self, ackclock: Command) -> None:
        out = " ".join(ackclock("examples", "incast").out.split())
        one = lesson("incast")
        for text in (one.question, one.learn, *one.change, *one.look, one.written):
            assert " ".join(text.split()) in out

    def test_its_scenario_is_written(self, ackclock: Command, tmp_path: Path) -> None:
        outcome = ackclock("examples", "incast", "--out", tmp_path / "mine.toml")
        assert (outcome.code, (tmp_path / "mine.toml").read_text()) == (0, lesson("incast").scenario)
        assert ackclock("check", tmp_path / "mine.toml").code == 0
        assert ackclock("examples", "incast", "--out", "-").out == lesson("incast").scenario

    def test_a_near_name_is_proposed(self, ackclock: Command) -> None:
        outcome = ackclock("examples", "incats")
        assert outcome.code == 2
        assert 'did you mean "incast"?' in outcome.err

    def test_a_file_for_no_lesson_is_refused(self, ackclock: Command) -> None:
        assert ackclock("examples", "--out", "all.toml").code == 2

    def test_names_are_completed(self) -> None:
        assert complete("rtt") == ["rtt-unfairness"]
        assert complete("") == names()


class TestLab:
    """Which scenario the page begins with."""

    def begun(self, ackclock: Command, what: str) -> Any:
        assert ackclock("lab", what, "--out", "lab.html", "--no-open").code == 0
        page = Path("lab.html").read_text(encoding="utf-8")
        _, _, rest = page.partition('id="given">')
        return json.JSONDecoder().raw_decode(rest)[0]

    def test_a_lesson(self, ackclock: Command) -> None:
        assert self.begun(ackclock, "incast") == {"scenario": None, "lesson": "incast"}

    def test_a_file_goes_before_a_lesson_of_its_name(self, ackclock: Command, tmp_path: Path) -> None:
        (tmp_path / "incast").write_text(SCENARIO)
        assert self.begun(ackclock, "incast") == {"scenario": SCENARIO, "lesson": None}

    def test_what_is_neither_is_refused(self, ackclock: Command) -> None:
        assert 'did you mean "incast"?' in ackclock("lab", "incats", "--no-open").err
        assert "incats.toml" in ackclock("lab", "incats.toml", "--no-open").err


@pytest.fixture(scope="module")
def kernel() -> Iterator[Any]:
    """A kernel of Jupyter in which one notebook runs after the other: to start one takes two seconds."""
    pytest.importorskip("nbclient")
    manager = importlib.import_module("jupyter_client.manager").KernelManager()
    # The kernel is a process of its own, which has to find the package that is tested.
    manager.start_kernel(env={**os.environ, "PYTHONPATH": str(LESSONS.parents[1])})
    yield manager
    manager.shutdown_kernel(now=True)
    manager.context.destroy()


MARKS = {"incast": (), "learning-tcp": pytest.mark.slow, "slow-start": pytest.mark.slow}
"""The notebooks that `make test` runs: a figure of a link, of a series that few controls have, and of what is drawn
where the lesson does not choose. What each lesson says is tested above.
"""


class TestNotebooks:
    def test_the_same_lesson_gives_the_same_file(self, ackclock: Command, tmp_path: Path) -> None:
        nbformat = pytest.importorskip("nbformat")
        for folder in ("a", "b"):
            assert ackclock("examples", "incast", "--notebooks", tmp_path / folder).code == 0
        text = (tmp_path / "a" / "incast.ipynb").read_text(encoding="utf-8")
        assert text == (tmp_path / "b" / "incast.ipynb").read_text(encoding="utf-8")
        nbformat.validate(nbformat.reads(text, as_version=4))
        assert lesson("incast").question in text
        assert lesson("incast").look[0] in text

    def test_students_get_one_without_answers(self, ackclock: Command, tmp_path: Path) -> None:
        pytest.importorskip("nbformat")
        asked = ("examples", "incast", "--without-answers")
        assert ackclock(*asked, "--notebooks", tmp_path).code == 0
        text = (tmp_path / "incast.ipynb").read_text(encoding="utf-8")
        assert lesson("incast").question in text
        assert not any(look in text for look in lesson("incast").look)
        assert "--without-answers: applies only to notebooks" in ackclock(*asked).err

    def test_a_lesson_in_a_file_has_one(self, ackclock: Command, tmp_path: Path) -> None:
        pytest.importorskip("nbformat")
        built_in = LESSONS
        for ending in (".toml", ".lesson.toml"):
            text = (built_in / f"incast{ending}").read_text(encoding="utf-8")
            (tmp_path / f"own{ending}").write_text(text, encoding="utf-8")
        done = ackclock("examples", tmp_path / "own.lesson.toml", "--notebooks", tmp_path / "notebooks")
        assert done.code == 0, done.err
        assert lesson("incast").question in (tmp_path / "notebooks" / "own.ipynb").read_text(encoding="utf-8")
        assert lesson("incast").question in ackclock("examples", tmp_path / "own.lesson.toml").out
        done = ackclock("examples", tmp_path / "none.lesson.toml")
        assert done.code == 2
        assert "none.lesson.toml" in done.err

    def test_every_lesson_has_one(self, ackclock: Command, tmp_path: Path) -> None:
        pytest.importorskip("nbformat")
        assert ackclock("examples", "--notebooks", tmp_path).code == 0
        assert sorted(file.stem for file in tmp_path.glob("*.ipynb")) == names()

    @pytest.mark.parametrize(
        "name", [pytest.param(name, marks=MARKS.get(name, pytest.mark.nightly)) for name in names()]
    )
    def test_it_runs(
        self, ackclock: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kernel: Any, name: str
    ) -> None:
        nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
        # What ten seeds say is tested above: here two are enough for an interval.
        monkeypatch.setattr(notebook_of_lesson, "REPLICATIONS", 2)
        assert ackclock("examples", name, "--notebooks", tmp_path).code == 0
        notebook = nbformat.read(tmp_path / f"{name}.ipynb", as_version=4)
        # Nothing of the notebook before is left.
        notebook.cells.insert(0, nbformat.v4.new_code_cell("%reset -f"))
        client = nbclient.NotebookClient(notebook, km=kernel, timeout=120)
        client.execute()
        client.kc.stop_channels()
        shown = [
            output["data"]
            for cell in notebook.cells
            for output in cell.get("outputs", [])
            if "data" in output
        ]
        assert "±" in shown[0]["text/html"]
        (figure,) = [
            data["application/vnd.plotly.v1+json"]
            for data in shown
            if "application/vnd.plotly.v1+json" in data
        ]
        assert len(figure["layout"]["annotations"]) == len(lesson(name).variants)


def test_lesson_files_have_a_comment_and_a_name() -> None:
    for name in names():
        text = (LESSONS / f"{name}.toml").read_text(encoding="utf-8")
        assert text.startswith("# "), name
        assert toml.loads(text)["name"], name
