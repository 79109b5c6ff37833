"""Controls and queue disciplines in Python that ask the program to end: their run fails, and no more."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from test_custom import Rbcc, Red, document

from ackclock.errors import RunError
from ackclock.scenario import Scenario


@pytest.mark.parametrize("where", ["__init__", "decision", "on_ack", "on_loss"])
@pytest.mark.parametrize("exits", [SystemExit(0), GeneratorExit("odd")], ids=repr)
def test_a_control_that_asks_the_program_to_end_fails_its_run(where: str, exits: BaseException) -> None:
    def end(*_: Any) -> None:
        raise exits

    class Ends(Rbcc):  # type: ignore[misc]  # an example loaded at run time, without a type
        """Ends the program."""

    setattr(Ends, where, end)
    queue = {"name": "droptail", "limit": "5 packets"}
    with pytest.raises(RunError) as raised:
        Scenario.from_dict(document("ends", queue), controls={"ends": Ends}).run_many([1])
    assert repr(exits) in str(raised.value)
    assert "test_custom_exits.py:" in str(raised.value)


def test_a_discipline_that_asks_the_program_to_end_fails_its_run() -> None:
    class Ends(Red):  # type: ignore[misc]  # an example loaded at run time, without a type
        """Ends the program."""

        def on_arrival(self, arrival: Any, backlog: Any, random: Any) -> Any:
            sys.exit(0)

    with pytest.raises(
        RunError, match=r"raised SystemExit\(0\), at \S+test_custom_exits\.py:\d+, in on_arrival"
    ):
        Scenario.from_dict(document("reno", "ends"), queues={"ends": Ends}).run()
