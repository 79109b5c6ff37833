"""A claim of a study file: the publication's sentence, the expression that is measured, and its test."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import Field, model_validator
from typing_extensions import Self

from ackclock.experiment.model import Criterion, Table

_UNITS = frozenset({"s", "ms", "us", "bit/s", "kbit/s", "Mbit/s", "Gbit/s", "B", "kB", "MB", "packets", "%"})
"""The units that a claim must share with its metric; words after the unit name the reference ("% of the link")."""

_COMPARED = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_ONE_METRIC = re.compile(r"""\s*(\w+)\(\s*(['"])[^'"]*\2\s*\)\s*""")


WIDE = 25
"""The smallest tolerance, in per cent of the printed number, that requires a ``tolerance_reason``."""
_ELSEWHERE = re.compile(r"(?P<study>[^\s/]+/[^\s/]+) (?P<claim>\S.*)")


@dataclass(frozen=True)
class ClaimElsewhere:
    """A claim of a study of the package."""

    study: str
    claim: str


class Claim(Table):
    """A sentence of the publication and its test.

    The test is one of: ``paper`` with ``tolerance``; ``expect``; ``direction`` alone. A claim that is ``not_a_test``
    needs none.
    """

    id: str
    text: str
    measured: str = Field(
        description="expression over metrics that gives the measured value, e.g. loss('rbcc-5')"
    )
    asked_by: Literal["thesis", "us"] | None = Field(
        default=None,
        description="origin of this claim, if it differs from `source.asked_by`: `us` for a question that you add to "
        "the claims of a publication",
    )
    unit: str = ""
    paper: float | None = None
    tolerance: str | float | None = Field(
        default=None, description='allowed distance from `paper`: absolute ("0.1") or relative ("10 %")'
    )
    tolerance_reason: str = Field(
        default="",
        description="reason for the width of the tolerance; required if the tolerance is at least 25 % of the "
        "published value (`paper`)",
    )
    expect: str | None = Field(
        default=None, description='condition on the measured value, e.g. "> 0" or ">= 0.9 and < 1"'
    )
    direction: str | None = Field(
        default=None,
        description="comparison of measured values that has to hold, e.g. loss('rbcc-5') < loss('reno-5')",
    )
    alternative: float | None = Field(
        default=None,
        description="value to expect if the claim were false: the nearest value that contradicts it, or the "
        "value in the absence of an effect",
    )
    within_replication: str = Field(
        default="",
        description="reason why the test applies abs, min or max within each replication",
    )
    written: str = Field(
        default="",
        description="time at which the test was written or changed, if that was after the first run",
    )
    not_a_test: str = Field(
        default="",
        description="reason why the claim is shown but not tested: the measured value follows from the set-up "
        "or was chosen",
    )
    same_as: str = Field(
        default="",
        description="claim of a bundled study (THESIS/STUDY CLAIM) that applies the same test to the same runs; "
        "counts of verdicts include that claim instead of this one",
    )
    holds_whatever: str = Field(
        default="", description="reason why the verdict does not depend on the unknown part of the set-up"
    )
    setup_unknown: str = Field(
        default="",
        description="part of the set-up that the publication leaves out and that affects only this claim",
    )

    @model_validator(mode="after")
    def _one_test(self) -> Self:
        if self.tolerance is not None and self.expect is not None:
            raise ValueError("give either `tolerance` (with `paper`) or `expect`, not both")
        if self.tolerance is not None and self.paper is None:
            raise ValueError("`tolerance` needs `paper`, the published value")
        nothing = self.tolerance is None and self.expect is None and self.direction is None
        if nothing and not self.not_a_test:
            raise ValueError(
                "the claim has no test: give `tolerance` (with `paper`), `expect` or `direction`, or give the reason "
                "in `not_a_test`"
            )
        self._judged_once()
        self.allowed_error()
        self._wide_for_a_reason()
        self.conditions()
        self._tells_from_alternative()
        return self

    def _judged_once(self) -> None:
        """Raises ValueError if the claim gives two reasons why it is not judged here, or gives one
        in the wrong form.
        """
        if self.not_a_test and self.same_as:
            raise ValueError(
                "give either `not_a_test` or `same_as`, not both: each is a reason why the claim is not tested here"
            )
        if self.holds_whatever and (self.not_a_test or self.same_as):
            raise ValueError(
                "holds_whatever: leave this key out, because a claim with `not_a_test` or `same_as` has no verdict"
            )
        if self.setup_unknown and (self.not_a_test or self.same_as or self.holds_whatever):
            raise ValueError(
                "setup_unknown: leave this key out, because with `not_a_test`, `same_as` or `holds_whatever` no "
                "verdict depends on the set-up"
            )
        self.elsewhere()

    def _wide_for_a_reason(self) -> None:
        """Raises ValueError for a wide tolerance without a reason. Of a printed 0 none is wide."""
        allowed = self.allowed_error()
        if allowed is None or not self.paper or self.tolerance_reason:
            return
        share = 100 * allowed / abs(self.paper)
        # A quarter that is written as a decimal fraction may be a little less in binary.
        if share >= WIDE * (1 - 1e-9):
            raise ValueError(
                f'tolerance: "{self.tolerance}" is {share:.3g} % of the printed value; {WIDE} % or more '
                "requires a `tolerance_reason`: why a value so far from the printed one still confirms the claim"
            )

    def elsewhere(self) -> ClaimElsewhere | None:
        """Returns the claim that counts this test; None if it is counted here. ValueError if ``same_as`` names none."""
        if not self.same_as:
            return None
        found = _ELSEWHERE.fullmatch(self.same_as)
        if found is None:
            raise ValueError(
                f'same_as: found "{self.same_as}", expected a bundled study and the id of one of its claims, '
                'such as "rbcc/table-4.1 3d"'
            )
        return ClaimElsewhere(found["study"], found["claim"])

    @property
    def texts(self) -> list[str]:
        """Returns its expressions: what is measured, and the order if it states one."""
        return [self.measured, *([] if self.direction is None else [self.direction])]

    def metrics_named(self, known: Iterable[str]) -> list[str]:
        """Returns which of the metrics, by id, its expressions name."""
        return [id for id in known if any(re.search(rf"\b{id}\(", text) for text in self.texts)]

    def not_judged(self) -> str:
        """Returns why the claim is shown but not judged here; empty if it is judged."""
        other = self.elsewhere()
        return self.not_a_test if other is None else f"counted as claim {other.claim} of {other.study}"

    def _tells_from_alternative(self) -> None:
        """Raises ValueError if the test accepts the value to expect if the claim were false."""
        if self.alternative is None:
            return
        if self.tolerance is None and self.expect is None:
            raise ValueError(
                f"alternative: found {self.alternative:g}, but without `tolerance` and `expect` the claim has no limit "
                "that could reject this value; give `tolerance` (with `paper`) or `expect`, or leave `alternative` out"
            )
        if self.accepts(self.alternative):
            raise ValueError(
                f"alternative: the test accepts {self.alternative:g}, which is the value to expect if the claim "
                f"were false; make the test reject this value{self._narrower()}"
            )

    def _narrower(self) -> str:
        """Returns the end of a message that names a tolerance with which the test rejects the alternative."""
        if self.paper is None or self.tolerance is None or self.paper == self.alternative:
            return ""
        return f", with a tolerance below {abs(self.paper - (self.alternative or 0)):g}"

    def accepts(self, value: float) -> bool:
        """Returns whether the tolerance or the expectation allows ``value``; always true for a claim with only a
        direction.
        """
        allowed = self.allowed_error()
        if allowed is not None and self.paper is not None:
            return abs(value - self.paper) <= allowed
        return all(_COMPARED[comparison](value, bound) for comparison, bound in self.conditions())

    def allowed_error(self) -> float | None:
        """Returns the tolerance as an absolute distance from ``paper``, in the unit of ``measured``."""
        if self.tolerance is None or self.paper is None:
            return None
        text = str(self.tolerance).strip()
        relative = text.endswith("%")
        try:
            size = float(text.rstrip("% "))
        except ValueError:
            raise ValueError(
                f'tolerance: found "{text}", expected a number ("0.1") or a percentage ("10 %")'
            ) from None
        if not size >= 0 or math.isinf(size):
            raise ValueError(f'tolerance: found "{text}", expected a finite number of at least 0')
        if relative and self.paper == 0:
            raise ValueError(
                f'tolerance: found "{text}", expected an absolute tolerance, because `paper` is 0 and a percentage of '
                "0 is always 0"
            )
        return abs(self.paper) * size / 100 if relative else size

    def conditions(self) -> list[tuple[str, float]]:
        """Returns ``expect`` as a list of (comparison, bound), all of which must hold."""
        if self.expect is None:
            return []
        conditions = []
        for part in self.expect.split(" and "):
            found = re.fullmatch(
                r"\s*(<=|>=|<|>)\s*([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)\s*", part
            )
            if not found:
                raise ValueError(
                    f'expect: found "{part.strip()}", expected a comparison with a number such as "> 0"'
                )
            conditions.append((found[1], float(found[2])))
        return conditions

    def accepted(self) -> tuple[float | None, float | None] | None:
        """Returns the lowest and the highest value that the test accepts, None for an open end; None for a claim with
        only a direction.
        """
        allowed = self.allowed_error()
        if allowed is not None and self.paper is not None:
            return self.paper - allowed, self.paper + allowed
        conditions = self.conditions()
        if not conditions:
            return None
        low = [bound for comparison, bound in conditions if comparison.startswith(">")]
        high = [bound for comparison, bound in conditions if comparison.startswith("<")]
        return max(low, default=None), min(high, default=None)

    def size(self, rewritten: Callable[[str], str] = str) -> Criterion:
        """Returns the criterion on the measured value; without limits for a claim of an order alone.

        ``rewritten`` changes expressions, such as the cases that they name.
        """
        measured, reason = rewritten(self.measured), self.tolerance_reason
        accepted = self.accepted() if self.tolerance is not None else None
        if accepted is not None:
            return Criterion(self.text, measured, *accepted, reason=reason)
        # Takes the tightest end on either side; of two equal ends, the one that is not itself accepted.
        low, low_open = max(
            ((bound, sign == ">") for sign, bound in self.conditions() if sign.startswith(">")),
            default=(None, False),
        )
        high, closed = min(
            ((bound, sign == "<=") for sign, bound in self.conditions() if sign.startswith("<")),
            default=(None, True),
        )
        return Criterion(self.text, measured, low, high, low_open, not closed, reason=reason)

    def order(self, rewritten: Callable[[str], str] = str) -> Criterion | None:
        """Returns the criterion on the order of two sides; None without one."""
        if self.direction is None:
            return None
        return Criterion(self.text, rewritten(self.measured), order=rewritten(self.direction))

    def in_another_unit(self, units: Mapping[str, str]) -> list[str]:
        """Returns a message if the claim compares a single metric in a unit other than the metric's, such as ms for s.

        ``units`` are those of the metrics.
        """
        alone = _ONE_METRIC.fullmatch(self.measured)
        unit = units.get(alone[1], "") if alone else ""
        found, expected = self.unit.split(" ")[0], unit.split(" ")[0]
        if alone is None or found == expected or not {found, expected} <= _UNITS:
            return []
        return [
            f'claims.{self.id}.unit: found "{self.unit}", expected "{unit}", the unit of metric "{alone[1]}"'
        ]
