"""Synthetic study results. Nothing here was simulated or published; the numbers only have a plausible shape."""

# ruff: noqa: S311 (these random numbers protect nothing)

from __future__ import annotations

import dataclasses
import math
import random
import statistics
from collections.abc import Mapping
from typing import Any

from ackclock.series import Series
from ackclock.study.model import Figure, Finding, Metric, Sweep
from ackclock.study.result import (
    AssumptionResult,
    CaseResult,
    ClaimResult,
    MetricValue,
    SensitivityResult,
    Source,
    StudyResult,
    Thesis,
)

DUEL = """
name = "A <duel> of two"
duration = "4 s"

[dumbbell]
bottleneck = { rate = "10 Mbit/s", delay = "20 ms", queue = { name = "droptail", limit = "30 packets" } }
access = { rate = "100 Mbit/s", delay = "5 ms" }

[[flows]]
name = "one"
control = "cubic"

[[flows]]
name = "two"
control = "newreno"
start = { uniform = ["0 s", "0.5 s"] }
"""
"""A scenario, for reports of runs."""

THESIS = Thesis(
    key="synthetic",
    author="A. Nonymous",
    title="A synthetic thesis for the tests of the report",
    where="Nowhere University",
    year=1999,
    degree="PhD",
)
OTHER_THESIS = Thesis("other", "B. Namesake", "Another synthetic thesis", "Nowhere University", 2003, "MSc")

SCENARIO = """\
# synthetic, for the tests
duration = "100 s"

[dumbbell]
bottleneck = { rate = "1 Mbit/s", delay = "10 ms", queue = { name = "droptail", limit = "50 packets" } }
access = { rate = "1 Mbit/s", delay = "10 ms" }

[[flows]]
name = "tcp"
count = 5
control = "alpha"
"""

METRICS = (
    Metric(
        id="loss",
        label="Packet loss",
        unit="%",
        expr="100 * sum(flows.retransmitted_packets) / sum(flows.sent_packets)",
        definition="Retransmitted packets per packet sent, all flows together.",
    ),
    Metric(id="rtt", label="Mean RTT", unit="s", expr="mean(flows.rtt_mean_s)"),
    Metric(id="jitter", label="Standard deviation of the RTT", unit="s", expr="mean(flows.rtt_std_s)"),
    Metric(id="utilisation", label="Utilisation of the bottleneck", unit="%", expr="100"),
    Metric(id="fairness", label="Fairness (Jain)", expr="fairness"),
)

_TABLE: Mapping[str, tuple[str, tuple[float, ...], tuple[float | None, ...]]] = {
    "alpha-5": ("Alpha, 5 flows", (0.0, 0.1243, 0.0091, 99.1, 0.96), (0.0, 0.125, 0.009, 99, 0.95)),
    "beta-5": ("Beta, 5 flows", (1.42, 0.431, 0.0633, 96.2, 0.84), (1.3, 0.42, 0.062, 95, 0.81)),
    "gamma-5": ("Gamma, 5 flows", (0.0, 0.2014, 0.0058, 99.3, 0.98), (0.0, 0.2, 0.006, 99, 0.99)),
    "delta-5": ("Delta, 5 flows", (1.51, 0.412, 0.0882, 95.7, 0.75), (1.4, 0.4, 0.099, 94, 0.68)),
    "alpha-25": ("Alpha, 25 flows", (0.21, 0.3312, 0.0113, 99.0, 0.99), (0.0, None, None, 99, 0.99)),
    "beta-25": ("Beta, 25 flows", (11.3, 0.4807, 0.0711, 93.4, 0.95), (12.2, None, None, 92, 0.96)),
    "gamma-25": ("Gamma, 25 flows", (7.94, 0.4621, 0.0402, 98.3, 0.93), (8.5, None, None, 98, 0.94)),
    "delta-25": ("Delta, 25 flows", (8.61, 0.4718, 0.0834, 94.9, 0.95), (9.0, None, None, 94, 0.96)),
}


