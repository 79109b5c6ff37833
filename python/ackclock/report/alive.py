"""The data that a page needs to run one of its cases again in the reader's browser and compare it with the recorded
curves.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from ackclock import web
from ackclock._numbers import rounded
from ackclock._overrides import merge
from ackclock.report.cases import full_label
from ackclock.run import Run
from ackclock.series import Series, Vector
from ackclock.study.result import StudyResult
from ackclock.web.bundle import bundle
from ackclock.web.module import MODULE, packed, packed_module

BESIDE = "ackclock.wasm.js"
"""The name of the file with the packed WebAssembly module, which lies in the same folder as the pages that use it."""
MOST_SAMPLES = 1500
"""The largest number of samples of a recorded curve. The curve is drawn smaller than a figure of the report, and its
samples should not make the file of a page much larger.
"""
MOST_OWNERS = 12
"""The largest number of flows, and of links, whose curves are recorded."""

_WEB = Path(web.__file__).parent
_DRAWN = {"flows": ("cwnd_packets", "rtt_s", "goodput_bps"), "links": ("queue_packets",)}
_RATES = {"goodput_bps"}
"""The quantities that are rates between two samples. Thinning replaces several samples of a rate by their mean."""


@dataclass(frozen=True)
class Alive:
    """The section *change this and run it* of a page."""

    labels: Sequence[str]
    """The labels of the cases that the reader can choose."""
    cases: str
    """The packed scenario, with the overrides and recorded curves of each case; empty if the page cannot run cases."""
    replications: int
    judged: str
    """The beginning of a clause that ends in ``over N replications``, such as ``claims are judged``."""
    there: bool
    """Whether the page can run cases: the package contains the WebAssembly module, and the page has a case."""


def of_study(result: StudyResult) -> Alive:
    """Returns the section for a study: its cases, each with its first seed."""
    cases = [_case(case.overrides, case.seeds[0], case.series) for case in result.cases if case.seeds]
    labels = [full_label(case) for case in result.cases if case.seeds]
    return _alive(result.scenario_text, labels, cases, result.replications, "claims are judged")


def of_runs(
    text: str, overrides: Mapping[str, Any], runs: Sequence[Run], labels: Sequence[str], replications: int
) -> Alive:
    """Returns the section for a user's scenario, at each point that the page draws. It is not there with a flow over a
    foreign stack, which the page's module leaves out.
    """
    if any("randomness" in flow for run in runs for flow in run.result["flows"]):
        runs, labels = [], []
    cases = [_case(merge(overrides, run.point), run.seed, run.result.get("series")) for run in runs]
    labels = [label or run.scenario for label, run in zip(labels, runs, strict=True)]
    return _alive(text, labels, cases, replications, "the tables show means")


def styles() -> Markup:
    """Returns the style sheets of the section."""
    files = (_WEB / "simulating.css", _WEB / "alive" / "alive.css")
    return Markup("").join(Markup(file.read_text(encoding="utf-8")) for file in files)  # noqa: S704 (files of ours)


@functools.cache
def script() -> Markup:
    """Returns the section's script."""
    return Markup(bundle(_WEB / "alive" / "main.js"))  # noqa: S704 (files of ours)


def module_beside() -> str:
    """Returns the packed module as a script, for a file that many pages load; base 85 has no quote and no backslash."""
    return f'globalThis.ackclockModule = "{packed_module()}";\n'


def _alive(
    text: str, labels: Sequence[str], cases: Sequence[Mapping[str, Any]], replications: int, judged: str
) -> Alive:
    there = MODULE.exists() and bool(cases)
    content = json.dumps({"base": text, "cases": cases}, ensure_ascii=False, allow_nan=False)
    return Alive(labels, packed(content.encode()) if there else "", replications, judged, there)


def _case(overrides: Mapping[str, Any], seed: int, series: Series | None) -> dict[str, Any]:
    return {"overrides": dict(overrides), "seed": seed, "recorded": _recorded(series)}


def _recorded(series: Series | None) -> dict[str, Any] | None:
    """Returns the part of a case's series that the section draws, in the form of a result's; None if there is none."""
    if series is None:
        return None
    each = -(-series.time_s.size // MOST_SAMPLES) or 1
    found: dict[str, Any] = {"each": each, "means": sorted(_RATES)}
    found["time_s"] = rounded(series.time_s[each - 1 :: each], 9)
    for kind, quantities in _DRAWN.items():
        found[kind] = {}
        for owner in series.owners(kind)[:MOST_OWNERS]:
            there = [quantity for quantity in quantities if quantity in series.quantities(kind, owner)]
            values = {quantity: series.values(kind, owner, quantity) for quantity in there}
            found[kind][owner] = {
                quantity: rounded(_fewer(one, each, mean=quantity in _RATES), 7)
                for quantity, one in values.items()
            }
    return found if any(any(found[kind].values()) for kind in _DRAWN) else None


def _fewer(values: Vector, each: int, *, mean: bool) -> Vector:
    """Returns the last of every ``each`` samples, or their mean."""
    if not mean or each == 1:
        return values[each - 1 :: each]
    stretches = np.nan_to_num(values[: values.size // each * each]).reshape(-1, each)
    return np.asarray(stretches.mean(axis=1))
