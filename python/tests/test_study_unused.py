"""Tests of the warning about tables of a study's scenario that no case uses."""

from __future__ import annotations

from typing import Any

import pytest

from ackclock.study.unused import unused

SCENARIO: dict[str, Any] = {
    "flows": [
        {"name": "tcp", "control": {"name": "rbcc", "rtt_min": "62 ms"}, "count": 5},
        {"name": "udp", "control": "cubic"},
    ],
    "links": {"one": {"rate": "1 Mbit/s"}},
}


@pytest.mark.parametrize(
    ("cases", "warned"),
    [
        ([{"flows.tcp.control": "sack"}, {"flows.tcp.control": {"name": "rbcc"}}], "`flows.tcp.control`"),
        ([{"flows.tcp.control": "sack"}, {"flows.*.control": "reno"}], "`flows.tcp.control`"),
        ([{"links.one": {"rate": "2 Mbit/s"}}], "`links.one`"),
        # The second case uses the table, or a part of it.
        ([{"flows.tcp.control": "sack"}, {}], None),
        ([{"flows.tcp.control": "sack"}, {"flows.tcp.control.rtt_min": "85 ms"}], None),
        # A single value that every case replaces is where a sweep begins.
        ([{"flows.tcp.count": 5}, {"flows.tcp.count": 25}], None),
        ([{"flows.udp.control": "sack"}], None),
        ([{"flows.none.control": "sack"}], None),
    ],
)
def test_a_table_that_every_case_replaces_is_named(cases: list[dict[str, Any]], warned: str | None) -> None:
    warnings = list(unused(SCENARIO, cases))
    assert len(warnings) == (warned is not None)
    assert all(one.startswith(f"{warned}: every case replaces this table") for one in warnings)
