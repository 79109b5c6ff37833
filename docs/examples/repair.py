"""What the repair of losses does to one window law: the utilisation of a link under four retransmission rules."""

from __future__ import annotations

import ackclock

for rule in ("reno", "newreno", "sack", "rack"):
    changes = {
        "flows.tcp.control": "sack",
        "flows.tcp.transport": {"name": "rfc", "recovery": rule},
        "dumbbell.bottleneck.queue.limit": "25 packets",
        "sweep": {},
    }
    scenario = ackclock.Scenario.from_file("scenarios/examples/buffer-sweep.toml", changes)
    found = [100 * run.links["utilisation"].max() for run in scenario.run_many([1, 2, 3])]
    print(f"{rule:8}", "  ".join(f"{value:.1f} %" for value in found))
