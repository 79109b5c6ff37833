"""Labels of swept values: tables by what differs."""

from __future__ import annotations

from typing import Any

import pytest

from ackclock._labels import labels


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["10 packets", 3, True], ["10 packets", "3", "true"]),
        (
            [{"name": "fq-codel", "limit": "0.5 bdp"}, "droptail", {"name": "fq-codel", "limit": "1 bdp"}],
            ["fq-codel, 0.5 bdp", "droptail", "fq-codel, 1 bdp"],
        ),
        # What all have in common is left out.
        ([{"name": "red", "limit": "1 bdp"}, {"name": "pie", "limit": "1 bdp"}], ["red", "pie"]),
        # Where values alone would be the same, their keys tell them apart.
        (
            [{"name": "red", "min": 5, "max": 5}, {"name": "red", "min": 5}, {"name": "red", "max": 5}],
            ["min 5, max 5", "min 5", "max 5"],
        ),
        # One that differs by a missing key has the common name.
        (
            [{"name": "cubic"}, {"name": "cubic", "beta": 0.5}, {"name": "cubic", "c": 0.5}],
            ["cubic", "cubic, beta 0.5", "cubic, c 0.5"],
        ),
        (["cubic", {"name": "cubic", "beta": 0.5}], ["cubic", "cubic, beta 0.5"]),
        ([{"rate": {"from": 1, "to": 2}}, {"rate": {"from": 1, "to": 3}}], ["2", "3"]),
        ([[1, 2], [3]], ["[1, 2]", "[3]"]),
    ],
)
def test_a_label_has_what_differs(values: list[Any], expected: list[str]) -> None:
    assert labels(values) == expected
