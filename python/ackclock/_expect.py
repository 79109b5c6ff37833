"""Expectations about results: ``flows.mine.rtt_p95_s < 0.08``, which hold, fail or are undecided."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ackclock._names import nearest
from ackclock._numbers import interval_text, mean_and_spread
from ackclock._summary import numeric_fields, samples
from ackclock.errors import InputError
from ackclock.experiment.judge import judge_values
from ackclock.experiment.model import Criterion, Finding, Result

_FORM = re.compile(r"\s*(?P<column>[^<>=\s]+)\s*(?P<sign><=|>=|<|>)\s*(?P<bound>[^<>=]+?)\s*")
_EXAMPLE = "flows.cubic.rtt_p95_s < 0.08"
_WORDS: Mapping[Result, str] = {
    Result.MET: "holds",
    Result.NOT_MET: "does not hold",
    Result.UNDECIDED: "is undecided",
}


@dataclass(frozen=True)
class Expectation:
    """A column of a run's results, and the bound that its value is to keep to."""

    column: str
    """``fairness``, ``links.LINK.FIELD``, ``groups.GROUP.FIELD`` (the group's own field, such as the total
    ``goodput_bps``, or else the mean over its flows), or ``flows.NAME.FIELD``, where NAME is a flow, or a group for the
    mean over its flows.
    """
    sign: str
    """``<``, ``<=``, ``>`` or ``>=``."""
    bound: float
    """The bound, in the unit of the column."""

    @classmethod
    def read(cls, text: str) -> Expectation:
        """Returns the expectation that ``text`` states. InputError if it has another form."""
        found = _FORM.fullmatch(text)
        if found is None:
            raise InputError(
                f'--expect "{text}": expected COLUMN < NUMBER (or <=, >, >=), as in "{_EXAMPLE}"'
            )
        column, sign, bound = found["column"], found["sign"], found["bound"]
        try:
            number = float(bound)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise InputError(
                f'--expect "{text}": found "{bound}", expected a number in the unit of the column, as in "{_EXAMPLE}"'
            )
        return cls(column, sign, number)

    def check(self, description: Mapping[str, Any]) -> None:
        """Raises InputError, with the nearest column, if the scenario's results will have no such column."""
        known = list(known_columns(description))
        if self.column not in known:
            kind, _, rest = self.column.partition(".")
            name, _, field = rest.rpartition(".")
            # The nearest field of a flow or link that exists is nearer than the same field of another.
            same = [one for one in known if one.startswith(f"{kind}.{name}.")]
            close = nearest(field, [one.rpartition(".")[2] for one in same]) if name and same else ""
            if close and "did you mean" in close:
                close = close.replace('"', f'"{kind}.{name}.', 1)
            raise InputError(
                f'--expect "{self}": the results have no column "{self.column}"{close or nearest(self.column, known)}'
            )

    @property
    def criterion(self) -> Criterion:
        """Returns the expectation as a criterion."""
        below, strict = self.sign.startswith("<"), len(self.sign) == 1
        if below:
            return Criterion(str(self), high=self.bound, high_open=strict)
        return Criterion(str(self), low=self.bound, low_open=strict)

    def finding(self, found: Sequence[float | None]) -> Finding:
        """Returns the finding over the values of the replications. None stands for a value without a sample.

        A single run decides by its value. Several decide by the 95 % interval of their mean. A run without a sample
        keeps to no bound, whatever the others measured: a transfer that never ended did not end in time.
        """
        finding = judge_values(self.criterion, [math.nan if value is None else value for value in found])
        if finding.estimate is None or finding.missing:
            return replace(finding, result=Result.NOT_MET, needed=None)
        if finding.interval is None:
            kept = self.criterion.accepts(finding.estimate)
            return replace(finding, result=Result.MET if kept else Result.NOT_MET)
        return finding

    def __str__(self) -> str:
        return f"{self.column} {self.sign} {self.bound:.12g}"


def sentence(finding: Finding) -> str:
    """Returns the finding on an expectation in a sentence, with what was measured."""
    text, mean, interval = finding.criterion.text, finding.estimate, finding.interval
    if mean is None:
        return f"{text} does not hold: the quantity has no value in any run"
    if finding.missing:
        runs = finding.seeds + finding.missing
        return f"{text} does not hold: the quantity has no value in {finding.missing} of {runs} runs"
    measured = f"measured {mean_and_spread(mean, interval)}"
    if interval is None:
        measured += " (one run, so no interval)"
    else:
        between = interval_text(mean, interval)
        measured += f" (95 % interval {between}, {finding.seeds} replications)"
    text = f"{text} {_WORDS[finding.result]}: {measured}"
    if finding.needed is not None:
        text += f"; about {finding.needed:,} replications would decide it"
    return text


def known_columns(description: Mapping[str, Any]) -> Iterator[str]:
    """Returns the columns that an expectation may name, of a scenario that ``Scenario.describe`` describes."""
    yield "fairness"
    names = {
        "flows": [name for flow in description["flows"] for name in (flow["group"], *flow["names"])],
        "links": description["links"],
        "groups": [flow["group"] for flow in description["flows"]],
    }
    for kind, found in names.items():
        fields = numeric_fields("link" if kind == "links" else "flow")
        if kind == "groups":
            fields = tuple(dict.fromkeys([*numeric_fields("group"), *fields]))
        yield from (f"{kind}.{name}.{field}" for name in dict.fromkeys(found) for field in fields)


def value(column: str, result: Mapping[str, Any]) -> float | None:
    """Returns the value of the column in a run's results; None without a sample. A field of a group's record is the
    group's own; of any other, the mean over its flows counts, which has no value if any flow has none.
    """
    kind, _, rest = column.partition(".")
    name, _, field = rest.rpartition(".")
    if kind not in ("flows", "groups"):
        return samples(result).get(column)
    for record in result[kind]:
        if record["name"] == name and (kind == "flows" or field in numeric_fields("group")):
            found = record.get(field)
            return None if found is None else float(found)
    if any(flow.get(field) is None for flow in result["flows"] if flow["group"] == name):
        return None
    return samples(result).get(f"groups.{name}.{field}")