def value(
    rng: random.Random, centre: float, paper: float | None, spread: float = 0.03, n: int = 20
) -> MetricValue:
    """A metric whose samples scatter around ``centre``; a centre of zero has no scatter."""
    samples = tuple(centre * (1 + spread * rng.gauss(0, 1)) for _ in range(n))
    mean, std = statistics.fmean(samples), statistics.stdev(samples)
    half = 2.093 * std / math.sqrt(n)
    return MetricValue(mean, std, (mean - half, mean + half), samples, paper)


def sawtooth(rng: random.Random, peak: float, period_s: float, points: int = 2000) -> Series:
    """Series with the shape of a congestion window's sawtooth and what follows from it."""
    time_s = [100 * i / points for i in range(points)]
    phase = rng.random()
    window, queue, rtt, rate = [], [], [], []
    for t in time_s:
        within = (t / period_s + phase) % 1
        cwnd = peak * (0.5 + 0.5 * within) + rng.gauss(0, 0.02 * peak)
        window.append(min(cwnd, peak * t * 2))
        queue.append(max(0.0, 5 * window[-1] - 0.55 * 5 * peak))
        rtt.append(0.1 + queue[-1] * 0.008)
        rate.append(window[-1] * 8000 / rtt[-1])
    flow = {"cwnd_packets": window, "rtt_s": [None, *rtt[1:]], "goodput_bps": rate}
    link = {"queue_packets": queue}
    return Series.from_document({"time_s": time_s, "flows": {"tcp-1": flow}, "links": {"bottleneck": link}})


def claim(id: str, verdict: str, text: str, **more: Any) -> ClaimResult:
    """A claim with plausible numbers, which ``more`` overrides."""
    fields: dict[str, Any] = {
        "paper": 0.125,
        "measured": 0.12431,
        "interval": (0.12388, 0.12474),
        "unit": "s",
        "detail": "the interval lies within 5 % of the thesis's value",
        "expression": f"rtt('{id}')",
        "tolerance": 0.00625,
        "accepted": (0.11875, 0.13125),
    }
    return ClaimResult(id=id, text=text, verdict=verdict, **{**fields, **more})  # type: ignore[arg-type]


