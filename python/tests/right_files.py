"""Scenario files without a mistake, one of each kind, in which tests make one."""

DUMBBELL = """\
name = "right"
duration = "10 s"
warmup = "1 s"
seed = 1
replications = 2

[observe]
interval = "10 ms"

[dumbbell]
pairs = 2
bottleneck = { rate = "10 Mbit/s", delay = "10 ms", queue = { name = "red", limit = "50 packets" } }
access = { rate = "100 Mbit/s", delay = "1 ms" }

[[flows]]
name = "tcp"
count = 2
control = "newreno"
start = { at = "1 s", uniform = ["0 s", "0.1 s"] }
stop = "9 s"
application = { name = "bulk" }

[flows.transport]
name = "ns2"
min_rto = "0.2 s"
"""

LINKS = """\
duration = "10 s"

[[media]]
name = "air"
access = "half-duplex"
propagation = { name = "shadowing", exponent = 2.2 }
mobility = { name = "random-waypoint", max_speed_mps = 5 }
places = { tower = [300, 300] }

[[agents]]
at = "tower"
agent = { name = "snoop", cache = "50 packets" }

[[links]]
name = "backhaul"
between = ["server", "tower"]
rate = { steps = [["0 s", "100 Mbit/s"], ["5 s", "10 Mbit/s"]] }
delay = { cycle = [["2 s", "10 ms"], ["2 s", "20 ms"]] }
outage = { from = "3 s", lasts = "200 ms", every = "4 s" }
jitter = { most = "20 ms", good = "1 s", bad = "50 ms" }
detour = { from = "5 s", until = "8 s", longer = "40 ms" }
loss = { name = "gilbert-time", good = "2 s", bad = "20 ms", loss_bad = 0.5 }
hold = "1 ms"
reorder = true
duplicate = { share = 0.01, correlation = 0.25 }
ecn = "clear"

[[links]]
name = "radio"
between = ["tower", "phone"]
rate = "2 Mbit/s"
delay = "1 us"
medium = "air"

[[flows]]
name = "tcp"
control = "newreno"
from = "server"
to = "phone"
"""

PARALLEL = """\
duration = "10 s"

[parallel]
bottlenecks = [
    { rate = "10 Mbit/s", delay = "10 ms" },
    { rate = "5 Mbit/s", delay = "20 ms" },
]
access = { rate = "100 Mbit/s", delay = "1 ms" }

[[flows]]
name = "association"
control = "sctp"
transport = "sctp"
selector = "primary"
paths = [["source-1", "left-1", "right-1", "sink-1"], ["source-1", "left-2", "right-2", "sink-1"]]
"""

PARKING_LOT = """\
duration = "10 s"

[parking_lot]
hops = 3
hop = { rate = "10 Mbit/s", delay = "10 ms" }
access = { rate = "1 Gbit/s", delay = "1 ms" }

[[flows]]
name = "long"
control = "sack"

[[flows]]
name = "first"
control = "sack"
from = "source-1"
to = "sink-2"
"""

SWEEP = """\
duration = "10 s"
replications = 3
precision = { within = "10 %", metrics = ["groups.tcp.goodput_bps"], replications_most = 50 }

[dumbbell]
rtt = ["40 ms", "80 ms"]
bottleneck = { rate = "10 Mbit/s", queue = { name = "droptail", limit = "1 bdp" } }
access = { rate = "1 Gbit/s" }

[[flows]]
name = "tcp"
count = 2
control = "newreno"
start = { uniform = ["0 s", "1 s"] }

[sweep]
"flows.tcp.control" = ["sack", "cubic"]
"dumbbell.bottleneck.rate" = { from = "1 Mbit/s", to = "20 Mbit/s", scale = "log" }
samples = { count = 8, method = "random", seed = 1 }
"""
