"""Tells whether two versions of a study would give the same numbers and verdicts."""

from __future__ import annotations

import hashlib
import json

from ackclock.study.model import Study


def fingerprint(study: Study) -> str:
    """Returns a hash of what the numbers and verdicts of a full run depend on.

    Titles, captions, the wording of claims and of assumptions, and findings may change without changing it.
    """
    resolved = study.model_dump(
        mode="json",
        include={
            "source": {"asked_by", "setup_unknown"},
            "replications": True,
            "precision": True,
            "scenario": True,
            "cases": {"__all__": {"name", "overrides", "swept"}},
            "sweep": {"path", "values"},
            "metrics": {"__all__": {"id", "expr", "paper"}},
            "claims": {"__all__": {"id", "measured", "unit", "paper", "tolerance", "expect", "direction"}},
            "assumptions": {
                "__all__": {
                    "interpretations": {"__all__": {"label", "overrides", "cases", "changes", "metrics"}}
                }
            },
        },
    )
    for assumption in resolved["assumptions"]:
        # The hashes of records are those of studies that called interpretations so.
        assumption["alternatives"] = assumption.pop("interpretations")
    own_sweeps = {case.name: [case.sweep.path, case.sweep.values] for case in study.cases if case.sweep}
    if own_sweeps:
        resolved["own_sweeps"] = own_sweeps
    # Studies without any of these keep the hashes of their records.
    if uncounted := _uncounted(study):
        resolved["uncounted"] = uncounted
    return hashlib.sha256(json.dumps(resolved, sort_keys=True).encode()).hexdigest()[:16]


def _uncounted(study: Study) -> list[str]:
    """Returns the claims that are not judged, whose set-up does not matter or is unknown for them alone, and the
    readings that change no verdict.
    """
    return [
        *(f"not judged: {claim.id}" for claim in study.claims if claim.not_judged()),
        *(f"whatever is lost: {claim.id}" for claim in study.claims if claim.holds_whatever),
        *(f"set-up unknown: {claim.id}" for claim in study.claims if claim.setup_unknown),
        *(
            f"against: {item.what}, {alternative.label}"
            for item in study.assumptions
            for alternative in item.interpretations
            if alternative.against
        ),
    ]
