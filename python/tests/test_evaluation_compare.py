"""The comparison of an evaluation with a record: what got worse."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ackclock.errors import InputError
from ackclock.evaluation import compare


def worse(now: dict[str, Any], before: dict[str, Any], limits: compare.Thresholds) -> list[str]:
    return list(compare.compared(now, before, limits).worse)


def record(
    values: Sequence[float | None], verdict: str = "OK", better: str = "less", failed: int = 0
) -> dict[str, Any]:
    finding = {
        "metric": "m",
        "measure": "value",
        "text": "Loss: at most 2 %",
        "setting": "",
        "verdict": verdict,
        "reference": "cubic",
        "tested": 3.0,
        "references": {"cubic": 1.0},
        "allowed": [None, 2.0],
        "reason": "",
    }
    setting = {"name": "", "tested": {"m": values}}
    scenario = {
        "name": "N-03",
        "failed_runs": failed,
        "failure": "division by zero" if failed else "",
        "metrics": [{"id": "m", "label": "Loss", "unit": "%", "better": better}],
        "settings": [setting],
        "findings": [finding],
    }
    return {
        "command": "ackclock evaluate cubic --quick",
        "references": ["cubic", "sack"],
        "seeds": list(range(len(values))),
        "quick": True,
        "criteria": [{"scenarios": [scenario]}],
    }


def test_an_equal_record_is_no_worse() -> None:
    one = record([1.0, 2.0, 3.0, 4.0])
    assert worse(one, one, compare.Thresholds()) == []


def test_what_is_worse_beyond_noise_is_told() -> None:
    before = record([1.0, 1.1, 1.2, 1.3])
    limits = compare.Thresholds()
    (told,) = worse(record([2.0, 2.1, 2.21, 2.3]), before, limits)
    assert told == "N-03.m: 1.15 before, 2.152 now"
    # Better, noise, and a change within the tolerance.
    assert worse(record([0.5, 0.6, 0.71, 0.8]), before, limits) == []
    assert worse(record([0.5, 2.9, 0.3, 2.5]), before, limits) == []
    assert worse(record([1.01, 1.11, 1.2101, 1.31]), before, limits) == []
    # More is better: the same fall is worse.
    fallen = worse(record([0.5, 0.6, 0.71, 0.8], better="more"), record([1.0, 1.1, 1.2, 1.3]), limits)
    assert len(fallen) == 1
    assert worse(record([2.0, 2.1, 2.21, 2.3]), before, compare.Thresholds(ignore=("N-03.*",))) == []
    assert worse(record([2.0, 2.1, 2.21, 2.3]), before, compare.Thresholds(metrics={"N-03.m": 1.0})) == []


def of_settings(values: Sequence[Sequence[float]]) -> dict[str, Any]:
    """A record of a scenario in which a metric of which less is better has these values in its settings."""
    one = record(values[0])
    (scenario,) = one["criteria"][0]["scenarios"]
    scenario["settings"] = [{"name": f"s{k}", "tested": {"m": of}} for k, of in enumerate(values)]
    return one


def test_a_change_that_no_setting_shows_is_found_over_all() -> None:
    # 4 % more in each of ten settings with a noise of 5 %: over five seeds t is 1.8 in a setting, 5.7 over all 50.
    random = np.random.default_rng(1)
    before = 10 * random.normal(1, 0.02, (10, 5))
    now = before * random.normal(1.04, 0.05, (10, 5))
    (told,) = worse(of_settings(now.tolist()), of_settings(before.tolist()), compare.Thresholds(0.02))
    assert re.fullmatch(
        r"N-03.m: [\d.]+ % higher on average over 10 settings; largest change in s\d: [\d.]+ before, [\d.]+ now",
        told,
    )
    both = [of_settings(one.tolist())["criteria"][0]["scenarios"][0] for one in (now, before)]
    pairs = list(compare._pairs("N-03", *both, compare.Thresholds(0.02)))
    assert compare.significant(compare._in_settings(pairs), compare.ERROR / 2) == []
    # In one setting alone, a large change is found there: a tenth of it is within the tolerance over all.
    once = before.copy()
    once[3] *= 1.3
    (told,) = worse(of_settings(once.tolist()), of_settings(before.tolist()), compare.Thresholds())
    assert told.startswith("N-03.m (s3): ")


def test_a_word_that_is_a_worse_one_is_told() -> None:
    same, words = [1.0, 1.0, 1.0], ("OK", "as standard controls", "undecided", "CONCERN")
    for then in words:
        for now in words:
            # A concern is worse than what is undecided, and this than the others.
            is_worse = max(words.index(now), 1) > max(words.index(then), 1)
            measured = "Loss: 3.00 % (cubic 1.00 %, at most 2.00 % allowed for any control)"
            told = [f"N-03: {now} (was {then}): {measured}"] if is_worse else []
            assert worse(record(same, now), record(same, then), compare.Thresholds()) == told


@pytest.mark.parametrize("verdict", ["OK", "CONCERN"])
def test_a_run_that_fails_is_worse_whatever_the_record_has(verdict: str) -> None:
    # Where the record has a concern, and even where its runs failed too, a crash does not pass.
    before, now = record([1.0] * 12, verdict), record([None] * 12, "CONCERN", "more", failed=12)
    for then in (before, {**before, **record([None] * 12, "CONCERN", "more", failed=12)}):
        assert "N-03: 12 runs of the control failed: division by zero" in worse(
            now, then, compare.Thresholds()
        )
    assert worse(now, before, compare.Thresholds(ignore=("N-03",))) == []


def test_the_outcome_says_over_how_many_of_the_comparisons_it_is() -> None:
    one = record([1.0, 2.0, 3.0])
    other = record([1.0, 2.0, 3.0])
    other["criteria"][0]["scenarios"].append({**one["criteria"][0]["scenarios"][0], "name": "N-04"})
    outcome = compare.compared(one, other, compare.Thresholds())
    # A condition and a metric in one setting each; the record has two such scenarios.
    assert (outcome.compared, outcome.recorded) == (2, 4)
    assert str(outcome) == "no worse than the record (2 of 4 possible comparisons made)"
    ignoring = compare.compared(one, other, compare.Thresholds(ignore=("N-03",)))
    assert (ignoring.compared, ignoring.recorded) == (0, 4)
    crashed = compare.compared(record([1.0, 2.0, 3.0], failed=1), other, compare.Thresholds())
    assert str(crashed) == "worse than the record in 1 respect (2 of 4 possible comparisons made)"


def test_a_record_that_shares_no_scenario_is_refused() -> None:
    with pytest.raises(InputError, match=r"none of the scenarios N-05, N-06, expected at least one .*: N-03"):
        compare.require_shared(["N-05", "N-06"], record([1.0]))
    compare.require_shared(["N-05", "N-03"], record([1.0]))


def test_a_time_that_is_no_longer_reached_is_told() -> None:
    before, limits = record([1.0, 1.1, None, 1.3]), compare.Thresholds()
    now = record([1.0, None, None, 1.3])
    assert worse(now, before, limits) == ["N-03.m: no value in 2 of 4 runs (1 in the record)"]
    assert worse(before, now, limits) == []
    # Another run than before.
    assert worse(record([1.0, None, 1.2, 1.3]), before, limits) == []
    assert worse(now, before, compare.Thresholds(ignore=("N-03",))) == []
    # A breaker that opens late is good, one that never opens is best.
    assert worse({**record([None] * 4, better="more")}, record([1.0] * 4, better="more"), limits) == []


def test_many_comparisons_do_not_make_a_false_alarm() -> None:
    random = np.random.default_rng(1)
    alarms = 0
    for _ in range(20):
        changes = []
        for k in range(100):
            a, b = random.normal(10, 1, 5), random.normal(10, 1, 5)
            difference = compare.paired_difference(a, b)
            changes.append(compare.Change(f"m{k}", "", b.mean(), a.mean(), difference.p_above(0), 0.0))
        alarms += bool(compare.significant(changes, compare.ERROR))
    assert alarms <= 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("metrics = 5", "metrics: found 5, expected a table"),
        ('ignore = "N-24"', "ignore: found 'N-24', expected a list"),
        ("tolerance = nan", "tolerance: found nan, expected a relative change"),
        ('[metrics]\n"N-03.loss" = -1', ':2:1: metrics: "N-03.loss": found -1, expected a relative change'),
        ("tolerence = 1", ':1:1: tolerence: unknown key; did you mean "tolerance"'),
        (
            "\n[metrics]\n'N-03.los' = 1",
            ':3:1: metrics: "N-03.los": no metric matches this name or pattern; did you mean "N-03.loss"',
        ),
        ("[metrics]\nN-03 = 1", ':2:1: metrics: "N-03": no metric matches this name or pattern'),
        (
            'ignore = ["N-03", "N-24x"]',
            ':1:19: ignore: "N-24x": no scenario or metric matches this name or pattern; did you mean "N-24"',
        ),
        ('ignore = ["N-03.los"]', 'did you mean "N-03.loss"'),
        ("\ntolerance = ", ":2:13: "),
    ],
)
def test_wrong_thresholds_are_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "limits.toml").write_text(text)
    with pytest.raises(InputError) as caught:
        compare.read_thresholds(tmp_path / "limits.toml", ["N-03.loss", "N-24.fct"])
    assert message in str(caught.value)


def test_patterns_name_scenarios_and_metrics(tmp_path: Path) -> None:
    (tmp_path / "limits.toml").write_text('ignore = ["N-2*", "N-03.worst"]\n[metrics]\n"*.loss" = 0.2\n')
    limits = compare.read_thresholds(tmp_path / "limits.toml", ["N-03.loss", "N-03.worst", "N-24.fct"])
    named = {"N-03.loss": 0.2, "N-03.worst": None, "N-24.fct": None, "N-03.other": compare.TOLERANCE}
    assert {name: limits.of(name) for name in named} == named


def test_a_record_that_lacks_something_is_refused(tmp_path: Path) -> None:
    (tmp_path / "record.json").write_text('{"kind": "ackclock evaluate"}')
    with pytest.raises(InputError, match=r"`ackclock evaluate --json > .*record\.json` makes a new one"):
        compare.read_record(tmp_path / "record.json")


def test_other_seeds_and_references_are_refused() -> None:
    before, alike = (
        record([1.0, 2.0, 3.0]),
        {"seeds": range(3), "quick": True, "most_packets": None, "references": ["cubic", "sack"]},
    )
    compare.require_alike(before, **alike)
    for change, message in (
        (
            {"seeds": range(2)},
            r"\(seeds 0, 1, 2\), but this is a quick one \(seeds 0, 1\): make a new record",
        ),
        ({"quick": False}, r"is of a quick evaluation \(seeds 0, 1, 2\), but this is a full one"),
        (
            {"most_packets": 1000},
            "all settings, but this evaluation covers the settings whose links carry up to 1,000 packets",
        ),
        (
            {"references": ["sack"]},
            "the references cubic, sack, but this evaluation has sack: make a new record, or",
        ),
    ):
        with pytest.raises(InputError, match=message):
            compare.require_alike(before, **{**alike, **change})


def test_the_transport_of_a_record_is_that_of_its_command() -> None:
    assert compare.transport_of(record([1.0])) is None
    quoted = {"command": "ackclock evaluate cubic --quick --transport '{ name = \"rfc\", ecn = true }'"}
    assert compare.transport_of(quoted) == '{ name = "rfc", ecn = true }'
