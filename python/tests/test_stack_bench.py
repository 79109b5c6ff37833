"""``ackclock bench-stack``: what its arguments name, its table and its page, and that every path can be run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ackclock import hard_paths
from ackclock._stack_bench import (
    METRICS,
    Bench,
    Cell,
    Contender,
    bench,
    comparisons,
    contenders,
    known_paths,
    scenarios,
)
from ackclock.errors import InputError
from ackclock.report import alive
from ackclock.scenario import Scenario
from ackclock.statistics import summarise
from ackclock.web.module import MODULE

from .conftest import Command


def test_a_control_of_ours_runs_over_the_first_stack_that_is_named() -> None:
    assert contenders(["bbrv3", "noq:bbr3", "cubic@quic", "quinn:cubic"]) == [
        Contender("bbrv3", "noq"),
        Contender("noq:bbr3", "noq"),
        Contender("cubic", "quic"),
        Contender("quinn:cubic", "quinn"),
    ]
    assert contenders(["bbrv3"]) == [Contender("bbrv3", "quic")]
    assert [str(who) for who in contenders(["noq:bbr3", "bbrv3"])] == ["noq:bbr3", "bbrv3@noq"]


def test_what_does_not_exist_is_named_with_what_is_nearest() -> None:
    with pytest.raises(InputError, match="no transport 'quik'; did you mean \"quic\""):
        contenders(["bbrv3@quik"])
    with pytest.raises(
        InputError, match=r"no path 'shalow'; did you mean \"shallow\"\?\nexpected one of bufferbloat, "
    ):
        known_paths(["shalow"])
    with pytest.raises(InputError, match="did you mean `noq:bbr3`"):
        list(scenarios(Contender("noq:bbr4", "noq"), ["shallow"]))


def test_every_path_has_a_flow_under_test_that_a_stack_can_carry() -> None:
    files = {file.stem for file in Path(hard_paths.__file__).parent.glob("*.toml")}
    assert files == set(hard_paths.NAMES)
    for who in (Contender("noq:bbr3", "noq"), Contender("cubic", "quinn"), Contender("bbrv3", "quic")):
        assert [name for name, _ in scenarios(who, hard_paths.NAMES)] == list(hard_paths.NAMES)


def test_each_copy_of_the_cellular_trace_is_what_the_script_draws() -> None:
    root = Path(__file__).resolve().parents[2]
    script = [sys.executable, root / "scripts" / "make-cellular-trace", "--seconds", "20", "--seed", "1"]
    drawn = subprocess.run(script, check=True, capture_output=True, text=True).stdout
    package = root / "python" / "ackclock"
    for folder in (
        package / "hard_paths",
        package / "archive" / "studies" / "today",
        root / "scenarios" / "examples",
    ):
        assert (folder / "cellular.trace").read_text(encoding="utf-8") == drawn, folder


def test_the_means_are_those_of_the_runs(tmp_path: Path) -> None:
    # The application writes 12 of 20 Mbit/s: both have that goodput, lose nothing, and wait for the link alone. Their
    # packets take 20 ms, 0.6 ms at the bottleneck and 24 us at the other links.
    made = bench(contenders(["noq:cubic", "cubic@quic"]), ["app-limited"], replications=2, out=tmp_path)
    for cell in made.paths["app-limited"]:
        assert cell.summaries["goodput"].mean == pytest.approx(12, rel=0.001)
        assert cell.summaries["delay"].mean == pytest.approx(20.64, abs=0.3)
        assert (cell.summaries["lost"].mean, cell.closed, cell.reason) == (0, 0, None)
    assert made.unseeded == []


def test_the_command_prints_a_table_and_writes_a_page(ackclock: Command, tmp_path: Path) -> None:
    arguments = ("bench-stack", "noq:bbr3", "bbrv3", "--path", "app-limited", "--replications", "2")
    outcome = ackclock(*arguments, "--html", "--out", tmp_path)
    assert outcome.code == 0
    assert "bbrv3@noq" in outcome.out
    assert "noq:bbr3 draws random numbers that the seed does not determine" in outcome.err
    page = (tmp_path / "bench-stack.html").read_text(encoding="utf-8")
    assert "noq:bbr3 and bbrv3@noq on hard paths" in page
    assert "ackclock bench-stack noq:bbr3 bbrv3 --path app-limited --replications 2" in page
    found = json.loads(ackclock(*arguments, "--json", "--out", tmp_path).out)
    assert found["not_seeded"] == ["noq:bbr3"]
    assert found["paths"]["app-limited"][1]["goodput"]["mean"] == pytest.approx(12, rel=0.001)


def test_a_report_with_a_foreign_stack_does_not_offer_to_run_it_in_the_page() -> None:
    for transport, offers in (("noq", False), ("quic", True)):
        path = hard_paths.path("app-limited")
        run = Scenario.from_file(path, {"flows.test.transport": transport, "duration": "6 s"}).run()
        section = alive.of_runs(path.read_text(encoding="utf-8"), {}, [run], [""], 1)
        assert section.there == (offers and MODULE.exists())


def test_a_sentence_counts_the_paths_on_which_a_control_differs_from_the_first() -> None:
    def cell(*samples: float) -> Cell:
        return Cell({metric.id: summarise(samples) for metric in METRICS}, 0, None)

    who = [Contender("a", "noq"), Contender("b", "noq")]
    # The intervals of 9, 10, 11 and 19, 20, 21 are 10 and 20 ± 2.5; that of 9, 15, 21 reaches into both.
    low, high, wide = cell(9, 10, 11), cell(19, 20, 21), cell(9, 15, 21)
    paths = {"up": [low, high], "down": [high, low], "again": [low, high], "near": [low, wide]}
    (sentence,) = comparisons(Bench(who, 3, paths, []))
    assert sentence == (
        "b@noq compared with a@noq on 4 paths: goodput larger on 2 and smaller on 1, "
        "p95 one-way delay larger on 2 and smaller on 1, loss larger on 2 and smaller on 1"
    )
    assert comparisons(Bench(who, 1, {"up": [cell(1), cell(2)]}, [])) == []


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("quinn", "quinn: found a stack, expected one of its controls: quinn:"),
        ("quinn:cubc", 'there is no control "quinn:cubc"; did you mean "quinn:cubic"?'),
    ],
)
def test_a_control_that_does_not_exist_is_refused(ackclock: Command, word: str, told: str) -> None:
    refused = ackclock("bench-stack", word, "cubic")
    assert refused.code == 2
    assert told in refused.err
