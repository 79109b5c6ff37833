"""AIMD with a gentler back-off and the increase that makes it as fast as Reno."""

from ackclock.controls import NewReno


class Gentle(NewReno):
    """AIMD(0.75, 0.6): keeps six tenths, adds 3 (1 - b) / (1 + b) packets in a round trip (RFC 9438 section 4.3)."""

    increase: float = 0.75
    beta: float = 0.6
