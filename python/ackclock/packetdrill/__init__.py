"""Runs packetdrill scripts against ackclock's TCP in virtual time.

>>> from pathlib import Path
>>> from ackclock.packetdrill import drill
>>> outcome = drill(Path("slow-start.pkt"))  # doctest: +SKIP
>>> outcome.verdict  # doctest: +SKIP
<Verdict.PASSED: 'pass'>
"""

from ackclock.packetdrill.choices import Choices
from ackclock.packetdrill.drill import drill
from ackclock.packetdrill.outcome import Compared, Outcome, Row, Verdict

__all__ = ["Choices", "Compared", "Outcome", "Row", "Verdict", "drill"]
