"""What the runs of a scenario gave: the samples of each contender in each setting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ackclock.experiment.expression import Array
from ackclock.experiment.model import Setting


@dataclass
class Measured:
    """What the runs of a scenario gave."""

    settings: Sequence[Setting]
    seeds: Sequence[int]
    values: dict[tuple[str, int, str], Array] = field(default_factory=dict)
    """The samples by contender, setting and metric: one value per seed, nan for a run without a value."""
    failures: dict[tuple[int, int], str] = field(default_factory=dict)
    """The error messages of failed runs of the control under test, by setting and seed."""
    closed: dict[tuple[str, int, int], str] = field(default_factory=dict)
    """The reasons for which a stack closed a connection, by contender, setting and seed."""
    fewer: dict[tuple[str, int], int] = field(default_factory=dict)
    """The number of seeds that were run, by contender and setting; without an entry, all of them."""

    def count(self, contender: str, setting: int) -> int:
        """Returns the number of seeds of a contender in a setting."""
        return self.fewer.get((contender, setting), len(self.seeds))

    def runs(self, contender: str) -> int:
        """Returns the number of runs of a contender."""
        return sum(self.count(contender, setting) for setting in range(len(self.settings)))

    def of(self, contender: str, setting: int, metric: str) -> Array:
        """Returns the samples, one for each seed of the contender in the setting; all nan if there are none."""
        found = self.values.get((contender, setting, metric), np.full(len(self.seeds), np.nan))
        return found[: self.count(contender, setting)]
