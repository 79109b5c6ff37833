"""How many replications a study runs: until claims are decided, or intervals are narrow enough."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from conftest import STUDY, replaced

from ackclock._store import Store
from ackclock.errors import InputError
from ackclock.experiment.model import Result
from ackclock.experiment.truth import ERROR, ERROR_LATER, compared
from ackclock.study.claim import Claim
from ackclock.study.load import parse_study
from ackclock.study.result import ClaimResult, StudyResult
from ackclock.study.run import HOPELESS, LOOKS, run_study
from ackclock.study.verdict import judge


def run(text: str = STUDY, *, quick: bool = False, store: Store | None = None) -> StudyResult:
    return run_study(parse_study(text, "test", "study.toml"), quick=quick, store=store)


@pytest.fixture(scope="module")
def result() -> StudyResult:
    return run()


def unsure(bound: float) -> str:
    """A claim that the difference between two cases is above ``bound``."""
    return f"""
[[claims]]
id = "3"
text = "Few get more than many"
measured = "goodput('few') - goodput('many')"
expect = "> {bound}"
"""


def test_what_is_left_undecided_grows_or_says_how_much_it_would_take() -> None:
    found = run("replications_most = 3\n" + STUDY + unsure(0)).claims[2]
    assert found.measured is not None
    assert found.interval is not None
    # The interval of three replications reaches 0.3 of its half width beyond the end of what is accepted.
    claim = unsure(found.measured - 0.7 * (found.interval[1] - found.interval[0]) / 2)
    stopped = run("replications_most = 3\n" + STUDY + claim)
    undecided, needed = stopped.claims[2], stopped.claims[2].replications_needed
    assert (undecided.verdict, stopped.replications) == ("undecided", 3)
    # t(n - 1) / sqrt(n) has to come down from 2.484 to 0.7 of that, 1.739: 3.182 / 2 = 1.591 at n = 4.
    assert needed == 4
    assert "about 4 replications would decide it (3 were run)" in undecided.detail
    # A second look decides at 99 %: 4.604 / sqrt(5) = 2.059 at n = 5, 4.032 / sqrt(6) = 1.646 at n = 6.
    grown = run("replications_most = 6\n" + STUDY + claim)
    assert grown.replications == 6
    assert all(case.seeds == (1, 2, 3, 4, 5, 6) for case in grown.cases)
    assert "judged at 99 %, because a first look left it undecided" in grown.claims[2].detail
    # Claims that the first look decided are judged as before, and so are the other readings, with its replications.
    assert "99 %" not in grown.claims[1].detail
    others = grown.assumptions[0].sensitivity[0].claims
    assert len(others[0].samples) == 3
    assert not any("99 %" in other.detail for other in others)


def test_growth_goes_on_until_all_is_decided_or_the_most_replications(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks = []

    def judged(claim: Claim, words: Any, replications: int, **keys: Any) -> ClaimResult:
        looks.append((claim.id, replications, keys["error"]))
        result = judge(claim, words, replications, **keys)
        needed = {3: 4, 4: 6, 6: 7, 10: 100}[replications]
        stubborn = claim.id == "3"
        return replace(result, verdict="undecided", replications_needed=needed) if stubborn else result

    monkeypatch.setattr("ackclock.study.measured.judge", judged)
    grown = run_study(
        parse_study("replications_most = 10\n" + STUDY + unsure(0), "t", "t.toml"), sensitivity=False
    )
    # Three further looks; the third has all that there may be.
    assert grown.replications == 10
    assert list(dict.fromkeys(n for id, n, _ in looks if id == "3")) == [3, 4, 6, 10]
    assert {error for id, n, error in looks if id == "3" and n > 3} == {ERROR_LATER}
    assert {error for id, _, error in looks if id != "3"} == {ERROR}


@pytest.mark.parametrize("needed", [None, 41])
def test_what_is_hopeless_does_not_grow(monkeypatch: pytest.MonkeyPatch, needed: int | None) -> None:
    def judged(claim: Claim, words: Any, replications: int, **keys: Any) -> ClaimResult:
        result = judge(claim, words, replications, **keys)
        return replace(result, verdict="undecided", replications_needed=needed)

    monkeypatch.setattr("ackclock.study.measured.judge", judged)
    text = "replications_most = 10\n" + STUDY
    found = run_study(parse_study(text, "t", "t.toml"), sensitivity=False)
    assert found.replications == 3
    assert not any("judged at 99 %" in claim.detail for claim in found.claims)


@pytest.mark.parametrize(("error", "expected"), [(ERROR_LATER, 0.065), (ERROR, 0.121)])
def test_looking_again_seldom_decides_what_cannot_be_decided(error: float, expected: float) -> None:
    # The truth lies on the end of what is accepted, so every verdict is wrong. One look at 95 % errs in 5 % of the
    # cases. The expected numbers are of 2000 simulated studies; docs/studies.md has the first. Four standard deviations
    # of 1500 studies are 2.5 and 3.4 points.
    numbers = np.random.default_rng(8)
    wrong, trials, first, most = 0, 1500, 20, 80
    for _ in range(trials):
        samples, count, looks = numbers.normal(size=most), first, 0
        truth = compared(">", samples[:count])
        while truth.result is Result.UNDECIDED and count < most and looks < LOOKS:
            needed = replace(truth, error=error).replications
            if needed > HOPELESS * most:
                break
            looks += 1
            count = most if looks == LOOKS else int(min(needed, most))
            truth = replace(compared(">", samples[:count]), error=error)
        wrong += truth.result is not Result.UNDECIDED
    assert wrong / trials == pytest.approx(expected, abs=4 * (expected * (1 - expected) / trials) ** 0.5)


class TestPrecision:
    """A second of start times decides what two flows get in five seconds: their goodput differs between seeds."""

    def study(self, within: str, most: int, metrics: str = '"goodput"') -> str:
        precision = (
            f'precision = {{ within = "{within}", metrics = [{metrics}], replications_most = {most} }}'
        )
        return replaced(STUDY, ("replications = 3\n", f"replications = 3\n{precision}\n"))

    def test_replications_are_added_until_it_is_reached(self) -> None:
        wide = run(STUDY).case("few").values["goodput"]
        assert wide.interval is not None
        assert wide.mean
        half = (wide.interval[1] - wide.interval[0]) / 2 / wide.mean
        result = run(self.study(f"{100 * half / 3:.3f} %", 300))
        precision = result.precision
        assert precision is not None
        assert precision.reached
        assert precision.widest is not None
        assert precision.widest <= precision.wanted
        assert 3 < result.replications < 300
        assert result.replications % 3 == 0
        assert len(result.case("many").seeds) == result.replications
        # The alternatives ran as often.
        count = result.replications
        assert result.runs == 3 * count
        assert "within" in str(precision)

    def test_the_first_batch_may_do(self) -> None:
        result = run(self.study("500 %", 300))
        assert result.replications == 3

    def test_there_is_an_end(self) -> None:
        result = run(self.study("0.0001 %", 7))
        assert result.replications == 7
        assert result.precision is not None
        assert not result.precision.reached
        assert "not as precise as wanted: goodput('" in str(result.precision)

    def test_what_does_not_vary_is_precise(self) -> None:
        result = run(self.study("0.0001 %", 300, '"flows_seen"'))
        assert result.replications == 3

    def test_no_sample_is_not_precise(self) -> None:
        text = replaced(self.study("5 %", 6), ("sum(flows.goodput_bps) / 1e6", "log(-1)"))
        result = run(text)
        assert result.replications == 6
        assert "has no interval" in str(result.precision)

    def test_quick_leaves_it_out(self) -> None:
        result = run(self.study("0.0001 %", 300), quick=True)
        assert (result.replications, result.precision) == (2, None)

    def test_more_replications_begin_like_fewer(self, result: StudyResult) -> None:
        more = run(self.study("0.0001 %", 6)).case("few").values["goodput"].samples
        assert more[:3] == result.case("few").values["goodput"].samples
        assert len(more) == 6

    @pytest.mark.parametrize(
        ("within", "most", "metrics", "message"),
        [
            ("5", 9, '"goodput"', 'precision.within: found "5", expected a percentage above 0'),
            ("0 %", 9, '"goodput"', "expected a percentage above 0"),
            ("1.2.3 %", 9, '"goodput"', "expected a percentage above 0"),
            ("5 %", 2, '"goodput"', "precision.replications_most: is less than replications"),
            (
                "5 %",
                9,
                '"goodptu"',
                'precision.metrics: there is no metric "goodptu"; did you mean "goodput"?',
            ),
        ],
    )
    def test_mistakes(self, within: str, most: int, metrics: str, message: str) -> None:
        with pytest.raises(InputError) as caught:
            run(self.study(within, most, metrics))
        assert message in str(caught.value)