def table_study(name: str = "synthetic/table-1") -> StudyResult:
    """Eight cases, five metrics, claims with each verdict, figures over time, sensitivities."""
    rng = random.Random(1)
    shapes = {"alpha": (11, 30), "beta": (24, 12), "gamma": (14, 45), "delta": (22, 9)}
    cases = tuple(
        CaseResult(
            name=case,
            case=case,
            label=label,
            sweep_value=None,
            overrides={
                "flows.tcp.count": int(case.split("-")[1]),
                "flows.tcp.control": {"name": case.split("-")[0]},
            },
            seeds=tuple(range(1, 21)),
            values={
                metric.id: value(rng, centre, paper)
                for metric, centre, paper in zip(METRICS, measured, papers, strict=True)
            },
            series=sawtooth(rng, *shapes[case.split("-")[0]]),
        )
        for case, (label, measured, papers) in _TABLE.items()
    )
    claims = (
        claim(
            "1a",
            "as printed",
            "Alpha has no loss with 5 flows",
            paper=0.0,
            measured=0.0,
            interval=(0.0, 0.0),
            unit="%",
            accepted=(-0.1, 0.1),
        ),
        claim("2", "as printed", "Alpha's mean RTT with 5 flows is 0.125 s"),
        claim(
            "2b",
            "right order, other size",
            "Alpha's mean RTT is 71 % below Beta's",
            paper=71.0,
            measured=66.2,
            interval=(65.1, 67.3),
            unit="%",
            accepted=(68.0, 74.0),
            detail="smaller as claimed, but by 66.2 % and not by 71 % ± 3",
        ),
        claim(
            "1b",
            "not as printed",
            "Alpha has no loss with 25 flows either",
            paper=0.0,
            measured=0.2104,
            interval=(0.182, 0.239),
            unit="%",
            accepted=None,
            detail="the interval lies outside 0 ± 0.1",
            finding="With 25 flows the synthetic queue overflows during the start, however the start times are drawn.",
        ),
        claim(
            "3",
            "as printed",
            "Alpha's jitter is below Beta's",
            paper=None,
            measured=-0.054,
            interval=(-0.056, -0.052),
            accepted=(None, 0.0),
        ),
    )
    changed = (
        claims[0],
        claims[1],
        claims[2],
        claim("1b", "as printed", claims[3].text, measured=0.01, interval=None),
        claims[4],
    )
    return StudyResult(
        name=name,
        title="Alpha against Beta, Gamma and Delta at 5 and 25 connections (synthetic)",
        summary="Four synthetic congestion controls share a synthetic bottleneck. No number was measured; "
        "the page is what is being tested.",
        source=Source(THESIS, "Table 1", "4.5.8"),
        file="/somewhere/on/this/machine/studies/synthetic/table-1.toml",
        quick=False,
        replications=20,
        scenario_text=SCENARIO,
        metrics=METRICS,
        cases=cases,
        sweep=None,
        claims=claims,
        figures=(
            Figure(
                id="queue",
                kind="time",
                series="links.bottleneck.queue_packets",
                cases=["*-5"],
                title="Queue at the bottleneck",
                caption="Queue length at the bottleneck with 5 flows, first replication.",
            ),
            Figure(
                id="window",
                kind="time",
                series="flows.tcp-1.cwnd_packets",
                cases=["alpha-5", "beta-5"],
                caption="Congestion window of the first flow.",
            ),
            Figure(
                id="flow",
                kind="time",
                series=["flows.tcp-1.cwnd_packets", "flows.tcp-1.rtt_s", "flows.tcp-1.goodput_bps"],
                cases=["beta-5"],
                title="One Beta flow",
                caption="Window, round-trip time and goodput of the first flow.",
            ),
            Figure(
                id="none", kind="time", series="flows.tcp-9.rtt_s", cases=["beta-5"], caption="Not recorded."
            ),
        ),
        assumptions=(
            AssumptionResult(
                what="Start times",
                taken="uniform in 0 to 0.1 s",
                why="The synthetic thesis does not say when flows start.",
                sensitivity=(
                    SensitivityResult("Start times", "all at once", claims, (), (), 20),
                    SensitivityResult("Start times", "one every 10 s", changed, ("1b",), ("2", "3"), 10),
                ),
            ),
            AssumptionResult("Packet size", "1000 bytes", "Stated only for another experiment.", ()),
            AssumptionResult(
                what="Receive buffer",
                taken="64 packets",
                why="Never reached.",
                sensitivity=(
                    SensitivityResult("Receive buffer", "twice as large", claims, (), ("3",), 20),
                    SensitivityResult("Receive buffer", "half as large", claims, (), (), 20),
                ),
            ),
        ),
        findings=(
            Finding(claim="1b", text=claims[3].finding or ""),
            Finding(
                claim="2b",
                text="The difference depends on the buffer, which the synthetic thesis leaves open.",
            ),
        ),
        versions={
            "ackclock": "0.1.0",
            "core": "0.1.0",
            "python": "3.11.7",
            "numpy": "2.0.0",
            "scipy": "1.14.0",
        },
        runs=160,
        reused_runs=40,
        cpu_time_s=3.217,
    )


