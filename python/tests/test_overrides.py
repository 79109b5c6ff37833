"""Layers of overrides."""

from datetime import date

import pytest

from ackclock import InputError
from ackclock._overrides import merge, to_json


def test_later_layers_win() -> None:
    assert merge({"a": 1, "b": 2}, {"a": 3}) == {"a": 3, "b": 2}


def test_a_table_replaces_what_was_set_inside_it() -> None:
    assert merge({"flows.tcp.control.beta": 0.7}, {"flows.tcp.control": "reno"}) == {
        "flows.tcp.control": "reno"
    }


def test_a_value_inside_a_table_that_was_set_is_kept_beside_it() -> None:
    merged = merge({"flows.tcp.control": {"name": "rbcc"}}, {"flows.tcp.control.beta": 1})
    # In this order, and in sorted order too, the table comes before what is set inside it.
    assert list(merged) == sorted(merged) == ["flows.tcp.control", "flows.tcp.control.beta"]


def test_a_path_for_every_item_replaces_what_was_set_in_one() -> None:
    every = {"flows.*.control": "sack"}
    assert merge({"flows.tcp.control": "reno", "flows.tcp.count": 2}, every) == {
        "flows.tcp.count": 2,
        **every,
    }
    # The core sets paths in sorted order, in which * comes before names and numbers: the one item keeps its own.
    assert list(merge(every, {"flows.tcp.control": "reno"})) == ["flows.*.control", "flows.tcp.control"]
    assert min(["flows.tcp.control", "flows.*.control", "flows.0.control"]) == "flows.*.control"


def test_a_key_of_every_item_is_set_inside_the_table_of_one() -> None:
    """In sorted order the table of one item comes after ``*``, and would take the key back."""
    merged = merge({"flows.tcp.control": "cubic"}, {"flows.*.control.beta": 0.5})
    document: dict[str, dict[str, object]] = {"tcp": {}, "other": {}}
    for path, value in sorted(merged.items()):
        _, item, _, *key = path.split(".")
        for name in document if item == "*" else [item]:
            document[name] = {**document[name], key[0]: value} if key else {"name": value}
    assert document == {"tcp": {"name": "cubic", "beta": 0.5}, "other": {"beta": 0.5}}
    again = merge(merged, {"flows.tcp.control": "reno"})
    assert again == {"flows.*.control.beta": 0.5, "flows.tcp.control": "reno"}


def test_paths_that_only_begin_alike_are_different() -> None:
    assert merge({"flows.tcp.count": 1}, {"flows.tcp": 2, "flows.tcp2": 3, "flows.t": 4}) == {
        "flows.tcp": 2,
        "flows.tcp2": 3,
        "flows.t": 4,
    }


@pytest.mark.parametrize("value", [float("nan"), float("inf"), date(2007, 2, 1), [{"a": float("nan")}]])
def test_values_that_no_scenario_can_hold(value: object) -> None:
    with pytest.raises(InputError, match="a value that a scenario cannot contain"):
        to_json({"duration": value})
