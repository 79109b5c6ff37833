import polars as pl

import ackclock
from ackclock.statistics import summarise

scenario = ackclock.Scenario.from_file("scenarios/examples/duel.toml")

# One run. Everything measured is a Polars data frame whose columns end in their unit.
run = scenario.run(seed=1)
print(run.flows.select("name", "goodput_bps", "rtt_mean_s", "lost_packets"))
print(f"fairness {run.fairness:.3f}")

# Values over time: the largest window of each flow.
windows = run.series.filter(pl.col("kind") == "flow").group_by("name").agg(pl.col("cwnd_packets").max())
print(windows.sort("name"))

# The same path with another rival and random start times, ten seeds on all cores.
rival = scenario.with_overrides({"flows.1.control": "sack", "flows.1.start": {"uniform": ["0 s", "2 s"]}})
many = rival.run_many(replications=10)
cubic = many.flows.filter(pl.col("name") == "cubic")["goodput_bps"] / 1e6
share = summarise(cubic.to_list())
print(f"cubic gets {share.mean:.2f} ± {share.half_width:.2f} Mbit/s of 10")

# A scenario with a sweep, as one table: a row for each point, means over the seeds with their intervals.
runs = ackclock.Scenario.from_file("scenarios/examples/buffer-sweep.toml").run_many()
goodput = pl.col("^groups.tcp.goodput.*$").name.map(lambda name: name.removeprefix("groups.tcp."))
with pl.Config(tbl_rows=-1):
    print(runs.summary().select("tcp_control", "limit_packets", goodput))

# And as one picture, here a curve of utilisation versus buffer size per control: a figure for a paper, and its numbers.
figure = runs.plot("links.bottleneck.utilisation")
figure.save("buffers.pdf")
print(figure.frame.columns)
