"""The page on pairs of QUIC stacks says what its record holds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement, groupby
from typing import Any

import pytest
from conftest import script

matrix = script("stack_matrix.py")


def duel(first: str, second: str, goodput_mbps: list[float], closed: str | None = None) -> dict[str, Any]:
    run = {
        "goodput_mbps": goodput_mbps,
        "delay_p95_ms": [7.0, 9.0],
        "lost_pct": [1.0, 3.0],
        "closed": [closed, None],
    }
    return {"first": first, "second": second, "rate_mbps": 20, "rtt_ms": 10, "buffer_bdp": 1, "runs": [run]}


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    duels = [
        duel("a", "a", [6, 4]),
        duel("a", "b", [15, 5]),
        duel("a", "b", [0, 20], closed="idle"),
        duel("b", "b", [5, 5]),
    ]
    changes = [duel("a", "bursts", [8, 2]), duel("a", "bursts", [6, 4]), duel("a", "no pacing", [9, 1])]
    made = {"controls": ["a", "b"], "seeds": 1, "duels": duels, "changes": changes}
    monkeypatch.setattr(matrix, "record", lambda: made)
    matrix.sides.cache_clear()
    matrix.changes.cache_clear()
    yield
    matrix.sides.cache_clear()
    matrix.changes.cache_clear()


@pytest.mark.usefixtures("small")
def test_a_duel_in_which_a_stack_closed_its_connection_has_no_share() -> None:
    # 15 of 20 Mbit/s are 75 %, three times what the other carries; the closed duel would make it 37.5 %.
    answer = matrix.answer()
    assert "In 1 of 1 duels" in answer
    assert "a beside b: averaged over all paths, a has 75 % of the sum of both goodputs" in answer
    assert "In 1 more duel, a stack closed its connection" in answer
    # The 95th percentile of 7 ms has 5 ms of propagation in it: half of the round trip.
    assert "| a | 75 % | 75 %, b | 2.0 | 1.00 | 1 of 2 |" in matrix.table()
    assert "the share of a flow is 40 to 60 %" in matrix.beside_itself()


@pytest.mark.usefixtures("small")
def test_the_map_has_a_number_for_each_pair() -> None:
    assert [matrix.picture().count(f">{share}<") for share in (75, 25, 50)] == [1, 1, 2]


@pytest.mark.usefixtures("small")
def test_each_change_has_the_share_of_the_flow_that_has_it() -> None:
    # Each is the second flow: 4 of 10 without a change, the mean of 20 and 40 %, one tenth.
    lines = matrix.one_change_each().splitlines()
    assert lines[2:] == [
        "| a, unchanged | 40 % | 40 % |",
        "| with bursts | 30 % | 30 % |",
        "| with no pacing | 10 % | 10 % |",
    ]


def test_what_the_page_says_of_bursts_and_growth_is_in_the_record() -> None:
    unchanged = matrix.mean_share(matrix.beside("cubic@quic", "cubic@quic")[1::2])
    stacks = [matrix.mean_share(matrix.beside(f"{name}:cubic", "cubic@quic")) for name in ("noq", "quinn")]
    alone = {
        name: matrix.mean_share(side for side in matrix.changes() if side.own == name)
        for name in matrix.named(matrix.changes())
    }
    assert unchanged - alone["bursts of ten datagrams"] > (unchanged - max(stacks)) / 2
    assert unchanged - alone["the constants of Linux, 8/15 for the increase"] < 0.02


def test_the_record_has_every_pair_on_sixteen_paths() -> None:
    made = matrix.record()
    found = [(one["first"], one["second"]) for one in made["duels"]]
    pairs = list(combinations_with_replacement(made["controls"], 2))
    assert found == [pair for pair in pairs for _ in range(16)]
    assert all(len(one["runs"]) == made["seeds"] for one in [*made["duels"], *made["changes"]])
    assert [len(list(own)) for _, own in groupby(made["changes"], lambda one: one["second"])] == [16] * 4
    # No pair of flows carries more than the link.
    assert all(sum(run["goodput_mbps"]) <= one["rate_mbps"] for one in made["duels"] for run in one["runs"])
