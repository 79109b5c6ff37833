"""Determines whether two versions of a study have the same samples, and the same results from the same samples."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from ackclock.study.claim import Claim
from ackclock.study.model import Study


def of_simulation(study: Study) -> str:
    """Returns a hash of what the samples depend on: scenario, cases, metrics, and what interpretations change.

    A record with another hash is stale. Titles, claims, tolerances and the number of seeds may change without it.
    """
    resolved = study.model_dump(
        mode="json",
        include={
            "scenario": True,
            "cases": {"__all__": {"name", "overrides", "swept"}},
            "sweep": {"path", "values"},
            "metrics": {"__all__": {"id", "expr"}},
            "assumptions": {
                "__all__": {
                    "what": True,
                    "interpretations": {"__all__": {"label", "overrides", "cases", "changes", "metrics"}},
                }
            },
        },
    )
    resolved["own_sweeps"] = {
        case.name: [case.sweep.path, case.sweep.values] for case in study.cases if case.sweep
    }
    # Keys that few studies have enter only where they are given, so that the hashes of all others stay.
    if some := {metric.id: metric.cases for metric in study.metrics if metric.cases is not None}:
        resolved["metrics_of_some_cases"] = some
    return _hash(resolved)


def of_judgement(study: Study) -> str:
    """Returns a hash of what results depend on besides the samples: claims, printed numbers, the number of seeds, and
    the evidence for and against interpretations.

    A record with another hash is judged again from its samples, which runs nothing.
    """
    tested = {"__all__": set(Claim.model_fields) - {"text", "written", "asked_by"}}
    resolved = study.model_dump(
        mode="json",
        include={
            "source": {"asked_by", "setup_unknown"},
            "replications": True,
            "metrics": {"__all__": {"id", "paper"}},
            "claims": tested,
            "assumptions": {
                "__all__": {"interpretations": {"__all__": {"label", "evidence", "against", "stands_for"}}}
            },
        },
    )
    if origins := {claim.id: claim.asked_by for claim in study.claims if claim.asked_by is not None}:
        resolved["origins"] = origins
    return _hash(resolved)


def _hash(resolved: Any) -> str:
    return hashlib.sha256(json.dumps(resolved, sort_keys=True).encode()).hexdigest()[:16]
