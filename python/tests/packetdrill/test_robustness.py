"""Damaged scripts end in a verdict, and never in another exception."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from ackclock.packetdrill import Verdict, drill

DRILLS = sorted((Path(__file__).parent / "drills").rglob("*.pkt"))


def damaged(text: str, draws: random.Random) -> str:
    """Returns a script with a few characters, numbers or lines changed."""
    for _ in range(draws.randint(1, 4)):
        place = draws.randrange(len(text))
        match draws.randrange(6):
            case 0:
                text = text[:place] + text[place + draws.randint(1, 12) :]
            case 1:
                text = text[:place] + draws.choice('<>.,:()[]{}+*~`"%0123456789SFPREWA\n') + text[place:]
            case 2:
                digits = [at for at, one in enumerate(text) if one.isdigit()]
                at = draws.choice(digits or [0])
                text = text[:at] + draws.choice("0123456789") + text[at + 1 :]
            case 3:
                lines = text.split("\n")
                lines.insert(draws.randrange(len(lines)), draws.choice(lines))
                text = "\n".join(lines)
            case 4:
                lines = text.split("\n")
                draws.shuffle(lines)
                text = "\n".join(lines)
            case _:
                text = text[:place]
        text = text or "0"
    return text


@pytest.mark.parametrize("seed", range(8))
def test_a_damaged_script_ends_in_a_verdict(tmp_path: Path, seed: int) -> None:
    draws = random.Random(seed)  # noqa: S311  (no secret is drawn)
    path = tmp_path / "damaged.pkt"
    found = set()
    for _ in range(100):
        path.write_text(damaged(draws.choice(DRILLS).read_text(), draws))
        found.add(drill(path).verdict)
    assert found == set(Verdict)
