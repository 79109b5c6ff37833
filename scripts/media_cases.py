"""The test cases of RFC 8867 under each rate control of real-time media, for the table of docs/sctp-and-rtp.md."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ackclock import Scenario
from ackclock import _toml as toml

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT / "scenarios" / "rfc8867"
LAWS: Mapping[str, Mapping[str, Any]] = {
    "rtp:nada": {},
    "rtp:scream": {"transport.feedback": "33 ms"},
}
"""The rate controls, each with the keys that its flows have besides: SCReAM wants a report for each frame."""
VARIANTS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "5.6, 1 s": ("5.6", {"dumbbell.bottleneck.queue.limit": "1 s"}),
    "5.6, 50 packets": ("5.6", {"dumbbell.bottleneck.queue.limit": "50 packets"}),
}
"""Cases with another queue than that of their file."""


def overrides(case: Path, law: str) -> dict[str, Any]:
    """Returns the values that put a rate control into every call of a case."""
    flows = toml.loads(case.read_text(encoding="utf-8"))["flows"]
    calls = [flow["name"] for flow in flows if flow.get("control", "").startswith("rtp:")]
    keys = {"control": law, **({"transport.name": "rtp", **LAWS[law]} if LAWS[law] else {})}
    return {f"flows.{call}.{key}": value for call in calls for key, value in keys.items()}


def generated(_: str = "") -> str:
    """Returns the table: a row for each case and rate control."""
    head = [
        "case",
        "control",
        "rates (kbit/s)",
        "late frames",
        "delay p95 (ms)",
        "frozen (s)",
        "TCP (kbit/s)",
    ]
    rows = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    cases: dict[str, tuple[str, Mapping[str, Any]]] = {
        one.stem: (one.stem, {}) for one in CASES.glob("*.toml")
    }
    cases |= VARIANTS
    for name, (stem, more) in sorted(cases.items()):
        for law in LAWS:
            file = CASES / f"{stem}.toml"
            result = Scenario.from_file(file, {**overrides(file, law), **more}).run(seed=1).result
            rows.append(_row(name, law, result["flows"]))
    return "\n".join(rows)


def _row(name: str, law: str, flows: list[dict[str, Any]]) -> str:
    calls = [flow for flow in flows if flow.get("frames")]
    tcp = [flow["goodput_bps"] for flow in flows if flow["control"] == "sack"]
    rates = ", ".join(f"{flow['media_rate_mean_bps'] / 1e3:.0f}" for flow in calls)
    late = sum(flow["late_frames"] for flow in calls) / sum(flow["completed_frames"] for flow in calls)
    delay_ms = max(flow["frame_delay_p95_s"] for flow in calls) * 1e3
    frozen_s = sum(flow["freeze_s"] for flow in calls)
    others = f"{sum(tcp) / 1e3:.0f}" if tcp else ""
    return f"| {name} | `{law}` | {rates} | {late:.1%} | {delay_ms:.0f} | {frozen_s:.1f} | {others} |"