def sweep_study(name: str = "synthetic/figure-2") -> StudyResult:
    """Three swept cases and one outside the sweep, with the thesis's points for one of them."""
    rng = random.Random(2)
    loads = [5, 10, 15, 20, 25, 30, 35, 40]
    metric = METRICS[0]
    cases: list[CaseResult] = []
    for case, label, slope in (("alpha", "Alpha", 0.02), ("beta", "Beta", 0.45), ("gamma", "Gamma", 0.25)):
        for load in loads:
            loss = slope * max(0, load - 8) ** 1.1
            utilisation = 99 - slope * 10 + 0.1 * load
            cases.append(
                CaseResult(
                    name=f"{case}[{load}]",
                    case=case,
                    label=label,
                    sweep_value=load,
                    overrides={"flows.tcp.count": load},
                    seeds=(1, 2, 3, 4, 5),
                    values={
                        "loss": value(rng, loss, round(1.1 * loss, 1) if case == "beta" else None, 0.12, 5),
                        "utilisation": value(rng, utilisation, None, 0.004, 5),
                    },
                )
            )
    cases.append(
        CaseResult(
            "ideal",
            "ideal",
            "Loss without control",
            None,
            {},
            (1, 2, 3, 4, 5),
            {"loss": value(rng, 9.0, None)},
        )
    )
    return StudyResult(
        name=name,
        title="Packet loss over the number of connections (synthetic)",
        summary="The same synthetic controls while the number of connections grows.",
        source=Source(THESIS, "Figure 2", "4.6"),
        file="studies/synthetic/figure-2.toml",
        quick=True,
        replications=5,
        scenario_text=SCENARIO,
        metrics=(metric, METRICS[3]),
        cases=tuple(cases),
        sweep=Sweep(axis="Number of connections", path="flows.tcp.count", values=list(loads)),
        claims=(
            claim(
                "7",
                "as printed",
                "Alpha's loss grows the least",
                paper=None,
                interval=None,
                measured=1.0,
                unit="",
            ),
            claim(
                "8",
                "not as printed",
                "Gamma has no loss",
                measured=None,
                interval=None,
                unit="%",
                detail="no value",
            ),
        ),
        figures=(
            Figure(
                id="loss", kind="sweep", metric="loss", caption="Packet loss over the number of connections."
            ),
            Figure(
                id="utilisation",
                kind="sweep",
                metric="utilisation",
                cases=["alpha", "beta", "gamma"],
                caption="Utilisation over the number of connections.",
            ),
        ),
        assumptions=(),
        findings=(),
        versions={"ackclock": "0.1.0"},
        runs=120,
        cpu_time_s=125.0,
    )


def trade_off_study(name: str = "synthetic/figure-3") -> StudyResult:
    """Loss against utilisation: two cases over the study's sweep, one over values of its own, one that is a point."""
    swept = sweep_study(name)
    buffers = Sweep(axis="Buffer (packets)", path="dumbbell.bottleneck.queue.limit", values=[20, 50])
    kept = [case for case in swept.cases if case.case in ("alpha", "beta")]
    own = [
        dataclasses.replace(
            swept.case(f"gamma[{load}]"), name=f"gamma[{limit}]", sweep_value=limit, own_sweep=buffers
        )
        for load, limit in zip((20, 40), buffers.values, strict=True)
    ]
    point = dataclasses.replace(
        swept.case("gamma[30]"), name="delta", case="delta", label="Delta", sweep_value=None
    )
    return dataclasses.replace(
        swept,
        title="Loss against utilisation (synthetic)",
        cases=(*kept, *own, point),
        figures=(
            Figure(id="plane", kind="trade-off", x="utilisation", y="loss", caption="One point per load."),
        ),
    )


def small_study(number: int, thesis: Thesis = THESIS) -> StudyResult:
    """A study with a claim and little else; the index needs dozens."""
    rng = random.Random(number)
    verdicts = ("as printed", "right order, other size", "not as printed")
    return StudyResult(
        name=f"{thesis.key}/figure-{number}",
        title=f"Synthetic study number {number}",
        summary="One number.",
        source=Source(thesis, f"Figure {number}", ""),
        file=f"studies/{thesis.key}/figure-{number}.toml",
        quick=False,
        replications=3,
        scenario_text=SCENARIO,
        metrics=(METRICS[1],),
        cases=(CaseResult("base", "base", "", None, {}, (1, 2, 3), {"rtt": value(rng, 0.1, 0.1, n=3)}),),
        sweep=None,
        claims=tuple(
            claim(str(k), verdicts[rng.randrange(3)], f"Claim {k} of study {number}") for k in range(1, 4)
        ),
        figures=(),
        assumptions=(),
        findings=(),
        runs=3,
        cpu_time_s=0.1,
    )


def many_studies() -> list[StudyResult]:
    """Two theses, forty studies."""
    return [
        table_study(),
        sweep_study(),
        *(small_study(number) for number in range(3, 25)),
        *(small_study(number, OTHER_THESIS) for number in range(1, 17)),
    ]
