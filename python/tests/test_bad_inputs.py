"""Two hundred ways to get a file wrong: each is met with exit code 2 and one message at the place of the mistake.

A row says what is replaced in a right file by what, and part of the message. ``»`` marks the place that the message has
to name; it is taken out before the file is written.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import STUDY, Command
from right_files import DUMBBELL, LINKS, PARALLEL, PARKING_LOT, SWEEP

IN_DUMBBELL = [
    # The file's own keys.
    ('name = "right"', 'name = »["right"]', "a string in quotes"),
    ('name = "right"', 'name = »""', "a name of 1 to 200 characters on one line"),
    ('name = "right"', 'name = »"""two\nlines"""', "a name of 1 to 200 characters on one line"),
    ('duration = "10 s"', "duration = »true", "a time such as"),
    ('duration = "10 s"', 'duration = »["10 s"]', "a time such as"),
    ('duration = "10 s"', 'duration = »"ten seconds"', "a time such as"),
    ('duration = "10 s"', 'duration = »"10 s 20 ms"', "a time such as"),
    ('duration = "10 s"', 'duration = »"1e400 s"', "a time"),
    ('duration = "10 s"', 'duration = »"0.1 ns"', "a time"),
    ('duration = "10 s"', "duration = »inf", "a time such as"),
    ('duration = "10 s"', "duration = »-10", "a time such as"),
    ('duration = "10 s"', 'duration = »""', "a time such as"),
    ('duration = "10 s"', 'duration = »"10 S"', 'did you mean "10 s"'),
    ('duration = "10 s"', 'Duration = "10 s"', "did you mean `duration`"),
    ('warmup = "1 s"', 'warmup = »"11 s"', "less than the run's duration"),
    ('warmup = "1 s"', 'warmup = »{ until = "congestion-avoidance" }', "`at_most`"),
    ('warmup = "1 s"', 'warmup = { until = »"steady", at_most = "1 s" }', "congestion-avoidance"),
    (
        'warmup = "1 s"',
        'warmup = »{ until = "congestion-avoidance", at_most = "10 s" }',
        "less than the run's duration",
    ),
    ("seed = 1", "seed = »1.5", "a whole number"),
    ("seed = 1", "seed = »-1", "a whole number"),
    ("seed = 1", 'seed = »"1"', "a whole number without quotes"),
    ("seed = 1", "seed = »9007199254740992", "9007199254740991"),
    ("replications = 2", "replications = »0", "a whole number from 1"),
    ("replications = 2", "replications = »100001", "100000"),
    ("replications = 2", "replications = »[1, 2]", "a whole number"),
    ("replications = 2", "»repetitions = 2", "did you mean `replications`"),
    # What is observed.
    ('interval = "10 ms"', 'interval = »"0 s"', "a time"),
    ('interval = "10 ms"', 'interval = »"1 us"', "a longer interval"),
    ('interval = "10 ms"', '»intervall = "10 ms"', "did you mean `interval`"),
    ('interval = "10 ms"', "flows = »1", "true or false"),
    ('interval = "10 ms"', 'at = »"bottlneck"', "bottleneck"),
    ('interval = "10 ms"', 'at = "bottleneck"\nbursts = »[0]', "a number of packets"),
    ('interval = "10 ms"', 'loss_events = »"0 s"\nat = "bottleneck"', "a time above 0"),
    ("[observe]", "[»observer]", "did you mean `observe`"),
    # The network.
    ("pairs = 2", "pairs = »0", "a whole number from 1"),
    ("pairs = 2", "pairs = »1.0", "a whole number"),
    ("pairs = 2", "pairs = »10001", "10000"),
    ("pairs = 2", '»rtts = "40 ms"', "did you mean `rtt`"),
    ("pairs = 2", 'rtt = »"5 ms"', "rtt"),
    ("pairs = 2", "rtt = »[]", "1 to 10000 times"),
    ('rate = "10 Mbit/s"', 'rate = »"10 Mbit"', 'did you mean "10 Mbit/s"'),
    ('rate = "10 Mbit/s"', 'rate = »"10 mbit/s"', 'did you mean "10 Mbit/s"'),
    ('rate = "10 Mbit/s"', 'rate = »"2 Tbit/s"', "1 Tbit/s"),
    ('rate = "10 Mbit/s"', 'rate = »"nan Mbit/s"', "a rate such as"),
    ('rate = "10 Mbit/s"', 'rate = »"1,000 Mbit/s"', "a rate such as"),
    ('rate = "10 Mbit/s"', 'rate = »"0x10 Mbit/s"', "a rate such as"),
    ('rate = "10 Mbit/s"', 'rate = »"10 Mbit/s per flow"', "a rate such as"),
    ('rate = "10 Mbit/s"', "rate = { trace = »5 }", "a string in quotes"),
    ('rate = "10 Mbit/s"', 'rate = { trace = »"none.trace" }', "none.trace"),
    (
        'rate = "10 Mbit/s"',
        'rate = { steps = [["0 s", "1 Mbit/s"], »["0 s", "2 Mbit/s"]] }',
        "steps in chronological order",
    ),
    ('rate = "10 Mbit/s"', 'rate = { steps = [»["1 s", "1 Mbit/s"]] }', "0 s"),
    ('rate = "10 Mbit/s"', 'rate = { steps = »[["0 s", "0 bit/s"]] }', "a last step with a rate above 0"),
    (
        'rate = "10 Mbit/s"',
        'rate = { cycle = [["1 s", "1 Mbit/s"]], steps = »[["0 s", "1 Mbit/s"]] }',
        "only one of",
    ),
    ('delay = "10 ms"', 'delay = »"10"', 'did you mean "10 s" or "10 ms"'),
    ('delay = "10 ms"', 'delay = »"10 Mbit/s"', "a time such as"),
    ('limit = "50 packets"', 'limit = »"50 packet/s"', "a queue limit such as"),
    ('limit = "50 packets"', 'limit = »"-1 bdp"', "a queue limit"),
    ('limit = "50 packets"', 'limit = »"infinite"', "unlimited"),
    ('limit = "50 packets"', 'limit = »["50 packets"]', "a queue limit such as"),
    ('limit = "50 packets"', "min_threshold = »-5", "min_threshold"),
    ('limit = "50 packets"', 'min_threshold = "20 packets", max_threshold = »"10 packets"', "max_threshold"),
    ('limit = "50 packets"', "weight = »2", "a number"),
    ('name = "red"', 'name = »"RED"', "did you mean `red`"),
    ('name = "red"', 'name = »"fq_codel"', "did you mean `fq-codel`"),
    ('name = "red"', 'name = »"codle"', "did you mean `codel`"),
    ('name = "red"', "name = »7", "in quotes"),
    ('queue = { name = "red", limit = "50 packets" }', 'queue = »{ limit = "50 packets" }', "without `name`"),
    (
        'queue = { name = "red", limit = "50 packets" }',
        'queue = { name = "codel", target = »"0 s" }',
        "a time",
    ),
    (
        'queue = { name = "red", limit = "50 packets" }',
        'queue = { name = "codel", »min_threshold = "5 packets" }',
        "one of name, limit",
    ),
    ('access = { rate = "100 Mbit/s", delay = "1 ms" }', "", "`access`"),
    ('access = { rate = "100 Mbit/s", delay = "1 ms" }', 'access = »{ delay = "1 ms" }', "no `rate`"),
    (
        'access = { rate = "100 Mbit/s", delay = "1 ms" }',
        'access = { rate = "100 Mbit/s", delay = "1 ms", »latency = "1 ms" }',
        "the key `latency`",
    ),
    # Flows.
    ('name = "tcp"', 'name = »"two\\nlines"', "a name of 1 to 200 characters on one line"),
    ('name = "tcp"', "name = »1", "a string in quotes"),
    ("count = 2", "count = »10001", "10000"),
    ("count = 2", "count = »-2", "a whole number from 1"),
    ("count = 2", "count = »true", "a whole number"),
    ("count = 2", "pair = »0", "a whole number of at least 1"),
    ("count = 2", "pair = [1, »1.5]", "a whole number"),
    ("count = 2", 'from = »"source-1"', "`to` as well"),
    ("count = 2", 'path = ["source-1", »"middle", "sink-1"]', "middle"),
    ("count = 2", 'paths = »[["source-1", "sink-1"]]', "a transport with several paths"),
    ('control = "newreno"', 'control = »"NewReno"', "did you mean `newreno`"),
    ('control = "newreno"', 'control = »"tahoe"', "`ackclock list controls`"),
    ('control = "newreno"', 'control = »"new reno"', "did you mean `newreno`"),
    ('control = "newreno"', 'control = »["newreno"]', "in quotes"),
    ('control = "newreno"', "control = »{ beta = 0.5 }", "without `name`"),
    ('control = "newreno"', 'control = { name = "cubic", »betta = 0.5 }', "did you mean `beta`"),
    ('control = "newreno"', 'control = { name = "cubic", beta = »"0.5" }', "a number without quotes"),
    ('control = "newreno"', 'control = { name = "cubic", beta = »0.96 }', "0.95"),
    ('control = "newreno"', 'control = { name = "cubic", c = »0 }', "above 0"),
    (
        'control = "newreno"',
        'control = { name = "cubic", fast_convergence = »"no" }',
        "true or false without quotes",
    ),
    ('control = "newreno"', 'control = { name = "cubic", variant = »"freebsd" }', "published, linux"),
    ('control = "newreno"', 'control = { name = "vegas", alpha = »2 }', 'did you mean "2 packets"'),
    ('control = "newreno"', 'control = { name = "vegas", alpha = »"2 ms" }', "packets"),
    ('control = "newreno"', 'control = "newreno"\naction = »"cwa"', "discriminator"),
    ('control = "newreno"', 'control = "newreno"\ndiscriminator = »"rttt"', "did you mean `rtt`"),
    (
        'control = "newreno"',
        'control = "newreno"\ndiscriminator = { name = "always", cause = »"none" }',
        "transmission, congestion",
    ),
    ('control = "newreno"', 'control = "newreno"\nslow_start = »"hystart+"', "did you mean `hystart"),
    ('control = "newreno"', 'control = "newreno"\nbackoff = »"linear"', "exponential"),
    ('control = "newreno"', 'control = "newreno"\nselector = »"primary"', "a transport with several paths"),
    ('control = "newreno"', 'control = "newreno"\necn_response = »"abee"', "did you mean `abe`"),
    ('control = "newreno"', 'control = "newreno"\ngrowth_limit = »"none"', "rate-limited-increase"),
    ('control = "newreno"', 'control = "newreno"\nresume = »"resume"', "careful-resume"),
    ('stop = "9 s"', 'stop = »"0.5 s"', "a stop after the start of every flow of the group"),
    ('stop = "9 s"', 'stop = »"1.05 s"', "although a flow can start as late as 1.1 s"),
    ('at = "1 s", ', 'at = »"-1 s", ', "not negative"),
    ('uniform = ["0 s", "0.1 s"]', 'uniform = »["0 s"]', "2 times: the bounds"),
    ('uniform = ["0 s", "0.1 s"]', 'uniform = ["0 s", »0.1]', "a time such as"),
    ('uniform = ["0 s", "0.1 s"]', '»normal = ["0 s", "0.1 s"]', "uniform"),
    ('application = { name = "bulk" }', 'application = »"ftp"', "one of bulk"),
    (
        'application = { name = "bulk" }',
        'application = { name = "bulk", »length = "1 MB" }',
        "the key `length`",
    ),
    ('application = { name = "bulk" }', 'application = { name = "pages", spread = »9 }', "from 0 to 5"),
    ('application = { name = "bulk" }', 'application = { name = "adaptive-video", step = »1 }', "above 1"),
    ('name = "ns2"', 'name = »"ns-2"', "did you mean `ns2`"),
    ('name = "ns2"', 'name = »"tcp"', "one of rfc, ns2, linux"),
    ('min_rto = "0.2 s"', "min_rto = »0.2", 'did you mean "0.2 s" or "0.2 ms"'),
    ('min_rto = "0.2 s"', 'min_rto = »"0 s"', "a time"),
    ('min_rto = "0.2 s"', 'packet = »"1500"', 'did you mean "1500 B"'),
    ('min_rto = "0.2 s"', 'packet = »"100 kB"', "65000"),
    ('min_rto = "0.2 s"', "window = »20", 'did you mean "20 packets"'),
    ('min_rto = "0.2 s"', 'window = »"20 kB"', "packets"),
    ('min_rto = "0.2 s"', 'recovery = »"fack"', "one of auto, reno"),
    ('min_rto = "0.2 s"', "dupack_threshold = »0", "from 1 to 16"),
    ('min_rto = "0.2 s"', "»sack = true", "the key `sack`"),
    ('min_rto = "0.2 s"', "pacing = »1", "true or false"),
    ('min_rto = "0.2 s"', 'delayed_ack_time = »"1 s"', "500 ms"),
    # A second table, a table in the wrong place.
    ("[flows.transport]", "[flows.»transprt]", "did you mean `transport`"),
    ("[dumbbell]", "»[[dumbbell]]", "a table of"),
    # TOML itself.
    ('duration = "10 s"', "duration = »10s", "quotes"),
    ('duration = "10 s"', 'duration »"10 s"', "="),
    ('duration = "10 s"', "duration = »", "TOML"),
    ('duration = "10 s"', "duration = '10 s»", "TOML"),
    ('duration = "10 s"', 'duration»: "10 s"', "TOML"),
    ('duration = "10 s"', 'duration = "10 s"»; warmup = "1 s"', "TOML"),
    ('duration = "10 s"', 'duration = "10 s" »// the run', "TOML"),
    ("pairs = 2", "pairs = 2»,", "TOML"),
    ("pairs = 2", "pairs = »02", "TOML"),
    ("pairs = 2", "pairs = 2\n»pairs = 3", "a duplicate key"),
    ("count = 2", "count = 1_000»_", "TOML"),
    ('name = "tcp"', 'name = "t\\»qcp"', "TOML"),
    ("[dumbbell]", "[dumbbell»", "TOML"),
    ("[[flows]]", "[[flows]»", "TOML"),
    ('delay = "1 ms" }', 'delay = "1 ms"', "TOML"),
    ('name = "right"', 'name = "right»\x00"', "TOML"),
    ('name = "right"', "»<scenario>right</scenario>", "TOML"),
    ('name = "right"', '»{"name": "right"}', "TOML"),
]

IN_LINKS = [
    ('name = "air"', "name = »5", "a string in quotes"),
    ('name = "air"', '»nome = "air"', "did you mean `name`"),
    ("[[agents]]", '[[media]]\nname = »"air"\naccess = "token"\n\n[[agents]]', "a second medium"),
    ('access = "half-duplex"', 'access = »"full-duplex"', "did you mean `half-duplex`"),
    ('access = "half-duplex"\n', "", "`access`"),
    ("exponent = 2.2", "exponent = »-1", "exponent"),
    ("exponent = 2.2", 'exponent = »"2.2"', "a number without quotes"),
    ("max_speed_mps = 5", "»max_speed = 5", "did you mean `max_speed_mps`"),
    ("max_speed_mps = 5", "max_speed_mps = »-5", "max_speed_mps"),
    ("[300, 300]", "»[300]", "metres"),
    ("[300, 300]", '[300, »"300"]', "a number without quotes"),
    ("tower = [300, 300]", "»towr = [300, 300]", "tower"),
    ('at = "tower"', 'at = »"twoer"', "did you mean `tower`"),
    ('name = "snoop"', 'name = »"snop"', "did you mean `snoop`"),
    ('cache = "50 packets"', "cache = »50", 'did you mean "50 packets"'),
    ('name = "radio"', 'name = »"backhaul"', "a unique `name`"),
    ('name = "backhaul"', 'name = »"a\\tb"', "a name"),
    ('between = ["server", "tower"]', 'between = »["server", "tower", "phone"]', "two nodes"),
    ('between = ["server", "tower"]', 'between = »"server"', "a list in brackets"),
    ('between = ["server", "tower"]', 'between = ["server", »7]', "a name in quotes"),
    ('between = ["server", "tower"]', 'from = "server"\n»from = "tower"', "a duplicate key"),
    ('between = ["server", "tower"]', 'between = ["server", "tower"]\nto = "phone"', "no `from`"),
    ('["5 s", "10 Mbit/s"]', '[»"-5 s", "10 Mbit/s"]', "not negative"),
    ('["5 s", "10 Mbit/s"]', '»["5 s"]', "then the rate"),
    ('["5 s", "10 Mbit/s"]', '["5 s", »"10 ms"]', "a rate such as"),
    ('["2 s", "20 ms"]', '["2 s", »"2 h"]', "3600 s"),
    ('["2 s", "20 ms"]', '»["2 s", "20 ms", "30 ms"]', "its delay"),
    ('every = "4 s"', 'every = »"100 ms"', "outages without a pause between them"),
    ('lasts = "200 ms"', 'lasts = »"0 s"', "a time"),
    ('from = "3 s", lasts = "200 ms"', 'from = »3, lasts = "200 ms"', "a time such as"),
    ('good = "1 s", bad = "50 ms"', 'good = »"0 s", bad = "50 ms"', "a time"),
    ('{ most = "20 ms", good = "1 s", bad = "50 ms" }', '»"lots"', "a time such as"),
    ('until = "8 s"', 'until = »"4 s"', "from"),
    ('longer = "40 ms"', 'longer = »"-40 ms"', "not negative"),
    (', longer = "40 ms"', "", "`longer`"),
    ("loss_bad = 0.5", "loss_bad = »1.5", "from 0 to 1"),
    ("loss_bad = 0.5", "loss_bad = »nan", "from 0 to 1"),
    ("loss_bad = 0.5", "»bad_loss = 0.5", "one of name, good, bad, probability, loss_good, loss_bad"),
    ('name = "gilbert-time"', 'name = »"gilbert"', "did you mean `gilbert-"),
    ('hold = "1 ms"', 'hold = »"1 packet"', "a time such as"),
    ("reorder = true", "reorder = »0.25", "such as `{ share = 0.25 }`"),
    ("reorder = true", "reorder = { share = »25 }", "from 0 to 1"),
    ("reorder = true", "reorder = »{ gap = 5 }", "`share`"),
    ("reorder = true", "reorder = { share = 1, gap = »0 }", "a whole number from 1"),
    ("reorder = true", "reorder = { share = 1, »gab = 5 }", "did you mean `gap`"),
    ('ecn = "clear"', 'ecn = »"cleer"', "did you mean `clear`"),
    ('ecn = "clear"', "ecn = »true", "clear"),
    ("share = 0.01", "share = »1.01", "from 0 to 1"),
    ("share = 0.01", 'share = »"1 %"', "did you mean 0.01"),
    ("correlation = 0.25", "»corelation = 0.25", "did you mean `correlation`"),
    ("{ share = 0.01, correlation = 0.25 }", "»true", "a number"),
    ('good = "1 s"', '»god = "1 s"', "did you mean `good`"),
    ('most = "20 ms"', 'mean = "20 ms", distribution = »"gauss"', "normal"),
    ('most = "20 ms"', 'most = »"20 ms", mean = "10 ms"', "`mean` without `most`"),
    ('most = "20 ms"', 'most = »"20 ms", distribution = "pareto"', "`mean` without `most`"),
    ('medium = "air"', 'medium = "air"\necn = »"drop"', "behind the medium"),
    ("reorder = true", "reorder = true\n»loss = 0.01", "a duplicate key"),
    ('rate = "2 Mbit/s"', 'rate = "2 Mbit/s"\nreverse = { »reverse = {} }', "the key `reverse`"),
    ('rate = "2 Mbit/s"', 'rate = "2 Mbit/s"\nloss = »0.01', "in quotes"),
    ('to = "phone"', 'to = "server"', "itself"),
    ('from = "server"', "from = »1", "a string in quotes"),
]

IN_PARALLEL = [
    ('    { rate = "5 Mbit/s", delay = "20 ms" },\n', '    »"5 Mbit/s",\n', "a table of"),
    ('delay = "20 ms" }', 'delay = "20 ms", »losses = "independent" }', "did you mean `loss`"),
    ("access = { rate", "»acess = { rate", "did you mean `access`"),
    ('selector = "primary"', 'selector = »"spcc"', "did you mean `spc`"),
    ('transport = "sctp"', 'transport = »"sctp-2960"', "sctp"),
    ('["source-1", "left-2", "right-2", "sink-1"]', '["source-1", »"left-3", "right-2", "sink-1"]', "left-3"),
    ('["source-1", "left-2", "right-2", "sink-1"]', '»"left-2"', "a list"),
    ('["source-1", "left-2", "right-2", "sink-1"]', "»[]", "node"),
]

IN_PARKING_LOT = [
    ("hops = 3", "hops = »0", "a whole number from 1"),
    ("hops = 3", "hops = »1001", "1000"),
    ("hops = 3", 'hops = »"3"', "a whole number without quotes"),
    ("hops = 3\n", "", "`hops`"),
    ("hop = { rate", "»hopp = { rate", "did you mean `hop`"),
    ('to = "sink-2"', 'to = »"sink-5"', "did you mean `sink-"),
    ('to = "sink-2"', 'to = "sink-2"\npair = 1', "`from` together with `pair`"),
    ('[[flows]]\nname = "first"', '»[[flows]]\nname = "long"', "a unique `name`"),
]

IN_SWEEP = [
    ('within = "10 %"', "within = »0.1", "a string in quotes"),
    ('within = "10 %"', 'within = »"0 %"', "a percentage above 0"),
    ("replications_most = 50", "replications_most = »2", "`replications`"),
    ('["groups.tcp.goodput_bps"]', "»[]", "1 or more names: the metrics"),
    ('["groups.tcp.goodput_bps"]', '»["goodput"]', "a numeric field of the results"),
    ('rtt = ["40 ms", "80 ms"]', 'rtt = ["40 ms", »"80"]', 'did you mean "80 s" or "80 ms"'),
    (
        '"flows.tcp.control" = ["sack", "cubic"]',
        '"flows.tcp.control" = »"sack"',
        "a list of the values to try",
    ),
    ('["sack", "cubic"]', '["sack", »"cubik"]', "did you mean `cubic`"),
    ('["sack", "cubic"]', '["sack", »"sack"]', "every value once"),
    ('"flows.tcp.control" =', '»"flows.tcp.controls" =', "did you mean `control`"),
    ('"flows.tcp.control" =', '»"flow.tcp.control" =', "did you mean `flows`"),
    ('"flows.tcp.control" =', '»"flows.1.control" =', "the index 0"),
    ('"flows.tcp.control" =', '»"flows..control" =', "flows"),
    ('"flows.tcp.control" =', '»"" =', "found the key ``"),
    ('from = "1 Mbit/s"', 'from = "1 ms"', "a number in `ms`"),
    ('from = "1 Mbit/s"', 'from = "30 Mbit/s"', "a value above `from`"),
    ('from = "1 Mbit/s"', 'from = »"0 Mbit/s"', "more than 0"),
    ('scale = "log"', 'scale = »"exponential"', "linear"),
    ('scale = "log"', '»step = "1 Mbit/s"', "scale"),
    ("count = 8", "count = »0", "a whole number from 1"),
    ("count = 8", "count = »1e3", "a whole number"),
    ("count = 8", "count = »100000", "10000"),
    ('method = "random"', 'method = »"sobol"', "latin-hypercube"),
    ("[sweep]", "»[[sweep]]", "a table of dotted paths"),
]

IN_STUDY = [
    ('title = "Few flows and many"', "title = »3", "expected string"),
    ('thesis = "rbcc"', 'thesis = »"rbbc"', "rbcc"),
    ('duration = "5 s"', 'duration = »"5"', "a time such as"),
    ('control = "newreno"', 'control = »"newrino"', "did you mean `newreno`"),
    ('"flows.tcp.count" = 8', '»"flows.tcp.cuont" = 8', "did you mean `count`"),
    ('"flows.tcp.count" = 8', '"flows.tcp.count" = »0', "a whole number from 1"),
    ('[[cases]]\nname = "many"', '»[[cases]]\nname = "few"', "defined twice"),
    ('expr = "sum(flows.goodput_bps) / 1e6"', 'expr = »"sum(flows.goodput_bps"', "expr"),
    ('expr = "sum(flows.goodput_bps) / 1e6"', 'expr = »"sum(flows.goodput_pbs)"', "goodput_bps"),
    ('expr = "sum(flows.goodput_bps) / 1e6"', "expr = »\"__import__('os')\"", "expr"),
    ("paper = { few = 1.0 }", "paper = { »fwe = 1.0 }", 'did you mean "few"'),
    ('tolerance = "0.001"', 'tolerance = »"a little"', "tolerance"),
    ('tolerance = "0.001"', 'tolerance = »"-1"', "tolerance"),
    ('expect = "< 0"', 'expect = »"less than 0"', "a comparison"),
    ('expect = "< 0"', "", "the claim has no test"),
    ("measured = \"goodput('few')\"", "measured = »\"goodput('some')\"", "there is no case"),
    ('kind = "time"', 'kind = »"bars"', "'time', 'sweep' or 'trade-off'"),
    ('cases = ["few"]', 'cases = [»"fwe"]', 'did you mean "few"'),
    ("replications = 3", "replications = »0", "replications"),
    ("replications = 3", "replications = »03", "TOML"),
]

FILES = {
    DUMBBELL: IN_DUMBBELL,
    LINKS: IN_LINKS,
    PARALLEL: IN_PARALLEL,
    PARKING_LOT: IN_PARKING_LOT,
    SWEEP: IN_SWEEP,
    STUDY: IN_STUDY,
}
MISTAKES = [(text, *mistake) for text, mistakes in FILES.items() for mistake in mistakes]


@pytest.mark.parametrize(
    "text", FILES, ids=["dumbbell", "links", "parallel", "parking-lot", "sweep", "study"]
)
def test_right_files_are_accepted(ackclock: Command, text: str) -> None:
    Path("right.toml").write_text(text)
    outcome = ackclock("check", "right.toml")
    assert (outcome.code, outcome.err) == (0, "")


@pytest.mark.parametrize(("text", "right", "wrong", "message"), MISTAKES)
def test_every_mistake_is_located(
    ackclock: Command, monkeypatch: pytest.MonkeyPatch, text: str, right: str, wrong: str, message: str
) -> None:
    assert right in text
    monkeypatch.setenv("COLUMNS", "1000")
    marked = text.replace(right, wrong, 1)
    before, mark, _ = marked.partition("»")
    Path("wrong.toml").write_text(marked.replace("»", ""))
    for arguments in (["check"], ["reproduce" if text == STUDY else "run", "--out", "results"]):
        outcome = ackclock(arguments[0], "wrong.toml", *arguments[1:])
        assert (outcome.code, outcome.out) == (2, "")
        said = outcome.err.removeprefix("error: ").splitlines()
        [head] = [line for line in said if line.startswith("wrong.toml")]
        assert message in outcome.err
        line, column = map(int, re.findall(r"\d+", head)[:2])
        if mark:
            assert (line, column) == (before.count("\n") + 1, len(before.rpartition("\n")[2]) + 1)
    assert [path.name for path in Path().rglob("*") if path.is_file()] == ["wrong.toml"]


def test_there_are_two_hundred() -> None:
    assert len({wrong for _, _, wrong, _ in MISTAKES}) >= 200


OPTIONS = [
    ("run good.toml --out file", "--out: file: File exists, expected a folder to write to"),
    ("run good.toml --out file/below", "--out: file/below: Not a directory"),
    ("run good.toml --seed 9007199254740992", "--seed"),
    ("run good.toml --threads many", "--threads"),
    ("run good.toml --duration 10", 'did you mean "10 s" or "10 ms"'),
    ("run good.toml --set x", "--set: found"),
    ("run good.toml --set flows.tpc.count=2", "or the name tcp"),
    ("run good.toml --export pcap --out new", 'did you mean "pcapng"'),
    ("run good.toml --export pcapng", "needs --out DIR"),
    ("run good.toml --figures gif", "expected one of pdf, svg, png, csv"),
    ("run good.toml --dask nowhere", '--dask: found "nowhere"'),
    ("run good.toml other.toml", "other.toml"),
    ("reproduce rbbc/table-4.1", 'did you mean "rbcc/table-4.1"'),
    ("reproduce rbcc/table-4.1 --quick --out file", "--out: file: File exists"),
    ("examples incst", 'did you mean "incast"'),
    ("examples incast --out file/incast.toml", "there is no folder file"),
    ("examples incast --out none/incast.toml", "there is no folder none"),
    ("examples incast --notebooks file", "--notebooks: file: File exists"),
    ("lab none.toml --no-open", "none.toml: No such file"),
    ("lab rtt-unfairnes --no-open", 'did you mean "rtt-unfairness"'),
    ("study copy rbcc/table-4.1 file/copy.toml", "there is no folder file"),
    ("study copy rbcc copy.toml", "expected one of them, such as"),
    ("schema --of scenarios", "scenario"),
    ("list contrls", 'did you mean "controls"'),
    ("list controls cubik", 'did you mean "cubic"'),
    ("runn good.toml", "Did you mean 'run'"),
]


@pytest.mark.parametrize(("arguments", "message"), OPTIONS)
def test_wrong_options(ackclock: Command, arguments: str, message: str) -> None:
    Path("good.toml").write_text(DUMBBELL)
    Path("file").write_text("")
    outcome = ackclock(*arguments.split())
    assert (outcome.code, outcome.out) == (2, "")
    assert message in " ".join(outcome.err.split())
    assert sorted(path.name for path in Path().iterdir()) == ["file", "good.toml"]
