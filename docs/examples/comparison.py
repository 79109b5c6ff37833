import polars as pl

import ackclock
from ackclock.statistics import summarise

duel = ackclock.Scenario.from_file("scenarios/examples/duel.toml")
random_start = duel.with_overrides({"flows.1.start": {"uniform": ["0 s", "2 s"]}})
flows = random_start.run_many(replications=10).flows

# Replication k has seed k, so each run holds both sides of one comparison.
cubic, newreno = (flows.filter(pl.col("name") == name)["goodput_bps"] / 1e6 for name in ("cubic", "newreno"))
lead = summarise((cubic - newreno).to_list())
print(f"CUBIC leads by {lead.mean:.2f} ± {lead.half_width:.2f} Mbit/s")
