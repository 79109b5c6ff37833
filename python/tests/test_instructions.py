"""What a packet costs, in instructions, against what is kept."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import instructions

# The same program and compiler give the same count; a linker's choices are all that may differ.
TOLERANCE = 0.03


def test_sctp_takes_less_than_twice_the_instructions_of_tcp() -> None:
    # S1 is W1 over SCTP. What is kept is what the program takes: the other test holds that.
    kept = json.loads(instructions.KEPT.read_text(encoding="utf-8"))["instructions_per_packet"]
    assert kept["S1"] < 2 * kept["W1"]


# It builds the core once more, and callgrind takes fifty times as long as the run.
@pytest.mark.nightly
@pytest.mark.skipif(instructions.valgrind() is None, reason="valgrind is not installed")
def test_a_packet_takes_as_many_instructions_as_is_kept() -> None:
    kept = json.loads(instructions.KEPT.read_text(encoding="utf-8"))
    if kept["compiler"] != instructions.compiler():
        pytest.skip(f"counted with {kept['compiler']}; `make bench ARGS=--keep` counts anew")
    bench = instructions.program()
    for workload, expected in kept["instructions_per_packet"].items():
        found = instructions.per_packet(bench, workload)
        assert abs(found / expected - 1) <= TOLERANCE, (
            f"{workload}: {found:.0f} instructions for each packet, {expected} are kept. If that is meant, "
            "`make bench ARGS=--keep` keeps the new number, and the commit message says why"
        )
